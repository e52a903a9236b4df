import { isFailure } from '#kit'
import type { SealedRow, Store, Vault } from '../runtime/ports/index.ts'

export type Resealed = { resealed: number; fresh: number; failed: { kind: SealedRow['kind']; tenant: string; id: string; reason: string }[] }

/**
 * Seals every value anew that is under an older master key, while the store goes on serving. A value that changed meanwhile is looked at again.
 * Afterwards, if `failed` is empty, the older key is not needed any more.
 * `ownerOf` names the owner as the runtime does when it seals.
 */
export const resealAll = async (store: Pick<Store, 'sealed'>, vault: Vault, ownerOf: (row: SealedRow) => string): Promise<Resealed> => {
  const result: Resealed = { resealed: 0, fresh: 0, failed: [] }
  for (let round = 0; round < 10; round += 1) {
    const stale = (await store.sealed.all()).filter((row) => vault.stale(row.sealed))
    const known = new Set(result.failed.map(({ kind, tenant, id }) => JSON.stringify([kind, tenant, id])))
    const open = stale.filter(({ kind, tenant, id }) => !known.has(JSON.stringify([kind, tenant, id])))
    if (open.length === 0) break
    for (const row of open) {
      const scope = { tenant: row.tenant, owner: ownerOf(row) }
      try {
        const exchanged = await store.sealed.replace(row, vault.seal(scope, vault.open(scope, row.sealed)))
        if (exchanged) result.resealed += 1
      } catch (error) {
        if (!isFailure(error)) throw error
        result.failed.push({ kind: row.kind, tenant: row.tenant, id: row.id, reason: error.message })
      }
    }
  }
  await resealOutcomes(store, vault, ownerOf, result)
  result.fresh = (await store.sealed.all()).filter((row) => !vault.stale(row.sealed)).length
  return result
}

/** So many are in memory at once; each may have megabytes. */
const outcomesAtOnce = 20

const resealOutcomes = async (store: Pick<Store, 'sealed'>, vault: Vault, ownerOf: (row: SealedRow) => string, result: Resealed): Promise<void> => {
  let last: SealedRow | undefined
  for (;;) {
    const rows = await store.sealed.outcomes(vault.keyId, outcomesAtOnce, last)
    for (const row of rows) if (await resealOne(store, vault, ownerOf(row), row, result)) result.resealed += 1
    last = rows.at(-1)
    if (!last) return
  }
}

const resealOne = async (store: Pick<Store, 'sealed'>, vault: Vault, owner: string, row: SealedRow, { failed }: Resealed): Promise<boolean> => {
  const scope = { tenant: row.tenant, owner }
  try {
    return await store.sealed.replace(row, vault.seal(scope, vault.open(scope, row.sealed)))
  } catch (error) {
    if (!isFailure(error)) throw error
    failed.push({ kind: row.kind, tenant: row.tenant, id: row.id, reason: error.message })
    return false
  }
}
