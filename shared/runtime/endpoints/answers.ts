import { fail, isFailure, meets } from '#kit'
import type { Effect, EndpointProfile, Failure, FailureCode, Lookup, ReplyCondition, WireProfile } from '#kit'
import { excerptOf, ruleFor } from '../../wire/exchange/classify.ts'
import type { Reply } from '../../wire/types.ts'
import { endpointOf } from './endpoint-request.ts'
import { effectOfRequest, requireFine } from '../gate/gate.ts'
import type { EffectParts } from '../gate/gate.ts'
import { endpointIn } from './proven-endpoints.ts'
import { exchangeEnded, wasPolled } from './pending-answers.ts'
import type { EndpointKey, OutgoingRequest, Pass } from '../gate/pass.ts'
import type { Session } from '../session/session.ts'

const isOk = ({ status }: Reply) => status >= 200 && status < 300
const isWebPage = ({ headers, body, json }: Reply) =>
  !json && (/html/i.test(headers['content-type'] ?? '') || (typeof body === 'string' && /^\s*</.test(body)))

const isAboutText = ({ contains, begins }: ReplyCondition) => contains !== undefined || begins !== undefined
const saysMiss = ({ noMatch = [] }: EndpointProfile, reply: Reply) =>
  !isWebPage(reply) && noMatch.some((rule) => (reply.json || isAboutText(rule)) && meets(rule, reply))
const mayBeMiss = ({ noMatchOnceMatched = [] }: EndpointProfile, reply: Reply) =>
  !isWebPage(reply) && noMatchOnceMatched.some((rule) => meets(rule, reply))

type NoMatch = Extract<Lookup, { matched: false }>

/**
 * The no match that a reply means; undefined when it means none. A web page, or a response without a body, is what any
 * server returns for a wrong address, so no rule applies to it; other text counts only by a rule about its words. Rules
 * of `noMatchOnceMatched` apply once the endpoint has returned a match, and their result is marked `unsure`.
 */
export const noMatchIn = async (session: Pass, name: string, reply: Reply): Promise<NoMatch | undefined> => {
  const endpoint = endpointOf(session.loaded.loaded, name)
  if (saysMiss(endpoint, reply)) return { matched: false }
  if (!mayBeMiss(endpoint, reply) || wasPolled(reply) || !(await session.provenEndpoints?.has(session, name)))
    return undefined
  const said = `The provider answered ${reply.status} and did not say what it has not found.`
  const reason = `${said} It has found others here, so that is a no match, for some minutes.`
  return { matched: false, unsure: true, reason }
}

const notThere = new Set([404, 405, 410])

const withOwnRules = new WeakMap<WireProfile, Map<string, WireProfile>>()

/**
 * The profile with the endpoint's own error rules first. They apply to single records; bulk answers have rules for
 * their items. Cached, since classifying replies caches its data per profile object.
 */
const profileFor = ({ loaded: { loaded } }: Session, key: EndpointKey): WireProfile => {
  const own = endpointIn(key) === key ? endpointOf(loaded, key).errors : undefined
  if (own === undefined) return loaded.wire
  const made = withOwnRules.get(loaded.wire) ?? new Map<string, WireProfile>()
  const profile = made.get(key) ?? { ...loaded.wire, errors: [...own, ...loaded.wire.errors] }
  withOwnRules.set(loaded.wire, made.set(key, profile))
  return profile
}

/**
 * Describes a reply that seems to come from another server or page; undefined when a rule of the profile applies to it.
 */
const foreignReply = (profile: WireProfile, reply: Reply, effect: Effect): string | undefined => {
  if (ruleFor(profile, reply, effect)) return undefined
  if (reply.status >= 300 && reply.status < 400) return 'a redirect'
  const what = isWebPage(reply)
    ? 'a web page'
    : reply.body === null
      ? 'nothing'
      : reply.json
        ? 'nothing about a record'
        : 'a text'
  return notThere.has(reply.status) || (isOk(reply) && !reply.json) ? what : undefined
}

const settingOf = (session: Session) => session.loaded.loaded.setting

/** Failures that a wrong setting may also cause, with the kind of setting. */
const doubts: { [code in FailureCode]?: 'credential' | 'request' } = {
  // A body in a GET is refused with this code before anything is sent.
  invalid_input: 'request',
  not_connected: 'credential',
  access_denied: 'credential',
  rejected: 'request',
  not_found: 'request',
  conflict: 'request',
  provider_failed: 'request',
  outcome_unknown: 'request',
  unreachable: 'request',
}

/** Adds the settings that may be wrong to the failure of an endpoint that has never returned a match. */
const namingSettings = async (session: Session, key: EndpointKey, failure: Failure): Promise<Failure> => {
  const doubt = doubts[failure.code]
  if (doubt === undefined || session.provenEndpoints === undefined || (await session.provenEndpoints.has(session, key)))
    return failure
  const setting = settingOf(session)
  const hint =
    doubt === 'credential'
      ? `This key has found nothing here yet: if it is right, the operator checks "${setting}.auth.${session.opened.account.type}", which says where it goes, and "${setting}.baseUrl".`
      : `Nothing was ever found here, so this address or the form of the request may be wrong: the operator checks "${setting}.baseUrl" and "${setting}.endpoints.${key}".`
  return fail(failure.code, `${failure.message} ${hint}`, { ...failure.details, cause: failure })
}

/** Runs work on an endpoint; its failures name the settings for as long as these are unproven. */
export const withSettings = async <T>(session: Session, key: EndpointKey, work: () => Promise<T> | T): Promise<T> => {
  try {
    return await work()
  } catch (thrown) {
    throw isFailure(thrown) ? await namingSettings(session, key, thrown) : thrown
  }
}

/**
 * One exchange with an endpoint, with a reply of any status. A no match with the status of a server error counts as an
 * answer.
 */
export const exchangeWith = (session: Session, key: EndpointKey, request: OutgoingRequest): Promise<Reply> => {
  const endpoint = endpointOf(session.loaded.loaded, endpointIn(key))
  const isAnswer = (reply: Reply) => saysMiss(endpoint, reply) || mayBeMiss(endpoint, reply)
  return withSettings(session, key, () =>
    exchangeEnded(session, endpointIn(key), key === endpointIn(key) ? { ...request, isAnswer } : request),
  )
}

/** Throws the failure that a reply means; when the address seems wrong, the failure names its settings. */
export const requireAnswer = async (
  session: Session,
  key: EndpointKey,
  request: EffectParts,
  reply: Reply,
): Promise<void> => {
  const profile = profileFor(session, key)
  const what = foreignReply(profile, reply, effectOfRequest(session, request))
  if (what === undefined) return withSettings(session, key, () => requireFine(session, request, reply, profile))
  const setting = settingOf(session)
  const rules =
    endpointIn(key) !== key
      ? ''
      : `; if this is how the provider reports no match, a rule of "${setting}.endpoints.${key}.noMatch" must say so`
  throw fail(
    'bad_reply',
    `The provider answered ${reply.status} with ${what}, so this address may be wrong. The operator checks "${setting}.baseUrl" and "${setting}.endpoints.${key}.path"${rules}.`,
    { providerStatus: reply.status, ...(reply.body === null ? {} : { providerMessage: excerptOf(reply.body) }) },
  )
}

/**
 * The failure for an answer in which the profile finds no record: it may have been a match, and paid for. `why`: a
 * sentence. `part`: the setting that would be wrong.
 */
export const notUnderstood = (
  session: Session,
  key: EndpointKey,
  why: string,
  part: string,
  body: unknown,
  status = 200,
): Failure => {
  const setting = settingOf(session)
  return fail(
    'bad_reply',
    `${why} So it may or may not be a match. The operator checks "${setting}.${part}", and whether "${setting}.baseUrl" and "${setting}.endpoints.${key}.path" lead to the provider.`,
    { providerStatus: status, ...(body === null || body === undefined ? {} : { providerMessage: excerptOf(body) }) },
  )
}
