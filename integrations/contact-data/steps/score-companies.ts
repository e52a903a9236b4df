import { companyRecord, defineStep, keySets, manyAgentFields, once, z } from '#kit'
import { enrichAll, enrichOutput, recordList, reference } from '../enrich.ts'
import { companyId, companyKeys, companyName, companySets, companySpecs, domain } from '../inputs.ts'
import { scoreFields, scoreNames } from '../scores.ts'

const company = once(() =>
  keySets(
    z.strictObject({
      reference: reference().optional(),
      domain: domain().optional(),
      name: companyName().optional(),
      companyId: companyId().optional(),
    }),
    companyKeys,
  ),
)
const { country: _, ...rowSpecs } = companySpecs

export default defineStep({
  id: 'score-companies',
  title: 'Score Companies',
  group: 'Companies',
  purpose:
    'Scores companies by their current signals, such as hiring or higher IT spend; each company that has a score is charged.',
  keywords: ['signal score', 'prioritise accounts', 'rank companies', 'buying signals', 'account scoring'],
  icon: 'gauge',
  effect: 'read',
  cost: { unit: 'credit', per: 'match', typical: [0, 1] },
  input: () => z.strictObject({ companies: recordList(company(), 'Companies', 'The companies to score.') }),
  output: () => enrichOutput(companyRecord().extend(scoreFields())),
  agentFields: [...manyAgentFields('company', ['reference']), ...scoreNames],
  fields: { companies: { row: { reference: { placeholder: 'row-1' }, ...rowSpecs } } },
  endpoints: ['score-companies'],
  run: (ctx, { companies }) =>
    enrichAll(
      ctx,
      { endpoint: 'score-companies', field: 'companies', item: company(), setsOf: companySets },
      companies,
    ),
})
