// Built by `npm run manifests`: the named schemas of the OpenAPI document.

export type AgentTested = {
  /** `webhook-id` of the call */
  id: string
  /** Whether the agent would take a start: it answered 2xx or 409 */
  ok: boolean
  /** null: there was no answer */
  status: number | null
  /** What a start would store of the answer, or why there was none */
  message: string | null
  /** What to do; null if it is `ok` */
  remedy: string | null
  /** Whose secret signed the call: of the subscription, the given one, or one made for this test */
  signedWith: 'subscription' | 'given' | 'made'
  durationMs: number
  [field: string]: unknown
}

export type App = {
  integration: string
  /** null: not set */
  key: string | null
  /** OAuth 2.0 client id, if it differs from the key */
  clientId?: string | null
  /** The last four characters of each */
  secrets?: {
    [field: string]: string
  }
  owner?: 'operator' | 'tenant'
  /** RFC 3339 */
  createdAt?: string
  /** RFC 3339 */
  updatedAt?: string
  [field: string]: unknown
}

export type AuditRow = {
  /** Consecutive number per tenant, without gaps */
  seq: number
  /** RFC 3339 */
  at: string
  tenant: string
  /** Id of the token, "library" or "process" */
  actor: string
  startId: string | null
  runId: string | null
  integration: string | null
  connection: string | null
  /** Method of the request to the provider; "verb" for operations of this server */
  method: string
  /** Path with ids replaced by {id}, or the name of the operation */
  path: string
  /** "ok" or a failure code */
  outcome: string
  providerStatus: number | null
  decision: string
  keyId: string | null
  /** Hash of the previous row */
  before: string
  hash: string
  [field: string]: unknown
}

export type AuditVerdict = {
  ok: boolean
  rows?: number
  /** Rows before this one were written by a version that did not sign the audit trail */
  keyedFrom?: number
  seq?: number
  reason?: string
  [field: string]: unknown
}

export type Budget = {
  id: string
  scope: 'tenant' | 'connection' | 'token'
  subject: string | null
  integration: string | null
  credits: number
  period: 'day' | 'week' | 'month' | 'total'
  timeZone: string
  /** Share of the credits from which the notification budget.warned is sent; null: never */
  warnAt: number | null
  /** In this period */
  spent: number
  /** By runs that are being sent, and by those of unknown outcome that nobody has resolved */
  reserved: number
  remaining: number
  /** RFC 3339 */
  periodStart: string
  /** null: it does not end */
  periodEnd: string | null
  /** When nothing remains, at the pace of this period so far; null: not in this period */
  projectedRunOutAt: string | null
  /** RFC 3339 */
  createdAt: string
  /** RFC 3339 */
  updatedAt: string
  [field: string]: unknown
}

export type Check = {
  /** The same each time for the same finding */
  id: string
  /** problem: does not work; warning: works, but something should be done */
  level: 'ok' | 'warning' | 'problem'
  /** What was checked */
  title: string
  /** What was found */
  detail: string
  /** What to do about it; null: nothing */
  remedy: string | null
  [field: string]: unknown
}

export type Connection = {
  id: string
  integration: string
  type: string
  /** Wire profile chosen for it; null: the one the operator picks */
  profile: string | null
  name: string
  state: 'connected' | 'unverified' | 'needs_reconnect' | 'revoked' | 'disabled'
  stateReason: string | null
  /** RFC 3339 */
  stateAt: string
  account: {
    id: string
    name: string | null
    [field: string]: unknown
  } | null
  /** The last four characters of each */
  secrets: {
    [field: string]: string
  }
  policy: {
    methods?: string[]
    paths?: string[]
    scopes?: string[]
    /** Another name of scopes */
    boards?: string[]
    [field: string]: unknown
  } | null
  externalId: string | null
  labels: {
    [field: string]: string
  }
  isDefault: boolean
  /** RFC 3339 */
  createdAt: string
  /** RFC 3339 */
  updatedAt: string
  lastUsedAt: string | null
  /** When the access token expires; it is renewed before then. null: it does not expire, or that is not known */
  expiresAt: string | null
  [field: string]: unknown
}

export type ConnectionLimits = {
  /** The limits of the wire profile */
  windows: Array<{
    /** What the provider counts: calls of this connection, of all connections of one app, or of one path family */
    per: 'connection' | 'app' | 'route'
    /** Path family that the limit is for */
    route: string | null
    /** Calls per window; null: not known, but the provider asked for a pause */
    limit: number | null
    windowMs: number | null
    /** Calls of this tenant that count now, including those in progress; null: this process has sent none recently */
    used: number | null
    /** Calls that may be sent now */
    remaining: number | null
    /** When the whole limit is available again; null: nothing is used, or calls are in progress */
    resetsAt: string | null
    /** Nothing is sent before this time, because the provider asked for it */
    pausedUntil: string | null
    [field: string]: unknown
  }>
  queue: {
    /** Calls of this connection in progress */
    running: number
    /** Calls that wait for a limit */
    waiting: number
    /** Maximum number of calls in progress at once */
    concurrency: number
    [field: string]: unknown
  }
  breaker: {
    /** open: the provider fails, so nothing is sent until `until`; trying: one call tests whether it works again */
    state: 'closed' | 'open' | 'trying'
    until: string | null
    [field: string]: unknown
  }
  [field: string]: unknown
}

export type ConnectionUsage = {
  /** Tokens bound to this connection; tokens that are not bound may use it too */
  tokens: Array<{
    id: string
    name: string
    [field: string]: unknown
  }>
  /** The newest run that succeeded */
  lastSuccess: {
    runId: string
    step: string
    /** RFC 3339 */
    at: string
    [field: string]: unknown
  } | null
  /** The newest run that failed */
  lastError: {
    runId: string
    step: string
    /** RFC 3339 */
    at: string
    code: string | null
    message: string | null
    [field: string]: unknown
  } | null
  [field: string]: unknown
}

export type CreatedToken = {
  /** Shown only once */
  text: string
  token: Token
  [field: string]: unknown
}

export type DeliveryPreview = {
  /** Id of the connection */
  connection: string
  events: Array<{
    id: string
    type: string
    /** The provider's time */
    at: string
    /** Whether one of our own runs caused it */
    causedByUs: boolean | 'unknown'
    /** Already stored: delivering it again would be a repeat */
    known: boolean
    /** What it is about. Untrusted */
    subject: {
      kind: string
      id: string
      name?: string
      url?: string
      [field: string]: unknown
    } | null
    /** What contains the subject. Untrusted */
    container: {
      kind: string
      id: string
      name?: string
      url?: string
      [field: string]: unknown
    } | null
    /** Previous values of the changed properties. Untrusted */
    before: {
      [field: string]: unknown
    } | null
    /** New values of the same properties. Untrusted */
    after: {
      [field: string]: unknown
    } | null
    /** Every subscription of the connection */
    subscriptions: Array<{
      subscription: string
      trigger: string
      /** Your own id for the agent */
      agent: string | null
      /** Whether the event would start it */
      starts: boolean | 'unknown'
      /** Why not: the kind of reason */
      why: 'polled' | 'type' | 'model' | 'paused' | 'before_start' | 'own_event' | 'config' | 'started' | 'facts' | 'defect' | null
      /** The same as a sentence */
      reason: string | null
      /** Fields of its config that the event does not match */
      fields: string[]
      /** Key of the start that it would have, or has */
      start: string | null
      [field: string]: unknown
    }>
    [field: string]: unknown
  }>
  /** Why it is a delivery without an event, such as a ping */
  ignored: string | null
  /** Why a part of it cannot be read */
  undecodable: string | null
  /** There are more than the 20 events or 200 subscriptions that a preview shows */
  more: boolean
  [field: string]: unknown
}

export type DryRunDone = {
  output: {
    requests: Array<{
      method: string
      url: string
      headers: {
        [field: string]: string
      }
      body?: unknown
      [field: string]: unknown
    }>
    price?: {
      unit: 'credit'
      per: 'match' | 'record' | 'call'
      /** Minimum and maximum */
      typical: number[]
      /** The price in words */
      text?: string
      /** Minimum and maximum cost of this call */
      total?: number[]
      [field: string]: unknown
    }
    /** false: further requests depend on responses */
    complete: boolean
    [field: string]: unknown
  }
  meta: {
    runId: string
    durationMs: number
    /** Requests sent to the provider, retries included */
    attempts: number
    /** The connection that was used */
    connection?: {
      id: string
      name: string
      [field: string]: unknown
    }
    credits?: {
      charged: number
      estimated: boolean
      [field: string]: unknown
    }
    /** Minimum and maximum of credits that it might have cost, reserved before anything was sent */
    quoted?: number[]
    cached?: boolean
    /** How many lookups shared its bulk request; the request is counted for one of them */
    merged?: number
    /** API Call: what is unusual in the request, such as a parameter that is not documented */
    warnings?: string[]
    /** API Call: the endpoint is not among `apiCall.operations` of the manifest, so the parameters were not checked */
    unlisted?: boolean
    /** Nothing was sent; the output shows what would be sent */
    dryRun?: true
    [field: string]: unknown
  }
  requests: Array<{
    method: string
    url: string
    headers: {
      [field: string]: string
    }
    body?: unknown
    [field: string]: unknown
  }>
  price?: {
    unit: 'credit'
    per: 'match' | 'record' | 'call'
    /** Minimum and maximum */
    typical: number[]
    /** The price in words */
    text?: string
    /** Minimum and maximum cost of this call */
    total?: number[]
    [field: string]: unknown
  }
  /** false: further requests depend on responses */
  complete: boolean
  [field: string]: unknown
}

export type Event = {
  id: string
  connection: string
  integration: string
  /** The hook it was delivered to */
  hook: string | null
  type: string
  /** The provider's time */
  at: string
  /** How it was received */
  via: 'webhook' | 'poll' | 'recovery'
  /** Whether one of our own runs caused it */
  causedByUs: boolean | 'unknown'
  /** Our run that caused it */
  runId: string | null
  /** Number of our starts before it in the chain */
  depth: number
  /** Id of what it is about */
  subject: string | null
  /** Id of where the subject lies */
  container: string | null
  /** Another name of subject */
  card?: string | null
  /** Another name of container */
  board?: string | null
  /** pending: facts needed for matching are still being fetched */
  state: 'pending' | 'matched'
  /** When it was received */
  createdAt: string
  /** What it started, oldest first, at most 2000 starts in a page; absent in the stream, which sends starts by themselves */
  starts?: Array<{
    id: string
    subscription: string
    state: 'pending' | 'leased' | 'done' | 'dead' | 'merged' | 'paused' | 'missed' | 'cancelled'
    [field: string]: unknown
  }>
  [field: string]: unknown
}

export type EventDetail = {
  id: string
  connection: string
  integration: string
  /** The hook it was delivered to */
  hook: string | null
  type: string
  /** The provider's time */
  at: string
  /** How it was received */
  via: 'webhook' | 'poll' | 'recovery'
  /** Whether one of our own runs caused it */
  causedByUs: boolean | 'unknown'
  /** Our run that caused it */
  runId: string | null
  /** Number of our starts before it in the chain */
  depth: number
  /** Id of what it is about */
  subject: string | null
  /** Id of where the subject lies */
  container: string | null
  /** Another name of subject */
  card?: string | null
  /** Another name of container */
  board?: string | null
  /** pending: facts needed for matching are still being fetched */
  state: 'pending' | 'matched'
  /** When it was received */
  createdAt: string
  /** The provider's payload; null once retention has removed it. Untrusted */
  raw: unknown
  /** Previous values of the changed properties; null where the event does not include them, or after the retention period. Untrusted */
  before: {
    [field: string]: unknown
  } | null
  /** New values of the same properties. Untrusted */
  after: {
    [field: string]: unknown
  } | null
  /** Starts of this event */
  starts: Array<{
    /** The start key: the same event always has the same key for a subscription, however often it is received */
    id: string
    subscription: string
    event: string
    integration: string
    trigger: string
    connection: string
    /** Id of what it is about */
    subject: string | null
    /** leased: the agent is being called. dead: given up after the last attempt. merged: part of an earlier start of the same quiet period. missed: found too late */
    state: 'pending' | 'leased' | 'done' | 'dead' | 'merged' | 'paused' | 'missed' | 'cancelled'
    attempts: number
    /** How it was received */
    via: 'webhook' | 'poll' | 'recovery'
    /** Whether one of our own runs caused it */
    causedByUs: boolean | 'unknown'
    depth: number
    late: boolean
    test: boolean
    mergedInto: string | null
    replayOf: string | null
    /** When the next attempt is due */
    dueAt: string | null
    /** When the event happened */
    at: string
    /** The agent's last response */
    answer: {
      /** RFC 3339 */
      at: string
      status: number | null
      message: string | null
      durationMs: number
      [field: string]: unknown
    } | null
    /** RFC 3339 */
    createdAt: string
    endedAt: string | null
    /** The last 20 attempts, oldest first, including those before a replay */
    answers: Array<{
      /** RFC 3339 */
      at: string
      /** null: it did not answer */
      status: number | null
      message: string | null
      durationMs: number
      /** When the next attempt was due; null: this was the last one before a replay */
      nextAt: string | null
      [field: string]: unknown
    }>
    [field: string]: unknown
  }>
  [field: string]: unknown
}

export type Gap = {
  id: string
  connection: string
  model: string
  /** RFC 3339 */
  from: string
  /** RFC 3339 */
  to: string
  /** What cannot be recovered */
  kind: string
  reason: string
  /** RFC 3339 */
  createdAt: string
  [field: string]: unknown
}

export type Hook = {
  id: string
  integration: string
  connection: string
  /** What it watches, as <kind>:<id> */
  model: string
  /** As registered; the signature may cover it */
  callbackUrl: string
  /** The provider's id for it */
  providerId: string | null
  /** failing: registered and active, but deliveries fail */
  state: 'wanted' | 'active' | 'failing' | 'broken' | 'deleting' | 'deleted'
  stateReason: string | null
  /** RFC 3339 */
  stateAt: string
  /** Consecutive failures: as last reported by the provider, or the number of deliveries refused here */
  failures: number
  /** Consecutive deliveries refused here since the last accepted one */
  refused: number
  lastRefusedAt: string | null
  lastDeliveryAt: string | null
  /** RFC 3339 */
  createdAt: string
  /** RFC 3339 */
  updatedAt: string
  [field: string]: unknown
}

export type Integration = {
  id: string
  title: string
  summary: string
  version: string
  maturity: 'stable' | 'beta'
  /** false: the operator has to add settings first */
  ready: boolean
  steps: number
  triggers: number
  [field: string]: unknown
}

export type Job = {
  id: string
  /** preparing: its file is being read; ready: waits for maxCredits or confirm */
  state: 'preparing' | 'ready' | 'running' | 'paused' | 'done' | 'cancelled' | 'failed'
  /** The file it reads */
  file: string
  name: string
  kind: 'person' | 'company'
  integration: string
  connection: string
  /** Column by field */
  map: {
    [field: string]: string
  }
  /** Null until the file was read */
  rows: number | null
  /** Rows that have a result */
  done: number
  matched: number
  noMatch: number
  /** Rows without anything to look them up by, or left out by a cancellation */
  skipped: number
  /** People and companies that opted out */
  suppressed: number
  errors: number
  /** Share of matches among the rows that were looked up */
  hitRate: number | null
  /** What the rows that can be looked up cost if each is found, in credits */
  quote: {
    least: number
    most: number
    /** As the rows so far suggest; at most `most` */
    expected: number | null
    [field: string]: unknown
  } | null
  credits: {
    spent: number
    /** How many of those are estimates */
    estimated: number
    /** The budget */
    max: number | null
    [field: string]: unknown
  }
  confirmed: boolean
  rowsPerSecond: number | null
  secondsLeft: number | null
  /** Why it is paused or has failed */
  reason: {
    code: string
    message: string
    retryable: boolean
    actor: string
    [field: string]: unknown
  } | null
  /** The file with the result */
  result: string | null
  createdAt: string
  startedAt: string | null
  endedAt: string | null
  expiresAt: string
  [field: string]: unknown
}

export type JobPreview = {
  /** Of the file */
  columns: string[]
  /** Column by field */
  map: {
    [field: string]: string
  }
  rows: Array<{
    /** 1 is the first one below the header */
    row: number
    /** What it would be looked up by */
    input: {
      [field: string]: unknown
    }
    price: {
      least: number
      most: number
      [field: string]: unknown
    } | null
    /** Why it cannot be looked up */
    problem: string | null
    [field: string]: unknown
  }>
  [field: string]: unknown
}

export type KeyRotation = {
  keyId: string
  /** false: the keys come from the environment, so no key was created */
  made: boolean
  resealed: number
  /** Rows that no available key opens */
  failed: Array<{
    kind: string
    tenant: string
    id: string
    reason: string
    [field: string]: unknown
  }>
  /** Keys that only older backups still need */
  dropped: string[]
  /** Former keys kept in the key file for those backups */
  kept: string[]
  [field: string]: unknown
}

export type Keys = {
  /** Id of the master key that secrets are sealed with */
  present: string
  /** Former keys that still open sealed rows */
  previous: string[]
  /** Former keys kept for older backups */
  kept: string[]
  /** Number of sealed rows per key */
  rows: {
    [field: string]: number
  }
  [field: string]: unknown
}

export type Layout = {
  /** In the order of the form */
  fields: Array<{
    /** Name in the schema */
    name: string
    /** Shown above the field */
    title: string
    /** Shown below the field */
    description: string
    /** pick, pick-many: choices loaded from the account; choice, choices: those listed; rows: a table, drawn as `row` says; json: any JSON value; duration: a time span, stored as a number of `unit`; file: a file handle */
    control: 'text' | 'long-text' | 'secret' | 'url' | 'email' | 'date-time' | 'number' | 'duration' | 'switch' | 'choice' | 'choices' | 'pick' | 'pick-many' | 'list' | 'rows' | 'json' | 'file' | 'connection'
    /** Must be filled in */
    required: boolean
    /** main: shown at once; more: under "more fields" */
    place: 'main' | 'more'
    /** Value used when the field is absent */
    default?: unknown
    /** Allowed values of `choice` and `choices` */
    choices?: string[]
    /** Display name of each choice */
    labels?: {
      [field: string]: string
    }
    /** Minimum of a `number` or `duration`, in its unit */
    min?: number
    /** Maximum of a `number` or `duration`, in its unit */
    max?: number
    /** Fields to fill first, because the choices depend on them */
    dependsOn?: string[]
    /** Takes an id or a pasted address */
    accepts?: 'id-or-url'
    /** Only narrows dropdowns; not part of `input` */
    scope?: true
    /** Shown only while another field has one of some values */
    showWhen?: {
      /** The other field */
      field: string
      /** Its values; absent: any */
      is?: Array<string | number | boolean>
      [field: string]: unknown
    }
    /** Shown in the empty field; never a default */
    placeholder?: string
    /** Page of the provider that explains the field */
    helpUrl?: string
    /** What the number counts; of a `duration`, the unit it is stored in */
    unit?: 'ms' | 'seconds' | 'minutes' | 'hours' | 'days' | 'bytes' | 'people' | 'credits'
    /** Layout of one row of `rows` */
    row?: {
      /** In the order of the form */
      fields: Array<{
        /** Name in the schema */
        name: string
        /** Shown above the field */
        title: string
        /** Shown below the field */
        description: string
        /** pick, pick-many: choices loaded from the account; choice, choices: those listed; rows: a table, drawn as `row` says; json: any JSON value; duration: a time span, stored as a number of `unit`; file: a file handle */
        control: 'text' | 'long-text' | 'secret' | 'url' | 'email' | 'date-time' | 'number' | 'duration' | 'switch' | 'choice' | 'choices' | 'pick' | 'pick-many' | 'list' | 'rows' | 'json' | 'file' | 'connection'
        /** Must be filled in */
        required: boolean
        /** main: shown at once; more: under "more fields" */
        place: 'main' | 'more'
        /** Value used when the field is absent */
        default?: unknown
        /** Allowed values of `choice` and `choices` */
        choices?: string[]
        /** Display name of each choice */
        labels?: {
          [field: string]: string
        }
        /** Minimum of a `number` or `duration`, in its unit */
        min?: number
        /** Maximum of a `number` or `duration`, in its unit */
        max?: number
        /** Fields to fill first, because the choices depend on them */
        dependsOn?: string[]
        /** Takes an id or a pasted address */
        accepts?: 'id-or-url'
        /** Only narrows dropdowns; not part of `input` */
        scope?: true
        /** Shown only while another field has one of some values */
        showWhen?: {
          /** The other field */
          field: string
          /** Its values; absent: any */
          is?: Array<string | number | boolean>
          [field: string]: unknown
        }
        /** Shown in the empty field; never a default */
        placeholder?: string
        /** Page of the provider that explains the field */
        helpUrl?: string
        /** What the number counts; of a `duration`, the unit it is stored in */
        unit?: 'ms' | 'seconds' | 'minutes' | 'hours' | 'days' | 'bytes' | 'people' | 'credits'
      }>
      /** Sets of fields of which at least (or exactly) one must be filled; shown as a segmented control */
      oneOf: {
        /** true: exactly one set; false: at least one */
        exactlyOne: boolean
        /** One segment for each set */
        sets: Array<{
          /** Of the segment */
          title: string
          /** Names of fields to fill together */
          fields: string[]
        }>
      } | null
      [field: string]: unknown
    }
  }>
  /** Sets of fields of which at least (or exactly) one must be filled; shown as a segmented control */
  oneOf: {
    /** true: exactly one set; false: at least one */
    exactlyOne: boolean
    /** One segment for each set */
    sets: Array<{
      /** Of the segment */
      title: string
      /** Names of fields to fill together */
      fields: string[]
    }>
  } | null
}

export type NotificationTarget = {
  tenant: string
  url: string | null
  /** null: every type */
  types: Array<'connection.created' | 'connection.needs_reconnect' | 'subscription.unhealthy' | 'start.dead' | 'gap.found' | 'deprecation.used' | 'budget.warned'> | null
  /** Signs the notifications; returned only when it is created */
  secret?: string
  /** Until when notifications are signed with the previous secret too */
  previousSecretUntil: string | null
  createdAt: string
  updatedAt: string
  [field: string]: unknown
}

export type OptionPage = {
  options: Array<{
    value: string
    label: string
    hint?: string
    [field: string]: unknown
  }>
  next?: string
  [field: string]: unknown
}

export type Policy = {
  /** Absent: the limits of the server */
  limits?: {
    /** Requests to this server per second */
    requestsPerSecond?: number
    /** How many may come at once above that */
    burst?: number
    /** Step runs going on at once */
    running?: number
    /** Step runs that may wait for their turn */
    waiting?: number
    /** Connected accounts */
    connections?: number
    /** Subscriptions */
    subscriptions?: number
    /** Labels of one connection or subscription */
    labels?: number
    /** Outcomes stored for idempotency keys, in MB; those of reads make room, oldest first */
    keyedMegabytes?: number
    /** Files stored at once */
    files?: number
    /** What all files may take together, in MB */
    filesMegabytes?: number
    /** Size of one file, in MB */
    fileMegabytes?: number
    [field: string]: unknown
  }
  /** By integration: patterns of its manifest's apiCall.deny that this tenant may use anyway */
  apiCallAllow?: {
    [field: string]: string[]
  }
  /** By integration: path patterns that API Call may use within a budget though nobody knows their price */
  apiCallUnpriced?: {
    [field: string]: string[]
  }
}

export type PolicyInput = {
  /** Absent: the limits of the server */
  limits?: {
    /** Requests to this server per second */
    requestsPerSecond?: number
    /** How many may come at once above that */
    burst?: number
    /** Step runs going on at once */
    running?: number
    /** Step runs that may wait for their turn */
    waiting?: number
    /** Connected accounts */
    connections?: number
    /** Subscriptions */
    subscriptions?: number
    /** Labels of one connection or subscription */
    labels?: number
    /** Outcomes stored for idempotency keys, in MB; those of reads make room, oldest first */
    keyedMegabytes?: number
    /** Files stored at once */
    files?: number
    /** What all files may take together, in MB */
    filesMegabytes?: number
    /** Size of one file, in MB */
    fileMegabytes?: number
    [field: string]: unknown
  }
  /** By integration: patterns of its manifest's apiCall.deny that this tenant may use anyway */
  apiCallAllow?: {
    [field: string]: string[]
  }
  /** By integration: path patterns that API Call may use within a budget though nobody knows their price */
  apiCallUnpriced?: {
    [field: string]: string[]
  }
}

export type Problem = {
  /** Stable identifier of the kind of failure */
  type: string
  /** Meaning of the code */
  title: string
  status: number
  /** What went wrong and what to do about it */
  detail: string
  /** Path of the run */
  instance?: string
  code: 'invalid_input' | 'unauthenticated' | 'bad_signature' | 'budget_exceeded' | 'not_allowed' | 'not_found' | 'conflict' | 'too_large' | 'rejected' | 'not_connected' | 'access_denied' | 'credits_exhausted' | 'outcome_unknown' | 'rate_limited' | 'suppressed' | 'cancelled' | 'internal' | 'wire_unset' | 'provider_failed' | 'bad_reply' | 'unavailable' | 'unreachable'
  /** Whether the same request may be sent again unchanged */
  retryable: boolean
  /** Who has to act */
  actor: 'caller' | 'account-owner' | 'operator' | 'provider' | 'us'
  /** What the failure says something of; run: this run, while another may go well */
  about: 'input' | 'record' | 'connection' | 'run' | 'provider' | 'us'
  /** Present where it may have been carried out at the provider */
  mayHaveHappened?: true
  retryAfterMs?: number
  runId?: string
  /** The provider's own status */
  providerStatus?: number
  /** The provider's own words; untrusted text */
  providerMessage?: string
  connectUrl?: string
  /** Invalid fields as JSON pointers into the body (/query/… and /path/… for those parts); for invalid step inputs, into "input" */
  errors?: Array<{
    pointer: string
    message: string
    [field: string]: unknown
  }>
  [field: string]: unknown
}

export type Run = {
  id: string
  integration: string
  step: string
  connection: string | null
  /** Id of the token that was used */
  token: string | null
  /** The start that it belongs to; a keyed digest of what was given where that is not the id of a start of this server */
  startId: string | null
  /** The lookup at several providers that the run is a part of */
  parentId: string | null
  effect: 'read' | 'create' | 'update' | 'delete'
  state: 'planned' | 'sending' | 'running' | 'done' | 'failed' | 'unknown' | 'not_sent'
  code: string | null
  failure: {
    code: 'invalid_input' | 'unauthenticated' | 'bad_signature' | 'budget_exceeded' | 'not_allowed' | 'not_found' | 'conflict' | 'too_large' | 'rejected' | 'not_connected' | 'access_denied' | 'credits_exhausted' | 'outcome_unknown' | 'rate_limited' | 'suppressed' | 'cancelled' | 'internal' | 'wire_unset' | 'provider_failed' | 'bad_reply' | 'unavailable' | 'unreachable'
    message: string
    retryable: boolean
    actor: string
    /** What the failure says something of; run: this run, while another may go well */
    about: 'input' | 'record' | 'connection' | 'run' | 'provider' | 'us'
    [field: string]: unknown
  } | null
  attempts: number
  calls: number
  credits: number
  creditsEstimated: boolean
  /** Time spent waiting for rate limits and between attempts: the sum over all exchanges, even where waits overlap */
  waitedMs: number
  /** How often the provider answered that its rate limit is used up (429) */
  refused: number
  /** RFC 3339 */
  createdAt: string
  durationMs: number
  [field: string]: unknown
}

export type RunDetail = {
  id: string
  integration: string
  step: string
  connection: string | null
  /** Id of the token that was used */
  token: string | null
  /** The start that it belongs to; a keyed digest of what was given where that is not the id of a start of this server */
  startId: string | null
  /** The lookup at several providers that the run is a part of */
  parentId: string | null
  effect: 'read' | 'create' | 'update' | 'delete'
  state: 'planned' | 'sending' | 'running' | 'done' | 'failed' | 'unknown' | 'not_sent'
  code: string | null
  failure: {
    code: 'invalid_input' | 'unauthenticated' | 'bad_signature' | 'budget_exceeded' | 'not_allowed' | 'not_found' | 'conflict' | 'too_large' | 'rejected' | 'not_connected' | 'access_denied' | 'credits_exhausted' | 'outcome_unknown' | 'rate_limited' | 'suppressed' | 'cancelled' | 'internal' | 'wire_unset' | 'provider_failed' | 'bad_reply' | 'unavailable' | 'unreachable'
    message: string
    retryable: boolean
    actor: string
    /** What the failure says something of; run: this run, while another may go well */
    about: 'input' | 'record' | 'connection' | 'run' | 'provider' | 'us'
    [field: string]: unknown
  } | null
  attempts: number
  calls: number
  credits: number
  creditsEstimated: boolean
  /** Time spent waiting for rate limits and between attempts: the sum over all exchanges, even where waits overlap */
  waitedMs: number
  /** How often the provider answered that its rate limit is used up (429) */
  refused: number
  /** RFC 3339 */
  createdAt: string
  durationMs: number
  /** Each attempt at a request to the provider, in the order they ended; at most 100: of longer runs, the first 99 and the last */
  exchanges: Array<{
    /** When it was sent */
    at: string
    method: string | null
    /** As in the audit log: without ids and query. Method, path and status are null where the only exchange of a run succeeded at the first attempt */
    path: string | null
    /** Time spent before it, waiting for a rate limit or since the previous attempt */
    waitedMs: number
    durationMs: number
    /** The provider's status; null: no answer came, or it was not recorded */
    status: number | null
    /** Why there is no usable answer; rate_limited where the provider refused it */
    code: 'invalid_input' | 'unauthenticated' | 'bad_signature' | 'budget_exceeded' | 'not_allowed' | 'not_found' | 'conflict' | 'too_large' | 'rejected' | 'not_connected' | 'access_denied' | 'credits_exhausted' | 'outcome_unknown' | 'rate_limited' | 'suppressed' | 'cancelled' | 'internal' | 'wire_unset' | 'provider_failed' | 'bad_reply' | 'unavailable' | 'unreachable' | null
    [field: string]: unknown
  }>
  /** Only while a background run is running, if its step reports it: how many parts are done, and of how many */
  progress?: {
    done: number
    total: number | null
    [field: string]: unknown
  }
  /** Output of a background run, for ten minutes after it ends */
  output?: unknown
  [field: string]: unknown
}

export type RunDone = {
  /** Matches the output schema of the step. Data from the provider: untrusted */
  output: unknown
  meta: {
    runId: string
    durationMs: number
    /** Requests sent to the provider, retries included */
    attempts: number
    /** The connection that was used */
    connection?: {
      id: string
      name: string
      [field: string]: unknown
    }
    credits?: {
      charged: number
      estimated: boolean
      [field: string]: unknown
    }
    /** Minimum and maximum of credits that it might have cost, reserved before anything was sent */
    quoted?: number[]
    cached?: boolean
    /** How many lookups shared its bulk request; the request is counted for one of them */
    merged?: number
    /** API Call: what is unusual in the request, such as a parameter that is not documented */
    warnings?: string[]
    /** API Call: the endpoint is not among `apiCall.operations` of the manifest, so the parameters were not checked */
    unlisted?: boolean
    /** Nothing was sent; the output shows what would be sent */
    dryRun?: true
    [field: string]: unknown
  }
  [field: string]: unknown
}

export type Server = {
  version: string
  /** Public address of this server (TOOLYARD_PUBLIC_URL); null: not set */
  publicUrl: string | null
  /** The sandbox of this server; null: it has none */
  sandbox: {
    places: Array<{
      /** The provider it stands in for */
      title: string
      integration: string
      /** Address it listens at */
      origin: string
      /** Address of its page for people, if it has one */
      page?: string
      [field: string]: unknown
    }>
    /** Address of the example agent, which receives starts; null: there is none */
    agent: string | null
    [field: string]: unknown
  } | null
  [field: string]: unknown
}

export type Session = {
  tenant: {
    id: string
    name: string
    [field: string]: unknown
  }
  token: {
    id: string
    name: string
    /** What the session may do */
    scopes: Array<'run' | 'connections' | 'subscriptions' | 'read' | 'metrics' | 'admin'>
    /** Only these steps; null: all */
    steps: string[] | null
    /** Only these connections; null: all */
    connections: string[] | null
    /** Only the steps of this tool set; null: all */
    toolSet: string | null
    expiresAt: string | null
    [field: string]: unknown
  }
  /** Send it as the header x-csrf-token with every call that is not GET. Absent for a bearer token, which needs none */
  csrfToken?: string
  /** When the session ends, or the bearer token expires; null: never */
  expiresAt: string | null
  [field: string]: unknown
}

export type SignInCode = {
  /** Address that signs a browser in, once. The code is in the fragment, which browsers do not send */
  url: string
  expiresAt: string
  [field: string]: unknown
}

export type Start = {
  /** The start key: the same event always has the same key for a subscription, however often it is received */
  id: string
  subscription: string
  event: string
  integration: string
  trigger: string
  connection: string
  /** Id of what it is about */
  subject: string | null
  /** leased: the agent is being called. dead: given up after the last attempt. merged: part of an earlier start of the same quiet period. missed: found too late */
  state: 'pending' | 'leased' | 'done' | 'dead' | 'merged' | 'paused' | 'missed' | 'cancelled'
  attempts: number
  /** How it was received */
  via: 'webhook' | 'poll' | 'recovery'
  /** Whether one of our own runs caused it */
  causedByUs: boolean | 'unknown'
  depth: number
  late: boolean
  test: boolean
  mergedInto: string | null
  replayOf: string | null
  /** When the next attempt is due */
  dueAt: string | null
  /** When the event happened */
  at: string
  /** The agent's last response */
  answer: {
    /** RFC 3339 */
    at: string
    status: number | null
    message: string | null
    durationMs: number
    [field: string]: unknown
  } | null
  /** RFC 3339 */
  createdAt: string
  endedAt: string | null
  [field: string]: unknown
}

export type StartDetail = {
  /** The start key: the same event always has the same key for a subscription, however often it is received */
  id: string
  subscription: string
  event: string
  integration: string
  trigger: string
  connection: string
  /** Id of what it is about */
  subject: string | null
  /** leased: the agent is being called. dead: given up after the last attempt. merged: part of an earlier start of the same quiet period. missed: found too late */
  state: 'pending' | 'leased' | 'done' | 'dead' | 'merged' | 'paused' | 'missed' | 'cancelled'
  attempts: number
  /** How it was received */
  via: 'webhook' | 'poll' | 'recovery'
  /** Whether one of our own runs caused it */
  causedByUs: boolean | 'unknown'
  depth: number
  late: boolean
  test: boolean
  mergedInto: string | null
  replayOf: string | null
  /** When the next attempt is due */
  dueAt: string | null
  /** When the event happened */
  at: string
  /** The agent's last response */
  answer: {
    /** RFC 3339 */
    at: string
    status: number | null
    message: string | null
    durationMs: number
    [field: string]: unknown
  } | null
  /** RFC 3339 */
  createdAt: string
  endedAt: string | null
  /** The last 20 attempts, oldest first, including those before a replay */
  answers: Array<{
    /** RFC 3339 */
    at: string
    /** null: it did not answer */
    status: number | null
    message: string | null
    durationMs: number
    /** When the next attempt was due; null: this was the last one before a replay */
    nextAt: string | null
    [field: string]: unknown
  }>
  /** Data of the trigger; null once retention has removed it. Written by others: untrusted */
  data: unknown
  [field: string]: unknown
}

export type StepSample = {
  input: {
    [field: string]: unknown
  }
  /** Data from the provider: untrusted */
  output: unknown
  /** RFC 3339 */
  savedAt: string
  /** When it is deleted */
  expiresAt: string
  [field: string]: unknown
}

export type Subscription = {
  id: string
  integration: string
  trigger: string
  connection: string
  config: {
    [field: string]: unknown
  }
  agent: {
    id: string | null
    url: string | null
    /** Signs the starts; returned only when it is created */
    secret?: string
    /** RFC 3339 */
    previousSecretUntil?: string
    [field: string]: unknown
  }
  options: {
    /** How events are delivered: instantly by webhook, or by polling. Absent: by webhook if possible. */
    delivery?: 'webhook' | 'poll'
    /** Also start for earlier events: since a date (RFC 3339), or "recent:25" for the newest 25 (at most 100). */
    startFrom?: string
    /** Quiet period in ms: events about the same subject start the agent once, when none has followed for this long. */
    settleMs?: number
    /** Whether to start for events caused by our own runs too; at most 3 starts in a chain. */
    ownEvents?: boolean
    /** Whether starts about the same subject run one after another, in the order of their events. */
    serial?: boolean
    /** How long the agent may take to respond to a start, in ms (1 s to 15 min); after that it is called again later. Absent: 5 minutes. */
    timeoutMs?: number
    [field: string]: unknown
  }
  /** How its events are received */
  delivery: 'webhook' | 'poll'
  /** failing: its agent did not take the last start; events still start it, and it is active again with the first start that is taken. paused_auth: reconnect the account. paused_model: what it watches was closed or deleted, or can no longer be read. paused_agent: its agent failed for days; starts wait until it is resumed */
  state: 'pending' | 'active' | 'failing' | 'paused' | 'paused_auth' | 'paused_model' | 'paused_agent'
  stateReason: string | null
  /** RFC 3339 */
  stateAt: string
  /** Events before this time start nothing */
  startsFrom: string
  /** How many of the events that happen during downtime can be recovered afterwards */
  recoverable: 'all' | 'some' | 'none' | null
  caveat: string | null
  externalId: string | null
  labels: {
    [field: string]: string
  }
  /** RFC 3339 */
  createdAt: string
  /** RFC 3339 */
  updatedAt: string
  [field: string]: unknown
}

export type SubscriptionDetail = {
  id: string
  integration: string
  trigger: string
  connection: string
  config: {
    [field: string]: unknown
  }
  agent: {
    id: string | null
    url: string | null
    /** Signs the starts; returned only when it is created */
    secret?: string
    /** RFC 3339 */
    previousSecretUntil?: string
    [field: string]: unknown
  }
  options: {
    /** How events are delivered: instantly by webhook, or by polling. Absent: by webhook if possible. */
    delivery?: 'webhook' | 'poll'
    /** Also start for earlier events: since a date (RFC 3339), or "recent:25" for the newest 25 (at most 100). */
    startFrom?: string
    /** Quiet period in ms: events about the same subject start the agent once, when none has followed for this long. */
    settleMs?: number
    /** Whether to start for events caused by our own runs too; at most 3 starts in a chain. */
    ownEvents?: boolean
    /** Whether starts about the same subject run one after another, in the order of their events. */
    serial?: boolean
    /** How long the agent may take to respond to a start, in ms (1 s to 15 min); after that it is called again later. Absent: 5 minutes. */
    timeoutMs?: number
    [field: string]: unknown
  }
  /** How its events are received */
  delivery: 'webhook' | 'poll'
  /** failing: its agent did not take the last start; events still start it, and it is active again with the first start that is taken. paused_auth: reconnect the account. paused_model: what it watches was closed or deleted, or can no longer be read. paused_agent: its agent failed for days; starts wait until it is resumed */
  state: 'pending' | 'active' | 'failing' | 'paused' | 'paused_auth' | 'paused_model' | 'paused_agent'
  stateReason: string | null
  /** RFC 3339 */
  stateAt: string
  /** Events before this time start nothing */
  startsFrom: string
  /** How many of the events that happen during downtime can be recovered afterwards */
  recoverable: 'all' | 'some' | 'none' | null
  caveat: string | null
  externalId: string | null
  labels: {
    [field: string]: string
  }
  /** RFC 3339 */
  createdAt: string
  /** RFC 3339 */
  updatedAt: string
  /** Our webhooks at the provider that deliver its events; empty where they are polled */
  hooks: Hook[]
  /** When the newest event of its connection was received */
  lastEventAt: string | null
  /** When its newest start was created, tests included */
  lastStartAt: string | null
  /** Gaps of what it watches since `startsFrom`, among the newest 100 of its connection; GET /v1/gaps lists them */
  gaps: number
  [field: string]: unknown
}

export type Tenant = {
  id: string
  name: string
  /** RFC 3339 */
  createdAt: string
  [field: string]: unknown
}

export type Token = {
  id: string
  tenant: string
  name: string
  last4: string
  scopes: Array<'run' | 'connections' | 'subscriptions' | 'read' | 'metrics' | 'admin'>
  steps: string[] | null
  connections: string[] | null
  toolSet: string | null
  /** RFC 3339 */
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
  [field: string]: unknown
}

export type Undecodable = {
  id: string
  integration: string
  connection: string
  hook: string
  reason: string
  /** RFC 3339 */
  createdAt: string
  /** The first 2000 characters; null once retention has removed it */
  text: string | null
  [field: string]: unknown
}

export type Usage = {
  items: Array<{
    /** In UTC, such as 2026-03-01 */
    day: string
    integration: string
    step: string
    connection: string | null
    runs: number
    failed: number
    calls: number
    credits: number
    /** How many of the credits are estimated */
    estimatedCredits: number
    /** Time spent waiting for rate limits and between attempts */
    waitedMs: number
    /** How often the provider answered that its rate limit is used up (429) */
    refused: number
    [field: string]: unknown
  }>
  /** Credits of the ledger, by the day on which they were reserved */
  spent: Array<{
    /** In UTC, such as 2026-03-01 */
    day: string
    integration: string
    step: string
    connection: string | null
    token: string | null
    spent: number
    /** How many of the spent credits are estimated */
    estimated: number
    reserved: number
    [field: string]: unknown
  }>
  budgets: Budget[]
  [field: string]: unknown
}
