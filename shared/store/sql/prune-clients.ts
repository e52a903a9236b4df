import { expiring } from './prune-kind.ts'
import type { Kind } from './prune-kind.ts'

/** How long grants stay after their end: runs and audit rows name them. No run names one whose code nobody redeemed. */
const endedGrantsMs = 30 * 86_400_000

/** A limit of credits is of no use once its grant has ended: no runs name it, and it would count as one of the tenant. */
const ofEndedGrants = `b.scope = 'token' and (b.tenant, b.subject) in
  (select t.tenant, t.id from tokens t where t.origin = 'grant' and coalesce(t.revoked_at, t.expires_at) <= ?)`
const budgetKinds = (now: number): { [what: string]: Kind } => ({
  grantPeriods: {
    act: 'delete from budget_periods /* every tenant: prune */',
    keys: 'tenant, budget, starts_at',
    find: `select p.tenant, p.budget, p.starts_at from budget_periods p /* every tenant: prune */
      where (p.tenant, p.budget) in (select b.tenant, b.id from budgets b where ${ofEndedGrants}) limit ?`,
    params: [now],
  },
  // Only when its periods are gone, because they are found by this row.
  grantBudgets: {
    act: 'delete from budgets /* every tenant: prune */',
    keys: 'tenant, id',
    find: `select b.tenant, b.id from budgets b /* every tenant: prune */ where ${ofEndedGrants}
      and not exists (select 1 from budget_periods p where p.tenant = b.tenant and p.budget = b.id) limit ?`,
    params: [now],
  },
})

const grantKinds = (now: number): { [what: string]: Kind } => ({
  grants: {
    act: 'delete from grants /* every tenant: prune */',
    keys: 'tenant, id',
    find: `select t.tenant, t.id from tokens t /* every tenant: prune */ join grants g on g.tenant = t.tenant and g.id = t.id
      where t.origin = 'grant' and coalesce(t.revoked_at, t.expires_at) < ?
      and (g.family is null or coalesce(t.revoked_at, t.expires_at) < ?) limit ?`,
    params: [now, now - endedGrantsMs],
  },
  // Only when its limit of credits is gone, because that is found by this row.
  grantTokens: {
    act: 'delete from tokens /* every tenant: prune */',
    keys: 'tenant, id',
    find: `select t.tenant, t.id from tokens t /* every tenant: prune */ where t.origin = 'grant' and coalesce(t.revoked_at, t.expires_at) < ?
      and not exists (select 1 from grants g where g.tenant = t.tenant and g.id = t.id)
      and not exists (select 1 from budgets b where b.tenant = t.tenant and b.scope = 'token' and b.subject = t.id) limit ?`,
    params: [now],
  },
})

/** What clients that people let in leave behind. */
export const clientKinds = (now: number): { [what: string]: Kind } => ({
  oauthCodes: expiring('oauth_codes', 'hash', now),
  accessTokens: expiring('access_tokens', 'hash', now),
  oauthClients: expiring('oauth_clients', 'id', now),
  // Before the grants, by which they are found.
  ...budgetKinds(now),
  ...grantKinds(now),
})
