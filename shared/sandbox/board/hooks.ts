/**
 * Webhooks as the provider implements them: which hook receives which action, its signature, and retries on failure.
 */
import { createHmac } from 'node:crypto'
import { canSee } from './access.ts'
import { isLive } from './auth.ts'
import { renderAction } from './history.ts'
import { isoDate } from './ids.ts'
import { endGrant } from './oauth2.ts'
import { sendOut } from '../outgoing.ts'
import type { Action, Actor, Token, Webhook, World } from './records.ts'
import {
  boardDefaults,
  pick,
  renderBoard,
  renderCard,
  renderList,
  renderMember,
  renderOrganization,
  renderWebhook,
} from './render.ts'

const day = 86_400_000

export type HookSettings = {
  /** The wait before each retry in milliseconds, multiplied by the sandbox's time scale. */
  retriesMs: number[]
  /** Timeout for an answer in milliseconds; not scaled, because a real receiver answers at its own pace. */
  timeoutMs: number
  /**
   * A hook is disabled once it has failed for this long (milliseconds, scaled) AND more often than
   * `disableAfterFailures` in a row.
   */
  disableAfterMs: number
  disableAfterFailures: number
  /** Whether hooks created with an OAuth 2.0 access token survive its refresh; not documented. */
  surviveRefresh: boolean
}
export const documentedHooks: HookSettings = {
  retriesMs: [30_000, 60_000, 120_000],
  timeoutMs: 30_000,
  disableAfterMs: 30 * day,
  disableAfterFailures: 1000,
  surviveRefresh: true,
}

export type Delivery = {
  n: number
  idWebhook: string
  idAction: string
  type: string
  body: string
  clientIdentifier: string | null
  /** The status of each attempt's answer; 0 for none. */
  statuses: number[]
  state: 'sending' | 'waiting' | 'held' | 'done' | 'lost' | 'dropped'
  /** True when it was signed with a wrong secret on purpose. */
  forged: boolean
}
export type Disturbance = {
  match?: { type?: string; idWebhook?: string }
  times?: number
  skip?: number
  /** `hold` keeps deliveries back until they are released, in any order; `forge` makes the signature invalid. */
  how: 'drop' | 'duplicate' | 'delay' | 'hold' | 'forge'
  /** For `duplicate`: the total number of copies; default 2. */
  copies?: number
  /** For `delay`: milliseconds, scaled. */
  delayMs?: number
}
type Armed = Disturbance & { left: number; skipped: number }
export type Hooks = {
  world: World
  settings: HookSettings
  deliveries: Delivery[]
  disturbances: Armed[]
  inFlight: Set<Promise<void>>
  timers: Set<() => void>
  next: number
  stopped: boolean
}

export const createHooks = (world: World, settings: Partial<HookSettings> = {}): Hooks => ({
  world,
  settings: { ...documentedHooks, ...settings },
  deliveries: [],
  disturbances: [],
  inFlight: new Set(),
  timers: new Set(),
  next: 1,
  stopped: false,
})

export const disturb = (hooks: Hooks, disturbance: Disturbance): void =>
  void hooks.disturbances.push({ ...disturbance, left: disturbance.times ?? 1, skipped: 0 })

type Kind = 'board' | 'list' | 'card' | 'member' | 'organization'
export const kindOf = (world: World, idModel: string): Kind | undefined => {
  const { state } = world
  if (state.boards.has(idModel)) return 'board'
  if (state.lists.has(idModel)) return 'list'
  if (state.cards.has(idModel)) return 'card'
  if (state.members.has(idModel)) return 'member'
  return state.organizations.has(idModel) ? 'organization' : undefined
}

/** Whether the member may watch the model. A member's private record can be watched only by that member. */
export const mayWatch = (world: World, idModel: string, idMember: string): boolean => {
  const { state } = world
  const kind = kindOf(world, idModel)
  if (kind === 'member') return idModel === idMember
  if (kind === 'organization')
    return state.organizations.get(idModel)?.memberships.some((membership) => membership.idMember === idMember) ?? false
  const board = state.boards.get(state.lists.get(idModel)?.idBoard ?? state.cards.get(idModel)?.idBoard ?? idModel)
  return board !== undefined && canSee(world, board, idMember)
}

const modelOf = (world: World, idModel: string): object => {
  const { state } = world
  const kind = kindOf(world, idModel)
  if (kind === 'board') return pick(renderBoard(world, state.boards.get(idModel)!), undefined, boardDefaults)
  if (kind === 'list') return pick(renderList(state.lists.get(idModel)!), ['name', 'closed', 'idBoard', 'pos'])
  if (kind === 'card') return renderCard(world, state.cards.get(idModel)!)
  if (kind === 'member') return renderMember(world, state.members.get(idModel)!, { own: true, email: true })
  return kind === 'organization' ? renderOrganization(world, state.organizations.get(idModel)!) : { id: idModel }
}

const listTypes = new Set(['updateList', 'moveListFromBoard', 'moveListToBoard', 'updateCard'])
/** Actions that card hooks reportedly do not deliver: adding and removing labels, and reordering check items. */
const notForCards = (action: Action): boolean =>
  action.type === 'addLabelToCard' ||
  action.type === 'removeLabelFromCard' ||
  (action.type === 'updateCheckItem' && 'pos' in (action.data['old'] as object))

const concerns = (world: World, hook: Webhook, action: Action): boolean => {
  const { idModel } = hook
  switch (kindOf(world, idModel)) {
    case 'board':
      return action.refs.idBoard === idModel
    case 'list':
      return listTypes.has(action.type) && (action.refs.idLists?.includes(idModel) ?? false)
    case 'card':
      return action.refs.idCard === idModel && !notForCards(action)
    case 'member':
      return action.idMemberCreator === idModel
    case 'organization':
      return action.refs.workspace === true && action.refs.idOrganization === idModel
    // The card no longer exists when its own deletion is reported.
    case undefined:
      return action.type === 'deleteCard' && action.refs.idCard === idModel
  }
}

/** Deletes hooks whose token is no longer valid, and disables hooks whose token may no longer see their model. */
export const sweepHooks = (hooks: Hooks, sparing?: Action): void => {
  const { world } = hooks
  for (const hook of world.state.webhooks.values()) {
    const token = world.state.tokens.get(hook.token)
    if (!token || !isLive(token, world.now())) world.state.webhooks.delete(hook.id)
    else if (!mayWatch(world, hook.idModel, token.idMember) && sparing?.refs.idCard !== hook.idModel)
      hook.active = false
  }
}

export const revokeToken = (hooks: Hooks, token: Token): void => {
  if (token.grant === null) hooks.world.state.tokens.delete(token.value)
  else endGrant(hooks.world, token.grant)
  sweepHooks(hooks)
}

export const tellHooks =
  (hooks: Hooks) =>
  (action: Action, actor: Actor): void => {
    const { world } = hooks
    sweepHooks(hooks, action)
    for (const hook of world.state.webhooks.values()) {
      if (!hook.active || !concerns(world, hook, action)) continue
      const sameApp = actor.app !== null && actor.app.key === world.state.tokens.get(hook.token)?.appKey
      const body = JSON.stringify({
        action: renderAction(world, action),
        model: modelOf(world, hook.idModel),
        webhook: renderWebhook(hook),
      })
      enqueue(hooks, hook, {
        idAction: action.id,
        type: action.type,
        body,
        clientIdentifier: sameApp ? actor.clientIdentifier : null,
      })
    }
  }

type News = Pick<Delivery, 'idAction' | 'type' | 'body' | 'clientIdentifier'>
const addDelivery = (hooks: Hooks, hook: Webhook, news: News, state: Delivery['state'], forged = false): Delivery => {
  const delivery: Delivery = { ...news, n: hooks.next, idWebhook: hook.id, statuses: [], state, forged }
  hooks.next += 1
  hooks.deliveries.push(delivery)
  if (hooks.deliveries.length > 20_000) hooks.deliveries.shift()
  return delivery
}

const takeDisturbance = (hooks: Hooks, hook: Webhook, type: string): Armed | undefined => {
  for (const disturbance of hooks.disturbances) {
    const fits =
      (!disturbance.match?.type || disturbance.match.type === type) &&
      (!disturbance.match?.idWebhook || disturbance.match.idWebhook === hook.id)
    if (disturbance.left === 0 || !fits) continue
    if (disturbance.skipped < (disturbance.skip ?? 0)) {
      disturbance.skipped += 1
      continue
    }
    disturbance.left -= 1
    return disturbance
  }
  return undefined
}

const enqueue = (hooks: Hooks, hook: Webhook, news: News): void => {
  const how = takeDisturbance(hooks, hook, news.type)
  if (how?.how === 'drop') return void addDelivery(hooks, hook, news, 'dropped')
  if (how?.how === 'hold') return void addDelivery(hooks, hook, news, 'held')
  if (how?.how === 'delay') return later(hooks, addDelivery(hooks, hook, news, 'waiting'), how.delayMs ?? 0)
  const copies = how?.how === 'duplicate' ? (how.copies ?? 2) : 1
  for (let i = 0; i < copies; i += 1) launch(hooks, addDelivery(hooks, hook, news, 'sending', how?.how === 'forge'))
}

const later = (hooks: Hooks, delivery: Delivery, ms: number): void => {
  delivery.state = 'waiting'
  const cancel = hooks.world.schedule(ms * hooks.world.timeScale, () => {
    hooks.timers.delete(cancel)
    launch(hooks, delivery)
  })
  hooks.timers.add(cancel)
}

export const launch = (hooks: Hooks, delivery: Delivery): void => {
  delivery.state = 'sending'
  const work: Promise<void> = new Promise<void>((resolve) => setImmediate(resolve))
    .then(() => attempt(hooks, delivery))
    .finally(() => hooks.inFlight.delete(work))
  hooks.inFlight.add(work)
}

const secretOf = (world: World, token: Token): string => {
  const app = world.state.apps.get(token.appKey)
  return (token.kind === 'oauth2' ? app?.oauth2.clientSecret : app?.secret) ?? ''
}
export const signatureOf = (secret: string, body: string, callbackURL: string): string =>
  createHmac('sha1', secret).update(body, 'utf8').update(callbackURL, 'utf8').digest('base64')

const attempt = async (hooks: Hooks, delivery: Delivery): Promise<void> => {
  const { world, settings } = hooks
  const hook = world.state.webhooks.get(delivery.idWebhook)
  const token = hook && world.state.tokens.get(hook.token)
  if (hooks.stopped || !hook?.active || !token) return void (delivery.state = 'lost')
  const secret = delivery.forged ? 'not the secret' : secretOf(world, token)
  const { status } = await sendOut(
    {
      method: 'POST',
      url: hook.callbackURL,
      body: delivery.body,
      timeoutMs: settings.timeoutMs,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Board-Sandbox-Webhooks',
        'x-trello-webhook': signatureOf(secret, delivery.body, hook.callbackURL),
        ...(delivery.clientIdentifier === null ? {} : { 'x-trello-client-identifier': delivery.clientIdentifier }),
      },
    },
    world.schedule,
  )
  delivery.statuses.push(status)
  if (status === 200) return succeed(hook, delivery)
  if (status === 410) {
    world.state.webhooks.delete(hook.id)
    return void (delivery.state = 'lost')
  }
  fail(hooks, hook)
  const wait = settings.retriesMs[delivery.statuses.length - 1]
  if (wait === undefined || !hook.active || hooks.stopped) delivery.state = 'lost'
  else later(hooks, delivery, wait)
}

const succeed = (hook: Webhook, delivery: Delivery): void => {
  delivery.state = 'done'
  hook.consecutiveFailures = 0
  hook.firstConsecutiveFailDate = null
}

const fail = (hooks: Hooks, hook: Webhook): void => {
  const now = hooks.world.now()
  hook.consecutiveFailures += 1
  hook.firstConsecutiveFailDate ??= isoDate(now)
  const failingFor = now - Date.parse(hook.firstConsecutiveFailDate)
  if (
    hook.consecutiveFailures > hooks.settings.disableAfterFailures &&
    failingFor >= hooks.settings.disableAfterMs * hooks.world.timeScale
  )
    hook.active = false
}

/** Waits until no delivery is in flight; scheduled retries are not awaited. */
export const settleHooks = async (hooks: Hooks): Promise<void> => {
  while (hooks.inFlight.size > 0) await Promise.all(hooks.inFlight)
}

export const stopHooks = (hooks: Hooks): void => {
  hooks.stopped = true
  for (const cancel of hooks.timers) cancel()
  hooks.timers.clear()
}
export const forgetDeliveries = (hooks: Hooks): void => {
  for (const cancel of hooks.timers) cancel()
  hooks.timers.clear()
  hooks.deliveries.splice(0)
  hooks.disturbances.splice(0)
}
