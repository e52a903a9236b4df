import { callerOf, endOf } from './tokens.ts'
import type { Caller, Grant, GrantedToken, Store, Token } from '../ports/index.ts'

type End = NonNullable<ReturnType<typeof endOf>>

/**
 * When the token that signed a grant ends it; undefined: by its revocation alone. How long a sign-in at an OpenID
 * provider lasts is the length of a session, not of what the person let in: it ends with the next sign-in as somebody
 * else, which revokes that token, or when an operator does.
 */
export const lastOf = ({ origin, expiresAt }: Token): number | undefined =>
  origin === 'login' ? undefined : (expiresAt ?? undefined)

/** Why who signed a grant does not stand behind it any more. A token that is gone signs nothing. */
export const signerEnd = ({ signedBy }: Grant, signer: Token | undefined, now: number): End | undefined => {
  if (signedBy === null) return undefined
  return signer ? endOf({ revokedAt: signer.revokedAt, expiresAt: lastOf(signer) ?? null }, now) : 'revoked'
}

/**
 * The caller of a grant: it may do nothing that who signed it may not do any more. The rights of somebody whom an OpenID
 * provider signs in are those of their last sign-in.
 */
const within = (token: Token, signer: Token | undefined): Caller => {
  const both = <T>(own: T[] | null, signers: T[] | null) =>
    own && signers ? own.filter((name) => signers.includes(name)) : (own ?? signers)
  if (!signer) return callerOf(token)
  return callerOf({
    ...token,
    scopes: token.scopes.filter((scope) => signer.scopes.includes(scope)),
    steps: both(token.steps, signer.steps),
    connections: both(token.connections, signer.connections),
    toolSet: token.toolSet ?? signer.toolSet ?? null,
  })
}

/** Whom a stored token stands for as of now, or why for nobody. */
export type Present = { caller: Caller } | { end: End }

export const presentGrant = (
  { grant, token, signer }: GrantedToken & { signer: Token | undefined },
  now: number,
): Present => {
  const end = endOf(token, now) ?? signerEnd(grant, signer, now)
  return end === undefined ? { caller: within(token, signer) } : { end }
}

/**
 * Whom a stored token stands for as of now: what work that goes on without a request asks before each of its parts. A
 * grant stands for no more than who signed it. Undefined: the store has no such token.
 */
export const presentCaller = async (
  store: Pick<Store, 'tokens' | 'grants'>,
  tenant: string,
  id: string,
  now: number,
): Promise<Present | undefined> => {
  const token = await store.tokens.get(tenant, id)
  const granted = token?.origin === 'grant' ? await store.grants.get(tenant, id) : undefined
  if (!token || !granted) {
    const end = token && endOf(token, now)
    return token && (end === undefined ? { caller: callerOf(token) } : { end })
  }
  const { signedBy } = granted.grant
  const signer = signedBy === null ? undefined : await store.tokens.get(tenant, signedBy)
  return presentGrant({ ...granted, signer }, now)
}
