import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { migrate } from '../../shared/store/migrate.ts'
import { migrations } from '../../shared/store/migrations.ts'
import { undivided } from '../../shared/store/postgres/text.ts'
import { openSqlite } from '../../shared/store/sqlite.ts'
import { storeOver } from '../../shared/store/sqlite-store.ts'
import { storeContract } from './contract.ts'
import { makeFolder } from './folder.ts'
import { t0 } from './make.ts'

/**
 * Statements that may cross tenants: each is the process working for itself, or finds the tenant by an unguessable id
 * or hash.
 */
const mayCross = [
  'approvalRules.list',
  'approvals.due',
  'approvals.tenants',
  'apps.all',
  'authorizations.bind',
  'authorizations.choose',
  'authorizations.get',
  'authorizations.save',
  'authorizations.take',
  'connections.all',
  'connections.ofAccounts',
  'events.claimPending',
  'grants.byAccess',
  'grants.byFamily',
  'grants.code',
  'hooks.all',
  'hooks.byId',
  'intents.open',
  'intents.prune',
  'load',
  'personal.plainKeys',
  'polls.all',
  'prune',
  'sealed.all',
  'sealed.paged',
  'sessions.get',
  'signInCodes.take',
  'starts.claim',
  'starts.nextDueAt',
  'starts.queues',
  'subscriptions.all',
  'tally',
  'timers.due',
  'timers.nextDueAt',
  'tokens.byHash',
  'unclaimed.expire',
  'unclaimed.groups',
]

const directory = await makeFolder()
afterAll(() => rm(directory, { recursive: true, force: true }))

const statements = new Set<string>()
const recording = () => {
  const sqlite = openSqlite(join(directory, 'toolyard.db'))
  migrate(sqlite, migrations, () => {})
  return {
    ...sqlite,
    run: (sql: string, params?: Parameters<typeof sqlite.run>[1]) => {
      statements.add(sql)
      return sqlite.run(sql, params)
    },
  }
}
const sqlite = recording()
storeContract('sqlite, statements recorded', async () =>
  storeOver(sqlite, { directory, now: () => t0, onClosed: () => {} }),
)

/** Says what is wrong with a statement; undefined when each tenant table it touches is narrowed to a tenant. */
const problemOf = (sql: string, tenantTables: readonly string[]): string | undefined => {
  const text = sql.toLowerCase().replace(/\s+/g, ' ')
  const crossing = /\/\* every tenant: (\S+) \*\//.exec(sql)?.[1]
  if (crossing)
    return mayCross.includes(crossing)
      ? undefined
      : `"${crossing}" is not on the list of statements that may cross tenants`
  const inserted = /insert into (\w+) \(([^)]*)\)/.exec(text)
  if (inserted && tenantTables.includes(inserted[1]!) && !inserted[2]!.split(', ').includes('tenant'))
    return 'inserts without a tenant'
  const touched = [...text.matchAll(/\b(?:from|join|update) (\w+)/g)].filter(([, name]) =>
    tenantTables.includes(name!),
  ).length
  const narrowed = [...text.matchAll(/\btenant = /g)].length
  return narrowed >= touched ? undefined : `touches ${touched} tenant tables, narrows ${narrowed}`
}

test('every table has a tenant, and every statement on one is narrowed to a tenant', () => {
  const reader = openSqlite(join(directory, 'toolyard.db'), { readOnly: true })
  const tables = reader
    .run(`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`)
    .rows.map((row) => String(row['name']))
  const tenantTables = tables.filter((table) =>
    reader.run(`select name from pragma_table_info('${table}')`).rows.some((row) => row['name'] === 'tenant'),
  )
  reader.close()
  expect(tables.filter((table) => !tenantTables.includes(table)).sort()).toEqual(undivided)
  expect(statements.size).toBeGreaterThan(20)
  const problems = [...statements].flatMap((sql) => problemOf(sql, tenantTables) ?? []).length
  expect(
    [...statements]
      .filter((sql) => problemOf(sql, tenantTables))
      .map((sql) => `${sql}: ${problemOf(sql, tenantTables)}`),
  ).toEqual([])
  expect(problems).toBe(0)
  const crossing = new Set([...statements].flatMap((sql) => /\/\* every tenant: (\S+) \*\//.exec(sql)?.[1] ?? []))
  expect([...crossing].sort()).toEqual(mayCross)
})

test('the check itself refuses what it should', () => {
  const tables = ['runs', 'tokens']
  expect(problemOf('select * from runs where id = ?', tables)).toBeDefined()
  expect(problemOf('update runs set state = ? where id = ?', tables)).toBeDefined()
  expect(problemOf('delete from runs', tables)).toBeDefined()
  expect(problemOf('insert into runs (id, state) values (?, ?)', tables)).toBeDefined()
  expect(problemOf('select * from runs where tenant = ? and id in (select id from tokens)', tables)).toBeDefined()
  expect(problemOf('select * from runs /* every tenant: runs.spy */', tables)).toBeDefined()
  expect(problemOf('select * from runs where tenant = ? and id = ?', tables)).toBeUndefined()
})
