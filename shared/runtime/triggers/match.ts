import { describeDefect, ownAccountNeed, ownIdsNeed } from '#kit'
import { hash } from 'node:crypto'
import type { Event, Facts, Json, PollFound } from '#kit'
import { parseTriggerData } from '../catalogue/parse.ts'
import type { Hook, Log, Start, StoredEvent } from '../ports/index.ts'
import type { ActiveSubscription } from './match-index.ts'

/** An event with the connection and hook it came through, and what is known of its cause. */
export type ObservedEvent = {
  tenant: string
  integration: string
  connection: string
  hook: Hook['id'] | null
  event: Event
  runId: string | null
  depth: number
  /** What happened in words, as JSON; shared by all starts of the event. */
  summary: string | null
}
/** Facts available to a match. A need in `checkedNeeds` was looked up: when `facts` lacks it, it is not available. */
export type MatchFacts = { facts: Facts; checkedNeeds: ReadonlySet<string> }

const nothing: MatchFacts = { facts: {}, checkedNeeds: new Set() }
const ids: ReadonlySet<string> = new Set([ownAccountNeed, ownIdsNeed])
const idsOfUnknownAccount: ReadonlySet<string> = new Set([ownIdsNeed])

/** What a match may know of whom the connection acts as, without a request. */
export const knownFacts = (
  connection: { accountId: string | undefined; ownIds: readonly string[] } | undefined,
): MatchFacts => {
  if (connection === undefined) return nothing
  const { accountId: me, ownIds } = connection
  return me === undefined
    ? { facts: { ownIds }, checkedNeeds: idsOfUnknownAccount }
    : { facts: { me, ownIds }, checkedNeeds: ids }
}
export type Matching = {
  starts: Start[]
  /** Facts that must be fetched before the remaining subscriptions can be matched. */
  lacking: Set<string>
  /** A match threw, which is a defect of ours; it is tried again. */
  failed: boolean
}

/** Maximum length of a chain of starts caused by our own runs: the fourth start is not made. */
export const maxDepth = 3
/**
 * How long a serial start waits, so that an event arriving late by less than this still takes its place in the order.
 */
const holdBackMs = 5_000

/** Key of a start: equal for the same subscription and event, whichever way the event arrived. */
export const startKey = (tenant: string, subscription: string, key: string) =>
  hash('sha256', JSON.stringify([tenant, subscription, key]))

/** Whether the subscription was waiting for events when this one happened. */
export const wasActive = ({ subscription: { state, stateAt, startMark } }: ActiveSubscription, at: number) =>
  at >= startMark && state !== 'pending' && (state !== 'paused' || at < stateAt)

/**
 * Whether a repeat of the event would be recognised although ids from before `since` are no longer stored: the event or
 * the subscription is younger than that, so every start it made is still there.
 */
export const isRecognised = ({ subscription }: ActiveSubscription, { at }: Pick<Event, 'at'>, since: number) =>
  Math.max(Date.parse(at), subscription.createdAt) >= since

/**
 * Whether an event may start an agent: one that we caused only with the option `ownEvents`, and only in a short chain.
 */
export const mayStart = (
  { subscription: { options } }: ActiveSubscription,
  { causedByUs, depth }: Pick<Start, 'causedByUs' | 'depth'>,
) => (causedByUs !== true || options.ownEvents === true) && depth < maxDepth

export const newStart = (active: ActiveSubscription, id: string, now: number): Start => {
  const { tenant, id: subscription, integration, trigger, connection, options, state } = active.subscription
  return {
    tenant,
    id,
    subscription,
    event: id,
    integration,
    trigger,
    connection,
    subject: null,
    serial: options.serial ?? false,
    settleMs: null,
    state: state === 'paused' || state === 'paused_agent' ? 'paused' : 'pending',
    attempts: 0,
    dueAt: now,
    leaseEpoch: 0,
    eventAt: now,
    via: 'webhook',
    causedByUs: false,
    depth: 0,
    late: false,
    test: false,
    mergedInto: null,
    replayOf: null,
    data: null,
    summary: null,
    answer: null,
    answers: null,
    createdAt: now,
    endedAt: null,
  }
}

/** An item that a poll found for one subscription. */
export type PolledItem = PollFound<Json>

/** What the trigger makes of an event under a config: the key of the occurrence, and the data for the agent. */
type Made = { key: string; data: Json }

/** The start of a subscription for an event. `at`: when that happened, in ms. */
const startOf = (
  active: ActiveSubscription,
  { event, depth, summary }: ObservedEvent,
  { key, data }: Made,
  at: number,
  now: number,
): Start => {
  const { tenant, id, options } = active.subscription
  const start = newStart(active, startKey(tenant, id, key), now)
  start.event = event.id
  start.eventAt = at
  start.via = event.via
  start.causedByUs = event.causedByUs
  start.depth = depth
  start.data = data
  start.summary = summary
  if (event.subject === undefined) return start
  start.subject = event.subject.id
  start.settleMs = options.settleMs ?? null
  start.dueAt = now + (start.settleMs ?? (options.serial ? holdBackMs : 0))
  return start
}

/**
 * The start for an item found by a poll. Polls find items in the order of their time, so the start need not be held
 * back.
 */
export const startFor = (
  active: ActiveSubscription,
  { event, depth, summary }: ObservedEvent,
  { key, data, late, missed }: PolledItem,
  now: number,
): Start => ({
  ...newStart(active, startKey(active.subscription.tenant, active.subscription.id, key), now),
  event: key,
  subject: event.subject?.id ?? null,
  eventAt: Date.parse(event.at),
  via: 'poll',
  causedByUs: event.causedByUs,
  depth,
  late: late ?? false,
  data,
  summary,
  ...(missed ? { state: 'missed' as const, endedAt: now } : {}),
})

/** Undefined when the event does not start the agent; a list of needs that must be fetched first. */
const make = (
  { trigger, config }: Pick<ActiveSubscription, 'trigger' | 'config'>,
  event: Event,
  knownFacts: MatchFacts,
): Made | undefined | string[] => {
  const webhook = trigger.webhook!
  const needs = webhook.needs?.(event, config)
  if (needs && needs.length > 0) {
    const missing = needs.filter((need) => !knownFacts.checkedNeeds.has(need))
    if (missing.length > 0) return missing
  }
  const data = webhook.match(event, config, knownFacts.facts)
  if (data === undefined) return undefined
  return { key: webhook.key?.(event, config) ?? event.id, data: parseTriggerData(trigger, data) }
}

/** The start; undefined when the event does not start the agent; a list of needs that must be fetched first. */
export const matchOne = (
  active: ActiveSubscription,
  observed: ObservedEvent,
  knownFacts: MatchFacts,
  now: number,
): Start | undefined | string[] => {
  const made = make(active, observed.event, knownFacts)
  return made === undefined || Array.isArray(made)
    ? made
    : startOf(active, observed, made, Date.parse(observed.event.at), now)
}

/**
 * Matches the event against each subscription. `ignoreMark`: also when it happened before the subscription was
 * attached.
 */
export const matchAll = (
  actives: readonly ActiveSubscription[],
  observed: ObservedEvent,
  knownFacts: MatchFacts,
  now: number,
  log: Log,
  ignoreMark = false,
): Matching => {
  const matching: Matching = { starts: [], lacking: new Set(), failed: false }
  const { event } = observed
  const at = Date.parse(event.at)
  const cause = { causedByUs: event.causedByUs, depth: observed.depth }
  // Many subscriptions wait for the same, with one trigger and a config that they share: it is made once for all of them.
  let last: ActiveSubscription | undefined
  let result: Made | undefined | string[]
  for (const active of actives) {
    if (!(ignoreMark || wasActive(active, at)) || !mayStart(active, cause)) continue
    try {
      if (last?.trigger !== active.trigger || last.config !== active.config) {
        last = undefined
        result = make(active, event, knownFacts)
        last = active
      }
      if (Array.isArray(result)) for (const need of result) matching.lacking.add(need)
      else if (result) matching.starts.push(startOf(active, observed, result, at, now))
    } catch (error) {
      // A defect in one trigger must not hide the event from the others; the match is repeated later.
      matching.failed = true
      const { id, trigger } = active.subscription
      log('error', 'match.defect', { subscription: id, trigger, eventId: event.id, ...describeDefect(error) })
    }
  }
  return matching
}

export const storedEvent = (
  { tenant, integration, connection, hook, event, runId, depth, summary }: ObservedEvent,
  now: number,
  state: StoredEvent['state'],
): StoredEvent => ({
  tenant,
  connection,
  id: event.id,
  integration,
  hook,
  type: event.type,
  at: Date.parse(event.at),
  receivedAt: now,
  via: event.via,
  causedByUs: event.causedByUs,
  runId,
  depth,
  subject: event.subject?.id ?? null,
  container: event.container?.id ?? null,
  state,
  attempts: 0,
  dueAt: now,
  // Enough to decode it again, and nothing private of the provider's people. An item found by a poll has no model and is
  // not decoded.
  raw: Buffer.from(
    JSON.stringify(event.model.kind === '' ? { found: event.raw } : { action: event.raw, model: event.model }),
  ),
  summary,
})
