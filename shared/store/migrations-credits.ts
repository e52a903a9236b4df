/**
 * `slot`: number of the quarter hour since 1970, UTC; in every time zone a day begins with one. `part`: position of a
 * row within its entry, see sql/credits.ts.
 */
export const credits = `
create table budgets (
  tenant text not null, id text not null, scope text not null, subject text, integration text, credits real not null, period text not null,
  time_zone text not null, warn_at real, created_at integer not null, updated_at integer not null, primary key (tenant, id)
) strict;
create table budget_periods (
  tenant text not null, budget text not null, starts_at integer not null, ends_at integer not null, spent real not null, reserved real not null,
  warned integer not null, primary key (tenant, budget, starts_at)
) strict, without rowid;
create table ledger (
  tenant text not null, entry text not null, part integer not null, kind text not null, credits real not null, estimated integer not null,
  at integer not null, entry_at integer not null, job text, connection text, integration text not null, step text not null, token text,
  primary key (tenant, entry, part)
) strict, without rowid;
create index ledger_by_time on ledger (tenant, at, entry, part);
create table credit_totals (
  tenant text not null, slot integer not null, integration text not null, step text not null, connection text not null, token text not null,
  spent real not null, estimated real not null, reserved real not null, primary key (tenant, slot, integration, step, connection, token)
) strict, without rowid;
`
