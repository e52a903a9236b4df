import { defineTrigger, path, z } from '#kit'
import type { PollFound, PollItem, PollTime, WatchContext } from '#kit'
import { boardPlace, cardPlace, listPlace } from '../event-schemas.ts'
import { readCards } from '../listing.ts'
import { boardsField, listsField } from '../watch-fields.ts'
import { boardsConfig, listsConfig, resolveWatched } from '../event-filters.ts'

const minute = 60_000
const hour = 60 * minute
const resourcePrefix = 'due:'
/** Far above the 5000 open cards that a board can have. */
const maxCards = 50_000
/** Reminders due within this time after a poll fire from a timer; a later poll finds the others. */
const horizonMs = 2 * hour
/** Polls run about once a minute; a reminder that fires later than this is marked late. */
const punctualMs = 5 * minute
/** Once the due time itself has passed, a reminder this late is useless. */
const usefulMs = 24 * hour
const overlapMs = 10 * minute

/** A card and its due time, in a form short enough to store for thousands of cards. */
const pairOf = ({ id, at }: PollItem) => `${id}${Math.floor(Date.parse(at) / 1000).toString(36)}`

const fetchDue = async (ctx: WatchContext, resource: string, cursor: string | undefined) => {
  const board = resource.slice(resourcePrefix.length)
  // The filter `visible` leaves out cards in archived lists: they are not archived themselves, but nobody sees them.
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

/** The first 8 characters of an id are its creation time in Unix seconds, in hexadecimal. */
const createdAt = (id: string) => Number.parseInt(id.slice(0, 8), 16) * 1000 || 0

type Timing = 'ahead' | 'now' | 'late' | 'missed'

/**
 * When a card's reminder fires; whether it already fired is determined by its key. Reminders that were due before
 * `since` do not fire, unless the card entered the lead time afterwards: created, re-dated, restored or reopened since
 * the last poll, with its due time still ahead. A reminder that a pause of polling prevented fires late, or is recorded
 * as missed once the due time has passed and the reminder is more than a day old.
 */
const timingOf = (item: PollItem, leadMs: number, { since, scanned, now }: PollTime): Timing | undefined => {
  const due = Date.parse(item.at)
  const fireAt = due - leadMs
  if (fireAt > now) return fireAt <= now + horizonMs ? 'ahead' : undefined
  // An earlier poll, if there was one, handled older reminders.
  const from = Math.max(since, Math.min(now - 2 * usefulMs, (scanned ?? since) - overlapMs))
  // What is new since a poll from before this subscription may be older than the subscription.
  const comparable = scanned !== undefined && scanned >= since - overlapMs
  const cameLater = (comparable && item.fresh === true) || createdAt(item.id) >= from
  if (fireAt < from && (due <= now || !cameLater)) return undefined
  // The due time had already passed when it was set.
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
  purpose: 'Starts when a card on a watched board is due within the chosen time and not marked complete.',
  keywords: ['deadline', 'due soon', 'overdue', 'reminder'],
  icon: 'clock',
  oauthScopes: ['read'],
  within: { kind: 'board', field: 'boards', orDefault: true },
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
