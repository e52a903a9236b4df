import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '#kit'
import type { Log, Store } from '../runtime/ports/index.ts'
import { createCommitter, nearlyFull } from './commit.ts'
import { backupTo } from './backup.ts'
import { databaseFile, lockDirectory } from './directory.ts'
import { migrate, migrations, schemaOf } from './migrations.ts'
import { groupsIn } from './sql/groups.ts'
import { openSqlite } from './sqlite.ts'
import type { Sqlite } from './sqlite.ts'

export type SqliteStoreOptions = {
  /** Made (mode 700) when absent; one process at a time. */
  directory: string
  now(): number
  log?: Log
  /** New work is refused when the file system has less free than this; default 64 MiB. */
  minFreeBytes?: number
}

/**
 * Pages of 8 kB, because a delivery is about 3 kB (a quarter more events per second than with 4 kB). What is deleted is overwritten, so that
 * it is in no free page either. Pages that many arrivals touch are copied back from the log once in 32 MB instead of in 8.
 */
const pragmas = `pragma page_size = 8192; pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on;
  pragma cache_size = -16000; pragma wal_autocheckpoint = 4000; pragma journal_size_limit = 67108864`

/**
 * The embedded store: one SQLite file, every acknowledged write on the disk.
 * @throws Failure `unavailable`: directory in use, schema newer than this code, file not usable
 */
export const openSqliteStore = async (options: SqliteStoreOptions): Promise<Store> => {
  await mkdir(options.directory, { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw fail('unavailable', `The data directory ${options.directory} cannot be made (${error.code}); choose another, or mend its parent.`, { cause: error })
  })
  const lock = await lockDirectory(options.directory, options.now)
  let db: Sqlite | undefined
  try {
    db = openSqlite(join(options.directory, databaseFile))
    db.script(pragmas)
    await copyBeforeUpgrade(db, options.directory, options.now())
    migrate(db, migrations, options.log ?? (() => {}))
    releaseClaims(db, options.now())
    return storeOver(db, { ...options, onClosed: lock.release })
  } catch (error) {
    db?.close()
    lock.release()
    throw error
  }
}

/** A way back: what a newer version writes, the older one refuses to read. */
const copyBeforeUpgrade = async (db: Sqlite, directory: string, now: number): Promise<void> => {
  const schema = schemaOf(db)
  const newest = migrations.at(-1)!.id
  if (schema === 0 || schema >= newest) return
  await backupTo(db, join(directory, `schema-${schema}-before-${newest}-${new Date(now).toISOString().replace(/\D/g, '')}.db`))
}

/**
 * Gives back what a former process had claimed and cannot end any more: whoever holds the lock of the directory is the only one there is.
 * Epochs stay, so that a claim of before ends nothing. An attempt that was cut off does not count towards the retry schedule.
 */
const releaseClaims = (db: Sqlite, now: number): void => {
  db.run(`update starts /* every tenant: releaseClaims */ set due_at = min(due_at, ?), attempts = max(0, attempts - 1) where state = 'leased'`, [now])
  db.run(`update events /* every tenant: releaseClaims */ set due_at = min(due_at, ?) where state = 'pending'`, [now])
}

/** The store over an open, migrated database. */
export const storeOver = (sqlite: Sqlite, options: SqliteStoreOptions & { onClosed(): void }): Store => {
  const { directory, minFreeBytes = 64 * 2 ** 20, log = () => {} } = options
  const refusal = () => nearlyFull(directory, minFreeBytes)
  const { db, drain, close } = createCommitter(sqlite, { refusal, log })
  const { groups, settled } = groupsIn(db)
  return {
    ...groups,
    backup: (file) => backupTo(sqlite, file),
    flush: async () => {
      drain()
      await settled()
    },
    check: async () => {
      const refused = refusal()
      if (refused) throw refused
      const sql = `insert into meta (name, value) values ('checked', ?) on conflict (name) do update set value = excluded.value`
      await db.write([{ sql, params: [String(options.now())] }])
    },
    close: async () => {
      await settled()
      close()
      sqlite.close()
      options.onClosed()
    },
  }
}
