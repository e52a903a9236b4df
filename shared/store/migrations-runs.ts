/**
 * `usage_totals`: totals of the runs of each day; they outlive the rows. `connection` '': no connection. `shard`: shard
 * of the node that counted. Runs that are not done are few, so `runs_not_done` costs the others nothing.
 */
export const usage = `
create table usage_totals (
  tenant text not null, day integer not null, integration text not null, step text not null, connection text not null, shard integer not null,
  runs integer not null, failed integer not null, calls integer not null, credits real not null, estimated_credits real not null,
  waited_ms integer not null, refused integer not null,
  primary key (tenant, day, integration, step, connection, shard)
) strict, without rowid;
insert into usage_totals select tenant, created_at / 86400000, integration, step, coalesce(connection, ''), 0, count(*),
  sum(case when state in ('failed', 'unknown') then 1 else 0 end), sum(calls), sum(credits),
  sum(case when credits_estimated = 1 then credits else 0 end), sum(waited_ms), sum(refused)
  from runs where state in ('done', 'failed', 'unknown', 'not_sent') group by 1, 2, 3, 4, 5;
create index runs_not_done on runs (state, tenant, created_at, id) where state <> 'done';
drop index runs_sending;
`

/**
 * `runs`: JSON list of the runs that began to send in one commit. Used only where one process owns the database, see
 * sql/sending.ts.
 */
export const batches = `
create table sending_runs (seq integer primary key, tenant text not null, runs text not null) strict;
`

/** `parent_id`: what the run is a part of, such as a lookup at several providers. */
export const runParents = `alter table runs add column parent_id text;
create index runs_of_parent on runs (tenant, parent_id, created_at, id) where parent_id is not null;`

/**
 * `usage_totals_of_people`: as `usage_totals`, of the runs that acted for a person.
 *
 * `run_contents`: input and output of runs, where the operator has them stored. `sealed_under` comes before `secrets`, so
 * that looking for rows under a former key does not read large values. `job_id`: the job whose row a run looked up.
 */
export const runContents = `alter table runs add column job_id text;
create table run_contents (
  tenant text not null, id text not null, sealed_under text, stored_at integer not null, expires_at integer not null, secrets text not null,
  primary key (tenant, id)
) strict;
create index run_contents_expiry on run_contents (expires_at);
create table usage_totals_of_people (
  tenant text not null, day integer not null, person text not null, integration text not null, step text not null, connection text not null,
  shard integer not null, runs integer not null, failed integer not null, calls integer not null, credits real not null,
  estimated_credits real not null, waited_ms integer not null, refused integer not null,
  primary key (tenant, day, person, integration, step, connection, shard)
) strict, without rowid;
insert into usage_totals_of_people select tenant, created_at / 86400000, person, integration, step, coalesce(connection, ''), 0, count(*),
  sum(case when state in ('failed', 'unknown') then 1 else 0 end), sum(calls), sum(credits),
  sum(case when credits_estimated = 1 then credits else 0 end), sum(waited_ms), sum(refused)
  from runs where person is not null and state in ('done', 'failed', 'unknown', 'not_sent') group by 1, 2, 3, 4, 5, 6;
`
