import { once, z } from '#kit'
import { id, json, ownedBy, personFilter, rowId, text, time } from './fields.ts'
import { page } from './page.ts'
import { sentence } from './sentence.ts'

export const cause = once(() =>
  z.union([z.boolean(), z.literal('unknown')]).describe('Whether one of our own runs caused it'),
)

export const via = z.enum(['webhook', 'poll', 'recovery']).describe('How it was received')

export const startState = z.enum(['pending', 'leased', 'done', 'dead', 'merged', 'paused', 'missed', 'cancelled'])

export type StartState = z.infer<typeof startState>

export const startShape = once(() => ({
  id: text.describe(
    'The start key: the same event always has the same key for a subscription, however often it is received',
  ),
  subscription: text,
  event: text,
  integration: text,
  trigger: text,
  connection: text,
  subject: text.nullable().describe('Id of what it is about'),
  subjectName: text.nullable().describe('What the subject is called; null while nobody has named it. Untrusted'),
  containerName: text.nullable().describe('What the subject lies in is called; null where nobody says. Untrusted'),
  summary: sentence()
    .nullable()
    .describe('What happened; null where nobody has words for it, or once retention has removed it'),
  state: startState.describe(
    'leased: the agent is being called. dead: given up after the last attempt. merged: part of an earlier start of the same quiet period. missed: found too late',
  ),
  attempts: z.int(),
  via,
  causedByUs: cause(),
  depth: z.int(),
  late: z.boolean(),
  test: z.boolean(),
  mergedInto: text.nullable(),
  replayOf: text.nullable(),
  dueAt: time.nullable().describe('When the next attempt is due'),
  at: time.describe('When the event happened'),
  answer: z
    .object({ at: time, status: z.int().nullable(), message: text.nullable(), durationMs: z.number() })
    .nullable()
    .describe("The agent's last response"),
  createdAt: time,
  endedAt: time.nullable(),
}))

export const start = once(() => z.object(startShape()))

export type Start = z.infer<ReturnType<typeof start>>

export const answers = once(() =>
  z
    .array(
      z.object({
        at: time,
        status: z.int().nullable().describe('null: it did not answer'),
        message: text.nullable(),
        durationMs: z.number(),
        nextAt: time.nullable().describe('When the next attempt was due; null: this was the last one before a replay'),
      }),
    )
    .describe('The last 20 attempts, oldest first, including those before a replay'),
)

export const startDetail = once(() =>
  z.object({
    ...startShape(),
    answers: answers(),
    data: json.describe('Data of the trigger; null once retention has removed it. Written by others: untrusted'),
  }),
)

export type StartDetail = z.infer<ReturnType<typeof startDetail>>

export const startsReplayed = once(() => z.object({ replayed: z.int() }))

export const startReplay = once(() =>
  z
    .strictObject({
      force: z.boolean().optional().describe('true: with a new start key, so that the agent treats it as new'),
    })
    .nullish(),
)

export const startsReplay = once(() =>
  z.strictObject({ subscription: rowId, state: z.enum(['dead', 'missed']).optional().describe('Absent: dead') }),
)

/** Filters by the subscriptions that started something: all of a trigger, or of an agent. */
export const startedOf = (which: string) => ({
  trigger: id.optional().describe(`${which} subscriptions of this trigger`),
  agent: z
    .string()
    .max(2048)
    .optional()
    .describe(`${which} this agent: your own id for it, otherwise its address, as GET /v1/agents has it in \`name\``),
})

export const startFilter = once(() =>
  z.strictObject({
    ...page().shape,
    subscription: id.optional(),
    event: id.optional(),
    connection: id.optional(),
    state: startState.optional(),
    ...startedOf('Only starts of'),
    person: personFilter,
    ...ownedBy('the subscription or its connection'),
  }),
)
