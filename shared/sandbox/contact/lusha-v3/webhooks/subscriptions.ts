/** Subscriptions: made up to 25 at a time, listed, changed and deleted. */
import { createHash } from 'node:crypto'
import type { Handler } from '../../../lookups/server.ts'
import { flag, list, object, oneOf, readShape, text } from '../../../lookups/shape.ts'
import { renewSecret } from './account-secret.ts'
import { answered, notFound, pageOf, refused, resultsOf, upTo, url } from './requests.ts'
import type { ItemResult } from './requests.ts'
import { signalTypes } from './signals.ts'
import { drop, findSubscription, store, timeIn } from './state.ts'
import type { EntityType, Subscription, Webhooks } from './state.ts'

const maxItems = 25
const entityType = oneOf('contact', 'company')
const types = list(text, 0, 100)

const item = object(
  { entityId: upTo(255), entityType, signalTypes: types, name: upTo(100) },
  { required: ['entityId'] },
)
const creation = object(
  {
    defaults: object({ url, entityType, signalTypes: types }, { required: ['url'] }),
    name: upTo(100),
    subscriptions: list(item, 1, maxItems),
  },
  { required: ['defaults', 'subscriptions'] },
)
type Item = { entityId: string; entityType?: EntityType; signalTypes?: string[]; name?: string }
type Creation = {
  defaults: { url: string; entityType?: EntityType; signalTypes?: string[] }
  name?: string
  subscriptions: Item[]
}

const known = new Set([...signalTypes.contact, ...signalTypes.company])

/** Why signal types cannot be subscribed to. Types of the other kind of entity may be among them. */
const whyWrongTypes = (ofEntity: EntityType, wanted: string[]): string | undefined => {
  const unknown = wanted.find((type) => !known.has(type))
  if (unknown !== undefined) return `Unknown signal type '${unknown}'`
  return wanted.some((type) => signalTypes[ofEntity].includes(type))
    ? undefined
    : `signalTypes must contain at least 1 signal type of entity type '${ofEntity}'`
}

const idOf = (webhooks: Webhooks): string => {
  webhooks.made += 1
  return createHash('sha256').update(`subscription ${webhooks.made}`).digest('hex').slice(0, 24)
}

/** Stores a subscription. */
export const add = (
  webhooks: Webhooks,
  about: Pick<Subscription, 'entityType' | 'entityId' | 'signalTypes' | 'url' | 'name'>,
): Subscription => {
  const at = timeIn(webhooks)
  const subscription: Subscription = {
    id: idOf(webhooks),
    ...about,
    isActive: true,
    blockReason: null,
    blockedAt: null,
    createdAt: at,
    updatedAt: at,
  }
  store(webhooks, subscription)
  return subscription
}

const failed = (code: string, message: string) => ({ error: { code, message } })

const addItem = (webhooks: Webhooks, { defaults, name: prefix }: Creation, entry: Item): ItemResult<Subscription> => {
  const {
    entityId,
    entityType: ofEntity = defaults.entityType,
    signalTypes: wanted = defaults.signalTypes ?? [],
  } = entry
  if (ofEntity === undefined) return failed('VALIDATION_ERROR', 'entityType must be one of: contact, company')
  const wrong = whyWrongTypes(ofEntity, wanted)
  if (wrong !== undefined) return failed('VALIDATION_ERROR', wrong)
  const about = { entityType: ofEntity, entityId, signalTypes: [...new Set(wanted)], url: defaults.url }
  if (findSubscription(webhooks, about) !== undefined)
    return failed(
      'DUPLICATE_SUBSCRIPTION',
      `Subscription already exists for entity type '${ofEntity}' with entity ID '${entityId}'`,
    )
  const name = entry.name ?? prefix
  return { subscription: { ...add(webhooks, name === undefined ? about : { ...about, name }) } }
}

const create =
  (webhooks: Webhooks): Handler =>
  ({ body }) => {
    const read = readShape<Creation>(creation, body)
    if (!read.ok) return read
    const { subscriptions } = read.value
    if (webhooks.subscriptions.size + subscriptions.length > webhooks.settings.maxSubscriptions)
      return refused(403, 'Maximum subscriptions limit reached for your account')
    return answered(201, resultsOf(subscriptions.map((entry) => addItem(webhooks, read.value, entry))))
  }

const change = object({ signalTypes: list(text, 1, 100), url, name: upTo(100), isActive: flag, regenerateSecret: flag })
type Change = Partial<Pick<Subscription, 'signalTypes' | 'url' | 'name' | 'isActive'>> & { regenerateSecret?: boolean }

const update =
  (webhooks: Webhooks): Handler =>
  ({ params: { id = '' }, body }) => {
    const subscription = webhooks.subscriptions.get(id)
    if (subscription === undefined) return notFound(id)
    const read = readShape<Change>(change, body)
    if (!read.ok) return read
    const { regenerateSecret = false, ...changes } = read.value
    const wrong = changes.signalTypes && whyWrongTypes(subscription.entityType, changes.signalTypes)
    if (wrong !== undefined) return refused(400, wrong)
    const unblocked = changes.isActive === true ? { blockReason: null, blockedAt: null } : {}
    Object.assign(subscription, changes, unblocked, { updatedAt: timeIn(webhooks) })
    return answered(200, regenerateSecret ? { ...subscription, secret: renewSecret(webhooks) } : { ...subscription })
  }

const deletion = object({ ids: list(text, 1, maxItems) }, { required: ['ids'] })

const remove =
  (webhooks: Webhooks): Handler =>
  ({ body }) => {
    const read = readShape<{ ids: string[] }>(deletion, body)
    if (!read.ok) return read
    const results = [...new Set(read.value.ids)].map((id): ItemResult<object> => {
      const subscription = webhooks.subscriptions.get(id)
      if (subscription === undefined) return failed('NOT_FOUND', `Subscription with id '${id}' not found`)
      drop(webhooks, subscription)
      const { entityType: ofEntity, entityId, name } = subscription
      return { subscription: { id, entityType: ofEntity, entityId, ...(name === undefined ? {} : { name }) } }
    })
    return answered(200, resultsOf(results))
  }

export const subscriptionRoutes = (webhooks: Webhooks): Record<string, Handler> => ({
  'POST /api/subscriptions': create(webhooks),
  'GET /api/subscriptions': ({ query }) => pageOf(query, [...webhooks.subscriptions.values()], 10),
  'POST /api/subscriptions/delete': remove(webhooks),
  'GET /api/subscriptions/{id}': ({ params: { id = '' } }) => {
    const subscription = webhooks.subscriptions.get(id)
    return subscription === undefined ? notFound(id) : answered(200, { ...subscription })
  },
  'PATCH /api/subscriptions/{id}': update(webhooks),
})
