import { randomBytes } from 'node:crypto'
import { failField } from '#kit'
import type { Json, Trigger } from '#kit'
import type { SubscriptionOptions } from '../../ports/index.ts'
import { parseInput } from '../../catalogue/parse.ts'
import { maxRecent, subscriptionOptions } from '../../../api/resources/subscription-options.ts'

/** The input that attaches a trigger to an agent. */
export type NewSubscription = {
  integration: string
  trigger: string
  /** Id or name of the connection. Absent: that of the person, or else the workspace's default. */
  connection?: string | undefined
  config?: unknown
  /**
   * `url` absent: starts go to the `onStart` callback. `secret` (`whsec_…`) absent: one is generated and shown once.
   */
  agent?: { id?: string | undefined; url?: string | null | undefined; secret?: string | undefined } | undefined
  options?: unknown
  externalId?: string | undefined
  /** The person its agent acts for; absent: the one whose connection it uses. */
  person?: string | undefined
  labels?: Record<string, string> | undefined
  /** Repeats with the same key return the same subscription. */
  idempotencyKey?: string | undefined
}
export type SubscriptionChanges = {
  config?: unknown
  agent?: NewSubscription['agent']
  options?: unknown
  externalId?: string | null | undefined
  labels?: Record<string, string> | undefined
  paused?: boolean | undefined
  /** Moves it to the trigger that replaces its own, with an equivalent config. */
  upgrade?: true | undefined
}

/** From which earlier events a subscription also starts: all since a time in ms, or the newest so many. */
export type StartFrom = { since: number } | { newest: number }

export const readStartFrom = (text: string | undefined, now: number): StartFrom | undefined => {
  if (text === undefined) return undefined
  const recent = /^recent:(\d{1,4})$/.exec(text)
  if (recent) {
    const newest = Number(recent[1])
    if (newest >= 1 && newest <= maxRecent) return { newest }
    throw failField('/options/startFrom', `"recent:${recent[1]}" is not possible: ask for 1 to ${maxRecent}.`)
  }
  const since = /^\d{4}-\d\d-\d\d(T|$)/.test(text) ? Date.parse(text) : NaN
  if (Number.isNaN(since))
    throw failField('/options/startFrom', 'startFrom is a date like "2026-11-01T00:00:00Z", or "recent:25".')
  if (since > now)
    throw failField(
      '/options/startFrom',
      'startFrom lies in the future: leave it out, events from now on count anyway.',
    )
  return { since }
}

export const parseOptions = (input: unknown): SubscriptionOptions => {
  const options = parseInput({ title: 'options', input: subscriptionOptions() }, input ?? {}) as {
    [name in keyof SubscriptionOptions]: SubscriptionOptions[name] | undefined
  }
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as SubscriptionOptions
}

export const parseConfig = (trigger: Trigger, input: unknown): Record<string, Json> =>
  parseInput({ title: trigger.title, input: trigger.config }, input) as Record<string, Json>

const secretShape = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/

/**
 * Returns the given secret, or generates one (`isGenerated`). @throws Failure when it is not `whsec_` and 24 to 64 bytes in
 * base64, the length that Standard Webhooks requires
 */
export const readSecret = (
  secret: string | undefined,
  field = '/agent/secret',
): { secret: string; isGenerated: boolean } => {
  if (secret === undefined) return { secret: `whsec_${randomBytes(32).toString('base64')}`, isGenerated: true }
  const bytes = secretShape.test(secret) ? Buffer.from(secret.slice(6), 'base64').length : 0
  if (bytes >= 24 && bytes <= 64) return { secret: secret, isGenerated: false }
  throw failField(field, 'The secret is "whsec_" and then 24 to 64 bytes in base64. Leave it out and one is made.')
}
