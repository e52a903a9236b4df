/** What one running data-provider sandbox knows and counts, and the control over it. */
import { createDataSet } from '../people/data-set.ts'
import type { Company, Person, Provider } from '../people/data-set.ts'
import { armed } from './faults.ts'
import type { ArmedFault, Fault } from './faults.ts'

/** How "nobody found" is said: 200 with null, {} or []; or 404, or 500, each with a message that says "not found". */
export type NoMatchForm = 'null' | 'object' | 'list' | '404' | '500'
export const noMatchForms: readonly string[] = ['null', 'object', 'list', '404', '500']

/** A sliding window: at most `requests` accepted within any `windowMs`. */
export type Limits = { requests: number; windowMs: number }

export type RecordedRequest = {
  at: number
  method: string
  path: string
  query: Record<string, string>
  headers: Record<string, string>
  /** Parsed JSON, or the text as it came. */
  body: unknown
  /** Absent while being answered, and when the connection was cut. */
  status?: number
  /** Credits this request was charged. */
  credits: number
}

export type Counters = {
  requests: number
  /** By "METHOD /path". */
  byPath: Record<string, number>
  matches: number
  misses: number
  suppressed: number
  /** Records in bulk requests. */
  records: number
  creditsCharged: number
  refused: { badRequest: number; badKey: number; noCredits: number; tooMany: number }
}

export type World = {
  now(): number
  companies: Company[]
  people: Person[]
  credits: { total: number; remaining: number; used: number }
  /** Ids of what this account has paid for, where a provider charges it only once. */
  owned: Set<string>
  noMatch: NoMatchForm
  limits: Limits
  accepted: number[]
  faults: ArmedFault[]
  requests: RecordedRequest[]
  counters: Counters
}

export type Start = { now?: (() => number) | undefined; limits: Limits; credits: number; noMatch: NoMatchForm }

const noCounts = (): Counters => ({
  requests: 0,
  byPath: {},
  matches: 0,
  misses: 0,
  suppressed: 0,
  records: 0,
  creditsCharged: 0,
  refused: { badRequest: 0, badKey: 0, noCredits: 0, tooMany: 0 },
})

const fresh = (start: Start) => ({
  credits: { total: start.credits, remaining: start.credits, used: 0 },
  owned: new Set<string>(),
  noMatch: start.noMatch,
  limits: { ...start.limits },
  accepted: [] as number[],
  faults: [] as ArmedFault[],
  requests: [] as RecordedRequest[],
  counters: noCounts(),
})

export const createWorld = (provider: Provider, start: Start): World => {
  const { companies, people } = createDataSet()
  return {
    now: start.now ?? Date.now,
    companies: companies.filter((company) => company.knownTo.includes(provider)),
    people: people.filter((person) => person.knownTo.includes(provider)),
    ...fresh(start),
  }
}

/** 0 when the request is within the limit (and is counted), else the milliseconds until it would be. */
export const admit = (world: World): number => {
  const { requests, windowMs } = world.limits
  const now = world.now()
  world.accepted = world.accepted.filter((at) => at > now - windowMs)
  if (world.accepted.length < requests) {
    world.accepted.push(now)
    return 0
  }
  return Math.max(1, (world.accepted[0] ?? now) + windowMs - now)
}

export const charge = (world: World, credits: number): void => {
  world.credits.remaining -= credits
  world.credits.used += credits
  world.counters.creditsCharged += credits
}

/** Control over a running sandbox; the same verbs are under /_control over HTTP. */
export const createControl = (world: World, start: Start) => ({
  state: () => {
    const { credits, noMatch, limits, faults, counters } = world
    return structuredClone({ credits, noMatch, limits, faults: faults.filter((fault) => fault.left > 0), counters })
  },
  /** Sets what remains; what was used so far stays counted. */
  setCredits: (remaining: number) => {
    world.credits.remaining = remaining
    world.credits.total = world.credits.used + remaining
  },
  setNoMatch: (form: NoMatchForm) => {
    world.noMatch = form
  },
  /** Also forgets the requests counted so far. */
  setLimits: (limits: Partial<Limits>) => {
    world.limits = { ...world.limits, ...limits }
    world.accepted = []
  },
  inject: (fault: Fault) => {
    world.faults.push(armed(fault))
  },
  clearFaults: () => {
    world.faults = []
  },
  requests: (): RecordedRequest[] => structuredClone(world.requests),
  counters: (): Counters => structuredClone(world.counters),
  /** Back to how it started: credits, form, limits, faults, records and counters. */
  reset: () => {
    Object.assign(world, fresh(start))
  },
})

export type Control = ReturnType<typeof createControl>
