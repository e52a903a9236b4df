import { failField } from '#kit'
import { jwtSettings } from '../runtime/admin/jwt-settings.ts'
import type { TokenResources } from '../runtime/admin/jwt-settings.ts'
import type { Tenants } from '../runtime/admin/tokens.ts'
import type { EgressRules } from '../wire/index.ts'
import type { PackOptions } from '../pack-types.ts'
import { openWire, systemClock } from './foundation.ts'
import type { Foundation } from './foundation.ts'

const readJwtSettings = (jwt: PackOptions['jwt']) => {
  const parsed = jwtSettings().safeParse(jwt)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw failField('jwt', `jwt: ${issue?.path.join('.') || 'it'} ${issue?.message ?? 'is not usable'}.`)
}

/**
 * The addresses of MCP, for which hosts request tokens (RFC 8707), each with the steps that are reached there;
 * undefined: all steps.
 */
const resourcesAt = (address: string | undefined, registry: Foundation['registry']): TokenResources => {
  const resources: TokenResources = new Map()
  if (address === undefined) return resources
  resources.set(`${address}/mcp`, undefined)
  for (const { integration, steps } of registry.all)
    resources.set(
      `${address}/mcp/${integration.id}`,
      [...steps.keys()].map((step) => `${integration.id}/${step}`),
    )
  return resources
}

/**
 * The authenticator of an identity provider's tokens; undefined where none is configured, so that its code is not even
 * loaded. `addressOf`: the address this process is reached at, once it is known.
 */
export const openIdentityProvider = async (
  { unauthenticated, store, clock, log, registry, people }: Foundation,
  tenants: Pick<Tenants, 'create'>,
  jwt: PackOptions['jwt'],
  addressOf: () => string | undefined,
) => {
  if (!jwt) return undefined
  const { createJwtAuthenticator } = await import('../runtime/admin/operator-jwt.ts')
  return createJwtAuthenticator({
    settings: readJwtSettings(jwt),
    resources: () => resourcesAt(addressOf(), registry),
    unauthenticated,
    store,
    addTenant: (id) => tenants.create({ id, name: id }),
    people,
    clock,
    log,
  })
}

/**
 * Checks that the key set of an identity provider can be read, without starting a server; returns the number of keys.
 * @throws Failure `invalid_input` or `not_allowed` when the address can never be used, `unavailable` when it does not
 * answer now
 */
export const checkIdentityProvider = async (jwt: PackOptions['jwt'], egress: Partial<EgressRules>): Promise<number> => {
  const { unauthenticated, close } = openWire(systemClock, Math.random, egress)
  try {
    const { readKeySet, withPatience } = await import('../runtime/admin/key-set.ts')
    return (await withPatience(systemClock, readKeySet(readJwtSettings(jwt), unauthenticated))).keys.length
  } finally {
    await close()
  }
}
