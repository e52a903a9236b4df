import type * as z from 'zod'

/** Sets of field names of which at least one must be complete. Carried in the JSON Schema as `x-key-sets`. */
export type KeySets = { sets: string[][]; exactlyOne: boolean }

const list = (set: string[]) => set.join(' + ')

/** The rule as a sentence for descriptions and error messages. */
export const describeKeySets = ({ sets, exactlyOne }: KeySets) =>
  `Give ${exactlyOne ? 'exactly one' : 'at least one'} of: ${sets.map(list).join(', ')}.`

/** Values that count as missing. */
const missingValues: unknown[] = [undefined, null, '']

/**
 * Adds a "one of" rule to a flat input: `keySets(z.strictObject({...}), [['email'], ['firstName', 'lastName',
 * 'company']])`. The rule is enforced when parsing, stated in the description, and carried as `x-key-sets`, so that the
 * JSON Schema needs no unions, which several model hosts refuse.
 */
export const keySets = <T extends z.ZodObject>(
  input: T,
  sets: string[][],
  options: { exactlyOne?: boolean } = {},
): T => {
  const rule: KeySets = { sets, exactlyOne: options.exactlyOne ?? false }
  const unknown = sets.flat().filter((name) => !(name in input.shape))
  if (unknown.length > 0) throw new TypeError(`keySets names fields the input does not have: ${unknown.join(', ')}`)
  const sentence = describeKeySets(rule)
  const checked = input.check((payload) => {
    const value = payload.value as Record<string, unknown>
    let complete = 0
    for (const set of sets) if (set.every((name) => !missingValues.includes(value[name]))) complete += 1
    if (complete === 0 || (rule.exactlyOne && complete > 1)) {
      payload.issues.push({ code: 'custom', input: value, message: sentence, path: [], params: { keySets: rule } })
    }
  })
  return checked.meta({ ...input.meta(), description: sentence, 'x-key-sets': rule }) as T
}

/**
 * The identifiers of a lookup: the sets whose fields are all given, in the order of `sets`, strongest first. A set with
 * a missing field identifies nothing.
 */
export const completeSets = (
  values: { [field: string]: string | undefined },
  sets: string[][],
): { [field: string]: string }[] =>
  sets
    .filter((set) => set.every((name) => values[name] !== undefined))
    .map((set) => Object.fromEntries(set.map((name) => [name, values[name]!])))
