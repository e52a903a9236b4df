/** OAuth 2.0: authorization code with PKCE (S256), access tokens that expire, refresh tokens that are valid once. */
import { createHash } from 'node:crypto'
import { askConsent, htmlReply, newSecret, originAllowed, redirectTo } from './consent.ts'
import type { Reply } from './dispatch.ts'
import { newId } from './ids.ts'
import { withQuery } from './oauth1.ts'
import type { App, Code, Consent, Grant, Member, Webhook, World } from './records.ts'
import { issueToken } from './seed.ts'

const scopes = new Set([
  ...['board', 'organization', 'member', 'enterprise'].flatMap((model) => [
    `read:${model}:trello`,
    `write:${model}:trello`,
  ]),
  'write:board:membership:trello',
  'write:organization:membership:trello',
  'offline_access',
])

const clientOf = (world: World, id: unknown): App | undefined =>
  [...world.state.apps.values()].find((app) => app.oauth2.clientId === id)

/**
 * Errors about an unknown client or redirect URI are shown on the page and never redirected; every other error is
 * returned to the client.
 */
export const authorizeClient = (world: World, query: URLSearchParams): Reply => {
  const app = clientOf(world, query.get('client_id'))
  if (!app) return htmlReply(400, 'Unknown client', '<p>No app has this client_id.</p>')
  const redirectUri = query.get('redirect_uri') ?? ''
  if (!originAllowed(app.oauth2.redirectUris, redirectUri) || redirectUri.includes('#'))
    return htmlReply(400, 'Wrong redirect_uri', '<p>This redirect_uri is not registered for the app.</p>')
  const state = query.get('state')
  const back = (error: string, text: string): Reply =>
    redirectTo(withQuery(redirectUri, { error, error_description: text, ...(state === null ? {} : { state }) }))
  if (query.get('response_type') !== 'code') return back('unsupported_response_type', 'response_type must be code')
  const challenge = query.get('code_challenge') ?? ''
  if (query.get('code_challenge_method') !== 'S256' || !/^[A-Za-z0-9_-]{43}$/.test(challenge))
    return back('invalid_request', 'a code_challenge of method S256 is required')
  const scope = (query.get('scope') ?? '').split(' ').filter(Boolean)
  if (scope.length === 0 || !scope.every((scopeName) => scopes.has(scopeName)))
    return back('invalid_scope', 'unknown scope')
  return askConsent(
    world,
    { kind: 'oauth2', appKey: app.key, name: app.name, scope, redirectUri, state, challenge },
    redirectUri,
  )
}

export const decideClient = (
  world: World,
  consent: Extract<Consent, { kind: 'oauth2' }>,
  member: Member | null,
): Reply => {
  const state = consent.state === null ? {} : { state: consent.state }
  if (!member)
    return redirectTo(
      withQuery(consent.redirectUri, {
        error: 'access_denied',
        error_description: 'User did not authorize the request',
        ...state,
      }),
    )
  const code: Code = {
    code: newSecret(world, 'code', 48),
    appKey: consent.appKey,
    idMember: member.id,
    scope: consent.scope,
    redirectUri: consent.redirectUri,
    challenge: consent.challenge,
    at: world.now(),
    usedFor: null,
  }
  world.state.codes.set(code.code, code)
  return redirectTo(withQuery(consent.redirectUri, { code: code.code, ...state }))
}

const json = (status: number, body: object): Reply => ({
  status,
  contentType: 'application/json; charset=utf-8',
  headers: { 'cache-control': 'no-store', pragma: 'no-cache' },
  body: JSON.stringify(body),
})
const oauthError = (status: number, error: string, text: string): Reply =>
  json(status, { error, error_description: text })
const badGrant = (text: string): Reply => oauthError(400, 'invalid_grant', text)

/** The token endpoint, which takes a JSON body, as in the provider's own examples. */
export const giveTokens = (
  world: World,
  contentType: string,
  body: Uint8Array | undefined,
  surviveRefresh: boolean,
): Reply => {
  if (!contentType.startsWith('application/json')) return oauthError(400, 'invalid_request', 'the body must be JSON')
  let fields: Record<string, unknown>
  try {
    fields = JSON.parse(new TextDecoder().decode(body ?? new Uint8Array())) as Record<string, unknown>
  } catch {
    return oauthError(400, 'invalid_request', 'the body is not JSON')
  }
  const app = clientOf(world, fields['client_id'])
  if (!app || fields['client_secret'] !== app.oauth2.clientSecret)
    return oauthError(401, 'invalid_client', 'unknown client or wrong secret')
  if (fields['grant_type'] === 'authorization_code') return redeemCode(world, app, fields)
  if (fields['grant_type'] === 'refresh_token') return refresh(world, app, fields, surviveRefresh)
  return oauthError(400, 'unsupported_grant_type', 'authorization_code or refresh_token')
}

const redeemCode = (world: World, app: App, fields: Record<string, unknown>): Reply => {
  const code = world.state.codes.get(String(fields['code'] ?? ''))
  if (!code || code.appKey !== app.key) return badGrant('unknown code')
  if (code.usedFor !== null) {
    endGrant(world, code.usedFor)
    return badGrant('the code was used before; what it gave is taken back')
  }
  if (world.now() - code.at > world.settings.codeMs) return badGrant('the code has run out')
  if (fields['redirect_uri'] !== code.redirectUri) return badGrant('redirect_uri differs')
  const verifier = fields['code_verifier']
  if (typeof verifier !== 'string' || createHash('sha256').update(verifier).digest('base64url') !== code.challenge)
    return badGrant('code_verifier does not fit')
  const grant: Grant = {
    id: newId(world),
    appKey: app.key,
    idMember: code.idMember,
    scope: code.scope,
    refresh: null,
    usedAt: world.now(),
  }
  world.state.grants.set(grant.id, grant)
  code.usedFor = grant.id
  return issue(world, app, grant)
}

const refresh = (world: World, app: App, fields: Record<string, unknown>, surviveRefresh: boolean): Reply => {
  const token = fields['refresh_token']
  const grant = [...world.state.grants.values()].find(
    (candidate) => candidate.appKey === app.key && candidate.refresh !== null && candidate.refresh === token,
  )
  if (!grant) return badGrant('unknown or used refresh token')
  if (world.now() - grant.usedAt > world.settings.refreshIdleMs) return badGrant('the refresh token has run out')
  const before = new Set(
    [...world.state.tokens.values()]
      .filter((issuedToken) => issuedToken.grant === grant.id)
      .map((issuedToken) => issuedToken.value),
  )
  const reply = issue(world, app, grant)
  if (surviveRefresh) keepHooks(world, before, grant)
  return reply
}

/** Issuing tokens invalidates the previous refresh token. The previous access token remains valid until it expires. */
const issue = (world: World, app: App, grant: Grant): Reply => {
  const member = world.state.members.get(grant.idMember) as Member
  const { accessTokenMs } = world.settings
  const token = issueToken(world, {
    app,
    member,
    kind: 'oauth2',
    scopes: grant.scope,
    grant: grant.id,
    expiresAt: world.now() + accessTokenMs,
  })
  grant.usedAt = world.now()
  grant.refresh = grant.scope.includes('offline_access') ? newSecret(world, 'refresh token', 64) : null
  return json(200, {
    access_token: token.value,
    token_type: 'Bearer',
    expires_in: Math.floor(accessTokenMs / 1000),
    scope: grant.scope.join(' '),
    ...(grant.refresh === null ? {} : { refresh_token: grant.refresh }),
  })
}

/** Moves the hooks of the grant's former access tokens to the newest one. */
const keepHooks = (world: World, before: Set<string>, grant: Grant): void => {
  const newest = [...world.state.tokens.values()]
    .filter((issuedToken) => issuedToken.grant === grant.id && !before.has(issuedToken.value))
    .at(-1)
  const old = (hook: Webhook): boolean => before.has(hook.token)
  for (const hook of [...world.state.webhooks.values()].filter(old)) if (newest) hook.token = newest.value
}

export const endGrant = (world: World, id: string): void => {
  world.state.grants.delete(id)
  for (const token of world.state.tokens.values()) if (token.grant === id) world.state.tokens.delete(token.value)
}
