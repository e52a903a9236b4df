import { createHash } from 'node:crypto'
import { createLocalJWKSet, decodeProtectedHeader, errors, jwtVerify } from 'jose'
import type { JSONWebKeySet, JWTPayload } from 'jose'
import { fail, failField, isFailure, isInvalidInput, isNotAllowed, isUnavailable } from '#kit'
import type { UnauthenticatedClient } from '../../wire/index.ts'
import type { JwtAuthenticator, JwtSettings, TokenResources } from './jwt-settings.ts'
import type { Clock, Log, Scope, Store } from '../ports/index.ts'
import { allScopes, ofOperator } from './tokens.ts'

/** A key set is read again after this, and at most this often when a token names a key that is not in it. */
const keepMs = 600_000
const againMs = 30_000
const patienceMs = 3_000
/** Only such as one side signs and the other can merely check. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

const refused = () =>
  fail('unauthenticated', 'The bearer token is missing, unknown, expired or revoked. Give a token made on this server in the Authorization header.')

/** Undefined where the claim is absent. One that is there and holds anything but words would otherwise mean "no limit". */
const listIn = (claims: JWTPayload, name: string): string[] | undefined => {
  const value = claims[name]
  if (value === undefined) return undefined
  if (typeof value === 'string') return value.split(' ').filter((part) => part !== '')
  if (Array.isArray(value) && value.every((part) => typeof part === 'string')) return value
  throw new WrongClaim(name, 'is neither a text nor a list of texts')
}

/** Never leaves this file: the log names the reason, the sender of the token does not learn it. */
class WrongClaim extends Error {
  readonly claim: string
  constructor(claim: string, says: string) {
    super(says)
    this.claim = claim
  }
}

const notReadable = () => fail('unavailable', "The key set of the operator's identity provider cannot be read, so its tokens cannot be checked now.")

/** The key set at `jwksUrl`. Throws `unavailable` where it cannot be read, `invalid_input` naming the setting where it is no key set. */
export const readKeySet = async (
  { jwksUrl }: Pick<JwtSettings, 'jwksUrl'>,
  unauthenticated: Pick<UnauthenticatedClient, 'getJson'>,
): Promise<JSONWebKeySet> => {
  const reply = await unauthenticated.getJson(jwksUrl, 'jwksUrl').catch((thrown: unknown) => {
    if (!isFailure(thrown) || isInvalidInput(thrown) || isNotAllowed(thrown)) throw thrown
    throw fail('unavailable', `${notReadable().message} ${thrown.message}`, { cause: thrown })
  })
  const set = reply.body as unknown as JSONWebKeySet | null
  if (reply.status >= 500 || reply.status === 429) throw fail('unavailable', `${notReadable().message} It answered with status ${reply.status}.`)
  if (reply.status !== 200 || !Array.isArray(set?.keys) || !set.keys.every((key) => typeof key === 'object' && key !== null && typeof key.kty === 'string'))
    throw failField(
      'jwksUrl',
      `jwksUrl of the identity provider (TOOLYARD_JWT) leads to no key set: status ${reply.status}. Give the address of its JWKS; its discovery document calls it "jwks_uri".`,
    )
  return set
}

/** Waits, but not for long: whoever asks with a token must not hang on a provider that does. */
export const withPatience = async <T>(clock: Pick<Clock, 'sleep'>, work: Promise<T>): Promise<T> => {
  const patience = new AbortController()
  const tooLong = clock.sleep(patienceMs, patience.signal).then((): never => {
    throw notReadable()
  })
  tooLong.catch(() => undefined)
  return Promise.race([work, tooLong]).finally(() => patience.abort())
}

/** What the metadata of the paths of MCP offers; a token for one of them has no other right. */
const resourceScopes: readonly string[] = ['run', 'read']

/** A token that is made for paths of the server reaches what these reach, wherever it is shown. */
const narrow = ({ aud = [] }: JWTPayload, audience: string, resources: TokenResources, named: { scopes: string[]; steps: string[] | undefined }) => {
  const audiences = typeof aud === 'string' ? [aud] : aud
  if (audiences.includes(audience)) return named
  const scopes = named.scopes.filter((scope) => resourceScopes.includes(scope))
  const reached = audiences.filter((name) => resources.has(name)).map((name) => resources.get(name))
  if (reached.includes(undefined)) return { scopes, steps: named.steps }
  const steps = reached.flatMap((list) => list ?? [])
  return { scopes, steps: named.steps?.filter((step) => steps.includes(step)) ?? steps }
}

/** Names whoever the token is of. What a token makes is its own, so that two of them never have one name. */
const tokenOf = (claims: JWTPayload): string => {
  const sub = String(claims.sub ?? 'unnamed')
  const plain = sub.replace(/[^\x21-\x7e]/g, '?').slice(0, 100)
  return `jwt:${plain}${plain === sub ? '' : ` ${createHash('sha256').update(sub).digest('base64url').slice(0, 22)}`}`
}

type Parts = {
  settings: JwtSettings
  /** Accepted audiences besides that of the settings. */
  resources(): TokenResources
  unauthenticated: Pick<UnauthenticatedClient, 'getJson'>
  store: Pick<Store, 'tenants'>
  clock: Clock
  log: Log
}

/** The caller behind an operator's token. Throws `unauthenticated`, the same for every reason; `unavailable` while the key set cannot be read. */
export const createJwtAuthenticator = ({ settings, resources, unauthenticated, store, clock, log }: Parts): JwtAuthenticator => {
  let keys: { find: ReturnType<typeof createLocalJWKSet>; ids: Set<string>; at: number } | undefined
  let reading: Promise<void> | undefined
  let askedAt = Number.NEGATIVE_INFINITY

  const read = async () => {
    const set = await readKeySet(settings, unauthenticated)
    keys = { find: createLocalJWKSet(set), ids: new Set(set.keys.flatMap(({ kid }) => (kid === undefined ? [] : [kid]))), at: clock.monotonic() }
  }
  /** One at a time. What it ends in is said here too, since not everybody waits for it. */
  const readOnce = () => {
    askedAt = clock.monotonic()
    reading ??= read()
      .catch((error: unknown) => {
        log('warn', 'jwt.keys_not_read', { setting: 'jwksUrl', reason: isFailure(error) ? error.message : 'unknown' })
        throw error
      })
      .finally(() => (reading = undefined))
    reading.catch(() => undefined)
    return reading
  }
  const isRested = () => clock.monotonic() - askedAt >= againMs

  const keysFor = async (keyId: string | undefined) => {
    if (!keys) {
      // Nothing can be checked without them, so each one that is not in flight already is worth a try.
      await withPatience(clock, reading ?? readOnce())
      return keys!.find
    }
    const age = clock.monotonic() - keys.at
    if (keyId !== undefined && !keys.ids.has(keyId)) {
      // Known keys go on being known while their source is away; an unknown one is then simply unknown.
      if (reading || (age >= againMs && isRested())) await withPatience(clock, reading ?? readOnce()).catch(() => undefined)
    } else if (age >= keepMs && !reading && isRested()) void readOnce().catch(() => undefined)
    return keys.find
  }

  const claimsOf = async (text: string): Promise<JWTPayload> => {
    try {
      const { kid } = decodeProtectedHeader(text)
      const find = await keysFor(kid)
      const { payload } = await jwtVerify(text, find, {
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
      throw refuse(thrown instanceof errors.JOSEError ? thrown.code : 'malformed', thrown)
    }
  }

  /** The caller learns nothing; the operator reads why. */
  const refuse = (code: string, why: unknown) => {
    const claim = (why as { claim?: unknown }).claim
    log('warn', 'jwt.refused', {
      code,
      ...(typeof claim === 'string' ? { claim: claim.slice(0, 64) } : {}),
      reason: why instanceof Error ? why.message.slice(0, 200) : String(why),
    })
    return refused()
  }
  const readCaller = (claims: JWTPayload) => {
    const { claims: names } = settings
    try {
      const tenant = claims[names.tenant]
      if (typeof tenant !== 'string') throw new WrongClaim(names.tenant, tenant === undefined ? 'is missing' : 'is no text')
      return { tenant, scopes: listIn(claims, names.scopes) ?? [], steps: listIn(claims, names.steps), connections: listIn(claims, names.connections) }
    } catch (thrown) {
      if (!(thrown instanceof WrongClaim)) throw thrown
      throw refuse('wrong_claim', thrown)
    }
  }

  const prepare = () =>
    withPatience(clock, readOnce()).catch((thrown: unknown) => {
      if (!isUnavailable(thrown)) throw thrown
      log('error', 'jwt.provider_away', { setting: 'TOOLYARD_JWT jwksUrl', address: settings.jwksUrl, reason: thrown.message })
    })

  const authenticate = async (text: string) => {
    const claims = await claimsOf(text)
    const { tenant, connections, ...rights } = readCaller(claims)
    const { scopes: named, steps } = narrow(claims, settings.audience, resources(), rights)
    if (!(await store.tenants.get(tenant))) throw refuse('unknown_tenant', new WrongClaim(settings.claims.tenant, 'names no tenant of this server'))
    // The admin routes act on every tenant, so only the operator's own one may bring that key.
    const scopes = named.filter((scope) => allScopes.includes(scope as Scope) && (tenant === 'default' || !ofOperator(scope as Scope))) as Scope[]
    return {
      tenant,
      token: tokenOf(claims),
      scopes,
      ...(steps ? { steps } : {}),
      ...(connections ? { connections } : {}),
      expiresAt: claims.exp! * 1000,
    }
  }
  return Object.assign(authenticate, { prepare })
}
