import { path, readRow, z } from '#kit'
import type { Path, StepContext } from '#kit'
import { checkCard } from './scoped-card.ts'

type ScopedCard = { idCard: string; idBoard?: string | undefined; idList?: string | undefined }
/** The properties of a card that are sets of ids, changed one id at a time. */
type SetName = 'idLabels' | 'idMembers' | 'idMembersVoted'

/** Where an id is added to the set, and where one is removed. */
const places: Record<SetName, { set: (card: string) => Path; entry: (card: string, id: string) => Path }> = {
  idLabels: {
    set: (card) => path`/1/cards/${card}/idLabels`,
    entry: (card, id) => path`/1/cards/${card}/idLabels/${id}`,
  },
  idMembers: {
    set: (card) => path`/1/cards/${card}/idMembers`,
    entry: (card, id) => path`/1/cards/${card}/idMembers/${id}`,
  },
  idMembersVoted: {
    set: (card) => path`/1/cards/${card}/membersVoted`,
    entry: (card, id) => path`/1/cards/${card}/membersVoted/${id}`,
  },
}

export const setOutput = (set: SetName, what: string) => () =>
  z.object({
    id: z.string().meta({ description: 'Id of the card.' }),
    [set]: z.array(z.string()).meta({ description: `Ids of all ${what} of the card now.` }),
    changed: z.boolean().meta({ description: 'Whether anything was written; false where it was so already.' }),
  })

const idsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((id): id is string => typeof id === 'string') : []

/**
 * Adds one id to a set of a card, or removes it. The board refuses to add an id that is already there, so the set is
 * read first, and nothing is written when no change is needed.
 */
export const changeSet = async (
  ctx: StepContext,
  card: ScopedCard,
  set: SetName,
  entryId: string,
  isWanted: boolean,
) => {
  await checkCard(ctx, card)
  const row = readRow(
    await ctx.send({ method: 'GET', path: path`/1/cards/${card.idCard}`, query: { fields: set } }),
    'a card',
  )
  const before = idsIn(row[set])
  if (before.includes(entryId) === isWanted) return { id: row.id, [set]: before, changed: false }
  const { set: all, entry } = places[set]
  if (isWanted) {
    await ctx.send({ method: 'POST', path: all(card.idCard), body: { value: entryId } })
    return { id: row.id, [set]: [...before, entryId], changed: true }
  }
  await ctx.send({ method: 'DELETE', path: entry(card.idCard, entryId) })
  return { id: row.id, [set]: before.filter((id) => id !== entryId), changed: true }
}
