import type { Json } from '#kit'
import { parseTriggerData } from '../../catalogue/parse.ts'
import type { PollState, Store, Timer } from '../../ports/index.ts'
import type { Leases } from '../../leases.ts'
import { foundEvent } from '../admit.ts'
import type { Observation } from '../admission.ts'
import type { Admit } from '../admit.ts'
import type { PolledItem } from '../match.ts'
import type { ActiveSubscription, MatchIndex } from '../match-index.ts'
import type { ProviderSessions } from '../provider-session.ts'
import { connectionRefOf } from '../subscriptions/registry.ts'
import { keepUndecodable } from './keep-undecodable.ts'
import type { Poll, PollSet } from './poll-set.ts'

type PollResourceDependencies = {
  store: Store
  now(): number
  index: MatchIndex
  admit: Admit
  sessions: ProviderSessions
}

const observationOf = (subscription: ActiveSubscription, find: PolledItem): Observation => ({
  event: foundEvent(subscription.trigger.id, find),
  finds: [{ subscription, find }],
})

const timersFor = ({ ref, resource }: Poll, { subscription }: ActiveSubscription, finds: PolledItem[]): Timer[] =>
  finds.map(({ fireAt, ...find }) => ({
    tenant: ref.tenant,
    subscription: subscription.id,
    key: find.key,
    connection: ref.connection,
    resource,
    dueAt: fireAt!,
    data: find as Json,
  }))

/**
 * Fetches a resource once and lets each subscription pick what is new to it; what is due later is stored as a timer.
 */
export const createPollResource = ({ store, now, index, admit, sessions }: PollResourceDependencies) => {
  const activeOf = ({ ref, subscriptions }: Poll): ActiveSubscription[] =>
    [...subscriptions].flatMap((id) => {
      const active = index.get(ref.tenant, id)
      return active && active.subscription.state !== 'paused' ? [active] : []
    })

  const pick = (
    { trigger, subscription, config }: ActiveSubscription,
    items: Parameters<NonNullable<typeof trigger.poll>['pick']>[0],
    scannedAt: number | null,
  ) => {
    const time = { since: subscription.startMark, scanned: scannedAt ?? undefined, now: now() }
    return trigger
      .poll!.pick(items, config, time)
      .map((find): PolledItem => ({ ...find, data: parseTriggerData(trigger, find.data) }))
  }

  /** A timer that is no longer found was called off. */
  const dropCalledOffTimers = async (
    { ref, resource }: Poll,
    { subscription }: ActiveSubscription,
    kept: Set<string>,
  ) => {
    const present = await store.timers.of(ref.tenant, subscription.id)
    const gone = present.filter((timer) => timer.resource === resource && !kept.has(timer.key)).map(({ key }) => key)
    if (gone.length > 0) await store.timers.drop(ref.tenant, subscription.id, gone)
  }

  /**
   * `succeeded` returns the row of the poll, which is stored together with what was found. Resolves to the number of
   * requests.
   */
  return async (
    poll: Poll,
    state: PollState | undefined,
    succeeded: (cursor: string | null, at: number) => PollState,
  ): Promise<number> => {
    const { ref, resource } = poll
    const subscriptions = activeOf(poll)
    const [first] = subscriptions
    if (!first) return 0
    const { value, calls } = await sessions.use(ref, 'read', (ctx) =>
      first.trigger.poll!.fetch(ctx, resource, state?.cursor ?? undefined),
    )
    const at = now()
    await keepUndecodable(store, at, ref, value.undecodable ?? [])
    const splitFinds = subscriptions.map((active) => {
      const [dueItems, laterItems] = split(pick(active, value.items, state?.scannedAt ?? null), at)
      return { active, dueItems, laterItems }
    })
    // Timers first: if the process dies in between, the next poll finds the same items again.
    await store.timers.put(splitFinds.flatMap(({ active, laterItems }) => timersFor(poll, active, laterItems)))
    const observations = splitFinds.flatMap(({ active, dueItems }) =>
      dueItems.map((find) => observationOf(active, find)),
    )
    await admit({ ...ref, observations, alongside: { poll: succeeded(value.cursor ?? null, at) } })
    for (const { active, laterItems } of splitFinds)
      await dropCalledOffTimers(poll, active, new Set(laterItems.map(({ key }) => key)))
    return calls
  }
}

/** Splits finds into those due by now and those due later. */
const split = (finds: PolledItem[], now: number): [PolledItem[], PolledItem[]] => {
  const isAhead = ({ fireAt }: PolledItem) => fireAt !== undefined && fireAt > now
  return [finds.filter((find) => !isAhead(find)), finds.filter(isAhead)]
}

const timersAtOnce = 100

/** Fires the timers that polls stored for later and that are due. Resolves to how many were due. */
export const createFireTimers = (
  { store, now, index, admit, leases }: Omit<PollResourceDependencies, 'sessions'> & { leases: Leases },
  polls: PollSet,
) => {
  const fire = async (timer: Timer): Promise<void> => {
    const { tenant, subscription, key } = timer
    const active = index.get(tenant, subscription)
    if (!active || active.subscription.state === 'paused') return store.timers.drop(tenant, subscription, [key])
    const ref = connectionRefOf(active.subscription)
    const poll = polls.find(ref, timer.resource)
    // After a restart a poll must come first: what the timer is for may have been called off or moved meanwhile.
    if (poll && !poll.isTried) return
    const find = { ...(timer.data as unknown as Omit<PolledItem, 'key'>), key }
    await admit({
      ...ref,
      observations: [observationOf(active, find)],
      alongside: { fired: [{ tenant, subscription, key }] },
    })
  }

  const due = () => store.timers.due(now(), timersAtOnce)
  const fireAll = async (timers: Timer[]) => {
    for (const timer of timers) await fire(timer)
  }

  return async (): Promise<number> => {
    const dueTimers = await due()
    if (store.cluster === undefined) await fireAll(dueTimers)
    else if (dueTimers.length > 0) await leases.tryHold('timers', async () => fireAll(await due()))
    return dueTimers.length
  }
}
