import type { Person, Store } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import { listed, readCursor, table } from '../table.ts'

const people = table<Person>('people', { tenant: 'plain', id: 'plain', createdAt: 'plain' })

export const peopleIn = (db: Db): Store['people'] => ({
  add: async (person) => {
    const { sql, params } = people.insert(person)
    await db.write([{ sql: `${sql} on conflict (tenant, id) do nothing`, params }])
  },
  get: async (tenant, id) =>
    (await db.read('select * from people where tenant = ? and id = ?', [tenant, id])).map(people.fromRow)[0],
  list: async (tenant, page) => {
    const after = readCursor(page.cursor)
    const from = after ? ' and (created_at, id) < (?, ?)' : ''
    const sql = `select * from people where tenant = ?${from} order by created_at desc, id desc limit ?`
    const rows = await db.read(sql, [tenant, ...(after ? [after.at, after.id] : []), page.limit + 1])
    return listed(rows.map(people.fromRow), page, ({ createdAt, id }) => ({ at: createdAt, id }))
  },
})
