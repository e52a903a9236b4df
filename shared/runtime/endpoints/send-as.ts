import { fail, valueAt } from '#kit'
import type { Effect, EndpointProfile } from '#kit'
import type { LoadedIntegration } from '../catalogue/registry.ts'
import type { OpenConnection } from '../connections/open-connection.ts'
import type { AskTest, SendAs } from '../connections/verify.ts'
import type { Clock } from '../ports/index.ts'
import { endpointOf, endpointRequest } from './endpoint-request.ts'
import { requireAnswer } from './answers.ts'
import { readingOf } from './endpoints.ts'
import { bodyOf, takeReply } from '../gate/gate.ts'
import type { Gate } from '../gate/pass.ts'
import { exchangeEnded } from './pending-answers.ts'
import { normaliseRecord } from './records.ts'
import { openSession } from '../session/session.ts'

type SenderDependencies = { gate: Gate; clock: Clock }

/** A session for requests of our own: limited as built steps are, whatever the policy of the connection. */
const ownSession = (
  { gate, clock }: SenderDependencies,
  opened: OpenConnection,
  loaded: LoadedIntegration,
  effect: Effect,
  priority: 'interactive' | 'bulk',
) =>
  openSession({
    gate,
    clock,
    loaded: loaded.steps.get('api-call')!,
    opened,
    effect,
    deadlineAt: clock.monotonic() + loaded.wire.timeouts.totalMs,
    priority,
    policy: loaded.stepPolicy,
    guards: 'upkeep',
  })

/** Sends requests of our own, such as the test of a connection. */
export const createSendAs =
  (parts: SenderDependencies): SendAs =>
  (opened, loaded, request, { effect, priority }) =>
    takeReply(ownSession(parts, opened, loaded, effect, priority), request, bodyOf)

/**
 * Whether the endpoint's record or list is present in the body; a whole body must contain a known field. An empty list
 * is a valid answer.
 */
const isAnswer = (loaded: LoadedIntegration, endpoint: EndpointProfile, body: unknown): boolean => {
  const { kind, aliases } = readingOf(loaded, endpoint)
  const isKnown = (part: unknown) => Object.keys(normaliseRecord(part, kind, aliases)).length > 0
  return (endpoint.record ?? ['']).some((at) => {
    const part = valueAt(body, at)
    if (Array.isArray(part))
      return at === ''
        ? part.some(isKnown)
        : part.length === 0 || Object.keys(aliases).length === 0 || part.some(isKnown)
    if (typeof part !== 'object' || part === null || Object.keys(part).length === 0) return false
    return at !== '' || isKnown(part)
  })
}

/**
 * Sends the test that a wire profile names. It is free and changes nothing, so it is sent as a read, whatever its
 * method.
 */
export const createAskTest =
  (parts: SenderDependencies): AskTest =>
  async (opened, loaded, { endpoint: name, values = {} }, priority) => {
    const session = ownSession(parts, opened, loaded, 'read', priority)
    const endpoint = endpointOf(loaded, name)
    const reply = await exchangeEnded(session, name, endpointRequest(loaded, name, values))
    // The reply was a refusal that only a valid key gets.
    if (session.used.proven) return
    await requireAnswer(session, name, endpoint, reply)
    if (isAnswer(loaded, endpoint, reply.body)) return
    throw fail(
      'bad_reply',
      `The provider answered the test of the key with ${reply.status}, but not with what "${loaded.setting}.endpoints.${name}.record" expects, so nothing shows that the key works. The address may be wrong: the operator checks "${loaded.setting}.baseUrl" and "${loaded.setting}.endpoints.${name}.path".`,
      { providerStatus: reply.status },
    )
  }
