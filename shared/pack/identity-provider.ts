import { failField } from '#kit'
import { jwtSettings } from '../runtime/admin/jwt-settings.ts'
import type { EgressRules } from '../wire/index.ts'
import type { PackOptions } from '../pack-types.ts'
import { openWire, systemClock } from './foundation.ts'
import type { Foundation } from './foundation.ts'

const readJwtSettings = (given: PackOptions['jwt']) => {
  const parsed = jwtSettings.safeParse(given)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw failField('jwt', `jwt: ${issue?.path.join('.') || 'it'} ${issue?.message ?? 'is not usable'}.`)
}

/** The authenticator of an identity provider's tokens; undefined where none is configured, so that its code is not even loaded. */
export const openIdentityProvider = async ({ unauthenticated, store, clock, log }: Foundation, given: PackOptions['jwt']) => {
  if (!given) return undefined
  const { createJwtAuthenticator } = await import('../runtime/admin/operator-jwt.ts')
  return createJwtAuthenticator({ settings: readJwtSettings(given), unauthenticated, store, clock, log })
}

/**
 * Whether the key set of an identity provider can be read, without a server; gives the number of keys.
 * @throws Failure `invalid_input` or `not_allowed` where the address can never be used, `unavailable` where it does not answer now
 */
export const checkIdentityProvider = async (given: PackOptions['jwt'], egress: Partial<EgressRules>): Promise<number> => {
  const { unauthenticated, close } = openWire(systemClock, Math.random, egress)
  try {
    const { readKeySet, withPatience } = await import('../runtime/admin/operator-jwt.ts')
    return (await withPatience(systemClock, readKeySet(readJwtSettings(given), unauthenticated))).keys.length
  } finally {
    await close()
  }
}
