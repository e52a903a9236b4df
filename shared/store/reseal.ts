import { isFailure } from '#kit'
import type { PagedKind, SealedRow, Store, Vault } from '../runtime/ports/index.ts'

export type Resealed = {
  resealed: number
  fresh: number
  failed: { kind: SealedRow['kind']; tenant: string; id: string; reason: string }[]
}

/**
 * Re-seals every value that is sealed under an older master key, while the store stays in use. A value that changed
 * meanwhile is read again. If `failed` is empty afterwards, the older key is no longer needed. `ownerOf` returns the
 * owner that the runtime uses when it seals.
 */
export const resealAll = async (
  store: Pick<Store, 'sealed'>,
  vault: Vault,
  ownerOf: (row: SealedRow) => string,
): Promise<Resealed> => {
  const result: Resealed = { resealed: 0, fresh: 0, failed: [] }
  for (let round = 0; round < 10; round += 1) {
    const stale = (await store.sealed.all()).filter((row) => vault.stale(row.sealed))
    const failedRows = new Set(result.failed.map(({ kind, tenant, id }) => JSON.stringify([kind, tenant, id])))
    const open = stale.filter(({ kind, tenant, id }) => !failedRows.has(JSON.stringify([kind, tenant, id])))
    if (open.length === 0) break
    for (const row of open) {
      const scope = { tenant: row.tenant, owner: ownerOf(row) }
      try {
        const replaced = await store.sealed.replace(row, vault.seal(scope, vault.open(scope, row.sealed)))
        if (replaced) result.resealed += 1
      } catch (error) {
        if (!isFailure(error)) throw error
        result.failed.push({ kind: row.kind, tenant: row.tenant, id: row.id, reason: error.message })
      }
    }
  }
  for (const kind of ['outcome', 'run_contents', 'name'] as const)
    await resealPaged(kind, store, vault, ownerOf, result)
  result.fresh = (await store.sealed.all()).filter((row) => !vault.stale(row.sealed)).length
  return result
}

/** Rows in memory at once; each may be megabytes. */
const maxRows = 20

const resealPaged = async (
  kind: PagedKind,
  store: Pick<Store, 'sealed'>,
  vault: Vault,
  ownerOf: (row: SealedRow) => string,
  result: Resealed,
): Promise<void> => {
  let last: SealedRow | undefined
  for (;;) {
    const rows = await store.sealed.paged(kind, vault.keyId, maxRows, last)
    for (const row of rows) if (await resealOne(store, vault, ownerOf(row), row, result)) result.resealed += 1
    last = rows.at(-1)
    if (!last) return
  }
}

const resealOne = async (
  store: Pick<Store, 'sealed'>,
  vault: Vault,
  owner: string,
  row: SealedRow,
  { failed }: Resealed,
): Promise<boolean> => {
  const scope = { tenant: row.tenant, owner }
  try {
    return await store.sealed.replace(row, vault.seal(scope, vault.open(scope, row.sealed)))
  } catch (error) {
    if (!isFailure(error)) throw error
    failed.push({ kind: row.kind, tenant: row.tenant, id: row.id, reason: error.message })
    return false
  }
}
