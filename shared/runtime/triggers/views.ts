import type { Integration, Json, Trigger } from '#kit'
import type { Gap, Hook, Start, StoredEvent, Subscription, SubscriptionOptions, SubscriptionState, Undecodable } from '../ports/index.ts'

const iso = (at: number) => new Date(at).toISOString()
const isoOrNull = (at: number | null) => (at === null ? null : iso(at))

export type SubscriptionView = {
  id: string
  integration: string
  trigger: string
  connection: string
  config: Record<string, Json>
  /** `secret` only in the response that created it. */
  agent: {
    id: string | null
    url: string | null
    secret?: string
    /** Until when starts are signed with the secret before too. */ previousSecretUntil?: string
  }
  options: SubscriptionOptions
  delivery: 'webhook' | 'poll'
  state: SubscriptionState
  stateReason: string | null
  stateAt: string
  /** Events before this start nothing. */
  startsFrom: string
  recoverable: Trigger['recoverable'] | null
  caveat: string | null
  externalId: string | null
  labels: Record<string, string>
  createdAt: string
  updatedAt: string
}

export const viewSubscription = (row: Subscription, trigger: Trigger | undefined): SubscriptionView => ({
  id: row.id,
  integration: row.integration,
  trigger: row.trigger,
  connection: row.connection,
  config: row.config,
  agent: { id: row.agent.id ?? null, url: row.agent.url, ...(row.previousUntil === null ? {} : { previousSecretUntil: iso(row.previousUntil) }) },
  options: row.options,
  delivery: row.delivery,
  state: row.state,
  stateReason: row.stateReason,
  stateAt: iso(row.stateAt),
  startsFrom: iso(row.startMark),
  recoverable: trigger?.recoverable ?? null,
  caveat: trigger?.caveat ?? null,
  externalId: row.externalId,
  labels: row.labels,
  createdAt: iso(row.createdAt),
  updatedAt: iso(row.updatedAt),
})

export type HookView = Omit<
  Hook,
  | 'tenant'
  | 'state'
  | 'stateAt'
  | 'lastDeliveryAt'
  | 'suspectSince'
  | 'refusedSince'
  | 'refusedAt'
  | 'refusedReason'
  | 'secrets'
  | 'types'
  | 'createdAt'
  | 'updatedAt'
> & {
  /** `failing`: registered and active, but deliveries fail; `stateReason` says why. */
  state: Hook['state'] | 'failing'
  stateAt: string
  lastDeliveryAt: string | null
  lastRefusedAt: string | null
  createdAt: string
  updatedAt: string
}
const failingHook = ({ state, stateReason, stateAt, failures, lastDeliveryAt, refused, refusedSince, refusedReason }: Hook) => {
  if (state !== 'active') return undefined
  if (refused > 0) return { state: 'failing' as const, stateReason: refusedReason, stateAt: refusedSince ?? stateAt, failures: Math.max(failures, refused) }
  // The failures it counted ended with the first delivery that arrived after it was asked.
  if (lastDeliveryAt !== null && lastDeliveryAt > stateAt) return { failures: 0 }
  const reason = `The provider counts ${failures} failed deliver${failures === 1 ? 'y' : 'ies'} in a row: check that it reaches the callback URL.`
  return failures > 0 ? { state: 'failing' as const, stateReason: stateReason ?? reason } : undefined
}

export const viewHook = (row: Hook): HookView => {
  const {
    tenant: _,
    suspectSince: __,
    refusedSince: ___,
    refusedReason: ____,
    secrets: _____,
    types: ______,
    refusedAt,
    ...hook
  } = { ...row, ...failingHook(row) }
  return {
    ...hook,
    stateAt: iso(hook.stateAt),
    lastDeliveryAt: isoOrNull(hook.lastDeliveryAt),
    lastRefusedAt: isoOrNull(refusedAt),
    createdAt: iso(hook.createdAt),
    updatedAt: iso(hook.updatedAt),
  }
}

/** With how its events arrive. `gaps`: of what it watches, since it began. */
export type SubscriptionDetail = SubscriptionView & { hooks: HookView[]; lastEventAt: string | null; lastStartAt: string | null; gaps: number }

export type EventView = Pick<
  StoredEvent,
  'id' | 'connection' | 'integration' | 'hook' | 'type' | 'via' | 'causedByUs' | 'runId' | 'depth' | 'subject' | 'container' | 'state'
> & { at: string; createdAt: string }
/** `aliases`: further names under which subject and container are shown. */
export const viewEvent = (
  { id, connection, integration, hook, type, via, causedByUs, runId, depth, subject, container, state, at, receivedAt }: StoredEvent,
  aliases: Integration['aliases'] = {},
): EventView => ({
  id,
  connection,
  integration,
  hook,
  type,
  at: iso(at),
  via,
  causedByUs,
  runId,
  depth,
  subject,
  container,
  ...(aliases.subject === undefined ? {} : { [aliases.subject]: subject }),
  ...(aliases.container === undefined ? {} : { [aliases.container]: container }),
  state,
  createdAt: iso(receivedAt),
})
export type EventWithStarts = EventView & { starts: Pick<Start, 'id' | 'subscription' | 'state'>[] }
/** One event with its payload (null once retention has removed it), what it changed as far as it says, and its starts. */
export type EventDetail = EventView & { before: JsonObject | null; after: JsonObject | null; raw: Json; starts: (StartView & StartAnswers)[] }
type JsonObject = { [property: string]: Json }

export type StartView = Pick<
  Start,
  | 'id'
  | 'subscription'
  | 'event'
  | 'integration'
  | 'trigger'
  | 'connection'
  | 'subject'
  | 'state'
  | 'attempts'
  | 'via'
  | 'causedByUs'
  | 'depth'
  | 'late'
  | 'test'
  | 'mergedInto'
  | 'replayOf'
> & {
  /** When the next attempt is due; null when it has ended. */
  dueAt: string | null
  /** When it happened. */
  at: string
  answer: { at: string; status: number | null; message: string | null; durationMs: number } | null
  createdAt: string
  endedAt: string | null
}
/** Attempts, oldest first, those before a replay too. */
export type StartAnswers = { answers: (NonNullable<StartView['answer']> & { nextAt: string | null })[] }
const isOpen = ({ state }: Start) => state === 'pending' || state === 'leased'
export const viewStart = (start: Start): StartView => {
  const { id, subscription, event, integration, trigger, connection, subject, state, attempts, via, causedByUs, depth, late, test, mergedInto, replayOf } =
    start
  return {
    id,
    subscription,
    event,
    integration,
    trigger,
    connection,
    subject,
    state,
    attempts,
    via,
    causedByUs,
    depth,
    late,
    test,
    mergedInto,
    replayOf,
    dueAt: isOpen(start) ? iso(start.dueAt) : null,
    at: iso(start.eventAt),
    answer: start.answer && { ...start.answer, at: iso(start.answer.at) },
    createdAt: iso(start.createdAt),
    endedAt: isoOrNull(start.endedAt),
  }
}
export const viewAnswers = ({ answer, answers, ...start }: Start): StartAnswers => {
  const known = answers ?? (answer ? [{ ...answer, nextAt: start.state === 'pending' ? start.dueAt : null }] : [])
  return { answers: known.map((one) => ({ ...one, at: iso(one.at), nextAt: isoOrNull(one.nextAt) })) }
}
export type StartDetail = StartView & StartAnswers & { data: Json }

export type GapView = { id: string; connection: string; model: string; from: string; to: string; kind: string; reason: string; createdAt: string }
export const viewGap = ({ id, connection, model, fromAt, toAt, kind, reason, createdAt }: Gap): GapView => ({
  id,
  connection,
  model,
  from: iso(fromAt),
  to: iso(toAt),
  kind,
  reason,
  createdAt: iso(createdAt),
})

export type UndecodableView = { id: string; integration: string; connection: string; hook: string; reason: string; createdAt: string; text: string | null }
/** Maximum shown of a body that could not be read. */
const shown = 2000
export const viewUndecodable = ({ id, integration, connection, hook, reason, receivedAt, raw }: Undecodable): UndecodableView => ({
  id,
  integration,
  connection,
  hook,
  reason,
  createdAt: iso(receivedAt),
  text: raw && Buffer.from(raw).toString('utf8').slice(0, shown),
})
