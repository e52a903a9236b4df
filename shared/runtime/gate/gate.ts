import {
  asText,
  fail,
  isBelievable,
  isFailure,
  isLowerEffect,
  isNotAllowed,
  meets,
  needsReconnect,
  wasNeverSent,
} from '#kit'
import type { Effect, ExchangeReply, Failure, Json, WireProfile } from '#kit'
import { callToAddress } from '../../wire/exchange/call-to-address.ts'
import { canonicalPath } from '../../wire/guard/paths.ts'
import type { Account, Call, Preview, ProviderWire, Reply } from '../../wire/types.ts'
import { requireUsable } from '../connections/resolve.ts'
import type { Ask, ScopeLimit } from '../connections/scopes.ts'
import { tableOf } from '../catalogue/operation-table.ts'
import { valuesNamedAt } from './wire-names.ts'
import type { Priced } from '../catalogue/path-price.ts'
import { providerWire } from './pass.ts'
import { findPrice, passUnpriced, payByPath } from './price.ts'
import type { FindCharged, Gate, OutgoingRequest, Pass } from './pass.ts'

export const createGate = (wire: ProviderWire, findCharged: FindCharged): Gate => ({
  [providerWire]: wire,
  findCharged,
})

/** What decides the effect of a request. */
export type EffectParts = Pick<OutgoingRequest, 'method' | 'effect' | 'effectSource'> & { path?: string | null }

/**
 * The effect that a request declares, or the higher one that the operator's list of operations names.
 * @throws Failure `internal` for one that is lower than that of the method and names no source
 */
const declaredEffect = ({ loaded }: Pass, request: EffectParts, effect: Effect): Effect => {
  const { method, path } = request
  if (!isBelievable(method, request))
    throw fail(
      'internal',
      `A ${method} request declares the effect "${effect}" without "effectSource": name the page of the provider that says so.`,
    )
  const { operations } = loaded.loaded.wire
  const inTable = path == null || operations === undefined ? undefined : tableOf(operations).find(method, path)?.effect
  return inTable !== undefined && isLowerEffect(effect, inTable) ? inTable : effect
}

/** The step's effect as far as this request carries it out: a GET only prepares it. */
const effectInStep = (pass: Pass, request: EffectParts): Effect => {
  if (pass.cost) return 'create'
  if (request.effect !== undefined) return declaredEffect(pass, request, request.effect)
  return request.method === 'GET' ? 'read' : pass.effect
}

/**
 * The effect of one request within a step; it decides whether the request may be retried. A step that updates may use
 * POST, which acts each time it is sent, or DELETE on a part, which is refused the second time.
 */
export const effectOfRequest = (pass: Pass, request: EffectParts): Effect => {
  const effect = effectInStep(pass, request)
  return effect === 'update' && request.effect === undefined && request.method !== 'PUT' && request.method !== 'PATCH'
    ? 'create'
    : effect
}

const callOf = (pass: Pass, request: OutgoingRequest, effect: Effect): Call => {
  const { loaded, opened } = pass
  const call: Call = {
    integration: loaded.loaded.integration.id,
    profile: loaded.loaded.wire,
    account: opened.account,
    method: request.method,
    path: request.path,
    endpoint: request.endpoint,
    query: request.query,
    body: request.body,
    bodyAs: request.bodyAs,
    contentType: request.contentType,
    replyAs: request.replyAs,
    files: request.files,
    save: request.save,
    ifNoneMatch: request.ifNoneMatch,
    ifModifiedSince: request.ifModifiedSince,
    effect,
    points: request.points,
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
    // A paid lookup is handled like a write: if the process died meanwhile, nobody would know whether it was charged.
    onSending: effect === 'read' && pass.cost === undefined ? pass.checkBeforeSending : pass.onSending,
  }
  return request.address === undefined ? call : callToAddress(call, request.address)
}

/**
 * The request as it would be sent.
 * @throws Failure that would keep it from being sent
 */
export const previewOf = (pass: Pass, request: OutgoingRequest): Preview =>
  pass.gate[providerWire].preview(callOf(pass, request, effectOfRequest(pass, request)))

/**
 * Not awaited: the exchange is over, and recording it must not make it fail. The store takes rows in order and flushes
 * them on closing.
 */
const recordExchange = (pass: Pass, call: Call, providerStatus: number | null, failure: Failure | undefined) => {
  if (call.effect === 'read' && !call.paid && !isNotAllowed(failure)) return
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

/** Sends again with a renewed credential: a request refused with 401 was not carried out. */
const sendAgain = async (pass: Pass, request: OutgoingRequest, effect: Effect, used: Account): Promise<Reply> => {
  await pass.opened.renewal!.afterRefusal(used)
  return pass.gate[providerWire].exchange(callOf(pass, request, effect))
}

/** Asks the provider where something lies, to find out whether it is in a connection's scopes. */
const askForScope =
  (pass: Pass): Ask =>
  async (question) =>
    (await exchangeChecked({ ...pass, policy: pass.loaded.loaded.stepPolicy, isUpkeep: true }, question)).body

/** An address that the provider gave carries no credential, so it reaches nothing that scopes could bound. */
const scopesOf = ({ policy, opened }: Pass, { address }: OutgoingRequest): ScopeLimit | undefined =>
  policy !== undefined || address !== undefined ? undefined : opened.scopes

/**
 * Without `ask`, only what the request itself shows is checked.
 * @throws Failure `not_allowed` when the request reaches beyond the connection's scopes
 */
const requireInScope = async (
  pass: Pass,
  request: OutgoingRequest,
  limit: ScopeLimit,
  effect: Effect,
  ask: Ask | undefined,
) => {
  try {
    // A request that is refused anyway must not cause a lookup first.
    pass.gate[providerWire].preview(callOf(pass, request, effect))
    await limit.check(pass.loaded.loaded, request, ask)
  } catch (refusal) {
    recordRefusal(pass, request, effect, refusal)
    throw refusal
  }
}

/**
 * Resolves a path or page link that a caller or the provider wrote, exactly once, so that limits, rate limits, audit
 * and provider all see the same request.
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

/**
 * All ids of the containers that a request touches, which may take free reads; `unknown`: it may touch any; undefined:
 * the integration has none.
 */
export const containersOf = async (
  pass: Pass,
  request: OutgoingRequest,
): Promise<readonly string[] | 'unknown' | undefined> => {
  const { scopes } = pass.loaded.loaded.integration
  if (!scopes) return undefined
  const touched = scopes.of(readOnce(pass, request, effectOfRequest(pass, request)))
  if (touched === 'none' || touched === 'lists') return []
  if (touched === 'unknown') return 'unknown'
  const ask = askForScope(pass)
  const asks = [...touched.containers.map((id) => scopes.byId(id)), ...touched.through]
  const ids = await Promise.all(asks.map(async (question) => scopes.idsIn(await ask(question))))
  return ids.some((all) => all.length === 0) ? 'unknown' : [...touched.containers, ...ids.flat()]
}

/** Picks the part of a reply that the caller needs. */
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

/** The part of a reply that a handler may see. */
export const shownReply: Take<ExchangeReply> = ({ status, headers, body }) => {
  const shown: Record<string, string> = {}
  for (const name in headers)
    if (shownHeaders.has(name) || name.startsWith('x-') || name.startsWith('ratelimit')) shown[name] = headers[name]!
  return { status, headers: shown, body }
}

const exchangeNow = async <T>(pass: Pass, given: OutgoingRequest, isChecked: boolean, take: Take<T>): Promise<T> => {
  const { opened } = pass
  const wire = pass.gate[providerWire]
  const effect = effectOfRequest(pass, given)
  const request = given.api || given.nextPage !== undefined ? readOnce(pass, given, effect) : given
  const limit = scopesOf(pass, request)
  if (limit) await requireInScope(pass, request, limit, effect, askForScope(pass))
  requireUsable(opened)
  if (opened.renewal?.isDue()) await opened.renewal.beforeUse()
  const call = callOf(pass, request, effect)
  const permit = effect !== 'read' || call.paid ? pass.permit : undefined
  permit?.check(wire.preview(call))
  pass.used.calls += 1
  if (effect !== 'read') pass.lastWrite = { request, isCreate: effect === 'create' }
  let reply: Reply
  try {
    reply = await wire.exchange(call)
    if (reply.status === 401 && opened.renewal && needsReconnect(wire.classify(call.profile, reply, effect)))
      reply = await sendAgain(pass, request, effect, call.account)
  } catch (thrown) {
    permit?.failed(thrown)
    // A call that was refused before it was sent does not count.
    if (wasNeverSent(thrown)) pass.used.calls -= 1
    if (isFailure(thrown) && pass.audit) recordExchange(pass, call, thrown.details.providerStatus ?? null, thrown)
    throw thrown
  }
  // Only JSON and empty replies count: a page of text may come from any server on the way. "Not modified" proves the
  // credential as well as a body does.
  const proves = request.address === undefined && (reply.json || reply.body === null)
  pass.used.lastStatus = reply.notModified ? 200 : proves ? reply.status : undefined
  const { json } = reply
  const answer = reply
  if (json && call.profile.validKey?.some((condition) => meets(condition, answer))) pass.used.proven = true
  if (pass.onWritten && effect !== 'read' && reply.status < 300) pass.onWritten(request, reply)
  const isAudited = pass.audit !== undefined && (effect !== 'read' || call.paid)
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

/** @throws Failure when path, query or body name somebody on the suppression list */
const requireNobodySuppressed = async ({ privacy, loaded }: Pass, { path, query, body }: OutgoingRequest) => {
  if (!privacy) return
  const named = valuesNamedAt(loaded.loaded.wire.endpoints, path, body)
  const [refusal] = await privacy.refusals([[decodeSafely(asText(path)), query ?? null, body ?? null, named]])
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
 * One exchange, of whose reply only a part is returned. It must be a success under the profile's rules if `isChecked`.
 * Only providers whose profile has endpoints answer about people and charge. Not async, since every further promise
 * delays each run by a microtask.
 */
export const takeReply = <T>(pass: Pass, request: OutgoingRequest, take: Take<T>, isChecked = true): Promise<T> =>
  pass.isUpkeep || pass.loaded.loaded.wire.endpoints === undefined
    ? exchangeNow(pass, request, isChecked, take)
    : exchangeGuarded(pass, request, isChecked, take)

/** One exchange; returns a reply of any status. */
export const exchange = (pass: Pass, request: OutgoingRequest): Promise<Reply> => takeReply(pass, request, whole, false)

/** One exchange whose reply must be a success under the profile's rules. */
export const exchangeChecked = (pass: Pass, request: OutgoingRequest): Promise<Reply> => takeReply(pass, request, whole)

/** @throws Failure that the reply means under the profile's rules */
export const requireFine = (pass: Pass, request: EffectParts, reply: Reply, profile: WireProfile) => {
  const failure = pass.gate[providerWire].classify(profile, reply, effectOfRequest(pass, request))
  if (failure) throw failure
}

/** A request that would be sent. `price`: by its path, when the sender has not quoted it. */
export type CheckedRequest = {
  preview: Preview
  effect: Effect
  price: Priced | undefined
  /** Whether nobody knows the price. */
  isUnpriced: boolean
}

/**
 * Checks a request like one that is about to be sent, and sends nothing.
 * @throws Failure that would keep it from being sent
 */
export const checkRequest = async (pass: Pass, request: OutgoingRequest): Promise<CheckedRequest> => {
  await requireNobodySuppressed(pass, request)
  const price = request.isQuoted ? 'free' : await findPrice(pass, request)
  const paying = price === 'free' ? pass : price === 'unknown' ? passUnpriced(pass) : { ...pass, cost: price.cost }
  const effect = effectOfRequest(paying, request)
  const resolved = readOnce(paying, request, effect)
  const limit = scopesOf(pass, resolved)
  if (limit) await requireInScope(paying, resolved, limit, effect, undefined)
  return {
    preview: previewOf(paying, resolved),
    effect: effectInStep(paying, request),
    price: typeof price === 'object' ? price : undefined,
    isUnpriced: price === 'unknown',
  }
}
