import { identifierOf } from '#kit'
import type { Identifier, Lookup } from '#kit'
import type { TenantKey } from '../admin/tenant-keys.ts'

export type Values = Record<string, unknown>

/**
 * What identifies a lookup: where it is sent, its sets of identifiers, and its other values (`along`), which identify
 * nobody.
 */
export type LookupQuery = {
  connection: string
  profile: string
  endpoint: string
  kind: string
  sets: Values[]
  along: readonly string[]
  /** Whether all sets go into one request. */
  isTogether: boolean
  /** Digest of the endpoint's profile: how it is requested and read. */
  form: string
}

/**
 * Keyed hashes of a lookup. `any`: one for each of its sets, to find a match; `none`: of all sets together, to find a
 * no match; `strongest`: of the first set only.
 */
export type Keys = { any: string[]; none: string; strongest: string }

const isGiven = ([, value]: Identifier) => value !== undefined && value !== null && value !== ''
const byName = ([name]: Identifier, [other]: Identifier) => (name < other ? -1 : name > other ? 1 : 0)

/** The values that identify nobody, sorted: a list of words means the same in any order. */
const alongOf = (values: Values, along: readonly string[]) =>
  along
    .map((name): Identifier => {
      const value = values[name]
      return [name, Array.isArray(value) && value.every((item) => typeof item === 'string') ? value.toSorted() : value]
    })
    .filter(isGiven)
    .toSorted(byName)

const setOf = (kind: string, values: Values, along: readonly string[]): Identifier[] =>
  Object.entries(values)
    .filter(([name]) => !along.includes(name))
    .map(([name, value]) => identifierOf(kind, name, value))
    .filter(isGiven)
    .toSorted(byName)

/**
 * The hashes of a lookup. Those for a no match include the rules by which it was read, since the operator may have
 * corrected them; a match stays valid.
 */
export const keysOf = (
  key: TenantKey,
  { connection, profile, endpoint, kind, sets, along, form }: LookupQuery,
): Keys => {
  const beside = alongOf(sets[0] ?? {}, along)
  const hash = (what: 'any' | 'none', identifiers: unknown) =>
    key.hash(
      JSON.stringify(['lookup', what, connection, profile, endpoint, beside, identifiers, what === 'none' ? form : '']),
    )
  const all = sets.map((set) => setOf(kind, set, along))
  const texts = all.map((set) => JSON.stringify(set))
  return {
    any: [...new Set(all.map((set) => hash('any', set)))],
    none: hash('none', [...new Set(texts)].toSorted()),
    strongest: hash('none', texts.slice(0, 1)),
  }
}

/** The keyed hashes of whom a lookup is about: each identifier that names a person or company by itself. */
export const personsOf = (
  key: TenantKey,
  { kind, sets, along }: Pick<LookupQuery, 'kind' | 'sets' | 'along'>,
  record: Values = {},
): string[] => {
  const emails = Array.isArray(record['emails'])
    ? (record['emails'] as Values[]).map(({ value }): Identifier => ['email', value])
    : []
  const recordIdentifiers = [
    ...emails,
    ...Object.entries(record).filter(([name]) => /linkedin|^domain$/i.test(name)),
  ].map(([name, value]) => identifierOf(kind, name, value))
  const givenIdentifiers = sets.map((set) => setOf(kind, set, along)).filter((set) => set.length === 1)
  const all = [...givenIdentifiers.flat(), ...recordIdentifiers]
    .filter(isGiven)
    .map((identifier) => JSON.stringify(identifier))
  return [...new Set(all)].map((text) => key.hash(`person ${kind} ${text}`))
}

const namesOf = (set: Values, along: readonly string[]) =>
  Object.keys(set)
    .filter((name) => !along.includes(name))
    .join('+')

/**
 * The hashes under which a result is stored. A match is stored under every set of its lookup except those that the
 * record contradicts, since a caller may confuse two people; a no match only under exactly the same sets.
 */
export const keysFor = (
  key: TenantKey,
  query: LookupQuery,
  keys: Keys,
  result: Lookup,
  onlyStrongest = false,
): string[] => {
  if (!result.matched)
    return onlyStrongest ? [keys.strongest] : query.isTogether ? [keys.none] : [...new Set([keys.none, keys.strongest])]
  const profile = identifierOf(query.kind, 'linkedin', result.record['linkedinUrl'])
  if (query.sets.length === 1 || !isGiven(profile)) return keys.any
  const contradicts = ([name, value]: Identifier) => name === profile[0] && value !== profile[1]
  const sets = query.sets.filter(
    (set) => namesOf(set, query.along) === result.matchedBy || !setOf(query.kind, set, query.along).some(contradicts),
  )
  return sets.length === 0 ? keys.any : keysOf(key, { ...query, sets }).any
}
