import type { Store, StoredListRow, StoredPeopleList } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import { alsoWhere, joined, listed, readCursor, table, wrote } from '../table.ts'

const lists = table<StoredPeopleList>('people_lists', {
  tenant: 'plain',
  id: 'plain',
  name: 'plain',
  owner: 'plain',
  kind: 'plain',
  state: 'plain',
  source: 'plain',
  columnNames: 'json',
  connections: 'json',
  token: 'plain',
  person: 'plain',
  secrets: 'json',
  key: 'plain',
  requestHash: 'plain',
  leftOut: 'plain',
  createdAt: 'plain',
  expiresAt: 'plain',
})
const rowsOfLists = table<StoredListRow>('people_list_rows', {
  tenant: 'plain',
  list: 'plain',
  at: 'plain',
  checkedAt: 'plain',
  content: 'plain',
})

const present = `state = 'ready' and expires_at > ?`
/** Rows removed by one commit: few enough not to block the event loop noticeably. */
const rowsAtOnce = 500

export const peopleListsIn = (db: Db): Store['peopleLists'] => ({
  // The limit is part of the statement, because a count read beforehand is outdated when several lists arrive at once.
  add: async (list, most) => {
    const values = lists.columns.map(() => '?').join(', ')
    const sql = `insert into people_lists (${lists.columns.join(', ')}) select ${values} where (select count(*) from people_lists where tenant = ?) < ?`
    return wrote(await db.write([{ sql, params: [...lists.params(list), list.tenant, most] }], { admits: true }))
  },
  append: async (rows) => void (await db.write(rows.map(rowsOfLists.insert), { admits: true })),
  finish: async (tenant, id, now, finished) => {
    const other = `select 1 from people_lists o where o.tenant = people_lists.tenant and o.state = 'ready'
      and (o.owner = people_lists.owner and o.name = people_lists.name and o.expires_at > ? or o.key = people_lists.key)`
    const { sql, params } = lists.assign({ state: 'ready', ...finished })
    const finish = `update people_lists set ${sql} where tenant = ? and id = ? and state = 'writing' and not exists (${other})`
    return wrote(await db.write([{ sql: finish, params: [...params, tenant, id, now] }]))
  },
  get: async (tenant, id, now) =>
    (await db.read(`select * from people_lists where tenant = ? and id = ? and ${present}`, [tenant, id, now])).map(
      lists.fromRow,
    )[0],
  byName: async (tenant, name, now) =>
    (
      await db.read(`select * from people_lists where tenant = ? and name = ? and ${present} order by created_at, id`, [
        tenant,
        name,
        now,
      ])
    ).map(lists.fromRow),
  byKey: async (tenant, key) =>
    (await db.read(`select * from people_lists where tenant = ? and key = ? and state = 'ready'`, [tenant, key])).map(
      lists.fromRow,
    )[0],
  list: async (tenant, page, now, person) => {
    const after = readCursor(page.cursor)
    const from = after ? ' and (created_at, id) < (?, ?)' : ''
    const also = alsoWhere({ person })
    const sql = `select * from people_lists where tenant = ? and ${present}${also.sql}${from} order by created_at desc, id desc limit ?`
    const rows = await db.read(sql, [
      tenant,
      now,
      ...also.params,
      ...(after ? [after.at, after.id] : []),
      page.limit + 1,
    ])
    return listed(rows.map(lists.fromRow), page, ({ createdAt, id }) => ({ at: createdAt, id }))
  },
  count: async (tenant, list) => {
    const sql = 'select count(*) as count from people_list_rows where tenant = ? and list = ?'
    return Number((await db.read(sql, [tenant, list]))[0]!['count'])
  },
  rows: async (tenant, list, limit, { after, checkedBefore } = {}) => {
    const { sql, params } = joined(
      { sql: 'tenant = ? and list = ?', params: [tenant, list] },
      after === undefined ? { sql: '', params: [] } : { sql: ' and at > ?', params: [after] },
      checkedBefore === undefined
        ? { sql: '', params: [] }
        : { sql: ' and (checked_at is null or checked_at < ?)', params: [checkedBefore] },
    )
    const rows = await db.read(`select * from people_list_rows where ${sql} order by at limit ?`, [...params, limit])
    return rows.map(rowsOfLists.fromRow)
  },
  update: async (tenant, list, { from, to }, rows) => {
    const [formerColumns] = lists.assign({ columnNames: from }).params
    const { sql, params } = lists.assign({ columnNames: to })
    const ofList = 'tenant = ? and id = ? and column_names = ?'
    // Rows have no columns that their list does not name.
    const isNamed = `exists (select 1 from people_lists where ${ofList})`
    const done = await db.write([
      { sql: `update people_lists set ${sql} where ${ofList}`, params: [...params, tenant, list, formerColumns!] },
      ...rows.map(({ at, checkedAt, content, former }) => ({
        sql: `update people_list_rows set checked_at = ?, content = ? where tenant = ? and list = ? and at = ? and content = ? and ${isNamed}`,
        params: [checkedAt, content, tenant, list, at, former, tenant, list, ...params],
      })),
    ])
    return rows.filter((_, place) => done[place + 1]!.changes === 0)
  },
  remove: async (tenant, id) => {
    // Remove the key first: from here on nobody can read the rows, and retention deletes what a stopped process leaves.
    const hide = `update people_lists set state = 'removed', secrets = '{}', expires_at = 0 where tenant = ? and id = ? and state <> 'removed'`
    if (!wrote(await db.write([{ sql: hide, params: [tenant, id] }]))) return false
    const some = 'select at from people_list_rows where tenant = ? and list = ? order by at limit ?'
    const sql = `delete from people_list_rows where tenant = ? and list = ? and at in (${some})`
    for (;;) {
      const [done] = await db.write([{ sql, params: [tenant, id, tenant, id, rowsAtOnce] }])
      if (done!.changes < rowsAtOnce) break
    }
    await db.write([{ sql: 'delete from people_lists where tenant = ? and id = ?', params: [tenant, id] }])
    return true
  },
})
