import { fail } from '#kit'
import type { Log } from '../runtime/ports.ts'
import type { Sqlite } from './sqlite.ts'

/** Forward only. A released migration is never edited: a change is a new one at the end. */
export type Migration = { id: number; name: string; sql: string }

const accountsAndRuns = `
create table meta (name text primary key, value text not null) strict;
create table tenants (id text primary key, name text not null, created_at integer not null) strict;
create table tokens (
  tenant text not null, id text not null, name text not null, hash text not null unique, last_4 text not null, scopes text not null,
  steps text, connections text, created_at integer not null, expires_at integer, revoked_at integer,
  primary key (tenant, id)
) strict;
create table apps (
  tenant text not null, integration text not null, key text not null, secrets text not null, hints text not null,
  created_at integer not null, updated_at integer not null,
  primary key (tenant, integration)
) strict;
create table connections (
  tenant text not null, id text not null, integration text not null, type text not null, name text not null,
  state text not null, state_reason text, state_at integer not null, account_id text, account_name text,
  secrets text not null, hints text not null, policy text, external_id text, labels text not null, is_default integer not null,
  created_at integer not null, updated_at integer not null, last_used_at integer,
  primary key (tenant, id)
) strict;
create table runs (
  tenant text not null, id text not null, integration text not null, step text not null, connection text, token text, start_id text,
  effect text not null, state text not null, code text, failure text, attempts integer not null, calls integer not null,
  credits real not null, credits_estimated integer not null, created_at integer not null, duration_ms real not null,
  primary key (tenant, id)
) strict;
create index runs_newest on runs (tenant, created_at, id);
create index runs_of_start on runs (tenant, start_id) where start_id is not null;
create table intents (
  tenant text not null, key text not null, request_hash text not null, run_id text not null, state text not null, outcome text,
  created_at integer not null, expires_at integer not null,
  primary key (tenant, key)
) strict;
create index intents_open on intents (created_at) where state in ('planned', 'sending');
`

export const migrations: readonly Migration[] = [{ id: 1, name: 'accounts and runs', sql: accountsAndRuns }]

/**
 * Brings the schema up to this code, each migration in a transaction of its own together with its version number.
 * @throws Failure `unavailable` when a newer version wrote this database
 */
export const migrate = (db: Sqlite, known: readonly Migration[], log: Log): void => {
  const [row] = db.run('pragma user_version')
  const present = Number(row?.['user_version'])
  const newest = known.at(-1)?.id ?? 0
  if (present > newest) {
    throw fail(
      'unavailable',
      `The data directory was written by a newer version (schema ${present}, this one knows ${newest}). Start that version again, or restore a backup made before the upgrade.`,
    )
  }
  for (const { id, name, sql } of known) {
    if (id <= present) continue
    db.script('begin immediate')
    try {
      db.script(sql)
      db.script(`pragma user_version = ${id}`)
      db.script('commit')
    } catch (error) {
      if (db.inTransaction()) db.script('rollback')
      throw error
    }
    log('info', 'store.migrated', { id, name })
  }
}
