import type { Retention } from '../../runtime/ports/index.ts'
import type { Kind } from './prune-kind.ts'

/** Results of lookups, with the keys and persons they are found by. */
export const lookupKinds = (now: number): { [what: string]: Kind } => ({
  lookupKeys: {
    act: 'delete from lookup_keys /* every tenant: prune */',
    keys: 'tenant, key',
    find: `select k.tenant, k.key from lookup_entries e /* every tenant: prune */
      join lookup_keys k on k.tenant = e.tenant and k.entry = e.id where e.expires_at <= ? limit ?`,
    params: [now],
  },
  lookupPersons: {
    act: 'delete from lookup_persons /* every tenant: prune */',
    keys: 'tenant, person, entry',
    find: `select p.tenant, p.person, p.entry from lookup_entries e /* every tenant: prune */
      join lookup_persons p on p.tenant = e.tenant and p.entry = e.id where e.expires_at <= ? limit ?`,
    params: [now],
  },
  // Only when its keys and persons are gone, because they are found by this row.
  lookups: {
    act: 'delete from lookup_entries /* every tenant: prune */',
    keys: 'tenant, id',
    find: `select e.tenant, e.id from lookup_entries e /* every tenant: prune */ where e.expires_at <= ?
      and not exists (select 1 from lookup_keys k where k.tenant = e.tenant and k.entry = e.id)
      and not exists (select 1 from lookup_persons p where p.tenant = e.tenant and p.entry = e.id) limit ?`,
    params: [now],
  },
})

/** Learned names that were not seen for a while. */
export const nameKinds = ({ names }: Retention): { [what: string]: Kind } =>
  names === undefined
    ? {}
    : {
        names: {
          act: 'delete from names /* every tenant: prune */',
          keys: 'tenant, connection, kind, id',
          find: 'select tenant, connection, kind, id from names /* every tenant: prune */ where seen_at < ? order by seen_at limit ?',
          params: [names],
        },
      }

/** Counts of groups without a lookup for a long time. `counted_at` is 0 for those counted by an older process. */
export const rateKinds = ({ rates }: Retention): { [what: string]: Kind } =>
  rates === undefined
    ? {}
    : {
        rates: {
          act: 'delete from lookup_rates /* every tenant: prune */',
          keys: 'tenant, kind, segment, provider, turn, field',
          find: `select tenant, kind, segment, provider, turn, field from lookup_rates /* every tenant: prune */
            where counted_at > 0 and counted_at < ? order by counted_at limit ?`,
          params: [rates],
        },
      }
