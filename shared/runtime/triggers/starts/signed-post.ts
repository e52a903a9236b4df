import { failures, isFailure, readRetryAfter } from '#kit'
import { createScrubber } from '../../../wire/guard/scrub.ts'
import type { SealedSecrets } from '../../ports/index.ts'
import type { TriggerParts } from '../parts.ts'
import { signedHeaders } from './agent-call.ts'

/** What whoever was called answered. `status` null: it did not; `isOurs`: that was not its doing. */
export type AgentReply = { status: number | null; message: string | null; retryAfterMs?: number; isOurs?: true }

/** Time to answer, unless something else is said; after it the call is repeated later. */
const answerMs = 5 * 60_000
const maxMessage = 500

/** The address may belong to somebody whose answers nobody here should read. */
const sizeOf = (message: string) =>
  message === '' ? null : `${Buffer.byteLength(message)} bytes, which are not shown.`

/** What was answered, without the secrets the receiver knows. */
const messageOf = (message: string, secrets: readonly string[]) =>
  message === ''
    ? null
    : createScrubber(secrets.flatMap((secret) => [secret, secret.replace('whsec_', '')]))
        .text(message)
        .slice(0, maxMessage)

const headerOf = (value: string | string[] | undefined) => (typeof value === 'string' ? value : undefined)

type Sealed = { tenant: string; secrets: SealedSecrets; previousUntil: number | null }

/** The secrets a body is signed with: the present one first, then the one before it while it is still taken. */
export const signingSecrets = (
  vault: TriggerParts['vault'],
  { tenant, secrets, previousUntil }: Sealed,
  owner: string,
  now: number,
): string[] => {
  const { secret, previous } = vault.open({ tenant, owner }, secrets)
  return previous !== undefined && previousUntil !== null && now < previousUntil ? [secret!, previous] : [secret!]
}

/**
 * POSTs a body that is signed by Standard Webhooks. @throws Failure when it may not be sent there, or nobody answered
 */
export const createSignedPost =
  ({ wire, clock, agentAnswers }: Pick<TriggerParts, 'wire' | 'clock' | 'agentAnswers'>) =>
  async ({
    url,
    secrets,
    id,
    text,
    timeoutMs = answerMs,
  }: {
    url: string
    secrets: string[]
    id: string
    text: string
    timeoutMs?: number | undefined
  }): Promise<AgentReply> => {
    const delivered = await wire.deliver({
      url,
      headers: signedHeaders(secrets, id, clock.now(), text),
      body: text,
      timeoutMs,
    })
    const { status, message, unread } = delivered
    const retryAfterMs = readRetryAfter(headerOf(delivered.headers['retry-after']), clock.now())
    const shown = unread ?? (agentAnswers ? messageOf(message, secrets) : sizeOf(message))
    return { status, message: shown, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  }

/** What was thrown while somebody was called, as a reply that leads to a repeat. */
export const notTaken = (thrown: unknown): AgentReply => {
  if (!isFailure(thrown))
    return { status: null, message: `The start was not taken: ${thrown instanceof Error ? thrown.name : 'unknown'}.` }
  return { status: null, message: thrown.message, ...(failures[thrown.code].actor === 'us' ? { isOurs: true } : {}) }
}
