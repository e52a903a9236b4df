import { describeDefect, isFailure, readRetryAfter } from '#kit'
import type { Json, WebhookSource } from '#kit'
import { createScrubber } from '../../../wire/guard/scrub.ts'
import type { Start, Subscription } from '../../ports/index.ts'
import type { TriggerParts } from '../parts.ts'
import type { ProviderSessions } from '../provider-session.ts'
import { readEvent } from '../stored-events.ts'
import { agentStart, signedHeaders } from './agent-call.ts'
import type { AgentStart, Settled } from './agent-call.ts'

type Parts = Pick<TriggerParts, 'registry' | 'store' | 'vault' | 'wire' | 'clock' | 'log' | 'onStart' | 'agentAnswers'> & { sessions: ProviderSessions }

/** Default time within which an agent has to answer; otherwise the start is retried later. */
const answerMs = 5 * 60_000
const maxMessage = 500

/** What an agent answered. `status` null: it did not. */
export type AgentReply = { status: number | null; message: string | null; retryAfterMs?: number }

/** The address may belong to somebody whose answers nobody here should read. */
const sizeOf = (message: string) => (message === '' ? null : `${Buffer.byteLength(message)} bytes, which are not shown.`)

/** What an agent answered, without the secret it knows. */
const messageOf = (message: string, secret: string) =>
  message === ''
    ? null
    : createScrubber([secret, secret.replace('whsec_', '')])
        .text(message)
        .slice(0, maxMessage)

const headerOf = (value: string | string[] | undefined) => (typeof value === 'string' ? value : undefined)

const openSecret = ({ vault }: Pick<TriggerParts, 'vault'>, { tenant, id, secrets }: Subscription) => vault.open({ tenant, owner: id }, secrets)['secret']!

/** Calls an agent with one start, by HTTP or by the callback of the library. Never throws. */
export const createAgentCaller = (parts: Parts) => {
  const { registry, store, wire, clock, log, sessions, onStart } = parts

  /** The subject as it is now, under its kind; nothing where the provider cannot be asked for it. */
  const subjectNow = async ({ tenant, connection, integration, event: id }: Start): Promise<{ [kind: string]: Json }> => {
    const source: WebhookSource = registry.integration(integration).integration.webhooks!
    const row = await store.events.get(tenant, connection, id)
    const event = row && readEvent(source, row)
    if (!event?.subject || !source.current) return {}
    const { value } = await sessions.use({ tenant, connection, integration }, 'read', (ctx) => source.current!(ctx, event))
    return { [event.subject.kind]: value }
  }

  /** Later events that joined the settle period, and the subject as it is now. */
  const settle = async (start: Start): Promise<Settled | undefined> => {
    if (start.settleMs === null || start.subject === null) return undefined
    const events = await store.starts.merged(start)
    try {
      return { events, ...(await subjectNow(start)) }
    } catch (thrown) {
      // The agent can read it itself; a start should not wait for the provider.
      log('warn', 'start.subject_not_read', { start: start.id, reason: isFailure(thrown) ? thrown.code : describeDefect(thrown).message })
      return { events }
    }
  }

  const call = async (start: Start, subscription: Subscription, body: AgentStart): Promise<AgentReply> => {
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
    const shown = unread ?? (parts.agentAnswers ? messageOf(message, secret) : sizeOf(message))
    return { status, message: shown, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  }

  return async (start: Start, subscription: Subscription): Promise<AgentReply> => {
    try {
      return await call(start, subscription, agentStart(start, subscription, await settle(start)))
    } catch (thrown) {
      const message = isFailure(thrown) ? thrown.message : `The start was not taken: ${thrown instanceof Error ? thrown.name : 'unknown'}.`
      return { status: null, message }
    }
  }
}
export type CallAgent = ReturnType<typeof createAgentCaller>
