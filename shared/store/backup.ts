import { chmod, copyFile, link, mkdir, open, readdir, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fail, isInvalidInput } from '#kit'
import { databaseFile, lockDirectory } from './directory.ts'
import { requireKnownKeys } from './key-check.ts'
import { markFor } from './marker.ts'
import { migrations } from './migrations.ts'
import { keysIn } from './sealed-file.ts'
import { openSqlite } from './sqlite.ts'
import type { Sqlite } from './sqlite.ts'

/** Copies a database that is in use. The copy gets its name only when it is complete and on disk. */
export const backupTo = async (db: Sqlite, file: string): Promise<{ bytes: number }> => {
  const part = `${file}.part`
  await writeFile(part, '', { mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    throw fail(
      'unavailable',
      `The backup cannot be written to ${dirname(file)} (${error.code}). Create that folder first, or choose another.`,
      {
        cause: error,
      },
    )
  })
  await chmod(part, 0o600)
  try {
    await db.copyTo(part)
    // A single file, without a -wal.
    const copy = openSqlite(part)
    copy.run('pragma journal_mode = delete')
    copy.close()
    await syncFile(part)
    // link, unlike rename, does not replace an earlier backup.
    await link(part, file).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST'
        ? fail('conflict', `${file} exists already; choose another name for the backup.`)
        : fail('unavailable', `The backup cannot be written to ${file} (${error.code}).`, { cause: error })
    })
    await syncFile(dirname(file))
  } finally {
    await unlink(part)
  }
  return { bytes: (await stat(file)).size }
}

const syncFile = async (path: string): Promise<void> => {
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}

/**
 * Contents of a backup: schema number and rows per table. `keys`: number of sealed rows by the id of their master key.
 */
export type BackupReport = { schema: number; rows: Record<string, number>; keys: Record<string, number> }

/**
 * Reads and checks the whole backup. Takes about a second per GB.
 * @throws Failure `invalid_input` if it is damaged, not a backup of toolyard, or newer than this code
 */
export const checkBackup = async (file: string): Promise<BackupReport> => {
  await stat(file).catch((error: unknown) => {
    throw fail('invalid_input', `There is no backup at ${file}.`, { cause: error })
  })
  const damaged = (cause?: unknown) =>
    fail('invalid_input', `${file} is not a complete backup; use an older one.`, { cause })
  let db: Sqlite | undefined
  try {
    db = openSqlite(file, { readOnly: true })
    const findings = db.run('pragma integrity_check').rows
    if (findings.length !== 1 || findings[0]!['integrity_check'] !== 'ok') throw damaged()
    const schema = Number(db.run('pragma user_version').rows[0]!['user_version'])
    const newest = migrations.at(-1)!.id
    if (schema < 1 || schema > newest)
      throw fail('invalid_input', `${file} has schema ${schema}; this version reads 1 to ${newest}.`)
    const tables = db
      .run(`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name`)
      .rows.map((row) => String(row['name']))
    const rows = Object.fromEntries(
      tables.map((table) => [table, Number(db!.run(`select count(*) as n from ${table}`).rows[0]!['n'])]),
    )
    return { schema, rows, keys: await keysIn(db) }
  } catch (error) {
    throw isInvalidInput(error) ? error : damaged(error)
  } finally {
    db?.close()
  }
}

/**
 * Restores a checked backup into an empty data directory. The backup does not contain the master key: `keys` are the
 * ids of the keys that are available, `lost` those that were given up.
 * @throws Failure `conflict` if the directory already holds a database, `unavailable` if a process uses it or a key is
 * missing; then nothing is written
 */
export const restoreBackup = async (options: {
  file: string
  directory: string
  now(): number
  keys: string[]
  lost: string[]
}): Promise<BackupReport> => {
  const report = await checkBackup(options.file)
  requireKnownKeys(Object.keys(report.keys), options, `Nothing was restored: the secrets in ${options.file} are`)
  await mkdir(options.directory, { recursive: true, mode: 0o700 })
  const lock = await lockDirectory(options.directory, options.now)
  try {
    const target = join(options.directory, databaseFile)
    if ((await readdir(options.directory)).includes(databaseFile)) {
      throw fail(
        'conflict',
        `${options.directory} holds a database already; restore into an empty directory, or move that one away first.`,
      )
    }
    const part = `${target}.part`
    await copyFile(options.file, part)
    await chmod(part, 0o600)
    await syncFile(part)
    await markFor(options.directory, part)
    await link(part, target)
    await unlink(part)
    await syncFile(options.directory)
    return report
  } finally {
    lock.release()
  }
}
