/** Starts a data provider's sandbox: options and result. */
import type { Schedule } from '../outgoing.ts'
import type { Provider } from '../people/data-set.ts'
import { serveAnswers } from './transport.ts'
import type { Answers } from './transport.ts'
import { createControl, createWorld } from './world.ts'
import type { Control, Limits, NoMatchForm, Window, World } from './world.ts'

/** One vendor that the sandbox can stand in for. */
export type Vendor = {
  /** The default API key. */
  apiKey: string
  /** The limit of requests in any window of time. */
  limits: Limits
  /** Further limits, each with its own name. */
  windows?: Window[]
  /**
   * Choices about the account, or about what the vendor's documents contradict; the first choice of each is the initial
   * one.
   */
  switches?: Record<string, readonly string[]>
  /** The initial form of a miss; only for vendors that answer misses in several forms. */
  noMatch?: NoMatchForm
  /** Creates the vendor's answers; `answersOf` (server.ts) makes them from a dialect. */
  answers(world: World, apiKey: string): Answers
  /** The override of the integration's wire profile that directs requests to this sandbox. */
  override(origin: string, limits: Limits): Record<string, unknown>
}

export type LookupSandboxOptions = {
  /** Default: any free port. */
  port?: number
  /** Clock for limits and records, in milliseconds since the epoch. Default: the system's. */
  now?: () => number
  /** Timers of what the provider does by itself. Default: the system's. */
  schedule?: Schedule
  limits?: Partial<Limits>
  /** Maximum requests of the further windows, by name. */
  windows?: Record<string, number>
  switches?: Record<string, string>
  /** Initial credits of the account; default 10,000. */
  credits?: number
  noMatch?: NoMatchForm
  /** The accepted API key; visible ASCII characters. */
  apiKey?: string
}

export type LookupSandbox = {
  origin: string
  credentials: { apiKey: string }
  override: Record<string, unknown>
  control: Control
  /** Calls one of the vendor's own control functions, as a request below /_control does. */
  tell(verb: string, body?: Record<string, unknown>): void
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
    schedule: options.schedule,
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
  const { apiKey = vendor.apiKey } = options
  const answers = vendor.answers(world, apiKey)
  const shared = createControl(world, start, choices)
  const control: Control = {
    ...shared,
    reset() {
      shared.reset()
      answers.reset?.()
    },
  }
  control.setWindows(options.windows ?? {})
  control.setSwitches(options.switches ?? {})
  const tell = (verb: string, body: Record<string, unknown> = {}) => {
    const carryOut = answers.verbs?.[verb]
    const wrong = carryOut === undefined ? `This vendor has no control "${verb}".` : carryOut(body)
    if (wrong !== undefined) throw new Error(wrong)
  }
  const { origin, close } = await serveAnswers(answers, world, control, options.port ?? 0)
  return { origin, credentials: { apiKey }, override: vendor.override(origin, start.limits), control, tell, close }
}
