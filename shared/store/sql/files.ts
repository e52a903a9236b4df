import type { Store, StoredFile } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import { alsoWhere, listed, readCursor, table, wrote } from '../table.ts'

const files = table<StoredFile>('files', {
  tenant: 'plain',
  id: 'plain',
  name: 'plain',
  mediaType: 'plain',
  size: 'plain',
  sha256: 'plain',
  state: 'plain',
  source: 'plain',
  runId: 'plain',
  connections: 'json',
  token: 'plain',
  person: 'plain',
  key: 'plain',
  secrets: 'json',
  createdAt: 'plain',
  expiresAt: 'plain',
})

/** Chunks removed by one commit: few enough not to block the event loop noticeably. */
const chunksAtOnce = 16

export const filesIn = (db: Db): Store['files'] => ({
  // Limits are part of the statements that write, because counts read beforehand are outdated when several files arrive
  // at once.
  add: async (file, most = Number.MAX_SAFE_INTEGER) => {
    const values = files.columns.map(() => '?').join(', ')
    const sql = `insert into files (${files.columns.join(', ')}) select ${values} where (select count(*) from files where tenant = ?) < ?`
    return wrote(await db.write([{ sql, params: [...files.params(file), file.tenant, most] }], { admits: true }))
  },
  append: async (tenant, id, number, chunk, size, mostBytes = Number.MAX_SAFE_INTEGER) => {
    const done = await db.write(
      [
        {
          sql: `insert into file_chunks (tenant, file, number, content) select tenant, id, ?, ? from files where tenant = ? and id = ? and state = 'writing'
            and (select coalesce(sum(size), 0) from files where tenant = ?) + ? <= ?`,
          params: [number, chunk, tenant, id, tenant, size, mostBytes],
        },
        {
          sql: `update files set size = size + ? where tenant = ? and id = ? and state = 'writing'
            and exists (select 1 from file_chunks where tenant = ? and file = ? and number = ?)`,
          params: [size, tenant, id, tenant, id, number],
        },
      ],
      { admits: true },
    )
    return wrote(done)
  },
  finish: async (tenant, id, fileFacts) => {
    const { sql, params } = files.assign({ ...fileFacts, state: 'ready' })
    const unless = `not exists (select 1 from files o where o.tenant = files.tenant and o.key = files.key and o.state = 'ready')`
    const finish = `update files set ${sql} where tenant = ? and id = ? and state = 'writing' and (key is null or ${unless})`
    return wrote(await db.write([{ sql: finish, params: [...params, tenant, id] }]))
  },
  get: async (tenant, id) =>
    (await db.read('select * from files where tenant = ? and id = ?', [tenant, id])).map(files.fromRow)[0],
  byKey: async (tenant, key) =>
    (await db.read(`select * from files where tenant = ? and key = ? and state = 'ready'`, [tenant, key])).map(
      files.fromRow,
    )[0],
  chunk: async (tenant, id, number) => {
    const [row] = await db.read('select content from file_chunks where tenant = ? and file = ? and number = ?', [
      tenant,
      id,
      number,
    ])
    return row?.['content'] as Uint8Array | undefined
  },
  list: async (tenant, page, now, person) => {
    const after = readCursor(page.cursor)
    const from = after ? ' and (created_at, id) < (?, ?)' : ''
    const also = alsoWhere({ person })
    const sql = `select * from files where tenant = ? and state = 'ready' and expires_at > ?${also.sql}${from} order by created_at desc, id desc limit ?`
    const rows = await db.read(sql, [
      tenant,
      now,
      ...also.params,
      ...(after ? [after.at, after.id] : []),
      page.limit + 1,
    ])
    return listed(rows.map(files.fromRow), page, ({ createdAt, id }) => ({ at: createdAt, id }))
  },
  usage: async (tenant) => {
    const [row] = await db.read(
      'select count(*) as files, coalesce(sum(size), 0) as bytes from files where tenant = ?',
      [tenant],
    )
    return { files: Number(row!['files']), bytes: Number(row!['bytes']) }
  },
  remove: async (tenant, id) => {
    // Remove the key first: from here on nobody can read the content, and retention deletes what a stopped process
    // leaves of it.
    const hide = `update files set state = 'removed', secrets = '{}', expires_at = 0 where tenant = ? and id = ? and state <> 'removed'`
    if (!wrote(await db.write([{ sql: hide, params: [tenant, id] }]))) return false
    const some = 'select number from file_chunks where tenant = ? and file = ? order by number limit ?'
    const sql = `delete from file_chunks where tenant = ? and file = ? and number in (${some})`
    for (;;) {
      const [done] = await db.write([{ sql, params: [tenant, id, tenant, id, chunksAtOnce] }])
      if (done!.changes < chunksAtOnce) break
    }
    await db.write([{ sql: 'delete from files where tenant = ? and id = ?', params: [tenant, id] }])
    return true
  },
})
