import { defineTrigger, path, z } from '#kit'
import type { PollFound, PollItem, PollTime, WatchContext } from '#kit'
import { boardPlace, cardPlace, listPlace } from '../event-schemas.ts'
import { readCards } from '../listing.ts'
import { boardsField, listsField } from '../watch-fields.ts'
import { boardsConfig, listsConfig, resolveWatched } from '../event-filters.ts'

const minute = 60_000
const hour = 60 * minute
const resourcePrefix = 'due:'
/** Far above the 5000 open cards a board takes. */
const maxCards = 50_000
/** Reminders due within this time after a scan fire from a timer of ours; later ones are found by a later scan. */
const horizonMs = 2 * hour
/** A scan comes each minute or so: what fires later than this is marked late. */
const punctualMs = 5 * minute
/** Once the due time itself is past, a reminder this late is of no use. */
const usefulMs = 24 * hour
const overlapMs = 10 * minute

/** A card and its due time, short enough to be kept for thousands of cards. */
const pairOf = ({ id, at }: PollItem) => `${id}${Math.floor(Date.parse(at) / 1000).toString(36)}`

const fetchDue = async (ctx: WatchContext, resource: string, cursor: string | undefined) => {
  const board = resource.slice(resourcePrefix.length)
  // Visible ones: a card in an archived list is not archived itself, but nobody sees it.
  const query = { filter: 'visible', fields: 'name,due,dueComplete,closed,idList,shortLink' }
  const { cards } = await readCards(ctx, path`/1/boards/${board}/cards`, { limit: maxCards, query })
  const dated = cards.flatMap((card): PollItem[] =>
    typeof card.due === 'string' && card.dueComplete !== true && card.closed !== true
      ? [{ ...card, at: card.due, idBoard: board }]
      : [],
  )
  const open = dated.filter(({ at }) => !Number.isNaN(Date.parse(at)))
  const before = cursor === undefined ? undefined : new Set(cursor.split(','))
  const items = open.map((item) => ({ ...item, fresh: before !== undefined && !before.has(pairOf(item)) }))
  return { items, cursor: ['v1', ...open.map(pairOf)].join(',') }
}

/** The first 8 characters of an id are the creation time. */
const createdAt = (id: string) => Number.parseInt(id.slice(0, 8), 16) * 1000 || 0

type Timing = 'ahead' | 'now' | 'late' | 'missed'

/**
 * What to do about a card's reminder. Whether it fired already is for its key to say. Reminders from before the start
 * mark fire nothing, unless the card came into the lead time afterwards: made, re-dated, restored or reopened since the
 * last scan, its due time still ahead. What a pause of scans kept from firing fires late, or is recorded as missed once
 * the due time is past and the reminder more than a day old.
 */
const timingOf = (item: PollItem, leadMs: number, { since, scanned, now }: PollTime): Timing | undefined => {
  const due = Date.parse(item.at)
  const fireAt = due - leadMs
  if (fireAt > now) return fireAt <= now + horizonMs ? 'ahead' : undefined
  // Older ones were dealt with by an earlier scan, if there was one.
  const from = Math.max(since, Math.min(now - 2 * usefulMs, (scanned ?? since) - overlapMs))
  // What is new since a scan from before this subscription may be older than it.
  const comparable = scanned !== undefined && scanned >= since - overlapMs
  const cameLater = (comparable && item.fresh === true) || createdAt(item.id) >= from
  if (fireAt < from && (due <= now || !cameLater)) return undefined
  // Given a due time that was past already.
  if (cameLater && due <= Math.max(createdAt(item.id), scanned ?? since)) return undefined
  if (now - fireAt <= punctualMs) return 'now'
  return due > now || now - fireAt <= usefulMs ? 'late' : 'missed'
}

const dataOf = (item: PollItem, leadMinutes: number) => ({
  at: new Date(Date.parse(item.at) - leadMinutes * minute).toISOString(),
  due: item.at,
  leadMinutes,
  board: { id: String(item.idBoard) },
  ...(typeof item.idList === 'string' ? { list: { id: item.idList } } : {}),
  card: {
    id: item.id,
    ...(typeof item.name === 'string' ? { name: item.name } : {}),
    ...(typeof item.shortLink === 'string' ? { shortLink: item.shortLink } : {}),
  },
})

const findOf = (item: PollItem, leadMinutes: number, time: PollTime): PollFound<ReturnType<typeof dataOf>>[] => {
  const timing = timingOf(item, leadMinutes * minute, time)
  if (timing === undefined) return []
  const data = dataOf(item, leadMinutes)
  const reminder = {
    key: `${item.id}:${item.at}:${leadMinutes}`,
    at: data.at,
    data,
    subject: { kind: 'card', id: item.id },
    container: { kind: 'board', id: String(item.idBoard) },
  }
  if (timing === 'ahead') return [{ ...reminder, fireAt: Date.parse(data.at) }]
  return [timing === 'now' ? reminder : { ...reminder, [timing]: true as const }]
}

const described = (description: string) => z.string().meta({ description })

export default defineTrigger({
  id: 'card-due-date-reminder',
  title: 'Card Due Date Reminder',
  purpose: 'Starts a chosen time before the due date of each card on a watched board that is not marked complete.',
  keywords: ['deadline', 'due soon', 'overdue', 'reminder'],
  icon: 'clock',
  oauthScopes: ['read'],
  config: () =>
    z.strictObject({
      boards: boardsConfig(),
      lists: listsConfig('Only cards in these lists, by id; none for every list.'),
      leadMinutes: z.int().min(0).max(43_200).default(60).meta({
        title: 'Lead time',
        description: 'Minutes before the due time, 0 to 43200 (30 days). 60 is an hour, 1440 a day.',
      }),
    }),
  data: () =>
    z.object({
      at: described('The time of the reminder: due time less lead time, in UTC.'),
      due: described('The due time, in UTC.'),
      leadMinutes: z.int().meta({ description: 'The configured lead time, in minutes.' }),
      board: boardPlace().meta({ description: 'The board the card is on.' }),
      list: listPlace().optional().meta({ description: 'The list the card is in.' }),
      card: cardPlace().meta({ description: 'The card.' }),
    }),
  fields: { boards: boardsField, lists: listsField, leadMinutes: { unit: 'minutes' } },
  recoverable: 'all',
  caveat:
    'Not instant: cards are polled. A card that enters the lead time late (created, re-dated or restored) fires at once, marked late. So does one delayed by an outage; a day after the due time it is recorded as missed instead. A due date that is set back to an earlier value does not fire again.',
  resolve: resolveWatched,
  poll: {
    resources: ({ boards }) => boards.map((id) => `${resourcePrefix}${id}`),
    fetch: fetchDue,
    pick(items, { boards, lists, leadMinutes }, time) {
      const watchedItems = items.filter(
        ({ idBoard, idList }) => boards.includes(String(idBoard)) && (!lists?.length || lists.includes(String(idList))),
      )
      return watchedItems.flatMap((item) => findOf(item, leadMinutes, time))
    },
  },
})
