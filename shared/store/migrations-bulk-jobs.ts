/** `secrets`: the key that results are encrypted with. `job_order`, `plan`, `caller`, `reason`: JSON. */
export const bulkJobs = `
create table bulk_jobs (
  tenant text not null, id text not null, state text not null, job_order text not null, caller text not null, plan text, max_credits real,
  confirmed integer not null, cancelling integer not null, reason text, result text, rows_per_second real, key text, request_hash text not null,
  secrets text not null, created_at integer not null, started_at integer, ended_at integer, expires_at integer not null,
  primary key (tenant, id)
) strict;
create index bulk_jobs_newest on bulk_jobs (tenant, created_at, id);
create unique index bulk_jobs_key on bulk_jobs (tenant, key) where key is not null;
create index bulk_jobs_waiting on bulk_jobs (created_at) where state in ('preparing', 'running');
create index bulk_jobs_expiry on bulk_jobs (expires_at);
create table bulk_job_chunks (
  tenant text not null, job text not null, number integer not null, state text not null, attempt integer not null, results blob,
  matched integer not null, no_match integer not null, skipped integer not null, suppressed integer not null, error integer not null,
  credits real not null, estimated_credits real not null,
  primary key (tenant, job, number)
) strict;
`
