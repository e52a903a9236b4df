import { failField } from '#kit'

type Row = { id: string; createdAt: string }

const placeOf = ({ createdAt, id }: Row) => `${createdAt} ${id}`

const readCursor = (cursor: string) => {
  const place = Buffer.from(cursor, 'base64url').toString('utf8')
  if (!/^\d{4}-\d\d-\d\dT[\d:.]+Z \S+$/.test(place)) throw failField('/query/cursor', 'This cursor was not given by this list. Leave it out to start again.')
  return place
}

/** A page of rows that are all at hand, newest first. The cursor is a place in that order, so it outlives the row it was made from. */
export const pageOf = <T extends Row>(rows: T[], { limit, cursor }: { limit: number; cursor?: string | undefined }): { items: T[]; next?: string } => {
  const newestFirst = rows.toSorted((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1))
  const after = cursor === undefined ? undefined : readCursor(cursor)
  const from = after === undefined ? newestFirst : newestFirst.filter((row) => placeOf(row) < after)
  const items = from.slice(0, limit)
  const last = items.at(-1)
  return { items, ...(last && from.length > items.length ? { next: Buffer.from(placeOf(last)).toString('base64url') } : {}) }
}
