/** `hash`: a keyed hash of an identifier. */
export const suppressions = `
create table suppressions (
  tenant text not null, hash text not null, kind text not null, source text not null, created_at integer not null,
  primary key (tenant, hash)
) strict;
create index suppressions_newest on suppressions (tenant, created_at, hash);
`
