import type { Integration } from '#kit'
import type { Event as EventView, EventDetail, Undecodable as UndecodableView } from '../../api/resources/event.ts'
import type { Gap as GapView } from '../../api/resources/gap.ts'
import type { Hook as HookView } from '../../api/resources/hook.ts'
import type { Start as StartView, StartDetail } from '../../api/resources/start.ts'
import type { Subscription as SubscriptionView, SubscriptionDetail } from '../../api/resources/subscription.ts'
import type { ShownSentence } from '../../api/resources/sentence.ts'
import { whyWebhookOnly } from '../catalogue/why-webhook-only.ts'
import type { Worded } from '../sentences/worded.ts'
import type { Gap, Hook, Start, StoredEvent, Subscription, Undecodable } from '../ports/index.ts'

export type {
  EventDetail,
  EventView,
  GapView,
  HookView,
  StartDetail,
  StartView,
  SubscriptionDetail,
  SubscriptionView,
  UndecodableView,
}

const iso = (at: number) => new Date(at).toISOString()
const isoOrNull = (at: number | null) => (at === null ? null : iso(at))

export const viewSubscription = (
  row: Subscription,
  integration: Integration,
  summary: ShownSentence | null,
): SubscriptionView => {
  const trigger = integration.triggers?.find(({ id }) => id === row.trigger)
  return {
    id: row.id,
    integration: row.integration,
    trigger: row.trigger,
    connection: row.connection,
    config: row.config,
    summary,
    agent: {
      id: row.agent.id ?? null,
      url: row.agent.url,
      ...(row.previousUntil === null ? {} : { previousSecretUntil: iso(row.previousUntil) }),
    },
    options: row.options,
    delivery: row.delivery,
    state: row.state,
    stateReason: row.stateReason,
    stateAt: iso(row.stateAt),
    startsFrom: iso(row.startMark),
    recoverable: trigger?.recoverable ?? null,
    caveat: trigger?.caveat ?? null,
    ...(trigger ? whyWebhookOnly(trigger, integration) : {}),
    externalId: row.externalId,
    person: row.person ?? null,
    labels: row.labels,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}

const failingHook = ({
  state,
  stateReason,
  stateAt,
  failures,
  lastDeliveryAt,
  refused,
  refusedSince,
  refusedReason,
}: Hook) => {
  if (state !== 'active') return undefined
  if (refused > 0)
    return {
      state: 'failing' as const,
      stateReason: refusedReason,
      stateAt: refusedSince ?? stateAt,
      failures: Math.max(failures, refused),
    }
  // Those failures ended with the first delivery that arrived after the provider reported them.
  if (lastDeliveryAt !== null && lastDeliveryAt > stateAt) return { failures: 0 }
  const reason = `The provider counts ${failures} failed deliver${failures === 1 ? 'y' : 'ies'} in a row: check that it reaches the callback URL.`
  return failures > 0 ? { state: 'failing' as const, stateReason: stateReason ?? reason } : undefined
}

/** The state that a hook is shown in. */
export const shownState = (row: Hook): HookView['state'] => failingHook(row)?.state ?? row.state

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

/** `aliases`: additional names under which subject and container are shown. */
export const viewEvent = (
  {
    id,
    connection,
    integration,
    hook,
    type,
    via,
    causedByUs,
    runId,
    depth,
    subject,
    container,
    state,
    at,
    receivedAt,
  }: StoredEvent,
  aliases: Integration['aliases'] = {},
  words: Worded,
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
  ...words,
  state,
  createdAt: iso(receivedAt),
})
export type EventWithStarts = EventView & { starts: NonNullable<EventView['starts']> }

/** Attempts, oldest first, including those before a replay. */
export type StartAnswers = Pick<StartDetail, 'answers'>

const isOpen = ({ state }: Start) => state === 'pending' || state === 'leased'
export const viewStart = (start: Start, words: Worded): StartView => {
  const {
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
  } = start
  return {
    id,
    subscription,
    event,
    integration,
    trigger,
    connection,
    subject,
    ...words,
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
  const storedAnswers =
    answers ?? (answer ? [{ ...answer, nextAt: start.state === 'pending' ? start.dueAt : null }] : [])
  return {
    answers: storedAnswers.map((startAnswer) => ({
      ...startAnswer,
      at: iso(startAnswer.at),
      nextAt: isoOrNull(startAnswer.nextAt),
    })),
  }
}
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

/** Maximum number of characters shown of a body that could not be decoded. */
const shown = 2000
export const viewUndecodable = ({
  id,
  integration,
  connection,
  hook,
  reason,
  receivedAt,
  raw,
}: Undecodable): UndecodableView => ({
  id,
  integration,
  connection,
  hook,
  reason,
  createdAt: iso(receivedAt),
  text: raw && Buffer.from(raw).toString('utf8').slice(0, shown),
})
