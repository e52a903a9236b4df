/** What must hold after a history of signals, whatever went wrong in it. */
import { tenant } from '../world.ts'
import { everything } from './check.ts'
import type { SignalCommand } from './signal-commands.ts'
import { address, connection, modelOf, openSignalWorld } from './signal-world.ts'
import type { SignalWorld } from './signal-world.ts'
import type { Bug } from './world.ts'

/** `charged`: signals that the provider has charged; `started`: those of them that started an agent. */
export type SignalReport = { problems: string[]; charged: number; started: number; gaps: number }

const nameOf = (subscription: string, event: string) => `${subscription} ${event}`

const checkStarts = (
  { vendor, watches, calls, suppressed, hidden }: SignalWorld,
  dead: Set<string>,
  problems: string[],
) => {
  const keysOf = Map.groupBy(calls, ({ subscription, event }) => nameOf(subscription, event))
  const possible = new Set<string>()
  for (const signal of vendor.signals)
    for (const { subscription, wants } of watches) {
      if (!wants(signal) || hidden.has(signal.id)) continue
      const name = nameOf(subscription, signal.id)
      possible.add(name)
      const keys = new Set(keysOf.get(name)?.map(({ key }) => key)).size
      if (keys > 1) problems.push(`${signal.id} started ${keys} times for one subscription`)
      if (keys === 0 && signal.isAcknowledged && !dead.has(name) && !suppressed.has(signal.entityId))
        problems.push(`${signal.id} was acknowledged and started nothing`)
    }
  for (const name of keysOf.keys())
    if (!possible.has(name)) problems.push(`a start that nothing should have started: ${name}`)
}

const checkCharges = async ({ runtime: { store }, vendor }: SignalWorld, problems: string[]) => {
  const rows = await everything((page) => store.credits.list(tenant, page, { kind: 'settled' }))
  const byEvent = Map.groupBy(rows, ({ entry }) => entry.slice(connection.length + 1))
  for (const [event, settled] of byEvent) {
    const credits = settled.reduce((sum, row) => sum + row.credits, 0)
    if (credits !== 1) problems.push(`${event} is in the ledger with ${credits} credits`)
    if (!vendor.signals.some(({ id, isCharged }) => isCharged && id === event))
      problems.push(`${event} was never charged`)
  }
  for (const { id, isAcknowledged } of vendor.signals)
    if (isAcknowledged && !byEvent.has(id)) problems.push(`${id} was acknowledged and is not in the ledger`)
  return new Set(byEvent.keys())
}

const check = async (world: SignalWorld): Promise<SignalReport> => {
  const { runtime, vendor, entities, calls, suppressed, hidden } = world
  const { store } = runtime
  const problems = [...world.problems]
  const starts = await everything((page) => store.starts.list(tenant, page))
  const gaps = await everything((page) => store.gaps.list(tenant, page))
  checkStarts(
    world,
    new Set(
      starts.filter(({ state }) => state === 'dead').map(({ subscription, event }) => nameOf(subscription, event)),
    ),
    problems,
  )
  const charged = await checkCharges(world, problems)
  for (const signal of vendor.signals) {
    const isKnown = gaps.some(
      ({ model, fromAt, toAt }) => model === modelOf(signal) && fromAt <= signal.at && signal.at <= toAt,
    )
    if (!charged.has(signal.id) && !isKnown && !suppressed.has(signal.entityId))
      problems.push(`${signal.id} about ${modelOf(signal)} did not come and is in no gap`)
  }
  for (const { state } of starts)
    if (state !== 'done' && state !== 'dead') problems.push(`a start is stuck as ${state}`)
  for (const { id } of await everything((page) => store.events.list(tenant, page)))
    if (hidden.has(id)) problems.push(`${id} is stored, and is about somebody who is suppressed`)
  const there = [...vendor.subscriptions.values()].map(
    (row) => `${modelOf(row)} ${row.isActive} ${row.url.startsWith(address)}`,
  )
  const right = entities
    .filter(({ entityId }) => !suppressed.has(entityId))
    .map((entity) => `${modelOf(entity)} true true`)
  if (there.toSorted().join() !== right.toSorted().join())
    problems.push(`subscriptions at the provider: ${there.join()}`)
  return {
    problems,
    charged: vendor.signals.filter(({ isCharged }) => isCharged).length,
    started: new Set(calls.map(({ event }) => event)).size,
    gaps: gaps.length,
  }
}

/** Plays a history, lets everything calm down, and says what does not hold. */
export const playSignals = async (commands: SignalCommand[], bug?: Bug): Promise<SignalReport> => {
  const world = await openSignalWorld(bug)
  try {
    for (const command of commands) await world.run(command)
    await world.calm()
    return await check(world)
  } finally {
    await world.close()
  }
}
