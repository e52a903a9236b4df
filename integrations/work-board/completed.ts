import { path, readRow, readRows } from '#kit'
import type { Row, WatchContext } from '#kit'
import type { BoardEvent, Completed } from './event.ts'

/** As far back as one request reads. */
const most = 1000

const rowIn = (value: unknown, name: string): Row =>
  ((value as Record<string, unknown> | null | undefined)?.[name] ?? {}) as Row
const timeOfId = (id: string) => Number.parseInt(id.slice(0, 8), 16) * 1000

type Tick = { id: string; at: number; item: string; isDone: boolean }

const tickOf = (row: Row): Tick => {
  const item = rowIn(row.data, 'checkItem')
  return { id: row.id, at: Date.parse(String(row.date)), item: item.id, isDone: item.state === 'complete' }
}

/**
 * Whether this tick left nothing open in its checklist. Told from what each item was when it happened, not from how the
 * checklist is now: of two items ticked off at once only the second completes it, and the answer stays the same however
 * late the event is read.
 */
export const completedBy = async (ctx: WatchContext, event: BoardEvent): Promise<Completed | undefined> => {
  const [checklist, ticked] = [event.about['checklist']?.id, event.about['checkItem']?.id]
  if (event.card === undefined || typeof checklist !== 'string') return undefined
  // Without `fields`, which may leave the items out.
  const query = { checkItems: 'all', checkItem_fields: 'name,state' }
  const row = readRow(await ctx.send({ method: 'GET', path: path`/1/checklists/${checklist}`, query }), 'a checklist')
  const items = Array.isArray(row.checkItems) ? (row.checkItems as Row[]) : []
  const actions = await ctx.send({
    method: 'GET',
    path: path`/1/cards/${event.card.id}/actions`,
    query: { filter: 'updateCheckItemStateOnCard', limit: most },
  })
  const ticks = readRows(actions, 'actions')
    .map(tickOf)
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
  // A history that does not reach back to the event cannot say what the items were then.
  if (!ticks.some(({ id }) => id === event.id)) return undefined
  const at = Date.parse(event.at)
  const isLater = (tick: Tick) => tick.at > at || (tick.at === at && tick.id > event.id)
  const wasDone = (item: Row): boolean => {
    const mine = ticks.filter((tick) => tick.item === item.id)
    const before = mine.findLast((tick) => !isLater(tick))
    if (before) return before.isDone
    const next = mine.find(isLater)
    return next ? !next.isDone : item.state === 'complete'
  }
  // An item that came later was not open then.
  const otherItems = items.filter((item) => item.id !== ticked && timeOfId(item.id) <= at)
  return { isComplete: otherItems.every(wasDone), items: items.length }
}
