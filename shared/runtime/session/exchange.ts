import { fail, isFailure, isNotAllowed, meets, needsReconnect, once, wasNeverSent } from '#kit'
import type { Effect, ExchangeReply, Failure, Json, ProviderRequest } from '#kit'
import { canonicalPath } from '../../wire/guard/paths.ts'
import type { Account, Call, Reply, Wire } from '../../wire/types.ts'
import { requireUsable } from '../connections/resolve.ts'
import type { ScopeLimit } from '../connections/scopes.ts'
import type { Session, SessionRequest } from './session.ts'

/** Thrown by a dry run at the first reply it would need; never leaves the runtime. */
export class DryRunEnd extends Error {}

const recheck = (session: Session) => () => {
  if (!session.opened.live) throw fail('not_connected', 'The connection was changed or removed while the call waited; nothing was sent. Run it again.')
}

/** What the step does, as far as one of its requests does it: what only reads prepares it. */
const effectShown = (session: Session, method: string): Effect => {
  if (session.cost) return 'create'
  return method === 'GET' ? 'read' : session.effect
}

/**
 * The effect of one request inside a step, which decides whether it may be sent again. A step that updates may use POST, which does a thing each time it
 * is sent, or DELETE of a part, which is refused the second time.
 */
const effectOfRequest = (session: Session, method: string): Effect => {
  const effect = effectShown(session, method)
  return effect === 'update' && method !== 'PUT' && method !== 'PATCH' ? 'create' : effect
}

const callOf = (session: Session, request: SessionRequest, effect: Effect): Call => {
  const { loaded, opened } = session
  return {
    integration: loaded.loaded.integration.id,
    profile: loaded.loaded.wire,
    account: opened.account,
    method: request.method,
    path: request.path,
    endpoint: request.endpoint,
    query: request.query,
    body: request.body,
    bodyAs: request.bodyAs,
    files: request.files,
    save: request.save,
    ifNoneMatch: request.ifNoneMatch,
    ifModifiedSince: request.ifModifiedSince,
    effect,
    paid: session.cost !== undefined,
    policy: session.policy ?? (request.api ? opened.apiPolicy : opened.stepPolicy),
    correlationId: effect === 'read' ? undefined : session.correlationId,
    redirects: request.redirects,
    isAnswer: request.isAnswer,
    secretsInPath: !request.api,
    signal: session.signal,
    deadlineAt: session.deadlineAt,
    priority: session.priority,
    noWait: session.noWait,
    recheck: recheck(session),
    used: session.used,
    // A lookup that is paid for matters like a write: if the process died meanwhile, nobody would know whether it was charged.
    onSending: effect === 'read' && session.cost === undefined ? session.checkBeforeSending : session.onSending,
  }
}

/** The request as it would be sent. Throws what keeps it from being sent. */
export const previewOf = (wire: Wire, session: Session, request: SessionRequest) =>
  wire.preview(callOf(session, request, effectOfRequest(session, request.method)))

/** Collects a request in a dry run instead of sending it. */
export const collect = (wire: Wire, session: Session, request: SessionRequest) => {
  const effect = effectOfRequest(session, request.method)
  session.dry!.requests.push(wire.preview(callOf(session, request, effect)))
  session.dry!.effects.push(effectShown(session, request.method))
}

const isRecorded = (session: Session, effect: Effect) => session.audit !== undefined && (effect !== 'read' || session.cost !== undefined)

/** Not waited for: what was done is done, and appending never fails the thing it is about. The store takes the rows in order and flushes them on closing. */
const recordExchange = (session: Session, call: Call, providerStatus: number | null, failure: Failure | undefined) => {
  if (!isRecorded(session, call.effect) && !isNotAllowed(failure)) return
  const { opened } = session
  const { integration, method, path } = call
  session.audit?.exchanged({ integration, connection: opened.connection.id, keyId: opened.keyId ?? null, method, path, providerStatus, failure })
}

/** Sends once more with a renewed credential: what the provider refused with 401 was not carried out. */
const sendAgain = async (wire: Wire, session: Session, request: SessionRequest, effect: Effect, used: Account): Promise<Reply> => {
  await session.opened.renewal!.afterRefusal(used)
  return wire.exchange(callOf(session, request, effect))
}

const wantsRenewal = (wire: Wire, { opened }: Session, call: Call, reply: Reply) =>
  reply.status === 401 && opened.renewal !== undefined && needsReconnect(wire.classify(call.profile, reply, call.effect))

/** Holds the request to the scopes of the connection. Throws `not_allowed`. */
const requireInScope = async (wire: Wire, session: Session, request: SessionRequest, limit: ScopeLimit, effect: Effect) => {
  const { loaded } = session.loaded
  const own = { ...session, policy: loaded.stepPolicy }
  const ask = async (wanted: ProviderRequest) => {
    const reply = await exchange(wire, own, wanted)
    requireFine(wire, own, 'GET', reply)
    return reply.body
  }
  try {
    // What is refused anyway must not cause a question first.
    wire.preview(callOf(session, request, effect))
    await limit.check(loaded, request, session.dry ? undefined : ask)
  } catch (refusal) {
    if (isFailure(refusal)) recordExchange(session, callOf(session, request, effect), null, refusal)
    throw refusal
  }
}

/** What of a reply its caller wants; `judged`: the failure it means under the profile's rules. */
type Take<T> = (reply: Reply, judged: () => Failure | undefined) => T

const whole: Take<Reply> = (reply) => reply
const fine: Take<Reply> = (reply, judged) => {
  const failure = judged()
  if (failure) throw failure
  return reply
}
const fineBody: Take<Json> = (reply, judged) => fine(reply, judged).body

const shownHeaders = new Set(['content-type', 'content-language', 'content-location', 'date', 'etag', 'last-modified', 'link', 'location', 'retry-after'])

/** What a handler may see of a reply. */
export const shownReply = ({ status, headers, body }: Reply): ExchangeReply => {
  const shown: Record<string, string> = {}
  for (const name in headers) if (shownHeaders.has(name) || name.startsWith('x-') || name.startsWith('ratelimit')) shown[name] = headers[name]!
  return { status, headers: shown, body }
}
const fineReply: Take<ExchangeReply> = (reply, judged) => shownReply(fine(reply, judged))

/** What a caller or the provider wrote is read once, here: limits, pacing, the audit and the provider see the same path. */
const readOnce = (wire: Wire, session: Session, asked: SessionRequest, effect: Effect): SessionRequest => {
  if (asked.nextPage !== undefined) {
    const call = { ...callOf(session, asked, effect), policy: session.opened.apiPolicy }
    return { ...asked, query: wire.pageQuery(call, asked.nextPage) }
  }
  if (!asked.api) return asked
  try {
    return { ...asked, path: canonicalPath(asked.path) }
  } catch (refusal) {
    if (isFailure(refusal)) recordExchange(session, callOf(session, asked, effect), null, refusal)
    throw refusal
  }
}

const exchangeFor = async <T>(wire: Wire, session: Session, asked: SessionRequest, take: Take<T>): Promise<T> => {
  const { opened } = session
  const effect = effectOfRequest(session, asked.method)
  const request = readOnce(wire, session, asked, effect)
  const limit = session.policy ? undefined : opened.scopes
  if (limit) await requireInScope(wire, session, request, limit, effect)
  if (session.dry) {
    collect(wire, session, request)
    throw new DryRunEnd()
  }
  requireUsable(opened)
  if (opened.renewal?.isDue()) await opened.renewal.beforeUse()
  const call = callOf(session, request, effect)
  session.used.calls += 1
  if (effect !== 'read') session.lastWrite = { request, isCreate: effect === 'create' }
  let reply: Reply
  try {
    reply = await wire.exchange(call)
    if (wantsRenewal(wire, session, call, reply)) reply = await sendAgain(wire, session, request, effect, call.account)
  } catch (thrown) {
    // A call that was refused before it was sent is none.
    if (wasNeverSent(thrown)) session.used.calls -= 1
    if (isFailure(thrown) && session.audit) recordExchange(session, call, thrown.details.providerStatus ?? null, thrown)
    throw thrown
  }
  const answer = reply
  // A page of text may come from anybody. "Not modified" shows that the credential works as well as a body does.
  session.used.lastStatus = reply.notModified ? 200 : reply.json || reply.body === null ? reply.status : undefined
  if (answer.json && call.profile.validKey?.some((condition) => meets(condition, answer))) session.used.proven = true
  if (session.onWritten && request.method !== 'GET' && reply.status < 300) session.onWritten(request, reply)
  const judged = once(() => wire.classify(call.profile, answer, effect))
  if (isRecorded(session, effect)) recordExchange(session, call, reply.status, judged())
  return take(limit ? limit.narrow(session.loaded.loaded, request, reply) : reply, judged)
}

/** One exchange of a session; counts attempts. In a dry run it collects the request and ends the run. */
export const exchange = (wire: Wire, session: Session, request: SessionRequest): Promise<Reply> => exchangeFor(wire, session, request, whole)

/** An exchange whose reply must be fine under the profile's rules. */
export const exchangeChecked = (wire: Wire, session: Session, request: SessionRequest): Promise<Reply> => exchangeFor(wire, session, request, fine)

/** The same; gives the body. */
export const sendChecked = (wire: Wire, session: Session, request: SessionRequest): Promise<Json> => exchangeFor(wire, session, request, fineBody)

/** The same; gives status, body and the headers a handler may see. */
export const exchangeShown = (wire: Wire, session: Session, request: SessionRequest): Promise<ExchangeReply> => exchangeFor(wire, session, request, fineReply)

/** Throws the failure that a reply means under the profile's rules. */
export const requireFine = (wire: Wire, session: Session, method: string, reply: Reply, profile = session.loaded.loaded.wire) => {
  const failure = wire.classify(profile, reply, effectOfRequest(session, method))
  if (failure) throw failure
}
