import { boundedText, endsChanges, fail, isFailure, isOutcomeUnknown, path, readRows, z } from '#kit'
import type { Failure, FieldSpec, StepContext } from '#kit'
import { boardRef, cardRef } from './inputs.ts'
import { boards, cards } from './options.ts'
import { resolveId } from './refs.ts'

/** Steps that change many cards: the selection of the cards, the changes, and the result for each card. */

const most = 200
/** The number of cards changed at a time; the board takes some hundred milliseconds for each. */
const atOnce = 4

export const whichCards = () => ({
  idBoard: boardRef(
    'Board of the cards. It narrows the choice of cards; a search needs it and covers this board only.',
    'On board',
  ).optional(),
  idCards: z
    .array(cardRef('A card.'))
    .min(1)
    .max(most)
    .optional()
    .meta({
      title: 'Cards',
      description: `The cards, at most ${most}; or fill in a search.`,
      agentDescription: `The cards, at most ${most}, each by its id, short link or page address. Or give a search.`,
    }),
  query: boundedText(
    'Search',
    `Instead of cards: words and operators of the board's search, such as "list:Done" or "label:Urgent due:overdue". Finds open cards, and fails when there are more than ${most}.`,
    { min: 1, max: 1000, by: 'the board' },
  ).optional(),
})

export const whichCardsFields = {
  idBoard: { options: boards, names: 'board', accepts: 'id-or-url' },
  idCards: { options: cards('idBoard'), names: 'card', dependsOn: ['idBoard'], accepts: 'id-or-url' },
  query: { placeholder: 'list:Done' },
} satisfies Record<string, FieldSpec>

type Which = { idCards?: string[] | undefined; idBoard?: string | undefined; query?: string | undefined }

const stateOf = z.enum(['changed', 'unchanged', 'failed', 'unknown'])
type Item = { id: string; state: z.output<typeof stateOf>; reason?: string }

export const manyOutput = () => {
  const item = z.object({
    id: z.string().meta({ description: 'The card as given in the input, or its id.' }),
    state: stateOf.meta({
      description:
        'changed; unchanged: nothing had to change; failed: nothing was done; unknown: check the card before you repeat it.',
    }),
    reason: z.string().optional().meta({ description: 'Why it failed or is unknown.' }),
  })
  return z.object({
    total: z.int().meta({ description: 'How many cards were asked for.' }),
    changed: z.int().meta({ description: 'How many were changed.' }),
    unchanged: z.int().meta({ description: 'How many needed no change.' }),
    problems: z.array(item).meta({ description: 'The cards that failed or are unknown.' }),
    results: z.array(item).meta({ description: 'The result of every card, in the order given.' }),
  })
}
export const manyAgentFields = ['total', 'changed', 'unchanged', 'problems']

const chosen = async (ctx: StepContext, { idCards, idBoard, query }: Which): Promise<string[]> => {
  if (idCards !== undefined) {
    if (query !== undefined)
      throw fail('invalid_input', 'idCards and query are both given. Give the cards, or a search.')
    return [...new Set(idCards)]
  }
  if (query === undefined || idBoard === undefined)
    throw fail('invalid_input', 'No cards are given. Give idCards, or idBoard and query.')
  const answer = (await ctx.send({
    method: 'GET',
    path: path`/1/search`,
    query: {
      query: `${query} is:open`,
      modelTypes: 'cards',
      partial: false,
      idBoards: await resolveId(ctx, 'board', idBoard),
      card_fields: 'name',
      cards_limit: most + 1,
    },
  })) as { cards?: unknown } | null
  const rows = readRows(answer?.cards, 'cards')
  if (rows.length > most)
    throw fail(
      'invalid_input',
      `The search finds more than ${most} cards. Narrow it, for example to a list or a label.`,
    )
  return rows.map(({ id }) => id)
}

/**
 * Changes each card with `change`, which returns whether it wrote anything. A card that fails does not end the run, but
 * a failure that every card would share does: its message says how many cards are done, and a run with the same
 * idempotency key continues from there.
 */
export const changeMany = async (ctx: StepContext, which: Which, change: (card: string) => Promise<boolean>) => {
  const cardIds = await chosen(ctx, which)
  const results: (Item | undefined)[] = cardIds.map(() => undefined)
  let [next, done] = [0, 0]
  let ended: unknown
  let firstFailure: Failure | undefined
  const work = async () => {
    for (let at = next++; at < cardIds.length && ended === undefined; at = next++) {
      const id = cardIds[at]!
      try {
        results[at] = { id, state: (await change(id)) ? 'changed' : 'unchanged' }
      } catch (thrown) {
        if (!isFailure(thrown) || endsChanges(thrown)) {
          ended ??= thrown
          return
        }
        firstFailure ??= thrown
        results[at] = { id, state: isOutcomeUnknown(thrown) ? 'unknown' : 'failed', reason: thrown.message }
      }
      done += 1
      ctx.progress(done, cardIds.length)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, cardIds.length) }, work))
  if (ended !== undefined) {
    if (!isFailure(ended)) throw ended
    const again = 'Run it again with the same Idempotency-Key to go on: what is done is not done again.'
    throw fail(ended.code, `${done} of ${cardIds.length} cards are done. ${ended.message} ${again}`, ended.details)
  }
  // When no card was changed or found unchanged, the run has failed.
  if (firstFailure && results.every((result) => result?.state === 'failed' || result?.state === 'unknown'))
    throw firstFailure
  const items = results.filter((result) => result !== undefined)
  const count = (state: Item['state']) => items.filter((item) => item.state === state).length
  return {
    total: cardIds.length,
    changed: count('changed'),
    unchanged: count('unchanged'),
    problems: items.filter(({ state }) => state === 'failed' || state === 'unknown'),
    results: items,
  }
}
