import { fail } from '#kit'
import type { Store } from '../runtime/ports/index.ts'
import { sealedByKey } from './key-check.ts'
import { sealedIn } from './sql/sealed.ts'
import { openSqlite } from './sqlite.ts'
import type { Sqlite } from './sqlite.ts'

/** The sealed values of a database that is only read; one of an earlier schema has fewer places. */
const sealedOf = (db: Sqlite): Store['sealed'] => {
  const tables = db.run(`select name from sqlite_schema where type = 'table'`).rows.map((row) => String(row['name']))
  return sealedIn(
    {
      read: async (sql, params) => db.run(sql, params).rows,
      write: () => Promise.reject(fail('internal', 'This database is only read.')),
    },
    tables,
  )
}

/** Sealed rows of a database by the id of the master key they need. */
export const keysIn = async (db: Sqlite): Promise<Record<string, number>> =>
  Object.fromEntries([...(await sealedByKey({ sealed: sealedOf(db) }))].map(([id, rows]) => [id, rows.length]))

/** Hands the sealed values of a database file to `work`, without a process that holds the file. */
export const readSealedFile = async <T>(file: string, work: (sealed: Store['sealed']) => Promise<T>): Promise<T> => {
  const db = openSqlite(file, { readOnly: true })
  try {
    return await work(sealedOf(db))
  } finally {
    db.close()
  }
}
