import { createHash } from 'node:crypto'
import { decodeProtectedHeader, errors, jwtVerify } from 'jose'
import type { JWTPayload } from 'jose'
import { fail } from '#kit'
import type { UnauthenticatedClient } from '../../wire/index.ts'
import type { JwtAuthenticator, JwtSettings, TokenResources } from './jwt-settings.ts'
import { createRequireKnown, readClaims, WrongClaim } from './claims.ts'
import { createKeySet } from './key-set.ts'
import { allScopes } from '../../api/rules.ts'
import type { Scope } from '../../api/rules.ts'
import type { Clock, Log, Store } from '../ports/index.ts'
import type { People } from '../people/people.ts'
import { ofOperator } from './tokens.ts'

/** Asymmetric algorithms only: the server can verify signatures, but not create them. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/** Scopes that the metadata of the MCP paths offers; a token for such a path has no others. */
const resourceScopes: readonly string[] = ['run', 'read']

/** A token whose audience is a path of the server has only the rights of that path, wherever it is used. */
const narrow = (
  { aud = [] }: JWTPayload,
  audience: string,
  resources: TokenResources,
  rights: { scopes: string[]; steps: string[] | undefined },
) => {
  const audiences = typeof aud === 'string' ? [aud] : aud
  if (audiences.includes(audience)) return rights
  const scopes = rights.scopes.filter((scope) => resourceScopes.includes(scope))
  const reached = audiences.filter((name) => resources.has(name)).map((name) => resources.get(name))
  if (reached.includes(undefined)) return { scopes, steps: rights.steps }
  const steps = reached.flatMap((list) => list ?? [])
  return { scopes, steps: rights.steps?.filter((step) => steps.includes(step)) ?? steps }
}

/** Id of the token's owner. A token owns what it creates, so two owners must never get the same id. */
const tokenOf = (claims: JWTPayload): string => {
  const sub = String(claims.sub ?? 'unnamed')
  const plain = sub.replace(/[^\x21-\x7e]/g, '?').slice(0, 100)
  return `jwt:${plain}${plain === sub ? '' : ` ${createHash('sha256').update(sub).digest('base64url').slice(0, 22)}`}`
}

/**
 * Logs why a token is refused, for the operator; the caller does not learn the reason. Returns the failure to throw.
 */
const refuse = (log: Log, code: string, why: unknown) => {
  const claim = (why as { claim?: unknown }).claim
  log('warn', 'jwt.refused', {
    code,
    ...(typeof claim === 'string' ? { claim: claim.slice(0, 64) } : {}),
    reason: why instanceof Error ? why.message.slice(0, 200) : String(why),
  })
  return fail(
    'unauthenticated',
    'The bearer token is missing, unknown, expired or revoked. Give a token made on this server in the Authorization header.',
  )
}

type JwtOptions = {
  settings: JwtSettings
  /** Audiences accepted in addition to that of the settings. */
  resources(): TokenResources
  unauthenticated: Pick<UnauthenticatedClient, 'getJson'>
  store: Pick<Store, 'tenants'>
  /** Adds a tenant that a token names for the first time. */
  addTenant(id: string): Promise<unknown>
  people: Pick<People, 'note' | 'isKnown'>
  clock: Clock
  log: Log
}

/**
 * The caller behind a token of the operator's identity provider.
 * @throws Failure `unauthenticated`, the same for every reason; `unavailable` while the key set cannot be read
 */
export const createJwtAuthenticator = ({
  settings,
  resources,
  unauthenticated,
  store,
  addTenant,
  people,
  clock,
  log,
}: JwtOptions): JwtAuthenticator => {
  const { keysFor, prepare } = createKeySet(settings, { unauthenticated, clock, log })

  const claimsOf = async (text: string): Promise<JWTPayload> => {
    try {
      const { kid } = decodeProtectedHeader(text)
      const keys = await keysFor(kid)
      const { payload } = await jwtVerify(text, keys, {
        issuer: settings.issuer,
        audience: [settings.audience, ...resources().keys()],
        algorithms,
        requiredClaims: ['exp'],
        clockTolerance: 30,
        currentDate: new Date(clock.now()),
      })
      return payload
    } catch (thrown) {
      if (!(thrown instanceof errors.JOSEError) && !(thrown instanceof TypeError)) throw thrown
      throw refuse(log, thrown instanceof errors.JOSEError ? thrown.code : 'malformed', thrown)
    }
  }

  const requireKnown = createRequireKnown({
    names: settings.claims,
    firstUse: settings.firstUse,
    store,
    addTenant,
    people,
  })
  const rightsIn = async (claims: JWTPayload) => {
    try {
      const { tenant, scopes = [], ...rights } = readClaims(claims, settings.claims)
      await requireKnown(tenant!, rights.person)
      return { tenant: tenant!, scopes, ...rights }
    } catch (thrown) {
      throw thrown instanceof WrongClaim ? refuse(log, thrown.code, thrown) : thrown
    }
  }

  const authenticate = async (text: string) => {
    const claims = await claimsOf(text)
    const { tenant, person, connections, ...rights } = await rightsIn(claims)
    const { scopes: claimedScopes, steps } = narrow(claims, settings.audience, resources(), rights)
    // The scopes `admin` and `metrics` span all tenants, so only tokens of the operator's own tenant may have them.
    const scopes = claimedScopes.filter(
      (scope) => allScopes.includes(scope as Scope) && (tenant === 'default' || !ofOperator(scope as Scope)),
    ) as Scope[]
    return {
      tenant,
      token: tokenOf(claims),
      scopes,
      ...(steps ? { steps } : {}),
      ...(connections ? { connections } : {}),
      ...(person === undefined ? {} : { person }),
      expiresAt: claims.exp! * 1000,
    }
  }
  return Object.assign(authenticate, { prepare })
}
