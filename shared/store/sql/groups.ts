import { randomBytes, randomInt } from 'node:crypto'
import type { Store } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import { lazyObject } from '../lazy-object.ts'
import { approvalRulesIn, approvalsIn } from './approvals.ts'
import { auditIn, trimAudit } from './audit.ts'
import { bulkJobsIn } from './bulk-jobs.ts'
import { authorizationsIn } from './authorizations.ts'
import { appsIn, connectionsIn, matchesIn } from './connections.ts'
import { cursorsIn, eventsIn, gapsIn, ingestInto, pollsIn, timersIn, timestampsIn, undecodableIn } from './intake.ts'
import type { MatchGuard } from './intake.ts'
import { budgetsIn } from './budgets.ts'
import { creditsIn } from './credits.ts'
import { filesIn } from './files.ts'
import { lookupRatesIn } from './lookup-rates.ts'
import { lookupsIn, tenantKeysIn } from './lookups.ts'
import { namesIn } from './names.ts'
import { notificationsIn } from './notifications.ts'
import { grantsIn, oauthByDefaultIn, oauthClientsIn } from './oauth.ts'
import { ownWritesIn } from './own-writes.ts'
import { peopleListsIn } from './people-lists.ts'
import { peopleIn } from './people.ts'
import { personalIn, suppressionsIn } from './privacy.ts'
import { pruneIn } from './prune.ts'
import { runContentsIn } from './run-contents.ts'
import { intentsIn, runsIn } from './runs.ts'
import { samplesIn } from './samples.ts'
import { sealedIn } from './sealed.ts'
import { sessionsIn, signInCodesIn } from './sessions.ts'
import { loadOf, startsIn } from './starts.ts'
import { hooksIn, subscriptionsIn } from './subscriptions.ts'
import { tallyIn } from './tally.ts'
import { tenantsIn, tokensIn } from './tenants.ts'
import { unclaimedIn } from './unclaimed.ts'

/** The parts of a store that consist of SQL statements. The other parts open, check, copy and close the database. */
export type Groups = Omit<Store, 'backup' | 'flush' | 'check' | 'close' | 'personal' | 'vitals'> & {
  personal: Omit<Store['personal'], 'purge'>
}

/** The id of a store, created once. */
export const instanceSql = {
  read: `select value from meta where name = 'instance'`,
  insert: `insert into meta (name, value) values ('instance', ?) on conflict (name) do nothing`,
  newId: () => randomBytes(12).toString('hex'),
}

const instanceIn = (db: Db): Store['instance'] => {
  const { read, insert, newId } = instanceSql
  return async () => {
    const [row] = await db.read(read, [])
    if (row) return String(row['value'])
    const [, created] = await db.write([
      { sql: insert, params: [newId()] },
      { sql: read, params: [] },
    ])
    return String(created!.rows[0]!['value'])
  }
}

const keyringIn = (db: Db): Store['keyring'] => ({
  get: async () =>
    (await db.read(`select value from meta where name = 'keyring'`, [])).map((row) => String(row['value']))[0],
  putFirst: async (text) => {
    const [, present] = await db.write([
      { sql: `insert into meta (name, value) values ('keyring', ?) on conflict (name) do nothing`, params: [text] },
      { sql: `select value from meta where name = 'keyring'`, params: [] },
    ])
    return String(present!.rows[0]!['value'])
  },
  put: async (text) => {
    const sql = `insert into meta (name, value) values ('keyring', ?) on conflict (name) do update set value = excluded.value`
    await db.write([{ sql, params: [text] }])
  },
})

/** Number of shards of the usage totals, so that few nodes add to the same row. */
const shards = 64

/**
 * `settled` resolves when every row of a run or of the audit log added so far is written or refused. `trimAudit`
 * deletes all but the newest `rows` rows of a tenant.
 */
export const groupsIn = (
  db: Db,
  guard?: MatchGuard,
): { groups: Groups; settled(): Promise<void>; trimAudit(tenant: string, rows: number): Promise<void> } => {
  const { audit, settled, anchorTo } = auditIn(db)
  const { runs, settled: runsSettled, settleSending } = runsIn(db, db.isShared ? randomInt(shards) : 0)
  const prune = pruneIn(db, anchorTo)
  return {
    groups: lazyObject<Groups>({
      instance: () => instanceIn(db),
      keyring: () => keyringIn(db),
      tenants: () => tenantsIn(db),
      tokens: () => tokensIn(db),
      signInCodes: () => signInCodesIn(db),
      sessions: () => sessionsIn(db),
      apps: () => appsIn(db),
      connections: () => connectionsIn(db),
      matches: () => matchesIn(db),
      authorizations: () => authorizationsIn(db),
      people: () => peopleIn(db),
      peopleLists: () => peopleListsIn(db),
      oauthClients: () => oauthClientsIn(db),
      grants: () => grantsIn(db),
      oauthByDefault: () => oauthByDefaultIn(db),
      approvalRules: () => approvalRulesIn(db),
      approvals: () => approvalsIn(db),
      runs: () => runs,
      runContents: () => runContentsIn(db),
      intents: () => intentsIn(db),
      budgets: () => budgetsIn(db),
      credits: () => creditsIn(db),
      files: () => filesIn(db),
      bulkJobs: () => bulkJobsIn(db),
      samples: () => samplesIn(db),
      lookups: () => lookupsIn(db),
      lookupRates: () => lookupRatesIn(db),
      names: () => namesIn(db),
      tenantKeys: () => tenantKeysIn(db),
      suppressions: () => suppressionsIn(db),
      personal: () => personalIn(db),
      subscriptions: () => subscriptionsIn(db),
      hooks: () => hooksIn(db),
      ingest: () => ingestInto(db, guard),
      events: () => eventsIn(db, guard),
      undecodable: () => undecodableIn(db),
      unclaimed: () => unclaimedIn(db),
      starts: () => startsIn(db),
      cursors: () => cursorsIn(db),
      gaps: () => gapsIn(db),
      polls: () => pollsIn(db),
      timers: () => timersIn(db),
      timestamps: () => timestampsIn(db),
      load: () => loadOf(db),
      tally: () => tallyIn(db),
      ownWrites: () => ownWritesIn(db),
      notifications: () => notificationsIn(db),
      audit: () => audit,
      sealed: () => sealedIn(db),
      prune: () => async (retention) => {
        // The batch row of a run that has ended must not outlive the run's own row.
        await settleSending()
        return prune(retention)
      },
    }),
    settled: async () => void (await Promise.all([settled(), runsSettled()])),
    trimAudit: (tenant, rows) => trimAudit(db, tenant, rows, anchorTo),
  }
}
