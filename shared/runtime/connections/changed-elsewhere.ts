import type { Connection, Store, Vault } from '../ports/index.ts'
import type { OpenConnection, OpenConnections } from './open-connection.ts'

type ChangedElsewhereDependencies = {
  store: Pick<Store, 'connections'>
  vault: Pick<Vault, 'sealedUnder'>
  openSecrets(row: Connection): Record<string, string>
  /** Open connections by tenant and id. */
  inUse: ReadonlyMap<string, OpenConnection>
  forget: OpenConnections['forget']
  /** Drops what the tenant's callers mean by a name, or by none. */
  forgetLookups(tenant: string): void
}

const isSame = (former: unknown, current: unknown) => JSON.stringify(former) === JSON.stringify(current)

const differ = (former: Connection, current: Connection, except: readonly (keyof Connection)[]) =>
  (Object.keys({ ...former, ...current }) as (keyof Connection)[]).some(
    (column) => !except.includes(column) && !isSame(former[column], current[column]),
  )

/** Columns that a proof that the stored secrets work changes, and those that a renewal of the secrets does. */
const byProof = ['state', 'stateReason', 'stateAt', 'updatedAt', 'lastUsedAt'] as const
const byRenewal = ['secrets', 'hints', 'expiresAt', 'updatedAt', 'lastUsedAt'] as const

/**
 * Whether a credential was proved, here too perhaps, at another time. Without stored secrets, a row that is saved again
 * may mean that the platform's vault has others.
 */
const isProven = (former: Connection, current: Connection) =>
  (former.state === 'unverified' || former.state === 'connected') &&
  current.state === 'connected' &&
  Object.keys(former.secrets).length > 0 &&
  !differ(former, current, byProof)

/** What a process does with its open connections when it is told that another one changed a row. */
export const createChangedElsewhere = ({
  store,
  vault,
  openSecrets,
  inUse,
  forget,
  forgetLookups,
}: ChangedElsewhereDependencies): Pick<OpenConnections, 'changedElsewhere' | 'policyChangedElsewhere'> => ({
  async changedElsewhere(tenant, id) {
    const opened = inUse.get(`${tenant}/${id}`)
    const answer = opened && store.connections.get(tenant, id)
    const row = await answer?.catch((error: unknown) => {
      // Nobody may go on with an account of which it is not known what was changed.
      forget(tenant, id)
      throw error
    })
    if (!opened?.live || !row) return forget(tenant, id)
    const { connection: former } = opened
    // Nothing differs when the change was made before the connection was opened here, and is told only now.
    if (differ(former, row, ['lastUsedAt']) && !isProven(former, row)) {
      if (!opened.renewal?.isStored || differ(former, row, byRenewal)) return forget(tenant, id)
      opened.account = { ...opened.account, secrets: openSecrets(row) }
      opened.keyId = vault.sealedUnder(row.secrets)
    }
    forgetLookups(tenant)
    Object.assign(former, row)
  },
  policyChangedElsewhere(tenant, policy) {
    forgetLookups(tenant)
    const present = JSON.stringify(policy)
    for (const { connection, tenantPolicy } of inUse.values())
      if (connection.tenant === tenant && JSON.stringify(tenantPolicy) !== present) forget(tenant, connection.id)
  },
})
