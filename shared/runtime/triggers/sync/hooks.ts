import { randomBytes } from 'node:crypto'
import { describeDefect, fail, Failure, isFailure } from '#kit'
import type { HookWanted, ProviderHook, WebhookSource } from '#kit'
import type { Hook } from '../../ports/index.ts'
import { deliveryLagMs, settlingMs } from './gaps.ts'
import { isLive } from './hook-cache.ts'
import type { HookCache } from './hook-cache.ts'
import { readModel } from '../match-index.ts'
import type { MatchIndex } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef, ProviderSessions } from '../provider-session.ts'
import type { KeyedMutex } from '../keyed-mutex.ts'

/** A hook that was set right. Where it worked before, its `suspectSince` says until when. */
export type Repaired = { hook: Hook; why: string }
export type Reconciled = { repaired: Repaired[]; broken: Hook[]; removed: number }

type Parts = Pick<TriggerParts, 'registry' | 'store' | 'publicUrl' | 'log'> & {
  now(): number
  index: MatchIndex
  hooks: HookCache
  reach: ProviderSessions
  turns: KeyedMutex
}

const description = 'toolyard: starts agents'
/** Until when nothing can have been missed: a hook that worked says nothing of an earlier delivery that was still to be tried again. */
const settledUntil = (hook: Hook) => Math.max(hook.updatedAt, hook.lastDeliveryAt ?? 0) - settlingMs
/** The provider tries a delivery four times: so many failures in a row, and one may be lost. */
const lossyFailures = 4

/** Failures that speak against the watched thing, not against the account or the moment. */
const lostModel = new Set(['not_found', 'access_denied', 'rejected', 'not_allowed'])

const explain = (thrown: unknown, callbackUrl: string): unknown => {
  if (!isFailure(thrown) || thrown.code !== 'rejected') return thrown
  return new Failure(
    'rejected',
    `The provider did not accept our address ${callbackUrl}: ${thrown.details.providerMessage ?? thrown.message}. It must answer there from the internet: the operator sets the public URL. Or ask for options.delivery "poll" where the trigger has it.`,
    thrown.details,
  )
}

export type Hooks = ReturnType<typeof createHooks>

/** Keeps the provider's webhooks equal to what subscriptions want. All changes of one account are done one after the other. */
export const createHooks = ({ registry, store, publicUrl, log, now, index, hooks, reach, turns }: Parts) => {
  const sourceOf = (integration: string): WebhookSource => registry.integration(integration).integration.webhooks!
  const inTurn = <T>({ tenant, connection }: ConnectionRef, work: () => Promise<T>) => turns(`hooks ${tenant} ${connection}`, work)
  const prefixOf = (integration: string) => {
    const base = publicUrl()
    return base === undefined ? undefined : `${base}/hooks/${integration}/`
  }
  /** Where it belongs; without a public address it stays where it is. */
  const addressOf = ({ integration, id, callbackUrl }: Hook) => {
    const prefix = prefixOf(integration)
    return prefix === undefined ? callbackUrl : prefix + id
  }
  const wantedOf = (hook: Hook): HookWanted => ({
    model: readModel(hook.model),
    callbackUrl: hook.callbackUrl,
    description,
    types: [...new Set(index.watching(hook.tenant, hook.connection, hook.model).flatMap(({ types }) => types))].sort(),
  })
  const connectionRefOf = ({ tenant, connection, integration }: Hook): ConnectionRef => ({ tenant, connection, integration })

  const newHook = ({ tenant, connection, integration }: ConnectionRef, model: string): Hook => {
    const prefix = prefixOf(integration)
    if (prefix === undefined) throw fail('internal', 'A webhook needs a public address.')
    const at = now()
    const id = randomBytes(24).toString('base64url')
    return {
      tenant,
      id,
      integration,
      connection,
      model,
      callbackUrl: prefix + id,
      providerId: null,
      state: 'wanted',
      stateReason: null,
      stateAt: at,
      failures: 0,
      lastDeliveryAt: null,
      suspectSince: null,
      refused: 0,
      refusedSince: null,
      refusedAt: null,
      refusedReason: null,
      createdAt: at,
      updatedAt: at,
    }
  }

  /** Its `updatedAt` is when it was last seen to work, so it stays while deliveries fail; `stateAt` is when failures were last counted, or ended. */
  const works = (hook: Hook, providerId: string, failures = 0) => {
    const at = now()
    const state = hook.state === 'active' ? {} : { state: 'active' as const, stateReason: null }
    const isOther = hook.state !== 'active' || failures > 0 || hook.failures > 0
    return hooks.change(hook, { ...state, ...(isOther ? { stateAt: at } : {}), providerId, failures, ...(failures === 0 ? { updatedAt: at } : {}) })
  }

  /** Written down before it is set right: a process that dies over it still knows what to look for. */
  const suspect = async (hook: Hook, since: number) => (hook.suspectSince === null ? hooks.change(hook, { suspectSince: since }) : hook)

  /** Signatures cover the address, so it is written down before the provider knows it. */
  const atPresentAddress = async (hook: Hook) => (hook.callbackUrl === addressOf(hook) ? hook : hooks.change(hook, { callbackUrl: addressOf(hook) }))

  const register = async (given: Hook): Promise<Hook> => {
    const hook = await atPresentAddress(given)
    try {
      const { value } = await reach.use(connectionRefOf(hook), 'create', (ctx) => sourceOf(hook.integration).register(ctx, wantedOf(hook)))
      return await works(hook, value.providerId)
    } catch (thrown) {
      throw explain(thrown, hook.callbackUrl)
    }
  }

  const repairOrRegister = async (given: Hook, known: ProviderHook): Promise<Hook> => {
    const hook = await atPresentAddress(given)
    try {
      await reach.use(connectionRefOf(hook), 'update', (ctx) => sourceOf(hook.integration).repair(ctx, known.providerId, wantedOf(hook)))
      return await works(hook, known.providerId)
    } catch (thrown) {
      if (isFailure(thrown) && thrown.code === 'not_found') return register(hook)
      throw explain(thrown, hook.callbackUrl)
    }
  }

  const ended = (hook: Hook, reason: string | null) => {
    const at = now()
    return hooks.change(hook, { state: 'deleted', stateReason: reason, updatedAt: at })
  }

  const unregister = (at: ConnectionRef, hook: Pick<ProviderHook, 'providerId' | 'model'>) =>
    reach.use(at, 'delete', (ctx) => sourceOf(at.integration).unregister(ctx, hook))
  /** Models whose hooks may be at the provider: those that are wanted, and those that are being removed. */
  const modelsOf = ({ tenant, connection }: ConnectionRef) => hooks.ofConnection(tenant, connection).map(({ model }) => readModel(model))
  const listAt = async (at: ConnectionRef, models = modelsOf(at)) => (await reach.use(at, 'read', (ctx) => sourceOf(at.integration).list(ctx, models))).value

  const end = async (hook: Hook): Promise<void> => {
    const at = connectionRefOf(hook)
    // Without the provider's id it may exist all the same: an answer can get lost.
    const model = readModel(hook.model)
    const providerId = hook.providerId ?? (await listAt(at, [model])).find(({ callbackUrl }) => callbackUrl === hook.callbackUrl)?.providerId
    if (providerId !== undefined) await unregister(at, { providerId, model })
    await ended(hook, null)
  }

  const tryEnd = async (hook: Hook): Promise<boolean> => {
    try {
      await inTurn(connectionRefOf(hook), async () => (hooks.get(hook.id)?.state === 'deleting' ? end(hook) : undefined))
      return true
    } catch (thrown) {
      // A removed account cannot take its hooks back; they die with its token, or are answered 410.
      const isGone = isFailure(thrown) && thrown.code === 'not_connected' && !(await store.connections.get(hook.tenant, hook.connection))
      if (isGone) await ended(hook, 'The account was removed before the provider could be told.')
      else log('warn', 'hook.not_removed_yet', { hook: hook.id, reason: isFailure(thrown) ? thrown.code : describeDefect(thrown).message })
      return isGone
    }
  }

  const findListed = (hook: Hook, listed: ProviderHook[]) =>
    listed.find(({ callbackUrl, model }) => callbackUrl === hook.callbackUrl && model.id === readModel(hook.model).id) ??
    listed.find(({ providerId }) => providerId === hook.providerId) ??
    listed.find(({ callbackUrl }) => callbackUrl === hook.callbackUrl)

  const isRight = (hook: Hook, { active, callbackUrl, model }: ProviderHook) =>
    active && callbackUrl === addressOf(hook) && model.id === readModel(hook.model).id

  /** The provider has it as it should be; whether it was so all the time is another matter. */
  const noteRight = async (given: Hook, { providerId, failures }: ProviderHook, result: Reconciled) => {
    if (failures > given.failures) log('warn', 'hook.failing', { hook: given.id, failures })
    const isLossy = given.failures >= lossyFailures && failures < lossyFailures
    const hook = isLossy ? await suspect(given, given.updatedAt - deliveryLagMs) : given
    const changed = await works(hook, providerId, failures)
    if (hook.suspectSince === null) return
    const why = hook.state === 'broken' ? 'The watched thing could not be seen for a while.' : 'Deliveries did not reach us for a while.'
    result.repaired.push({ hook: changed, why })
  }

  const bring = async (given: Hook, found: ProviderHook | undefined, result: Reconciled): Promise<void> => {
    if (found && isRight(given, found)) return noteRight(given, found, result)
    const hook = given.state === 'wanted' ? given : await suspect(given, settledUntil(given))
    try {
      const why = !found ? 'The provider had lost the webhook.' : found.active ? 'The webhook pointed elsewhere.' : 'The provider had switched the webhook off.'
      const changed = found ? await repairOrRegister(hook, found) : await register(hook)
      log('warn', 'hook.repaired', { hook: hook.id, why })
      result.repaired.push({ hook: changed, why })
    } catch (thrown) {
      if (!isFailure(thrown) || !lostModel.has(thrown.code)) throw thrown
      if (hook.state !== 'broken') log('warn', 'hook.broken', { hook: hook.id, reason: thrown.code })
      const stateAt = hook.state === 'broken' ? hook.stateAt : now()
      result.broken.push(await hooks.change(hook, { state: 'broken', stateReason: thrown.message, stateAt }))
    }
  }

  /** Hooks whose address is ours but which nobody wants. Another account of the same credential may want one. */
  const removeOrphans = async (at: ConnectionRef, listed: ProviderHook[], kept: Set<string>, result: Reconciled) => {
    const prefix = prefixOf(at.integration)
    if (prefix === undefined) return
    for (const { providerId, callbackUrl, model } of listed) {
      if (kept.has(providerId) || !callbackUrl.startsWith(prefix)) continue
      const known = await hooks.find(callbackUrl.slice(prefix.length))
      if (known && isLive(known) && !(known.tenant === at.tenant && known.connection === at.connection)) continue
      await unregister(at, { providerId, model })
      result.removed += 1
      log('info', 'hook.orphan_removed', { connection: at.connection })
    }
  }

  const reconcile = (at: ConnectionRef): Promise<Reconciled> =>
    inTurn(at, async () => {
      const result: Reconciled = { repaired: [], broken: [], removed: 0 }
      const listed = await listAt(at)
      const kept = new Set<string>()
      for (const hook of hooks.ofConnection(at.tenant, at.connection).filter(isLive)) {
        const found = findListed(hook, listed)
        if (found) kept.add(found.providerId)
        await bring(hook, found, result)
        const providerId = hooks.get(hook.id)?.providerId
        if (providerId) kept.add(providerId)
      }
      await removeOrphans(at, listed, kept, result)
      for (const hook of hooks.ofConnection(at.tenant, at.connection)) if (hook.state === 'deleting') await end(hook)
      return result
    })

  return {
    reconcile,
    /**
     * Joins a subscription to the hook of a model and answers when the provider has it. Throws what the provider says against it; the
     * subscription is joined then all the same, and is to be released.
     */
    ensure: (at: ConnectionRef, model: string, subscription: string): Promise<Hook> =>
      inTurn(at, async () => {
        const hook = hooks.keep(await store.hooks.attach(newHook(at, model), subscription))
        return hook.state === 'active' && hook.callbackUrl === addressOf(hook) ? hook : register(hook)
      }),
    /** Takes a subscription off its hooks (of one model, if given). Those that nobody needs end; the provider is told by `endDeleting`. */
    async release(tenant: string, subscription: string, model?: string): Promise<Hook[]> {
      const ending = await store.hooks.detach(tenant, subscription, now(), model)
      for (const hook of ending) hooks.keep(hook)
      return ending
    },
    /** Tells the provider of hooks that have ended; gives how many it still has to be told of. */
    async endDeleting(of?: { tenant: string; connection?: string }): Promise<number> {
      const ending = hooks
        .all()
        .filter(
          (hook) => hook.state === 'deleting' && (!of || (hook.tenant === of.tenant && (of.connection === undefined || hook.connection === of.connection))),
        )
      let left = 0
      for (const hook of ending) left += (await tryEnd(hook)) ? 0 : 1
      return left
    },
    /** Removes every hook at the provider whose address is ours; gives how many there were. For uninstalling. */
    prune: (at: ConnectionRef): Promise<number> =>
      inTurn(at, async () => {
        const prefix = prefixOf(at.integration)
        const isOurs = (callbackUrl: string) =>
          (prefix !== undefined && callbackUrl.startsWith(prefix)) || hooks.all().some((hook) => hook.callbackUrl === callbackUrl)
        const listed = (await listAt(at)).filter(({ callbackUrl }) => isOurs(callbackUrl))
        for (const hook of listed) await unregister(at, hook)
        return listed.length
      }),
  }
}
