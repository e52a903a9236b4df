import {
  asText,
  defineEvents,
  defineEventTrigger,
  fail,
  isAbsent,
  path,
  readPage,
  say,
  subjectPart,
  valueAt,
  z,
} from '#kit'
import type { HookWanted, Json, PagingRule, ProviderHook, WatchContext } from '#kit'
import { recipe } from './recipe.ts'

const signal = () =>
  z.object({ id: z.string(), type: z.string(), entityId: z.string(), timestamp: z.string(), data: z.looseObject({}) })
const subscription = () =>
  z.object({
    id: z.string(),
    entityId: z.string(),
    url: z.string(),
    isActive: z.boolean(),
    signalTypes: z.array(z.string()),
  })

/** The secret that signs for the whole account. Another one is made only where there is none: it would end the first. */
const readSecret = async (ctx: WatchContext): Promise<string> => {
  try {
    return asText(valueAt(await ctx.send({ method: 'GET', path: path`/api/account/secret` }), 'secret'))
  } catch (thrown) {
    if (!isAbsent(thrown)) throw thrown
    return asText(valueAt(await ctx.send({ method: 'POST', path: path`/api/account/secret/regenerate` }), 'secret'))
  }
}

const paging: PagingRule = { style: 'offset', parameter: 'offset', size: { parameter: 'limit', max: 100 } }

const hookOf = (row: Json): ProviderHook => {
  const { id, entityId, url, isActive, signalTypes } = subscription().parse(row)
  return {
    providerId: id,
    callbackUrl: url,
    model: { kind: 'contact', id: entityId },
    description: '',
    active: isActive,
    failures: 0,
    types: signalTypes,
  }
}

const list = async (ctx: WatchContext): Promise<ProviderHook[]> => {
  const hooks: ProviderHook[] = []
  let next: string | undefined
  do {
    const page = await readPage(ctx, { method: 'GET', path: path`/api/subscriptions` }, paging, { items: 'data', next })
    hooks.push(...page.items.map(hookOf))
    next = page.next
  } while (next !== undefined)
  return hooks
}

const repair = async (ctx: WatchContext, id: string, { callbackUrl: url, types }: HookWanted) => {
  const body = { url, signalTypes: types, isActive: true }
  await ctx.send({ method: 'PATCH', path: path`/api/subscriptions/${id}`, body })
  return { secret: await readSecret(ctx) }
}

const register = async (ctx: WatchContext, hook: HookWanted) => {
  const secret = await readSecret(ctx)
  const body = {
    defaults: { url: hook.callbackUrl, entityType: 'contact', signalTypes: hook.types },
    subscriptions: [{ entityId: hook.model.id }],
  }
  const reply = await ctx.send({ method: 'POST', path: path`/api/subscriptions`, body })
  const made = valueAt(reply, 'results.0.subscription.id')
  if (typeof made === 'string') return { providerId: made, secret }
  if (valueAt(reply, 'results.0.error.code') !== 'DUPLICATE_SUBSCRIPTION')
    throw fail('rejected', asText(valueAt(reply, 'results.0.error.message')))
  // Made before, by a request whose answer got lost or for another address.
  const former = (await list(ctx)).find(({ model }) => model.id === hook.model.id)
  if (!former) throw fail('conflict', 'The provider has a subscription to this contact, but does not list it.')
  return { providerId: former.providerId, ...(await repair(ctx, former.providerId, hook)) }
}

const events = defineEvents<{ change: string }>({
  hooks: {
    retries: [60_000, 120_000, 240_000],
    register,
    repair,
    list,
    unregister: async (ctx, { providerId }) => {
      await ctx.send({ method: 'POST', path: path`/api/subscriptions/delete`, body: { ids: [providerId] } })
    },
  },
  recognise: ({ body }) => ({ type: valueAt(body, 'type'), item: body }),
  kinds: {
    promotion: {
      history: null,
      read(item) {
        const { id, type, entityId, timestamp } = signal().parse(item)
        const contact = { kind: 'contact', id: entityId }
        return { id, at: timestamp, subject: contact, container: contact, change: type }
      },
      sentence: (event, names) => say`${subjectPart(event, 'Somebody', names)} was promoted`,
    },
  },
})

const promoted = defineEventTrigger(events, {
  id: 'promoted',
  title: 'Promoted',
  purpose: 'Starts when a contact is promoted.',
  config: () => z.strictObject({ contact: z.string() }),
  data: () => z.object({ change: z.string().meta({ description: 'What changed.' }) }),
  on: ['promotion'],
  within: { kind: 'contact', field: 'contact' },
  waits: 'a promotion',
  match: ({ change }) => ({ change }),
})

export default recipe({
  id: 'account-secret',
  events,
  triggers: [promoted],
  wire: {
    auth: { token: { place: 'header', fields: { api_key: '{token}' } } },
    signature: {
      header: 'x-lusha-signature',
      algorithm: 'hmac-sha256',
      encoding: 'hex',
      signs: '{timestamp}.{body}',
      timestamp: { header: 'x-lusha-timestamp', toleranceMs: 300_000 },
      secret: 'provider',
    },
    deliveries: {
      bodies: ['json'],
      acknowledge: { constants: { received: true }, time: 'timestamp', echo: { webhookId: ['id'] } },
    },
  },
})
