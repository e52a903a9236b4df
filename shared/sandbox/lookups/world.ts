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

/** A limit besides: it begins with its first request, and when it ends all of it is free again. */
export type Window = {
  name: string
  max: number
  windowMs: number
  /** The path it counts, where it does not count all. */ path?: string
}
export type OpenWindow = Window & { from: number; used: number }

/** What a search found, for requests that name the search later. */
export type KeptSearch = { ids: string[]; at: number }

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
  /** By what they were charged for, where the provider has several prices. */
  creditsFor: Record<string, number>
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
  windows: OpenWindow[]
  /**
   * What differs between accounts, or between the vendor's own documents, and can be chosen: name → choice in force.
   */
  switches: Record<string, string>
  searches: Map<string, KeptSearch>
  faults: ArmedFault[]
  requests: RecordedRequest[]
  counters: Counters
}

export type Start = {
  now?: (() => number) | undefined
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
    companies: companies.filter((company) => company.knownTo.includes(provider)),
    people: people.filter((person) => person.knownTo.includes(provider)),
    ...fresh(start),
  }
}

/**
 * Undefined when the request is within all limits (and is counted), else how long it would have to wait, and for which
 * window.
 */
export const admit = (world: World, path: string): { waitMs: number; window?: OpenWindow } | undefined => {
  const { requests, windowMs } = world.limits
  const now = world.now()
  world.accepted = world.accepted.filter((at) => at > now - windowMs)
  if (world.accepted.length >= requests) return { waitMs: Math.max(1, (world.accepted[0] ?? now) + windowMs - now) }
  const counting = world.windows.filter((window) => window.path === undefined || window.path === path)
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
 * Control over a running sandbox; the same verbs are under /_control over HTTP. `choices`: by switch, what it can be
 * set to.
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
  /** Sets how many requests windows admit, by their names, and begins these windows anew. */
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
  /** Back to how it started: credits, form, limits, switches, faults, what is owned, records and counters. */
  reset: () => {
    Object.assign(world, fresh(start))
  },
})

export type Control = ReturnType<typeof createControl>
