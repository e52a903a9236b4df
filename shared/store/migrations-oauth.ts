/**
 * Sign-in of clients. `grants`: what people let clients do, each beside the row of `tokens` with the same id, which
 * holds the rights. Codes, access and refresh tokens are stored as digests. A used code stays as
 * long as the first access token that it gave, so that using it twice is noticed.
 */
export const oauth = `
create table oauth_clients (
  id text primary key, name text, redirect_uris text not null, secret_hash text, created_at integer not null, expires_at integer not null
) strict;
create index oauth_clients_expiry on oauth_clients (expires_at);
create table grants (
  tenant text not null, id text not null, client text not null, client_name text, client_host text, resource text not null, scopes text not null,
  signed_by text, who text not null, family text, newest text, revision integer not null, created_at integer not null, last_used_at integer,
  primary key (tenant, id)
) strict;
create index grants_newest on grants (tenant, created_at, id);
create index grants_of_signer on grants (tenant, signed_by);
create unique index grants_of_family on grants (family) where family is not null;
create index tokens_of_grants on tokens (coalesce(revoked_at, expires_at)) where origin = 'grant';
create index budgets_of_tokens on budgets (tenant, subject) where scope = 'token';
create table oauth_codes (
  hash text primary key, tenant text not null, grant_id text not null, client text not null, redirect_uri text not null, challenge text not null,
  expires_at integer not null, used_at integer
) strict;
create index oauth_codes_expiry on oauth_codes (expires_at);
create index oauth_codes_of_grant on oauth_codes (tenant, grant_id);
create table access_tokens (
  hash text primary key, tenant text not null, grant_id text not null, expires_at integer not null
) strict;
create index access_tokens_expiry on access_tokens (expires_at);
`
