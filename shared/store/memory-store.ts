import { randomBytes } from 'node:crypto'
import { fail } from '#kit'
import type { SealedRow, Store } from '../runtime/ports/index.ts'
import { createCommitter } from './commit.ts'
import { appsInMemory, connectionsInMemory, tenantsInMemory, tokensInMemory } from './memory/accounts.ts'
import { intentsInMemory, runsInMemory } from './memory/runs.ts'
import { auditInMemory, ownWritesInMemory } from './memory/trails.ts'
import { migrate, migrations } from './migrations.ts'
import { triggerGroups } from './sql/groups.ts'
import { pruneIn } from './sql/prune.ts'
import { sealedIn } from './sql/sealed.ts'
import { openSqlite } from './sqlite.ts'

/**
 * The store of library use; nothing survives the process. What a step run touches is plain Maps, whose rows are shared, so neither side
 * changes one in place. Triggers, whose worth is in their constraints, use the SQL of the embedded store over a database in memory,
 * opened when first asked for.
 */
export const createMemoryStore = (_options: { now(): number }): Store => {
  const instance = randomBytes(12).toString('hex')
  const [apps, connections, runs, intents] = [appsInMemory(), connectionsInMemory(), runsInMemory(), intentsInMemory()]
  const [ownWrites, audit] = [ownWritesInMemory(), auditInMemory()]
  let opened: ReturnType<typeof openInMemory> | undefined
  let keyring: string | undefined
  const triggers = () => (opened ??= openInMemory()).groups

  const sealed: Store['sealed'] = {
    all: async () => {
      const rows: SealedRow[] = [
        ...(await connections.all()).map(({ tenant, id, secrets }) => ({ kind: 'connection' as const, tenant, id, sealed: secrets })),
        ...(await apps.all()).map(({ tenant, integration, secrets }) => ({ kind: 'app' as const, tenant, id: integration, sealed: secrets })),
        ...(opened ? await opened.sealed.all() : []),
      ]
      return rows.filter((row) => Object.keys(row.sealed).length > 0)
    },
    // Nothing of them survives the process, nor does a key that would be rotated for their sake.
    outcomes: async () => [],
    replace: async (row, by) => {
      if (row.kind === 'connection') {
        const present = await connections.get(row.tenant, row.id)
        return JSON.stringify(present?.secrets) === JSON.stringify(row.sealed) && connections.patch(row.tenant, row.id, { secrets: by })
      }
      if (row.kind === 'app') {
        const present = await apps.get(row.tenant, row.id)
        if (!present || JSON.stringify(present.secrets) !== JSON.stringify(row.sealed)) return false
        await apps.put({ ...present, secrets: by })
        return true
      }
      return opened ? opened.sealed.replace(row, by) : false
    },
  }

  return {
    instance: async () => instance,
    keyring: { get: async () => keyring, put: async (text) => void (keyring = text) },
    tenants: tenantsInMemory(),
    tokens: tokensInMemory(),
    apps,
    connections,
    runs,
    intents,
    ownWrites,
    audit,
    sealed,
    get subscriptions() {
      return triggers().subscriptions
    },
    get hooks() {
      return triggers().hooks
    },
    get events() {
      return triggers().events
    },
    get undecodable() {
      return triggers().undecodable
    },
    get starts() {
      return triggers().starts
    },
    get cursors() {
      return triggers().cursors
    },
    get gaps() {
      return triggers().gaps
    },
    get polls() {
      return triggers().polls
    },
    get marks() {
      return triggers().marks
    },
    get timers() {
      return triggers().timers
    },
    get authorizations() {
      return triggers().authorizations
    },
    ingest: (arrival) => triggers().ingest(arrival),
    load: () => triggers().load(),
    prune: async (retention) => {
      const counts = opened ? await opened.prune(retention) : nothingPruned
      return {
        ...counts,
        runs: runs.prune(retention.runs),
        intents: await intents.prune(retention.now),
        ownWrites: ownWrites.prune(retention.ownWrites),
        audit: audit.prune(retention.audit),
      }
    },
    backup: async () => {
      throw fail('invalid_input', 'This process keeps its data in memory only, so there is nothing to back up; start it with a data directory.')
    },
    flush: async () => opened?.drain(),
    check: async () => {},
    close: async () => opened?.close(),
  }
}

const nothingPruned = { payloads: 0, starts: 0, subscriptions: 0, ids: 0, gaps: 0, authorizations: 0, more: false }

const openInMemory = () => {
  const sqlite = openSqlite(':memory:')
  migrate(sqlite, migrations, () => {})
  const { db, drain, close } = createCommitter(sqlite, { refusal: () => undefined, log: () => {} })
  return {
    groups: triggerGroups(db),
    sealed: sealedIn(db),
    prune: pruneIn(db),
    drain,
    close: () => {
      close()
      sqlite.close()
    },
  }
}
