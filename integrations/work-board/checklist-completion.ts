import { path, readRow, readRows } from '#kit'
import type { Row, WatchContext } from '#kit'
import type { BoardEvent, ChecklistProgress } from './event.ts'

/** The most actions that one request returns; the history is read no further back. */
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
 * Whether this tick left no open item in its checklist. Derived from each item's state at the time of the event, not
 * from the checklist's current state: when two items are ticked together, only the second completes the checklist, and
 * the answer is the same however late the event is read.
 */
export const completedBy = async (ctx: WatchContext, event: BoardEvent): Promise<ChecklistProgress | undefined> => {
  const [checklist, ticked] = [event.about['checklist']?.id, event.about['checkItem']?.id]
  if (event.card === undefined || typeof checklist !== 'string') return undefined
  // Without `fields`, which may omit the items.
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
  // A history that does not reach back to the event cannot tell the items' states at that time.
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
  // Items that were added later were not open at that time.
  const otherItems = items.filter((item) => item.id !== ticked && timeOfId(item.id) <= at)
  return { isComplete: otherItems.every(wasDone), items: items.length }
}
