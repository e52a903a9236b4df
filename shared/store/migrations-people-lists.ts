/** Lists of people or companies. `content`: a row, sealed under the key that `secrets` of its list holds. */
export const peopleLists = `
create table people_lists (
  tenant text not null, id text not null, name text not null, owner text not null, kind text not null, state text not null, source text not null,
  column_names text not null, connections text, token text, person text, secrets text not null, created_at integer not null, expires_at integer not null,
  primary key (tenant, id)
) strict;
create index people_lists_newest on people_lists (tenant, created_at, id);
create index people_lists_of_name on people_lists (tenant, name);
create index people_lists_expiry on people_lists (expires_at);
create table people_list_rows (
  tenant text not null, list text not null, at integer not null, checked_at integer, content blob not null,
  primary key (tenant, list, at)
) strict;
`

/**
 * `key`: the idempotency key of the request that made a list, as a digest, with that of the request in `request_hash`;
 * `left_out`: how many of its rows were suppressed.
 */
export const keysOfPeopleLists = `
alter table people_lists add column key text;
alter table people_lists add column request_hash text;
alter table people_lists add column left_out integer;
create unique index people_lists_key on people_lists (tenant, key) where key is not null and state = 'ready';
`
