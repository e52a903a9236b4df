import type { LookupEntry, LookupFilter, SealedSecrets, Store } from '../../runtime/ports/index.ts'
import type { Db, Statement } from '../commit.ts'
import type { Param } from '../sqlite.ts'
import { alsoIn, alsoWhere, joined, padded, table } from '../table.ts'

const entries = table<LookupEntry>('lookup_entries', {
  tenant: 'plain',
  id: 'plain',
  connection: 'plain',
  integration: 'plain',
  endpoint: 'plain',
  matched: 'bool',
  at: 'plain',
  expiresAt: 'plain',
  content: 'plain',
})

/** Maximum number of keys in one statement. */
const keysAtOnce = 256
const placesOf = (values: unknown[]) => values.map(() => '?').join(', ')

/** Removes the keys and persons of entries. `which`: a query for their ids. */
const removing = (tenant: string, which: Statement): Statement[] => [
  { sql: `delete from lookup_persons where tenant = ? and entry in (${which.sql})`, params: [tenant, ...which.params] },
  { sql: `delete from lookup_keys where tenant = ? and entry in (${which.sql})`, params: [tenant, ...which.params] },
]

const putting = ({ entry, keys, persons }: { entry: LookupEntry; keys: string[]; persons: string[] }): Statement[] => {
  const { tenant, id } = entry
  const all = padded(keys)
  const former: Statement = {
    sql: `select entry from lookup_keys where tenant = ? and key in (${placesOf(all)})`,
    params: [tenant, ...all],
  }
  return [
    // The new answer is found by every key of the one before it.
    {
      sql: `delete from lookup_entries where tenant = ? and id in (${former.sql})`,
      params: [tenant, ...former.params],
    },
    {
      sql: `delete from lookup_persons where tenant = ? and entry in (${former.sql})`,
      params: [tenant, ...former.params],
    },
    {
      sql: `update lookup_keys set entry = ? where tenant = ? and entry in (${former.sql})`,
      params: [id, tenant, ...former.params],
    },
    entries.insert(entry),
    ...keys.map((key) => ({
      sql: 'insert into lookup_keys (tenant, key, entry) values (?, ?, ?) on conflict (tenant, key) do update set entry = excluded.entry',
      params: [tenant, key, id],
    })),
    ...persons.map((person) => ({
      sql: 'insert into lookup_persons (tenant, person, entry) values (?, ?, ?) on conflict (tenant, person, entry) do nothing',
      params: [tenant, person, id],
    })),
  ]
}

const chosen = (tenant: string, { connection, connections, integration, persons }: LookupFilter): Statement => {
  const also = joined(alsoWhere({ connection, integration }), alsoIn('connection', connections))
  const named: Statement =
    persons === undefined
      ? { sql: '', params: [] }
      : {
          sql: ` and id in (select entry from lookup_persons where tenant = ? and person in (${placesOf(persons)}))`,
          params: [tenant, ...persons],
        }
  return {
    sql: `select id from lookup_entries where tenant = ?${also.sql}${named.sql}`,
    params: [tenant, ...also.params, ...named.params],
  }
}

/** Entries of a connection are removed with it. */
export const clearLookups = (tenant: string, connection: string): Statement[] => {
  const which = chosen(tenant, { connection })
  return [
    ...removing(tenant, which),
    { sql: 'delete from lookup_entries where tenant = ? and connection = ?', params: [tenant, connection] },
  ]
}

export const lookupsIn = (db: Db): Store['lookups'] => ({
  find: async (tenant, keys) => {
    const foundEntries: { key: string; entry: LookupEntry }[] = []
    for (let from = 0; from < keys.length; from += keysAtOnce) {
      const some = padded(keys.slice(from, from + keysAtOnce))
      const sql = `select k.key as named, e.* from lookup_keys k join lookup_entries e on e.tenant = k.tenant and e.id = k.entry
        where k.tenant = ? and k.key in (${placesOf(some)})`
      for (const row of await db.read(sql, [tenant, ...some]))
        foundEntries.push({ key: String(row['named']), entry: entries.fromRow(row) })
    }
    return foundEntries
  },
  put: async (newEntries) => void (await db.write(newEntries.flatMap(putting))),
  remove: async (tenant, filter) => {
    const which = chosen(tenant, filter)
    const ids = (await db.read(which.sql, which.params)).map((row) => String(row['id']))
    for (let from = 0; from < ids.length; from += keysAtOnce) {
      const some = padded(ids.slice(from, from + keysAtOnce))
      const these: Statement = {
        sql: `select id from lookup_entries where tenant = ? and id in (${placesOf(some)})`,
        params: [tenant, ...some],
      }
      await db.write([
        ...removing(tenant, these),
        { sql: `delete from lookup_entries where tenant = ? and id in (${placesOf(some)})`, params: [tenant, ...some] },
      ])
    }
    return ids.length
  },
  trim: async (tenant, most) => {
    const [row] = await db.read('select count(*) as entries from lookup_entries where tenant = ?', [tenant])
    const surplus = Number(row!['entries']) - most
    if (surplus <= 0) return 0
    const params: Param[] = [tenant, surplus]
    const which: Statement = { sql: 'select id from lookup_entries where tenant = ? order by at limit ?', params }
    const done = await db.write([
      ...removing(tenant, which),
      { sql: `delete from lookup_entries where tenant = ? and id in (${which.sql})`, params: [tenant, ...params] },
    ])
    return done.at(-1)!.changes
  },
})

export const tenantKeysIn = (db: Db): Store['tenantKeys'] => {
  const select = (tenant: string): Statement => ({
    sql: 'select secrets from tenant_keys where tenant = ?',
    params: [tenant],
  })
  const read = (row: Record<string, unknown> | undefined) =>
    row === undefined ? undefined : (JSON.parse(String(row['secrets'])) as SealedSecrets)
  return {
    get: async (tenant) => read((await db.read(select(tenant).sql, [tenant]))[0]),
    add: async (tenant, secrets) => {
      const insert = 'insert into tenant_keys (tenant, secrets) values (?, ?) on conflict (tenant) do nothing'
      const [, present] = await db.write([{ sql: insert, params: [tenant, JSON.stringify(secrets)] }, select(tenant)])
      return read(present!.rows[0])!
    },
  }
}
