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
