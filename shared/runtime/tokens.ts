import { createHash, randomBytes, randomUUIDv7 } from 'node:crypto'
import { fail, failField } from '#kit'
import type { Audit } from './audit.ts'
import { looksLikeJwt } from './jwt-settings.ts'
import type { JwtAuthenticator } from './jwt-settings.ts'
import type { Caller, Clock, Scope, Store, Tenant, Token } from './ports.ts'

export type TokenView = {
  id: string
  tenant: string
  name: string
  last4: string
  scopes: Scope[]
  steps: string[] | null
  connections: string[] | null
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
}
export type NewToken = {
  name: string
  scopes?: Scope[] | undefined
  steps?: string[] | undefined
  connections?: string[] | undefined
  expiresAt?: number | undefined
}
export type Tokens = {
  /** The caller behind a bearer token. Throws `unauthenticated`, the same for every reason. */
  authenticate(text: string): Promise<Caller>
  /** `text` is shown this once. */
  create(tenant: string, given: NewToken, by?: Caller): Promise<{ text: string; token: TokenView }>
  /** Keeps a token whose text the operator chose (environment) as an admin token of the tenant. */
  ensure(tenant: string, text: string, name: string): Promise<void>
  list(tenant: string): Promise<TokenView[]>
  revoke(tenant: string, id: string, by?: Caller): Promise<void>
}
export type Tenants = {
  ensure(id: string, name: string): Promise<void>
  create(given: { id?: string | undefined; name: string }, by?: Caller): Promise<Tenant>
  list(): Promise<Tenant[]>
}

export const allScopes: Scope[] = ['run', 'connections', 'subscriptions', 'read', 'metrics', 'admin']
/** What spans all tenants. */
export const ofOperator = (scope: Scope) => scope === 'admin' || scope === 'metrics'
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())

export const viewToken = ({ hash: _, ...token }: Token): TokenView => ({
  ...token,
  createdAt: iso(token.createdAt)!,
  expiresAt: iso(token.expiresAt),
  revokedAt: iso(token.revokedAt),
})

type TokenParts = { store: Store; clock: Clock; audit: Audit; jwt?: JwtAuthenticator | undefined }

const itself: Caller = { tenant: 'default', token: 'process' }

export const createTokens = ({ store, clock, audit, jwt }: TokenParts): Tokens => {
  const add = async (tenant: string, text: string, given: NewToken) => {
    const token: Token = {
      id: `tok_${randomUUIDv7()}`,
      tenant,
      name: given.name,
      hash: hashOf(text),
      last4: text.slice(-4),
      scopes: given.scopes ?? ['run', 'connections', 'subscriptions', 'read'],
      steps: given.steps ?? null,
      connections: given.connections ?? null,
      createdAt: clock.now(),
      expiresAt: given.expiresAt ?? null,
      revokedAt: null,
    }
    await store.tokens.add(token)
    return token
  }
  return {
    async authenticate(text) {
      const token = text.length > 512 ? undefined : await store.tokens.byHash(hashOf(text))
      const dead = !token || token.revokedAt !== null || (token.expiresAt !== null && token.expiresAt <= clock.now())
      if (dead && jwt && looksLikeJwt(text)) return jwt(text)
      if (dead)
        throw fail('unauthenticated', 'The bearer token is missing, unknown, expired or revoked. Give a token made on this server in the Authorization header.')
      return {
        tenant: token.tenant,
        token: token.id,
        scopes: token.scopes,
        ...(token.steps ? { steps: token.steps } : {}),
        ...(token.connections ? { connections: token.connections } : {}),
      }
    },
    async create(tenant, given, by = itself) {
      if (!(await store.tenants.get(tenant))) throw failField('tenant', `There is no tenant "${tenant}".`, 'not_found')
      // The admin routes reach every tenant, so only the operator's own tenant may hold that key.
      const reserved = given.scopes?.find(ofOperator)
      if (reserved && tenant !== 'default')
        throw failField('scopes', `The scope "${reserved}" is the operator's and can only be given to a token of the tenant "default".`)
      const text = `ty_${randomBytes(24).toString('base64url')}`
      const token = viewToken(await add(tenant, text, given))
      await audit.changed({ ...by, tenant }, { what: 'tokens.create', decision: `${token.id} "${token.name}" with ${token.scopes.join(' ')}` })
      return { text, token }
    },
    async ensure(tenant, text, name) {
      if (text.length < 16) throw failField('TOOLYARD_TOKEN', 'The token given to this server is too short: use at least 16 characters.')
      if (!(await store.tokens.byHash(hashOf(text)))) await add(tenant, text, { name, scopes: allScopes })
    },
    async list(tenant) {
      return (await store.tokens.list(tenant)).map(viewToken)
    },
    async revoke(tenant, id, by = itself) {
      if (!(await store.tokens.revoke(tenant, id, clock.now()))) {
        const refusal = fail('not_found', `There is no token "${id}".`)
        await audit.refused(by, { what: 'tokens.revoke' }, refusal)
        throw refusal
      }
      await audit.changed({ ...by, tenant }, { what: 'tokens.revoke', decision: id })
    },
  }
}

export const createTenants = ({ store, clock, audit }: { store: Store; clock: Clock; audit: Audit }): Tenants => ({
  async ensure(id, name) {
    if (!(await store.tenants.get(id))) await store.tenants.add({ id, name, createdAt: clock.now() })
  },
  async create({ id = `ten_${randomUUIDv7()}`, name }, by = itself) {
    if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(id)) throw failField('id', 'A tenant id is 1 to 64 characters: small letters, digits, "-" and "_".')
    if (await store.tenants.get(id)) throw failField('id', `There is already a tenant "${id}".`, 'conflict')
    const tenant: Tenant = { id, name, createdAt: clock.now() }
    await store.tenants.add(tenant)
    await audit.changed({ ...by, tenant: id }, { what: 'tenants.create' })
    return tenant
  },
  list: () => store.tenants.list(),
})
