import { expiring } from './prune-kind.ts'
import type { Kind } from './prune-kind.ts'

/** How long grants stay after their end: runs and audit rows name them. */
const endedGrantsMs = 30 * 86_400_000

const grantKinds = (before: number): { [what: string]: Kind } => ({
  grants: {
    act: 'delete from grants /* every tenant: prune */',
    keys: 'tenant, id',
    find: `select t.tenant, t.id from tokens t /* every tenant: prune */ join grants g on g.tenant = t.tenant and g.id = t.id
      where t.origin = 'grant' and coalesce(t.revoked_at, t.expires_at) < ? limit ?`,
    params: [before],
  },
  grantTokens: {
    act: 'delete from tokens /* every tenant: prune */',
    keys: 'tenant, id',
    find: `select t.tenant, t.id from tokens t /* every tenant: prune */ where t.origin = 'grant' and coalesce(t.revoked_at, t.expires_at) < ?
      and not exists (select 1 from grants g where g.tenant = t.tenant and g.id = t.id) limit ?`,
    params: [before],
  },
})

/** What clients that people let in leave behind. */
export const clientKinds = (now: number): { [what: string]: Kind } => ({
  oauthCodes: expiring('oauth_codes', 'hash', now),
  accessTokens: expiring('access_tokens', 'hash', now),
  oauthClients: expiring('oauth_clients', 'id', now),
  ...grantKinds(now - endedGrantsMs),
})
