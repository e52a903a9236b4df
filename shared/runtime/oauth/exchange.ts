import { fail } from '#kit'
import { accessPrefix, endOf } from '../admin/tokens.ts'
import type { Audit } from '../admin/audit.ts'
import type { Limits } from '../admin/limits.ts'
import type { AuthorizationCode, Caller, Clock, Grant, GrantedToken, Log, Store } from '../ports/index.ts'
import type { Registry } from '../catalogue/registry.ts'
import type { Clients } from './clients.ts'
import { lastOf, presentGrant, signerEnd } from '../admin/present-caller.ts'
import { Refusal } from './refusal.ts'
import type { Parameters } from './request.ts'
import { readResource } from './resources.ts'
import { challengeOf, digest, isSame, isText, newText, readRefresh, refreshText } from './secrets.ts'

export const accessMs = 10 * 60_000
/** A grant ends when nobody has used it for so long, and in any case so long after somebody signed it. */
const [idleMs, longestMs] = [30 * 86_400_000, 180 * 86_400_000]
const touchMs = 60_000

type ExchangeDependencies = {
  store: Pick<Store, 'grants' | 'tokens'>
  registry: Pick<Registry, 'all'>
  clients: Clients
  clock: Pick<Clock, 'now'>
  audit: Pick<Audit, 'changed'>
  log: Log
  limits: Pick<Limits, 'admit'>
  /** Ends a grant and what hangs on it. */
  end(tenant: string, id: string): Promise<boolean>
}

const notGranted = () =>
  new Refusal('invalid_grant', 'This code or token is unknown, was already used, has expired or was ended.')
const wrong = () =>
  fail(
    'unauthenticated',
    'The access token is unknown, expired, ended, or made for another address. Get a new one with the refresh token, or sign in again.',
  )

const usedTwice = 'its code was used twice'

const verifierShape = /^[A-Za-z0-9._~-]{43,128}$/

/** Why a code is not for who uses it; undefined: it is. */
const misuseOf = (
  code: AuthorizationCode,
  { client, redirectUri, verifier }: { client: string; redirectUri: string | undefined; verifier: string },
): string | undefined => {
  if (code.client !== client) return 'its code was used by another client'
  if (redirectUri !== undefined && redirectUri !== code.redirectUri) return 'its code was used for another address'
  if (verifierShape.test(verifier) && isSame(challengeOf(verifier), code.challenge)) return undefined
  return 'its code was used without the secret of who asked for it'
}

/** Who ends a grant because of what happened. */
const byItself = ({ tenant, id }: Grant): Caller => ({ tenant, token: id })

/** A new access token: what is stored of it, and what its client gets with it. */
const newAccess = ({ tenant, id, scopes }: Grant, refreshToken: string, now: number) => {
  const text = accessPrefix + newText()
  return {
    access: { hash: digest(text), tenant, grantId: id, expiresAt: now + accessMs },
    answer: {
      access_token: text,
      token_type: 'Bearer',
      expires_in: accessMs / 1000,
      refresh_token: refreshToken,
      scope: scopes.join(' '),
    },
  }
}

/** Tokens for codes and refresh tokens, and the caller behind an access token. */
export const createExchange = ({ store, registry, clients, clock, audit, log, limits, end }: ExchangeDependencies) => {
  const { grants } = store
  const isOver = ({ token }: Pick<GrantedToken, 'token'>) => endOf(token, clock.now()) !== undefined

  const endFor = async (grant: Grant, why: string) => {
    if (!(await end(grant.tenant, grant.id))) return
    log('warn', 'grant.ended', { id: grant.id, client: grant.client.slice(0, 100), reason: why })
    await audit.changed(byItself(grant), { what: 'grants.end', decision: `${grant.id}: ${why}` })
  }

  /** Until when a grant lasts that is used now. */
  const lastsUntil = async (grant: Grant): Promise<number> => {
    const { tenant, signedBy, createdAt } = grant
    const signer = signedBy === null ? undefined : await store.tokens.get(tenant, signedBy)
    const now = clock.now()
    if (signerEnd(grant, signer, now) !== undefined) throw notGranted()
    return Math.min(now + idleMs, createdAt + longestMs, (signer && lastOf(signer)) ?? Number.POSITIVE_INFINITY)
  }

  /** A token is for one resource; naming another one is refused rather than ignored. */
  const requireSameResource = ({ resource }: Grant, named: string | undefined, base: string) => {
    if (named !== undefined && readResource(registry, base, named) !== resource)
      throw new Refusal('invalid_target', 'This was granted for another resource. Sign in again for that one.')
  }

  const redeem = async (parameters: Parameters, client: string, base: string) => {
    const { code: text = '', redirect_uri: redirectUri, code_verifier: verifier = '', resource } = parameters
    const present = isText(text) ? await grants.code(digest(text), clock.now()) : undefined
    const granted = present && (await grants.get(present.code.tenant, present.code.grantId))
    if (!granted) throw notGranted()
    const { code, isUsed } = present
    const { grant } = granted
    const why = isUsed ? usedTwice : misuseOf(code, { client, redirectUri, verifier })
    if (why !== undefined) await endFor(grant, why)
    if (why !== undefined || isOver(granted)) throw notGranted()
    limits.admit(grant.tenant)
    requireSameResource(grant, resource, base)
    const [family, newest] = [newText(), newText()]
    const of = { family: digest(family), newest: digest(newest), expiresAt: await lastsUntil(grant) }
    const { access, answer } = newAccess(grant, refreshText(family, newest), clock.now())
    // Before the code is used up: whatever fails, the client may try again.
    await clients.used(client)
    if (await grants.begin(code, of, access, clock.now())) return answer
    await endFor(grant, usedTwice)
    throw notGranted()
  }

  const refresh = async (parameters: Parameters, client: string, base: string) => {
    const { refresh_token: text = '', scope, resource } = parameters
    const parts = readRefresh(text)
    const granted = parts && (await grants.byFamily(digest(parts.family)))
    if (!parts || !granted || granted.grant.client !== client || isOver(granted)) throw notGranted()
    const { grant } = granted
    limits.admit(grant.tenant)
    requireSameResource(grant, resource, base)
    const more = scope?.split(' ').filter((name) => name !== '' && !grant.scopes.includes(name)) ?? []
    if (more.length > 0)
      throw new Refusal('invalid_scope', 'A refresh cannot add scopes. Sign in again with those that are needed.')
    const newest = newText()
    const next = { newest: digest(newest), expiresAt: await lastsUntil(grant) }
    const { access, answer } = newAccess(grant, refreshText(parts.family, newest), clock.now())
    // Before the refresh token is used up: whatever fails, the client may try again.
    await clients.used(client)
    if (await grants.rotate(digest(parts.newest), next, access)) return answer
    await endFor(grant, 'a refresh token was used twice')
    throw notGranted()
  }

  return {
    /**
     * Answers a request for tokens of a client that was authenticated.
     * @throws Refusal
     */
    token: async (parameters: Parameters, client: string, base: string) => {
      const type = parameters['grant_type']
      if (type === 'authorization_code') return redeem(parameters, client, base)
      if (type === 'refresh_token') return refresh(parameters, client, base)
      throw new Refusal('unsupported_grant_type', 'There are: authorization_code, refresh_token.')
    },

    /** Ends what a token stands for; says nothing about tokens that are unknown or of another client (RFC 7009). */
    async revoke(text: string, client: string): Promise<void> {
      const parts = readRefresh(text)
      if (parts) {
        const granted = await grants.byFamily(digest(parts.family))
        if (granted?.grant.client === client) await endFor(granted.grant, 'the client ended it')
        return
      }
      const hash = digest(text)
      const granted = await grants.byAccess(hash, clock.now())
      if (granted?.grant.client === client) await grants.removeAccess(granted.grant.tenant, hash)
    },

    /**
     * The caller behind an access token. It is read from the store each time, so that an ended grant is refused at once
     * on every node. `at`: the path of the resource that it is used at.
     * @throws Failure `unauthenticated`
     */
    async authenticate(text: string, at: string | undefined): Promise<Caller> {
      const now = clock.now()
      const granted = text.length > 100 ? undefined : await grants.byAccess(digest(text), now)
      const present = granted && presentGrant(granted, now)
      if (!present || 'end' in present || granted.grant.resource !== at) throw wrong()
      const { grant } = granted
      if (now - (grant.lastUsedAt ?? 0) > touchMs)
        grants.touch(grant.tenant, grant.id, now).catch(() => log('warn', 'grant.not_touched', { id: grant.id }))
      return present.caller
    },
  }
}
