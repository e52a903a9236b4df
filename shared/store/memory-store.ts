import { randomBytes } from 'node:crypto'
import { fail } from '#kit'
import type { Pruned, Store } from '../runtime/ports/index.ts'
import { createCommitter } from './commit.ts'
import { connectionsInMemory, sealedInMemory, tenantsInMemory } from './memory/connections.ts'
import { createLateNames } from './memory/late-names.ts'
import { createLateAudit, createLateRuns } from './memory/late-rows.ts'
import { lazyObject } from './lazy-object.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations.ts'
import { groupsIn } from './sql/groups.ts'
import { openSqlite } from './sqlite.ts'
import type { Sqlite } from './sqlite.ts'

const nothingPruned: Pruned = {
  payloads: 0,
  starts: 0,
  subscriptions: 0,
  ids: 0,
  runs: 0,
  approvals: 0,
  ownWrites: 0,
  audit: 0,
  gaps: 0,
  intents: 0,
  files: 0,
  samples: 0,
  peopleLists: 0,
  runContents: 0,
  bulkJobs: 0,
  lookups: 0,
  rates: 0,
  authorizations: 0,
  sessions: 0,
  usage: 0,
  unclaimed: 0,
  names: 0,
  more: false,
}

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

const countsBy = <T>(rows: readonly T[], nameOf: (row: T) => string): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const row of rows) counts[nameOf(row)] = (counts[nameOf(row)] ?? 0) + 1
  return counts
}

/** For each group, a function that returns it: a group is made when it is first read. */
const makersOf = <T extends object>(groups: T) =>
  Object.fromEntries(Object.keys(groups).map((name) => [name, () => groups[name as keyof T]])) as {
    [Name in keyof T]: () => T[Name]
  }

/**
 * The store for library use; nothing survives the process. It runs the statements of the embedded store on a database
 * in memory, created only when needed: creating the tables would take 6 ms of a cold start, and writing rows with every
 * run 40 % more CPU per step. So tenants and connections, which every process has, are maps, and rows of runs and of
 * the audit log are written when somebody reads them.
 */
export const createMemoryStore = (): Store => {
  const instance = randomBytes(12).toString('hex')
  const { lazy, isOpen } = lazySqlite()
  const { db, drain, close, counts } = createCommitter(lazy, { refusal: () => undefined, log: () => {} })
  const { groups, settled, trimAudit } = groupsIn(db)
  const tenants = tenantsInMemory()
  const { connections, matches } = connectionsInMemory(async (notices) => {
    // Without a database there is no notification target.
    if (isOpen()) await groups.notifications.add(notices)
  })

  const runs = createLateRuns(db, groups, isOpen)
  const audit = createLateAudit(groups, trimAudit)
  const names = createLateNames(groups, isOpen)

  return lazyObject<Store>({
    ...makersOf(groups),
    instance: () => async () => instance,
    tenants: () => tenants,
    connections: () => connections,
    matches: () => matches,
    runs: runs.group,
    names: names.group,
    // Without a database nothing was stored, so none is created just to search it.
    lookups: () => ({ ...groups.lookups, find: async (...keys) => (isOpen() ? groups.lookups.find(...keys) : []) }),
    lookupRates: () => ({
      ...groups.lookupRates,
      find: async (...query) => (isOpen() ? groups.lookupRates.find(...query) : []),
    }),
    // A run asks whether there are rules, and time goes on; neither is a reason to create a database.
    approvalRules: () => ({
      ...groups.approvalRules,
      list: async (tenant) => (isOpen() ? groups.approvalRules.list(tenant) : []),
    }),
    approvals: () => ({
      ...groups.approvals,
      byIdentity: async (...key) => (isOpen() ? groups.approvals.byIdentity(...key) : undefined),
      due: async (...query) => (isOpen() ? groups.approvals.due(...query) : []),
      tenants: async () => (isOpen() ? groups.approvals.tenants() : []),
    }),
    runContents: () => ({
      ...groups.runContents,
      get: async (...key) => (isOpen() ? groups.runContents.get(...key) : undefined),
    }),
    suppressions: () => ({
      ...groups.suppressions,
      any: async (tenant) => isOpen() && groups.suppressions.any(tenant),
    }),
    subscriptions: () => ({ ...groups.subscriptions, any: async () => isOpen() && groups.subscriptions.any() }),
    personal: () => ({
      rows: runs.backlog.before(names.backlog.before(groups.personal.rows)),
      erase: groups.personal.erase,
      plainKeys: async (...query) => (isOpen() ? groups.personal.plainKeys(...query) : []),
      replaceKey: groups.personal.replaceKey,
      purge: async () => 0,
    }),
    // A pack in memory is a library's, which says itself whether people may let clients in.
    oauthByDefault: () => ({ get: async () => false, set: async () => {} }),
    intents: () => ({ ...groups.intents, open: async (of) => (isOpen() ? groups.intents.open(of) : []) }),
    audit: audit.group,
    sealed: () => {
      const sealed = sealedInMemory(connections, groups, isOpen)
      return {
        ...sealed,
        paged: async (...query) => {
          await names.settle()
          return sealed.paged(...query)
        },
      }
    },
    prune: () => async (retention) => {
      if (runs.backlog.some(({ createdAt }) => createdAt < retention.runs)) await runs.backlog.settle()
      if (audit.backlog.some(({ at }) => at < retention.audit)) await audit.backlog.settle()
      if (isOpen()) await names.backlog.settle()
      return isOpen() ? groups.prune(retention) : nothingPruned
    },
    vitals: () => () => ({ ...counts, leasesLost: 0, freeBytes: null, pool: null }),
    tally: () => async (at) => ({
      ...(await groups.tally(at)),
      connections: countsBy(await connections.all(), ({ state }) => state),
    }),
    backup: () => async () => {
      throw fail(
        'invalid_input',
        'This process keeps its data in memory only, so there is nothing to back up; start it with a data directory.',
      )
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
