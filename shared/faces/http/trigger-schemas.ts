import { z } from '#kit'
import type { EventAliases } from '../../runtime/triggers/inbox.ts'
import { eventAliases, subscriptionOptions } from '../../pack.ts'
import { id, labelFilter, valuesByName } from './bounds.ts'
import { namesOf, page } from './schemas.ts'

const text = z.string()
const time = z.iso.datetime().describe('RFC 3339')
const data = z.unknown()
const jsonObject = z.record(z.string(), z.unknown())
const externalId = z.string().min(1).max(256)
const labels = z.record(z.string().min(1).max(64), z.string().max(256)).describe("The platform's own labels: text values by name")
const rowId = id.min(1)
const cause = z.union([z.boolean(), z.literal('unknown')]).describe('Whether one of our own runs caused it')
const via = z.enum(['webhook', 'poll', 'recovery']).describe('How it was received')
const delivery = z.enum(['webhook', 'poll'])

export const subscriptionState = z.enum(['pending', 'active', 'failing', 'paused', 'paused_auth', 'paused_model', 'paused_agent'])
export const subscription = z.object({
  id: text,
  integration: text,
  trigger: text,
  connection: text,
  config: jsonObject,
  agent: z.object({
    id: text.nullable(),
    url: text.nullable(),
    secret: text.optional().describe('Signs the starts; returned only when it is created'),
    previousSecretUntil: time.optional().describe('Until when starts are signed with the previous secret too'),
  }),
  options: z.object(subscriptionOptions().shape),
  delivery: delivery.describe('How its events are received'),
  state: subscriptionState.describe(
    'failing: its agent did not take the last start; events still start it, and it is active again with the first start that is taken. paused_auth: reconnect the account. paused_model: what it watches was closed or deleted, or can no longer be read. paused_agent: its agent failed for days; starts wait until it is resumed',
  ),
  stateReason: text.nullable(),
  stateAt: time,
  startsFrom: time.describe('Events before this time start nothing'),
  recoverable: z.enum(['all', 'some', 'none']).nullable().describe('How many of the events that happen during downtime can be recovered afterwards'),
  caveat: text.nullable(),
  externalId: text.nullable(),
  labels: z.record(z.string(), z.string()),
  createdAt: time,
  updatedAt: time,
})

const agent = z.strictObject({
  id: z.string().min(1).max(256).optional().describe('Your own id for the agent; included in every start'),
  url: z.string().min(1).max(2048).optional().describe('Starts are sent here by POST. A private address must be one of the origins the operator allows'),
  secret: z.string().max(256).optional().describe('"whsec_" and 24 to 64 bytes in base64; absent: one is created and returned only in this response'),
})
export const askedAgentTest = z.strictObject({
  url: agent.shape.url.describe('The address to test, as for attaching; absent: that of `subscription`'),
  secret: z.string().max(256).optional().describe('Signs the call to `url`; absent: a secret that the agent does not know is made for the test'),
  subscription: rowId.optional().describe('Tests the address of this subscription, with its secret'),
})
export const agentTested = z.object({
  id: text.describe('`webhook-id` of the call'),
  ok: z.boolean().describe('Whether the agent would take a start: it answered 2xx or 409'),
  status: z.int().nullable().describe('null: there was no answer'),
  message: text.nullable().describe('What a start would store of the answer, or why there was none'),
  remedy: text.nullable().describe('What to do; null if it is `ok`'),
  signedWith: z.enum(['subscription', 'given', 'made']).describe('Whose secret signed the call: of the subscription, the given one, or one made for this test'),
  durationMs: z.number(),
})
const config = valuesByName.describe("Matches the config schema of the trigger; load the choices of its fields from the trigger's options route")
const { startFrom } = subscriptionOptions().shape
const options = subscriptionOptions().extend({ startFrom: startFrom.unwrap().max(64).optional().meta(startFrom.meta()!) })
export const newSubscription = z.strictObject({
  integration: rowId,
  trigger: rowId.describe('Id of the trigger, as in the manifest'),
  connection: rowId
    .optional()
    .describe('Id or name of the connection; absent: the default connection of the integration (the first one, until another is chosen)'),
  config: config.optional(),
  agent: agent.optional(),
  options: options.optional(),
  externalId: externalId.optional().describe("The platform's own id"),
  labels: labels.optional(),
})
export const subscriptionChanges = z.strictObject({
  config: config.optional().describe('The whole config; anything newly watched is watched from now on'),
  agent: agent.optional(),
  options: options.optional().describe('All options; delivery and startFrom can only be set on creation'),
  externalId: externalId.nullable().optional(),
  labels: labels.optional(),
  paused: z.boolean().optional().describe('true: events from now on start nothing. false: resumes from now on'),
  upgrade: z.literal(true).optional().describe('Moves it to the trigger that replaces its deprecated one, with the config that does the same'),
})
export const secretRotation = z.strictObject({
  secret: z.string().max(256).optional().describe('"whsec_" and 24 to 64 bytes in base64; absent: one is created and returned only in this response'),
  overlapMs: z
    .int()
    .min(0)
    .max(30 * 86_400_000)
    .optional()
    .describe('How long signatures of the previous secret are sent too, in ms; absent: a day'),
})
export const onceHeader = z.looseObject({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Identifies this request: repeating it with the same key returns the subscription created before'),
})
export const recovered = z.object({ events: z.int(), starts: z.int(), gaps: z.int() })
export const tested = z.object({ start: text.describe('Start key'), from: z.enum(['history', 'example']).describe('Where the sample comes from') })
const from = z.enum(['history', 'example']).describe('history: the newest matching event; example: the example of the trigger')
export const sample = z.object({ from, start: jsonObject.describe('What the agent would receive') })

export const hook = z.object({
  id: text,
  integration: text,
  connection: text,
  model: text.describe('What it watches, as <kind>:<id>'),
  callbackUrl: text.describe('As registered; the signature may cover it'),
  providerId: text.nullable().describe("The provider's id for it"),
  state: z.enum(['wanted', 'active', 'failing', 'broken', 'deleting', 'deleted']).describe('failing: registered and active, but deliveries fail'),
  stateReason: text.nullable(),
  stateAt: time,
  failures: z.int().describe('Consecutive failures: as last reported by the provider, or the number of deliveries refused here'),
  refused: z.int().describe('Consecutive deliveries refused here since the last accepted one'),
  lastRefusedAt: time.nullable(),
  lastDeliveryAt: time.nullable(),
  createdAt: time,
  updatedAt: time,
})
export const subscriptionDetail = z.object({
  ...subscription.shape,
  hooks: z.array(hook).describe('Our webhooks at the provider that deliver its events; empty where they are polled'),
  lastEventAt: time.nullable().describe('When the newest event of its connection was received'),
  lastStartAt: time.nullable().describe('When its newest start was created, tests included'),
  gaps: z.int().describe('Gaps of what it watches since `startsFrom`, among the newest 100 of its connection; GET /v1/gaps lists them'),
})
export const pruned = z.object({ subscriptions: z.int().describe('Subscriptions paused'), hooks: z.int().describe('Hooks removed from the provider') })

export const gap = z.object({
  id: text,
  connection: text,
  model: text,
  from: time,
  to: time,
  kind: text.describe('What cannot be recovered'),
  reason: text,
  createdAt: time,
})

export const eventState = z.enum(['pending', 'matched'])
const eventShape = {
  id: text,
  connection: text,
  integration: text,
  hook: text.nullable().describe('The hook it was delivered to'),
  type: text,
  at: time.describe("The provider's time"),
  via,
  causedByUs: cause,
  runId: text.nullable().describe('Our run that caused it'),
  depth: z.int().describe('Number of our starts before it in the chain'),
  subject: text.nullable().describe('Id of what it is about'),
  container: text.nullable().describe('Id of where the subject lies'),
  ...namesOf(eventAliases.subject, text.nullable().optional(), 'subject'),
  ...namesOf(eventAliases.container, text.nullable().optional(), 'container'),
  state: eventState.describe('pending: facts needed for matching are still being fetched'),
  createdAt: time.describe('When it was received'),
}

export const startState = z.enum(['pending', 'leased', 'done', 'dead', 'merged', 'paused', 'missed', 'cancelled'])
/** Includes the integration's own names for subject and container, if it has any. */
export const event = z.looseObject({
  ...eventShape,
  starts: z
    .array(z.object({ id: text, subscription: text, state: startState }))
    .optional()
    .describe('What it started, oldest first, at most 2000 starts in a page; absent in the stream, which sends starts by themselves'),
})

const startShape = {
  id: text.describe('The start key: the same event always has the same key for a subscription, however often it is received'),
  subscription: text,
  event: text,
  integration: text,
  trigger: text,
  connection: text,
  subject: text.nullable().describe('Id of what it is about'),
  state: startState.describe(
    'leased: the agent is being called. dead: given up after the last attempt. merged: part of an earlier start of the same quiet period. missed: found too late',
  ),
  attempts: z.int(),
  via,
  causedByUs: cause,
  depth: z.int(),
  late: z.boolean(),
  test: z.boolean(),
  mergedInto: text.nullable(),
  replayOf: text.nullable(),
  dueAt: time.nullable().describe('When the next attempt is due'),
  at: time.describe('When the event happened'),
  answer: z.object({ at: time, status: z.int().nullable(), message: text.nullable(), durationMs: z.number() }).nullable().describe("The agent's last response"),
  createdAt: time,
  endedAt: time.nullable(),
}
export const start = z.object(startShape)
const answers = z
  .array(
    z.object({
      at: time,
      status: z.int().nullable().describe('null: it did not answer'),
      message: text.nullable(),
      durationMs: z.number(),
      nextAt: time.nullable().describe('When the next attempt was due; null: this was the last one before a replay'),
    }),
  )
  .describe('The last 20 attempts, oldest first, including those before a replay')
export const startDetail = z.object({
  ...startShape,
  answers,
  data: data.describe('Data of the trigger; null once retention has removed it. Written by others: untrusted'),
})
export const eventDetail = z.looseObject({
  ...eventShape,
  raw: data.describe("The provider's payload; null once retention has removed it. Untrusted"),
  before: jsonObject
    .nullable()
    .describe('Previous values of the changed properties; null where the event does not include them, or after the retention period. Untrusted'),
  after: jsonObject.nullable().describe('New values of the same properties. Untrusted'),
  starts: z.array(z.object({ ...startShape, answers })).describe('Starts of this event'),
})
export const eventReplayed = z.object({
  replayed: z.int().describe('Starts sent again'),
  started: z.int().describe('New starts, for subscriptions that had none for this event'),
})
export const startsReplayed = z.object({ replayed: z.int() })
export const startReplay = z
  .strictObject({ force: z.boolean().optional().describe('true: with a new start key, so that the agent treats it as new') })
  .nullish()
export const startsReplay = z.strictObject({ subscription: rowId, state: z.enum(['dead', 'missed']).optional().describe('Absent: dead') })

export const undecodable = z.object({
  id: text,
  integration: text,
  connection: text,
  hook: text,
  reason: text,
  createdAt: time,
  text: text.nullable().describe('The first 2000 characters; null once retention has removed it'),
})

const ref = z.object({ kind: text, id: text, name: text.optional(), url: text.optional() })
export const deliveryPreviewBody = z.strictObject({
  integration: rowId,
  connection: rowId.optional().describe('Id or name of the connection; absent: the default connection of the integration'),
  body: z.union([z.string().min(1), jsonObject]).describe('The body of the delivery: its JSON as text, or as an object'),
  headers: z.record(z.string().max(256), z.string().max(8192)).optional().describe('Headers of the delivery, where the integration reads them'),
  model: z.string().max(600).optional().describe('What the hook watches, as <kind>:<id>, where the delivery itself does not say'),
})
export const deliveryPreview = z.object({
  connection: text.describe('Id of the connection'),
  events: z.array(
    z.object({
      id: text,
      type: text,
      at: time.describe("The provider's time"),
      causedByUs: cause,
      known: z.boolean().describe('Already stored: delivering it again would be a repeat'),
      subject: ref.nullable().describe('What it is about. Untrusted'),
      container: ref.nullable().describe('What contains the subject. Untrusted'),
      before: jsonObject.nullable().describe('Previous values of the changed properties. Untrusted'),
      after: jsonObject.nullable().describe('New values of the same properties. Untrusted'),
      subscriptions: z
        .array(
          z.object({
            subscription: text,
            trigger: text,
            agent: text.nullable().describe('Your own id for the agent'),
            starts: z.union([z.boolean(), z.literal('unknown')]).describe('Whether the event would start it'),
            why: z
              .enum(['polled', 'type', 'model', 'paused', 'before_start', 'own_event', 'config', 'started', 'facts', 'defect'])
              .nullable()
              .describe('Why not: the kind of reason'),
            reason: text.nullable().describe('The same as a sentence'),
            fields: z.array(text).describe('Fields of its config that the event does not match'),
            start: text.nullable().describe('Key of the start that it would have, or has'),
          }),
        )
        .describe('Every subscription of the connection'),
    }),
  ),
  ignored: text.nullable().describe('Why it is a delivery without an event, such as a ping'),
  undecodable: text.nullable().describe('Why a part of it cannot be read'),
  more: z.boolean().describe('There are more than the 20 events or 200 subscriptions that a preview shows'),
})

/** Filters by what the platform says of somebody. */
export const ownedBy = (whom: string) => ({
  externalId: id.optional().describe(`The platform's own id of ${whom}`),
  label: labelFilter.optional().describe(`A label of ${whom}, as name:value; repeat it to narrow further`),
})
export const subscriptionFilter = z.strictObject({
  ...page.shape,
  integration: id.optional(),
  trigger: id.optional(),
  connection: id.optional(),
  state: subscriptionState.optional(),
  ...ownedBy('the subscription'),
})
export const hookFilter = z.strictObject({ ...page.shape, connection: id.optional(), integration: id.optional(), ...ownedBy('the connection') })
export const gapFilter = z.strictObject({ ...page.shape, connection: id.optional(), model: z.string().max(600).optional(), ...ownedBy('the connection') })
/** `aliases`: names that integrations declare for subject and container. */
export const eventFilter = (aliases: EventAliases) =>
  z.strictObject({
    ...page.shape,
    connection: id.optional(),
    hook: id.optional(),
    type: id.optional(),
    subject: id.optional().describe('Id of what it is about'),
    container: id.optional().describe('Id of where the subject lies'),
    ...Object.fromEntries(Object.entries(aliases).map(([name, field]) => [name, id.optional().describe(`Another name of ${field}`)])),
    state: eventState.optional(),
    ...ownedBy('the connection'),
  })
export const startFilter = z.strictObject({
  ...page.shape,
  subscription: id.optional(),
  event: id.optional(),
  connection: id.optional(),
  state: startState.optional(),
  ...ownedBy('the subscription or its connection'),
})

/** Schemas that get a name in the OpenAPI document. */
export const namedTriggers = {
  Subscription: subscription,
  SubscriptionDetail: subscriptionDetail,
  AgentTested: agentTested,
  DeliveryPreview: deliveryPreview,
  Hook: hook,
  Gap: gap,
  Event: event,
  EventDetail: eventDetail,
  Start: start,
  StartDetail: startDetail,
  Undecodable: undecodable,
}
