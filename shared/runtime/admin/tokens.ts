import { hash as hashText, randomBytes, randomUUIDv7 } from 'node:crypto'
import { fail, failField, isFailure } from '#kit'
import type { Audit } from './audit.ts'
import { looksLikeJwt } from './jwt-settings.ts'
import type { JwtAuthenticator } from './jwt-settings.ts'
import { allScopes } from '../../api/rules.ts'
import type { Scope } from '../../api/rules.ts'
import type { Caller, Clock, Log, Store, Tenant, Token } from '../ports/index.ts'
import { mayUse, requirePersonId } from '../people/act-for.ts'
import type { People } from '../people/people.ts'
import type { Registry } from '../catalogue/registry.ts'
import { requireToolSet } from '../catalogue/tool-sets.ts'
import { createTokenCache } from './token-cache.ts'
import type { Token as TokenView } from '../../api/resources/token.ts'

export type { TokenView }

export type NewToken = {
  name: string
  scopes?: Scope[] | undefined
  steps?: string[] | undefined
  connections?: string[] | undefined
  toolSet?: string | undefined
  /** The end user of the platform whom it acts for; absent: nobody. */
  person?: string | undefined
  expiresAt?: number | undefined
}
export type Tokens = {
  /**
   * The caller behind a bearer token. `at`: the path of the resource that it is used at, such as "/mcp"; access tokens
   * that a person let a client have are good for one, and without a path for none.
   * @throws Failure `unauthenticated`, the same for every reason
   */
  authenticate(text: string, at?: () => string): Promise<Caller>
  /** A token that is neither revoked nor expired, with its caller. */
  find(tenant: string, id: string): Promise<{ caller: Caller; view: TokenView } | undefined>
  /** `text` is returned only now. */
  create(tenant: string, newToken: NewToken, by?: Caller): Promise<{ text: string; token: TokenView }>
  /**
   * Makes the operator's text the server's own token, with all scopes in the tenant "default". The former text and the
   * tokens of first starts become invalid. Undefined: the former text becomes invalid.
   * @throws Failure `invalid_input` for a text that somebody revoked
   */
  useOwn(text: string | undefined): Promise<void>
  /** Creates the token of a first start, which replaces an earlier one. */
  makeFirst(): Promise<string>
  list(tenant: string): Promise<TokenView[]>
  revoke(tenant: string, id: string, by?: Caller): Promise<void>
  /** Call it when another process may have changed a token. */
  forget(tenant: string, id: string): void
}
export type Tenants = {
  ensure(id: string, name: string): Promise<void>
  create(newTenant: { id?: string | undefined; name: string }, by?: Caller): Promise<Tenant>
  list(): Promise<Tenant[]>
}

/** Scopes that span all tenants. */
export const ofOperator = (scope: Scope) => scope === 'admin' || scope === 'metrics'
const hashOf = (text: string) => hashText('sha256', text)
const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())

export const viewToken = ({ hash: _, origin: __, ...token }: Token): TokenView => ({
  ...token,
  toolSet: token.toolSet ?? null,
  person: token.person ?? null,
  createdAt: iso(token.createdAt)!,
  expiresAt: iso(token.expiresAt),
  revokedAt: iso(token.revokedAt),
})

type TokenOptions = {
  store: Store
  registry: Pick<Registry, 'step' | 'all'>
  clock: Clock
  audit: Audit
  log: Log
  jwt?: JwtAuthenticator | undefined
  oauth?: { load(): Promise<{ authenticate(text: string, at: string | undefined): Promise<Caller> }> } | undefined
  people: Pick<People, 'note'>
  /** Ends the grants that a token signed. */
  endSignedBy(tenant: string, token: string): Promise<void>
}

/** How access tokens begin that a person let a client have. */
export const accessPrefix = 'tya_'
const newText = () => `ty_${randomBytes(24).toString('base64url')}`

const hasStep = (registry: Pick<Registry, 'step'>, integration: string, step: string) => {
  try {
    registry.step(integration, step)
    return true
  } catch (thrown) {
    if (isFailure(thrown)) return false
    throw thrown
  }
}

const itself: Caller = { tenant: 'default', token: 'process' }

export const callerOf = ({ tenant, id, scopes, steps, connections, toolSet, person, origin }: Token): Caller => ({
  tenant,
  token: id,
  scopes,
  ...(steps ? { steps } : {}),
  ...(connections ? { connections } : {}),
  ...(toolSet ? { toolSet } : {}),
  ...(person == null ? {} : { person }),
  ...(origin === 'grant' ? { program: true } : {}),
})

/** Why a token is no longer valid; undefined: it is valid. */
export const endOf = (
  { revokedAt, expiresAt }: Pick<Token, 'revokedAt' | 'expiresAt'>,
  now: number,
): 'revoked' | 'expired' | undefined => {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt <= now ? 'expired' : undefined
}

const addToken = async (
  { store, clock }: Pick<TokenOptions, 'store' | 'clock'>,
  tenant: string,
  text: string,
  newToken: NewToken,
  origin: Token['origin'] = null,
) => {
  const token: Token = {
    id: `tok_${randomUUIDv7()}`,
    tenant,
    name: newToken.name,
    hash: hashOf(text),
    last4: text.slice(-4),
    scopes: newToken.scopes ?? ['run', 'connections', 'subscriptions', 'read'],
    steps: newToken.steps ?? null,
    connections: newToken.connections ?? null,
    toolSet: newToken.toolSet ?? null,
    person: newToken.person ?? null,
    createdAt: clock.now(),
    expiresAt: newToken.expiresAt ?? null,
    revokedAt: null,
    origin,
  }
  await store.tokens.add(token)
  return token
}

/**
 * Checks, among others, that the connections a token is bound to exist: bound to a misspelt id, it could use nothing,
 * and nobody would learn why.
 */
const checkNewToken = async (
  { store, registry, clock }: Pick<TokenOptions, 'store' | 'registry' | 'clock'>,
  tenant: string,
  { scopes = [], steps = [], connections = [], toolSet, person, expiresAt }: NewToken,
) => {
  if (person !== undefined) requirePersonId(person)
  if (toolSet !== undefined) requireToolSet(registry.all, toolSet, 'toolSet')
  const scope = scopes.find((name) => !allScopes.includes(name))
  if (scope !== undefined)
    throw failField('scopes', `There is no scope "${scope}". There are: ${allScopes.join(', ')}.`)
  if (expiresAt !== undefined && !(expiresAt > clock.now()))
    throw failField(
      'expiresAt',
      `The token would have ended already: ${Number.isNaN(expiresAt) ? 'that is no time' : iso(expiresAt)}. Give a time to come.`,
    )
  for (const id of steps) {
    const [integration = '', step = '', ...others] = id.split('/')
    if (others.length > 0 || !hasStep(registry, integration, step))
      throw failField('steps', `There is no step "${id}". Write it as <integration>/<step>; "toolyard list" shows all.`)
  }
  for (const id of connections) {
    const connection = await store.connections.get(tenant, id)
    if (!connection)
      throw failField(
        'connections',
        `There is no connection "${id}" in the tenant "${tenant}". Give ids of its connections, like con_….`,
      )
    if (!mayUse({ tenant, ...(person === undefined ? {} : { person }) }, connection))
      throw failField(
        'connections',
        `The connection "${id}" is the account of another person. Give ids of this person's connections, or of the workspace's.`,
      )
  }
}

/** The tokens that the server creates itself: the one from its environment, and that of a first start. */
const createOwnTokens = (options: TokenOptions, forget: (id: string) => void) => {
  const { store, clock, audit, log, endSignedBy } = options

  /** Revokes the server's own tokens of these origins, except the one with hash `current`. */
  const supersede = async (origins: Token['origin'][], current?: string) => {
    const former = (await store.tokens.list('default')).filter(
      ({ origin, hash, revokedAt }) => origins.includes(origin) && hash !== current && revokedAt === null,
    )
    for (const { id, last4, origin } of former) {
      await store.tokens.patch('default', id, { revokedAt: clock.now(), origin: 'superseded' })
      forget(id)
      await audit.changed(itself, { what: 'tokens.supersede', decision: id })
      log('warn', 'token.superseded', {
        id,
        endsIn: last4,
        was: origin,
        reason: 'TOOLYARD_TOKEN was set, changed or taken away; this token works no longer',
      })
      await endSignedBy('default', id)
    }
  }

  return {
    async useOwn(text: string | undefined): Promise<void> {
      if (text === undefined) return supersede(['environment'])
      if (text.length < 16)
        throw failField('TOOLYARD_TOKEN', 'The token given to this server is too short: use at least 16 characters.')
      const hash = hashOf(text)
      const present = await store.tokens.byHash(hash)
      // An operator may return to an earlier text of the setting, but not to one that somebody revoked.
      // What its sessions let in does not come back with it.
      if (present?.origin === 'superseded') {
        await endSignedBy(present.tenant, present.id)
        await store.tokens.patch(present.tenant, present.id, { revokedAt: null, origin: 'environment' })
      } else if (present && present.revokedAt !== null)
        throw failField('TOOLYARD_TOKEN', 'TOOLYARD_TOKEN was revoked on this server. Give another one.')
      else if (!present)
        await addToken(
          options,
          'default',
          text,
          { name: 'From the environment', scopes: [...allScopes] },
          'environment',
        ).catch(async (thrown: unknown) => {
          // Another server, started at the same time, was first.
          if (!(await store.tokens.byHash(hash))) throw thrown
        })
      await supersede(['environment', 'first-start'], hash)
    },
    async makeFirst(): Promise<string> {
      await supersede(['first-start'])
      const text = newText()
      const { id } = await addToken(
        options,
        'default',
        text,
        { name: 'First start', scopes: [...allScopes] },
        'first-start',
      )
      await audit.changed(itself, {
        what: 'tokens.create',
        decision: `${id} "First start" with ${allScopes.join(' ')}`,
      })
      return text
    },
  }
}

export const createTokens = (options: TokenOptions): Tokens => {
  const { store, clock, audit, jwt, oauth, people, endSignedBy } = options
  const cache = createTokenCache(store.tokens.byHash)
  // Another process may revoke a token of a shared store, and that must take effect here immediately.
  const byHash = store.cluster ? store.tokens.byHash : cache.byHash
  const ownTokens = createOwnTokens(options, (id) => cache.forget('default', id))
  return {
    async authenticate(text, at) {
      if (oauth && text.startsWith(accessPrefix)) return (await oauth.load()).authenticate(text, at?.())
      const token = text.length > 512 ? undefined : await byHash(hashOf(text))
      if (token && endOf(token, clock.now()) === undefined) return callerOf(token)
      if (jwt && looksLikeJwt(text)) return jwt(text)
      throw fail(
        'unauthenticated',
        'The bearer token is missing, unknown, expired or revoked. Give a token made on this server in the Authorization header.',
      )
    },
    async find(tenant, id) {
      const token = await store.tokens.get(tenant, id)
      // A grant is no token that somebody holds, so nobody signs in with it.
      if (!token || token.origin === 'grant' || endOf(token, clock.now()) !== undefined) return undefined
      return { caller: callerOf(token), view: viewToken(token) }
    },
    async create(tenant, newToken, by = itself) {
      if (!(await store.tenants.get(tenant))) throw failField('tenant', `There is no tenant "${tenant}".`, 'not_found')
      // The scopes `admin` and `metrics` span all tenants, so only the operator's own tenant may have such tokens.
      const reserved = newToken.scopes?.find(ofOperator)
      if (reserved && tenant !== 'default')
        throw failField(
          'scopes',
          `The scope "${reserved}" is the operator's and can only be given to a token of the tenant "default".`,
        )
      await checkNewToken(options, tenant, newToken)
      const text = newText()
      const token = viewToken(await addToken(options, tenant, text, newToken))
      if (token.person !== null) people.note(tenant, token.person)
      await audit.changed(
        { ...by, tenant },
        { what: 'tokens.create', decision: `${token.id} "${token.name}" with ${token.scopes.join(' ')}` },
      )
      return { text, token }
    },
    useOwn: ownTokens.useOwn,
    makeFirst: ownTokens.makeFirst,
    async list(tenant) {
      return (await store.tokens.list(tenant)).filter(({ origin }) => origin !== 'grant').map(viewToken)
    },
    async revoke(tenant, id, by = itself) {
      if (!(await store.tokens.revoke(tenant, id, clock.now()))) {
        const refusal = fail('not_found', `There is no token "${id}".`)
        await audit.refused(by, { what: 'tokens.revoke' }, refusal)
        throw refusal
      }
      cache.forget(tenant, id)
      await audit.changed({ ...by, tenant }, { what: 'tokens.revoke', decision: id })
      await endSignedBy(tenant, id)
    },
    forget: cache.forget,
  }
}

export const createTenants = ({ store, clock, audit }: { store: Store; clock: Clock; audit: Audit }): Tenants => ({
  async ensure(id, name) {
    if (await store.tenants.get(id)) return
    await store.tenants.add({ id, name, createdAt: clock.now() }).catch(async (thrown: unknown) => {
      // Another server, started at the same time, was first.
      if (!(await store.tenants.get(id))) throw thrown
    })
  },
  async create({ id = `ten_${randomUUIDv7()}`, name }, by = itself) {
    if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(id))
      throw failField('id', 'A tenant id is 1 to 64 characters: small letters, digits, "-" and "_".')
    if (await store.tenants.get(id)) throw failField('id', `There is already a tenant "${id}".`, 'conflict')
    const tenant: Tenant = { id, name, createdAt: clock.now() }
    await store.tenants.add(tenant)
    await audit.changed({ ...by, tenant: id }, { what: 'tenants.create' })
    return tenant
  },
  list: () => store.tenants.list(),
})
