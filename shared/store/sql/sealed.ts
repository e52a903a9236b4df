import type { PagedKind, SealedRow, SealedSecrets, Store } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import { wrote } from '../table.ts'
import { replaceSealedName, sealedNames } from './names.ts'

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
  { kind: 'people_list', table: 'people_lists', id: 'id' },
  { kind: 'job', table: 'bulk_jobs', id: 'id' },
  { kind: 'approval', table: 'approvals', id: 'id' },
  { kind: 'tenant_key', table: 'tenant_keys', id: 'tenant' },
]

/** An outcome as it is stored. */
export type SealedOutcome = { sealed: SealedSecrets }

type PagedTable = {
  table: string
  id: string
  column: string
  sealedOf(text: string): SealedSecrets
  textOf(sealed: SealedSecrets): string
}

/** Tables whose rows name the key that they are sealed under in a column of its own. */
const paged: Record<Exclude<PagedKind, 'name'>, PagedTable> = {
  outcome: {
    table: 'intents',
    id: 'key',
    column: 'outcome',
    sealedOf: (text) => (JSON.parse(text) as SealedOutcome).sealed,
    textOf: (sealed) => JSON.stringify({ sealed }),
  },
  run_contents: {
    table: 'run_contents',
    id: 'id',
    column: 'secrets',
    sealedOf: (text) => JSON.parse(text) as SealedSecrets,
    textOf: (sealed) => JSON.stringify(sealed),
  },
}

/** Id of the master key of sealed values. */
const envelopeKey = (sealed: SealedSecrets): string | null => Object.values(sealed)[0]?.split('.')[1] ?? null

/** Id of the master key an outcome is sealed under; null if it is not sealed. */
export const outcomeKey = (outcome: unknown): string | null =>
  envelopeKey((outcome as Partial<SealedOutcome> | null)?.sealed ?? {})

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
  paged: async (kind, notUnder, limit, after = { tenant: '', id: '' }) => {
    if (kind === 'name') return sealedNames(db, notUnder, limit, after)
    const { table, id, column, sealedOf } = paged[kind]
    const sql = `select tenant, ${id} as id, ${column} as sealed from ${table} /* every tenant: sealed.paged */
      where (tenant, ${id}) > (?, ?) and sealed_under is not null and sealed_under <> ? order by tenant, ${id} limit ?`
    const rows = await db.read(sql, [after.tenant, after.id, notUnder, limit])
    return rows.map((row) => ({
      kind,
      tenant: String(row['tenant']),
      id: String(row['id']),
      sealed: sealedOf(String(row['sealed'])),
    }))
  },
  replace: async ({ kind, tenant, id, sealed }, by) => {
    if (kind === 'name') return wrote(await db.write([replaceSealedName({ tenant, id, sealed }, by, envelopeKey(by))]))
    if (kind === 'outcome' || kind === 'run_contents') {
      const { table, id: key, column, textOf } = paged[kind]
      const sql = `update ${table} set ${column} = ?, sealed_under = ? where tenant = ? and ${key} = ? and ${column} = ?`
      const params = [textOf(by), envelopeKey(by), tenant, id, textOf(sealed)]
      return wrote(await db.write([{ sql, params }]))
    }
    const { table, id: key } = tables.find((candidate) => candidate.kind === kind)!
    const sql = `update ${table} set secrets = ? where tenant = ? and ${key} = ? and secrets = ?`
    return wrote(await db.write([{ sql, params: [JSON.stringify(by), tenant, id, JSON.stringify(sealed)] }]))
  },
})
