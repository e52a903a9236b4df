import { fail, isFailure } from '#kit'
import type { SealedRow, Store, Vault } from '../runtime/ports/index.ts'

type Sealed = { sealed: Pick<Store['sealed'], 'all'> }

/** What is sealed, by the id of the master key it is sealed under. */
export type SealedUnder = Map<string, SealedRow[]>

/** Rows that say what they are sealed under. Connect flows under way are left out: they are over in minutes. */
export const sealedByKey = async (store: Sealed): Promise<SealedUnder> => {
  const found: SealedUnder = new Map()
  for (const row of await store.sealed.all()) {
    if (row.kind === 'authorization') continue
    for (const id of new Set(Object.values(row.sealed).map(keyIdIn))) found.set(id, [...(found.get(id) ?? []), row])
  }
  return found
}

const keyIdIn = (envelope: string) => envelope.split('.')[1] ?? ''

/** So many rows of a key are tried before it is taken for a wrong one: a single row may be damaged, which shows when it is used. */
const samples = 20

const list = (ids: string[]) => (ids.length === 0 ? 'none' : ids.join(', '))
const remedy = `Put the key back: as master.key in the data directory (mode 600), or in TOOLYARD_MASTER_KEY with former ones in TOOLYARD_OLD_MASTER_KEYS. Only where a key is lost for good, name its id in TOOLYARD_LOST_MASTER_KEYS; what is sealed under it must then be entered again.`

/** @throws Failure `unavailable` naming the master keys that are wanted and those that are here */
export const refuseWithout = (wanted: string[], present: string[], what = 'The stored secrets are'): never => {
  throw fail('unavailable', `${what} sealed under the master ${wanted.length === 1 ? 'key' : 'keys'} ${list(wanted)}; here: ${list(present)}. ${remedy}`)
}

/**
 * Where anything sealed is, its master key is to be put back and not made anew.
 * @throws Failure `unavailable`
 */
export const requireNothingSealed = async (store: Sealed, lost: readonly string[] = []): Promise<void> => {
  const wanted = [...(await sealedByKey(store)).keys()].filter((id) => !lost.includes(id))
  if (wanted.length > 0) refuseWithout(wanted, [])
}

/**
 * Whether what is sealed opens with the keys that are here, by samples of each key.
 * `lost`: ids the operator has given up. `ownerOf` names the owner as the runtime does when it seals.
 * @throws Failure `unavailable`
 */
export const requireKeys = async (store: Sealed, vault: Vault, ownerOf: (row: SealedRow) => string, lost: readonly string[] = []): Promise<void> => {
  const present = [vault.keyId, ...vault.previous()]
  const found = [...(await sealedByKey(store))].filter(([id]) => !lost.includes(id))
  const missing = found.filter(([id, rows]) => !present.includes(id) && rows.some((row) => !hasDamage(row))).map(([id]) => id)
  if (missing.length > 0) refuseWithout(missing, present)
  for (const [id, rows] of found) {
    if (!present.includes(id) || rows.slice(0, samples).some((row) => opens(vault, row, ownerOf))) continue
    // One row alone says nothing about the key: it may be the one that is damaged.
    if (rows.length > 1) refuseWithout([id], present, `None of the stored secrets under the master key ${id} opens, so another key bears its id. They are`)
  }
}

/** Seals of one row that name several keys were not written by us: it is the row that is wrong. */
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
