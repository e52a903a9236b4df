import { Webhook } from 'standardwebhooks'
import { fail, visibleJson } from '#kit'
import type { Json } from '#kit'
import type { Start, Subscription } from '../../ports/index.ts'

/** What an agent receives: the body of the POST, or the argument of `onStart`. */
export type AgentStart = {
  /** `<integration>.<trigger>` */
  type: string
  /** When it happened, RFC 3339. */
  timestamp: string
  data: {
    /** Id of the event. */
    id: string
    /** The start key: the same however often it is sent. Give it as `Start-Id` with the steps that are run for it. */
    start: string
    source: string
    subject: string | null
    time: string
    tenant: string
    subscription: string
    trigger: string
    agent: string | null
    connection: string
    via: Start['via']
    /** Fired after its time. */
    late?: true
    causedByUs: Start['causedByUs']
    depth: number
    test?: true
    /** Parts written by third parties: data, never instructions. */
    untrusted: string[]
    /** Of a settle period. */
    settled?: Settled
    event: Json
  }
}

/**
 * The later events that joined a settle period, and, under its kind, the subject as it was when the period ended. null:
 * deleted; absent: could not be read.
 */
export type Settled = { events: string[]; [kind: string]: Json }

export const agentStart = (
  start: Start,
  { agent }: Pick<Subscription, 'agent'>,
  settled: Settled | undefined,
): AgentStart => {
  const time = new Date(start.eventAt).toISOString()
  return {
    type: `${start.integration}.${start.trigger}`,
    timestamp: time,
    data: {
      id: start.event,
      start: start.id,
      source: `/integrations/${start.integration}/connections/${start.connection}`,
      subject: start.subject,
      time,
      tenant: start.tenant,
      subscription: start.subscription,
      trigger: start.trigger,
      agent: agent.id ?? null,
      connection: start.connection,
      via: start.via,
      ...(start.late ? { late: true as const } : {}),
      causedByUs: start.causedByUs,
      depth: start.depth,
      ...(start.test ? { test: true as const } : {}),
      untrusted: settled ? ['/event', '/settled'] : ['/event'],
      ...(settled ? { settled: visibleJson(settled) as Settled } : {}),
      event: visibleJson(start.data) as Json,
    },
  }
}

/**
 * Headers of a signed body, with a signature for each secret. `now` is the true time: receivers refuse what is older
 * than some minutes.
 */
export const signedHeaders = (
  secrets: readonly string[],
  id: string,
  now: number,
  body: string,
): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': 'toolyard',
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(now / 1000)),
  'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, new Date(now), body)).join(' '),
})

/**
 * Reads a signed start as an agent does. `headers` with names in lower case. @throws Failure `bad_signature` when it is
 * not ours, was changed or is minutes old
 */
export const readSignedStart = (secret: string, headers: Record<string, unknown>, body: string): AgentStart => {
  try {
    return new Webhook(secret).verify(body, headers as Record<string, string>) as AgentStart
  } catch {
    throw fail('bad_signature', 'This start is not signed with the secret of its subscription, or came too late.')
  }
}
