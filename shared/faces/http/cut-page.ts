import { failField } from '#kit'

type Row = { id: string; createdAt: string }

const positionOf = ({ createdAt, id }: Row) => `${createdAt} ${id}`

const readCursor = (cursor: string) => {
  const position = Buffer.from(cursor, 'base64url').toString('utf8')
  if (!/^\d{4}-\d\d-\d\dT[\d:.]+Z \S+$/.test(position))
    throw failField('/query/cursor', 'This cursor was not returned by this list. Leave it out to start again.')
  return position
}

/**
 * A page of rows in memory, newest first. The cursor is a position in that order, so it stays valid when its row is
 * removed.
 */
export const pageOf = <T extends Row>(
  rows: T[],
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): { items: T[]; next?: string } => {
  const newestFirst = rows.toSorted((a, b) => (positionOf(a) < positionOf(b) ? 1 : -1))
  const after = cursor === undefined ? undefined : readCursor(cursor)
  const from = after === undefined ? newestFirst : newestFirst.filter((row) => positionOf(row) < after)
  const items = from.slice(0, limit)
  const last = items.at(-1)
  return {
    items,
    ...(last && from.length > items.length ? { next: Buffer.from(positionOf(last)).toString('base64url') } : {}),
  }
}
