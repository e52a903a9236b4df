/**
 * Events of accounts that no connection uses yet, delivered to the hook of an app. `tenant`: the owner of the app, ''
 * for the operator. `secrets`: the key that the content is encrypted with. `connections_account` finds the connections
 * of an account.
 */
export const unclaimedEvents = `
create table unclaimed_events (
  tenant text not null, id text not null, integration text not null, account text not null, event text not null,
  hook text not null, secrets text not null, content blob not null, received_at integer not null, expires_at integer not null,
  primary key (tenant, id)
) strict;
create index unclaimed_events_accounts on unclaimed_events (tenant, integration, account, hook, received_at, id);
create index unclaimed_events_expiry on unclaimed_events (expires_at);
create index connections_account on connections (integration, account_id) where account_id is not null;
`
