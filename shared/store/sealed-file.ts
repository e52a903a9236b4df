import { fail } from '#kit'
import type { Store } from '../runtime/ports/index.ts'
import { sealedByKey } from './key-check.ts'
import { sealedIn } from './sql/sealed.ts'
import { openSqlite } from './sqlite.ts'
import type { Sqlite } from './sqlite.ts'

/** The sealed values of a database opened for reading; one with an earlier schema has fewer tables. */
const sealedOf = (db: Sqlite): Store['sealed'] => {
  const tables = db
    .run(
      `select t.name from sqlite_schema t join pragma_table_info(t.name) c on c.name = 'secrets' where t.type = 'table'`,
    )
    .rows.map((row) => String(row['name']))
  return sealedIn(
    {
      read: async (sql, params) => db.run(sql, params).rows,
      write: () => Promise.reject(fail('internal', 'This database is open for reading only.')),
    },
    tables,
  )
}

/** Number of sealed rows in a database by the id of their master key. */
export const keysIn = async (db: Sqlite): Promise<Record<string, number>> =>
  Object.fromEntries([...(await sealedByKey({ sealed: sealedOf(db) }))].map(([id, rows]) => [id, rows.length]))

/** Passes the sealed values of a database file to `work`; the file need not be in use by a server. */
export const readSealedFile = async <T>(file: string, work: (sealed: Store['sealed']) => Promise<T>): Promise<T> => {
  const db = openSqlite(file, { readOnly: true })
  try {
    return await work(sealedOf(db))
  } finally {
    db.close()
  }
}
