/**
 * `lookup_entries`: sealed results of lookups. `lookup_keys`, `lookup_persons`: keyed hashes by which an entry is
 * found. `tenant_keys`: the sealed key of those hashes.
 */
export const lookups = `
create table tenant_keys (tenant text primary key, secrets text not null) strict;
create table lookup_entries (
  tenant text not null, id text not null, connection text not null, integration text not null, endpoint text not null, matched integer not null,
  at integer not null, expires_at integer not null, content blob not null,
  primary key (tenant, id)
) strict;
create index lookup_entries_age on lookup_entries (tenant, at);
create index lookup_entries_of_connection on lookup_entries (tenant, connection);
create index lookup_entries_expiry on lookup_entries (expires_at);
create table lookup_keys (tenant text not null, key text not null, entry text not null, primary key (tenant, key)) strict, without rowid;
create index lookup_keys_of_entry on lookup_keys (tenant, entry);
create table lookup_persons (
  tenant text not null, person text not null, entry text not null, primary key (tenant, person, entry)
) strict, without rowid;
create index lookup_persons_of_entry on lookup_persons (tenant, entry);
`

/** When each rate was last counted, so that old rates can be removed. Existing rates get the time of the newest run. */
export const lookupRateTimes = `
alter table lookup_rates add column counted_at integer not null default 0;
update lookup_rates set counted_at = coalesce((select max(created_at) from runs), 0);
create index lookup_rates_age on lookup_rates (counted_at);
`

/** Counts of what providers gave, see `LookupRate`. No person can be told from them. */
export const lookupRates = `
create table lookup_rates (
  tenant text not null, kind text not null, segment text not null, provider text not null, turn text not null, field text not null,
  asked real not null, filled real not null, credits real not null, age_days real not null, aged real not null,
  primary key (tenant, kind, segment, provider, turn, field)
) strict;
`
