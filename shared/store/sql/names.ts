import type { SealedRow, Store, StoredName } from '../../runtime/ports/index.ts'
import type { Db, Statement } from '../commit.ts'
import { alsoWhere, padded, table } from '../table.ts'

const names = table<StoredName>('names', {
  tenant: 'plain',
  connection: 'plain',
  kind: 'plain',
  id: 'plain',
  secrets: 'json',
  sealedUnder: 'plain',
  seenAt: 'plain',
})

/** Maximum number of names of one connection. */
const maxNames = 10_000
const idsAtOnce = 256

/** Removes what is older than the newest `maxNames` of a connection. */
const trim = (tenant: string, connection: string): Statement => ({
  sql: `delete from names where tenant = ? and connection = ? and (seen_at, kind, id) < (
    select n.seen_at, n.kind, n.id from names n where n.tenant = ? and n.connection = ?
    order by n.seen_at desc, n.kind desc, n.id desc limit 1 offset ${maxNames - 1})`,
  params: [tenant, connection, tenant, connection],
})

/** Removes the names of a connection. */
export const clearNames = (tenant: string, connection: string): Statement => ({
  sql: 'delete from names where tenant = ? and connection = ?',
  params: [tenant, connection],
})

/** A name from an older event does not replace a newer one. */
const putName = (row: StoredName): Statement => {
  const { sql, params } = names.upsert(row, ['tenant', 'connection', 'kind', 'id'])
  return { sql: `${sql} where excluded.seen_at >= names.seen_at`, params }
}

export const namesIn = (db: Db): Store['names'] => ({
  put: async (rows) => {
    if (rows.length === 0) return
    const connections = new Map(
      rows.map(({ tenant, connection }) => [`${tenant}\n${connection}`, [tenant, connection]]),
    )
    await db.write([
      ...rows.map(putName),
      ...[...connections.values()].map(([tenant, connection]) => trim(tenant!, connection!)),
    ])
  },
  find: async (tenant, connection, kind, ids) => {
    const stored: StoredName[] = []
    for (let from = 0; from < ids.length; from += idsAtOnce) {
      const some = padded(ids.slice(from, from + idsAtOnce))
      const sql = `select * from names where tenant = ? and connection = ? and kind = ? and id in (${some.map(() => '?').join(', ')})`
      for (const row of await db.read(sql, [tenant, connection, kind, ...some])) stored.push(names.fromRow(row))
    }
    return stored
  },
  list: async (tenant, connection, limit, { kind, after } = {}) => {
    const also = alsoWhere({ kind })
    const from = after ? ' and (seen_at, kind, id) < (?, ?, ?)' : ''
    const sql = `select * from names where tenant = ? and connection = ?${also.sql}${from}
      order by seen_at desc, kind desc, id desc limit ?`
    const position = after ? [after.seenAt, after.kind, after.id] : []
    return (await db.read(sql, [tenant, connection, ...also.params, ...position, limit])).map(names.fromRow)
  },
  removeOf: async (tenant, connection) => void (await db.write([clearNames(tenant, connection)])),
})

/** The key of a name, as the id of a sealed row. */
const sealedId = ({ connection, kind, id }: Pick<StoredName, 'connection' | 'kind' | 'id'>) =>
  JSON.stringify([connection, kind, id])

/** Names that are sealed under another key than `notUnder`, in the order of their keys. */
export const sealedNames = async (
  db: Db,
  notUnder: string,
  limit: number,
  after: Pick<SealedRow, 'tenant' | 'id'>,
): Promise<SealedRow[]> => {
  const key = after.id === '' ? ['', '', '', ''] : [after.tenant, ...(JSON.parse(after.id) as string[])]
  const sql = `select * from names /* every tenant: sealed.names */ where (tenant, connection, kind, id) > (?, ?, ?, ?)
    and sealed_under <> ? order by tenant, connection, kind, id limit ?`
  const rows = (await db.read(sql, [...key, notUnder, limit])).map(names.fromRow)
  return rows.map((row) => ({ kind: 'name', tenant: row.tenant, id: sealedId(row), sealed: row.secrets }))
}

/** Replaces the sealed values of a name, unless they changed since the row was read. */
export const replaceSealedName = (
  { tenant, id, sealed }: Pick<SealedRow, 'tenant' | 'id' | 'sealed'>,
  by: SealedRow['sealed'],
  under: string | null,
): Statement => ({
  sql: 'update names set secrets = ?, sealed_under = ? where tenant = ? and connection = ? and kind = ? and id = ? and secrets = ?',
  params: [JSON.stringify(by), under, tenant, ...(JSON.parse(id) as string[]), JSON.stringify(sealed)],
})
