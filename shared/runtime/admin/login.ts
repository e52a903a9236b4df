import { createHash, randomBytes } from 'node:crypto'
import { fail, failField, isConflict, isFailure, isNotAllowed, isUnavailable } from '#kit'
import { allScopes } from '../../api/rules.ts'
import type { Scope } from '../../api/rules.ts'
import type { OpenId } from '../../wire/index.ts'
import type { People } from '../people/people.ts'
import type { Clock, Log, Store, Vault } from '../ports/index.ts'
import type { Audit } from './audit.ts'
import { createRequireKnown, readClaims, WrongClaim } from './claims.ts'
import type { Claims } from './claims.ts'
import { readLocalPath } from './local-path.ts'
import type { LoginSettings } from './login-settings.ts'
import type { createLoginTokens, SignInRights } from './login-tokens.ts'
import type { Sessions, SessionView } from './sessions.ts'
import { sessionTimes } from './sessions.ts'
import { ofOperator } from './tokens.ts'

/**
 * Why a browser is not signed in. `lost`: what we gave it to keep is missing, too old or of another attempt; `used`: the
 * code is; `denied`: by the provider; `not-accepted`: by our settings; `failed`: the provider's answer is not usable.
 */
export type LoginRefusal = 'lost' | 'used' | 'denied' | 'not-accepted' | 'failed'

/** `next`: where the browser goes on, a path of this server; when refused, where it may try to get to again. */
export type LoginResult =
  | { kind: 'signed-in'; secret: string; session: SessionView; next: string }
  | { kind: 'refused'; refusal: LoginRefusal; next: string | undefined }

export type LoginFlow = {
  /**
   * The provider's address to send a browser to, and what the browser has to keep until it comes back.
   * @throws Failure `invalid_input` when `next` is no path of this server; `unavailable` while the provider is away
   */
  begin(next: string): Promise<{ address: string; pending: string }>
  /**
   * Signs in the browser that came back with this query.
   * @throws Failure `unavailable` while the provider is away
   */
  finish(pending: string | undefined, search: string): Promise<LoginResult>
}

/** `name`: what people know the provider as. */
export type Login = LoginFlow & { name: string }

const pendingMs = 10 * 60_000
/** Attempts to sign in whose answers are remembered as used. */
const maxUsed = 10_000
/** It has to fit into a cookie, sealed. */
const maxNext = 2_000

type Pending = { state: string; nonce: string; verifier: string; redirectUri: string; next: string; expiresAt: number }

const scope = { tenant: 'default', owner: 'login' }

/** `*` alone accepts everybody, whether or not the provider knows an email address. */
const anyDomain = (domains: readonly string[]) => domains.includes('*')

/** An address that nobody has confirmed may be somebody else's. */
const isVerified = (claims: Claims) => claims['email_verified'] === true

const verifiedEmail = (claims: Claims): string => {
  const { email } = claims
  if (typeof email !== 'string') throw new WrongClaim('email', 'is missing', 'no_email')
  if (!isVerified(claims)) throw new WrongClaim('email_verified', 'is not true', 'unverified_email')
  return email
}

/** @throws WrongClaim */
const requireDomain = (claims: Claims, domains: readonly string[]) => {
  if (anyDomain(domains)) return
  const email = verifiedEmail(claims)
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  if (!email.includes('@') || !domains.includes(domain))
    throw new WrongClaim('email', 'is of a domain that is not listed', 'other_domain')
}

const isOperator = (claims: Claims, operators: LoginSettings['operators']) => {
  if (!operators || (operators.claim === 'email' && !isVerified(claims))) return false
  const value = claims[operators.claim]
  return [value].flat().some((part) => typeof part === 'string' && operators.values.includes(part))
}

const isPersonScope = (name: string): name is Scope => allScopes.includes(name as Scope) && !ofOperator(name as Scope)

/** Claims that the settings need, beside those that every ID token has. */
const wantedClaims = ({ domains, claims, operators }: LoginSettings) => {
  const named = [...Object.values(claims), operators?.claim].filter((name) => name !== undefined)
  return anyDomain(domains) && !named.includes('email') ? named : ['email', 'email_verified', ...named]
}

type LoginDependencies = {
  settings: LoginSettings
  openId: OpenId
  vault: Pick<Vault, 'seal' | 'open'>
  store: Pick<Store, 'tenants' | 'signInCodes'>
  addTenant(id: string): Promise<unknown>
  people: Pick<People, 'note' | 'isKnown'>
  loginTokens: ReturnType<typeof createLoginTokens>
  sessions: Pick<Sessions, 'open'>
  /** The address of this server, without a trailing "/". */
  base(): string
  clock: Clock
  audit: Audit
  log: Log
}

/** What the claims of somebody the provider vouches for give them here. */
const createReadRights = ({ settings, store, addTenant, people, clock }: LoginDependencies) => {
  const { claims: names, firstUse } = settings
  const requireKnown = createRequireKnown({ names, firstUse, store, addTenant, people })
  /** @throws WrongClaim */
  return async (claims: Claims): Promise<SignInRights> => {
    requireDomain(claims, settings.domains)
    const expiresAt = clock.now() + sessionTimes.sessionMs
    if (isOperator(claims, settings.operators)) {
      const name = `Sign-in of ${String(claims['email'] ?? claims['sub']).slice(0, 100)} (operator)`
      const bounds = { person: null, steps: null, connections: null }
      return { name, tenant: 'default', scopes: [...allScopes], ...bounds, expiresAt }
    }
    // An unconfirmed address must not name a person or a tenant either.
    if (names.person === 'email' || names.tenant === 'email') verifiedEmail(claims)
    const { tenant = settings.tenant, person, scopes, steps, connections } = readClaims(claims, names)
    await requireKnown(tenant, person)
    return {
      name: `Sign-in of ${person!.slice(0, 100)}`,
      tenant,
      person: person!,
      scopes: scopes?.filter(isPersonScope) ?? settings.scopes,
      steps: steps ?? null,
      connections: connections ?? null,
      expiresAt,
    }
  }
}

/** Signs browsers in at an OpenID provider. */
export const createLogin = (dependencies: LoginDependencies): LoginFlow => {
  const { settings, openId, vault, store, loginTokens, sessions, base, clock, audit, log } = dependencies
  const readRights = createReadRights(dependencies)
  const wanted = wantedClaims(settings)

  const openPending = (pending: string): Pending | undefined => {
    try {
      const request = JSON.parse(vault.open(scope, { request: pending })['request']!) as Pending
      return request.expiresAt > clock.now() ? request : undefined
    } catch {
      return undefined
    }
  }

  /** What keeps us from asking the provider is the operator's to know and to change. */
  const asking = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (thrown) {
      if (!isFailure(thrown) || !(isUnavailable(thrown) || isNotAllowed(thrown))) throw thrown
      log('error', 'login.provider_away', { setting: 'TOOLYARD_LOGIN issuer', reason: thrown.message })
      throw fail('unavailable', 'The OpenID provider cannot be asked now. Try again in a moment.', { cause: thrown })
    }
  }

  const refused = (refusal: LoginRefusal, code: string, reason: string, next: string | undefined): LoginResult => {
    log('warn', 'login.refused', { refusal, code, reason })
    return { kind: 'refused', refusal, next }
  }

  const refuseClaims = async ({ code, claim, message }: WrongClaim, next: string) => {
    const failure = fail('not_allowed', `The OpenID provider signed in somebody who may not sign in here: ${code}.`)
    await audit.refused({ tenant: 'default', token: 'login' }, { what: 'sessions.signIn' }, failure)
    return refused('not-accepted', code, `${claim} ${message}`, next)
  }

  /** False where the attempt was answered before, by whichever server of this store. */
  const useUp = async (state: string): Promise<boolean> => {
    const now = clock.now()
    // No sign-in code has this form, so none can be found by the hash.
    const hash = createHash('sha256').update(`state of a sign-in ${state}`).digest('hex')
    const row = { hash, tenant: 'default', token: 'login', createdAt: now, expiresAt: now + pendingMs }
    try {
      await store.signInCodes.add(row, maxUsed)
      return true
    } catch (thrown) {
      if (isConflict(thrown)) return false
      throw thrown
    }
  }

  return {
    async begin(next) {
      const path = readLocalPath(next, maxNext)
      const root = new URL(base()).pathname.replace(/\/$/, '')
      if (path === undefined || !path.startsWith(`${root}/`))
        throw failField('next', '"next" must be a path of this server, of at most 2000 characters.')
      const request = {
        state: randomBytes(32).toString('base64url'),
        ...(await openId.secrets()),
        redirectUri: `${base()}/login/callback`,
      }
      const address = await asking(openId.address(settings, request, settings.openIdScopes))
      const pending: Pending = { ...request, next: path, expiresAt: clock.now() + pendingMs }
      return { address, pending: vault.seal(scope, { request: JSON.stringify(pending) })['request']! }
    },

    async finish(sealed, search) {
      const pending = sealed === undefined ? undefined : openPending(sealed)
      if (!pending)
        return refused('lost', 'no_request', 'this browser has not asked to sign in, or too long ago', undefined)
      const { next, ...request } = pending
      const returned = new URL(request.redirectUri)
      returned.search = search
      if (returned.searchParams.get('state') !== request.state)
        return refused('lost', 'wrong_state', 'the answer belongs to another attempt to sign in', next)
      if (!(await useUp(request.state)))
        return refused('used', 'used_state', 'this attempt to sign in has been answered before', next)
      const answer = await asking(openId.claims(settings, { ...request, returned }, wanted))
      if ('refusal' in answer) {
        const refusal = { denied: 'denied', code: 'used', reply: 'failed' } as const
        return refused(refusal[answer.refusal], answer.refusal, answer.reason, next)
      }
      const { claims } = answer
      try {
        const rights = await readRights(claims)
        const identity = { issuer: settings.issuer, subject: String(claims['sub']) }
        const { secret, session } = await sessions.open(
          await loginTokens.callerFor(identity, rights),
          'by the OpenID provider',
        )
        return { kind: 'signed-in', secret, session, next }
      } catch (thrown) {
        if (thrown instanceof WrongClaim) return refuseClaims(thrown, next)
        throw thrown
      }
    },
  }
}
