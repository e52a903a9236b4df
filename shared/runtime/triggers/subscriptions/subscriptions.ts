import { randomUUIDv7 } from 'node:crypto'
import { fail, failField, isFailure } from '#kit'
import type { Json, Model, Trigger, WatchContext } from '#kit'
import { requireUsable } from '../../connections/resolve.ts'
import type { OpenAccount } from '../../connections/resolve.ts'
import type { Intents } from '../../idempotency.ts'
import type { Caller, Listed, Page, Subscription, SubscriptionFilter } from '../../ports/index.ts'
import type { Loaded } from '../../catalogue/registry.ts'
import { findTrigger } from '../../catalogue/find-trigger.ts'
import { createOnceOf } from './create-once.ts'
import { checkOptions, createDelivery } from './delivery.ts'
import type { HookCache } from '../sync/hook-cache.ts'
import type { Hooks } from '../sync/hooks.ts'
import type { Intake } from '../inbound/intake.ts'
import type { MatchIndex, ActiveSubscription } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { createPending } from '../inbound/pending.ts'
import type { ProviderSessions } from '../provider-session.ts'
import type { Backfilled, Backfill } from '../sync/backfill.ts'
import { connectionRefOf, toActive } from './registry.ts'
import type { SubscriptionRegistry } from './registry.ts'
import type { Polling } from '../sync/polling.ts'
import { isVisible, parseConfig, parseOptions, readSecret, readStartFrom } from './input.ts'
import type { NewSubscription, StartFrom, SubscriptionChanges } from './input.ts'
import type { Maintenance } from '../sync/maintenance.ts'
import { viewSubscription } from '../views.ts'
import type { SubscriptionView } from '../views.ts'

type Parts = Pick<TriggerParts, 'registry' | 'accounts' | 'apps' | 'wire' | 'store' | 'vault' | 'log' | 'publicUrl' | 'onStart' | 'admitSubscription'> & {
  now(): number
  intents: Intents
  index: MatchIndex
  roster: SubscriptionRegistry
  book: HookCache
  hooks: Hooks
  recovery: Backfill
  pending: ReturnType<typeof createPending>
  scans: Polling
  intake: Intake
  upkeep: Maintenance
  reach: ProviderSessions
  /** The provider is to be told soon of hooks that ended. */
  onEnded(): void
  onResumed(): void
}

export type Subscriptions = ReturnType<typeof createSubscriptions>

const pageOfEvents = 200
const noSuch = (id: string) => fail('not_found', `There is no subscription "${id}".`)

export const createSubscriptions = (parts: Parts) => {
  const { registry, accounts, apps, wire, store, vault, log, publicUrl, onStart, now, index, roster, hooks, recovery, pending, scans, intake, upkeep, reach } =
    parts
  const delivery = createDelivery({ apps, publicUrl })
  const triggerOf = (row: Subscription): Trigger | undefined => registry.integration(row.integration).integration.triggers?.find(({ id }) => id === row.trigger)
  const view = (row: Subscription) => viewSubscription(row, triggerOf(row))

  const mustGet = async (caller: Caller, id: string): Promise<Subscription> => {
    const row = await store.subscriptions.get(caller.tenant, id)
    if (!row || !isVisible(caller, row.connection)) throw noSuch(id)
    return row
  }
  /** As the index has it; a row that fits no trigger any more has none. */
  const watcherOf = (row: Subscription): ActiveSubscription => index.get(row.tenant, row.id) ?? toActive(registry, row)

  // ---- attaching and undoing

  const checkAgent = (url: string | null) => {
    if (url !== null) return wire.checkTarget(url)
    if (!onStart) throw failField('/agent/url', 'Give the address that starts the agent. (Only library use with an onStart callback needs none.)')
  }

  /** Events that came in between the first hook and the entry in the index, when nobody matched them with this one. */
  const catchUp = async (watcher: ActiveSubscription): Promise<void> => {
    const { tenant, connection, createdAt } = watcher.subscription
    await intake.settled()
    await store.flush()
    let cursor: string | undefined
    do {
      const page: Awaited<ReturnType<typeof store.events.list>> = await store.events.list(tenant, { limit: pageOfEvents, cursor }, { connection })
      for (const row of page.items) if (row.receivedAt >= createdAt) await pending.rematch(row, [watcher], false)
      cursor = page.items.some(({ receivedAt }) => receivedAt < createdAt) ? undefined : page.next
    } while (cursor !== undefined)
  }

  const begin = async (row: Subscription, models: string[]): Promise<number> => {
    const at = connectionRefOf(row)
    const marks: number[] = []
    for (const model of models) {
      if (row.delivery === 'webhook') await hooks.ensure(at, model, row.id)
      // Read after the hook is there: what happens from now on is told.
      marks.push(await recovery.begin(at, model))
    }
    return marks.length > 0 ? Math.max(...marks) : now()
  }

  const startEarlier = async (watcher: ActiveSubscription, start: StartFrom): Promise<ActiveSubscription> => {
    const { subscription } = watcher
    const at = connectionRefOf(subscription)
    let since = 'since' in start ? start.since : undefined
    if ('newest' in start) {
      const oldest = (await recovery.examples(at, watcher, start.newest)).at(-1)
      since = oldest && Date.parse(oldest.at)
    }
    if (since === undefined || since >= subscription.startMark) return watcher
    const earlier = await roster.change(subscription, { startMark: since })
    if (earlier.models.length > 0) await recovery.replay(at, earlier, since)
    return earlier
  }

  /** Takes away everything a subscription has; safe to repeat. */
  const undo = async ({ tenant, id }: Pick<Subscription, 'tenant' | 'id'>): Promise<void> => {
    const at = now()
    index.drop(tenant, id)
    scans.drop(tenant, id)
    await store.subscriptions.patch(tenant, id, { deletedAt: at, updatedAt: at })
    const ended = await hooks.release(tenant, id)
    await store.timers.drop(tenant, id)
    await store.starts.cancel(tenant, id, at)
    if (ended.length > 0) parts.onEnded()
  }

  const attach = async (row: Subscription, start: StartFrom | undefined): Promise<ActiveSubscription> => {
    await store.subscriptions.add(row)
    try {
      const { models } = toActive(registry, row)
      const startMark = await begin(row, models)
      let watcher = await roster.change(row, { startMark, state: 'active', stateAt: now() })
      if (models.length > 0) await catchUp(watcher)
      if (start) watcher = await startEarlier(watcher, start)
      scans.put(watcher)
      return watcher
    } catch (thrown) {
      await undo(row)
      throw thrown
    }
  }

  const resolve = async (
    loaded: Loaded,
    trigger: Trigger,
    at: { tenant: string; connection: string },
    config: Record<string, Json>,
  ): Promise<Record<string, Json>> => {
    if (!trigger.resolve) return config
    const work = (ctx: WatchContext) => trigger.resolve!(ctx, config)
    return (await reach.use({ ...at, integration: loaded.integration.id }, 'read', work, 'limited')).value as Record<string, Json>
  }

  /** An account that is limited for its callers is limited for their subscriptions too: each watched thing must be within. */
  const requireWithin = async ({ connection }: OpenAccount, loaded: Loaded, models: Model[]) => {
    const { policy, tenant, id } = connection
    if (!policy?.scopes && !policy?.paths) return
    const { scopes, id: integration } = loaded.integration
    for (const model of models) {
      if (!scopes || model.kind !== scopes.kind) {
        const remedy = scopes ? ` Watch a ${scopes.kind} that the policy allows.` : ''
        throw fail('not_allowed', `This connection is limited by its policy, which cannot be applied to a ${model.kind}.${remedy}`)
      }
      await reach.use({ tenant, connection: id, integration }, 'read', (ctx) => ctx.send(scopes.byId(model.id)), 'limited')
    }
  }

  const build = async (caller: Caller, given: NewSubscription) => {
    const { loaded, trigger } = findTrigger(registry, given.integration, given.trigger)
    const parsed = parseConfig(trigger, given.config)
    const options = parseOptions(given.options)
    const start = readStartFrom(options.startFrom, now())
    checkOptions(trigger, options, start)
    const url = given.agent?.url ?? null
    checkAgent(url)
    const { secret, made } = readSecret(given.agent?.secret)
    const account = await accounts.open(caller, loaded, given.connection)
    requireUsable(account)
    const connection = account.connection.id
    const config = await resolve(loaded, trigger, { tenant: caller.tenant, connection }, parsed)
    await requireWithin(account, loaded, trigger.webhook?.watch(trigger.config.parse(config)) ?? [])
    const told = await delivery.choose(account, loaded, trigger, trigger.config.parse(config), options.delivery)
    const id = `sub_${randomUUIDv7()}`
    const at = now()
    const row: Subscription = {
      tenant: caller.tenant,
      id,
      integration: given.integration,
      trigger: given.trigger,
      connection,
      config,
      agent: { url, ...(given.agent?.id === undefined ? {} : { id: given.agent.id }) },
      secrets: vault.seal({ tenant: caller.tenant, owner: id }, { secret }),
      options,
      delivery: told,
      state: 'pending',
      stateReason: null,
      stateAt: at,
      startMark: at,
      externalId: given.externalId ?? null,
      labels: given.labels ?? {},
      createdAt: at,
      updatedAt: at,
      deletedAt: null,
    }
    return { row, start, shown: made ? secret : undefined }
  }

  const create = async (caller: Caller, given: NewSubscription): Promise<SubscriptionView> => {
    // Not before: a repeat of what was created is no new one.
    await parts.admitSubscription?.(caller.tenant)
    const { row, start, shown } = await build(caller, given)
    const { subscription } = await attach(row, start)
    log('info', 'subscription.created', { subscription: row.id, trigger: row.trigger, delivery: row.delivery })
    const made = view(subscription)
    return shown === undefined ? made : { ...made, agent: { ...made.agent, secret: shown } }
  }

  const createOnce = createOnceOf(parts, create, async (caller, id) => view(await mustGet(caller, id)))

  // ---- changing

  const changeConfig = async (row: Subscription, given: unknown): Promise<Subscription> => {
    const { loaded, trigger } = findTrigger(registry, row.integration, row.trigger)
    const config = await resolve(loaded, trigger, row, parseConfig(trigger, given))
    const before = watcherOf(row).models
    const next = { ...row, config }
    await requireWithin(await accounts.open({ tenant: row.tenant }, loaded, row.connection), loaded, trigger.webhook?.watch(trigger.config.parse(config)) ?? [])
    const { models } = toActive(registry, next)
    const added = models.filter((model) => !before.includes(model))
    try {
      await begin(next, added)
    } catch (thrown) {
      for (const model of added) await hooks.release(row.tenant, row.id, model)
      throw thrown
    }
    const { subscription } = await roster.change(row, { config })
    for (const model of before) if (!models.includes(model)) await hooks.release(row.tenant, row.id, model)
    parts.onEnded()
    return subscription
  }

  const changeOptions = async (row: Subscription, given: unknown): Promise<Subscription> => {
    const options = parseOptions(given)
    const { trigger } = findTrigger(registry, row.integration, row.trigger)
    checkOptions(trigger, options, undefined)
    if (options.delivery !== undefined && options.delivery !== row.delivery)
      throw failField('/options/delivery', 'How events are told cannot be changed. Make a new subscription and delete this one.')
    if (options.startFrom !== undefined && options.startFrom !== row.options.startFrom)
      throw failField('/options/startFrom', 'Where it starts from is set when it is made. Replay single events instead.')
    return (await roster.change(row, { options })).subscription
  }

  const changeAgent = async (row: Subscription, { id, url, secret }: NonNullable<NewSubscription['agent']>): Promise<Subscription> => {
    const next = url === undefined ? row.agent.url : url
    checkAgent(next)
    const agentId = id ?? row.agent.id
    const sealed = secret === undefined ? {} : { secrets: vault.seal({ tenant: row.tenant, owner: row.id }, { secret: readSecret(secret).secret }) }
    return (await roster.change(row, { agent: { url: next, ...(agentId === undefined ? {} : { id: agentId }) }, ...sealed })).subscription
  }

  const pause = async (row: Subscription, reason: string): Promise<Subscription> => {
    const { subscription } = await roster.setState(row, 'paused', reason)
    await store.starts.pause(row.tenant, row.id)
    return subscription
  }

  /** What happened before the pause is still found; what happened during it starts nothing. */
  const resume = async (row: Subscription): Promise<Subscription> => {
    if (row.state !== 'paused') return row
    const { models } = toActive(registry, row)
    for (const model of models) await upkeep.sweep(connectionRefOf(row), model)
    const startMark = Math.max(row.startMark, await begin(row, models))
    const { subscription } = await roster.change(row, { state: 'active', stateReason: null, stateAt: now(), startMark })
    scans.put(watcherOf(subscription))
    await store.starts.resume(row.tenant, row.id, now())
    parts.onResumed()
    return subscription
  }

  return {
    async list(caller: Caller, page: Page, filter?: SubscriptionFilter): Promise<Listed<SubscriptionView>> {
      const { items, next } = await store.subscriptions.list(caller.tenant, page, filter)
      const mine = items.filter(({ connection }) => !caller.connections || caller.connections.includes(connection))
      return { items: mine.map(view), ...(next === undefined ? {} : { next }) }
    },
    get: async (caller: Caller, id: string): Promise<SubscriptionView> => view(await mustGet(caller, id)),
    /** Answers when the provider will tell us of events, or throws the reason why not; then nothing is left behind. */
    create: (caller: Caller, given: NewSubscription): Promise<SubscriptionView> =>
      given.idempotencyKey === undefined ? create(caller, given) : createOnce(caller, given, given.idempotencyKey),
    async patch(caller: Caller, id: string, { config, agent, options, externalId, labels, paused }: SubscriptionChanges): Promise<SubscriptionView> {
      let row = await mustGet(caller, id)
      if (config !== undefined) row = await changeConfig(row, config)
      if (options !== undefined) row = await changeOptions(row, options)
      if (agent !== undefined) row = await changeAgent(row, agent)
      if (externalId !== undefined || labels !== undefined) {
        row = (await roster.change(row, { ...(externalId === undefined ? {} : { externalId }), ...(labels === undefined ? {} : { labels }) })).subscription
      }
      if (paused === true && row.state !== 'paused') row = await pause(row, 'It was paused by hand.')
      if (paused === false) row = await resume(row)
      const watcher = index.get(row.tenant, row.id)
      if (watcher && (config !== undefined || options !== undefined)) scans.put(watcher)
      return view(row)
    },
    pause: async (caller: Caller, id: string): Promise<SubscriptionView> => {
      const row = await mustGet(caller, id)
      return view(row.state === 'paused' ? row : await pause(row, 'It was paused by hand.'))
    },
    resume: async (caller: Caller, id: string): Promise<SubscriptionView> => view(await resume(await mustGet(caller, id))),
    /** Ends it at once; the provider is told afterwards. Safe to repeat. */
    async remove(caller: Caller, id: string): Promise<void> {
      const row = await store.subscriptions.get(caller.tenant, id)
      // A row that is there but not found was removed before.
      if (!row && !(await store.subscriptions.patch(caller.tenant, id, {}))) throw noSuch(id)
      if (!row) return
      if (!isVisible(caller, row.connection)) throw noSuch(id)
      await undo(row)
      log('info', 'subscription.removed', { subscription: id })
    },
    /** Lists what happened at the provider since it was last listed. */
    async recover(caller: Caller, id: string): Promise<Omit<Backfilled, 'calls'>> {
      const row = await mustGet(caller, id)
      const sum = { events: 0, starts: 0, gaps: 0 }
      for (const model of watcherOf(row).models) {
        const { events, starts, gaps } = await recovery.recover(connectionRefOf(row), model)
        sum.events += events
        sum.starts += starts
        sum.gaps += gaps
      }
      scans.hurry(row.tenant, row.connection)
      return sum
    },
    /** The agent answered 410: it is asked no more until somebody resumes it. */
    stopAsking: async (row: Subscription): Promise<void> => void (await pause(row, 'The agent answered 410 Gone.')),
    undo,
    mustGet,
    watcherOf,
    /** Uninstalling: pauses what webhooks tell and takes every hook of ours away, at the accounts the caller may use. */
    async prune(caller: Caller): Promise<{ subscriptions: number; hooks: number }> {
      const isMine = (connection: string) => caller.connections?.includes(connection) ?? true
      const all = [...index.all()].map(({ subscription }) => subscription).filter(({ tenant, connection }) => tenant === caller.tenant && isMine(connection))
      const mine = all.filter(({ delivery, state }) => delivery === 'webhook' && state !== 'paused')
      for (const row of mine) await pause(row, 'Its webhooks were removed.')
      let ending = 0
      for (const { id } of all) ending += (await hooks.release(caller.tenant, id)).length
      const left = await hooks.endDeleting({ tenant: caller.tenant })
      let removed = Math.max(0, ending - left)
      const seen = new Set<string>()
      for (const { id, integration } of await store.connections.list(caller.tenant)) {
        if (seen.has(id) || !isMine(id) || !registry.all.some((loaded) => loaded.integration.id === integration && loaded.integration.webhooks)) continue
        seen.add(id)
        removed += await hooks.prune({ tenant: caller.tenant, connection: id, integration }).catch((thrown: unknown) => {
          if (!isFailure(thrown)) throw thrown
          log('warn', 'hooks.not_pruned', { connection: id, reason: thrown.code })
          return 0
        })
      }
      log('info', 'hooks.pruned', { subscriptions: mine.length, hooks: removed, left })
      return { subscriptions: mine.length, hooks: removed }
    },
  }
}
