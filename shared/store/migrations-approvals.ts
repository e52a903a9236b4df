/**
 * `approvals`: runs that wait for a decision, and what became of them. `secrets`: the call, what it would send and its
 * outcome. `conditions` and `deciders` are `when` and `by`, which are words of SQL.
 */
export const approvals = `
create table approval_rules (
  tenant text not null, id text not null, name text, conditions text not null, deciders text not null, expires_minutes integer not null,
  created_at integer not null, updated_at integer not null,
  primary key (tenant, id)
) strict;
create table approvals (
  tenant text not null, id text not null, state text not null, kind text not null, identity text, revision integer not null,
  integration text not null, step text not null, connection text, token text, person text, caller_person text, start_id text, effect text not null, credits real,
  rule text not null, deciders text not null, run_id text, attempt text, code text, decided_by text, decided_at integer, secrets text not null,
  created_at integer not null, expires_at integer not null, next_at integer, ended_at integer,
  primary key (tenant, id)
) strict;
create unique index approvals_identity on approvals (tenant, identity) where identity is not null;
create index approvals_newest on approvals (tenant, created_at, id);
create index approvals_open on approvals (tenant, created_at, id) where state = 'open';
create index approvals_of_person on approvals (tenant, person, created_at, id) where person is not null;
create index approvals_due on approvals (next_at, tenant, id) where next_at is not null;
create index approvals_content on approvals (ended_at) where ended_at is not null and (secrets <> '{}' or identity is not null);
create index approvals_emptied on approvals (ended_at) where ended_at is not null and secrets = '{}' and identity is null;
`
