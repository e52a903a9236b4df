import { fail, fillPath, isFailure, meets, valueAt } from '#kit'
import type { PendingRule } from '#kit'
import type { Reply } from '../../wire/types.ts'
import { noteLeftPending } from '../gate/charge.ts'
import { endpointOf } from './endpoint-request.ts'
import { exchange } from '../gate/gate.ts'
import type { OutgoingRequest } from '../gate/pass.ts'
import type { Session } from '../session/session.ts'

/** Replies to requests for a pending result. */
const polled = new WeakSet<Reply>()
/**
 * Whether a reply came from the path for pending results: what the endpoint itself has returned proves nothing about
 * it.
 */
export const wasPolled = (reply: Reply) => polled.has(reply)

const isPending = (rule: PendingRule, reply: Reply) => rule.when.some((condition) => meets(condition, reply))

const namesIn = (setting: string, names: Record<string, string>, reply: Reply) =>
  Object.fromEntries(
    Object.entries(names).map(([name, at]) => {
      const value = valueAt(reply.body, at)
      if (typeof value === 'number' || (typeof value === 'string' && value !== '')) return [name, value]
      const said = `The provider answered that it is still working, but with nothing at "${at}" by which to ask for the result; "${setting}.poll.names.${name}" may be wrong.`
      throw fail('bad_reply', said, { providerStatus: reply.status })
    }),
  )

const pathTo = (setting: string, template: string, names: Record<string, string | number>, status: number) => {
  try {
    return fillPath(template, names)
  } catch (thrown) {
    if (!isFailure(thrown)) throw thrown
    // The names come from the provider, so this is not invalid input of the caller.
    throw fail(
      'bad_reply',
      `The provider answered that it is still working, with a name that cannot be part of the path "${setting}.poll.path".`,
      {
        providerStatus: status,
        cause: thrown,
      },
    )
  }
}

/**
 * The request for the result: either the `poll` path, with names from the reply filled in, or the same request again.
 */
const followUp = (setting: string, { poll }: PendingRule, request: OutgoingRequest, reply: Reply): OutgoingRequest => {
  if (!poll) return request
  const { body: _, query: __, ...otherFields } = request
  const names = namesIn(setting, poll.names, reply)
  const [path = '', search] = poll.path.split('?')
  const query = new URLSearchParams(
    (search ?? '').replace(/\{(\w+)\}/g, (whole, name: string) => encodeURIComponent(names[name] ?? whole)),
  )
  return {
    ...otherFields,
    method: 'GET',
    path: pathTo(setting, path, names, reply.status),
    ...(search === undefined ? {} : { query: Object.fromEntries(query) }),
  }
}

type Waiting = { session: Session; rule: PendingRule; setting: string; until: number }

/** Requests the result until the provider has it. */
const awaitResult = async (
  { session, rule, setting, until }: Waiting,
  request: OutgoingRequest,
  first: Reply,
): Promise<Reply> => {
  const again: Session = { ...session, audit: undefined, ...(rule.poll ? { cost: undefined } : {}) }
  const next = followUp(setting, rule, request, first)
  let reply = first
  while (isPending(rule, reply)) {
    if (session.clock.monotonic() + rule.everyMs > until)
      throw fail(
        'provider_failed',
        'The provider is still working on this; it is neither a match nor a miss yet. Repeat it later, which gets the result then.',
        {
          retryAfterMs: rule.everyMs,
          providerStatus: reply.status,
        },
      )
    try {
      await session.clock.sleep(rule.everyMs, session.signal)
    } catch {
      throw fail(
        'cancelled',
        'The call was cancelled while the provider was still working on it. What it finds may be charged all the same.',
      )
    }
    reply = await exchange(again, next)
    if (rule.poll) polled.add(reply)
  }
  return reply
}

/**
 * One exchange with an endpoint. While the provider says that it is still working, which is neither a match nor a no
 * match, the result is requested again. That is no second lookup, so it is neither charged nor recorded as one.
 */
export const exchangeEnded = async (session: Session, name: string, request: OutgoingRequest): Promise<Reply> => {
  const { loaded } = session.loaded
  const rule = endpointOf(loaded, name).pending
  const reply = await exchange(session, request)
  if (!rule || !isPending(rule, reply)) return reply
  const until = Math.min(session.clock.monotonic() + rule.limitMs, session.deadlineAt)
  try {
    return await awaitResult(
      { session, rule, setting: `${loaded.setting}.endpoints.${name}.pending`, until },
      request,
      reply,
    )
  } catch (thrown) {
    if (isFailure(thrown)) noteLeftPending(thrown)
    throw thrown
  }
}
