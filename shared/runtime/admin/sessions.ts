import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { fail } from '#kit'
import { allScopes } from '../../api/rules.ts'
import type { Caller, Clock, Session, Store } from '../ports/index.ts'
import type { Audit } from './audit.ts'
import type { Tokens } from './tokens.ts'
import type { Session as SessionView } from '../../api/resources/session.ts'

export type { SessionView }

const minute = 60_000
export const sessionTimes = { codeMs: 10 * minute, sessionMs: 12 * 60 * minute }
/** Of one token: a script that asks for links, or signs in over and over, fills no disk. */
const maxCodes = 20
const maxSessions = 100

/** What signs in: a code out of a link, or the text of a token. */
export type Credential = { code: string; token?: undefined } | { token: string; code?: undefined }

export type Sessions = {
  /**
   * A code that signs a browser in as the caller's token, once, within ten minutes. Shown this once.
   * @throws Failure `not_allowed` for callers without a token of this server
   */
  createCode(caller: Caller): Promise<{ code: string; expiresAt: string }>
  /**
   * `secret` is for the browser's cookie alone. @throws Failure `unauthenticated`, the same for every reason;
   * `not_allowed` for a token of an identity provider
   */
  signIn(credential: Credential): Promise<{ secret: string; session: SessionView }>
  /** The caller behind a session: its token as it is now. @throws Failure `unauthenticated` */
  authenticate(secret: string): Promise<Caller>
  /** Whether `claimedToken` is the CSRF token of this session. */
  isCsrfToken(secret: string, claimedToken: string): boolean
  /** What the caller is and may do; `secret`: of the session the call came with. */
  view(caller: Caller, secret?: string): Promise<SessionView>
  signOut(caller: Caller, secret: string): Promise<void>
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
const newText = (prefix: string) => `${prefix}_${randomBytes(32).toString('base64url')}`
const shapeOf = (prefix: string) => new RegExp(`^${prefix}_[A-Za-z0-9_-]{43}$`)
const [codeShape, secretShape] = [shapeOf('tyc'), shapeOf('tys')]

/** Derived, so that it needs no storage: whoever has it learns nothing of the session's secret. */
const csrfTokenOf = (secret: string) => createHmac('sha256', secret).update('csrf').digest('base64url')

const wrongCode = () =>
  fail(
    'unauthenticated',
    'This sign-in code is unknown, was already used, or is older than ten minutes. Get a new link with "toolyard console", or sign in with a token.',
  )
const ended = () =>
  fail(
    'unauthenticated',
    'You are signed out, or the session has ended. Sign in again: "toolyard console" prints a link.',
  )
const notOurs = () =>
  fail(
    'not_allowed',
    'A session can only be bound to a token made on this server. Tokens of an identity provider, and calls without a token, cannot sign in.',
  )

type SessionsDependencies = {
  store: Pick<Store, 'sessions' | 'signInCodes' | 'tenants'>
  tokens: Pick<Tokens, 'authenticate' | 'find'>
  clock: Clock
  audit: Audit
}

/** Sign-in of browsers. Sessions are bound to a token: they end with it, and may do what it may do. */
export const createSessions = ({ store, tokens, clock, audit }: SessionsDependencies): Sessions => {
  const bound = async ({ tenant, token }: Caller) => {
    const storedToken = token === undefined ? undefined : await tokens.find(tenant, token)
    if (!storedToken) throw notOurs()
    return storedToken
  }
  const view = async (caller: Caller, secret?: string): Promise<SessionView> => {
    const {
      tenant,
      token: id = 'library',
      scopes = [...allScopes],
      steps = null,
      connections = null,
      toolSet = null,
    } = caller
    const storedToken = await tokens.find(tenant, id)
    const row = secret === undefined ? undefined : await store.sessions.get(hashOf(secret), clock.now())
    if (secret !== undefined && !row) throw ended()
    const expiresAt = storedToken?.view.expiresAt ?? null
    return {
      tenant: { id: tenant, name: (await store.tenants.get(tenant))?.name ?? tenant },
      token: { id, name: storedToken?.view.name ?? id, scopes, steps, connections, toolSet, expiresAt },
      ...(secret === undefined ? {} : { csrfToken: csrfTokenOf(secret) }),
      expiresAt: row ? new Date(row.expiresAt).toISOString() : expiresAt,
    }
  }
  const callerOf = async ({ code, token }: Credential): Promise<Caller> => {
    if (token !== undefined) return tokens.authenticate(token)
    const row = codeShape.test(code) ? await store.signInCodes.take(hashOf(code), clock.now()) : undefined
    const storedToken = row && (await tokens.find(row.tenant, row.token))
    if (!storedToken) throw wrongCode()
    return storedToken.caller
  }

  return {
    async createCode(caller) {
      const { view: token } = await bound(caller)
      const code = newText('tyc')
      const createdAt = clock.now()
      const expiresAt = createdAt + sessionTimes.codeMs
      await store.signInCodes.add(
        { hash: hashOf(code), tenant: token.tenant, token: token.id, createdAt, expiresAt },
        maxCodes,
      )
      await audit.changed(caller, { what: 'sessions.createCode' })
      return { code, expiresAt: new Date(expiresAt).toISOString() }
    },

    async signIn(credential) {
      const caller = await callerOf(credential)
      const { view: token } = await bound(caller)
      const secret = newText('tys')
      const createdAt = clock.now()
      const end = createdAt + sessionTimes.sessionMs
      const expiresAt = token.expiresAt === null ? end : Math.min(end, Date.parse(token.expiresAt))
      const row: Session = { hash: hashOf(secret), tenant: token.tenant, token: token.id, createdAt, expiresAt }
      await store.sessions.add(row, maxSessions)
      await audit.changed(caller, {
        what: 'sessions.signIn',
        decision: credential.code === undefined ? 'with the token' : 'with a code',
      })
      return { secret, session: await view(caller, secret) }
    },

    async authenticate(secret) {
      const row = secretShape.test(secret) ? await store.sessions.get(hashOf(secret), clock.now()) : undefined
      const storedToken = row && (await tokens.find(row.tenant, row.token))
      if (!storedToken) throw ended()
      return storedToken.caller
    },

    isCsrfToken: (secret, claimedToken) => {
      // Hashes have the same length, which the comparison needs.
      const [expected, claimed] = [csrfTokenOf(secret), claimedToken].map((text) =>
        createHash('sha256').update(text).digest(),
      )
      return timingSafeEqual(expected!, claimed!)
    },

    view,

    async signOut(caller, secret) {
      await store.sessions.remove(caller.tenant, hashOf(secret))
      await audit.changed(caller, { what: 'sessions.signOut' })
    },
  }
}
