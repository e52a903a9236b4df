import { isLoopback, sendOut } from '../outgoing.ts'
import { kindOf, mayWatch, revokeToken, sweepHooks, type Hooks } from './hooks.ts'
import { newId } from './ids.ts'
import * as read from './params.ts'
import type { Token, Webhook } from './records.ts'
import { pick, renderWebhook } from './render.ts'
import { invalidValue, modelNotFound, notFound, refuse, unauthorized } from './refusals.ts'
import { tokenOf, tokenRoutes } from './routes-members.ts'
import { route, type Call, type Route } from './routes.ts'

const ownToken = (call: Call): Token => call.identity?.token ?? unauthorized('webhook')

const hookOf = (hooks: Hooks, call: Call): Webhook => {
  sweepHooks(hooks)
  const hook = call.world.state.webhooks.get(call.path['idWebhook'] as string) ?? notFound()
  return hook.token === ownToken(call).value ? hook : refuse(401, 'webhook does not belong to token')
}
const hooksOf = (hooks: Hooks, token: Token): unknown[] => {
  sweepHooks(hooks)
  return [...hooks.world.state.webhooks.values()].filter((webhook) => webhook.token === token.value).map(renderWebhook)
}

const checkModel = (call: Call, idModel: string): string => {
  const token = ownToken(call)
  const kind = kindOf(call.world, idModel) ?? modelNotFound()
  if (!mayWatch(call.world, idModel, token.idMember)) return unauthorized(kind)
  const scope = kind === 'member' || kind === 'organization' ? kind : 'board'
  if (token.kind === 'oauth2' && !token.scopes.includes(`read:${scope}:trello`))
    return refuse(403, { message: 'missing scopes' })
  return idModel
}

/** The address must answer a HEAD request with exactly 200; that request has no signature. */
const checkAddress = async (hooks: Hooks, url: string): Promise<void> => {
  const { status } = await sendOut(
    {
      method: 'HEAD',
      url,
      headers: { 'user-agent': 'Board-Sandbox-Webhooks' },
      body: '',
      timeoutMs: hooks.settings.timeoutMs,
    },
    hooks.world.schedule,
  )
  if (status === 200) return
  const reason = isLoopback(url) ? '' : ' (the sandbox calls loopback addresses only)'
  refuse(400, {
    message: `URL (${url}) did not return 200 status code, got ${status}${reason}`,
    error: 'VALIDATOR_URL_RETURNED_ERROR',
  })
}

const checkUnique = (call: Call, callbackURL: string, idModel: string, except?: Webhook): void => {
  const token = ownToken(call).value
  for (const webhook of call.world.state.webhooks.values()) {
    const same = webhook.callbackURL === callbackURL && webhook.idModel === idModel && webhook.token === token
    if (same && webhook !== except) refuse(400, 'A webhook with that callback, model, and token already exists')
  }
}

const create =
  (hooks: Hooks) =>
  async (call: Call): Promise<unknown> => {
    const { params, world } = call
    sweepHooks(hooks)
    const callbackURL = read.webAddress(params, 'callbackURL') ?? invalidValue('callbackURL')
    const idModel = checkModel(call, read.needId(params, 'idModel'))
    const description = read.text(params, 'description') ?? ''
    const active = read.flag(params, 'active') ?? true
    checkUnique(call, callbackURL, idModel)
    await checkAddress(hooks, callbackURL)
    // The check took time, during which another request may have created the same hook.
    checkUnique(call, callbackURL, idModel)
    const hook: Webhook = {
      id: newId(world),
      description,
      idModel,
      callbackURL,
      active,
      consecutiveFailures: 0,
      firstConsecutiveFailDate: null,
      token: ownToken(call).value,
    }
    world.state.webhooks.set(hook.id, hook)
    return renderWebhook(hook)
  }

const update =
  (hooks: Hooks) =>
  async (call: Call): Promise<unknown> => {
    const { params } = call
    const hook = hookOf(hooks, call)
    const callbackURL = read.webAddress(params, 'callbackURL') ?? hook.callbackURL
    const idModel = checkModel(call, read.id(params, 'idModel') ?? hook.idModel)
    const description = read.text(params, 'description') ?? hook.description
    const active = read.flag(params, 'active')
    checkUnique(call, callbackURL, idModel, hook)
    await checkAddress(hooks, callbackURL)
    const again = active === true && !hook.active ? { consecutiveFailures: 0, firstConsecutiveFailDate: null } : {}
    Object.assign(hook, { callbackURL, idModel, description, active: active ?? hook.active, ...again })
    return renderWebhook(hook)
  }

const remove =
  (hooks: Hooks) =>
  (call: Call): unknown => {
    call.world.state.webhooks.delete(hookOf(hooks, call).id)
    return { _value: null }
  }

/** Only the token itself may list or create its hooks. */
const sameToken = (call: Call): Token => {
  const token = tokenOf(call)
  return token.value === ownToken(call).value ? token : unauthorized('token')
}

const shownFields = [
  'active',
  'callbackURL',
  'description',
  'idModel',
  'consecutiveFailures',
  'firstConsecutiveFailDate',
]

export const webhookRoutes = (hooks: Hooks): Route[] => [
  route('POST /webhooks', 'webhook', create(hooks)),
  route('GET /webhooks/:idWebhook', 'webhook', (call) => renderWebhook(hookOf(hooks, call))),
  route('PUT /webhooks/:idWebhook', 'webhook', update(hooks)),
  route('DELETE /webhooks/:idWebhook', 'webhook', remove(hooks)),
  route('GET /webhooks/:idWebhook/:field', 'webhook', (call) => {
    const name = call.path['field'] as string
    return shownFields.includes(name) ? { _value: renderWebhook(hookOf(hooks, call))[name] } : notFound()
  }),
  ...tokenRoutes(
    (_, token) => revokeToken(hooks, token),
    (_, token) => hooksOf(hooks, token),
  ),
  route('GET /tokens/:token/webhooks', 'token', (call) =>
    hooksOf(hooks, sameToken(call)).map((webhook) =>
      pick(webhook as Record<string, unknown>, read.words(call.params, 'fields')),
    ),
  ),
  route('POST /tokens/:token/webhooks', 'token', (call) => {
    sameToken(call)
    return create(hooks)(call)
  }),
  route('GET /tokens/:token/webhooks/:idWebhook', 'token', (call) => {
    sameToken(call)
    return renderWebhook(hookOf(hooks, call))
  }),
  route('DELETE /tokens/:token/webhooks/:idWebhook', 'token', (call) => {
    sameToken(call)
    return remove(hooks)(call)
  }),
]
