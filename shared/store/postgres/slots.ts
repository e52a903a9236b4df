/**
 * Rate limits shared by several processes: one row per limit, with the time of each call in its last window by the
 * clock of the database. A row is changed under its lock, so no two processes get the same call; it is on disk before
 * the call is made, so nothing is forgotten when the database fails. Waiting callers may be forgotten.
 */
import { createHash } from 'node:crypto'
import type { Log, SharedSlots, SharedWindow } from '../../runtime/ports/index.ts'
import { describeDefect, isFailure } from '#kit'
import type { Connections } from './connection.ts'

/**
 * A grant must be used within `goodMs` of the request for it, so a call reaches the provider less than `marginMs` after
 * its time in the log.
 */
const goodMs = 100
const marginMs = 200
/**
 * A refused caller asks again after this long at the earliest, so that many who wait together do not keep the database
 * busy with refusals.
 */
const againMs = 20
/** A waiting caller asks again at least every `askMs`, so that its wish counts; a wish is forgotten after `wishMs`. */
const askMs = 500
const wishMs = 1500

/**
 * `at`, `who`: time and tenant of each call, oldest first, repeated as often as its weight says; a tenant is the hash of
 * its id. `take_slots` grants as many calls as every window has left. Of a fair window it leaves the other waiting
 * tenants their share, and it grants no bulk calls while a single call of the same tenant waits. A call also leaves the
 * free places to one with a larger weight that has waited longer (`weighty_wishes`), because calls of small weight would
 * otherwise take every place as it becomes free. A wish is that of one process: those of a tenant's calls at another
 * process remain when all calls here were granted. The functions without a node, and without weights, are for processes
 * of former versions.
 */
export const slotDefinitions = `
create table if not exists rate_slots (
  key text collate "C" primary key, at double precision[] not null default '{}', who integer[] not null default '{}', paused_until double precision not null default 0
);
create unlogged table if not exists rate_wishes (
  key text collate "C", who integer, bulk boolean, at double precision not null
);
alter table rate_wishes add column if not exists node integer not null default 0;
alter table rate_wishes drop constraint if exists rate_wishes_pkey;
alter table rate_wishes add primary key (key, who, bulk, node);
create unlogged table if not exists weighty_wishes (
  key text collate "C", who integer, weight integer, since double precision not null, at double precision not null, primary key (key, who, weight)
);
create or replace function take_slots(
  keys text[], maxes double precision[], windows double precision[], fair boolean[], wanted integer, tenant integer, is_bulk boolean, margin double precision,
  wish double precision, weights integer[], node integer, out granted integer, out wait_ms double precision, out at_ms double precision
) language plpgsql as $$
declare
  now_ms double precision;
  slot rate_slots;
  free double precision;
  others double precision;
  share double precision;
  mine double precision;
  allowed double precision := wanted;
  first_back double precision;
  own_back double precision;
  saved double precision;
  saves boolean := 1 <> any(weights);
begin
  insert into rate_slots (key) select unnest(keys) on conflict do nothing;
  perform 1 from rate_slots where key = any(keys) order by key for update;
  now_ms := extract(epoch from clock_timestamp()) * 1000;
  wait_ms := 0;
  for i in 1 .. cardinality(keys) loop
    select s.key, coalesce(array_agg(u.a order by u.n) filter (where u.a > now_ms - windows[i] - margin), '{}'),
        coalesce(array_agg(u.w order by u.n) filter (where u.a > now_ms - windows[i] - margin), '{}'), s.paused_until
      into slot from rate_slots s left join lateral unnest(s.at, s.who) with ordinality u(a, w, n) on true
      where s.key = keys[i] group by s.key, s.paused_until;
    update rate_slots s set at = slot.at, who = slot.who where s.key = keys[i] and cardinality(s.at) <> cardinality(slot.at);
    free := maxes[i] - cardinality(slot.at);
    first_back := case when cardinality(slot.at) > 0 then slot.at[1] + windows[i] + margin - now_ms else 0 end;
    if slot.paused_until > now_ms then
      free := 0;
      first_back := slot.paused_until - now_ms;
    elsif is_bulk and exists (select 1 from rate_wishes r where r.key = keys[i] and r.who = tenant and not r.bulk and r.at > now_ms - wish) then
      free := 0;
      first_back := ${againMs};
    elsif fair[i] then
      with waiting as (select distinct r.who from rate_wishes r where r.key = keys[i] and r.who <> tenant and r.at > now_ms - wish),
        used as (select u.w, count(*) as n from unnest(slot.who) u(w) group by u.w)
      select maxes[i] / (1 + count(w.who)), coalesce((select n from used where used.w = tenant), 0) into share, mine from waiting w;
      select coalesce(sum(greatest(0, share - coalesce(u.n, 0))), 0) into others
        from (select distinct r.who from rate_wishes r where r.key = keys[i] and r.who <> tenant and r.at > now_ms - wish) w
        left join (select x.w, count(*) as n from unnest(slot.who) x(w) group by x.w) u on u.w = w.who;
      share := greatest(ceil(greatest(share, weights[i])) - mine, floor(free - others));
      if share < free then
        free := share;
        select min(u.a) + windows[i] + margin - now_ms into own_back from unnest(slot.at, slot.who) u(a, w) where u.w = tenant;
        first_back := coalesce(own_back, ${againMs});
      end if;
    end if;
    if slot.paused_until <= now_ms then
      select coalesce(max(h.weight), 0) into saved from weighty_wishes h where h.key = keys[i] and h.weight > weights[i] and h.at > now_ms - wish
        and h.since < coalesce((select m.since from weighty_wishes m where m.key = keys[i] and m.who = tenant and m.weight = weights[i] and m.at > now_ms - wish), now_ms);
      free := free - saved;
      saves := saves or saved > 0;
    end if;
    free := floor(free / weights[i]);
    if free < allowed then
      allowed := greatest(0, free);
      wait_ms := greatest(wait_ms, first_back);
    end if;
  end loop;
  granted := floor(allowed);
  at_ms := now_ms;
  if granted > 0 then
    update rate_slots s set at = s.at || array_fill(now_ms, array[granted * k.weight]), who = s.who || array_fill(tenant, array[granted * k.weight])
      from unnest(keys, weights) k(key, weight) where s.key = k.key;
  end if;
  if saves then
    delete from weighty_wishes h using unnest(keys, weights) k(key, weight)
      where h.key = k.key and (h.at <= now_ms - wish or (granted > 0 and h.who = tenant and h.weight = k.weight));
  end if;
  if saves and granted = 0 then
    insert into weighty_wishes as h (key, who, weight, since, at) select k.key, tenant, k.weight, now_ms, now_ms from unnest(keys, weights) k(key, weight)
      on conflict (key, who, weight) do update set at = excluded.at;
  end if;
  if granted < wanted then
    insert into rate_wishes (key, who, bulk, node, at) select k, tenant, is_bulk, node, now_ms from unnest(keys) k
      on conflict on constraint rate_wishes_pkey do update set at = excluded.at;
  else
    delete from rate_wishes r where r.key = any(keys) and (r.at <= now_ms - wish or (r.who = tenant and r.bulk = is_bulk and r.node = take_slots.node));
  end if;
end $$;
create or replace function take_slots(
  keys text[], maxes double precision[], windows double precision[], fair boolean[], wanted integer, tenant integer, is_bulk boolean, margin double precision,
  wish double precision, weights integer[], out granted integer, out wait_ms double precision, out at_ms double precision
) language sql as $$
  select * from take_slots(keys, maxes, windows, fair, wanted, tenant, is_bulk, margin, wish, weights, 0);
$$;
create or replace function take_slots(
  keys text[], maxes double precision[], windows double precision[], fair boolean[], wanted integer, tenant integer, is_bulk boolean, margin double precision,
  wish double precision, out granted integer, out wait_ms double precision, out at_ms double precision
) language sql as $$
  select * from take_slots(keys, maxes, windows, fair, wanted, tenant, is_bulk, margin, wish, array_fill(1, array[cardinality(keys)]), 0);
$$;
create or replace function move_slots(keys text[], moved double precision[], weights integer[]) returns integer language plpgsql as $$
declare
  now_ms double precision;
begin
  perform 1 from rate_slots where key = any(keys) order by key for update;
  now_ms := extract(epoch from clock_timestamp()) * 1000;
  update rate_slots s set (at, who) = (
    select coalesce(array_agg(x.a order by x.a, x.n), '{}'), coalesce(array_agg(x.w order by x.a, x.n), '{}') from (
      select case when m.many * k.weight >= row_number() over (partition by u.a order by u.n) then now_ms else u.a end as a, u.w, u.n
        from unnest(s.at, s.who) with ordinality u(a, w, n) left join (select a, count(*) as many from unnest(moved) a group by a) m on m.a = u.a) x)
    from unnest(keys, weights) k(key, weight) where s.key = k.key;
  return 1;
end $$;
create or replace function move_slots(keys text[], moved double precision[]) returns integer language sql as $$
  select move_slots(keys, moved, array_fill(1, array[cardinality(keys)]));
$$;
create or replace function return_slots(keys text[], unused double precision, many integer, tenant integer, weights integer[]) returns integer language plpgsql as $$
begin
  perform 1 from rate_slots where key = any(keys) order by key for update;
  update rate_slots s set (at, who) = (
    select coalesce(array_agg(x.a order by x.n) filter (where x.r > many * k.weight), '{}'), coalesce(array_agg(x.w order by x.n) filter (where x.r > many * k.weight), '{}') from (
      select u.a, u.w, u.n, case when u.a = unused and u.w = tenant then row_number() over (partition by u.a, u.w order by u.n) else many * k.weight + 1 end as r
        from unnest(s.at, s.who) with ordinality u(a, w, n)) x)
    from unnest(keys, weights) k(key, weight) where s.key = k.key;
  return 1;
end $$;
create or replace function return_slots(keys text[], unused double precision, many integer, tenant integer) returns integer language sql as $$
  select return_slots(keys, unused, many, tenant, array_fill(1, array[cardinality(keys)]));
$$;
`

const weightOf = ({ weight = 1 }: SharedWindow): number => weight

const hashed = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 40)
const numbered = (text: string): number => createHash('sha256').update(text).digest().readInt32BE()

/** `node`: the name of this process. */
export const slotsIn = (connections: Pick<Connections, 'send'>, log: Log, node: string): SharedSlots => ({
  async take(sharedWindows, wantedCount, tenant, isBulk) {
    // The same order for everyone, so that no two processes wait for each other.
    const windows = sharedWindows
      .map((window) => ({ ...window, key: hashed(window.key) }))
      .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    const values = [
      windows.map(({ key }) => key),
      windows.map(({ max }) => max),
      windows.map(({ windowMs }) => windowMs),
      windows.map(({ per }) => per === 'app'),
      wantedCount,
      numbered(tenant),
      isBulk,
      marginMs,
      wishMs,
      windows.map(weightOf),
      numbered(node),
    ]
    const [done] = await connections.send([
      { name: 'slots take', text: 'select * from take_slots($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)', values },
    ])
    const { granted, wait_ms: waitMs, at_ms: at } = done!.rows[0] as { granted: number; wait_ms: number; at_ms: number }
    return { granted, waitMs: Math.min(askMs, Math.max(againMs, waitMs)), goodMs, at }
  },
  move(sharedWindows, at) {
    const values = [sharedWindows.map(({ key }) => hashed(key)), at, sharedWindows.map(weightOf)]
    connections
      .send([{ name: 'slots move', text: 'select move_slots($1, $2, $3)', values }])
      .catch((error: unknown) =>
        log('warn', 'slots.not_moved', { reason: isFailure(error) ? error.message : describeDefect(error).message }),
      )
  },
  giveBack(sharedWindows, at, count, tenant) {
    const values = [
      sharedWindows.map(({ key }) => hashed(key)),
      at,
      count,
      numbered(tenant),
      sharedWindows.map(weightOf),
    ]
    connections
      .send([{ name: 'slots return', text: 'select return_slots($1, $2, $3, $4, $5)', values }])
      .catch((error: unknown) =>
        log('warn', 'slots.not_returned', { reason: isFailure(error) ? error.message : describeDefect(error).message }),
      )
  },
  pause(sharedWindows, ms) {
    if (sharedWindows.length === 0) return
    const text = `update rate_slots set paused_until = greatest(paused_until, extract(epoch from clock_timestamp()) * 1000 + $2::float8) where key = any($1)`
    connections
      .send([{ name: 'slots pause', text, values: [sharedWindows.map(({ key }) => hashed(key)), ms] }])
      .catch((error: unknown) =>
        log('warn', 'slots.pause_not_shared', {
          reason: isFailure(error) ? error.message : describeDefect(error).message,
        }),
      )
  },
})
