import type { Kind } from './prune-kind.ts'

/** Lists of people that have expired or were removed, with their rows. */
export const listKinds = (now: number): { [what: string]: Kind } => ({
  listRows: {
    act: 'delete from people_list_rows /* every tenant: prune */',
    keys: 'tenant, list, at',
    find: `select r.tenant, r.list, r.at from people_lists l /* every tenant: prune */
      join people_list_rows r on r.tenant = l.tenant and r.list = l.id where l.expires_at <= ? limit ?`,
    params: [now],
  },
  // Only when its rows are gone, because the rows are found through the list.
  peopleLists: {
    act: 'delete from people_lists /* every tenant: prune */',
    keys: 'tenant, id',
    find: `select l.tenant, l.id from people_lists l /* every tenant: prune */ where l.expires_at <= ?
      and not exists (select 1 from people_list_rows r where r.tenant = l.tenant and r.list = l.id) limit ?`,
    params: [now],
  },
})
