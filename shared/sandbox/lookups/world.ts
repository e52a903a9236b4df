/** State and counters of one running data-provider sandbox, and the control over it. */
import { createDataSet } from '../people/data-set.ts'
import type { Company, Person, Provider } from '../people/data-set.ts'
import { realSchedule } from '../outgoing.ts'
import type { Schedule } from '../outgoing.ts'
import { armed } from './faults.ts'
import type { ArmedFault, Fault } from './faults.ts'

/** The form of a miss: 200 with null, {} or [], or 404 or 500 with a message that says "not found". */
export type NoMatchForm = 'null' | 'object' | 'list' | '404' | '500'
export const noMatchForms: readonly string[] = ['null', 'object', 'list', '404', '500']

/** A sliding window: at most `requests` accepted within any `windowMs`. */
export type Limits = { requests: number; windowMs: number }

/**
 * A further limit with a fixed window: it begins with its first request, and when it ends all its requests are
 * available again.
 */
export type Window = {
  name: string
  max: number
  windowMs: number
  /** The path that it counts; absent: it counts all paths. */ path?: string
  /** Counts the paths that begin with this. */
  below?: string
}
export type OpenWindow = Window & { from: number; used: number }

/** The result of a search, for later requests that refer to it. */
export type KeptSearch = { ids: string[]; at: number }

export type RecordedRequest = {
  at: number
  method: string
  path: string
  query: Record<string, string>
  headers: Record<string, string>
  /** Parsed JSON, or the raw text. */
  body: unknown
  /** Absent until the request is answered, and when the connection was cut. */
  status?: number
  /** Credits that this request was charged. */
  credits: number
}

export type Counters = {
  requests: number
  /** Requests by "METHOD /path". */
  byPath: Record<string, number>
  matches: number
  misses: number
  suppressed: number
  /** Number of records in bulk requests. */
  records: number
  creditsCharged: number
  /** Credits by what they were charged for, when the provider has several prices. */
  creditsFor: Record<string, number>
  refused: { badRequest: number; badKey: number; noCredits: number; tooMany: number }
}

export type World = {
  now(): number
  schedule: Schedule
  companies: Company[]
  people: Person[]
  credits: { total: number; remaining: number; used: number }
  /** Ids of the records this account has paid for, at providers that charge for each only once. */
  owned: Set<string>
  noMatch: NoMatchForm
  limits: Limits
  accepted: number[]
  windows: OpenWindow[]
  /**
   * Choices about what differs between accounts, or what the vendor's documents contradict: the current choice by name.
   */
  switches: Record<string, string>
  searches: Map<string, KeptSearch>
  faults: ArmedFault[]
  requests: RecordedRequest[]
  counters: Counters
}

export type Start = {
  now?: (() => number) | undefined
  schedule?: Schedule | undefined
  limits: Limits
  windows: Window[]
  switches: Record<string, string>
  credits: number
  noMatch: NoMatchForm
}

const noCounts = (): Counters => ({
  requests: 0,
  byPath: {},
  matches: 0,
  misses: 0,
  suppressed: 0,
  records: 0,
  creditsCharged: 0,
  creditsFor: {},
  refused: { badRequest: 0, badKey: 0, noCredits: 0, tooMany: 0 },
})

const fresh = (start: Start) => ({
  credits: { total: start.credits, remaining: start.credits, used: 0 },
  owned: new Set<string>(),
  noMatch: start.noMatch,
  limits: { ...start.limits },
  accepted: [] as number[],
  windows: start.windows.map((window) => ({ ...window, from: 0, used: 0 })),
  switches: { ...start.switches },
  searches: new Map<string, KeptSearch>(),
  faults: [] as ArmedFault[],
  requests: [] as RecordedRequest[],
  counters: noCounts(),
})

export const createWorld = (provider: Provider, start: Start): World => {
  const { companies, people } = createDataSet()
  return {
    now: start.now ?? Date.now,
    schedule: start.schedule ?? realSchedule,
    companies: companies.filter((company) => company.knownTo.includes(provider)),
    people: people.filter((person) => person.knownTo.includes(provider)),
    ...fresh(start),
  }
}

/**
 * Counts the request and returns undefined when it is within all limits; otherwise returns the required wait in
 * milliseconds, and the window that is full.
 */
export const admit = (world: World, path: string): { waitMs: number; window?: OpenWindow } | undefined => {
  const { requests, windowMs } = world.limits
  const now = world.now()
  world.accepted = world.accepted.filter((at) => at > now - windowMs)
  if (world.accepted.length >= requests) return { waitMs: Math.max(1, (world.accepted[0] ?? now) + windowMs - now) }
  const counting = world.windows.filter(
    (window) => (window.path ?? path) === path && path.startsWith(window.below ?? ''),
  )
  for (const window of counting) if (now >= window.from + window.windowMs) Object.assign(window, { from: now, used: 0 })
  const full = counting.find((window) => window.used >= window.max)
  if (full !== undefined) return { waitMs: full.from + full.windowMs - now, window: full }
  for (const window of counting) window.used += 1
  world.accepted.push(now)
  return undefined
}

export const charge = (world: World, credits: number, what?: string): void => {
  world.credits.remaining -= credits
  world.credits.used += credits
  world.counters.creditsCharged += credits
  if (what !== undefined && credits > 0)
    world.counters.creditsFor[what] = (world.counters.creditsFor[what] ?? 0) + credits
}

/**
 * Control over a running sandbox; the same functions are served below /_control. `choices`: the allowed values of each
 * switch.
 */
export const createControl = (world: World, start: Start, choices: Record<string, readonly string[]> = {}) => ({
  state: () => {
    const { credits, noMatch, limits, windows, switches, faults, counters } = world
    return structuredClone({
      credits,
      noMatch,
      limits,
      windows,
      switches,
      faults: faults.filter((fault) => fault.left > 0),
      counters,
    })
  },
  /** Sets the remaining credits; those already used stay counted. */
  setCredits: (remaining: number) => {
    world.credits.remaining = remaining
    world.credits.total = world.credits.used + remaining
  },
  setNoMatch: (form: NoMatchForm) => {
    world.noMatch = form
  },
  /** Sets limits, and forgets the requests counted so far. */
  setLimits: (limits: Partial<Limits>) => {
    world.limits = { ...world.limits, ...limits }
    world.accepted = []
  },
  /** Sets the maximum requests of windows by name, and starts these windows afresh. */
  setWindows: (most: Record<string, number>) => {
    for (const [name, max] of Object.entries(most)) {
      const window = world.windows.find((openWindow) => openWindow.name === name)
      if (window === undefined)
        throw new Error(
          `There is no window "${name}". Known: ${world.windows.map((openWindow) => openWindow.name).join(', ') || 'none'}.`,
        )
      Object.assign(window, { max, from: 0, used: 0 })
    }
  },
  setSwitches: (switches: Record<string, string>) => {
    for (const [name, choice] of Object.entries(switches)) {
      const knownChoices = Object.hasOwn(choices, name) ? choices[name] : undefined
      if (knownChoices === undefined)
        throw new Error(`There is no switch "${name}". Known: ${Object.keys(choices).join(', ') || 'none'}.`)
      if (!knownChoices.includes(choice)) throw new Error(`"${name}" has to be one of ${knownChoices.join(', ')}.`)
      world.switches[name] = choice
    }
  },
  inject: (fault: Fault) => {
    world.faults.push(armed(fault))
  },
  clearFaults: () => {
    world.faults = []
  },
  requests: (): RecordedRequest[] => structuredClone(world.requests),
  counters: (): Counters => structuredClone(world.counters),
  /**
   * Restores the initial state: credits, form of misses, limits, switches, faults, owned records, recorded requests and
   * counters.
   */
  reset: () => {
    Object.assign(world, fresh(start))
  },
})

export type Control = ReturnType<typeof createControl>
