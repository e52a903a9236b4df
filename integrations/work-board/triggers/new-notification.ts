import { defineTrigger, fail, path, readRows, z } from '#kit'
import type { PollItem, WatchContext } from '#kit'
import { boardPlace, cardPlace, listPlace, person } from '../event-schemas.ts'
import { notificationTypesField } from '../watch-fields.ts'

const pageMax = 1000
/**
 * Notifications of the same moment may be listed in another order than that of their ids, so the newest ones are read
 * again.
 */
const overlapMs = 60_000
/** The cursor of an account that had no notification yet; every notification after it is new. */
const noneYet = 'none'

/** Enough notifications to find the newest one, in whatever order they are listed. */
const baseline = 50

type Row = { id: string; [field: string]: unknown }
/** The first 8 characters of an id are its creation time in Unix seconds, in hexadecimal. */
const timeOf = ({ id, date }: Row) => Date.parse(String(date)) || Number.parseInt(id.slice(0, 8), 16) * 1000 || 0

const readPage = async (ctx: WatchContext, query: { limit: number; since?: string; before?: string }) =>
  readRows(
    await ctx.send({
      method: 'GET',
      path: path`/1/members/me/notifications`,
      query: { memberCreator: true, memberCreator_fields: 'fullName,username', ...query },
    }),
    'notifications',
  )

const lowest = (rows: Row[]) => rows.reduce((low, { id }) => (id < low ? id : low), rows[0]!.id)

/** Reads everything since the cursor, page by page backwards, since the newest come first. */
const readSince = async (ctx: WatchContext, cursor: string): Promise<Row[]> => {
  const seen = new Map<string, Row>()
  const since = cursor === noneYet ? {} : { since: cursor }
  for (let before: string | undefined; ; before = lowest([...seen.values()])) {
    const page = await readPage(ctx, { limit: pageMax, ...since, ...(before === undefined ? {} : { before }) })
    const countBefore = seen.size
    for (const row of page) seen.set(row.id, row)
    if (page.length < pageMax) return [...seen.values()]
    if (seen.size === countBefore)
      throw fail(
        'bad_reply',
        `The board gave the same notifications again when asked for those before ${before}, so they cannot be read to the end.`,
      )
  }
}

/** The newest notification that is old enough for none to be inserted before it; if there is none, the cursor stays. */
const nextCursor = (rows: Row[], cursor: string): string => {
  const newest = rows.reduce((high, row) => Math.max(high, timeOf(row)), 0)
  return rows.reduce(
    (best, row) => (timeOf(row) <= newest - overlapMs && (best === noneYet || row.id > best) ? row.id : best),
    cursor,
  )
}

const itemOf = (row: Row): PollItem => ({ ...row, at: new Date(timeOf(row)).toISOString() })

const fetchNotifications = async (ctx: WatchContext, _: string, cursor: string | undefined) => {
  if (cursor === undefined) {
    const rows = await readPage(ctx, { limit: baseline })
    return {
      items: [],
      cursor: rows.length === 0 ? noneYet : rows.reduce((high, { id }) => (id > high ? id : high), ''),
    }
  }
  const rows = await readSince(ctx, cursor)
  const oldestFirst = rows.sort((a, b) => (a.id < b.id ? -1 : 1))
  return { items: oldestFirst.map(itemOf), cursor: nextCursor(rows, cursor) }
}

const part = (value: unknown, name: string): { [field: string]: unknown } | undefined => {
  const nestedValue =
    typeof value === 'object' && value !== null && Object.hasOwn(value, name)
      ? (value as Record<string, unknown>)[name]
      : undefined
  return typeof nestedValue === 'object' && nestedValue !== null && !Array.isArray(nestedValue)
    ? (nestedValue as Record<string, unknown>)
    : undefined
}
const text = (value: { [field: string]: unknown } | undefined, name: string) =>
  typeof value?.[name] === 'string' ? value[name] : undefined
const named = (value: { [field: string]: unknown } | undefined) => {
  const id = text(value, 'id')
  if (id === undefined) return undefined
  return { id, name: text(value, 'name'), shortLink: text(value, 'shortLink') }
}

const dataOf = (item: PollItem) => {
  const { data } = item
  const creator = part(item, 'memberCreator')
  const by =
    typeof item.idMemberCreator === 'string'
      ? { id: item.idMemberCreator, name: text(creator, 'fullName'), username: text(creator, 'username') }
      : undefined
  const action = typeof item.idAction === 'string' ? { actionId: item.idAction } : {}
  const places = { board: named(part(data, 'board')), list: named(part(data, 'list')), card: named(part(data, 'card')) }
  return {
    notificationId: item.id,
    type: typeof item.type === 'string' ? item.type : 'unknown',
    at: item.at,
    unread: item.unread === true,
    ...action,
    by,
    ...places,
    text: text(data as { [field: string]: unknown }, 'text'),
  }
}

const described = (description: string) => z.string().meta({ description })

export default defineTrigger({
  id: 'new-notification',
  title: 'New Notification',
  purpose: 'Starts when the connected account receives a notification, such as a mention or a card that is due soon.',
  keywords: ['mention', 'inbox', 'alert'],
  icon: 'bell',
  oauthScopes: ['read'],
  config: () =>
    z.strictObject({
      types: z
        .array(z.string().regex(/^[A-Za-z]{3,60}$/, { error: 'A type is a word such as mentionedOnCard.' }))
        .max(100)
        .optional()
        .meta({
          title: 'Types',
          description: 'Only notifications of these types, such as "mentionedOnCard" or "addedToCard"; none for all.',
        }),
    }),
  data: () =>
    z.object({
      notificationId: described('Id of the notification.'),
      type: described('Type of the notification, such as mentionedOnCard.'),
      at: described('When it was created, in UTC.'),
      unread: z.boolean().meta({ description: 'Whether it was unread when found.' }),
      actionId: described('Id of the action it is about.').optional(),
      by: person().optional().meta({ description: 'Who caused it.' }),
      board: boardPlace().optional().meta({ description: 'The board it is about.' }),
      list: listPlace().optional().meta({ description: 'The list it is about.' }),
      card: cardPlace().optional().meta({ description: 'The card it is about.' }),
      text: described('What was written, for example the comment with the mention.').optional(),
    }),
  fields: { types: notificationTypesField },
  recoverable: 'all',
  caveat: 'Not instant: notifications are polled. The board does not notify you of your own actions.',
  poll: {
    resources: () => ['notifications'],
    fetch: fetchNotifications,
    pick(items, { types = [] }, { since }) {
      const watchedItems = items.filter(
        (item) => Date.parse(item.at) >= since && (types.length === 0 || types.includes(String(item.type))),
      )
      return watchedItems.map((item) => {
        const data = dataOf(item)
        return {
          key: item.id,
          at: item.at,
          data,
          ...(data.card ? { subject: { kind: 'card', id: data.card.id } } : {}),
          ...(data.board ? { container: { kind: 'board', id: data.board.id } } : {}),
        }
      })
    },
  },
})
