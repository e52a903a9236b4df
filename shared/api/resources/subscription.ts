import { once, z } from '#kit'
import { newAgent } from './agent.ts'
import {
  actsFor,
  externalId,
  id,
  jsonObject,
  labels,
  ownedBy,
  ownPerson,
  personFilter,
  rowId,
  text,
  time,
  valuesByName,
} from './fields.ts'
import { page } from './page.ts'
import { hook } from './hook.ts'
import { sentence } from './sentence.ts'
import { subscriptionOptions } from './subscription-options.ts'

const delivery = z.enum(['webhook', 'poll'])

export const subscriptionState = z.enum([
  'pending',
  'active',
  'failing',
  'paused',
  'paused_auth',
  'paused_model',
  'paused_agent',
])

export type SubscriptionState = z.infer<typeof subscriptionState>

export const subscription = once(() =>
  z.object({
    id: text,
    integration: text,
    trigger: text,
    connection: text,
    config: jsonObject(),
    summary: sentence().nullable().describe('What it waits for; null where the integration has no words for it'),
    agent: z.object({
      id: text.nullable(),
      url: text.nullable(),
      secret: text.exactOptional().describe('Signs the starts; returned only when it is created'),
      previousSecretUntil: time.exactOptional().describe('Until when starts are signed with the previous secret too'),
    }),
    options: z.object(subscriptionOptions().shape),
    delivery: delivery.describe('How its events are received'),
    state: subscriptionState.describe(
      'failing: its agent did not take the last start; events still start it, and it is active again with the first start that is taken. paused_auth: reconnect the account. paused_model: what it watches was closed or deleted, or can no longer be read. paused_agent: its agent failed for days; starts wait until it is resumed',
    ),
    stateReason: text.nullable(),
    stateAt: time,
    startsFrom: time.describe('Events before this time start nothing'),
    recoverable: z
      .enum(['all', 'some', 'none'])
      .nullable()
      .describe('How many of the events that happen during downtime can be recovered afterwards'),
    caveat: text.nullable(),
    whyWebhookOnly: z
      .record(text, text)
      .exactOptional()
      .describe('Why events of a type cannot be recovered, by type. Absent: no reason is stated'),
    externalId: text.nullable(),
    person: ownPerson,
    labels: z.record(z.string(), z.string()),
    createdAt: time,
    updatedAt: time,
  }),
)

export type Subscription = z.infer<ReturnType<typeof subscription>>

const triggerConfig = once(() =>
  valuesByName().describe(
    "Matches the config schema of the trigger; load the choices of its fields from the trigger's options route",
  ),
)

const newOptions = once(() => {
  const { startFrom } = subscriptionOptions().shape
  return subscriptionOptions().extend({ startFrom: startFrom.unwrap().max(64).optional().meta(startFrom.meta()!) })
})

export const newSubscription = once(() =>
  z.strictObject({
    integration: rowId,
    trigger: rowId.describe('Id of the trigger, as in the manifest'),
    connection: rowId
      .optional()
      .describe(
        'Id or name of the connection; absent: the one of the person that the call acts for, or else the default of the workspace',
      ),
    config: triggerConfig().optional(),
    agent: newAgent().optional(),
    options: newOptions().optional(),
    externalId: externalId.optional().describe("The platform's own id"),
    person: actsFor,
    labels: labels().optional(),
  }),
)

export const subscriptionChanges = once(() =>
  z.strictObject({
    config: triggerConfig().optional().describe('The whole config; anything newly watched is watched from now on'),
    agent: newAgent().optional(),
    options: newOptions().optional().describe('All options; delivery and startFrom can only be set on creation'),
    externalId: externalId.nullable().optional(),
    labels: labels().optional(),
    paused: z.boolean().optional().describe('true: events from now on start nothing. false: resumes from now on'),
    upgrade: z
      .literal(true)
      .optional()
      .describe('Moves it to the trigger that replaces its deprecated one, with the config that does the same'),
  }),
)

export const onceHeader = once(() =>
  z.looseObject({
    'idempotency-key': z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe('Identifies this request: repeating it with the same key returns the subscription created before'),
  }),
)

export const recovered = once(() => z.object({ events: z.int(), starts: z.int(), gaps: z.int() }))

export type Recovered = z.infer<ReturnType<typeof recovered>>

export const tested = once(() =>
  z.object({
    start: text.describe('Start key'),
    from: z.enum(['history', 'example']).describe('Where the sample comes from'),
  }),
)

const sampleOrigin = z
  .enum(['history', 'example'])
  .describe('history: the newest matching event; example: the example of the trigger')

export const subscriptionSample = once(() =>
  z.object({ from: sampleOrigin, start: jsonObject().describe('What the agent would receive') }),
)

export type SubscriptionSample = z.infer<ReturnType<typeof subscriptionSample>>

export const subscriptionDetail = once(() =>
  z.object({
    ...subscription().shape,
    hooks: z
      .array(hook())
      .describe('Our webhooks at the provider that deliver its events; empty where they are polled'),
    lastEventAt: time.nullable().describe('When the newest event of its connection was received'),
    lastStartAt: time.nullable().describe('When its newest start was created, tests included'),
    gaps: z
      .int()
      .describe(
        'Gaps of what it watches since `startsFrom`, among the newest 100 of its connection; GET /v1/gaps lists them',
      ),
  }),
)

export type SubscriptionDetail = z.infer<ReturnType<typeof subscriptionDetail>>

export const subscriptionFilter = once(() =>
  z.strictObject({
    ...page().shape,
    integration: id.optional(),
    trigger: id.optional(),
    connection: id.optional(),
    state: subscriptionState.optional(),
    person: personFilter,
    ...ownedBy('the subscription'),
  }),
)
