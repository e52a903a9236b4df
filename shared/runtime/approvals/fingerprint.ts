import { hashRequest } from '../idempotency.ts'
import type { OpenConnection } from '../connections/open-connection.ts'

/**
 * What identifies a connection for whoever approved a run with it: the account, and what it may be used for. A renewed
 * credential of the same account leaves it as it was.
 */
export const fingerprintOf = ({ connection }: Pick<OpenConnection, 'connection'>): string => {
  const { id, type, accountId, externalId, person, policy, profile, oauthVersion, hints } = connection
  return hashRequest([
    id,
    type,
    accountId,
    externalId,
    person ?? null,
    policy,
    profile ?? null,
    oauthVersion === '2.0' ? null : hints,
  ])
}
