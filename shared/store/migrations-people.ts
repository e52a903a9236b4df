/**
 * `people`: end users of the platform, by the platform's own id. `person`: whom a row is about or for; null: nobody,
 * such as an account of the workspace itself.
 *
 * Until now `external_id` of a connection said whose account it is. Where the host resolves the secrets, it names them
 * in the host's vault instead; such a connection stores none. A revoked one stores none either, so it counts as
 * somebody's: then nobody else uses it. Accounts of the sandbox are named so, and are for all.
 */
export const people = `
create table people (
  tenant text not null, id text not null, created_at integer not null,
  primary key (tenant, id)
) strict;
create index people_newest on people (tenant, created_at, id);
alter table connections add column person text;
alter table authorizations add column person text;
alter table tokens add column person text;
alter table subscriptions add column person text;
alter table runs add column person text;
alter table files add column person text;
alter table ledger add column person text;
create index runs_of_person on runs (tenant, person, created_at, id) where person is not null;
create index ledger_of_person on ledger (tenant, person, entry_at) where person is not null;
update connections set person = external_id
  where external_id is not null and external_id <> 'sandbox' and (secrets <> '{}' or state = 'revoked');
update authorizations set person = external_id where external_id is not null and connection is null;
update authorizations set person = (select c.person from connections c where c.tenant = authorizations.tenant and c.id = authorizations.connection)
  where connection is not null;
update subscriptions set person = (select c.person from connections c where c.tenant = subscriptions.tenant and c.id = subscriptions.connection);
update runs set person = (select c.person from connections c where c.tenant = runs.tenant and c.id = runs.connection)
  where connection in (select id from connections where person is not null);
insert into people (tenant, id, created_at)
  select tenant, person, min(created_at) from connections where person is not null group by tenant, person;
`

/** Finds the connections that a caller bound to a person may use, and the subscriptions that are theirs. */
export const rowsOfPeople = `
create index connections_of_person on connections (tenant, person, id);
create index subscriptions_of_person on subscriptions (tenant, person, id) where person is not null;
`
