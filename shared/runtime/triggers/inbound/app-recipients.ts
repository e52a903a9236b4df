import type { WebhookSignature } from '#kit'
import type { Connection, Hook } from '../../ports/index.ts'
import { isUsable } from '../connection-cache.ts'
import type { TriggerParts } from '../parts.ts'
import { hasSecret, isOfHook } from './signing-secrets.ts'
import type { Signers } from './signing-secrets.ts'

/**
 * `owner`: the tenant whose app signed a delivery ('' for the operator's); `home`: the tenant whose address received
 * it.
 */
export type AppAddress = { owner: string; home: string | undefined }

type AppRecipientsDependencies = Pick<TriggerParts, 'registry'> & { signers: Pick<Signers, 'ownerOf'> }

export type AppRecipients = ReturnType<typeof createAppRecipients>

/**
 * Whether what proves deliveries says nothing of an app of ours: a secret of the hook, or a token of the provider's key
 * set for the address alone, which others can have made for what they send there.
 */
const namesNoApp = (signature: WebhookSignature | undefined): boolean =>
  (signature !== undefined && isOfHook(signature)) ||
  (signature?.proof === 'jwt' && !hasSecret(signature) && signature.jwt.audience?.includes('{url}') === true)

/**
 * Decides which connections receive an app's deliveries: those of the tenant that owns the app; for the operator's app,
 * those of every tenant without an app of its own.
 */
export const createAppRecipients = ({ registry, signers }: AppRecipientsDependencies) => {
  /**
   * Whether a delivery to another tenant's address may reach this connection: it must still be usable, and its account
   * must be one at the provider's own address, not at an address that the tenant chose.
   */
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
    /** A hook whose deliveries name no app of ours belongs to its tenant, whoever owns the app. */
    async addressOf({ tenant, integration }: Hook): Promise<AppAddress> {
      const { signature } = registry.integration(integration).wire
      const owner = namesNoApp(signature) ? undefined : await signers.ownerOf(tenant, integration)
      return { owner: owner ?? tenant, home: tenant }
    },
    /** The connections among `rows` that a delivery to this address may reach. */
    async served(rows: Connection[], address: AppAddress): Promise<Connection[]> {
      const served: Connection[] = []
      for (const row of rows) if (await isServed(row, address)) served.push(row)
      return served
    },
  }
}
