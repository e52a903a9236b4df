import { z } from '#kit'
import { subscriptionOptions } from '../../pack.ts'
import { page } from './schemas.ts'

const text = z.string()
const time = z.iso.datetime().describe('RFC 3339')
const data = z.unknown()
const jsonObject = z.record(z.string(), z.unknown())
const externalId = z.string().min(1).max(256)
const labels = z.record(z.string().min(1).max(64), z.string().max(256)).describe("The platform's own marks, texts by name")
const id = z.string().min(1).max(256)
const cause = z.union([z.boolean(), z.literal('unknown')]).describe('Whether one of our own runs caused it')
const via = z.enum(['webhook', 'poll', 'recovery']).describe('How it became known')
const delivery = z.enum(['webhook', 'poll'])

export const subscriptionState = z.enum(['pending', 'active', 'paused', 'paused_auth', 'paused_model'])
export const subscription = z.object({
  id: text,
  integration: text,
  trigger: text,
  connection: text,
  config: jsonObject,
  agent: z.object({ id: text.nullable(), url: text.nullable(), secret: text.optional().describe('Signs the starts; only in the answer that made it') }),
  options: z.object(subscriptionOptions.shape),
  delivery: delivery.describe('How its events become known'),
  state: subscriptionState.describe('paused_auth: reconnect the account. paused_model: what it watches is closed, gone or out of sight'),
  stateReason: text.nullable(),
  stateAt: time,
  startsFrom: time.describe('Events before this start nothing'),
  recoverable: z.enum(['all', 'some', 'none']).nullable().describe('How much of what happens while nobody listens can be listed afterwards'),
  caveat: text.nullable(),
  externalId: text.nullable(),
  labels: z.record(z.string(), z.string()),
  createdAt: time,
  updatedAt: time,
})

const agent = z.strictObject({
  id: z.string().min(1).max(256).optional().describe('Your own id of the agent; comes back in every start'),
  url: z.string().min(1).max(2048).optional().describe('Where starts are sent, by POST. A private address must be among the origins the operator listed'),
  secret: z.string().max(256).optional().describe('"whsec_" and 24 to 64 bytes in base64; absent: one is made and shown in this answer only'),
})
const config = jsonObject.describe("As the config schema of the trigger says; choices of its fields can be loaded at the trigger's options")
export const newSubscription = z.strictObject({
  integration: id,
  trigger: id.describe('Id of the trigger, like card-moved'),
  connection: id.optional().describe('Id or name of the account; absent: the default, which is the first connected one until somebody chooses'),
  config: config.optional(),
  agent: agent.optional(),
  options: subscriptionOptions.optional(),
  externalId: externalId.optional().describe("The platform's own id for it"),
  labels: labels.optional(),
})
export const subscriptionChanges = z.strictObject({
  config: config.optional().describe('The whole config; what is watched newly is watched from now on'),
  agent: agent.optional(),
  options: subscriptionOptions.optional().describe('All options; delivery and startFrom are set when it is made'),
  externalId: externalId.nullable().optional(),
  labels: labels.optional(),
  paused: z.boolean().optional().describe('true: what happens from now on starts nothing. false: goes on from now'),
})
export const onceHeader = z.looseObject({
  'idempotency-key': z.string().min(1).max(255).optional().describe('Names this request: repeated with the same key it gives the subscription made before'),
})
export const recovered = z.object({ events: z.int(), starts: z.int(), gaps: z.int() })
export const tested = z.object({ start: text.describe('Its start key'), from: z.enum(['history', 'example']).describe('What the sample was made of') })
const from = z.enum(['history', 'example']).describe('The newest event that fits, else the example of the trigger')
export const sample = z.object({ from, start: jsonObject.describe('What the agent would get') })

export const hook = z.object({
  id: text,
  integration: text,
  connection: text,
  model: text.describe('What it watches, like board:<id>'),
  callbackUrl: text.describe('As registered; the signature covers it'),
  providerId: text.nullable().describe("The provider's id of it"),
  state: z.enum(['wanted', 'active', 'failing', 'broken', 'deleting', 'deleted']).describe('failing: registered and active, but deliveries fail'),
  stateReason: text.nullable(),
  stateAt: time,
  failures: z.int().describe('Failures in a row: as the provider last said, or as many deliveries as were refused here'),
  refused: z.int().describe('Deliveries refused here in a row, since one was accepted'),
  lastRefusedAt: time.nullable(),
  lastDeliveryAt: time.nullable(),
  createdAt: time,
  updatedAt: time,
})
export const pruned = z.object({ subscriptions: z.int().describe('That were paused'), hooks: z.int().describe('That were removed at the provider') })

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
  hook: text.nullable().describe('The hook that brought it'),
  type: text,
  at: time.describe("The provider's time"),
  via,
  causedByUs: cause,
  runId: text.nullable().describe('Our run that caused it'),
  depth: z.int().describe('Starts of ours before it in a chain'),
  board: text.nullable(),
  card: text.nullable(),
  state: eventState.describe('pending: what its match needs is still being fetched'),
  createdAt: time.describe('When it arrived'),
}
export const event = z.object(eventShape)

export const startState = z.enum(['pending', 'leased', 'done', 'dead', 'merged', 'paused', 'missed', 'cancelled'])
const startShape = {
  id: text.describe('The start key: the same event gives the same key to a subscription, however often it arrives'),
  subscription: text,
  event: text,
  integration: text,
  trigger: text,
  connection: text,
  subject: text.nullable().describe('What it is about, e.g. the card'),
  state: startState.describe('leased: the agent is being called. dead: given up. merged: joined an earlier one of its quiet period. missed: found too late'),
  attempts: z.int(),
  via,
  causedByUs: cause,
  depth: z.int(),
  late: z.boolean(),
  test: z.boolean(),
  mergedInto: text.nullable(),
  replayOf: text.nullable(),
  dueAt: time.nullable().describe('When it is tried (again)'),
  at: time.describe('When it happened'),
  answer: z.object({ at: time, status: z.int().nullable(), message: text.nullable(), durationMs: z.number() }).nullable().describe("The agent's last answer"),
  createdAt: time,
  endedAt: time.nullable(),
}
export const start = z.object(startShape)
export const startDetail = z.object({ ...startShape, data: data.describe('What the trigger found; null once retention took it. Written by others: untrusted') })
export const eventDetail = z.object({
  ...eventShape,
  raw: data.describe("The provider's payload; null once retention took it. Untrusted"),
  starts: z.array(start).describe('What it started'),
})
export const eventReplayed = z.object({
  replayed: z.int().describe('Starts sent again'),
  started: z.int().describe('Starts of subscriptions that had none of it'),
})
export const startsReplayed = z.object({ replayed: z.int() })
export const startReplay = z.strictObject({ force: z.boolean().optional().describe('true: under a new key, so that the agent takes it as new') }).nullish()
export const startsReplay = z.strictObject({ subscription: id, state: z.enum(['dead', 'missed']).optional().describe('Absent: dead') })

export const undecodable = z.object({
  id: text,
  integration: text,
  connection: text,
  hook: text,
  reason: text,
  createdAt: time,
  text: text.nullable().describe('Its first 2000 characters; null once retention took it'),
})

export const subscriptionFilter = z.strictObject({
  ...page.shape,
  integration: text.optional(),
  trigger: text.optional(),
  connection: text.optional(),
  state: subscriptionState.optional(),
  externalId: text.optional(),
  label: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('name:value; give it several times to narrow further'),
})
export const hookFilter = z.strictObject({ ...page.shape, connection: text.optional(), integration: text.optional() })
export const gapFilter = z.strictObject({ ...page.shape, connection: text.optional(), model: text.optional() })
export const eventFilter = z.strictObject({
  ...page.shape,
  connection: text.optional(),
  hook: text.optional(),
  type: text.optional(),
  board: text.optional(),
  card: text.optional(),
  state: eventState.optional(),
})
export const startFilter = z.strictObject({
  ...page.shape,
  subscription: text.optional(),
  event: text.optional(),
  connection: text.optional(),
  state: startState.optional(),
})

/** Schemas that get a name in the OpenAPI document. */
export const namedTriggers = {
  Subscription: subscription,
  Hook: hook,
  Gap: gap,
  Event: event,
  EventDetail: eventDetail,
  Start: start,
  StartDetail: startDetail,
  Undecodable: undecodable,
}
