/** What every sandbox of a data provider is started with, and what it gives. */
import type { Provider } from '../people/data-set.ts'
import { serveAnswers } from './transport.ts'
import type { Answers } from './transport.ts'
import { createControl, createWorld } from './world.ts'
import type { Control, Limits, NoMatchForm, Window, World } from './world.ts'

/** One vendor as the sandbox plays it. */
export type Vendor = {
  /** The key it takes where the options name no other. */
  apiKey: string
  /** Requests in any window of time. */
  limits: Limits
  /** Limits besides, each with a name of its own. */
  windows?: Window[]
  /**
   * What can be chosen about the account, or where the vendor's documents disagree; the first choice of each is in
   * force at the start.
   */
  switches?: Record<string, readonly string[]>
  /** How a miss is answered at first; only for vendors that answer it in several ways. */
  noMatch?: NoMatchForm
  /** How it answers; `answersOf` (server.ts) makes it of a dialect. */
  answers(world: World, apiKey: string): Answers
  /** The override of the integration's wire profile that goes to this sandbox. */
  override(origin: string, limits: Limits): Record<string, unknown>
}

export type LookupSandboxOptions = {
  /** Default: any free port. */
  port?: number
  /** Clock for limits and records, ms. Default: the system's. */
  now?: () => number
  limits?: Partial<Limits>
  /** What the other windows admit, by their names. */
  windows?: Record<string, number>
  switches?: Record<string, string>
  /** Credits of the account at the start; default 10,000. */
  credits?: number
  noMatch?: NoMatchForm
  /** The key it takes; visible ASCII. */
  apiKey?: string
}

export type LookupSandbox = {
  origin: string
  credentials: { apiKey: string }
  override: Record<string, unknown>
  control: Control
  close(): Promise<void>
}

export const startLookupSandbox = async (
  provider: Provider,
  vendor: Vendor,
  options: LookupSandboxOptions,
): Promise<LookupSandbox> => {
  const choices = vendor.switches ?? {}
  const start = {
    now: options.now,
    limits: { ...vendor.limits, ...options.limits },
    windows: (vendor.windows ?? []).map((window) => ({ ...window, max: options.windows?.[window.name] ?? window.max })),
    switches: {
      ...Object.fromEntries(Object.entries(choices).map(([name, [first = '']]) => [name, first])),
      ...options.switches,
    },
    credits: options.credits ?? 10_000,
    noMatch: options.noMatch ?? vendor.noMatch ?? 'null',
  }
  const world = createWorld(provider, start)
  const control = createControl(world, start, choices)
  control.setWindows(options.windows ?? {})
  control.setSwitches(options.switches ?? {})
  const { apiKey = vendor.apiKey } = options
  const { origin, close } = await serveAnswers(vendor.answers(world, apiKey), world, control, options.port ?? 0)
  return { origin, credentials: { apiKey }, override: vendor.override(origin, start.limits), control, close }
}
