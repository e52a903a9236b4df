import { fail } from '#kit'
import type { Log } from '../../runtime/ports/index.ts'
import { migrations } from '../migrations.ts'
import type { Migration } from '../migrations.ts'
import { lockTimeout, schema } from './connection.ts'
import { changesTable, changesTriggers } from './changes-schema.ts'
import type { Connection, Connections } from './connection.ts'
import { slotDefinitions } from './slots.ts'
import { definitionIn } from './text.ts'

const oldestServer = 150_000
/** Advisory lock: one process at a time upgrades the schema. */
const lock = 7_205_759_403

/** Functions of SQLite that statements use. `require_lease` refuses the writes of a process that has lost its lease. */
const functions = `
create or replace function json_remove(document text, path text) returns text language sql immutable as
  $$ select (document::jsonb - ltrim(path, '$.'))::text $$;
create or replace function instr(whole text, part text) returns integer language sql immutable as $$ select strpos(whole, part) $$;
create or replace function require_lease(wanted text, mine bigint) returns integer language plpgsql as $$
begin
  perform 1 from leases where name = wanted and epoch = mine for share;
  if not found then raise exception 'lease lost' using errcode = 'TY001'; end if;
  return 1;
end $$;
`

/**
 * Tables needed only when several processes share a store. `until_at`: by the clock of the database
 * (`clock_timestamp()`).
 */
const ofNodes = `
create table if not exists definitions (name text primary key, version integer not null);
create sequence if not exists lease_epochs;
create table if not exists leases (name text collate "C" primary key, node text not null, epoch bigint not null, until_at timestamptz not null);
create table if not exists nodes (
  node text collate "C" primary key, started_at timestamptz not null, seen_at timestamptz not null, version text not null, schema integer not null,
  has_caught_up boolean not null default false
);
${changesTable}`

/**
 * `node`: the process that began a run or last claimed the row. A process sets its name on its connections, see
 * `openConnections`.
 */
const ownership = `
do $$ begin
  if not exists (select 1 from information_schema.columns where table_schema = '${schema}' and table_name = 'events' and column_name = 'node') then
    alter table runs add column node text;
    alter table runs alter column node set default current_setting('toolyard.node', true);
    alter table intents add column node text;
    alter table starts add column node text;
    alter table events add column node text;
    create function note_node() returns trigger language plpgsql as
      'begin new.node := current_setting(''toolyard.node'', true); return new; end';
    create trigger noted_node before insert or update of run_id on intents for each row execute function note_node();
    create trigger noted_node before update of lease_epoch on starts for each row execute function note_node();
    create trigger noted_node before update of attempts on events for each row execute function note_node();
  end if;
end $$;
`

/**
 * The clock that leases and due times are compared with, and how far the clocks of the nodes' machines are ahead of it.
 */
const clocks = `
create or replace function now_ms() returns bigint language sql volatile as
  $$ select floor(extract(epoch from clock_timestamp()) * 1000)::bigint $$;
alter table nodes add column if not exists clock_ahead_ms bigint;
`

/**
 * Queues with open starts after one of them, and when the first start of each is due; a row of nulls means that there
 * are no more. Each is one step in the index of queues. Without `enable_sort`, since a database that has counted its
 * open starts while there were none prefers to read and sort all of them, for each queue.
 */
const queues = `
create or replace function open_queues(after_tenant text, after_subscription text, most bigint)
returns table (tenant text, subscription text, due_at bigint) language plpgsql stable set enable_sort to off as $$
begin
  for n in 1..most loop
    if after_subscription is null then
      select s.tenant, s.subscription, s.due_at into tenant, subscription, due_at from starts s
        where s.state in ('pending', 'leased') and s.tenant > after_tenant
        order by s.tenant, s.subscription, s.due_at limit 1;
    else
      select s.tenant, s.subscription, s.due_at into tenant, subscription, due_at from starts s
        where s.state in ('pending', 'leased') and (s.tenant, s.subscription) > (after_tenant, after_subscription)
        order by s.tenant, s.subscription, s.due_at limit 1;
    end if;
    return next;
    exit when tenant is null;
    after_tenant := tenant;
    after_subscription := subscription;
  end loop;
end $$;
`

/**
 * Functions and triggers, each with a version that is incremented when its text changes. A database is only upgraded,
 * so an older process leaves newer definitions alone. A function that is called keeps its name and parameters while
 * older processes may run. Created after the tables, in this order.
 */
const definitions: { name: string; version: number; text: string }[] = [
  { name: 'functions', version: 1, text: functions },
  { name: 'clocks', version: 1, text: clocks },
  { name: 'slots', version: 4, text: slotDefinitions },
  { name: 'changes', version: 2, text: changesTriggers },
  { name: 'ownership', version: 1, text: ownership },
  { name: 'queues', version: 1, text: queues },
]

type Run = Connection['script']

/** All of a script or nothing; the connection is usable afterwards in both cases. */
const inTransaction = async (run: Run, script: string, ms?: number): Promise<void> => {
  try {
    await run(`begin; ${script} commit`, ms)
  } catch (error) {
    await run('rollback')
    throw error
  }
}

const define = async (run: Run): Promise<void> => {
  const [result] = await run('select name, version from definitions')
  const present = new Map(result!.rows.map((row) => [String(row['name']), Number(row['version'])]))
  for (const { name, version, text } of definitions) {
    if ((present.get(name) ?? 0) >= version) continue
    await inTransaction(
      run,
      `${text}
      insert into definitions (name, version) values ('${name}', ${version}) on conflict (name) do update set version = excluded.version;`,
    )
  }
}

type Applied = { id: number; name: string; additive: boolean }

const appliedIn = async (run: Run): Promise<Applied[]> => {
  await run(`create schema if not exists ${schema}; set search_path to ${schema};
    create table if not exists migrations (id integer primary key, name text not null, additive boolean not null, at timestamptz not null default now())`)
  const [result] = await run(
    'select id, name, case when additive then 1 else 0 end as additive from migrations order by id',
  )
  return result!.rows.map((row) => ({
    id: Number(row['id']),
    name: String(row['name']),
    additive: Number(row['additive']) === 1,
  }))
}

const requireServer = async (run: Run): Promise<void> => {
  const [result] = await run(
    `select current_setting('server_version_num')::integer as version, current_setting('server_encoding') as encoding`,
  )
  const { version, encoding } = result!.rows[0] as { version: number; encoding: string }
  if (version < oldestServer)
    throw fail(
      'unavailable',
      `The database is PostgreSQL ${Math.floor(version / 10_000)}; version 15 or newer is needed. Give another DATABASE_URL.`,
    )
  if (encoding !== 'UTF8')
    throw fail('unavailable', `The database has the encoding ${encoding}; create one with the encoding UTF8.`)
}

/** For a migration that may change every row, in ms. Nobody waits for it: no process of the former version runs. */
const longMs = 3_600_000

const apply = async (run: Run, { id, name, sql, postgres, additive }: Migration): Promise<void> => {
  const before = additive ? '' : `set local statement_timeout to ${longMs};`
  await inTransaction(
    run,
    `${before} ${postgres ?? definitionIn(sql)}
      insert into migrations (id, name, additive) values (${id}, '${name.replaceAll("'", "''")}', ${additive ? 'true' : 'false'});`,
    additive ? undefined : longMs,
  )
}

/**
 * Upgrades the schema to this version, one process at a time. A new database gets everything, and additive migrations
 * are applied while older processes run. Any other migration needs `all`, since no process of the previous version may
 * run then.
 * @throws Failure `unavailable` if this version cannot work with the database, naming the remedy
 */
export const migratePostgres = async (
  connections: Connections,
  log: Log,
  { all = false, knownMigrations = migrations }: { all?: boolean; knownMigrations?: readonly Migration[] } = {},
) =>
  connections.use(async ({ script: run }) => {
    await requireServer(run)
    // Another process may be upgrading the schema.
    await run(`set lock_timeout to '60s'; select pg_advisory_lock(${lock}); set lock_timeout to '${lockTimeout}'`)
    try {
      const applied = await appliedIn(run)
      const newer = applied.filter(({ id }) => !knownMigrations.some((migration) => migration.id === id))
      if (newer.some(({ additive }) => !additive))
        throw fail(
          'unavailable',
          `The database was written by a newer version (schema ${applied.at(-1)!.id}, this one knows ${knownMigrations.at(-1)!.id}). Start that version.`,
        )
      const missing = knownMigrations.filter(({ id }) => !applied.some((migration) => migration.id === id))
      if (applied.length > 0 && !all && missing.some(({ additive }) => !additive))
        throw fail(
          'unavailable',
          `The database needs an upgrade that older processes do not work with (schema ${applied.at(-1)!.id} to ${knownMigrations.at(-1)!.id}). Stop every process that uses it, then run toolyard migrate.`,
        )
      await run(ofNodes)
      for (const migration of missing) await apply(run, migration)
      if (missing.length > 0) log('info', 'store.migrated', { from: applied.at(-1)?.id ?? 0, to: missing.at(-1)!.id })
      await define(run)
      return { applied: missing.map(({ id }) => id), schema: Math.max(...knownMigrations.map(({ id }) => id)) }
    } finally {
      await run(`select pg_advisory_unlock(${lock})`).catch(() => undefined)
    }
  })
