/**
 * `summary`: what happened in words, as JSON. `names`: what things of a connection are called, sealed; `sealed_under`:
 * the master key.
 */
export const sentences = `
alter table events add column summary text;
alter table starts add column summary text;
alter table runs add column summary text;
create table names (
  tenant text not null, connection text not null, kind text not null, id text not null, secrets text not null,
  sealed_under text not null, seen_at integer not null,
  primary key (tenant, connection, kind, id)
) strict;
create index names_newest on names (tenant, connection, seen_at, kind, id);
create index names_age on names (seen_at);
`
