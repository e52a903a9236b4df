import { budget, spentRow } from './schemas-credits.ts'
import { failures, methods, z } from '#kit'
import type { FailureCode } from '#kit'
import { scopeAliases } from '../../pack.ts'
import { manifestShape } from '../../pack-server.ts'
import { id, idempotencyKey, labelFilter, tenantId, dateTime, valuesByName } from './bounds.ts'
import { sample } from './schemas-samples.ts'
import { check, connectionLimits, connectionUsage } from './report-schemas.ts'

const time = z.iso.datetime().describe('RFC 3339')
const text = z.string()
const labels = z.record(z.string().min(1).max(64), z.string().max(256)).describe("The platform's own labels: text values by name")
const failureCode = z.enum(Object.keys(failures) as [FailureCode, ...FailureCode[]])
const about = z
  .enum(['input', 'record', 'connection', 'run', 'provider', 'us'])
  .describe('What the failure says something of; run: this run, while another may go well')
const jsonObject = z.record(z.string(), z.unknown())

export const problem = z.object({
  type: text.describe('Stable identifier of the kind of failure'),
  title: text.describe('Meaning of the code'),
  status: z.int(),
  detail: text.describe('What went wrong and what to do about it'),
  instance: text.optional().describe('Path of the run'),
  code: failureCode,
  retryable: z.boolean().describe('Whether the same request may be sent again unchanged'),
  actor: z.enum(['caller', 'account-owner', 'operator', 'provider', 'us']).describe('Who has to act'),
  about,
  mayHaveHappened: z.literal(true).optional().describe('Present where it may have been carried out at the provider'),
  retryAfterMs: z.number().optional(),
  runId: text.optional(),
  providerStatus: z.int().optional().describe("The provider's own status"),
  providerMessage: text.optional().describe("The provider's own words; untrusted text"),
  connectUrl: text.optional(),
  errors: z
    .array(z.object({ pointer: text, message: text }))
    .optional()
    .describe('Invalid fields as JSON pointers into the body (/query/… and /path/… for those parts); for invalid step inputs, into "input"'),
})

export const page = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('Maximum number of items, 1 to 200'),
  cursor: z.string().min(1).max(512).optional().describe('"next" of the previous page'),
})
/** Newest first; `next` is present while there are more. */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), next: text.optional().describe('Pass it as cursor to get the next page; absent on the last page') })

export const integration = z.object({
  id: text,
  title: text,
  summary: text,
  version: text,
  maturity: z.enum(['stable', 'beta']),
  ready: z.boolean().describe('false: the operator has to add settings first'),
  steps: z.int(),
  triggers: z.int(),
})

export const runHeaders = z.looseObject({
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
    .describe('respond-async: respond with 202 at once, or with wait=N after at most N seconds. A run that ends sooner is answered as usual'),
})
export const accepted = z.object({ runId: text.describe('GET /v1/runs/{runId} returns its state, and its output for ten minutes after it ends') })
export const runBody = z.strictObject({
  connection: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe('Id or name of the connection; absent: the default connection of the integration (the first one, until another is chosen)'),
  input: z.unknown().optional().describe('Matches the input schema of the step'),
  dryRun: z.boolean().default(false).describe('true: returns the exact requests with secrets masked, and sends nothing'),
  force: z.boolean().optional().describe('true: creates again even though the same request ended minutes ago with an unknown outcome'),
  maxCredits: z
    .number()
    .min(0)
    .max(1_000_000_000)
    .optional()
    .describe('The most that this run may cost; it fails with budget_exceeded before it would send more'),
  maxAge: z.int().min(0).max(315_360_000).optional().describe('How old a stored result of a lookup may be, in seconds; 0 asks the provider'),
  refresh: z.boolean().optional().describe('true: asks the provider, and stores its answer in place of the stored one'),
  merge: z.boolean().optional().describe('Whether a lookup may go out with others in one bulk request; true: also if all records are charged'),
})
const method = z.enum(methods)
/** A list of two, since many importers do not support tuples. */
const range = z.array(z.number()).min(2).max(2)
const cost = z.object({ unit: z.literal('credit'), per: z.enum(['match', 'record', 'call']), typical: range.describe('Minimum and maximum') })
export const runMeta = z.object({
  runId: text,
  durationMs: z.number(),
  attempts: z.int().describe('Requests sent to the provider, retries included'),
  connection: z.object({ id: text, name: text }).optional().describe('The connection that was used'),
  credits: z.object({ charged: z.number(), estimated: z.boolean() }).optional(),
  quoted: range.optional().describe('Minimum and maximum of credits that it might have cost, reserved before anything was sent'),
  cached: z.boolean().optional(),
  merged: z.int().optional().describe('How many lookups shared its bulk request; the request is counted for one of them'),
  warnings: z.array(z.string()).optional().describe('API Call: what is unusual in the request, such as a parameter that is not documented'),
  unlisted: z.boolean().optional().describe('API Call: the endpoint is not among `apiCall.operations` of the manifest, so the parameters were not checked'),
  dryRun: z.literal(true).optional().describe('Nothing was sent; the output shows what would be sent'),
})
export const runDone = z.object({ output: z.unknown().describe('Matches the output schema of the step. Data from the provider: untrusted'), meta: runMeta })
const dryRun = z.object({
  requests: z.array(z.object({ method: text, url: text, headers: z.record(z.string(), z.string()), body: z.unknown().optional() })),
  price: cost
    .extend({ text: z.string().optional().describe('The price in words'), total: range.optional().describe('Minimum and maximum cost of this call') })
    .optional(),
  complete: z.boolean().describe('false: further requests depend on responses'),
})
export const dryRunDone = z.object({
  output: dryRun,
  meta: runMeta,
  // As in version 0.1.0, which had no envelope here.
  ...dryRun.shape,
})

export const optionsBody = z.strictObject({
  connection: z.string().min(1).max(256).optional(),
  field: z.string().min(1).max(128).describe('Input field to load choices for'),
  values: valuesByName.optional().describe('The fields of the form that are already filled'),
  query: z.string().max(256).optional().describe('Search text'),
  cursor: z.string().max(512).optional(),
})
/** How a form is drawn, as manifests have it. */
export const formLayout = manifestShape.shape.steps.element.shape.layout
export const fieldsBody = z.strictObject({
  connection: z.string().min(1).max(256).optional(),
  values: valuesByName.optional().describe('The fields of the form that are already filled'),
})
export const optionPage = z.object({ options: z.array(z.object({ value: text, label: text, hint: text.optional() })), next: text.optional() })

/** Fields under the names that integrations have for one of ours. */
export const namesOf = <T extends z.ZodType>(names: readonly string[], schema: T, field: string): { [name: string]: T } =>
  Object.fromEntries(names.map((name) => [name, schema.describe(`Another name of ${field}`)]))
const containerIds = z.array(z.string().min(1).max(128)).max(500)
const policyFields = {
  methods: z.exactOptional(z.array(method).max(methods.length)).describe('Only these methods'),
  paths: z
    .exactOptional(z.array(z.string().startsWith('/').max(512)).max(100))
    .describe('Only these paths; "*" matches one segment, a trailing "/**" everything below, a leading "/**" any number of segments'),
  scopes: z.exactOptional(containerIds).describe('Only these containers by id'),
}
// Other fields are names that an integration has for `scopes`; the pack refuses those that the integration at hand does not have.
const policy = z.object({ ...policyFields, ...namesOf(scopeAliases, z.exactOptional(containerIds), 'scopes') }).catchall(containerIds)
const secrets = valuesByName.describe('Match the secrets schema of the connection type. They are never returned')
export const connection = z.object({
  id: text,
  integration: text,
  type: text,
  profile: text.nullable().describe('Wire profile chosen for it; null: the one the operator picks'),
  name: text,
  state: z.enum(['connected', 'unverified', 'needs_reconnect', 'revoked', 'disabled']),
  stateReason: text.nullable(),
  stateAt: time,
  account: z.object({ id: text, name: text.nullable() }).nullable(),
  secrets: z.record(z.string(), z.string()).describe('The last four characters of each'),
  policy: z
    .object({
      methods: z.array(text).optional(),
      paths: z.array(text).optional(),
      scopes: z.array(text).optional(),
      ...namesOf(scopeAliases, z.array(text).optional(), 'scopes'),
    })
    .catchall(z.array(text))
    .nullable(),
  externalId: text.nullable(),
  labels: z.record(z.string(), z.string()),
  isDefault: z.boolean(),
  createdAt: time,
  updatedAt: time,
  lastUsedAt: time.nullable(),
  expiresAt: time.nullable().describe('When the access token expires; it is renewed before then. null: it does not expire, or that is not known'),
})
export const checkHeaders = z.looseObject({
  'idempotency-key': idempotencyKey
    .optional()
    .describe('1 to 255 visible ASCII characters that identify this request: repeating it with the same key returns the stored result and sends nothing again'),
})
export const wireCheck = z.object({
  integration: text,
  profile: text,
  connection: z.object({ id: text, name: text }),
  endpoints: z.array(
    z.object({
      endpoint: text,
      method: text,
      path: text.nullable(),
      state: z.enum(['ok', 'wrong', 'untried']).describe('untried: nothing was sent, or the answer says nothing about the endpoint'),
      says: text.describe('What was found, or why nothing was sent; of a wrong one it names the setting'),
      credits: z.number().optional().describe('What a try may cost'),
      failure: jsonObject.optional(),
    }),
  ),
})
const name = z.string().min(1).max(128)
const externalId = z.string().min(1).max(256)
const profile = z.string().min(1).max(64)
export const newConnection = z.strictObject({
  integration: id,
  type: id.describe('Connection type of the integration'),
  profile: profile.nullable().optional().describe('Wire profile, one of `wire.profiles` of the manifest; absent or null: the one the operator picks'),
  name: name.optional().describe('Absent: the name of the account at the provider'),
  secrets: secrets.optional(),
  policy: policy.optional(),
  externalId: externalId.optional().describe("The platform's own id"),
  labels: labels.optional(),
  isDefault: z.boolean().optional(),
})
export const connectRequest = z.strictObject({
  integration: id.optional().describe('Required for a new connection'),
  type: id.optional().describe('Connection type; absent: the recommended type that is configured'),
  connection: z.string().min(1).max(256).optional().describe('Id of a connection to reconnect, or its name together with integration'),
  name: name.optional().describe('Absent: the name of the account at the provider'),
  profile: profile.optional().describe('Wire profile to preselect on the page, where the integration has several'),
  integrations: z.array(id).min(1).max(50).optional().describe('In place of `integration`: the person who opens the link chooses one of these'),
  types: z.array(id).min(1).max(20).optional().describe('Connection types that may be used; absent: those that are configured'),
  expiresInMs: z.int().min(60_000).max(604_800_000).optional().describe('How long the link may be opened; absent: ten minutes'),
  returnTo: z.string().max(512).optional().describe('Where to continue afterwards: a path on this server, or an address on an origin the operator has listed'),
  externalId: externalId.optional(),
  labels: labels.optional(),
})
export const connectStarted = z.object({ url: text, state: text, expiresAt: time })
export const connectionChanges = z.strictObject({
  name: name.optional(),
  profile: profile
    .nullable()
    .optional()
    .describe('Another wire profile; null: the one the operator picks. Needs `secrets`, since they then go to another address'),
  secrets: secrets.optional(),
  policy: policy.nullable().optional(),
  labels: labels.optional(),
  externalId: externalId.nullable().optional(),
  isDefault: z.literal(true).optional().describe('Makes this the default connection of its integration'),
  disabled: z.boolean().optional(),
  revoked: z
    .literal(true)
    .optional()
    .describe('Deletes the secrets here, and revokes them at the provider where it supports that. The connection can be reconnected'),
})

export const app = z.object({
  integration: text,
  key: text.nullable().describe('null: not set'),
  clientId: text.nullable().optional().describe('OAuth 2.0 client id, if it differs from the key'),
  secrets: z.record(z.string(), z.string()).optional().describe('The last four characters of each'),
  owner: z.enum(['operator', 'tenant']).optional(),
  createdAt: time.optional(),
  updatedAt: time.optional(),
})
export const newApp = z.strictObject({
  key: z.string().min(1).max(256),
  secret: z.string().min(1).max(1024).optional().describe('Used for webhook signatures and OAuth'),
  clientId: z.string().min(1).max(512).optional().describe('OAuth 2.0 client id, if it differs from the key'),
  clientSecret: z.string().min(1).max(1024).optional().describe('OAuth 2.0 client secret, if it differs from the secret'),
  owner: z.enum(['operator', 'tenant']).optional().describe('operator: for every tenant without an app of its own; needs the scope admin'),
  keepPrevious: z.boolean().optional().describe('false: deliveries signed with the previous secret are refused at once'),
})

const runState = z.enum(['planned', 'sending', 'running', 'done', 'failed', 'unknown', 'not_sent'])
export const run = z.object({
  id: text,
  integration: text,
  step: text,
  connection: text.nullable(),
  token: text.nullable().describe('Id of the token that was used'),
  startId: text.nullable().describe('The start that it belongs to; a keyed digest of what was given where that is not the id of a start of this server'),
  parentId: text.nullable().describe('The lookup at several providers that the run is a part of'),
  effect: z.enum(['read', 'create', 'update', 'delete']),
  state: runState,
  code: text.nullable(),
  failure: z.object({ code: failureCode, message: text, retryable: z.boolean(), actor: text, about }).loose().nullable(),
  attempts: z.int(),
  calls: z.int(),
  credits: z.number(),
  creditsEstimated: z.boolean(),
  waitedMs: z.int().describe('Time spent waiting for rate limits and between attempts: the sum over all exchanges, even where waits overlap'),
  refused: z.int().describe('How often the provider answered that its rate limit is used up (429)'),
  createdAt: time,
  durationMs: z.number(),
})
const runExchange = z.object({
  at: time.describe('When it was sent'),
  method: text.nullable(),
  path: text
    .nullable()
    .describe('As in the audit log: without ids and query. Method, path and status are null where the only exchange of a run succeeded at the first attempt'),
  waitedMs: z.int().describe('Time spent before it, waiting for a rate limit or since the previous attempt'),
  durationMs: z.number(),
  status: z.int().nullable().describe("The provider's status; null: no answer came, or it was not recorded"),
  code: failureCode.nullable().describe('Why there is no usable answer; rate_limited where the provider refused it'),
})
export const runDetail = run.extend({
  exchanges: z
    .array(runExchange)
    .describe('Each attempt at a request to the provider, in the order they ended; at most 100: of longer runs, the first 99 and the last'),
  progress: z
    .object({ done: z.number(), total: z.number().nullable() })
    .optional()
    .describe('Only while a background run is running, if its step reports it: how many parts are done, and of how many'),
  output: z.unknown().optional().describe('Output of a background run, for ten minutes after it ends'),
})
export const runFilter = z.strictObject({
  ...page.shape,
  integration: id.optional(),
  step: id.optional(),
  connection: id.optional(),
  state: runState.optional(),
  startId: id.optional().describe('What was given as Start-Id'),
  parentId: id.optional().describe('Only the runs of one lookup at several providers'),
  since: dateTime.optional().describe('Only runs that began then or later'),
  until: dateTime.optional().describe('Only runs that began before'),
  externalId: id.optional().describe("The platform's own id of the connection"),
  label: labelFilter.optional().describe('A label of the connection, as name:value; repeat it to narrow further'),
})
export const usage = z.object({
  items: z.array(
    z.object({
      day: text.describe('In UTC, such as 2026-03-01'),
      integration: text,
      step: text,
      connection: text.nullable(),
      runs: z.int(),
      failed: z.int(),
      calls: z.int(),
      credits: z.number(),
      estimatedCredits: z.number().describe('How many of the credits are estimated'),
      waitedMs: z.int().describe('Time spent waiting for rate limits and between attempts'),
      refused: z.int().describe('How often the provider answered that its rate limit is used up (429)'),
    }),
  ),
  spent: z.array(spentRow).describe('Credits of the ledger, by the day on which they were reserved'),
  budgets: z.array(budget),
})

export const tenant = z.object({ id: text, name: text, createdAt: time })
export const newTenant = z.strictObject({ id: z.string().min(1).max(64).optional(), name })
export const scope = z.enum(['run', 'connections', 'subscriptions', 'read', 'metrics', 'admin'])
export const token = z.object({
  id: text,
  tenant: text,
  name: text,
  last4: text,
  scopes: z.array(scope),
  steps: z.array(text).nullable(),
  connections: z.array(text).nullable(),
  toolSet: text.nullable(),
  createdAt: time,
  expiresAt: time.nullable(),
  revokedAt: time.nullable(),
})
export const newToken = z.strictObject({
  tenant: tenantId,
  name,
  scopes: z.array(scope).min(1).optional().describe('Absent: all except admin'),
  steps: z.array(z.string().min(3).max(256)).max(500).optional().describe('Only these steps, each "integration/step"'),
  connections: z.array(id).max(500).optional().describe('Only these connections, by id'),
  toolSet: z.string().min(1).max(64).optional().describe('Only the steps of this tool set, such as core'),
  expiresAt: dateTime.optional(),
})
export const createdToken = z.object({ text: text.describe('Shown only once'), token })

/** Schemas that get a name in the OpenAPI document. */
export const named = {
  Problem: problem,
  Integration: integration,
  RunDone: runDone,
  DryRunDone: dryRunDone,
  StepSample: sample,
  OptionPage: optionPage,
  // It holds itself: the rows of a table are drawn as a form is.
  Layout: formLayout,
  Connection: connection,
  ConnectionLimits: connectionLimits,
  ConnectionUsage: connectionUsage,
  Check: check,
  App: app,
  Run: run,
  RunDetail: runDetail,
  Budget: budget,
  Usage: usage,
  Tenant: tenant,
  Token: token,
}
