import { closeSync, existsSync, openSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { fail } from '#kit'
import type { Failure } from '#kit'

/** What a column can hold: text, integer (times in ms, 0/1 for booleans), bytes. */
export type Param = string | number | null | Uint8Array
export type Row = Record<string, unknown>
/** What a statement did: the rows it returns, and how many it wrote. */
export type Done = { rows: Row[]; changes: number; /** Of the first one of a unit that asked for it: what all of them took. */ ms?: number }

/** One open database file. Everything is synchronous; nothing else in the pack touches node:sqlite. */
export type Sqlite = {
  /** Runs one statement, prepared once and then kept. */
  run(sql: string, params?: readonly Param[]): Done
  /** Runs several statements without parameters. */
  script(sql: string): void
  /** False after the database itself rolled a transaction back (disk full, I/O error). */
  inTransaction(): boolean
  /** Copies the database while it is being written to. */
  copyTo(file: string): Promise<void>
  close(): void
}

/** Pages in one step of a copy: all of them. */
const everyPage = 2 ** 31 - 1
const copyWaitMs = 5_000

/** Kept prepared statements per file; statements are few and fixed, so this is a stop against a defect, not a cache size. */
const keptStatements = 500

/**
 * Without a log beside it nobody has the database open, and SQLite would make one to read by: files of whoever looks, which the server might
 * not be allowed to write.
 */
const placeToRead = (file: string): string | URL => {
  if (existsSync(`${file}-wal`)) return file
  const place = pathToFileURL(file)
  place.searchParams.set('immutable', '1')
  return place
}

/** `busyMs` blocks the event loop, so it is short: nobody else writes to our files. */
export const openSqlite = (file: string, options: { busyMs?: number; readOnly?: boolean } = {}): Sqlite => {
  const db = guard(() => {
    // Made by us first, because SQLite would make it readable by others; its -wal and -shm files inherit the mode.
    if (!options.readOnly && file !== ':memory:') closeSync(openSync(file, 'a', 0o600))
    return new DatabaseSync(options.readOnly ? placeToRead(file) : file, { timeout: options.busyMs ?? 200, readOnly: options.readOnly ?? false })
  })
  const kept = new Map<string, { statement: StatementSync; returns: boolean }>()
  const prepare = (sql: string) => {
    const found = kept.get(sql)
    if (found) return found
    if (kept.size >= keptStatements) kept.clear()
    const statement = db.prepare(sql)
    const made = { statement, returns: statement.columns().length > 0 }
    kept.set(sql, made)
    return made
  }
  return {
    run: (sql, params = []) =>
      guard(() => {
        const { statement, returns } = prepare(sql)
        if (!returns) return { rows: none, changes: Number(statement.run(...(params as readonly SQLInputValue[])).changes) }
        const rows = statement.all(...(params as readonly SQLInputValue[])) as Row[]
        return { rows, changes: rows.length }
      }),
    script: (sql) => guard(() => db.exec(sql)),
    inTransaction: () => db.isOpen && db.isTransaction,
    copyTo: async (target) => {
      // By a connection of its own and in one step: it reads one moment of the database while writes go on. Over the connection that writes,
      // page by page, a copy now and then failed under load.
      let source: DatabaseSync | undefined
      try {
        source = new DatabaseSync(file, { readOnly: true, timeout: copyWaitMs })
        await backup(source, target, { rate: everyPage })
      } catch (error) {
        throw toFailure(error)
      } finally {
        source?.close()
      }
    },
    close: () => {
      kept.clear()
      if (db.isOpen) db.close()
    },
  }
}

const guard = <T>(work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw toFailure(error)
  }
}

/** Primary result codes of SQLite that mean "this file cannot be used right now", with what to do. */
const unusable: Record<number, string> = {
  5: 'the database is locked by another process; end it or wait until it is done',
  6: 'the database is locked; wait until the other statement is done',
  8: 'the database is read-only; make the data directory writable',
  10: 'the disk answered with an error; check the disk',
  11: 'the database file is damaged; restore a backup',
  13: 'the disk is full; free some space',
  14: 'the database file cannot be opened; check that the data directory exists and is writable',
  26: 'the file is not a database; restore a backup',
}
const none: Row[] = []
const uniqueViolations = [1555, 2067]

const toFailure = (error: unknown): Failure => {
  const code = (error as { errcode?: number }).errcode
  if (code === undefined) {
    const system = error as { syscall?: string; code?: string }
    if (system.syscall) return fail('unavailable', `The store cannot be used: ${system.syscall} failed with ${system.code}.`, { cause: error })
    return fail('internal', 'The store was given something it cannot keep.', { cause: error })
  }
  if (uniqueViolations.includes(code)) return fail('conflict', 'A row with this id exists already.', { cause: error })
  const reason = unusable[code & 0xff]
  return reason
    ? fail('unavailable', `The store cannot be used: ${reason}.`, { cause: error })
    : fail('internal', 'A statement of the store failed.', { cause: error })
}
