/** What the sandbox does when it is told that something happened. */
import { charge } from '../../../lookups/world.ts'
import type { Verb } from '../../../lookups/control-routes.ts'
import { contactId, uuidOf } from '../../lusha/find.ts'
import { fullNameOf } from '../../lusha/values.ts'
import { deliver, logUnsent } from './deliveries.ts'
import type { Payload } from './deliveries.ts'
import { happens, includes, signalData, signalTypes } from './signals.ts'
import { findOptOuts, findSubscription, timeIn } from './state.ts'
import type { EntityType, Settings, Webhooks } from './state.ts'

const creditsPerSignal = 1

const noSecret = 'Account secret not found'
const isEntityType = (value: unknown): value is EntityType => value === 'contact' || value === 'company'

type Signal = { entityType: EntityType; entityId: string; type: string; data?: unknown }

const payloadOf = (
  webhooks: Webhooks,
  subscriptionId: string,
  { entityType, entityId, type, data }: Signal,
): Payload => {
  webhooks.made += 1
  const id = uuidOf('payload', String(webhooks.made), subscriptionId)
  const body = {
    id,
    type,
    entityType,
    entityId,
    subscriptionId,
    data: data ?? signalData(webhooks.world, { entityType, entityId }, type, webhooks.made),
    timestamp: timeIn(webhooks),
    billing: { creditsCharged: creditsPerSignal },
  }
  return { id, body, needsReceipt: true }
}

/** A signal is charged when it is detected for a subscription, whatever becomes of its delivery. */
const signal = (webhooks: Webhooks, happened: Signal): void => {
  const { world } = webhooks
  const subscription = findSubscription(webhooks, { ...happened, signalTypes: [happened.type] })
  if (subscription?.isActive !== true || !includes(subscription.signalTypes, happened.type)) return
  const payload = payloadOf(webhooks, subscription.id, happened)
  if (webhooks.secret === undefined) return logUnsent(webhooks, subscription, payload, noSecret)
  if (world.credits.remaining < creditsPerSignal)
    return logUnsent(webhooks, subscription, payload, 'Insufficient credits')
  charge(world, creditsPerSignal, 'signals')
  void deliver(webhooks, subscription.id, payload)
}

const signalVerb =
  (webhooks: Webhooks): Verb =>
  ({ entityType, entityId, type, data }) => {
    if (!isEntityType(entityType)) return '"entityType" has to be contact or company.'
    if (typeof entityId !== 'string') return '"entityId" has to be a string.'
    if (!happens(entityType, String(type)))
      return `"type" has to be one of ${signalTypes[entityType].slice(1).join(', ')}.`
    signal(webhooks, { entityType, entityId, type: String(type), ...(data === undefined ? {} : { data }) })
    return undefined
  }

const providerTime = (iso: string) => iso.replace('T', ' ').replace('Z', '')

const optOutVerb =
  (webhooks: Webhooks): Verb =>
  ({ entityId }) => {
    const person = webhooks.world.people.find((candidate) => contactId(candidate) === entityId)
    if (person === undefined) return `No contact has the id "${String(entityId)}".`
    if (!person.suppressed) {
      person.suppressed = true
      webhooks.optedOut.push(person)
    }
    const subscription = findOptOuts(webhooks)
    if (subscription === undefined) return undefined
    webhooks.made += 1
    const datapoints = [
      ...[person.workEmail, person.personalEmail]
        .filter((email) => email !== undefined)
        .map((email) => ({ datapointId: email, datapointType: 'email' })),
      ...person.phones.map(({ number }) => ({ datapointId: number, datapointType: 'phone' })),
    ]
    const { linkedinSlug } = person
    const body = {
      contactId: contactId(person),
      fullName: fullNameOf(person),
      companyName: person.company.name,
      jobTitle: person.title,
      ...(linkedinSlug === undefined ? {} : { linkedinUrl: `https://www.linkedin.com/in/${linkedinSlug}` }),
      contactOptOutDate: providerTime(timeIn(webhooks)),
      contactExposureDate: providerTime(person.updatedAt),
      datapoints,
    }
    void deliver(webhooks, subscription.id, {
      id: uuidOf('payload', String(webhooks.made), subscription.id),
      body,
      needsReceipt: false,
    })
    return undefined
  }

const settingsVerb =
  ({ settings }: Webhooks): Verb =>
  (body) => {
    const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
    const { waitsMs = settings.waitsMs, maxSubscriptions = settings.maxSubscriptions } = body as Partial<Settings>
    if (!Array.isArray(waitsMs) || !waitsMs.every(isCount)) return '"waitsMs" has to be a list of counts.'
    if (!isCount(maxSubscriptions)) return '"maxSubscriptions" has to be a count.'
    Object.assign(settings, { waitsMs, maxSubscriptions })
    return undefined
  }

export const webhookVerbs = (webhooks: Webhooks): Record<string, Verb> => ({
  signal: signalVerb(webhooks),
  'opt-out': optOutVerb(webhooks),
  webhooks: (body) => settingsVerb(webhooks)(body),
})
