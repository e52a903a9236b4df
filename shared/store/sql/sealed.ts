import type { SealedRow, SealedSecrets, Store } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import { wrote } from '../table.ts'

/** Tables with sealed values. An app is identified by its integration. */
const tables: { kind: SealedRow['kind']; table: string; id: string }[] = [
  { kind: 'connection', table: 'connections', id: 'id' },
  { kind: 'app', table: 'apps', id: 'integration' },
  { kind: 'subscription', table: 'subscriptions', id: 'id' },
  { kind: 'hook', table: 'hooks', id: 'id' },
  { kind: 'authorization', table: 'authorizations', id: 'id' },
  { kind: 'notification', table: 'notification_targets', id: 'tenant' },
  { kind: 'file', table: 'files', id: 'id' },
  { kind: 'sample', table: 'samples', id: 'id' },
  { kind: 'unclaimed', table: 'unclaimed_events', id: 'id' },
  { kind: 'job', table: 'bulk_jobs', id: 'id' },
  { kind: 'approval', table: 'approvals', id: 'id' },
  { kind: 'tenant_key', table: 'tenant_keys', id: 'tenant' },
]

/** An outcome as it is stored. */
export type SealedOutcome = { sealed: SealedSecrets }

/** Id of the master key an outcome is sealed under; null if it is not sealed. */
export const outcomeKey = (outcome: unknown): string | null => {
  const [envelope] = Object.values((outcome as Partial<SealedOutcome> | null)?.sealed ?? {})
  return envelope?.split('.')[1] ?? null
}

/** `existing`: the tables that hold secrets in a database with an earlier schema. */
export const sealedIn = (db: Db, existing?: string[]): Store['sealed'] => ({
  all: async () => {
    const rowsPerTable = await Promise.all(
      tables
        .filter(({ table }) => existing?.includes(table) ?? true)
        .map(async ({ kind, table, id }) => {
          const rows = await db.read(
            `select tenant, ${id} as id, secrets from ${table} /* every tenant: sealed.all */ where secrets <> '{}'`,
            [],
          )
          return rows.map((row) => ({
            kind,
            tenant: String(row['tenant']),
            id: String(row['id']),
            sealed: JSON.parse(String(row['secrets'])) as SealedSecrets,
          }))
        }),
    )
    return rowsPerTable.flat()
  },
  outcomes: async (notUnder, limit, after = { tenant: '', id: '' }) => {
    const sql = `select tenant, key, outcome from intents /* every tenant: sealed.outcomes */ where (tenant, key) > (?, ?)
      and sealed_under is not null and sealed_under <> ? order by tenant, key limit ?`
    const rows = await db.read(sql, [after.tenant, after.id, notUnder, limit])
    return rows.map((row) => ({
      kind: 'outcome',
      tenant: String(row['tenant']),
      id: String(row['key']),
      sealed: (JSON.parse(String(row['outcome'])) as SealedOutcome).sealed,
    }))
  },
  replace: async ({ kind, tenant, id, sealed }, by) => {
    if (kind === 'outcome') {
      const [before, after]: SealedOutcome[] = [{ sealed }, { sealed: by }]
      const change = 'update intents set outcome = ?, sealed_under = ? where tenant = ? and key = ? and outcome = ?'
      return wrote(
        await db.write([
          { sql: change, params: [JSON.stringify(after), outcomeKey(after!), tenant, id, JSON.stringify(before)] },
        ]),
      )
    }
    const { table, id: key } = tables.find((candidate) => candidate.kind === kind)!
    const sql = `update ${table} set secrets = ? where tenant = ? and ${key} = ? and secrets = ?`
    return wrote(await db.write([{ sql, params: [JSON.stringify(by), tenant, id, JSON.stringify(sealed)] }]))
  },
})
