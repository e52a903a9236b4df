import { asText, fail, isFailure, isNotAllowed, meets, needsReconnect, wasNeverSent } from '#kit'
import type { Effect, ExchangeReply, Failure, Json, ProviderRequest, WireProfile } from '#kit'
import { canonicalPath } from '../../wire/guard/paths.ts'
import type { Account, Call, Preview, ProviderWire, Reply } from '../../wire/types.ts'
import { requireUsable } from '../connections/resolve.ts'
import type { ScopeLimit } from '../connections/scopes.ts'
import { providerWire } from './pass.ts'
import { payByPath } from './price.ts'
import type { FindCharged, Gate, OutgoingRequest, Pass } from './pass.ts'

/** Opens the one way to providers. */
export const createGate = (wire: ProviderWire, findCharged: FindCharged): Gate => ({
  [providerWire]: wire,
  findCharged,
})

/** Thrown by a dry run at the first reply it would need; never leaves the runtime. */
export class DryRunEnd extends Error {}

/** What the step does, as far as one of its requests does it: what only reads prepares it. */
const effectShown = ({ cost, effect }: Pass, method: string): Effect => {
  if (cost) return 'create'
  return method === 'GET' ? 'read' : effect
}

/**
 * The effect of one request inside a step, which decides whether it may be sent again. A step that updates may use
 * POST, which does a thing each time it is sent, or DELETE of a part, which is refused the second time.
 */
const effectOfRequest = (pass: Pass, method: string): Effect => {
  const effect = effectShown(pass, method)
  return effect === 'update' && method !== 'PUT' && method !== 'PATCH' ? 'create' : effect
}

const callOf = (pass: Pass, request: OutgoingRequest, effect: Effect): Call => {
  const { loaded, opened } = pass
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
    paid: pass.cost !== undefined,
    policy: pass.policy ?? (request.api ? opened.apiPolicy : opened.stepPolicy),
    correlationId: effect === 'read' ? undefined : pass.correlationId,
    redirects: request.redirects,
    isAnswer: request.isAnswer,
    secretsInPath: !request.api,
    signal: pass.signal,
    deadlineAt: pass.deadlineAt,
    priority: pass.priority,
    noWait: pass.noWait,
    recheck() {
      pass.recheck?.()
      if (!opened.live)
        throw fail(
          'not_connected',
          'The connection was changed or removed while the call waited; nothing was sent. Run it again.',
        )
    },
    used: pass.used,
    // A lookup that is paid for matters like a write: if the process died meanwhile, nobody would know whether it was
    // charged.
    onSending: effect === 'read' && pass.cost === undefined ? pass.checkBeforeSending : pass.onSending,
  }
}

/** The request as it would be sent. Throws what keeps it from being sent. */
export const previewOf = (pass: Pass, request: OutgoingRequest): Preview =>
  pass.gate[providerWire].preview(callOf(pass, request, effectOfRequest(pass, request.method)))

/** Collects a request in a dry run instead of sending it. */
export const collect = (pass: Pass, request: OutgoingRequest) => {
  pass.dry!.requests.push(previewOf(pass, request))
  pass.dry!.effects.push(effectShown(pass, request.method))
}

const isRecorded = ({ audit, cost }: Pass, effect: Effect) =>
  audit !== undefined && (effect !== 'read' || cost !== undefined)

/**
 * Not waited for: what was done is done, and appending never fails the thing it is about. The store takes the rows in
 * order and flushes them on closing.
 */
const recordExchange = (pass: Pass, call: Call, providerStatus: number | null, failure: Failure | undefined) => {
  if (!isRecorded(pass, call.effect) && !isNotAllowed(failure)) return
  const { opened } = pass
  const { integration, method, path } = call
  pass.audit?.exchanged({
    integration,
    connection: opened.connection.id,
    keyId: opened.keyId ?? null,
    method,
    path,
    providerStatus,
    failure,
  })
}

const recordRefusal = (pass: Pass, request: OutgoingRequest, effect: Effect, refusal: unknown) => {
  if (isFailure(refusal)) recordExchange(pass, callOf(pass, request, effect), null, refusal)
}

/** Sends once more with a renewed credential: what the provider refused with 401 was not carried out. */
const sendAgain = async (pass: Pass, request: OutgoingRequest, effect: Effect, used: Account): Promise<Reply> => {
  await pass.opened.renewal!.afterRefusal(used)
  return pass.gate[providerWire].exchange(callOf(pass, request, effect))
}

/** Holds the request to the scopes of the connection. Throws `not_allowed`. */
const requireInScope = async (pass: Pass, request: OutgoingRequest, limit: ScopeLimit, effect: Effect) => {
  const { loaded } = pass.loaded
  const ask = async (question: ProviderRequest) =>
    (await exchangeChecked({ ...pass, policy: loaded.stepPolicy, isUpkeep: true }, question)).body
  try {
    // What is refused anyway must not cause a question first.
    pass.gate[providerWire].preview(callOf(pass, request, effect))
    await limit.check(loaded, request, pass.dry ? undefined : ask)
  } catch (refusal) {
    recordRefusal(pass, request, effect, refusal)
    throw refusal
  }
}

/**
 * What a caller or the provider wrote is read once, here: limits, pacing, the audit and the provider see the same path.
 */
const readOnce = (pass: Pass, request: OutgoingRequest, effect: Effect): OutgoingRequest => {
  if (request.nextPage !== undefined) {
    const call = { ...callOf(pass, request, effect), policy: pass.opened.apiPolicy }
    return { ...request, query: pass.gate[providerWire].pageQuery(call, request.nextPage) }
  }
  if (!request.api) return request
  try {
    return { ...request, path: canonicalPath(request.path) }
  } catch (refusal) {
    recordRefusal(pass, request, effect, refusal)
    throw refusal
  }
}

/** What of a reply its caller wants. */
type Take<T> = (reply: Reply) => T

const whole: Take<Reply> = (reply) => reply
export const bodyOf: Take<Json> = ({ body }) => body

const shownHeaders = new Set([
  'content-type',
  'content-language',
  'content-location',
  'date',
  'etag',
  'last-modified',
  'link',
  'location',
  'retry-after',
])

/** What a handler may see of a reply. */
export const shownReply: Take<ExchangeReply> = ({ status, headers, body }) => {
  const shown: Record<string, string> = {}
  for (const name in headers)
    if (shownHeaders.has(name) || name.startsWith('x-') || name.startsWith('ratelimit')) shown[name] = headers[name]!
  return { status, headers: shown, body }
}

const exchangeNow = async <T>(pass: Pass, given: OutgoingRequest, isChecked: boolean, take: Take<T>): Promise<T> => {
  const { opened } = pass
  const wire = pass.gate[providerWire]
  const effect = effectOfRequest(pass, given.method)
  const request = given.api || given.nextPage !== undefined ? readOnce(pass, given, effect) : given
  const limit = pass.policy ? undefined : opened.scopes
  if (limit) await requireInScope(pass, request, limit, effect)
  if (pass.dry) {
    collect(pass, request)
    throw new DryRunEnd()
  }
  requireUsable(opened)
  if (opened.renewal?.isDue()) await opened.renewal.beforeUse()
  const call = callOf(pass, request, effect)
  pass.used.calls += 1
  if (effect !== 'read') pass.lastWrite = { request, isCreate: effect === 'create' }
  let reply: Reply
  try {
    reply = await wire.exchange(call)
    if (reply.status === 401 && opened.renewal && needsReconnect(wire.classify(call.profile, reply, effect)))
      reply = await sendAgain(pass, request, effect, call.account)
  } catch (thrown) {
    // A call that was refused before it was sent is none.
    if (wasNeverSent(thrown)) pass.used.calls -= 1
    if (isFailure(thrown) && pass.audit) recordExchange(pass, call, thrown.details.providerStatus ?? null, thrown)
    throw thrown
  }
  // A page of text may come from anybody. "Not modified" shows that the credential works as well as a body does.
  pass.used.lastStatus = reply.notModified ? 200 : reply.json || reply.body === null ? reply.status : undefined
  const { json } = reply
  const answer = reply
  if (json && call.profile.validKey?.some((condition) => meets(condition, answer))) pass.used.proven = true
  if (pass.onWritten && request.method !== 'GET' && reply.status < 300) pass.onWritten(request, reply)
  const isAudited = isRecorded(pass, effect)
  const failure = isChecked || isAudited ? wire.classify(call.profile, reply, effect) : undefined
  if (isAudited) recordExchange(pass, call, reply.status, failure)
  const shown = limit ? limit.narrow(pass.loaded.loaded, request, reply) : reply
  if (isChecked && failure) throw failure
  return take(shown)
}

const decodeSafely = (path: string): string => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Whom the request names by its path, its query or its body is not to be on the suppression list. */
const requireNobodySuppressed = async ({ privacy }: Pass, { path, query, body }: OutgoingRequest) => {
  const [refusal] = (await privacy?.refusals([[decodeSafely(asText(path)), query ?? null, body ?? null]])) ?? []
  if (refusal) throw refusal
}

const exchangeGuarded = async <T>(
  pass: Pass,
  request: OutgoingRequest,
  isChecked: boolean,
  take: Take<T>,
): Promise<T> => {
  await requireNobodySuppressed(pass, request)
  if (request.isQuoted) return exchangeNow(pass, request, isChecked, take)
  return take(
    await payByPath(pass, request, pass.gate.findCharged, (paying) => exchangeNow(paying, request, isChecked, whole)),
  )
}

/**
 * Only a provider whose profile has endpoints answers about people, and charges. Not async: every layer of promises
 * costs each run a turn.
 */
const exchangeFor = <T>(pass: Pass, request: OutgoingRequest, isChecked: boolean, take: Take<T>): Promise<T> =>
  pass.isUpkeep || pass.loaded.loaded.wire.endpoints === undefined
    ? exchangeNow(pass, request, isChecked, take)
    : exchangeGuarded(pass, request, isChecked, take)

/** One exchange; a reply of any status. In a dry run the request is collected, and the run ends. */
export const exchange = (pass: Pass, request: OutgoingRequest): Promise<Reply> =>
  exchangeFor(pass, request, false, whole)

/** An exchange whose reply must be fine under the profile's rules. */
export const exchangeChecked = (pass: Pass, request: OutgoingRequest): Promise<Reply> =>
  exchangeFor(pass, request, true, whole)

/** The same; gives a part of the reply. */
export const takeChecked = <T>(pass: Pass, request: OutgoingRequest, take: Take<T>): Promise<T> =>
  exchangeFor(pass, request, true, take)

/** Throws the failure that a reply means under the profile's rules. */
export const requireFine = (pass: Pass, method: string, reply: Reply, profile: WireProfile) => {
  const failure = pass.gate[providerWire].classify(profile, reply, effectOfRequest(pass, method))
  if (failure) throw failure
}
