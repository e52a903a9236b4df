import { migrate } from '../migrate.ts'
import { migrations } from '../migrations.ts'
import { openSqlite } from '../sqlite.ts'

/** A table as both databases have it. */
export type TransferTable = {
  name: string
  columns: string[]
  /** Columns of its primary key, by which its rows are ordered. */ key: string[]
}

export const schemaNumber = migrations.at(-1)!.id

/** Every table of the present schema, by name: read from a new database in memory, so that no list can be forgotten. */
export const transferTables = (): TransferTable[] => {
  const db = openSqlite(':memory:')
  try {
    migrate(db, migrations, () => {})
    const names = db.run(
      `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name`,
    ).rows
    return names.map(({ name }) => {
      const columns = db.run(`select name, pk from pragma_table_info(?) order by cid`, [String(name)]).rows
      const key = columns.filter(({ pk }) => Number(pk) > 0).toSorted((a, b) => Number(a['pk']) - Number(b['pk']))
      return {
        name: String(name),
        columns: columns.map((column) => String(column['name'])),
        key: key.map((column) => String(column['name'])),
      }
    })
  } finally {
    db.close()
  }
}

/** Selects all rows of a table, ordered by its key. */
export const selectOf = ({ name, columns, key }: TransferTable): string =>
  `select ${columns.join(', ')} from ${name} order by ${key.join(', ')}`
export const insertOf = ({ name, columns }: TransferTable): string =>
  `insert into ${name} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`
