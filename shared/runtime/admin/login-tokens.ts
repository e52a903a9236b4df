import { createHash, randomUUIDv7 } from 'node:crypto'
import type { Scope } from '../../api/rules.ts'
import type { Caller, Clock, Store, Token } from '../ports/index.ts'
import type { Audit } from './audit.ts'
import type { Tokens } from './tokens.ts'

/** Somebody as their OpenID provider knows them. */
export type Identity = { issuer: string; subject: string }

export type SignInRights = {
  name: string
  tenant: string
  person: string | null
  scopes: Scope[]
  steps: string[] | null
  connections: string[] | null
  expiresAt: number
}

type LoginTokensDependencies = {
  store: Pick<Store, 'tokens'>
  tokens: Pick<Tokens, 'forget'>
  clock: Clock
  audit: Audit
  /** Ends the grants that a token signed. */
  endSignedBy(tenant: string, token: string): Promise<void>
}

/** No hash of a text looks like this, so no text is such a token. */
const hashOf = ({ issuer, subject }: Identity) =>
  `login:${createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')}`

const rightsOf = ({ name, scopes, steps, connections, expiresAt }: SignInRights) => ({
  name,
  scopes,
  steps,
  connections,
  expiresAt,
})

/**
 * The tokens behind the sessions of those whom an OpenID provider signs in: one for each identity, without a text. It
 * is what operators see and revoke, and what a person's sessions end with.
 */
export const createLoginTokens = ({ store, tokens, clock, audit, endSignedBy }: LoginTokensDependencies) => {
  const add = async (hash: string, rights: SignInRights): Promise<Caller> => {
    const token: Token = {
      id: `tok_${randomUUIDv7()}`,
      tenant: rights.tenant,
      person: rights.person,
      ...rightsOf(rights),
      hash,
      last4: '',
      toolSet: null,
      createdAt: clock.now(),
      revokedAt: null,
      origin: 'login',
    }
    await store.tokens.add(token)
    const caller = { tenant: token.tenant, token: token.id }
    await audit.changed(caller, {
      what: 'tokens.create',
      decision: `${token.id} of somebody signed in, with ${token.scopes.join(' ')}`,
    })
    return caller
  }

  /** Ends a token for good, and leaves its identity to the next one. */
  const retire = async ({ tenant, id, hash, revokedAt }: Token) => {
    await store.tokens.patch(tenant, id, { hash: `${hash}:${id}`, revokedAt: revokedAt ?? clock.now() })
    tokens.forget(tenant, id)
    if (revokedAt !== null) return
    await audit.changed({ tenant, token: id }, { what: 'tokens.revoke', decision: id })
    await endSignedBy(tenant, id)
  }

  const take = async (hash: string, rights: SignInRights): Promise<Caller> => {
    const former = await store.tokens.byHash(hash)
    const isSame =
      former?.revokedAt === null && former.tenant === rights.tenant && (former.person ?? null) === rights.person
    if (!former || !isSame) {
      // Whoever is somebody else from now on leaves no session behind.
      if (former) await retire(former)
      return add(hash, rights)
    }
    const { tenant, id } = former
    await store.tokens.patch(tenant, id, rightsOf(rights))
    tokens.forget(tenant, id)
    return { tenant, token: id }
  }

  return {
    /** The caller for an identity, which from now on has these rights in all its sessions. */
    async callerFor(identity: Identity, rights: SignInRights): Promise<Caller> {
      const hash = hashOf(identity)
      try {
        return await take(hash, rights)
      } catch (thrown) {
        // The same person signed in twice at the same time.
        if (!(await store.tokens.byHash(hash))) throw thrown
        return take(hash, rights)
      }
    },
  }
}
