import fc from 'fast-check'

export const kinds = ['card', 'comment', 'label', 'checklist', 'other checklist', 'move', 'own comment'] as const
export type Kind = (typeof kinds)[number]
export const modes = ['ok', 'slow', 'fails', 'known', 'busy'] as const
export type Mode = (typeof modes)[number]

/** `mute`: the provider's API answers 503 to everything. */
type Plain = 'reorder' | 'forge' | 'restart' | 'revoke' | 'reconnect' | 'lock' | 'unlock' | 'mute' | 'unmute'

export type Command =
  | { do: 'act'; kind: Kind; board: number }
  | { do: 'burst'; board: number; count: number }
  /** Deliveries are made by and by as time passes; these are made now. */
  | { do: 'deliver'; count: number }
  | { do: 'drop' | 'late'; at: number }
  | { do: 'duplicate'; at: number; copies: number }
  | { do: Plain }
  | { do: 'wait'; ms: number }
  /** `after`: so many more store calls are made before it dies. */
  | { do: 'kill'; after: number }
  | { do: 'disableHook' | 'deleteHook' | 'close' | 'reopen' | 'hide' | 'show' | 'trim'; board: number }
  | { do: 'jump'; ms: number }
  | { do: 'agent'; mode: Mode }

const minute = 60_000
const board = fc.integer({ min: 0, max: 1 })
const at = fc.nat({ max: 5 })
const plain = (...names: Plain[]) => fc.constantFrom(...names).map((name): Command => ({ do: name }))

/** What happens on boards and what goes wrong, in proportions that let both happen in a history of some dozens. */
export const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 30, arbitrary: fc.record({ do: fc.constant('act' as const), kind: fc.constantFrom(...kinds), board }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('burst' as const), board, count: fc.integer({ min: 4, max: 12 }) }),
  },
  { weight: 10, arbitrary: fc.record({ do: fc.constant('deliver' as const), count: fc.integer({ min: 1, max: 10 }) }) },
  {
    weight: 22,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(1_000, 20_000, minute, 4 * minute, 7 * minute, 17 * minute),
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('drop' as const), at }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('late' as const), at }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('duplicate' as const), at, copies: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 4, arbitrary: plain('reorder') },
  { weight: 2, arbitrary: plain('forge') },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('kill' as const), after: fc.nat({ max: 12 }) }) },
  { weight: 6, arbitrary: plain('restart') },
  { weight: 3, arbitrary: plain('revoke', 'reconnect') },
  { weight: 3, arbitrary: plain('reconnect') },
  { weight: 3, arbitrary: plain('lock', 'unlock') },
  { weight: 3, arbitrary: plain('unlock') },
  { weight: 2, arbitrary: plain('mute', 'unmute') },
  { weight: 2, arbitrary: plain('unmute') },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'disableHook' as const,
        'deleteHook' as const,
        'close' as const,
        'reopen' as const,
        'hide' as const,
        'show' as const,
        'trim' as const,
      ),
      board,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('jump' as const),
      ms: fc.constantFrom(-60 * minute, -minute, minute, 60 * minute),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('agent' as const), mode: fc.constantFrom(...modes) }) },
)

/** What nothing may get lost by: all that happens with everything in order. */
export const isTrouble = ({ do: what }: Command) =>
  !['act', 'burst', 'deliver', 'wait', 'late', 'duplicate', 'reorder', 'forge', 'agent'].includes(what)

export const history = fc.array(command, { minLength: 1, maxLength: 60, size: 'max' })
export const longHistory = fc.array(command, { minLength: 20, maxLength: 200, size: 'max' })
