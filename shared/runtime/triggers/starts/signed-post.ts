import { failures, isFailure, readRetryAfter } from '#kit'
import { createScrubber } from '../../../wire/guard/scrub.ts'
import type { SealedSecrets } from '../../ports/index.ts'
import type { TriggerParts } from '../parts.ts'
import { signedHeaders } from './agent-call.ts'

/** The receiver's answer. `status` is null when there was none; `isOurs`: the receiver is not to blame for that. */
export type AgentReply = { status: number | null; message: string | null; retryAfterMs?: number; isOurs?: true }

/** Default timeout in ms; after it the call is repeated later. */
const answerMs = 5 * 60_000
const maxMessage = 500

/** The size of an answer in place of its text: whoever owns the address may not want it read here. */
const sizeOf = (message: string) =>
  message === '' ? null : `The answer has ${Buffer.byteLength(message)} bytes. This server does not store its text.`

/** The answer's text, without the secrets that the receiver knows. */
const messageOf = (message: string, secrets: readonly string[]) =>
  message === ''
    ? null
    : createScrubber(secrets.flatMap((secret) => [secret, secret.replace('whsec_', '')]))
        .text(message)
        .slice(0, maxMessage)

type Sealed = { tenant: string; secrets: SealedSecrets; previousUntil: number | null }

/** The secrets to sign a body with: the present one, and the previous one while it is still accepted. */
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
 * POSTs a body signed by Standard Webhooks. @throws Failure when the address may not be called, or when there is no
 * answer
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
    const { status, headers, message, unread } = delivered
    const retryAfter = headers['retry-after']
    const retryAfterMs = typeof retryAfter === 'string' ? readRetryAfter(retryAfter, clock.now()) : undefined
    const shown = unread ?? (agentAnswers ? messageOf(message, secrets) : sizeOf(message))
    return { status, message: shown, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  }

/** An error during a call, as a reply that leads to a retry. */
export const describeFailedPost = (thrown: unknown): AgentReply => {
  if (!isFailure(thrown))
    return { status: null, message: `The start was not taken: ${thrown instanceof Error ? thrown.name : 'unknown'}.` }
  return { status: null, message: thrown.message, ...(failures[thrown.code].actor === 'us' ? { isOurs: true } : {}) }
}
