import { fail } from '#kit'
import type { Intents } from '../../idempotency.ts'
import type { Caller, Listed, Page, Subscription, SubscriptionFilter } from '../../ports/index.ts'
import type { ActiveSubscription, MatchIndex } from '../match-index.ts'
import type { Wording } from '../../sentences/worded.ts'
import type { TriggerParts } from '../parts.ts'
import type { Backfill, Backfilled } from '../sync/backfill.ts'
import { historyModels } from '../sync/hook-addresses.ts'
import type { Hooks } from '../sync/hooks.ts'
import type { Polling } from '../sync/polling.ts'
import type { Rotation } from '../starts/rotate-secret.ts'
import { viewSubscription } from '../views.ts'
import type { SubscriptionView } from '../views.ts'
import type { Attachment } from './attach.ts'
import { pausedByHand } from './changes.ts'
import type { Changes } from './changes.ts'
import { createOnceOf } from './create-once.ts'
import { actFor, isBoundToPerson, isForPerson, mayUseConnection } from '../../people/act-for.ts'
import type { NewSubscription, SubscriptionChanges } from './input.ts'
import type { Preparation } from './prepare.ts'
import { connectionRefOf, toActive } from './registry.ts'

type SubscriptionsDependencies = Pick<
  TriggerParts,
  'registry' | 'openConnections' | 'store' | 'log' | 'admitSubscription'
> & {
  intents: Intents
  index: MatchIndex
  sync: { hooks: Pick<Hooks, 'isShared'>; backfill: Backfill; polling: Polling }
  attachment: Attachment
  changes: Changes
  preparation: Preparation
  wording: Wording
}

export type Subscriptions = ReturnType<typeof createSubscriptions>

/** A token that is bound to a person sees what was attached for that person. */
const isVisible = (caller: Caller, row: Subscription) =>
  isForPerson(caller, row) && mayUseConnection(caller, row.connection)

const noSuch = (id: string) => fail('not_found', `There is no subscription "${id}".`)

/** The operations on subscriptions, limited to what the caller may see. */
export const createSubscriptions = ({
  registry,
  openConnections,
  store,
  log,
  admitSubscription,
  intents,
  index,
  sync,
  attachment,
  changes,
  preparation,
  wording,
}: SubscriptionsDependencies) => {
  /** How rows of one tenant are shown. */
  const views = async (rows: readonly Subscription[]): Promise<SubscriptionView[]> => {
    const summaries = rows[0] ? await wording.subscriptions(rows[0].tenant, rows) : []
    const integrationOf = ({ integration }: Subscription) => registry.integration(integration).integration
    return rows.map((row, at) => viewSubscription(row, integrationOf(row), summaries[at]!))
  }
  const view = async (row: Subscription): Promise<SubscriptionView> => (await views([row]))[0]!

  const mustGet = async (caller: Caller, id: string): Promise<Subscription> => {
    const row = await store.subscriptions.get(caller.tenant, id)
    if (!row || !isVisible(caller, row)) throw noSuch(id)
    return row
  }

  /** The subscription as indexed, otherwise derived from its row; throws when the row no longer fits its trigger. */
  const activeOf = (row: Subscription): ActiveSubscription => index.get(row.tenant, row.id) ?? toActive(registry, row)

  const create = async (caller: Caller, newSubscription: NewSubscription): Promise<SubscriptionView> => {
    // Checked only here: a repeat with the same key creates no subscription.
    await admitSubscription?.(caller.tenant)
    const { row, startFrom, shown } = await preparation.prepare(caller, newSubscription)
    const { subscription } = await attachment.attach(row, startFrom)
    log('info', 'subscription.created', { subscription: row.id, trigger: row.trigger, delivery: row.delivery })
    const made = await view(subscription)
    return shown === undefined ? made : { ...made, agent: { ...made.agent, secret: shown } }
  }
  const createOnce = createOnceOf({ registry, openConnections, store, intents }, create, async (caller, id) =>
    view(await mustGet(caller, id)),
  )

  return {
    views,
    mustGet,
    activeOf,
    async list(caller: Caller, page: Page, filter?: SubscriptionFilter): Promise<Listed<SubscriptionView>> {
      const own = isBoundToPerson(caller) ? { person: caller.person! } : {}
      if (filter?.person !== undefined && filter.person !== (own.person ?? filter.person)) return { items: [] }
      const { items, next } = await store.subscriptions.list(caller.tenant, page, { ...filter, ...own })
      const mine = items.filter((row) => isVisible(caller, row))
      return { items: await views(mine), ...(next === undefined ? {} : { next }) }
    },
    get: async (caller: Caller, id: string): Promise<SubscriptionView> => view(await mustGet(caller, id)),
    /**
     * Resolves once the provider delivers the subscription's events; otherwise throws the reason and leaves nothing
     * behind.
     */
    async create(requestedBy: Caller, newSubscription: NewSubscription): Promise<SubscriptionView> {
      const caller = actFor(requestedBy, newSubscription.person)
      return newSubscription.idempotencyKey === undefined
        ? create(caller, newSubscription)
        : createOnce(caller, newSubscription, newSubscription.idempotencyKey)
    },
    patch: async (caller: Caller, id: string, requestedChanges: SubscriptionChanges): Promise<SubscriptionView> =>
      view(await changes.patch(caller, await mustGet(caller, id), requestedChanges)),
    pause: async (caller: Caller, id: string): Promise<SubscriptionView> =>
      view(await changes.pause(await mustGet(caller, id), pausedByHand)),
    resume: async (caller: Caller, id: string): Promise<SubscriptionView> =>
      view(await changes.resume(await mustGet(caller, id))),
    /** Replaces the secret of its agent; the answer has it in `agent.secret` when it was generated here. */
    async rotateSecret(caller: Caller, id: string, rotation: Rotation): Promise<SubscriptionView> {
      const { row, shown } = await changes.rotate(await mustGet(caller, id), rotation)
      const made = await view(row)
      return shown === undefined ? made : { ...made, agent: { ...made.agent, secret: shown } }
    },
    /** Ends a subscription at once; its hooks are removed at the provider afterwards. Safe to repeat. */
    async remove(caller: Caller, id: string): Promise<void> {
      const row = await store.subscriptions.get(caller.tenant, id)
      // A row that can be patched but not read was removed before.
      if (!row && !(await store.subscriptions.patch(caller.tenant, id, {}))) throw noSuch(id)
      if (!row) return
      if (!isVisible(caller, row)) throw noSuch(id)
      await attachment.detach(row)
      log('info', 'subscription.removed', { subscription: id })
    },
    /** Lists what happened at the provider since its history was last listed, and admits it. */
    async recover(caller: Caller, id: string): Promise<Omit<Backfilled, 'calls'>> {
      const row = await mustGet(caller, id)
      const sum = { events: 0, starts: 0, gaps: 0 }
      for (const model of historyModels(sync.hooks.isShared(row), activeOf(row).models)) {
        const { events, starts, gaps } = await sync.backfill.recover(connectionRefOf(row), model)
        sum.events += events
        sum.starts += starts
        sum.gaps += gaps
      }
      sync.polling.hurry(row.tenant, row.connection)
      return sum
    },
  }
}
