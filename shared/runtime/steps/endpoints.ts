import { fail, meets } from '#kit'
import type { EndpointProfile, Json, Lookup } from '#kit'
import { excerptOf, ruleFor } from '../../wire/exchange/classify.ts'
import type { Reply, Wire } from '../../wire/types.ts'
import { requireFine } from './exchange.ts'
import { exchangeEnded } from './pending.ts'
import type { Session } from './session.ts'
import { counted, countCredits } from './credits.ts'
import { quote } from './dry-run.ts'
import { endpointOf, endpointRequest, usableSets } from './endpoint-request.ts'
import type { Clock } from '../ports/index.ts'
import type { FoundFor } from '../catalogue/price.ts'
import { foundRecord, takeRecord, withJoins } from './records.ts'
import type { Loaded } from '../catalogue/registry.ts'

type Values = Record<string, unknown>

const isOk = ({ status }: Reply) => status >= 200 && status < 300
const isWebPage = ({ headers, body, json }: Reply) => !json && (/html/i.test(headers['content-type'] ?? '') || (typeof body === 'string' && /^\s*</.test(body)))

/**
 * Whether a reply says that there is no such record. A web page, or an error without a body, is what any server answers at an address it does
 * not have; of another text only a rule about its words may claim it.
 */
export const isNoMatch = (endpoint: EndpointProfile, reply: Reply) =>
  !isWebPage(reply) &&
  (endpoint.noMatch ?? []).some((rule) => (reply.json || (reply.body === null && isOk(reply)) || rule.contains !== undefined) && meets(rule, reply))

const notThere = new Set([404, 405, 410])

/** What a reply is that some other server or page gave, unless a rule of the profile knows it. */
const foreignReply = (loaded: Loaded, reply: Reply): string | undefined => {
  if (ruleFor(loaded.wire, reply)) return undefined
  if (reply.status >= 300 && reply.status < 400) return 'a redirect'
  const what = isWebPage(reply) ? 'a web page' : reply.body === null ? 'nothing' : reply.json ? 'nothing about a record' : 'a text'
  return notThere.has(reply.status) || (isOk(reply) && !reply.json && reply.body !== null) ? what : undefined
}

/** Throws the failure that a reply of an endpoint means; one that looks like a wrong address names the settings that hold it. */
export const requireAnswer = (wire: Wire, session: Session, name: string, method: string, reply: Reply) => {
  const { loaded } = session.loaded
  const what = foreignReply(loaded, reply)
  if (what === undefined) return requireFine(wire, session, method, reply)
  const setting = `wire.${loaded.integration.id}`
  throw fail(
    'bad_reply',
    `The provider answered ${reply.status} with ${what}, so this address may be wrong. The operator checks "${setting}.baseUrl" and "${setting}.endpoints.${name}.path"; if this is how the provider reports no match, a rule of "${setting}.endpoints.${name}.noMatch" must say so.`,
    { providerStatus: reply.status, ...(reply.body === null ? {} : { providerMessage: excerptOf(reply.body) }) },
  )
}

/** Sends one endpoint call; gives the parsed reply body. */
export const askEndpoint = async (wire: Wire, clock: Clock, session: Session, name: string, values: Values): Promise<unknown> => {
  const reply = await exchangeEnded(wire, clock, session, name, endpointRequest(session.loaded.loaded, name, values))
  requireAnswer(wire, session, name, endpointOf(session.loaded.loaded, name).method, reply)
  return reply.body
}

const aliasesOf = ({ aliases, kind = '' }: EndpointProfile) => aliases ?? kind

/** How records of an endpoint are read. */
export const readingOf = (loaded: Loaded, endpoint: EndpointProfile) => ({ kind: endpoint.kind, aliases: loaded.wire.records?.[aliasesOf(endpoint)] ?? {} })

/** Where the one record of an answer is. `whole`: all of the answer, which holds what records are joined with. */
type Place = { paths: string[]; whole: unknown }

/** The one record of an answer in the result contract. What is not understood is no match, but is shown: it may have been paid. */
export const lookupIn = (loaded: Loaded, name: string, body: unknown, { paths, whole }: Place, at: number, matchedBy: string): Lookup => {
  const taken = takeRecord(body, paths)
  if ('none' in taken) return { matched: false }
  if ('unclear' in taken) return { matched: false, reason: taken.unclear, raw: body as Json }
  const endpoint = endpointOf(loaded, name)
  const reading = readingOf(loaded, endpoint)
  const found = foundRecord(withJoins(endpoint, taken.found, whole), reading, { provider: loaded.integration.id, endpoint: name, at, matchedBy })
  const understood = Object.keys(found.record).length > 0 || Object.keys(reading.aliases).length === 0
  if (understood || taken.at !== '') return found
  const setting = `wire.${loaded.integration.id}.records.${aliasesOf(endpoint)}`
  return { matched: false, reason: `The provider answered with nothing that "${setting}" knows, so it may or may not be a match; see raw.`, raw: body as Json }
}

/** The names of a set, without those in `along`, which identify nobody. */
export const identifierOf = (set: Values, along: readonly string[] = []) =>
  Object.keys(set)
    .filter((ours) => !along.includes(ours))
    .join('+')

/** What a lookup found, for its price; undefined where it found nothing. An answer that is not understood may hold anything. */
export const foundFor = (values: Values, result: Lookup): FoundFor | undefined =>
  result.matched ? { values, record: result.record } : result.raw === undefined ? undefined : { values, record: undefined }

const lookupSet = (wire: Wire, clock: Clock, session: Session, name: string, values: Values, matchedBy: string): Promise<Lookup> => {
  const { loaded } = session.loaded
  const endpoint = endpointOf(loaded, name)
  return counted(session, endpoint, { values: [values], max: 1 }, async () => {
    const reply = await exchangeEnded(wire, clock, session, name, endpointRequest(loaded, name, values))
    const missed = isNoMatch(endpoint, reply)
    if (!missed) requireAnswer(wire, session, name, endpoint.method, reply)
    const place = { paths: endpoint.record ?? [''], whole: reply.body }
    const result = missed ? { matched: false as const } : lookupIn(loaded, name, reply.body, place, clock.now(), matchedBy)
    const found = foundFor(values, result)
    countCredits(session, endpoint, reply, {
      usage: { calls: 1, asked: 1, found: found ? [found] : [] },
      charged: found || session.cost?.per === 'call' ? 1 : 0,
    })
    return result
  })
}

/**
 * Tries identifier sets strongest first; the next only after a definite no match. A failure, or an answer that is not
 * understood, ends it. Sets the provider has no names for are passed over while another can be used.
 */
export const lookupOne = async (wire: Wire, clock: Clock, session: Session, name: string, given: Values[], along: readonly string[] = []): Promise<Lookup> => {
  const { loaded } = session.loaded
  const sets = usableSets(loaded, name, given)
  const all = Object.assign({}, ...sets) as Values
  const isTogether = endpointOf(loaded, name).identifiers === 'all'
  const most = isTogether ? 1 : sets.length
  quote(session, name, { values: [all], calls: [1, most], asked: [1, most] })
  if (isTogether) return lookupSet(wire, clock, session, name, all, sets.map((set) => identifierOf(set, along)).join(', '))
  if (session.dry && sets.length > 1) session.dry.partial = true
  let last: Lookup = { matched: false }
  for (const set of sets) {
    last = await lookupSet(wire, clock, session, name, set, identifierOf(set, along))
    if (last.matched || last.raw !== undefined) return last
  }
  return last
}
