import { fail, isFailure } from '#kit'
import type { SealedRow, Store, Vault } from '../runtime/ports/index.ts'

type Sealed = { sealed: Pick<Store['sealed'], 'all'> }

/** Sealed rows by the id of their master key. */
export type SealedUnder = Map<string, SealedRow[]>

/** Groups sealed rows by master key. Connect flows in progress are left out: they end within minutes. */
export const sealedByKey = async (store: Sealed): Promise<SealedUnder> => {
  const rowsByKey: SealedUnder = new Map()
  for (const row of await store.sealed.all()) {
    if (row.kind === 'authorization') continue
    for (const id of new Set(Object.values(row.sealed).map(keyIdIn))) {
      const rows = rowsByKey.get(id)
      if (rows) rows.push(row)
      else rowsByKey.set(id, [row])
    }
  }
  return rowsByKey
}

const keyIdIn = (envelope: string) => envelope.split('.')[1] ?? ''

/** How many rows are tried before a key counts as wrong: a single row may be damaged, which shows when it is used. */
const maxSamples = 20

const list = (ids: string[]) => (ids.length === 0 ? 'none' : ids.join(', '))
const remedy = `Put the key back: as master.key in the data directory (mode 600), or in TOOLYARD_MASTER_KEY with former ones in TOOLYARD_OLD_MASTER_KEYS. Only if a key is lost for good, put its id in TOOLYARD_LOST_MASTER_KEYS; the secrets sealed under it must then be entered again.`

/** @throws Failure `unavailable` naming the master keys that are needed and those that are present */
export const refuseWithout = (neededIds: string[], present: string[], what = 'The stored secrets are'): never => {
  throw fail(
    'unavailable',
    `${what} sealed under the master ${neededIds.length === 1 ? 'key' : 'keys'} ${list(neededIds)}; here: ${list(present)}. ${remedy}`,
  )
}

/** Ids of the available master keys (`keys`) and of those the operator has given up (`lost`). */
export type KnownKeys = { keys: readonly string[]; lost: readonly string[] }

/**
 * Checks that everything in an import or a restored backup can be opened afterwards. `ids`: the master keys that its
 * values are sealed under.
 * @throws Failure `unavailable` naming the keys that are neither available nor given up
 */
export const requireKnownKeys = (ids: string[], { keys, lost }: KnownKeys, what: string): void => {
  const missing = ids.filter((id) => !keys.includes(id) && !lost.includes(id))
  if (missing.length > 0) refuseWithout(missing, [...keys], what)
}
/** Start of the message with which an import is refused. */
export const ofExport = 'Nothing was imported: the secrets of the export are'

/**
 * A new master key must not be generated while sealed values exist.
 * @throws Failure `unavailable` if there are any
 */
export const requireNothingSealed = async (store: Sealed, lost: readonly string[] = []): Promise<void> => {
  const neededIds = [...(await sealedByKey(store)).keys()].filter((id) => !lost.includes(id))
  if (neededIds.length > 0) refuseWithout(neededIds, [])
}

/**
 * Checks that sealed values open with the given keys, by samples of each key.
 * `lost`: ids of keys the operator has given up. `ownerOf` returns the owner that the runtime uses when it seals.
 * @throws Failure `unavailable` if a key is missing or wrong
 */
export const requireKeys = async (
  store: Sealed,
  vault: Vault,
  ownerOf: (row: SealedRow) => string,
  lost: readonly string[] = [],
): Promise<void> => {
  const present = [vault.keyId, ...vault.previous()]
  const rowsByKey = [...(await sealedByKey(store))].filter(([id]) => !lost.includes(id))
  const missing = rowsByKey
    .filter(([id, rows]) => !present.includes(id) && rows.some((row) => !hasDamage(row)))
    .map(([id]) => id)
  if (missing.length > 0) refuseWithout(missing, present)
  for (const [id, rows] of rowsByKey) {
    if (!present.includes(id) || rows.slice(0, maxSamples).some((row) => opens(vault, row, ownerOf))) continue
    // A single row proves nothing about the key: the row may be damaged.
    if (rows.length > 1)
      refuseWithout(
        [id],
        present,
        `None of the stored secrets under the master key ${id} opens, so another key bears its id. They are`,
      )
  }
}

/** The values of a row are always sealed under one key, so a row that names several is damaged. */
const hasDamage = ({ sealed }: SealedRow) => new Set(Object.values(sealed).map(keyIdIn)).size > 1

const opens = (vault: Vault, row: SealedRow, ownerOf: (row: SealedRow) => string): boolean => {
  try {
    vault.open({ tenant: row.tenant, owner: ownerOf(row) }, row.sealed)
    return true
  } catch (thrown) {
    if (!isFailure(thrown)) throw thrown
    return false
  }
}
