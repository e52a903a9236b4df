import { isFailure } from '#kit'
import { digestOf } from '../admin/chosen-texts.ts'
import type { TenantKeys } from '../admin/tenant-keys.ts'
import type { Log, PlainKey, Store } from '../ports/index.ts'

const rowsAtOnce = 200

/**
 * Replaces idempotency keys of files and jobs that an earlier version stored in plain text by their digests, so that
 * they name nobody and a repeated request still finds its result. `tenant`: only that tenant. A tenant whose key cannot
 * be opened is logged and left as it is.
 */
export const digestPlainKeys = async (
  { store, tenantKeys, log }: { store: Pick<Store, 'personal'>; tenantKeys: TenantKeys; log: Log },
  tenant?: string,
): Promise<void> => {
  const locked = new Set<string>()
  const digest = async (row: PlainKey) => {
    if (locked.has(row.tenant)) return
    try {
      await store.personal.replaceKey(row, digestOf(await tenantKeys.of(row.tenant), row.kind, row.key))
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown
      locked.add(row.tenant)
      log('warn', 'privacy.keys_not_digested', { tenant: row.tenant, reason: thrown.message })
    }
  }
  for (const kind of ['file', 'job'] as const)
    for (let after: PlainKey | undefined; ;) {
      const rows = await store.personal.plainKeys(kind, rowsAtOnce, { tenant, after })
      for (const row of rows) await digest(row)
      if (rows.length < rowsAtOnce) break
      after = rows.at(-1)
    }
}
