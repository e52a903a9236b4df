import type { Store, Vault } from '../ports/index.ts'
import type { ConnectionStates } from './states.ts'

type LostKeysDependencies = {
  store: Pick<Store, 'connections'>
  vault: Pick<Vault, 'keyId' | 'previous' | 'sealedUnder'>
  states: Pick<ConnectionStates, 'set' | 'settled'>
}

const usable = new Set(['connected', 'unverified'])

/**
 * Marks connections as `needs_reconnect` whose secrets are sealed under a master key that the operator has given up.
 * `lost`: ids of those keys.
 */
export const markConnectionsOfLostKeys = async (
  { store, vault, states }: LostKeysDependencies,
  lost: readonly string[],
): Promise<void> => {
  const gone = new Set(lost.filter((id) => id !== vault.keyId && !vault.previous().includes(id)))
  if (gone.size === 0) return
  for (const row of await store.connections.all()) {
    const id = vault.sealedUnder(row.secrets)
    if (id === null || !gone.has(id) || !usable.has(row.state)) continue
    states.set(row, 'needs_reconnect', `Its secrets were sealed under the master key ${id}, which was given up`)
  }
  await states.settled()
}
