import { companyRecord, defineStep, keySets, manyAgentFields, once, words, z } from '#kit'
import { enrichAll, enrichOutput, recordList, reference } from '../enrich.ts'
import { companyId, companyKeys, companyName, companySets, companySpecs, country, domain } from '../inputs.ts'

const company = once(() =>
  keySets(
    z.strictObject({
      reference: reference().optional(),
      domain: domain().optional(),
      name: companyName().optional(),
      companyId: companyId().optional(),
      country: country('Country of the company.').optional(),
      website: words('Website', 'As you have it; kept, not sent.').optional(),
      industry: words('Industry', 'As you have it; kept, not sent.').optional(),
      location: words('Location', 'As you have it; kept, not sent.').optional(),
    }),
    companyKeys,
  ),
)

export default defineStep({
  id: 'enrich-companies',
  title: 'Enrich Companies',
  group: 'Companies',
  purpose:
    'Completes company records with employee counts, industry and other facts; given values are kept. Each record has its own result: matched, not matched or failed.',
  keywords: ['accounts', 'firmographics', 'organisations', 'bulk', 'enrich list', 'enrich many companies'],
  icon: 'company-enrich',
  effect: 'read',
  version: '1.1',
  cost: { unit: 'credit', per: 'record', typical: [1, 1] },
  input: () => z.strictObject({ companies: recordList(company(), 'Companies', 'The companies to complete.') }),
  output: () => enrichOutput(companyRecord()),
  agentFields: manyAgentFields('company', ['reference']),
  fields: {
    companies: {
      row: {
        reference: { placeholder: 'row-1' },
        ...companySpecs,
        website: { placeholder: 'https://www.example.com' },
        industry: { placeholder: 'Software' },
        location: { placeholder: 'Auckland' },
      },
    },
  },
  endpoints: ['company'],
  run: (ctx, { companies }) =>
    enrichAll(ctx, { endpoint: 'company', field: 'companies', item: company(), setsOf: companySets }, companies),
})
