import type { Log, Retention } from '../runtime/ports/index.ts'
import { nextSize } from './sql/prune.ts'
import type { Sqlite } from './sqlite.ts'

/** Value of `auto_vacuum` with which a file gives pages back in slices. */
const incremental = 2
/**
 * Of a file that does not, as earlier versions made them: rewritten at the start if it takes no longer than about half
 * a second.
 */
const maxRewritten = 64 * 2 ** 20
/** Free pages that are left for new rows: at least, and of all. */
const reserve = { pages: 512, share: 0.05 }

const valueOf = (db: Sqlite, name: string): number => Number(Object.values(db.run(`pragma ${name}`).rows[0]!)[0])
const pageBytes = (db: Sqlite) => valueOf(db, 'page_size')
const usedBytes = (db: Sqlite) => (valueOf(db, 'page_count') - valueOf(db, 'freelist_count')) * pageBytes(db)

/** A file of an earlier version can give pages back from now on, unless it is large. Nobody else has it open. */
export const makeShrinkable = (db: Sqlite, log: Log): void => {
  if (valueOf(db, 'auto_vacuum') === incremental) return
  const bytes = valueOf(db, 'page_count') * pageBytes(db)
  if (bytes > maxRewritten)
    return log('info', 'store.not_shrinkable', {
      megabytes: Math.round(bytes / 2 ** 20),
      remedy: 'toolyard export, toolyard import',
    })
  try {
    // Not while it has a log.
    db.script('pragma journal_mode = delete; pragma auto_vacuum = incremental; vacuum')
  } catch (error) {
    log('warn', 'store.not_shrinkable', { reason: error instanceof Error ? error.message : 'unknown' })
  }
  db.script('pragma journal_mode = wal')
}

/** Gives free pages back to the file system, some at a time. The function gives whether there are more. */
export const createReclaim = (db: Sqlite): (() => boolean) => {
  let size = 16
  return () => {
    if (valueOf(db, 'auto_vacuum') !== incremental) return false
    const excess =
      valueOf(db, 'freelist_count') - Math.max(reserve.pages, Math.ceil(valueOf(db, 'page_count') * reserve.share))
    if (excess <= 0) return false
    const pages = Math.min(size, excess)
    const startedAt = performance.now()
    // As a script: a statement gives one page back for each of its steps.
    db.script(`pragma incremental_vacuum(${pages})`)
    size = nextSize(size, { changes: pages, ms: performance.now() - startedAt })
    return excess > pages
  }
}

const step = 0.8
const relax = 1.02
/** Of the size allowed; ages grow again below it. */
const relaxBelow = 0.9
const minShare = 1e-5

/**
 * While the store is larger than it may be, ages are shortened, all by the same share, until enough of the oldest is
 * gone. What is not finished, the ids by which repeats are recognised, and usage have ages of their own and stay.
 */
export const createSizeLimit = (db: Sqlite, log: Log) => {
  let share = 1
  let said = false
  return {
    apply(retention: Retention): Retention {
      if (share === 1) return retention
      const { now, payloads, starts, runs, audit } = retention
      const later = (at: number) => now - (now - at) * share
      return { ...retention, payloads: later(payloads), starts: later(starts), runs: later(runs), audit: later(audit) }
    },
    /** After a round. Gives whether it takes another one. */
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
