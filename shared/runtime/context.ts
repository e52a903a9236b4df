import { fail, isFailure } from '#kit'
import type { Cost, Effect, FailureCode, Json, ProviderRequest } from '#kit'
import type { Call, Preview, Reply, Wire } from '../wire/types.ts'
import { requireUsable } from './accounts.ts'
import type { OpenAccount } from './accounts.ts'
import type { RawContext } from './api-call.ts'
import { lookupMany } from './bulk.ts'
import { askEndpoint, lookupOne, searchEndpoint } from './endpoints.ts'
import type { Clock } from './ports.ts'
import type { LoadedStep } from './registry.ts'

/** What one step run (or option load) may use and what it leaves behind. */
export type Session = {
  loaded: LoadedStep
  account: OpenAccount
  effect: Effect
  /** Price of the step; its calls are then repeated only like creates. */
  cost: Cost | undefined
  mark: string
  signal: AbortSignal | undefined
  deadlineAt: number
  priority: 'interactive' | 'bulk'
  noWait: boolean
  progress: ((done: number, total?: number) => void) | undefined
  onSending: (() => Promise<void>) | undefined
  /** Set in a dry run: requests are collected here and nothing is sent. */
  dry: { requests: Preview[]; effects: Effect[]; partial: boolean; /** How often the price may be charged, where that is known. */ units?: number | undefined } | undefined
  used: { attempts: number; calls: number; credits: number; estimated: boolean; lastStatus: number | undefined }
}

/** Thrown by a dry run at the first reply it would need; never leaves the runtime. */
export class DryRunEnd extends Error {}

const never = new AbortController().signal

const refusedBefore = new Set<FailureCode>(['not_allowed', 'invalid_input', 'wire_unset', 'cancelled'])

const recheck = (session: Session) => () => {
  if (!session.account.live) throw fail('not_connected', 'The account was changed or removed while the call waited; nothing was sent. Run it again.')
}

/** The effect of one request inside a step: a read that prepares a write is repeated like a read. */
const effectOfRequest = (session: Session, method: string): Effect => {
  if (session.cost) return 'create'
  return method === 'GET' ? 'read' : session.effect
}

export type SessionRequest = { method: string; path: string; query?: ProviderRequest['query']; body?: Json | undefined; redirects?: 'same-origin' | undefined; api?: boolean }

const callOf = (session: Session, request: SessionRequest, effect: Effect): Call => {
  const { loaded, account } = session
  return {
    integration: loaded.loaded.integration.id,
    profile: loaded.loaded.wire,
    account: account.account,
    method: request.method,
    path: request.path,
    query: request.query,
    body: request.body,
    effect,
    paid: session.cost !== undefined,
    policy: request.api ? account.apiPolicy : account.stepPolicy,
    mark: effect === 'read' ? undefined : session.mark,
    redirects: request.redirects,
    signal: session.signal,
    deadlineAt: session.deadlineAt,
    priority: session.priority,
    noWait: session.noWait,
    recheck: recheck(session),
    onSending: effect === 'read' ? undefined : session.onSending,
  }
}

/** Collects a request in a dry run instead of sending it. */
export const collect = (wire: Wire, session: Session, request: SessionRequest) => {
  const effect = effectOfRequest(session, request.method)
  session.dry!.requests.push(wire.preview(callOf(session, request, effect)))
  session.dry!.effects.push(effect)
}

/** One exchange of a session; counts attempts. In a dry run it collects the request and ends the run. */
export const exchange = async (wire: Wire, session: Session, request: SessionRequest): Promise<Reply> => {
  if (session.dry) {
    collect(wire, session, request)
    throw new DryRunEnd()
  }
  const call = callOf(session, request, effectOfRequest(session, request.method))
  requireUsable(session.account)
  session.used.calls += 1
  let reply: Reply
  try {
    reply = await wire.exchange(call)
  } catch (thrown) {
    // A call that was refused before it was sent is none.
    if (isFailure(thrown) && refusedBefore.has(thrown.code)) session.used.calls -= 1
    throw thrown
  }
  session.used.attempts += reply.attempts
  session.used.lastStatus = reply.status
  return reply
}

/** An exchange whose reply must be fine under the profile's rules. */
export const exchangeChecked = async (wire: Wire, session: Session, request: SessionRequest): Promise<Reply> => {
  const reply = await exchange(wire, session, request)
  requireFine(wire, session, request.method, reply)
  return reply
}

/** Throws the failure that a reply means under the profile's rules. */
export const requireFine = (wire: Wire, session: Session, method: string, reply: Reply) => {
  const failure = wire.classify(session.loaded.loaded.wire, reply, effectOfRequest(session, method))
  if (failure) throw failure
}

/** The narrow thing a handler sees. No secret, header, URL or store is reachable from it. */
export const createContext = (wire: Wire, clock: Clock, session: Session): RawContext => ({
  async send(request) {
    const reply = await exchange(wire, session, request)
    requireFine(wire, session, request.method, reply)
    return reply.body
  },
  ask: (endpoint, values) => askEndpoint(wire, session, endpoint, values),
  lookup: (endpoint, sets) => lookupOne(wire, clock, session, endpoint, sets),
  lookupMany: (endpoint, records) => lookupMany(wire, clock, session, endpoint, records),
  search: (endpoint, values, page) => searchEndpoint(wire, clock, session, endpoint, values, page),
  async call({ throwOnError, ...request }) {
    return throwOnError ? exchangeChecked(wire, session, { ...request, api: true }) : exchange(wire, session, { ...request, api: true })
  },
  signal: session.signal ?? never,
  now: () => clock.now(),
  progress: (done, total) => session.progress?.(done, total),
})
