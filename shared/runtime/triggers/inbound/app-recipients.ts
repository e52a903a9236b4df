import type { Connection, Hook } from '../../ports/index.ts'
import { isUsable } from '../connection-cache.ts'
import type { TriggerParts } from '../parts.ts'
import type { Signers } from './signing-secrets.ts'

/** Whose app signed a delivery ('' for the operator's), and whose address it came to. */
export type AppAddress = { owner: string; home: string | undefined }

type AppRecipientsDependencies = Pick<TriggerParts, 'registry'> & { signers: Pick<Signers, 'ownerOf'> }

export type AppRecipients = ReturnType<typeof createAppRecipients>

/**
 * Whom the deliveries of an app are for: the tenant whose app it is, or, of the operator's app, every tenant without an
 * app of its own.
 */
export const createAppRecipients = ({ registry, signers }: AppRecipientsDependencies) => {
  /** Another tenant's address reaches nobody who has lost the account, or who names it at an address of his own. */
  const isServedElsewhere = async (row: Connection): Promise<boolean> => {
    const { integration, wire } = registry.integration(row.integration)
    const type = integration.connections.find(({ id }) => id === row.type)
    const isSameAddress = type?.baseUrl === undefined && (row.profile ?? wire.profile) === wire.profile
    const isSafe = type !== undefined && isSameAddress && isUsable(row)
    return isSafe && (await signers.ownerOf(row.tenant, row.integration)) === ''
  }

  const isServed = async (row: Connection, { owner, home }: AppAddress): Promise<boolean> =>
    row.tenant === home || row.tenant === owner || (owner === '' && (await isServedElsewhere(row)))

  return {
    /** A secret of the hook itself is that of its tenant. */
    async addressOf({ tenant, integration }: Hook): Promise<AppAddress> {
      const isOwn = registry.integration(integration).wire.signature?.secret === 'hook'
      const owner = isOwn ? undefined : await signers.ownerOf(tenant, integration)
      return { owner: owner ?? tenant, home: tenant }
    },
    /** Those of the connections that it serves. */
    async served(rows: Connection[], address: AppAddress): Promise<Connection[]> {
      const served: Connection[] = []
      for (const row of rows) if (await isServed(row, address)) served.push(row)
      return served
    },
  }
}
