import { defineStep, keySets, lookupAgentFields, lookupOutput, personRecord, z } from '#kit'
import {
  along,
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

export default defineStep({
  id: 'find-contact',
  title: 'Find Contact',
  group: 'Contacts',
  purpose:
    'Finds one known person by LinkedIn address, e-mail address, or first and last name with employer; no match is a result, not an error.',
  keywords: [
    'person',
    'lead',
    'e-mail finder',
    'phone',
    'lookup',
    'enrich person',
    'work e-mail address',
    'phone number',
    'who is',
  ],
  icon: 'person-find',
  effect: 'read',
  version: '1.1',
  cost: { unit: 'credit', per: 'match', typical: [1, 2] },
  input: () =>
    keySets(
      z.strictObject({
        email: email().optional(),
        linkedinUrl: linkedinUrl().optional(),
        personId: personId().optional(),
        firstName: firstName().optional(),
        lastName: lastName().optional(),
        company: company().optional(),
        companyDomain: companyDomain().optional(),
        country: country('Country of the person.').optional(),
        reveal: reveal().optional(),
      }),
      personKeys,
    ),
  output: () => lookupOutput(personRecord()),
  agentFields: lookupAgentFields('person'),
  fields: { ...personSpecs, reveal: revealSpec },
  lookup: 'person',
  endpoints: ['person'],
  run: (ctx, { country: land, reveal: fieldsToReveal, ...personFields }) =>
    ctx.lookup('person', personSets(personFields), along({ country: land, reveal: fieldsToReveal })),
})
