import type { SealedRow, SealedSecrets, Store } from '../../runtime/ports.ts'
import type { Db } from '../commit.ts'
import { wrote } from '../table.ts'

/** Where the sealed values are. An app is named by its integration. */
const places: { kind: SealedRow['kind']; table: string; id: string }[] = [
  { kind: 'connection', table: 'connections', id: 'id' },
  { kind: 'app', table: 'apps', id: 'integration' },
  { kind: 'subscription', table: 'subscriptions', id: 'id' },
  { kind: 'authorization', table: 'authorizations', id: 'id' },
]

/** `tables`: those there are, in a database of an earlier schema. */
export const sealedIn = (db: Db, tables?: string[]): Store['sealed'] => ({
  all: async () => {
    const found = await Promise.all(
      places
        .filter(({ table }) => tables?.includes(table) ?? true)
        .map(async ({ kind, table, id }) => {
          const rows = await db.read(`select tenant, ${id} as id, secrets from ${table} /* every tenant: sealed.all */ where secrets <> '{}'`, [])
          return rows.map((row) => ({
            kind,
            tenant: String(row['tenant']),
            id: String(row['id']),
            sealed: JSON.parse(String(row['secrets'])) as SealedSecrets,
          }))
        }),
    )
    return found.flat()
  },
  replace: async ({ kind, tenant, id, sealed }, by) => {
    const place = places.find((candidate) => candidate.kind === kind)!
    const sql = `update ${place.table} set secrets = ? where tenant = ? and ${place.id} = ? and secrets = ?`
    return wrote(await db.write([{ sql, params: [JSON.stringify(by), tenant, id, JSON.stringify(sealed)] }]))
  },
})
