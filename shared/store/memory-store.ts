import { randomBytes } from 'node:crypto'
import { fail } from '#kit'
import type { AuditEntry, Pruned, Run, ShownRun, Store } from '../runtime/ports/index.ts'
import { createCommitter } from './commit.ts'
import { createBacklog, keptRows } from './memory/backlog.ts'
import { connectionsInMemory, tenantsInMemory } from './memory/connections.ts'
import { lazily } from './lazily.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations.ts'
import { groupsIn } from './sql/groups.ts'
import { trimRuns } from './sql/runs.ts'
import { openSqlite } from './sqlite.ts'
import type { Sqlite } from './sqlite.ts'

const done = Promise.resolve()
const nothingPruned: Pruned = {
  payloads: 0,
  starts: 0,
  subscriptions: 0,
  ids: 0,
  runs: 0,
  ownWrites: 0,
  audit: 0,
  gaps: 0,
  intents: 0,
  files: 0,
  samples: 0,
  bulkJobs: 0,
  lookups: 0,
  authorizations: 0,
  sessions: 0,
  usage: 0,
  unclaimed: 0,
  more: false,
}

type SendingRun = ShownRun & { row: () => Run }
type LateEntry = Pick<AuditEntry, 'tenant' | 'at'> & { entry: () => AuditEntry }

/** A database in memory, created at the first statement. */
const lazySqlite = () => {
  let opened: Sqlite | undefined
  const sqlite = (): Sqlite => {
    if (!opened) {
      opened = openSqlite(':memory:')
      migrate(opened, migrations, () => {})
    }
    return opened
  }
  const lazy: Sqlite = {
    run: (sql, params) => sqlite().run(sql, params),
    each: (sql) => sqlite().each(sql),
    script: (sql) => sqlite().script(sql),
    inTransaction: () => sqlite().inTransaction(),
    copyTo: (file) => sqlite().copyTo(file),
    close: () => opened?.close(),
  }
  return { lazy, isOpen: () => opened !== undefined }
}

/**
 * Runs that are being sent, each at its `place`. No map: the engine keeps former tables of a map, and with them whole runs that have ended, until
 * its next full collection.
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

/** What makes each of these parts. */
const laterOf = <T extends object>(parts: T) =>
  Object.fromEntries(Object.keys(parts).map((name) => [name, () => parts[name as keyof T]])) as { [Name in keyof T]: () => T[Name] }

/**
 * The store for library use; nothing survives the process. It runs the statements of the embedded store on a database in memory, created only
 * when needed: creating the tables would take 6 ms of a cold start, and writing rows with every run 40 % more CPU per step. So tenants and
 * connections, which every process has, are maps, and rows of runs and of the audit log are written when somebody reads them.
 */
export const createMemoryStore = (): Store => {
  const instance = randomBytes(12).toString('hex')
  const { lazy, isOpen } = lazySqlite()
  const { db, drain, close } = createCommitter(lazy, { refusal: () => undefined, log: () => {} })
  const { groups, settled, trimAudit } = groupsIn(db)
  const tenants = tenantsInMemory()
  const { connections, matches } = connectionsInMemory(async (notices) => {
    // Without a database there is no target.
    if (isOpen()) await groups.notifications.add(notices)
  })

  const newRuns = createBacklog<Run>(async (tenant, rows) => {
    await Promise.all(rows.map((run) => groups.runs.record(run)))
    await trimRuns(db, tenant, 2 * keptRows)
  })
  const sending = createSendingRuns()
  /** A row that somebody may read while the run goes on; that of its end takes its place. */
  const addSending = () => {
    for (const { row } of sending.runs) newRuns.add({ ...row(), state: 'sending' })
  }
  const withSending =
    <A extends unknown[], R>(read: (...given: A) => Promise<R>) =>
    (...given: A): Promise<R> => {
      addSending()
      return newRuns.before(read)(...given)
    }
  const newEntries = createBacklog<LateEntry>(async (tenant, entries) => {
    await Promise.all(entries.map(({ entry }) => groups.audit.append(entry())))
    await trimAudit(tenant, 2 * keptRows)
  })

  return lazily<Store>({
    ...laterOf(groups),
    instance: () => async () => instance,
    tenants: () => tenants,
    connections: () => connections,
    matches: () => matches,
    runs: () => ({
      showSending: sending.show,
      record: (run, { notices = [], settles, endsShown } = {}) => {
        if (endsShown) sending.end(endsShown)
        newRuns.add(run)
        if (settles) return groups.credits.settle(settles)
        return notices.length > 0 && isOpen() ? groups.notifications.add(notices) : done
      },
      // No earlier process can have left any.
      cutOff: async () => [],
      get: withSending(groups.runs.get),
      list: withSending(groups.runs.list),
      usage: newRuns.before(groups.runs.usage),
    }),
    // What was never stored need not be looked for.
    lookups: () => ({ ...groups.lookups, find: async (...given) => (isOpen() ? groups.lookups.find(...given) : []) }),
    suppressions: () => ({ ...groups.suppressions, any: async (tenant) => isOpen() && groups.suppressions.any(tenant) }),
    subscriptions: () => ({ ...groups.subscriptions, any: async () => isOpen() && groups.subscriptions.any() }),
    personal: () => ({
      rows: newRuns.before(groups.personal.rows),
      erase: groups.personal.erase,
      plainKeys: async (...given) => (isOpen() ? groups.personal.plainKeys(...given) : []),
      replaceKey: groups.personal.replaceKey,
      purge: async () => 0,
    }),
    intents: () => ({ ...groups.intents, open: async (of) => (isOpen() ? groups.intents.open(of) : []) }),
    audit: () => ({
      append: (entry) => {
        newEntries.add({ tenant: entry.tenant, at: entry.at, entry: () => entry })
        return done
      },
      appendLate: (tenant, at, entry) => newEntries.add({ tenant, at, entry }),
      list: newEntries.before(groups.audit.list),
      verify: newEntries.before(groups.audit.verify),
      head: newEntries.before(groups.audit.head),
      // Signatures protect a database file from changes by others; here there is none.
      signWith: async () => {},
    }),
    sealed: () => ({
      all: async () => {
        const rows = (await connections.all()).filter(({ secrets }) => Object.keys(secrets).length > 0)
        const ofConnections = rows.map(({ tenant, id, secrets }) => ({ kind: 'connection' as const, tenant, id, sealed: secrets }))
        return isOpen() ? [...ofConnections, ...(await groups.sealed.all())] : ofConnections
      },
      outcomes: async (...given) => (isOpen() ? groups.sealed.outcomes(...given) : []),
      replace: async (row, by) => {
        if (row.kind !== 'connection') return groups.sealed.replace(row, by)
        const present = await connections.get(row.tenant, row.id)
        return JSON.stringify(present?.secrets) === JSON.stringify(row.sealed) && connections.patch(row.tenant, row.id, { secrets: by })
      },
    }),
    prune: () => async (retention) => {
      if (newRuns.some(({ createdAt }) => createdAt < retention.runs)) await newRuns.settle()
      if (newEntries.some(({ at }) => at < retention.audit)) await newEntries.settle()
      return isOpen() ? groups.prune(retention) : nothingPruned
    },
    backup: () => async () => {
      throw fail('invalid_input', 'This process keeps its data in memory only, so there is nothing to back up; start it with a data directory.')
    },
    flush: () => async () => {
      drain()
      await settled()
    },
    check: () => async () => {},
    close: () => async () => {
      await settled()
      close()
      lazy.close()
    },
  })
}
