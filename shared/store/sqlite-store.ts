import { mkdir, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fail } from '#kit'
import type { Log, Store } from '../runtime/ports/index.ts'
import { createCommitter, freeBytesIn, nearlyFull } from './commit.ts'
import { backupTo } from './backup.ts'
import { databaseFile, lockDirectory } from './directory.ts'
import { markStore, requireDatabase } from './marker.ts'
import { migrate, schemaOf } from './migrate.ts'
import { migrations } from './migrations.ts'
import { groupsIn } from './sql/groups.ts'
import { restoreRuns } from './sql/runs.ts'
import { createReclaim, createSizeLimit, makeShrinkable } from './shrink.ts'
import { openSqlite } from './sqlite.ts'
import type { Sqlite } from './sqlite.ts'

export type SqliteStoreOptions = {
  /** Created (mode 700) if absent; one process at a time. */
  directory: string
  now(): number
  log?: Log
  /** New work is refused if the file system has less free space, in bytes; default 64 MiB. */
  minFreeBytes?: number
}

/**
 * Pages of 8 kB, because a delivery is about 3 kB (25 % more events per second than with 4 kB). Deleted data is
 * overwritten, so that free pages do not hold it, and given back to the file system gradually. A checkpoint every 32 MB
 * of log instead of 8: pages that many deliveries change are copied back less often, and a server takes a sixth more
 * deliveries a second, although a checkpoint then stops the event loop for 10 ms. A page cache of 8 MB: 16 MB was no
 * faster, since the operating system caches the file too.
 */
export const pragmas = `pragma page_size = 8192; pragma auto_vacuum = incremental; pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on;
  pragma cache_size = -8000; pragma wal_autocheckpoint = 4000; pragma journal_size_limit = 67108864`

/**
 * The database of a data directory, locked for this process and upgraded.
 * @throws Failure `unavailable` if the directory is in use, its store is gone, the schema is newer than this code, or
 * the file cannot be used
 */
export const openDatabase = async (options: SqliteStoreOptions): Promise<{ db: Sqlite; lock: { release(): void } }> => {
  await mkdir(options.directory, { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw fail(
      'unavailable',
      `The data directory ${options.directory} cannot be created (${error.code}); choose another, or check its parent directory.`,
      {
        cause: error,
      },
    )
  })
  const lock = await lockDirectory(options.directory, options.now)
  let db: Sqlite | undefined
  try {
    const marker = await requireDatabase(options.directory)
    db = openSqlite(join(options.directory, databaseFile))
    marker.check(db)
    db.script(pragmas)
    await copyBeforeUpgrade(db, options.directory, options.now())
    migrate(db, migrations, options.log ?? (() => {}))
    restoreRuns(db)
    makeShrinkable(db, options.log ?? (() => {}))
    await markStore(options.directory, db)
    return { db, lock }
  } catch (error) {
    db?.close()
    lock.release()
    throw error
  }
}

/**
 * The embedded store: one SQLite file; every acknowledged write is on disk.
 * @throws Failure as `openDatabase`
 */
export const openSqliteStore = async (options: SqliteStoreOptions): Promise<Store> => {
  const { db, lock } = await openDatabase(options)
  try {
    releaseClaims(db, options.now())
    return storeOver(db, { ...options, onClosed: lock.release })
  } catch (error) {
    db.close()
    lock.release()
    throw error
  }
}

/** The copy to go back to: an older version refuses to open what a newer one wrote. */
const copyBeforeUpgrade = async (db: Sqlite, directory: string, now: number): Promise<void> => {
  const schema = schemaOf(db)
  const newest = migrations.at(-1)!.id
  if (schema === 0 || schema >= newest) return
  await backupTo(
    db,
    join(directory, `schema-${schema}-before-${newest}-${new Date(now).toISOString().replace(/\D/g, '')}.db`),
  )
}

/**
 * Releases what an earlier process had claimed: holding the lock of the directory proves that it no longer runs. Epochs
 * stay, so that an old claim cannot end a start. An interrupted attempt does not count in the retry schedule.
 */
const releaseClaims = (db: Sqlite, now: number): void => {
  db.run(
    `update starts /* every tenant: releaseClaims */ set due_at = min(due_at, ?), attempts = max(0, attempts - 1) where state = 'leased'`,
    [now],
  )
  // The process ended while it was resuming a subscription.
  db.run(
    `update starts /* every tenant: releaseClaims */ set state = 'pending', due_at = ? where state = 'paused'
      and (tenant, subscription) in (select tenant, id from subscriptions where state = 'active' and deleted_at is null)`,
    [now],
  )
  db.run(`update events /* every tenant: releaseClaims */ set due_at = min(due_at, ?) where state = 'pending'`, [now])
  // Nobody continues these uploads: retention removes what had arrived.
  db.run(`update files /* every tenant: releaseClaims */ set expires_at = ? where state = 'writing'`, [now])
}

/**
 * Empties the write-ahead log, which still holds pages as they were. Whoever reads the database, such as a backup,
 * delays this for a moment.
 */
const emptyLog = async (sqlite: Sqlite): Promise<void> => {
  for (let tries = 0; tries < 100; tries += 1) {
    const [done] = sqlite.run('pragma wal_checkpoint(truncate)').rows
    if (Number(done?.['busy']) === 0) return
    await setTimeout(50)
  }
  throw fail(
    'unavailable',
    'The log of the database is in use, so that it still holds what was removed. Try again when no backup is being made.',
  )
}

/** Removes the copies that were made before upgrades. */
const removeCopies = async (directory: string): Promise<number> => {
  const copies = (await readdir(directory)).filter((name) => /^schema-\d+-before-\d+-\d+\.db$/.test(name))
  await Promise.all(copies.map((name) => unlink(join(directory, name))))
  return copies.length
}

/** The store over an open, migrated database. */
export const storeOver = (sqlite: Sqlite, options: SqliteStoreOptions & { onClosed(): void }): Store => {
  const { directory, minFreeBytes = 64 * 2 ** 20, log = () => {} } = options
  const refusal = () => nearlyFull(directory, minFreeBytes)
  const { db, drain, close, counts } = createCommitter(sqlite, { refusal, log })
  const { groups, settled } = groupsIn(db)
  const sizeLimit = createSizeLimit(sqlite, log)
  const reclaim = createReclaim(sqlite)
  return {
    ...groups,
    prune: async (retention) => {
      const pruned = await groups.prune(sizeLimit.apply(retention))
      const isShrinking = reclaim()
      return { ...pruned, more: sizeLimit.after(retention, pruned.more) || pruned.more || isShrinking }
    },
    personal: {
      ...groups.personal,
      purge: async () => {
        drain()
        await emptyLog(sqlite)
        return removeCopies(directory)
      },
    },
    vitals: () => ({ ...counts, leasesLost: 0, freeBytes: freeBytesIn(directory), pool: null }),
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
