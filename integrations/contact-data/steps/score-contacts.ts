import { defineStep, keySets, manyAgentFields, once, personRecord, z } from '#kit'
import { enrichAll, enrichOutput, recordList, reference } from '../enrich.ts'
import {
  company,
  companyDomain,
  email,
  firstName,
  lastName,
  linkedinUrl,
  personId,
  personKeys,
  personSets,
  personSpecs,
} from '../inputs.ts'
import { scoreFields, scoreNames } from '../scores.ts'

const contact = once(() =>
  keySets(
    z.strictObject({
      reference: reference().optional(),
      email: email().optional(),
      linkedinUrl: linkedinUrl().optional(),
      personId: personId().optional(),
      firstName: firstName().optional(),
      lastName: lastName().optional(),
      company: company().optional(),
      companyDomain: companyDomain().optional(),
    }),
    personKeys,
  ),
)

const { country: _, ...rowSpecs } = personSpecs

export default defineStep({
  id: 'score-contacts',
  title: 'Score Contacts',
  group: 'Contacts',
  purpose:
    'Scores people by their current signals, such as a new job, without revealing contact details; each person who has a score is charged.',
  keywords: ['signal score', 'prioritise leads', 'rank people', 'who to contact first', 'buying signals'],
  icon: 'gauge',
  effect: 'read',
  cost: { unit: 'credit', per: 'match', typical: [0, 1] },
  input: () => z.strictObject({ contacts: recordList(contact(), 'Contacts', 'The people to score.') }),
  output: () => enrichOutput(personRecord().extend(scoreFields())),
  agentFields: [...manyAgentFields('person', ['reference']), ...scoreNames],
  fields: { contacts: { row: { reference: { placeholder: 'row-1' }, ...rowSpecs } } },
  endpoints: ['score-contacts'],
  run: (ctx, { contacts }) =>
    enrichAll(ctx, { endpoint: 'score-contacts', field: 'contacts', item: contact(), setsOf: personSets }, contacts),
})
