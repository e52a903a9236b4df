import type { OwnWrite, Store } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import { table } from '../table.ts'

const ownWrites = table<OwnWrite>('own_writes', {
  tenant: 'plain',
  connection: 'plain',
  object: 'plain',
  runId: 'plain',
  step: 'plain',
  startId: 'plain',
  at: 'plain',
})

export const ownWritesIn = (db: Db): Store['ownWrites'] => {
  let adding: Promise<unknown> = Promise.resolve()
  return {
    add: async (writes) => {
      if (writes.length > 0)
        await (adding = db.write(
          writes.map((write) => ownWrites.upsert(write, ['tenant', 'connection', 'object', 'runId'])),
        ))
    },
    findOfOthers: async (tenant, connection, objects, from, to) => {
      await adding.catch(() => {})
      // Joined by connection, because the primary key of a write starts with it.
      const sql = `select w.* from (select id from connections where tenant = ? and id <> ?) c
        join own_writes w on w.tenant = ? and w.connection = c.id and w.object in (${objects.map(() => '?').join(', ')}) and w.at >= ? and w.at <= ?
        order by w.at desc`
      return (await db.read(sql, [tenant, connection, tenant, ...objects, from, to])).map(ownWrites.fromRow)
    },
    find: async (tenant, connection, objects, from, to) => {
      // Nobody awaits `add`, so the row may still be part of the next commit.
      await adding.catch(() => {})
      const sql = 'select * from own_writes where tenant = ? and connection = ? and object = ? and at >= ? and at <= ?'
      const rowsPerObject = await Promise.all(
        objects.map((object) => db.read(sql, [tenant, connection, object, from, to])),
      )
      return rowsPerObject
        .flat()
        .map(ownWrites.fromRow)
        .sort((a, b) => b.at - a.at)
    },
  }
}
