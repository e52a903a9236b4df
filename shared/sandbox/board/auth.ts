/** Authentication: the four places for credentials, and the answer to each mistake. */
import type { App, Member, State, Token, World } from './records.ts'
import { missingScopes, refuse, unauthorized } from './refusals.ts'
import type { Params } from './params.ts'

export type Place = 'query' | 'header' | 'body' | 'bearer' | 'none'
export type Presented = { place: Place; key: string | null; token: string | null }
export type Identity = { app: App; token: Token; member: Member }

const headerPair = (header: string, name: string): string | null =>
  new RegExp(`${name}="([^"]*)"`).exec(header)?.[1] ?? null

/** Removes the credentials from the parameters, so that no handler and no list of unknown parameters contains them. */
export const takeCredentials = (
  method: string,
  authorization: string | undefined,
  search: URLSearchParams,
  params: Params,
): Presented => {
  const own = { key: params.values.get('key'), token: params.values.get('token') }
  for (const name of ['key', 'token']) {
    params.values.delete(name)
    params.typed.delete(name)
  }
  if (authorization?.startsWith('OAuth ')) {
    return {
      place: 'header',
      key: headerPair(authorization, 'oauth_consumer_key'),
      token: headerPair(authorization, 'oauth_token'),
    }
  }
  if (authorization?.startsWith('Bearer '))
    return { place: 'bearer', key: null, token: authorization.slice('Bearer '.length).trim() }
  const key = typeof own.key === 'string' ? own.key : null
  const token = typeof own.token === 'string' ? own.token : null
  if (key === null && token === null) return { place: 'none', key, token }
  const inQuery = search.has('key') || search.has('token')
  if (!inQuery && method !== 'PUT' && method !== 'POST') return { place: 'none', key: null, token: null }
  return { place: inQuery ? 'query' : 'body', key, token }
}

export const isLive = (token: Token, now: number): boolean =>
  token.dateExpires === null || Date.parse(token.dateExpires) > now

/** The identity of a token; undefined when the token is unknown, expired, or belongs to another key. */
export const identify = (state: State, presented: Presented, now: number): Identity | undefined => {
  const token = presented.token === null ? undefined : state.tokens.get(presented.token)
  if (!token || !isLive(token, now)) return undefined
  // An OAuth 2.0 token is accepted only as a bearer token; a token of the older kind never is.
  if ((token.kind === 'oauth2') !== (presented.place === 'bearer')) return undefined
  if (presented.place !== 'bearer' && token.appKey !== presented.key) return undefined
  const app = state.apps.get(token.appKey)
  const member = state.members.get(token.idMember)
  return app && member ? { app, token, member } : undefined
}

export type Need = { kind: 'read' | 'write'; of: string; account: boolean; scope: string }

/** Refuses bad credentials with the provider's messages. Null means anonymous: may read public boards only. */
export const authenticate = (
  world: World,
  presented: Presented,
  identity: Identity | undefined,
  need: Need,
): Identity | null => {
  const { key, token, place } = presented
  if (place === 'none' || (token === null && key !== null && world.state.apps.has(key))) {
    if (need.kind === 'write') missingScopes()
    return place === 'none' ? unauthorized(need.of) : null
  }
  if (place !== 'bearer' && (key === null || !world.state.apps.has(key))) refuse(401, 'invalid key')
  if (!identity) return refuse(401, 'invalid token')
  if (!allows(identity.token, need)) missingScopes()
  return identity
}

const allows = (token: Token, need: Need): boolean => {
  if (token.kind === 'oauth2') return token.scopes.includes(`${need.kind}:${need.scope}:trello`)
  if (need.account && !token.account) return false
  return need.kind === 'read' ? token.read : token.write
}
