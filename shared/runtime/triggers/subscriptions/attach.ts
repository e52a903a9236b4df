import { deprecatedSubscription } from '../../notices.ts'
import type { Subscription } from '../../ports/index.ts'
import type { createPending } from '../inbound/pending.ts'
import type { Intake } from '../inbound/intake.ts'
import type { ActiveSubscription, WholeSubscription } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { Backfill } from '../sync/backfill.ts'
import type { ConnectionRef } from '../provider-session.ts'
import { historyModels } from '../sync/hook-addresses.ts'
import type { Hooks } from '../sync/hooks.ts'
import type { Polling } from '../sync/polling.ts'
import type { StartFrom } from './input.ts'
import { connectionRefOf, toActive } from './registry.ts'
import type { SubscriptionRegistry } from './registry.ts'

type AttachmentDependencies = Pick<TriggerParts, 'registry' | 'store'> & {
  now(): number
  subscriptions: SubscriptionRegistry
  inbound: { intake: Pick<Intake, 'settled'>; pending: Pick<ReturnType<typeof createPending>, 'rematch'> }
  sync: { hooks: Hooks; backfill: Backfill; polling: Polling }
  /** Hooks are no longer needed and must be removed at the provider. */
  onHooksEnded(): void
  /** Called when more hooks are needed than were created at once. */
  onHooksLeft(ref: ConnectionRef): void
}

/** How far the clocks of processes that share a store may differ. */
const skewMs = 60_000
/** Events read per page while catching up. */
const pageSize = 200

export type Attachment = ReturnType<typeof createAttachment>

/** Attaches subscriptions to what they watch, and detaches them. */
export const createAttachment = ({
  registry,
  store,
  now,
  subscriptions,
  inbound,
  sync,
  onHooksEnded,
  onHooksLeft,
}: AttachmentDependencies) => {
  const { hooks, backfill, polling } = sync

  /** Watches the models at the provider. Returns the time in ms from which events count. */
  const begin = async (row: Subscription, models: string[]): Promise<number> => {
    const ref = connectionRefOf(row)
    const { types } = toActive(registry, row)
    if (row.delivery === 'webhook' && (await hooks.ensure(ref, models, row.id, types)) > 0) onHooksLeft(ref)
    const startMarks: number[] = []
    // Read once the hooks exist: every later event is delivered.
    for (const model of historyModels(hooks.isShared(ref), models)) startMarks.push(await backfill.begin(ref, model))
    return startMarks.length > 0 ? Math.max(...startMarks) : now()
  }

  /**
   * Matches the events that arrived after the first hook was registered and before the subscription was in the index.
   * Events that another process stores from now on are matched there: it must know the row first, see `Arrived`.
   */
  const catchUp = async (active: ActiveSubscription): Promise<void> => {
    const { tenant, connection } = active.subscription
    const createdAt = active.subscription.createdAt - (store.cluster ? skewMs : 0)
    await inbound.intake.settled()
    await store.flush()
    let cursor: string | undefined
    do {
      const page: Awaited<ReturnType<typeof store.events.list>> = await store.events.list(
        tenant,
        { limit: pageSize, cursor },
        { connection },
      )
      for (const row of page.items) if (row.receivedAt >= createdAt) await inbound.pending.rematch(row, [active], false)
      cursor = page.items.some(({ receivedAt }) => receivedAt < createdAt) ? undefined : page.next
    } while (cursor !== undefined)
  }

  /** Also starts the agent for events from before the subscription was created, as far back as `from` says. */
  const startEarlier = async (active: WholeSubscription, from: StartFrom): Promise<WholeSubscription> => {
    const { subscription } = active
    const ref = connectionRefOf(subscription)
    let since = 'since' in from ? from.since : undefined
    if ('newest' in from) {
      const oldest = (await backfill.examples(ref, active, from.newest)).at(-1)
      since = oldest && Date.parse(oldest.at)
    }
    if (since === undefined || since >= subscription.startMark) return active
    const earlier = await subscriptions.change(subscription, { startMark: since })
    if (earlier.models.length > 0) await backfill.replay(ref, earlier, since)
    return earlier
  }

  /** Removes everything that belongs to a subscription; safe to repeat. */
  const detach = async ({ tenant, id }: Pick<Subscription, 'tenant' | 'id'>): Promise<void> => {
    const at = now()
    subscriptions.drop(tenant, id)
    polling.drop(tenant, id)
    await store.subscriptions.patch(tenant, id, { deletedAt: at, updatedAt: at })
    subscriptions.drop(tenant, id)
    polling.drop(tenant, id)
    const ended = await hooks.release(tenant, id)
    await store.timers.drop(tenant, id)
    await store.starts.cancel(tenant, id, at)
    if (ended.length > 0) onHooksEnded()
  }

  /** Attaches a new subscription; when that fails, removes everything it had set up. */
  const attach = async (row: Subscription, from: StartFrom | undefined): Promise<WholeSubscription> => {
    await store.subscriptions.add(row, deprecatedSubscription(toActive(registry, row).trigger, row))
    try {
      const { models } = toActive(registry, row)
      const startMark = await begin(row, models)
      let active = await subscriptions.change(row, { startMark, state: 'active', stateAt: now() })
      if (models.length > 0) await catchUp(active)
      if (from) active = await startEarlier(active, from)
      polling.put(active)
      return active
    } catch (thrown) {
      await detach(row)
      throw thrown
    }
  }

  return { begin, attach, detach }
}
