/** What happens to watched people and companies, and what goes wrong with their signals. */
import fc from 'fast-check'

const minute = 60_000
/** How many people and companies are watched. */
export const entityCount = 4

export const agentModes = ['ok', 'fails', 'known', 'busy'] as const
export type AgentMode = (typeof agentModes)[number]
export const noises = ['forged', 'stale', 'unknown', 'repeated'] as const

/**
 * `rotate`: the account gets another secret. `unheard`: the provider does not hear the answers that it is given. `mute`:
 * its API answers 503 to everything.
 */
type Plain = 'deliver' | 'reorder' | 'restart' | 'rotate' | 'lock' | 'unlock' | 'mute' | 'unmute' | 'unheard' | 'heard'

export type SignalCommand =
  | { do: 'signal'; entity: number; kind: 0 | 1 }
  | { do: Plain }
  | { do: 'noise'; noise: (typeof noises)[number] }
  | { do: 'wait'; ms: number }
  /** `after`: so many more store calls are made before it dies. */
  | { do: 'kill'; after: number }
  | { do: 'switchOff' | 'lose' | 'suppress'; entity: number }
  /** `left`: credits that the budget has left from now on. */
  | { do: 'budget'; left: number }
  | { do: 'agent'; mode: AgentMode }

const entity = fc.nat({ max: entityCount - 1 })
const plain = (...names: Plain[]) => fc.constantFrom(...names).map((name): SignalCommand => ({ do: name }))
const kind = fc.constantFrom<0 | 1>(0, 1)

const command: fc.Arbitrary<SignalCommand> = fc.oneof(
  { weight: 34, arbitrary: fc.record({ do: fc.constant('signal' as const), entity, kind }) },
  {
    weight: 22,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(1_000, 20_000, minute, 4 * minute, 7 * minute, 17 * minute),
    }),
  },
  { weight: 10, arbitrary: plain('deliver', 'reorder') },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('noise' as const),
      noise: fc.constantFrom(...noises),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('kill' as const), after: fc.nat({ max: 12 }) }) },
  { weight: 6, arbitrary: plain('restart') },
  { weight: 3, arbitrary: plain('unheard', 'heard') },
  { weight: 3, arbitrary: plain('heard') },
  { weight: 3, arbitrary: plain('lock', 'unlock') },
  { weight: 3, arbitrary: plain('unlock') },
  { weight: 2, arbitrary: plain('mute', 'unmute') },
  { weight: 2, arbitrary: plain('unmute') },
  { weight: 1, arbitrary: plain('rotate') },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('switchOff' as const, 'lose' as const), entity }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('suppress' as const), entity }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('budget' as const), left: fc.constantFrom(0, 2, 6, 1000) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('agent' as const), mode: fc.constantFrom(...agentModes) }) },
)

export const signalHistory = fc.array(command, { minLength: 1, maxLength: 60, size: 'max' })
