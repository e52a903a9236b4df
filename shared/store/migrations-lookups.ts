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
