import type { Hook, Store } from '../../ports/index.ts'
import type { ConnectionRef, ProviderSessions } from '../provider-session.ts'
import { settlingMs } from './gaps.ts'
import { sharedModel } from './hook-addresses.ts'
import type { HookCache } from './hook-cache.ts'
import { hookRefOf } from './hook-registration.ts'
import type { HookRegistration } from './hook-registration.ts'
import type { HookSecrets } from './hook-secrets.ts'

type SharedAddressDependencies = {
  store: Pick<Store, 'hooks'>
  now(): number
  cache: HookCache
  registration: HookRegistration
  secrets: HookSecrets
  sessions: ProviderSessions
}

/** The user of an address's row, where other hooks have a subscription. */
const useOf = ({ connection }: Pick<ConnectionRef, 'connection'>) => `address ${connection}`

export type SharedAddresses = ReturnType<typeof createSharedAddresses>

/**
 * Manages the one address of all hooks of a connection, for providers that create many hooks in one request. Its row
 * holds the secret of the account, and counts refused deliveries.
 */
export const createSharedAddresses = ({
  store,
  now,
  cache,
  registration,
  secrets,
  sessions,
}: SharedAddressDependencies) => {
  const find = ({ tenant, connection }: ConnectionRef) => cache.live(tenant, connection, sharedModel)

  /** Reads the secret of the account again; the one before stays valid for repeats of earlier deliveries. */
  const readSecret = async (address: Hook): Promise<Hook> => {
    const batches = registration.batchesOf(address.integration)!
    const { value: secret } = await sessions.use(hookRefOf(address), 'create', (ctx) => batches.secret(ctx))
    const until = now() + settlingMs(registration.sourceOf(address.integration))
    const changed = secrets.told(address, secret, until)
    return changed ? cache.change(address, { secrets: changed }) : address
  }

  const endUnused = async (ref: ConnectionRef): Promise<void> => {
    const address = find(ref)
    const isUsed = cache.ofConnection(ref.tenant, ref.connection).some(({ model }) => model !== sharedModel)
    if (!address || isUsed) return
    for (const ended of await store.hooks.detach(ref.tenant, useOf(ref), now(), sharedModel))
      await cache.change(ended, { state: 'deleted', stateReason: null, updatedAt: now() })
  }

  const withSecret = async (stored: Hook): Promise<Hook> => {
    if (secrets.wantedSecret(stored) !== undefined) return stored
    try {
      return await readSecret(stored)
    } catch (thrown) {
      // No hook will use the address, so nothing else would ever end it.
      await endUnused(hookRefOf(stored))
      throw thrown
    }
  }

  return {
    find,
    readSecret,
    /** Returns the address of a connection; creates it with the first hook. */
    async ensure(ref: ConnectionRef): Promise<Hook> {
      const stored = cache.keep(await store.hooks.attach(registration.draft(ref, sharedModel), useOf(ref)))
      const address = await withSecret(stored)
      const callbackUrl = registration.addressOf(address)
      if (address.state === 'active' && address.callbackUrl === callbackUrl) return address
      return cache.change(address, { callbackUrl, state: 'active', stateAt: now() })
    },
    /** All hooks of the connection work, as the provider listed them now. */
    noteWorking: (address: Hook): Promise<Hook> => cache.change(address, { updatedAt: now() }),
    /** Ends the address of a connection that has no hooks left. */
    endUnused,
  }
}
