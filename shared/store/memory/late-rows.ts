import type { AuditEntry, Run, ShownRun, Store } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import type { Groups } from '../sql/groups.ts'
import { trimRuns } from '../sql/runs.ts'
import { createBacklog, keptRows } from './backlog.ts'

type SendingRun = ShownRun & { row: () => Run }
type LateEntry = Pick<AuditEntry, 'tenant' | 'at'> & { entry: () => AuditEntry }

const done = Promise.resolve()

/**
 * Runs that are being sent, each at the index `place`. Not a Map: the engine keeps the former tables of a map, and with
 * them whole runs that have ended, until its next full collection.
 */
const createSendingRuns = () => {
  const runs: SendingRun[] = []
  return {
    runs,
    show(row: () => Run): SendingRun {
      const shown = { row, place: runs.length }
      runs.push(shown)
      return shown
    },
    end(shown: ShownRun): void {
      const { place } = shown
      if (runs[place] !== shown) return
      const last = runs.pop()!
      if (last === shown) return
      runs[place] = last
      last.place = place
    },
  }
}

/** Runs whose rows are written when somebody reads them. */
export const createLateRuns = (db: Db, groups: Groups, isOpen: () => boolean) => {
  const backlog = createBacklog<Run>(async (tenant, rows) => {
    await Promise.all(rows.map((run) => groups.runs.record(run)))
    await trimRuns(db, tenant, 2 * keptRows)
  })
  const sending = createSendingRuns()
  /** A run can be read while it goes on, so it gets a row now; the row written at its end replaces this one. */
  const addSending = () => {
    for (const { row } of sending.runs) backlog.add({ ...row(), state: 'sending' })
  }
  const withSending =
    <A extends unknown[], R>(read: (...query: A) => Promise<R>) =>
    (...query: A): Promise<R> => {
      addSending()
      return backlog.before(read)(...query)
    }
  const group = (): Store['runs'] => ({
    showSending: sending.show,
    record: (run, { notices = [], settles, endsShown } = {}) => {
      if (endsShown) sending.end(endsShown)
      backlog.add(run)
      if (settles) return groups.credits.settle(settles).then(() => undefined)
      return notices.length > 0 && isOpen() ? groups.notifications.add(notices) : done
    },
    // No earlier process can have left any runs.
    cutOff: async () => [],
    get: withSending(groups.runs.get),
    list: withSending(groups.runs.list),
    usage: backlog.before(groups.runs.usage),
    usageByPerson: backlog.before(groups.runs.usageByPerson),
    usageOfPeople: backlog.before(groups.runs.usageOfPeople),
  })
  return { backlog, group }
}

/** An audit log whose rows are written when somebody reads them. */
export const createLateAudit = (groups: Groups, trimAudit: (tenant: string, rows: number) => Promise<void>) => {
  const backlog = createBacklog<LateEntry>(async (tenant, entries) => {
    await Promise.all(entries.map(({ entry }) => groups.audit.append(entry())))
    await trimAudit(tenant, 2 * keptRows)
  })
  const group = (): Store['audit'] => ({
    append: (entry) => {
      backlog.add({ tenant: entry.tenant, at: entry.at, entry: () => entry })
      return done
    },
    appendLate: (tenant, at, entry) => backlog.add({ tenant, at, entry }),
    list: backlog.before(groups.audit.list),
    verify: backlog.before(groups.audit.verify),
    head: backlog.before(groups.audit.head),
    // Signatures protect a database file from changes by others; here there is none.
    signWith: async () => {},
  })
  return { backlog, group }
}
