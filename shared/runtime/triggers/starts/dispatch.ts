import { describeDefect, isFailure, readRetryAfter } from '#kit'
import type { Json, WebhookSource } from '#kit'
import { createScrubber } from '../../../wire/guard/scrub.ts'
import type { AgentAnswer, Start, StartEnd, Subscription } from '../../ports/index.ts'
import { agentStart, signedHeaders } from './agent-call.ts'
import type { AgentStart, Settled } from './agent-call.ts'
import type { MatchIndex } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import { createAgentConcurrency } from './concurrency.ts'
import type { ProviderSessions } from '../provider-session.ts'
import { readEvent } from '../stored-events.ts'

type Parts = Pick<TriggerParts, 'registry' | 'store' | 'vault' | 'wire' | 'clock' | 'random' | 'log' | 'onStart' | 'agentAnswers'> & {
  now(): number
  index: MatchIndex
  sessions: ProviderSessions
  /** An agent answered 410: it wants no more of this subscription. */
  onGone(subscription: Subscription): Promise<void>
  /** A call has ended, so that another may begin. */
  onRoom(): void
}

/** Waits before the second attempt and so on. */
export const retryScheduleMs = [5_000, 5 * 60_000, 30 * 60_000, 2 * 3_600_000, 5 * 3_600_000, 10 * 3_600_000, 10 * 3_600_000]
/** A start in work belongs to its holder for so long; renewed while the agent is slow. */
export const leaseMs = 60_000
const renewBeforeMs = 40_000
/** An agent that has not answered by then is asked again later, unless its subscription says otherwise. */
const answerMs = 5 * 60_000
/** Starts claimed in one commit. */
const maxPerClaim = 64
const maxMessage = 500

/** A claim this process holds. */
type Running = {
  start: Start
  agent: string
  epoch: number
  until: number
  /** What the agent said, until it is written down. */ end?: StartEnd
  isWriting?: boolean
}
type Said = { status: number | null; message: string | null; retryAfterMs?: number }

/** An address may be one that should tell nobody here what it says. */
const sizeOf = (message: string) => (message === '' ? null : `${Buffer.byteLength(message)} bytes, which are not shown.`)

/** What an agent said, without the secret it knows. */
const wordsOf = (message: string, secret: string) =>
  message === ''
    ? null
    : createScrubber([secret, secret.replace('whsec_', '')])
        .text(message)
        .slice(0, maxMessage)

const headerOf = (value: string | string[] | undefined) => (typeof value === 'string' ? value : undefined)

export const openSecret = ({ vault }: Pick<TriggerParts, 'vault'>, { tenant, id, secrets }: Subscription) =>
  vault.open({ tenant, owner: id }, secrets)['secret']!

export type Dispatch = ReturnType<typeof createDispatch>

/** Calls agents: claims what is due, holds it while the agent works, and writes down what the agent said. */
export const createDispatch = (parts: Parts) => {
  const { registry, store, wire, clock, random, log, now, index, sessions, onStart, onGone, onRoom } = parts
  const running = new Map<string, Running>()
  const places = createAgentConcurrency()
  const calls = new Set<Promise<void>>()
  let stopping = false
  const nameOf = ({ tenant, id }: Start) => `${tenant}\n${id}`
  /** The origin that is called; a subscription that is not known here is one by itself. */
  const agentOf = (tenant: string, subscription: string) => {
    const url = index.get(tenant, subscription)?.subscription.agent.url
    return url === undefined ? `subscription ${subscription}` : url === null || !URL.canParse(url) ? 'onStart' : new URL(url).origin
  }

  /** The subject as it is now, under its kind; nothing where the provider cannot be asked for it. */
  const subjectNow = async ({ tenant, connection, integration, event: id }: Start): Promise<{ [kind: string]: Json }> => {
    const source: WebhookSource = registry.integration(integration).integration.webhooks!
    const row = await store.events.get(tenant, connection, id)
    const event = row && readEvent(source, row)
    if (!event?.subject || !source.current) return {}
    const { value } = await sessions.use({ tenant, connection, integration }, 'read', (ctx) => source.current!(ctx, event))
    return { [event.subject.kind]: value }
  }

  /** Later events that joined the quiet period, and the subject as it is now. */
  const settle = async (start: Start): Promise<Settled | undefined> => {
    if (start.settleMs === null || start.subject === null) return undefined
    const events = await store.starts.merged(start)
    try {
      return { events, ...(await subjectNow(start)) }
    } catch (thrown) {
      // The agent can read it itself; a start that waits for the provider helps nobody.
      log('warn', 'start.subject_not_read', { start: start.id, reason: isFailure(thrown) ? thrown.code : describeDefect(thrown).message })
      return { events }
    }
  }

  const call = async (start: Start, subscription: Subscription, body: AgentStart): Promise<Said> => {
    const { url } = subscription.agent
    if (url === null) {
      if (!onStart) return { status: null, message: 'There is no onStart callback in this process.' }
      await onStart(body)
      return { status: 200, message: null }
    }
    const text = JSON.stringify(body)
    const secret = openSecret(parts, subscription)
    const headers = signedHeaders(secret, start.id, clock.now(), text)
    const delivered = await wire.deliver({ url, headers, body: text, timeoutMs: subscription.options.timeoutMs ?? answerMs })
    const { status, message, unread } = delivered
    const retryAfterMs = readRetryAfter(headerOf(delivered.headers['retry-after']), clock.now())
    const shown = unread ?? (parts.agentAnswers ? wordsOf(message, secret) : sizeOf(message))
    return { status, message: shown, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  }

  const attempt = async (start: Start, subscription: Subscription): Promise<Said> => {
    try {
      return await call(start, subscription, agentStart(start, subscription, await settle(start)))
    } catch (thrown) {
      const message = isFailure(thrown) ? thrown.message : `The start was not taken: ${thrown instanceof Error ? thrown.name : 'unknown'}.`
      return { status: null, message }
    }
  }

  const later = ({ attempts }: Start, { status, retryAfterMs }: Said, at: number): StartEnd => {
    const wait = retryScheduleMs[attempts - 1]
    if (wait === undefined) return { state: 'dead', at }
    const asked = status === 429 || status === 503 ? (retryAfterMs ?? 0) : 0
    // Never sooner than the ladder says; spread, so that many do not come back at once.
    return { state: 'pending', at, dueAt: at + Math.round(Math.max(wait * (1 + 0.2 * random()), asked)) }
  }

  const endOf = (start: Start, said: Said, at: number): StartEnd => {
    const { status } = said
    if (status !== null && ((status >= 200 && status < 300) || status === 409)) return { state: 'done', at }
    if (status === 410) return { state: 'paused', at }
    if (status !== null && status >= 400 && status < 500 && status !== 429) return { state: 'dead', at }
    return later(start, said, at)
  }

  const ask = async (held: Running): Promise<void> => {
    const { start } = held
    const subscription = await store.subscriptions.get(start.tenant, start.subscription)
    if (!subscription) return void (held.end = { state: 'cancelled', at: now() })
    const began = clock.monotonic()
    const said = await attempt(start, subscription)
    if (subscription.agent.url !== null) places.answered({ tenant: start.tenant, agent: held.agent }, said.status !== null)
    const at = now()
    const answer: AgentAnswer = { at, status: said.status, message: said.message, durationMs: Math.round(clock.monotonic() - began) }
    held.end = { ...endOf(start, said, at), answer }
    if (held.end.state === 'dead') log('warn', 'start.dead', { start: start.id, subscription: start.subscription, status: said.status })
    if (said.status === 410) await onGone(subscription)
  }

  /** Lets go of a start whose end is written down. A store that cannot take it now is asked again, so that the agent is not called twice. */
  const letGo = async (held: Running): Promise<void> => {
    const { start, epoch, end } = held
    if (!end || held.isWriting) return
    held.isWriting = true
    try {
      const isMine = await store.starts.end(start.tenant, start.id, epoch, end)
      // Another holder may have it by now: then what was said here counts no more.
      if (!isMine) log('warn', 'start.lease_lost', { start: start.id })
    } catch (thrown) {
      return log('error', 'start.not_ended', { start: start.id, reason: isFailure(thrown) ? thrown.message : describeDefect(thrown).message })
    } finally {
      held.isWriting = false
    }
    running.delete(nameOf(start))
    places.end({ tenant: start.tenant, agent: held.agent })
    onRoom()
  }

  const work = async (held: Running): Promise<void> => {
    try {
      await ask(held)
    } catch (thrown) {
      log('error', 'start.not_asked', { start: held.start.id, reason: isFailure(thrown) ? thrown.message : describeDefect(thrown).message })
      held.end ??= later(held.start, { status: null, message: null }, now())
    }
    await letGo(held)
  }

  const begin = (start: Start, until: number): Promise<void> | undefined => {
    const known = running.get(nameOf(start))
    if (known) {
      // Its lease ran out by a clock that jumped, not by us giving up: the call under way goes on under the new claim.
      known.epoch = start.leaseEpoch
      known.until = until
      return undefined
    }
    const held: Running = { start, agent: agentOf(start.tenant, start.subscription), epoch: start.leaseEpoch, until }
    running.set(nameOf(start), held)
    places.begin({ tenant: start.tenant, agent: held.agent })
    const working = work(held).finally(() => calls.delete(working))
    calls.add(working)
    return working
  }

  const renew = async (): Promise<void> => {
    for (const held of running.values()) {
      const at = now()
      if (held.end) await letGo(held)
      if (held.until - at > renewBeforeMs || !running.has(nameOf(held.start))) continue
      const until = at + leaseMs
      if (await store.starts.renew(held.start.tenant, held.start.id, held.epoch, until)) held.until = until
    }
  }

  return {
    /** Takes what is due, as far as there is room. Gives what was taken; `calls` resolves when those calls have ended. */
    async tick(): Promise<{ claimed: number; calls: Promise<unknown> }> {
      await renew()
      const nothing = { claimed: 0, calls: Promise.resolve() }
      if (stopping) return nothing
      const at = now()
      const dueAt = await store.starts.nextDueAt()
      if (dueAt === undefined || dueAt > at) return nothing
      const planned = places.plan(await store.starts.queues(at), ({ tenant, subscription }) => agentOf(tenant, subscription), maxPerClaim)
      if (planned.length === 0) return nothing
      const claimed = await store.starts.claim(at, maxPerClaim, at + leaseMs, planned)
      const begun = claimed.flatMap((start) => begin(start, at + leaseMs) ?? [])
      return { claimed: claimed.length, calls: Promise.all(begun) }
    },
    renew,
    running: () => running.size,
    /** Takes nothing more. What is on its way to an agent is not cut off. */
    stop() {
      stopping = true
    },
    /** Resolves when no call is under way any more. */
    async idle(): Promise<void> {
      while (calls.size > 0) await Promise.all(calls)
    },
  }
}
