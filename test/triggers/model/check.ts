import { tenant } from '../world.ts'
import type { Gap, Start, StoredEvent } from '../../../shared/runtime/ports/index.ts'
import type { Command } from './commands.ts'
import type { Row } from './board.ts'
import type { Scene } from './scenes.ts'
import { openWorld } from './world.ts'
import type { Bug, Watch, World } from './world.ts'

/**
 * `offered` and `started`: what should have started an agent and did, and the provider's history tells; `fleeting`:
 * what only webhooks tell, or the history forgot.
 */
export type Report = {
  problems: string[]
  offered: number
  started: number
  fleeting: { offered: number; started: number }
  gaps: number
}
type Seen = { gaps: Gap[]; starts: Start[]; events: StoredEvent[] }

const caller = { tenant }
const unlisted = new Set(['addLabelToCard', 'removeLabelFromCard'])
/**
 * A gap begins at most so long before what made it: the webhooks are looked after every 4 to 6 minutes, and a delivery
 * is repeated for 4.
 */
const leadMs = 12 * 60_000

export const everything = async <T>(
  list: (page: { limit: number; cursor?: string }) => Promise<{ items: T[]; next?: string }>,
): Promise<T[]> => {
  const all: T[] = []
  let cursor: string | undefined
  do {
    const page = await list({ limit: 500, ...(cursor ? { cursor } : {}) })
    all.push(...page.items)
    cursor = page.next
  } while (cursor !== undefined)
  return all
}

const see = async ({ runtime: { store } }: World): Promise<Seen> => ({
  gaps: await everything((page) => store.gaps.list(tenant, page)),
  starts: await everything((page) => store.starts.list(tenant, page)),
  events: await everything((page) => store.events.list(tenant, page)),
})

const timeOf = (action: Row) => Date.parse(action.date as string)
const nameOf = (subscription: string, event: string) => `${subscription} ${event}`

const checkActions = (world: World, { gaps, starts }: Seen, report: Report) => {
  const { board, watches, calls, dropped, hidden, outOfSight, state } = world
  const keysOf = new Map<string, Set<string>>()
  for (const { key, subscription, event } of calls)
    keysOf.set(nameOf(subscription, event), (keysOf.get(nameOf(subscription, event)) ?? new Set()).add(key))
  const dead = new Set(
    starts.filter((start) => start.state === 'dead').map((start) => nameOf(start.subscription, start.event)),
  )

  const isInGap = (action: Row) =>
    // A clock that jumped tells other times than the provider's.
    gaps.some(
      ({ model, kind, fromAt, toAt }) =>
        model === `board:${action.data.board.id}` &&
        (kind === '*' || kind === action.type) &&
        fromAt - state.jumped <= timeOf(action) &&
        timeOf(action) <= toAt + state.jumped,
    )
  const isHidden = (action: Row) => hidden.some(({ from, to }) => from <= timeOf(action) && timeOf(action) <= to)
  const mayBeMissing = (action: Row) =>
    unlisted.has(action.type)
      ? dropped.has(action.id) || isInGap(action) || isHidden(action)
      : action.trimmed && isInGap(action)
  const isFor = ({ boards, wants, startMark }: Watch, action: Row) =>
    boards.includes(action.data.board.id) && wants(action) && timeOf(action) >= startMark

  const expectedNames = new Set<string>()
  for (const { action } of board.offered) {
    for (const watch of watches.filter((candidate) => isFor(candidate, action))) {
      const name = nameOf(watch.subscription, action.id)
      const keys = keysOf.get(name)?.size ?? 0
      expectedNames.add(name)
      if (keys > 1) report.problems.push(`I1: ${action.type} ${action.id} started ${keys} times for one subscription`)
      // Ours alone may be known as such, or not.
      if (action.appCreator !== null) continue
      const count = unlisted.has(action.type) || action.trimmed ? report.fleeting : report
      count.offered += 1
      count.started += Math.min(1, keys)
      const isUnread =
        watch.reads === true && (outOfSight.has(action.data.board.id as string) || action.trimmed === true)
      if (keys === 0 && !dead.has(name) && !mayBeMissing(action) && !isUnread)
        report.problems.push(`I1/I11: ${action.type} ${action.id} at ${action.date} started nothing and is in no gap`)
    }
  }
  for (const name of keysOf.keys())
    if (!expectedNames.has(name)) report.problems.push(`I3: a start that nothing should have started: ${name}`)
}

const checkCalls = ({ calls, state }: World, problems: string[]) => {
  const callsOf = new Map<string, number>()
  const repeatable = new Map<string, number>()
  for (const { key, answered } of calls) {
    callsOf.set(key, (callsOf.get(key) ?? 0) + 1)
    if (answered === 500 || answered === 429) repeatable.set(key, (repeatable.get(key) ?? 0) + 1)
  }
  for (const [key, count] of callsOf) {
    const most = 1 + (repeatable.get(key) ?? 0) + state.kills + state.leasesLost
    if (count > most) problems.push(`I4: ${count} calls for one start, at most ${most} were due`)
  }
}

const checkCursors = async ({ runtime: { store }, board, watches }: World, { events }: Seen, problems: string[]) => {
  const knownIds = new Set(events.map(({ id }) => id))
  for (const cursor of await store.cursors.list(tenant, 'con_1')) {
    for (const action of board.actions) {
      const isListed = `board:${action.data.board.id}` === cursor.model && !unlisted.has(action.type) && !action.trimmed
      const isBehind = isListed && timeOf(action) <= cursor.at && timeOf(action) >= watches[0]!.startMark
      if (isBehind && !knownIds.has(action.id))
        problems.push(`I5: the cursor is past ${action.type} ${action.id}, which is not in the inbox`)
    }
  }
}

const checkHooks = async ({ runtime: { store }, board, boards, watches }: World, problems: string[]) => {
  const expectedCount = watches.some(({ delivery }) => delivery !== 'poll') ? boards.length : 0
  const live = [...board.hooks.values()]
    .filter(({ active }) => active)
    .map(({ callbackURL, idModel }) => `${idModel} ${callbackURL}`)
    .sort()
  const kept = (await store.hooks.all()).map((hook) => `${hook.model.slice(6)} ${hook.callbackUrl}`).sort()
  if (JSON.stringify(live) !== JSON.stringify(kept) || live.length !== expectedCount)
    problems.push(`I6: hooks at the provider ${live.join()}, wanted ${kept.join()}`)
}

const checkRows = async ({ runtime: { store }, watches }: World, { starts, events }: Seen, problems: string[]) => {
  const knownIds = new Set(events.map(({ id }) => id))
  for (const { state, event, subscription, tenant: whose, connection } of starts) {
    if (state !== 'done' && state !== 'dead') problems.push(`I7: a start is stuck as ${state}`)
    if (!knownIds.has(event)) problems.push('I8: a start of an event that is not in the inbox')
    if (whose !== tenant || connection !== 'con_1' || !watches.some((watch) => watch.subscription === subscription))
      problems.push('I9: a start of somebody else')
  }
  for (const { state } of events) if (state !== 'matched') problems.push(`I8: an event is stuck as ${state}`)
  const load = await store.load()
  if (load.openStarts !== 0 || load.pendingEvents !== 0)
    problems.push(`I8: ${load.openStarts} starts and ${load.pendingEvents} events are open at the end`)
  if (events.some(({ raw }) => raw && Buffer.from(raw).includes('mail.example')))
    problems.push('a private record was kept')
}

const checkGaps = ({ state }: World, { gaps }: Seen, problems: string[]) => {
  for (const { fromAt, toAt, kind, reason } of gaps) {
    // A history that is cut off is known up to its last fact, which may be old.
    const isTooEarly = kind !== '*' && fromAt < state.firstTrouble - leadMs - state.jumped
    if (isTooEarly || state.firstTrouble === Infinity || toAt < fromAt)
      problems.push(
        `I11: a gap of ${kind} from ${new Date(fromAt).toISOString()} to ${new Date(toAt).toISOString()} that nothing explains (${reason})`,
      )
  }
}

const check = async (world: World): Promise<Report> => {
  const report: Report = {
    problems: [...world.problems],
    offered: 0,
    started: 0,
    fleeting: { offered: 0, started: 0 },
    gaps: 0,
  }
  const seen = await see(world)
  report.gaps = seen.gaps.length
  checkActions(world, seen, report)
  checkCalls(world, report.problems)
  checkGaps(world, seen, report.problems)
  await checkCursors(world, seen, report.problems)
  await checkHooks(world, report.problems)
  await checkRows(world, seen, report.problems)
  for (const { subscription } of world.watches) {
    const again = await world.runtime.triggers.subscriptions.recover(caller, subscription)
    if (again.events + again.starts > 0)
      report.problems.push(`I12: listing again found ${again.events} events and ${again.starts} starts`)
  }
  return report
}

/** Plays a history, lets everything calm down, and says what does not hold. */
export const play = async (commands: Command[], bug?: Bug, scene?: Scene): Promise<Report> => {
  const world = await openWorld(bug, scene)
  try {
    for (const command of commands) await world.run(command)
    await world.calm()
    return await check(world)
  } finally {
    await world.close()
  }
}
