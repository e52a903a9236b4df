import type { Run } from '../../runtime/ports/index.ts'
import type { Statement, WriteLate } from '../commit.ts'
import type { Sqlite } from '../sqlite.ts'

/** Runs of one tenant that began to send in the same commit. */
export type Batch = { tenant: string; seq: number; runs: Map<string, Run> }

const insertSql = 'insert into sending_runs (tenant, seq, runs) values (?, ?, ?)'
const deleteSql = 'delete from sending_runs where tenant = ? and seq = ?'
const nameOf = ({ tenant, id }: Pick<Run, 'tenant' | 'id'>) => `${tenant}\n${id}`
export const removal = ({ tenant, seq }: Batch): Statement => ({ sql: deleteSql, params: [tenant, seq] })

/**
 * Runs whose request is about to leave, where one process owns the database. Those that share a commit share a row:
 * most end within milliseconds, and each would otherwise write a whole row and its indexes twice. They become rows of
 * `runs` when they end, when somebody lists runs, and when the database is opened after the process has died.
 */
export const createSending = (writeLate: WriteLate) => {
  const batches = new Map<string, Batch>()
  const joining = new Map<string, { batch: Batch; written: Promise<void> }>()
  /** Batches whose runs have all ended; their rows are removed with the next runs that end. */
  let over: Batch[] = []
  let seq = 0

  /** No run may join a batch once it is written. */
  const close = (batch: Batch) => {
    if (joining.get(batch.tenant)?.batch === batch) joining.delete(batch.tenant)
  }
  const writeBatch = async (batch: Batch): Promise<void> => {
    try {
      await writeLate(
        () => {
          close(batch)
          return [{ sql: insertSql, params: [batch.tenant, batch.seq, JSON.stringify([...batch.runs.values()])] }]
        },
        () => batch.runs.size,
      )
    } catch (refused) {
      close(batch)
      for (const name of batch.runs.keys()) batches.delete(name)
      throw refused
    }
  }

  return {
    /** Resolves when the fact that the run is sending is durable. */
    begin(run: Run): Promise<void> {
      let open = joining.get(run.tenant)
      if (!open) {
        const batch: Batch = { tenant: run.tenant, seq: (seq += 1), runs: new Map() }
        joining.set(run.tenant, (open = { batch, written: writeBatch(batch) }))
      }
      const name = nameOf(run)
      open.batch.runs.set(name, run)
      batches.set(name, open.batch)
      return open.written
    },
    /** Call this when the runs have become rows of `runs`. */
    ended(runs: Iterable<Run>): void {
      for (const run of runs) {
        const name = nameOf(run)
        const batch = batches.get(name)
        if (!batch) continue
        batches.delete(name)
        batch.runs.delete(name)
        if (batch.runs.size === 0) over.push(batch)
      }
    },
    /** Takes the batches whose runs have all ended, in order to remove them; give them back if that fails. */
    takeOver(): Batch[] {
      const taken = over
      over = []
      return taken
    },
    giveBack: (taken: Batch[]): void => void over.push(...taken),
    find(tenant: string, id: string): Run | undefined {
      const name = nameOf({ tenant, id })
      return batches.get(name)?.runs.get(name)
    },
    /** Takes every run that is still sending, to become a row of `runs`. */
    takeAll(): { runs: Run[]; taken: Batch[] } {
      const taken = [...new Set([...batches.values(), ...over])]
      const runs = taken.flatMap((batch) => [...batch.runs.values()])
      // No run may join these batches: removing their rows would remove the new run as well.
      joining.clear()
      batches.clear()
      over = []
      return { runs, taken }
    },
  }
}

/** Recovers the runs that were sending when the process died. */
export const restoreSending = (db: Sqlite, insertNew: (run: Run) => Statement): void => {
  const rows = db.run('select runs from sending_runs /* every tenant: restoreSending */ order by seq').rows
  if (rows.length === 0) return
  db.script('begin immediate')
  for (const run of rows.flatMap((row) => JSON.parse(String(row['runs'])) as Run[])) {
    const { sql, params } = insertNew(run)
    db.run(sql, params)
  }
  db.run('delete from sending_runs /* every tenant: restoreSending */')
  db.script('commit')
}
