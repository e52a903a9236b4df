import { defineStep, keySets, lookupOutput, personRecord, z } from '#kit'
import { company, email, firstName, lastName, linkedinUrl, personKeys, personSets } from '../inputs.ts'

export default defineStep({
  id: 'find-contact',
  title: 'Find Contact',
  group: 'Contacts',
  purpose: 'Finds one known person by LinkedIn address, e-mail address, or first and last name with employer; no match is a result, not an error.',
  effect: 'read',
  cost: { unit: 'credit', per: 'match', typical: [1, 2] },
  input: () =>
    keySets(
      z.strictObject({
        email: email().optional(),
        linkedinUrl: linkedinUrl().optional(),
        firstName: firstName().optional(),
        lastName: lastName().optional(),
        company: company().optional(),
      }),
      personKeys,
    ),
  output: () => lookupOutput(personRecord()),
  endpoints: ['person'],
  run: (ctx, given) => ctx.lookup('person', personSets(given)),
})
