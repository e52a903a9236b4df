import { once, z } from '#kit'
import { verdictShape, whyNot } from './delivery-preview.ts'
import { id, json, jsonObject, namesOf, ownedBy, perAliases, text, time } from './fields.ts'
import { page } from './page.ts'
import { sentence } from './sentence.ts'
import { answers, cause, startedOf, startShape, startState, via } from './start.ts'

export const eventState = z.enum(['pending', 'matched'])

const eventShape = perAliases(({ subject, container }) => ({
  id: text,
  connection: text,
  integration: text,
  hook: text.nullable().describe('The hook it was delivered to'),
  type: text,
  at: time.describe("The provider's time"),
  via,
  causedByUs: cause(),
  runId: text.nullable().describe('Our run that caused it'),
  depth: z.int().describe('Number of our starts before it in the chain'),
  subject: text.nullable().describe('Id of what it is about'),
  container: text.nullable().describe('Id of where the subject lies'),
  ...namesOf(subject, text.nullable().optional(), 'subject'),
  ...namesOf(container, text.nullable().optional(), 'container'),
  subjectName: text.nullable().describe('What the subject is called; null while nobody has named it. Untrusted'),
  containerName: text.nullable().describe('What the container is called; null while nobody has named it. Untrusted'),
  summary: sentence()
    .nullable()
    .describe('What happened; null where the integration has no words for it, or once retention has removed it'),
  state: eventState.describe('pending: facts needed for matching are still being fetched'),
  createdAt: time.describe('When it was received'),
}))

/** Includes the integrations' own names for subject and container, if they have any. */
export const event = perAliases((aliases) =>
  z.looseObject({
    ...eventShape(aliases),
    starts: z
      .array(z.object({ id: text, subscription: text, state: startState }))
      .optional()
      .describe(
        'What it started, oldest first, at most 2000 starts in a page; absent in the stream, which sends starts by themselves',
      ),
  }),
)

export type Event = z.infer<ReturnType<typeof event>>

export const eventDetail = perAliases((aliases) =>
  z.looseObject({
    ...eventShape(aliases),
    raw: json.describe("The provider's payload; null once retention has removed it. Untrusted"),
    before: jsonObject()
      .nullable()
      .describe(
        'Previous values of the changed properties; null where the event does not include them, or after the retention period. Untrusted',
      ),
    after: jsonObject().nullable().describe('New values of the same properties. Untrusted'),
    starts: z.array(z.object({ ...startShape(), answers: answers() })).describe('Starts of this event'),
    subscriptions: z
      .array(
        z.object({
          ...verdictShape(),
          starts: z.union([z.boolean(), z.literal('unknown')]).describe('Whether the event started it'),
          why: z
            .enum([...whyNot, 'pending', 'changed'])
            .nullable()
            .describe(
              'Why not: the kind of reason. started: another event with the same key did. pending: the event is still being matched. changed: the subscription, or what it depends on, was different when the event arrived',
            ),
          start: text.nullable().describe('Key of the start that it has'),
        }),
      )
      .describe(
        'Subscriptions of the connection, with the reason why the event started each of them or did not: those that it started, then the newest, at most 100',
      ),
    moreSubscriptions: z.int().describe('How many more subscriptions the connection has'),
  }),
)

export type EventDetail = z.infer<ReturnType<typeof eventDetail>>

export const eventReplayed = once(() =>
  z.object({
    replayed: z.int().describe('Starts sent again'),
    started: z.int().describe('New starts, for subscriptions that had none for this event'),
  }),
)

export const undecodable = once(() =>
  z.object({
    id: text,
    integration: text,
    connection: text,
    hook: text,
    reason: text,
    createdAt: time,
    text: text.nullable().describe('The first 2000 characters; null once retention has removed it'),
  }),
)

export type Undecodable = z.infer<ReturnType<typeof undecodable>>

export const eventFilter = perAliases(({ subject, container }) =>
  z.strictObject({
    ...page().shape,
    connection: id.optional(),
    hook: id.optional(),
    type: id.optional(),
    subject: id.optional().describe('Id of what it is about'),
    container: id.optional().describe('Id of where the subject lies'),
    about: id.optional().describe('Id of either: what it is about, or where that lies'),
    ...namesOf(subject, id.optional(), 'subject'),
    ...namesOf(container, id.optional(), 'container'),
    state: eventState.optional(),
    ...startedOf('Only events that started'),
    ...ownedBy('the connection'),
  }),
)

/** Chooses one of several connections that received the event. */
export const eventConnection = once(() =>
  z.strictObject({
    connection: id
      .optional()
      .describe('Id of the connection, if several received the event; absent: the last one to receive it'),
  }),
)
