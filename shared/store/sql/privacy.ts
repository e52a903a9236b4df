import type { PersonalKind, PersonalRow, SealedSecrets, Store, Suppression } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import type { Param, Row } from '../sqlite.ts'
import { alsoWhere, joined, listed, padded, readCursor, table, wrote } from '../table.ts'

const suppressions = table<Suppression>('suppressions', {
  tenant: 'plain',
  hash: 'plain',
  kind: 'plain',
  source: 'plain',
  createdAt: 'plain',
})

const insertSuppression = `${suppressions.insertSql} on conflict (tenant, hash) do nothing`

const placesOf = (values: unknown[]) => values.map(() => '?').join(', ')
const atOnce = 256
const inParts = async (values: string[], work: (some: string[]) => Promise<number>): Promise<number> => {
  let count = 0
  for (let from = 0; from < values.length; from += atOnce) count += await work(values.slice(from, from + atOnce))
  return count
}

export const suppressionsIn = (db: Db): Store['suppressions'] => ({
  add: async (rows) => {
    const insert = (row: Suppression) => ({ sql: insertSuppression, params: suppressions.params(row) })
    let added = 0
    for (let from = 0; from < rows.length; from += atOnce) {
      const done = await db.write(rows.slice(from, from + atOnce).map(insert), { admits: true })
      added += done.reduce((sum, { changes }) => sum + changes, 0)
    }
    return added
  },
  remove: (tenant, hashes) =>
    inParts(hashes, async (some) => {
      const all = padded(some)
      const [done] = await db.write([
        { sql: `delete from suppressions where tenant = ? and hash in (${placesOf(all)})`, params: [tenant, ...all] },
      ])
      return done!.changes
    }),
  find: async (tenant, hashes) => {
    const foundHashes: string[] = []
    await inParts(hashes, async (some) => {
      const all = padded(some)
      const rows = await db.read(`select hash from suppressions where tenant = ? and hash in (${placesOf(all)})`, [
        tenant,
        ...all,
      ])
      return foundHashes.push(...rows.map((row) => String(row['hash'])))
    })
    return foundHashes
  },
  any: async (tenant) =>
    (await db.read('select 1 as present from suppressions where tenant = ? limit 1', [tenant])).length > 0,
  list: async (tenant, page) => {
    const after = readCursor(page.cursor)
    const rows = await db.read(
      `select * from suppressions where tenant = ?${after ? ' and (created_at, hash) < (?, ?)' : ''} order by created_at desc, hash desc limit ?`,
      [tenant, ...(after ? [after.at, after.id] : []), page.limit + 1],
    )
    return listed(rows.map(suppressions.fromRow), page, ({ createdAt, hash }) => ({ at: createdAt, id: hash }))
  },
})

/**
 * A table that may hold personal data. `erase`: the start of the statement that erases a row; tenant and key are
 * appended.
 */
type Place = {
  table: string
  key: string[]
  /** The column of the key, if any, that holds numbers: PostgreSQL compares them with numbers alone. */
  number?: string
  at: string
  texts?: string[]
  content?: string
  secrets?: string
  where?: string
  erase: string
}

/** A start id that an earlier version stored as the caller wrote it. */
const plainStart = `(start_id is not null and substr(start_id, 1, 4) <> 'dig_' and (length(start_id) <> 64 or trim(start_id, '0123456789abcdef') <> ''))`

const waits = `state in ('open', 'approved')`
/** There is no time in the statement; the decision is the last that is known of the row. */
const endOfWaiting = [
  ['ended_at', 'coalesce(decided_at, created_at)'],
  ['code', `'approval_expired'`],
  ['identity', 'null'],
  ['next_at', 'null'],
  ['state', `'expired'`],
]
  .map(([column, value]) => `${column} = case when ${waits} then ${value} else ${column} end`)
  .join(', ')

const places: Record<PersonalKind, Place> = {
  lookup: {
    table: 'lookup_entries',
    key: ['id'],
    at: 'at',
    texts: ['connection'],
    content: 'content',
    erase: 'delete from lookup_entries',
  },
  // The row stays, so that its key is not used for another request; its content is erased.
  outcome: {
    table: 'intents',
    key: ['key'],
    at: 'created_at',
    texts: ['key', 'outcome'],
    where: `state <> 'sending'`,
    erase: `update intents set outcome = null, request_hash = '', sealed_under = null`,
  },
  // What waits ends with its content: nothing is left that could be sent. What is being sent goes on, since whether it
  // was is still to be found out.
  approval: {
    table: 'approvals',
    key: ['id'],
    at: 'created_at',
    secrets: 'secrets',
    where: `secrets <> '{}'`,
    erase: `update approvals set secrets = '{}', revision = revision + 1, ${endOfWaiting}`,
  },
  // Ids of our own starts have 64 hexadecimal digits; newer versions store any other id as a digest that begins with
  // "dig_".
  run: {
    table: 'runs',
    key: ['id'],
    at: 'created_at',
    texts: ['failure', 'start_id'],
    where: `(failure is not null or ${plainStart})`,
    erase: `update runs set failure = null, start_id = case when ${plainStart} then null else start_id end`,
  },
  run_contents: {
    table: 'run_contents',
    key: ['id'],
    at: 'stored_at',
    secrets: 'secrets',
    erase: 'delete from run_contents',
  },
  sample: {
    table: 'samples',
    key: ['id'],
    at: 'saved_at',
    content: 'content',
    secrets: 'secrets',
    erase: 'delete from samples',
  },
  people_list: {
    table: 'people_lists',
    key: ['id'],
    at: 'created_at',
    texts: ['name', 'column_names'],
    where: `state = 'ready'`,
    erase: 'delete from people_lists',
  },
  // The key of a row is sealed with its list.
  people_list_row: {
    table: `(select r.tenant, r.list, r.at, r.checked_at, r.content, l.secrets from people_list_rows r
      join people_lists l on l.tenant = r.tenant and l.id = r.list) people_list_rows`,
    key: ['list', 'at'],
    number: 'at',
    at: 'checked_at',
    content: 'content',
    secrets: 'secrets',
    erase: 'delete from people_list_rows',
  },
  event: {
    table: 'events',
    key: ['connection', 'id'],
    at: 'received_at',
    texts: ['summary'],
    content: 'raw',
    where: 'raw is not null',
    erase: 'update events set raw = null, summary = null',
  },
  unclaimed: {
    table: 'unclaimed_events',
    key: ['id'],
    at: 'received_at',
    content: 'content',
    secrets: 'secrets',
    erase: 'delete from unclaimed_events',
  },
  undecodable: {
    table: 'undecodable',
    key: ['id'],
    at: 'received_at',
    content: 'raw',
    texts: ['reason'],
    erase: 'delete from undecodable',
  },
  start: {
    table: 'starts',
    key: ['id'],
    at: 'created_at',
    texts: ['data', 'summary', 'answer', 'answers'],
    where: 'archived = 0',
    erase: `update starts set data = null, summary = null, answer = null, answers = null, archived = 1,
      ended_at = coalesce(ended_at, created_at), state = case when ended_at is null then 'cancelled' else state end`,
  },
  timer: { table: 'timers', key: ['subscription', 'key'], at: 'due_at', texts: ['data'], erase: 'delete from timers' },
  poll: {
    table: 'polls',
    key: ['connection', 'resource'],
    at: 'due_at',
    texts: ['cursor'],
    where: 'cursor is not null',
    erase: 'update polls set cursor = null',
  },
  file: {
    table: 'files',
    key: ['id'],
    at: 'created_at',
    texts: ['name'],
    secrets: 'secrets',
    where: `state = 'ready'`,
    erase: 'delete from files',
  },
  name: {
    table: 'names',
    key: ['connection', 'kind', 'id'],
    at: 'seen_at',
    secrets: 'secrets',
    erase: 'delete from names',
  },
}

/** Tables with idempotency keys. A file that is still being written does not hold its key yet. */
const keyed = { file: { table: 'files', where: ` and state = 'ready'` }, job: { table: 'bulk_jobs', where: '' } }

const textOf = (value: unknown): string[] => (value === null || value === undefined ? [] : [String(value)])

const keyParams = ({ key, number }: Place, values: string[]): Param[] =>
  values.map((value, index) => (key[index] === number ? Number(value) : value))

export const personalIn = (db: Db): Omit<Store['personal'], 'purge'> => ({
  rows: async (tenant, kind, limit, after) => {
    const { table: name, key, at, texts = [], content, secrets, where } = places[kind]
    const columns = [...new Set([...key, at, ...texts, ...[content, secrets].filter((column) => column !== undefined)])]
    const sql = `select ${columns.join(', ')} from ${name} where tenant = ?${where === undefined ? '' : ` and ${where}`}${
      after ? ` and (${key.join(', ')}) > (${placesOf(key)})` : ''
    } order by ${key.join(', ')} limit ?`
    const read = (row: Row): PersonalRow => ({
      kind,
      tenant,
      key: key.map((column) => String(row[column])),
      at: row[at] === null ? null : Number(row[at]),
      texts: texts.flatMap((column) => textOf(row[column])),
      content: content === undefined ? null : (row[content] as Uint8Array | null),
      secrets: secrets === undefined ? null : (JSON.parse(String(row[secrets])) as SealedSecrets),
    })
    return (await db.read(sql, [tenant, ...keyParams(places[kind], after ?? []), limit])).map(read)
  },
  erase: async ({ kind, tenant, key }) => {
    const { key: columns, erase } = places[kind]
    const params: Param[] = [tenant, ...keyParams(places[kind], key)]
    const removed = {
      sql: `${erase} where tenant = ?${columns.map((column) => ` and ${column} = ?`).join('')}`,
      params,
    }
    const also =
      kind === 'lookup'
        ? ['lookup_persons', 'lookup_keys'].map((name) => ({
            sql: `delete from ${name} where tenant = ? and entry = ?`,
            params,
          }))
        : kind === 'file'
          ? [{ sql: 'delete from file_chunks where tenant = ? and file = ?', params }]
          : kind === 'run'
            ? [
                {
                  sql: `update own_writes set start_id = null where tenant = ? and run_id = ? and ${plainStart}`,
                  params,
                },
              ]
            : []
    return wrote(await db.write([removed, ...also]))
  },
  plainKeys: async (kind, limit, { tenant, after } = {}) => {
    const { table: name, where } = keyed[kind]
    const conditions = joined(
      { sql: `key is not null and substr(key, 1, 4) <> 'dig_'${where}`, params: [] },
      alsoWhere({ tenant }),
      after ? { sql: ' and (tenant, key) > (?, ?)', params: [after.tenant, after.key] } : { sql: '', params: [] },
    )
    const sql = `select tenant, key from ${name} /* every tenant: personal.plainKeys */ where ${conditions.sql} order by tenant, key limit ?`
    return (await db.read(sql, [...conditions.params, limit])).map((row) => ({
      kind,
      tenant: String(row['tenant']),
      key: String(row['key']),
    }))
  },
  replaceKey: async ({ kind, tenant, key }, digest) => {
    const { table: name, where } = keyed[kind]
    const other = `exists (select 1 from ${name} o where o.tenant = ? and o.key = ?${where.replaceAll('state', 'o.state')})`
    await db.write([
      {
        sql: `update ${name} set key = case when ${other} then null else ? end where tenant = ? and key = ?`,
        params: [tenant, digest, digest, tenant, key],
      },
    ])
  },
})
