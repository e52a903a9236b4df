import type { Retention } from '../../runtime/ports/index.ts'
import type { Kind } from './prune-kind.ts'

/**
 * Approvals that have ended lose their content first: while it is there, a repeat of the call is answered with it. So a
 * row with content never goes, also where runs go before their age because the database is too large.
 */
export const approvalKinds = ({ approvals, runs }: Retention): { [what: string]: Kind } => ({
  approvalContents: {
    act: `update approvals /* every tenant: prune */ set secrets = '{}', identity = null, revision = revision + 1`,
    keys: 'tenant, id',
    find: `select tenant, id from approvals /* every tenant: prune */ where ended_at < ?
      and (secrets <> '{}' or identity is not null) order by ended_at limit ?`,
    params: [approvals ?? runs],
  },
  approvals: {
    act: 'delete from approvals /* every tenant: prune */',
    keys: 'tenant, id',
    find: `select tenant, id from approvals /* every tenant: prune */ where ended_at < ?
      and secrets = '{}' and identity is null order by ended_at limit ?`,
    params: [runs],
  },
})
