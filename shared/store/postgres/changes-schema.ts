import { lockTimeout } from './connection.ts'

/**
 * `changes`: what one process changed, for the others to read; `scope` is the connection of a subscription. A row is
 * written in the transaction of the change, so that exactly the committed changes are reported. The index of former
 * versions is dropped when nobody reads the table: everything would queue behind a drop that waits, for example for
 * pg_dump. Otherwise a later start drops it.
 */
export const changesTable = `
do $$ begin
  if to_regclass('changes_subscriptions') is not null then
    set local lock_timeout to '200ms';
    drop index changes_subscriptions;
    set local lock_timeout to '${lockTimeout}';
  end if;
exception when lock_not_available then null;
end $$;
create table if not exists changes (
  id bigserial primary key, xid xid8 not null default pg_current_xact_id(), at timestamptz not null default clock_timestamp(),
  kind text collate "C" not null, tenant text collate "C" not null, item text collate "C" not null, scope text collate "C" not null default '', node text
);
create index if not exists changes_xid on changes (xid);
create index if not exists changes_at on changes (at);
create index if not exists changes_since on changes (tenant, scope, xid) where kind = 'subscription';
`

/** Tables whose changes the other processes read. `ignored`: columns whose changes concern no other process. */
const sharedTables: {
  table: string
  kind: string
  id: string
  tenant?: string
  scope?: string
  ignored?: string[]
}[] = [
  { table: 'tenants', kind: 'tenant', id: 'id', tenant: 'id' },
  { table: 'tokens', kind: 'token', id: 'id' },
  { table: 'apps', kind: 'app', id: 'integration' },
  { table: 'connections', kind: 'connection', id: 'id', ignored: ['last_used_at'] },
  {
    table: 'subscriptions',
    kind: 'subscription',
    id: 'id',
    scope: 'connection',
    ignored: ['failing_since', 'updated_at'],
  },
  { table: 'hooks', kind: 'hook', id: 'id', ignored: ['last_delivery_at', 'failures', 'updated_at'] },
]

const texts = (names: string[]) => `'{${names.join(',')}}'::text[]`

const triggersOf = ({
  table,
  kind,
  id,
  tenant = 'tenant',
  scope = '',
  ignored = [],
}: (typeof sharedTables)[number]) => `
create or replace trigger changes_new after insert or delete on ${table} for each row execute function note_change('${kind}', '${id}', '${tenant}', '${scope}');
create or replace trigger changes_update after update on ${table} for each row
  when ((to_jsonb(old) - ${texts(ignored)}) is distinct from (to_jsonb(new) - ${texts(ignored)}))
  execute function note_change('${kind}', '${id}', '${tenant}', '${scope}');`

/**
 * Created after the tables. `toolyard.node` is set on each connection of a process. `require_followed` reads in order of
 * `xid`, so that the database uses the index: without an order it expects to find a row at once, and reads them all.
 */
export const changesTriggers = `
create or replace function note_change() returns trigger language plpgsql as $$
declare given jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
begin
  insert into changes (kind, tenant, item, scope, node) values
    (tg_argv[0], given ->> tg_argv[2], given ->> tg_argv[1], coalesce(given ->> tg_argv[3], ''), nullif(current_setting('toolyard.node', true), ''));
  perform pg_notify('toolyard_changes', '');
  return null;
end $$;
create or replace function require_followed(asked_tenant text, asked_connection text, horizon text, seen text, read_at float8) returns integer language plpgsql as $$
begin
  if read_at < extract(epoch from clock_timestamp()) - 300 or exists (
    select 1 from (
      select id, node from changes c where c.kind = 'subscription' and c.tenant = asked_tenant and c.scope = asked_connection and c.xid >= horizon::xid8
      order by c.xid desc offset 0) later
    where later.node is distinct from current_setting('toolyard.node', true) and not later.id = any (seen::bigint[]))
  then raise exception 'subscriptions changed' using errcode = 'TY002'; end if;
  return 1;
end $$;
${sharedTables.map(triggersOf).join('\n')}
create or replace function note_keyring() returns trigger language plpgsql as $$
begin
  insert into changes (kind, tenant, item, node) values ('keyring', '', '', nullif(current_setting('toolyard.node', true), ''));
  perform pg_notify('toolyard_changes', '');
  return null;
end $$;
create or replace trigger changes_keyring after insert or update on meta for each row when (new.name = 'keyring') execute function note_keyring();
`
