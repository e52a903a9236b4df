import { defineStep, personRecord, words, z } from '#kit'
import { revealOutput, summaryOf } from '../enrich.ts'
import { along, reveal, revealSpec } from '../inputs.ts'

const maxIds = 100

export default defineStep({
  id: 'reveal-contacts',
  title: 'Reveal Contacts',
  group: 'Contacts',
  purpose:
    'Reveals e-mail addresses and phone numbers of people that a search found, by their ids; each id has its own result: matched, not matched or failed.',
  keywords: ['unlock', 'e-mail addresses', 'phone numbers', 'contact details'],
  icon: 'reveal',
  effect: 'read',
  cost: { unit: 'credit', per: 'match', typical: [1, 6] },
  input: () =>
    z.strictObject({
      personIds: z
        .array(words('Person id', 'Id of one person.'))
        .min(1, { error: 'Person ids: the list is empty. Give at least one id.' })
        .max(maxIds, {
          error: (issue) => `Person ids: there are ${(issue.input as unknown[]).length} ids; at most ${maxIds} are taken in one run. Split the list.`,
        })
        .meta({ title: 'Person ids', description: `Ids of the people to reveal, as a search gave them in "id" of its records. 1 to ${maxIds} ids.` }),
      searchId: words('Search id', 'The "searchId" that the search gave with these people.').optional(),
      reveal: reveal().optional(),
    }),
  output: () => revealOutput(personRecord()),
  fields: { reveal: revealSpec },
  endpoints: ['reveal-contacts'],
  async run(ctx, { personIds, searchId, reveal: wanted }) {
    const answers = await ctx.lookupMany(
      'reveal-contacts',
      personIds.map((personId) => [{ personId }]),
      personIds.map(() => along({ searchId, reveal: wanted })),
    )
    const results = personIds.map((personId, index) => ({ index, personId, ...answers[index]! }))
    return { results, summary: summaryOf(results) }
  },
})
