import { defineStep, manyAgentFields, personRecord, words, z } from '#kit'
import { revealOutput, summaryOf } from '../enrich.ts'
import { along, reveal, revealSpec, waterfallReveal } from '../inputs.ts'

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
  version: '1.1',
  cost: { unit: 'credit', per: 'match', typical: [1, 6] },
  input: () =>
    z.strictObject({
      personIds: z
        .array(words('Person id', 'Id of one person.'))
        .min(1, { error: 'Person ids: the list is empty. Give at least one id.' })
        .max(maxIds, {
          error: (issue) =>
            `Person ids: there are ${(issue.input as unknown[]).length} ids; at most ${maxIds} are taken in one run. Split the list.`,
        })
        .meta({ title: 'Person ids', description: `Ids of people that a search found, 1 to ${maxIds}.` }),
      searchId: words('Search id', 'The "searchId" of that search.').optional(),
      reveal: reveal().optional(),
      waterfallReveal: waterfallReveal().optional(),
    }),
  output: () => revealOutput(personRecord()),
  agentFields: manyAgentFields('person', ['personId']),
  fields: { reveal: revealSpec, waterfallReveal: { rare: true } },
  endpoints: ['reveal-contacts'],
  async run(ctx, { personIds, searchId, reveal: fieldsToReveal, waterfallReveal: isWaterfall }) {
    const answers = await ctx.lookupMany(
      'reveal-contacts',
      personIds.map((personId) => [{ personId }]),
      personIds.map(() => along({ searchId, reveal: fieldsToReveal, waterfallReveal: isWaterfall })),
    )
    const results = personIds.map((personId, index) => ({ index, personId, ...answers[index]! }))
    return { results, summary: summaryOf(results) }
  },
})
