import type { Log, Retention } from '../runtime/ports/index.ts'
import { nextSize } from './sql/prune.ts'
import type { Sqlite } from './sqlite.ts'

/** Value of `auto_vacuum` with which a file can return free pages in slices. */
const incremental = 2
/**
 * Files of earlier versions cannot return pages. One up to this size, in bytes, is rewritten at start so that it can;
 * that takes up to about half a second.
 */
const maxRewritten = 64 * 2 ** 20
/** Free pages that are kept for new rows: whichever is more, the number or the share of all pages. */
const reserve = { pages: 512, share: 0.05 }

const valueOf = (db: Sqlite, name: string): number => Number(Object.values(db.run(`pragma ${name}`).rows[0]!)[0])
const pageBytes = (db: Sqlite) => valueOf(db, 'page_size')
const usedBytes = (db: Sqlite) => (valueOf(db, 'page_count') - valueOf(db, 'freelist_count')) * pageBytes(db)

/** Makes a file of an earlier version able to return pages, unless it is large. Nobody else has it open. */
export const makeShrinkable = (db: Sqlite, log: Log): void => {
  if (valueOf(db, 'auto_vacuum') === incremental) return
  const bytes = valueOf(db, 'page_count') * pageBytes(db)
  if (bytes > maxRewritten)
    return log('info', 'store.not_shrinkable', {
      megabytes: Math.round(bytes / 2 ** 20),
      remedy: 'toolyard export, toolyard import',
    })
  try {
    // This is not possible in WAL mode.
    db.script('pragma journal_mode = delete; pragma auto_vacuum = incremental; vacuum')
  } catch (error) {
    log('warn', 'store.not_shrinkable', { reason: error instanceof Error ? error.message : 'unknown' })
  }
  db.script('pragma journal_mode = wal')
}

/** Returns a function that gives some free pages back to the file system and returns whether there are more. */
export const createReclaim = (db: Sqlite): (() => boolean) => {
  let size = 16
  return () => {
    if (valueOf(db, 'auto_vacuum') !== incremental) return false
    const excess =
      valueOf(db, 'freelist_count') - Math.max(reserve.pages, Math.ceil(valueOf(db, 'page_count') * reserve.share))
    if (excess <= 0) return false
    const pages = Math.min(size, excess)
    const startedAt = performance.now()
    // Run as a script, because a prepared statement frees one page per step.
    db.script(`pragma incremental_vacuum(${pages})`)
    size = nextSize(size, { changes: pages, ms: performance.now() - startedAt })
    return excess > pages
  }
}

const step = 0.8
const relax = 1.02
/** Share of the maximum size below which retention ages grow again. */
const relaxBelow = 0.9
const minShare = 1e-5

/**
 * While the store is larger than it may be, the retention ages are shortened, all by the same factor, until enough of
 * the oldest rows are gone. Unfinished work, the ids by which repeats are recognised, and usage totals have ages of
 * their own and stay.
 */
export const createSizeLimit = (db: Sqlite, log: Log) => {
  let share = 1
  let said = false
  return {
    apply(retention: Retention): Retention {
      if (share === 1) return retention
      const { now, payloads, starts, runs, audit } = retention
      const later = (at: number) => now - (now - at) * share
      // Contents of runs are for looking at, so they are the first to go.
      const contents = now + (now - payloads) * (1 - share)
      return {
        ...retention,
        contents,
        payloads: later(payloads),
        starts: later(starts),
        runs: later(runs),
        audit: later(audit),
      }
    },
    /** Call this after each round of pruning. Returns whether another round is needed. */
    after({ maxBytes }: Retention, more: boolean): boolean {
      if (maxBytes === undefined) return false
      const bytes = usedBytes(db)
      if (bytes <= maxBytes) {
        said = false
        if (bytes < maxBytes * relaxBelow) share = Math.min(1, share * relax)
        return false
      }
      if (more) return true
      if (share > minShare) {
        share *= step
        return true
      }
      if (!said)
        log('warn', 'store.too_large', { megabytes: Math.round(bytes / 2 ** 20), max: Math.round(maxBytes / 2 ** 20) })
      said = true
      return false
    },
  }
}
