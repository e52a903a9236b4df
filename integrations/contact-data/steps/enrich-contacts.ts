import { defineStep, keySets, once, personRecord, words, z } from '#kit'
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
      country: country('Country of the person, which narrows the lookup.').optional(),
      jobTitle: words('Job title', 'Job title as you have it; kept as it is, and not sent.').optional(),
      location: words('Location', 'Place as you have it; kept as it is, and not sent.').optional(),
    }),
    personKeys,
  ),
)

export default defineStep({
  id: 'enrich-contacts',
  title: 'Enrich Contacts',
  group: 'Contacts',
  purpose:
    'Completes contact records with e-mail addresses, phone numbers and professional details; existing values are kept, and each record has its own result: matched, not matched or failed.',
  keywords: ['leads', 'people', 'e-mail finder', 'phone', 'bulk'],
  icon: 'person-enrich',
  effect: 'read',
  version: '1.1',
  cost: { unit: 'credit', per: 'record', typical: [1, 2] },
  input: () => z.strictObject({ contacts: recordList(contact(), 'Contacts', 'The contacts to complete, always as a list.'), reveal: reveal().optional() }),
  output: () => enrichOutput(personRecord()),
  fields: {
    contacts: {
      row: { reference: { placeholder: 'row-1' }, ...personSpecs, jobTitle: { placeholder: 'Head of Sales' }, location: { placeholder: 'Auckland' } },
    },
    reveal: revealSpec,
  },
  endpoints: ['person'],
  run: (ctx, { contacts, reveal: wanted }) =>
    enrichAll(ctx, { endpoint: 'person', field: 'contacts', item: contact(), setsOf: personSets, along: { reveal: wanted } }, contacts),
})
