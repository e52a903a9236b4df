import { defineStep, keySets, manyAgentFields, once, personRecord, words, z } from '#kit'
import { enrichAll, enrichOutput, recordList, reference } from '../enrich.ts'
import {
  company,
  companyDomain,
  country,
  email,
  firstName,
  lastName,
  linkedinUrl,
  personId,
  personKeys,
  personSets,
  personSpecs,
  reveal,
  revealSpec,
} from '../inputs.ts'

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
      country: country('Country of the person.').optional(),
      jobTitle: words('Job title', 'As you have it; kept, not sent.').optional(),
      location: words('Location', 'As you have it; kept, not sent.').optional(),
    }),
    personKeys,
  ),
)

export default defineStep({
  id: 'enrich-contacts',
  title: 'Enrich Contacts',
  group: 'Contacts',
  purpose:
    'Completes contact records with e-mail addresses, phone numbers and work details; given values are kept. Each record has its own result: matched, not matched or failed.',
  keywords: ['leads', 'people', 'e-mail finder', 'phone', 'bulk', 'enrich list', 'enrich many people'],
  icon: 'person-enrich',
  effect: 'read',
  version: '1.1',
  cost: { unit: 'credit', per: 'record', typical: [1, 2] },
  input: () =>
    z.strictObject({
      contacts: recordList(contact(), 'Contacts', 'The contacts to complete.'),
      reveal: reveal().optional(),
    }),
  output: () => enrichOutput(personRecord()),
  agentFields: manyAgentFields('person', ['reference']),
  fields: {
    contacts: {
      row: {
        reference: { placeholder: 'row-1' },
        ...personSpecs,
        jobTitle: { placeholder: 'Head of Sales' },
        location: { placeholder: 'Auckland' },
      },
    },
    reveal: revealSpec,
  },
  endpoints: ['person'],
  run: (ctx, { contacts, reveal: fieldsToReveal }) =>
    enrichAll(
      ctx,
      { endpoint: 'person', field: 'contacts', item: contact(), setsOf: personSets, along: { reveal: fieldsToReveal } },
      contacts,
    ),
})
