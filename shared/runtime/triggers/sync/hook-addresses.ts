import type { Hook } from '../../ports/index.ts'
import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef } from '../provider-session.ts'
import { isLive } from './hook-cache.ts'
import type { HookCache } from './hook-cache.ts'

type HookAddressDependencies = Pick<TriggerParts, 'publicUrl'> & { cache: Pick<HookCache, 'find' | 'live'> }

/** The model in the row of a shared address: the row belongs to the account as a whole. */
export const sharedModel = 'account:'

/** The models whose histories list missed events: the account's, if its hooks share an address. */
export const historyModels = (isShared: boolean, models: readonly string[]): readonly string[] =>
  isShared && models.length > 0 ? [sharedModel] : models

/** The addresses of hooks, and the connections that they belong to. */
export const createHookAddresses = ({ publicUrl, cache }: HookAddressDependencies) => {
  /** The beginning of the address of every hook of an integration; undefined without a public URL. */
  const prefixOf = (integration: string): string | undefined => {
    const base = publicUrl()
    return base === undefined ? undefined : `${base}/hooks/${integration}/`
  }
  /** The hook that has or had this address, under whichever public URL. */
  const findBy = async (integration: string, callbackUrl: string): Promise<Hook | undefined> => {
    const id = callbackUrl.split(`/hooks/${integration}/`)[1]
    return id === undefined || id === '' ? undefined : cache.find(id)
  }
  const ownAddressOf = ({ integration, id }: Pick<Hook, 'integration' | 'id'>): string | undefined => {
    const prefix = prefixOf(integration)
    return prefix === undefined ? undefined : prefix + id
  }
  return {
    prefixOf,
    ownAddressOf,
    /**
     * The address the hook should have, which is that of its connection where there is one; without a public address it
     * keeps its own.
     */
    addressOf({ tenant, connection, integration, id, callbackUrl }: Hook): string {
      const prefix = prefixOf(integration)
      return prefix === undefined ? callbackUrl : prefix + (cache.live(tenant, connection, sharedModel)?.id ?? id)
    },
    /** Whether an address is or was one of this installation's. */
    async isOurs(integration: string, callbackUrl: string): Promise<boolean> {
      const prefix = prefixOf(integration)
      const isPresent = prefix !== undefined && callbackUrl.startsWith(prefix)
      return isPresent || (await findBy(integration, callbackUrl)) !== undefined
    },
    /** Whether a hook of another connection has this address: both may have the credential of one account. */
    async usedElsewhere({ tenant, connection, integration }: ConnectionRef, callbackUrl: string): Promise<boolean> {
      const hook = await findBy(integration, callbackUrl)
      return hook !== undefined && isLive(hook) && !(hook.tenant === tenant && hook.connection === connection)
    },
  }
}
