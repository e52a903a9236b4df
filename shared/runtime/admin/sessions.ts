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
/** Limits per token, so that a script that requests links or signs in repeatedly cannot fill the disk. */
const maxCodes = 20
const maxSessions = 100

/** What a browser signs in with: the code in a link, or the text of a token. */
export type Credential = { code: string; token?: undefined } | { token: string; code?: undefined }

export type Sessions = {
  /**
   * Creates a code that signs a browser in as the caller's token, once, within ten minutes. The code is shown only now.
   * @throws Failure `not_allowed` for callers without a token of this server
   */
  createCode(caller: Caller): Promise<{ code: string; expiresAt: string }>
  /**
   * `secret` is for the browser's cookie only.
   * @throws Failure `unauthenticated`, the same for every reason; `not_allowed` for a token of an identity provider
   */
  signIn(credential: Credential): Promise<{ secret: string; session: SessionView }>
  /**
   * Signs in a caller whose token is one of this server, without asking for it: the caller was authenticated elsewhere.
   * `how`: for the audit log.
   */
  open(caller: Caller, how: string): Promise<{ secret: string; session: SessionView }>
  /**
   * The caller behind a session, with the current rights of its token.
   * @throws Failure `unauthenticated`
   */
  authenticate(secret: string): Promise<Caller>
  /** Whether `claimedToken` is the CSRF token of this session. */
  isCsrfToken(secret: string, claimedToken: string): boolean
  /** Who the caller is and what it may do; `secret`: that of the session the request came with. */
  view(caller: Caller, secret?: string): Promise<SessionView>
  signOut(caller: Caller, secret: string): Promise<void>
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
const newText = (prefix: string) => `${prefix}_${randomBytes(32).toString('base64url')}`
const shapeOf = (prefix: string) => new RegExp(`^${prefix}_[A-Za-z0-9_-]{43}$`)
const [codeShape, secretShape] = [shapeOf('tyc'), shapeOf('tys')]

/** Derived from the session's secret, so that it needs no storage; it does not reveal the secret. */
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

/** Sign-in of browsers. A session is bound to a token: it ends with the token and has the token's rights. */
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
      person = null,
    } = caller
    const storedToken = await tokens.find(tenant, id)
    const row = secret === undefined ? undefined : await store.sessions.get(hashOf(secret), clock.now())
    if (secret !== undefined && !row) throw ended()
    const expiresAt = storedToken?.view.expiresAt ?? null
    return {
      tenant: { id: tenant, name: (await store.tenants.get(tenant))?.name ?? tenant },
      token: { id, name: storedToken?.view.name ?? id, scopes, steps, connections, toolSet, person, expiresAt },
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

  const open = async (caller: Caller, how: string) => {
    // The rights are those of the token, not those that the caller may have been given besides.
    const { view: token, caller: current } = await bound(caller)
    const secret = newText('tys')
    const createdAt = clock.now()
    const end = createdAt + sessionTimes.sessionMs
    const expiresAt = token.expiresAt === null ? end : Math.min(end, Date.parse(token.expiresAt))
    const row: Session = { hash: hashOf(secret), tenant: token.tenant, token: token.id, createdAt, expiresAt }
    await store.sessions.add(row, maxSessions)
    await audit.changed(current, { what: 'sessions.signIn', decision: how })
    return { secret, session: await view(current, secret) }
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
      return open(await callerOf(credential), credential.code === undefined ? 'with the token' : 'with a code')
    },

    open,

    async authenticate(secret) {
      const row = secretShape.test(secret) ? await store.sessions.get(hashOf(secret), clock.now()) : undefined
      const storedToken = row && (await tokens.find(row.tenant, row.token))
      if (!storedToken) throw ended()
      return storedToken.caller
    },

    isCsrfToken: (secret, claimedToken) => {
      // Compares hashes, because `timingSafeEqual` needs equal lengths.
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
