import {
  defineStep,
  keySets,
  pageCursor,
  personRecord,
  searchAgentFields,
  searchOutput,
  searchPage,
  words,
  z,
} from '#kit'
import { email, linkedinUrl } from '../inputs.ts'
import { listOf, requireSeeds } from '../seeds.ts'

export default defineStep({
  id: 'find-lookalike-contacts',
  title: 'Find Lookalike Contacts',
  group: 'Contacts',
  purpose:
    'Finds people who resemble at least 5 that you know, such as your best customers; each person found is charged. Reveal Contacts gives their addresses.',
  keywords: ['similar people', 'lookalikes', 'ideal customer', 'more like these'],
  icon: 'person-search',
  effect: 'read',
  cost: { unit: 'credit', per: 'record', typical: [0, 3] },
  input: () =>
    keySets(
      z.strictObject({
        personIds: listOf(words('Person id', 'Id of a person.'), 'Person ids', 'People to resemble, by id.'),
        linkedinUrls: listOf(linkedinUrl(), 'LinkedIn addresses', 'People to resemble, by profile.'),
        emails: listOf(email(), 'E-mail addresses', 'People to resemble, by e-mail address.'),
        excludePersonIds: listOf(words('Person id', 'Id of a person.'), 'Leave out ids', 'People not to return.'),
        excludeLinkedinUrls: listOf(linkedinUrl(), 'Leave out profiles', 'People not to return, by profile.'),
        excludeEmails: listOf(email(), 'Leave out e-mail addresses', 'People not to return, by e-mail address.'),
        limit: z.int().min(1).max(100).optional().meta({ title: 'Limit', description: 'How many to find, 1 to 100.' }),
        cursor: pageCursor(),
      }),
      [['personIds'], ['linkedinUrls'], ['emails']],
    ),
  output: () => searchOutput(personRecord()),
  agentFields: searchAgentFields('person'),
  fields: { limit: { placeholder: '25' } },
  endpoints: ['lookalike-contacts'],
  run: (ctx, query) => {
    requireSeeds(['personIds', 'linkedinUrls', 'emails'], query)
    return searchPage(ctx, 'lookalike-contacts', query)
  },
})
