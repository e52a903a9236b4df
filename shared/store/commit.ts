import { statfsSync } from 'node:fs'
import { fail, isFailure } from '#kit'
import type { Failure } from '#kit'
import type { Fence, JobKind, Log } from '../runtime/ports/index.ts'
import type { StatementResult, Param, Row, Sqlite } from './sqlite.ts'

/** One SQL statement with `?` placeholders, in SQL that both SQLite and PostgreSQL accept. */
export type Statement = {
  sql: string
  params: readonly Param[]
  /** It only checks something that cannot change during a transaction, so the same check is made once in each. */
  isCheck?: true
}

/**
 * A time relative to now, for use in a statement. Where several processes write to the database, its own clock defines
 * now, at the moment the statement runs. As a sub-query it is evaluated once, so an index on the time can be used.
 */
export const timeIn = ({ isShared }: Pick<Db, 'isShared'>) => ({
  sql: isShared ? '(select now_ms() + ?)' : '?',
  param: isShared ? (_now: number, afterMs: number) => afterMs : (now: number, afterMs: number) => now + afterMs,
})

/** The database as the statements in `sql/` see it. */
export type Db = {
  /**
   * Set when other processes write to the same database: what was read a moment ago may have changed when a statement
   * runs.
   */
  isShared?: true
  read(sql: string, params: readonly Param[]): Promise<Row[]>
  /**
   * Runs all statements or none, in the next group commit, and resolves with each result after the commit.
   * `admits: true`: new work, refused with `unavailable` when the disk is nearly full; work that finishes something is
   * not refused. `timed: true`: the first result includes how long the unit took, in ms. `fence`: the write is refused
   * with `conflict` once another process has taken over the lease; it has no effect where one process owns the
   * database.
   */
  write(statements: readonly Statement[], options?: WriteOptions): Promise<StatementResult[]>
  /** Present only where one process owns the database. */
  writeLate?: WriteLate
}
/**
 * New work whose statements are built only at commit, so that more work can join until then. `count`: how many units of
 * work it holds by then.
 */
export type WriteLate = (make: () => readonly Statement[], count: () => number) => Promise<unknown>
export type WriteOptions = {
  admits?: true
  timed?: true
  fence?: Fence | undefined
  /** Committed with the statements; on a shared database only. */ jobs?: () => Job[]
}
/** A wake-up: some process looks for due work of this kind and key at `at` (ms). */
export type Job = { kind: JobKind; key: string; at: number }

type Unit = {
  readonly statements: readonly Statement[]
  /** How many units of new work it is; 0 for work that finishes something. */
  readonly count: number
  timed: boolean
  resolve(done: StatementResult[]): void
  reject(failure: unknown): void
}

/** Units per transaction: limits how long one commit blocks the event loop (about 30 ms). */
const groupSize = 1000
/** The shortest delay a timer can have. */
const paceMs = 1

/**
 * Group commit: writes of one turn of the event loop share one transaction and one fsync. A promise resolves only after
 * COMMIT. A unit that fails is rejected alone, unless the whole commit fails. A commit costs as much as ten rows, so
 * while several callers submit new work, a group smaller than the last one waits `paceMs` for the others; a single
 * caller never waits.
 */
export const createCommitter = (db: Sqlite, options: { refusal(): Failure | undefined; log: Log }) => {
  let waiting: Unit[] = []
  let scheduled = false
  let closed = false
  /** Units of new work in the last group that held any. */
  let lastAdmitting = 0
  const counts = { commits: 0, commitMs: 0, failedCommits: 0 }

  const commitGroup = () => {
    scheduled = false
    const group = admitted(waiting.slice(0, groupSize))
    lastAdmitting = countAdmitting(group) || lastAdmitting
    waiting = waiting.slice(groupSize)
    if (waiting.length > 0) schedule()
    if (group.length === 0) return
    const startedAt = performance.now()
    let done: Done[]
    try {
      done = commitPlainly(db, group) ?? commitApart(db, group)
    } catch (error) {
      if (db.inTransaction()) db.run('rollback')
      counts.failedCommits += 1
      options.log('error', 'store.commit_failed', {
        units: group.length,
        reason: isFailure(error) ? error.message : 'unknown',
      })
      for (const unit of group) unit.reject(error)
      return
    }
    counts.commits += 1
    counts.commitMs += performance.now() - startedAt
    for (const { unit, results } of done) unit.resolve(results)
  }

  const schedule = () => {
    if (scheduled) return
    scheduled = true
    // After the I/O of this turn, so that every request read in it joins the same group.
    setImmediate(() => {
      if (lastAdmitting > 1 && countAdmitting(waiting) < lastAdmitting) setTimeout(commitGroup, paceMs)
      else commitGroup()
    })
  }

  const admitted = (units: Unit[]): Unit[] => {
    if (countAdmitting(units) === 0) return units
    const refusal = options.refusal()
    if (!refusal) return units
    for (const unit of units) if (unit.count > 0) unit.reject(refusal)
    return units.filter((unit) => unit.count === 0)
  }

  const drain = () => {
    while (waiting.length > 0) commitGroup()
  }

  const write: Db['write'] = (statements, kind) =>
    new Promise((resolve, reject) => {
      if (closed) return reject(fail('unavailable', 'The store is closed.'))
      waiting.push({ statements, count: kind?.admits ? 1 : 0, timed: kind?.timed ?? false, resolve, reject })
      schedule()
    })
  const writeLate: WriteLate = (make, count) =>
    new Promise((resolve, reject) => {
      if (closed) return reject(fail('unavailable', 'The store is closed.'))
      waiting.push({
        get statements() {
          return make()
        },
        get count() {
          return count()
        },
        timed: false,
        resolve,
        reject,
      })
      schedule()
    })

  return {
    db: { read: async (sql, params) => db.run(sql, params).rows, write, writeLate } satisfies Db,
    counts,
    /** Commits everything that is waiting, synchronously. */
    drain,
    close: () => {
      drain()
      closed = true
    },
  }
}

const countAdmitting = (units: readonly Unit[]): number => {
  let sum = 0
  for (const { count } of units) sum += count
  return sum
}

type Done = { unit: Unit; results: StatementResult[] }

/**
 * Runs a group without savepoints and commits it: within a savepoint, SQLite copies each page before its first change,
 * which is a third of the work. When a unit fails, nothing is written and the result is undefined.
 */
const commitPlainly = (db: Sqlite, group: readonly Unit[]): Done[] | undefined => {
  const done: Done[] = []
  db.run('begin immediate')
  try {
    for (const unit of group) {
      const startedAt = performance.now()
      const results: StatementResult[] = []
      for (const { sql, params } of unit.statements) results.push(db.run(sql, params))
      if (unit.timed && results.length > 0) results[0]!.ms = performance.now() - startedAt
      done.push({ unit, results })
    }
  } catch (error) {
    // After a full disk or an I/O error SQLite has rolled back by itself, and would fail again.
    if (!db.inTransaction()) throw error
    db.run('rollback')
    return undefined
  }
  db.run('commit')
  return done
}

const runApart = (db: Sqlite, unit: Unit): StatementResult[] | undefined => {
  const startedAt = performance.now()
  db.run('savepoint unit')
  try {
    const results = unit.statements.map(({ sql, params }) => db.run(sql, params))
    if (unit.timed && results.length > 0) results[0]!.ms = performance.now() - startedAt
    return results
  } catch (error) {
    if (!db.inTransaction()) throw error
    unit.reject(error)
    db.run('rollback to unit')
    return undefined
  } finally {
    if (db.inTransaction()) db.run('release unit')
  }
}

/** Commits the units of a group that do not fail, and rejects the others. */
const commitApart = (db: Sqlite, group: readonly Unit[]): Done[] => {
  const done: Done[] = []
  db.run('begin immediate')
  for (const unit of group) {
    const results = runApart(db, unit)
    if (results) done.push({ unit, results })
  }
  db.run('commit')
  return done
}

/**
 * Bytes that the file system of `directory` has left for this process; null if it cannot be read, so that the other
 * metrics are still served then. The readiness check says what is wrong.
 */
export const freeBytesIn = (directory: string): number | null => {
  try {
    const { bavail, bsize } = statfsSync(directory)
    return bavail * bsize
  } catch {
    return null
  }
}

/** A failure if that is less than `minFreeBytes`. */
export const nearlyFull = (directory: string, minFreeBytes: number): Failure | undefined => {
  // Read here, not with freeBytesIn: each commit of new work comes by.
  const { bavail, bsize } = statfsSync(directory)
  if (bavail * bsize >= minFreeBytes) return undefined
  return fail(
    'unavailable',
    `The disk of the data directory is nearly full (less than ${Math.ceil(minFreeBytes / 2 ** 20)} MiB left): new work is refused until space is freed.`,
  )
}
