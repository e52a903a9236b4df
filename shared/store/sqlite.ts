import { closeSync, existsSync, openSync } from 'node:fs'
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { fail } from '#kit'
import type { Failure } from '#kit'

/** A column value: text, a number (times in ms, 0/1 for booleans) or bytes. */
export type Param = string | number | null | Uint8Array
export type Row = Record<string, unknown>
/** Result of a statement: the rows it returned and how many rows it wrote (or returned). */
export type StatementResult = {
  rows: Row[]
  changes: number
  /** On the first statement of a `timed` unit: duration of the whole unit. */ ms?: number
}

/** One open database. All calls are synchronous. No other file imports node:sqlite. */
export type Sqlite = {
  /** Runs one statement; it is prepared once and cached. */
  run(sql: string, params?: readonly Param[]): StatementResult
  /** Reads the rows of a statement one by one. */
  each(sql: string): Iterable<Row>
  /** Runs several statements without parameters. */
  script(sql: string): void
  /** False after SQLite itself rolled the transaction back (disk full, I/O error). */
  inTransaction(): boolean
  /** Copies the database while writes go on. */
  copyTo(file: string): Promise<void>
  close(): void
}

/** Loaded with the first database: a process whose store is in memory does without. */
const sqlite = () => process.getBuiltinModule('node:sqlite')

/** Pages per step of a copy: all. */
const everyPage = 2 ** 31 - 1
const copyWaitMs = 5_000

/** There are far fewer distinct statements; the limit only guards against a defect that creates new ones. */
const maxStatements = 500

/**
 * Without a -wal file nobody has the database open, and SQLite would create -wal and -shm to read it: files owned by
 * the reader, which the server might not be allowed to write.
 */
const readOnlyUrl = (file: string): string | URL => {
  if (existsSync(`${file}-wal`)) return file
  const url = pathToFileURL(file)
  url.searchParams.set('immutable', '1')
  return url
}

/** Waiting for `busyMs` blocks the event loop, so it is short: no other process writes to our files. */
export const openSqlite = (file: string, options: { busyMs?: number; readOnly?: boolean } = {}): Sqlite => {
  const db = guard(() => {
    // Created here, because SQLite would create it readable by others; -wal and -shm inherit the mode.
    if (!options.readOnly && file !== ':memory:') closeSync(openSync(file, 'a', 0o600))
    return new (sqlite().DatabaseSync)(options.readOnly ? readOnlyUrl(file) : file, {
      timeout: options.busyMs ?? 200,
      readOnly: options.readOnly ?? false,
    })
  })
  const prepared = new Map<string, { statement: StatementSync; returns: boolean }>()
  const prepare = (sql: string) => {
    const entry = prepared.get(sql)
    if (entry) return entry
    if (prepared.size >= maxStatements) prepared.clear()
    const statement = db.prepare(sql)
    const added = { statement, returns: statement.columns().length > 0 }
    prepared.set(sql, added)
    return added
  }
  return {
    run(sql, params = []) {
      try {
        const { statement, returns } = prepare(sql)
        if (!returns)
          return { rows: none, changes: Number(statement.run(...(params as readonly SQLInputValue[])).changes) }
        const rows = statement.all(...(params as readonly SQLInputValue[])) as Row[]
        return { rows, changes: rows.length }
      } catch (error) {
        throw toFailure(error)
      }
    },
    each: (sql) => guard(() => db.prepare(sql).iterate() as Iterable<Row>),
    script: (sql) => guard(() => db.exec(sql)),
    inTransaction: () => db.isOpen && db.isTransaction,
    copyTo: async (target) => {
      // On a separate connection and in one step, which gives a consistent snapshot while writes go on. Page by page on
      // the writing connection, copies occasionally failed under load.
      let source: DatabaseSync | undefined
      try {
        source = new (sqlite().DatabaseSync)(file, { readOnly: true, timeout: copyWaitMs })
        await sqlite().backup(source, target, { rate: everyPage })
      } catch (error) {
        throw toFailure(error)
      } finally {
        source?.close()
      }
    },
    close: () => {
      prepared.clear()
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

/** Primary result codes of SQLite that mean the file cannot be used now, with the remedy. */
const unusable: Record<number, string> = {
  5: 'the database is locked by another process; end it or wait until it is done',
  6: 'the database is locked; wait until the other statement is done',
  8: 'the database is read-only; make the data directory writable',
  10: 'the disk reported an error; check the disk',
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
    if (system.syscall)
      return fail('unavailable', `The store cannot be used: ${system.syscall} failed with ${system.code}.`, {
        cause: error,
      })
    return fail('internal', 'The store was given a value it cannot hold.', { cause: error })
  }
  if (uniqueViolations.includes(code)) return fail('conflict', 'A row with this id exists already.', { cause: error })
  const reason = unusable[code & 0xff]
  return reason
    ? fail('unavailable', `The store cannot be used: ${reason}.`, { cause: error })
    : fail('internal', 'A statement of the store failed.', { cause: error })
}
