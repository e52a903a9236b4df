import { randomBytes } from 'node:crypto'
import type { Store } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import { auditIn, trimAudit } from './audit.ts'
import { authorizationsIn } from './authorizations.ts'
import { appsIn, connectionsIn, matchesIn } from './connections.ts'
import { cursorsIn, eventsIn, gapsIn, ingestInto, pollsIn, timersIn, timestampsIn, undecodableIn } from './intake.ts'
import { filesIn } from './files.ts'
import { notificationsIn } from './notifications.ts'
import { ownWritesIn } from './own-writes.ts'
import { pruneIn } from './prune.ts'
import { intentsIn, runsIn } from './runs.ts'
import { samplesIn } from './samples.ts'
import { sealedIn } from './sealed.ts'
import { sessionsIn, signInCodesIn } from './sessions.ts'
import { loadOf, startsIn } from './starts.ts'
import { hooksIn, subscriptionsIn } from './subscriptions.ts'
import { tenantsIn, tokensIn } from './tenants.ts'

/** The parts of a store that consist of SQL statements. The rest opens, checks, copies and closes the database. */
export type Groups = Omit<Store, 'backup' | 'flush' | 'check' | 'close'>

const instanceIn = (db: Db): Store['instance'] => {
  const present = `select value from meta where name = 'instance'`
  const insert = `insert into meta (name, value) values ('instance', ?) on conflict (name) do nothing`
  return async () => {
    const [known] = await db.read(present, [])
    if (known) return String(known['value'])
    const [, created] = await db.write([
      { sql: insert, params: [randomBytes(12).toString('hex')] },
      { sql: present, params: [] },
    ])
    return String(created!.rows[0]!['value'])
  }
}

const keyringIn = (db: Db): Store['keyring'] => ({
  get: async () => (await db.read(`select value from meta where name = 'keyring'`, [])).map((row) => String(row['value']))[0],
  put: async (text) => {
    const sql = `insert into meta (name, value) values ('keyring', ?) on conflict (name) do update set value = excluded.value`
    await db.write([{ sql, params: [text] }])
  },
})

/** `settled` resolves when every audit row appended so far is written or refused. `trimAudit` deletes all but the newest rows of a tenant. */
export const groupsIn = (db: Db): { groups: Groups; settled(): Promise<void>; trimAudit(tenant: string, rows: number): Promise<void> } => {
  const { audit, settled, anchorTo } = auditIn(db)
  return {
    groups: {
      instance: instanceIn(db),
      keyring: keyringIn(db),
      tenants: tenantsIn(db),
      tokens: tokensIn(db),
      signInCodes: signInCodesIn(db),
      sessions: sessionsIn(db),
      apps: appsIn(db),
      connections: connectionsIn(db),
      matches: matchesIn(db),
      authorizations: authorizationsIn(db),
      runs: runsIn(db),
      intents: intentsIn(db),
      files: filesIn(db),
      samples: samplesIn(db),
      subscriptions: subscriptionsIn(db),
      hooks: hooksIn(db),
      ingest: ingestInto(db),
      events: eventsIn(db),
      undecodable: undecodableIn(db),
      starts: startsIn(db),
      cursors: cursorsIn(db),
      gaps: gapsIn(db),
      polls: pollsIn(db),
      timers: timersIn(db),
      timestamps: timestampsIn(db),
      load: loadOf(db),
      ownWrites: ownWritesIn(db),
      notifications: notificationsIn(db),
      audit,
      sealed: sealedIn(db),
      prune: pruneIn(db, anchorTo),
    },
    settled,
    trimAudit: (tenant, rows) => trimAudit(db, tenant, rows, anchorTo),
  }
}
