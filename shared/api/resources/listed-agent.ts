import { once, z } from '#kit'
import { id, ownedBy, personFilter, text, time } from './fields.ts'
import { page } from './page.ts'
import { subscription } from './subscription.ts'

const agentAnswer = once(() =>
  z.object({
    at: time,
    ok: z.boolean().describe('Whether the agent took the start: it answered 2xx or 409'),
    status: z.int().nullable().describe('null: it did not answer'),
    message: text.nullable(),
    durationMs: z.number(),
    start: text.describe('The start it answered'),
    subscription: text,
    test: z.boolean(),
  }),
)

export const listedAgent = once(() =>
  z.object({
    name: text.describe(
      'Tells agents apart; the filter `agent` takes it. Your own id for the agent, otherwise its address, otherwise "onStart"',
    ),
    id: text.nullable().describe('Your own id for it'),
    url: text.nullable().describe('The address of its newest subscription; null: the onStart callback'),
    state: z
      .enum(['well', 'failing', 'off', 'paused', 'untried'])
      .describe(
        'well: it took the last start. failing: it refuses the starts of a subscription. off: it failed for days, and starts of a subscription wait until that is resumed. paused: none of its subscriptions waits for events. untried: it was never called',
      ),
    reason: text.nullable().describe('Why it is failing, off or paused'),
    since: time.nullable().describe('Since when it is failing, off or paused'),
    lastStartAt: time.nullable().describe('When its newest start was created, tests included'),
    lastAnswer: agentAnswer().nullable(),
    answers: z.array(agentAnswer()).describe('Its last answers, newest first, at most 10'),
    starts: z
      .record(text, z.int())
      .describe(
        'Starts of the last 24 hours by state, without tests, counted among the newest 100 of each subscription',
      ),
    subscriptions: z.array(subscription()).describe('What starts it, newest first, at most 20'),
    moreSubscriptions: z.int().describe('How many more subscriptions start it'),
  }),
)

export type ListedAgent = z.infer<ReturnType<typeof listedAgent>>

export const agentFilter = once(() =>
  z.strictObject({
    ...page().shape,
    agent: z.string().max(2048).optional().describe('Only the agent with this `name`'),
    integration: id.optional(),
    connection: id.optional(),
    person: personFilter,
    ...ownedBy('the subscription'),
  }),
)
