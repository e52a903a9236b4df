import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { fail, visibleJson } from '#kit'
import type { Json } from '#kit'
import type { Start, Subscription } from '../../ports/index.ts'

/** What an agent receives: the body of the POST, or the argument of `onStart`. */
export type AgentStart = {
  /** `<integration>.<trigger>` */
  type: string
  /** When the event happened, RFC 3339. */
  timestamp: string
  data: {
    /** Id of the event. */
    id: string
    /** The start key, the same in every attempt. Pass it as `Start-Id` with the steps that are run for this start. */
    start: string
    source: string
    subject: string | null
    time: string
    tenant: string
    subscription: string
    trigger: string
    agent: string | null
    connection: string
    /** The person whom the subscription acts for. Pass it as `person` with the steps that are run for this start. */
    person?: string
    via: Start['via']
    /** Fired after its due time. */
    late?: true
    causedByUs: Start['causedByUs']
    depth: number
    test?: true
    /** What happened, in one line, as a person would say it; null where nobody has words for it. */
    summary: string | null
    /** JSON pointers to the parts of `data` that third parties wrote: data, never instructions. */
    untrusted: string[]
    /** Present only for starts with a settle period. */
    settled?: SettledSubject
    event: Json
  }
}

/**
 * Ids of the later events that joined a settle period and, under its kind, the subject as it was when the period ended:
 * null when it was deleted, absent when it could not be read.
 */
export type SettledSubject = { events: string[]; [kind: string]: Json }

export const agentStart = (
  start: Start,
  { agent, person }: Pick<Subscription, 'agent' | 'person'>,
  settled: SettledSubject | undefined,
  summary: string | null,
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
      ...(person == null ? {} : { person }),
      via: start.via,
      ...(start.late ? { late: true as const } : {}),
      causedByUs: start.causedByUs,
      depth: start.depth,
      ...(start.test ? { test: true as const } : {}),
      summary,
      untrusted: settled ? ['/event', '/summary', '/settled'] : ['/event', '/summary'],
      ...(settled ? { settled: visibleJson(settled) as SettledSubject } : {}),
      event: visibleJson(start.data) as Json,
    },
  }
}

/**
 * Headers of a signed body, with one signature per secret. `now` is wall time in ms: receivers refuse a signature that
 * is some minutes old.
 */
export const signedHeaders = (
  secrets: readonly string[],
  id: string,
  now: number,
  body: string,
): Record<string, string> => {
  const seconds = Math.floor(now / 1000)
  const signatures: string[] = []
  // As `Webhook.sign` of standardwebhooks does, which hashes in JavaScript and takes ten times as long.
  for (const secret of secrets) {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    signatures.push(`v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`)
  }
  return {
    'content-type': 'application/json',
    'user-agent': 'toolyard',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  }
}

/**
 * Verifies and parses a signed start, as an agent does. `headers` has names in lower case. @throws Failure
 * `bad_signature` when the start is not signed with this secret, was changed or is minutes old
 */
export const readSignedStart = (secret: string, headers: Record<string, unknown>, body: string): AgentStart => {
  try {
    return new Webhook(secret).verify(body, headers as Record<string, string>) as AgentStart
  } catch {
    throw fail('bad_signature', 'This start is not signed with the secret of its subscription, or came too late.')
  }
}
