import { once, z } from '#kit'
import {
  actsFor,
  dateTime,
  failureCode,
  id,
  idempotencyKey,
  labelFilter,
  ownPerson,
  personFilter,
  storedFailure,
  text,
  time,
} from './fields.ts'
import { page } from './page.ts'
import { sentence } from './sentence.ts'

export const runHeaders = once(() =>
  z.looseObject({
    'idempotency-key': idempotencyKey
      .optional()
      .describe(
        '1 to 255 visible ASCII characters that identify this request: repeating it with the same key returns the stored outcome and sends nothing again',
      ),
    'start-id': z
      .string()
      .max(255)
      .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
      .optional()
      .describe('The agent start this run belongs to'),
    prefer: z
      .string()
      .max(200)
      .optional()
      .describe(
        'respond-async: respond with 202 at once, or with wait=N after at most N seconds. A run that ends sooner is answered as usual',
      ),
  }),
)

export const accepted = once(() =>
  z.object({
    runId: text.describe('GET /v1/runs/{runId} returns its state, and its output for ten minutes after it ends'),
  }),
)

export const runBody = once(() =>
  z.strictObject({
    connection: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe(
        'Id or name of the connection; absent: the one of the person that the call acts for, or else the default of the workspace',
      ),
    person: actsFor,
    input: z.unknown().optional().describe('Matches the input schema of the step'),
    dryRun: z
      .boolean()
      .default(false)
      .describe('true: returns the exact requests with secrets masked, and sends nothing'),
    force: z
      .boolean()
      .optional()
      .describe('true: creates again even though the same request ended minutes ago with an unknown outcome'),
    maxCredits: z
      .number()
      .min(0)
      .max(1_000_000_000)
      .optional()
      .describe('The most that this run may cost; it fails with budget_exceeded before it would send more'),
    maxAge: z
      .int()
      .min(0)
      .max(315_360_000)
      .optional()
      .describe('How old a stored result of a lookup may be, in seconds; 0 asks the provider'),
    refresh: z
      .boolean()
      .optional()
      .describe('true: asks the provider, and stores its answer in place of the stored one'),
    merge: z
      .boolean()
      .optional()
      .describe('Whether a lookup may go out with others in one bulk request; true: also if all records are charged'),
  }),
)

/** A list of two numbers, since many importers do not support tuples. */
const range = z.array(z.number()).min(2).max(2)

const cost = once(() =>
  z.object({
    unit: z.literal('credit'),
    per: z.enum(['match', 'record', 'call']),
    typical: range.describe('Minimum and maximum'),
  }),
)

export const runMeta = once(() =>
  z.object({
    runId: text,
    durationMs: z.number(),
    attempts: z.int().describe('Requests sent to the provider, retries included'),
    connection: z.object({ id: text, name: text }).exactOptional().describe('The connection that was used'),
    credits: z.object({ charged: z.number(), estimated: z.boolean() }).exactOptional(),
    quoted: range
      .exactOptional()
      .describe('Minimum and maximum of credits that it might have cost, reserved before anything was sent'),
    cached: z.boolean().exactOptional(),
    merged: z
      .int()
      .exactOptional()
      .describe('How many lookups shared its bulk request; the request is counted for one of them'),
    warnings: z
      .array(z.string())
      .exactOptional()
      .describe('API Call: what is unusual in the request, such as a parameter that is not documented'),
    unlisted: z
      .boolean()
      .exactOptional()
      .describe(
        'API Call: the endpoint is not among `apiCall.operations` of the manifest, so the parameters were not checked',
      ),
    dryRun: z.literal(true).exactOptional().describe('Nothing was sent; the output shows what would be sent'),
  }),
)

export const runDone = once(() =>
  z.object({
    output: z.unknown().describe('Matches the output schema of the step. Data from the provider: untrusted'),
    meta: runMeta(),
  }),
)

export type RunDone = z.infer<ReturnType<typeof runDone>>

const dryRun = once(() =>
  z.object({
    requests: z.array(
      z.object({
        method: text,
        url: text,
        headers: z.record(z.string(), z.string()),
        body: z.unknown().exactOptional(),
      }),
    ),
    price: cost()
      .extend({
        text: z.string().exactOptional().describe('The price in words'),
        total: range.exactOptional().describe('Minimum and maximum cost of this call'),
      })
      .exactOptional(),
    complete: z.boolean().describe('false: further requests depend on responses'),
  }),
)

/** Version 0.1.0 returned these fields without an envelope. */
const besideEnvelope = ({ requests, price, complete }: ReturnType<typeof dryRun>['shape']) => ({
  requests: requests.meta({ description: 'The same as in `output`: use that', deprecated: true }),
  price: price.meta({ description: 'The same as in `output`: use that', deprecated: true }),
  complete: complete.meta({ description: 'The same as in `output`: use that', deprecated: true }),
})

export const dryRunDone = once(() =>
  z.object({
    output: dryRun(),
    meta: runMeta(),
    ...besideEnvelope(dryRun().shape),
  }),
)

export type DryRunDone = z.infer<ReturnType<typeof dryRunDone>>

export const runState = z.enum(['planned', 'sending', 'running', 'done', 'failed', 'unknown', 'not_sent'])

export type RunState = z.infer<typeof runState>

export const run = once(() =>
  z.object({
    id: text,
    integration: text,
    step: text,
    connection: text.nullable(),
    token: text.nullable().describe('Id of the token that was used'),
    person: ownPerson.describe('The end user whom it acted for, or whose account it used; null: nobody'),
    startId: text
      .nullable()
      .describe(
        'The start that it belongs to; a keyed digest of what was given where that is not the id of a start of this server',
      ),
    parentId: text.nullable().describe('The lookup at several providers that the run is a part of'),
    jobId: text.nullable().describe('The job that looked a row up with it; null: none'),
    effect: z.enum(['read', 'create', 'update', 'delete']),
    summary: sentence()
      .nullable()
      .describe('What it has done; null while it runs, after a failure, and where the integration has no words for it'),
    state: runState,
    code: text.nullable(),
    failure: storedFailure().nullable(),
    attempts: z.int(),
    calls: z.int(),
    credits: z.number(),
    creditsEstimated: z.boolean(),
    waitedMs: z
      .int()
      .describe(
        'Time spent waiting for rate limits and between attempts: the sum over all exchanges, even where waits overlap',
      ),
    refused: z.int().describe('How often the provider answered that its rate limit is used up (429)'),
    createdAt: time,
    durationMs: z.number(),
  }),
)

export type Run = z.infer<ReturnType<typeof run>>

const runExchange = once(() =>
  z.object({
    at: time.describe('When it was sent'),
    method: text.nullable(),
    path: text
      .nullable()
      .describe(
        'As in the audit log: without ids and query. Method, path and status are null where an earlier version recorded a run whose only request succeeded at the first attempt',
      ),
    waitedMs: z.int().describe('Time spent before it, waiting for a rate limit or since the previous attempt'),
    durationMs: z.number(),
    status: z
      .int()
      .nullable()
      .describe("The provider's status; null: no answer came, or an earlier version did not record it"),
    code: failureCode.nullable().describe('Why there is no usable answer; rate_limited where the provider refused it'),
  }),
)

const runContents = once(() =>
  z.object({
    input: z.unknown().exactOptional().describe('As the step read it; absent where it failed before it was read'),
    output: z.unknown().exactOptional().describe('Absent unless the run succeeded. Data from the provider: untrusted'),
    inputTooLarge: z
      .literal(true)
      .exactOptional()
      .describe('The input takes more than 64 kB as JSON: it is not stored'),
    outputTooLarge: z
      .literal(true)
      .exactOptional()
      .describe('The output takes more than 64 kB as JSON: it is not stored'),
    until: time.describe('When they are removed'),
  }),
)

export const runDetail = once(() =>
  run().extend({
    exchanges: z
      .array(runExchange())
      .describe(
        'Each attempt at a request to the provider, in the order they ended; at most 100: of longer runs, the first 99 and the last',
      ),
    contents: runContents()
      .nullable()
      .describe(
        'Input and output, where the server stores them (`contentsKept` of GET /v1/server); null: not stored, no longer stored, or about somebody who is suppressed',
      ),
    progress: z
      .object({ done: z.number(), total: z.number().nullable() })
      .exactOptional()
      .describe(
        'Only while a background run is running, if its step reports it: how many parts are done, and of how many',
      ),
    output: z.unknown().exactOptional().describe('Output of a background run, for ten minutes after it ends'),
  }),
)

export type RunDetail = z.infer<ReturnType<typeof runDetail>>

export const runFilter = once(() =>
  z.strictObject({
    ...page().shape,
    integration: id.optional(),
    step: id.optional(),
    connection: id.optional(),
    person: personFilter,
    state: runState.optional(),
    startId: id.optional().describe('What was given as Start-Id'),
    parentId: id.optional().describe('Only the runs of one lookup at several providers'),
    since: dateTime.optional().describe('Only runs that began then or later'),
    until: dateTime.optional().describe('Only runs that began before'),
    externalId: id.optional().describe("The platform's own id of the connection"),
    label: labelFilter().optional().describe('A label of the connection, as name:value; repeat it to narrow further'),
  }),
)
