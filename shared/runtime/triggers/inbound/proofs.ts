import type { WebhookSignature } from '#kit'
import type { UnauthenticatedClient } from '../../../wire/index.ts'
import type { Clock, Log } from '../../ports/index.ts'
import type { ProviderSessions } from '../provider-session.ts'
import type { Addressed } from './delivery.ts'
import type { Proof } from './prove.ts'
import type { Signed } from './signature.ts'

type KeySet = ReturnType<typeof import('../../admin/key-set.ts').createKeySet>
type ProofsDependencies = {
  sessions: ProviderSessions
  unauthenticated: Pick<UnauthenticatedClient, 'getJson'>
  clock: Clock
  log: Log
}

const words = { owner: 'the provider', setting: 'signature.jwt.keys' }

/** What proves a delivery that no signature proves. Its modules are loaded with the first such delivery. */
export const createProofs = ({ sessions, unauthenticated, clock, log }: ProofsDependencies) => {
  const keySets = new Map<string, KeySet>()

  const keySetAt = async (address: string): Promise<KeySet> => {
    const { createKeySet } = await import('../../admin/key-set.ts')
    const keySet = keySets.get(address) ?? createKeySet({ jwksUrl: address }, { unauthenticated, clock, log }, words)
    keySets.set(address, keySet)
    return keySet
  }

  /** @throws Failure when the provider cannot be asked now, so that the delivery has to come again */
  return async (
    scheme: WebhookSignature,
    secrets: readonly string[],
    addressed: Addressed | undefined,
    signed: Signed,
  ): Promise<Proof> => {
    const { isToken, proveJwt } = await import('./prove.ts')
    if (scheme.proof === 'token') return { isGenuine: isToken(scheme, secrets, signed.headers) }
    if (scheme.proof === 'jwt') {
      const { keys } = scheme.jwt
      const keySet = keys === undefined ? undefined : await keySetAt(keys)
      return proveJwt(scheme, secrets, signed, {
        now: clock.now(),
        keysFor: keySet?.keysFor,
      })
    }
    if (!addressed || scheme.proof !== 'fetched') return { isGenuine: false }
    const { fetchBack } = await import('./fetch-back.ts')
    return fetchBack(sessions, scheme, addressed, signed)
  }
}
export type Proofs = ReturnType<typeof createProofs>
