import { existsSync } from 'node:fs'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '#kit'
import { databaseFile } from './directory.ts'
import { instanceSql } from './sql/groups.ts'
import { openSqlite } from './sqlite.ts'
import type { Sqlite } from './sqlite.ts'

/**
 * File beside the master key with the id of the store that was created here. Without it, a lost database would look
 * like one that never existed.
 */
export const markerFile = 'store.id'

const readMarker = async (directory: string): Promise<string | undefined> => {
  const text = await readFile(join(directory, markerFile), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw fail(
      'unavailable',
      `${join(directory, markerFile)} cannot be read (${error.code}); check its owner and mode.`,
      { cause: error },
    )
  })
  return text?.trim()
}

/** The file is on disk before this returns. */
const writeMarker = async (directory: string, id: string): Promise<void> => {
  const file = join(directory, markerFile)
  const draft = `${file}.part`
  const handle = await open(draft, 'w', 0o600)
  try {
    await handle.writeFile(`${id}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(draft, file)
  const folder = await open(directory, 'r')
  await folder.sync().finally(() => folder.close())
}

/** The id of the store in an open database; undefined for an empty database. */
const storeIdIn = (db: Sqlite): string | undefined => {
  const hasMeta = db.run(`select 1 from sqlite_schema where type = 'table' and name = 'meta'`).rows.length > 0
  const [row] = hasMeta ? db.run(instanceSql.read).rows : []
  return row === undefined ? undefined : String(row['value'])
}

const refusal = (directory: string, marked: string, finding: string) =>
  fail(
    'unavailable',
    `${join(directory, markerFile)} says that ${directory} held the store ${marked}, and ${finding}. Put ${databaseFile} back, with ${databaseFile}-wal if there is one; or move what is left of it away and restore a backup: toolyard restore <file>. To begin again without the data, remove ${markerFile}.`,
  )

/**
 * Call this before a database is opened, since opening creates one; then call `check` before anything is written.
 * @throws Failure `unavailable` if the store that was created in the directory is no longer there
 */
export const requireDatabase = async (directory: string): Promise<{ check(db: Sqlite): void }> => {
  const marked = await readMarker(directory)
  if (marked === undefined) return { check: () => {} }
  if (!existsSync(join(directory, databaseFile))) throw refusal(directory, marked, `${databaseFile} is missing`)
  return {
    check(db) {
      const id = storeIdIn(db)
      if (id === marked) return
      throw refusal(
        directory,
        marked,
        id === undefined ? `${databaseFile} is empty` : `${databaseFile} is that of another store, ${id}`,
      )
    },
  }
}

/** The same check for a directory that no process uses; it changes nothing there. */
export const checkMarker = async (directory: string): Promise<void> => {
  const { check } = await requireDatabase(directory)
  const file = join(directory, databaseFile)
  if (!existsSync(file)) return
  const db = openSqlite(file, { readOnly: true })
  try {
    check(db)
  } finally {
    db.close()
  }
}

/** Marks the directory with the id of its store. The id is committed to the database first. */
export const markStore = async (directory: string, db: Sqlite): Promise<void> => {
  db.run(instanceSql.insert, [instanceSql.newId()])
  const id = storeIdIn(db)!
  if ((await readMarker(directory)) !== id) await writeMarker(directory, id)
}

/** Call this before a database from elsewhere is put into the directory: the marker takes that database's id. */
export const markFor = async (directory: string, file: string): Promise<void> => {
  const db = openSqlite(file, { readOnly: true })
  const id = storeIdIn(db)
  db.close()
  if (id === undefined) await rm(join(directory, markerFile), { force: true })
  else await writeMarker(directory, id)
}
