import { createLocalJWKSet, decodeProtectedHeader, errors, jwtVerify } from 'jose'
import type { JSONWebKeySet, JWTPayload } from 'jose'
import { fail } from '#kit'
import type { Outside } from '../wire/types.ts'
import type { JwtAuthenticator, JwtSettings } from './jwt-settings.ts'
import type { Clock, Log, Scope, Store } from './ports.ts'
import { allScopes, ofOperator } from './tokens.ts'

/** A key set is read again after this, and at most this often when a token names a key that is not in it. */
const keepMs = 600_000
const againMs = 30_000
/** Only such as one side signs and the other can merely check. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

const refused = () =>
  fail('unauthenticated', 'The bearer token is missing, unknown, expired or revoked. Give a token made on this server in the Authorization header.')

const listIn = (claims: JWTPayload, name: string): string[] | undefined => {
  const value = claims[name]
  if (typeof value === 'string') return value.split(' ').filter((part) => part !== '')
  return Array.isArray(value) && value.every((part) => typeof part === 'string') ? value : undefined
}

type Parts = { settings: JwtSettings; outside: Pick<Outside, 'getJson'>; store: Pick<Store, 'tenants'>; clock: Clock; log: Log }

/** The caller behind an operator's token. Throws `unauthenticated`, the same for every reason; `unavailable` while the key set cannot be read. */
export const createJwtAuthenticator = ({ settings, outside, store, clock, log }: Parts): JwtAuthenticator => {
  let keys: { find: ReturnType<typeof createLocalJWKSet>; ids: Set<string>; at: number } | undefined
  let reading: Promise<void> | undefined

  const read = async () => {
    const reply = await outside.getJson(settings.jwksUrl, 'jwt.jwksUrl')
    const set = reply.body as unknown as JSONWebKeySet
    if (reply.status !== 200 || !Array.isArray(set?.keys))
      throw fail('unavailable', "The key set of the operator's identity provider cannot be read, so its tokens cannot be checked now.")
    keys = { find: createLocalJWKSet(set), ids: new Set(set.keys.flatMap(({ kid }) => (kid === undefined ? [] : [kid]))), at: clock.monotonic() }
  }
  const readOnce = () => (reading ??= read().finally(() => (reading = undefined)))

  const keysFor = async (keyId: string | undefined) => {
    const age = keys ? clock.monotonic() - keys.at : Number.POSITIVE_INFINITY
    const isUnknown = keyId !== undefined && keys !== undefined && !keys.ids.has(keyId)
    if (age >= keepMs || (isUnknown && age >= againMs)) {
      await readOnce().catch((error: unknown) => {
        // Known keys go on being known while their source is away.
        if (!keys) throw error
        log('warn', 'jwt.keys_not_read', {})
      })
    }
    return keys!.find
  }

  const claimsOf = async (text: string): Promise<JWTPayload> => {
    try {
      const { kid } = decodeProtectedHeader(text)
      const find = await keysFor(kid)
      const { payload } = await jwtVerify(text, find, {
        issuer: settings.issuer,
        audience: settings.audience,
        algorithms,
        requiredClaims: ['exp'],
        clockTolerance: 30,
        currentDate: new Date(clock.now()),
      })
      return payload
    } catch (thrown) {
      if (!(thrown instanceof errors.JOSEError) && !(thrown instanceof TypeError)) throw thrown
      log('info', 'jwt.refused', { code: thrown instanceof errors.JOSEError ? thrown.code : 'malformed' })
      throw refused()
    }
  }

  return async (text) => {
    const claims = await claimsOf(text)
    const { claims: names } = settings
    const tenant = claims[names.tenant]
    if (typeof tenant !== 'string' || !(await store.tenants.get(tenant))) throw refused()
    // The admin routes reach every tenant, so only the operator's own one may bring that key.
    const scopes = (listIn(claims, names.scopes) ?? []).filter(
      (scope) => allScopes.includes(scope as Scope) && (tenant === 'default' || !ofOperator(scope as Scope)),
    ) as Scope[]
    const [steps, connections] = [listIn(claims, names.steps), listIn(claims, names.connections)]
    return {
      tenant,
      token: `jwt:${String(claims.sub ?? 'unnamed')
        .replace(/[^\x21-\x7e]/g, '?')
        .slice(0, 100)}`,
      scopes,
      ...(steps ? { steps } : {}),
      ...(connections ? { connections } : {}),
    }
  }
}
