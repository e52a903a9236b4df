import type { Person, Store } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import { listed, readCursor, table } from '../table.ts'

const people = table<Person>('people', { tenant: 'plain', id: 'plain', createdAt: 'plain' })

export const peopleIn = (db: Db): Store['people'] => ({
  add: async (person, max) => {
    const { sql, params } = people.insert(person)
    const bounded = `insert into people (${people.columns.join(', ')}) select ${people.columns.map(() => '?').join(', ')}
      where (select count(*) from people where tenant = ?) < ?`
    const insert = max === undefined ? { sql, params } : { sql: bounded, params: [...params, person.tenant, max] }
    await db.write([{ ...insert, sql: `${insert.sql} on conflict (tenant, id) do nothing` }])
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
