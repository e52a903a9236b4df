/** The pages on which a person allows or denies access: plain forms without scripts. */
import { digest, newId } from './ids.ts'
import { escapeHtml, page, pageHeaders } from './pages.ts'
import type { App, Consent, Expiration, Member, World } from './records.ts'
import { refuse } from './refusals.ts'
import type { Reply } from './dispatch.ts'
import { issueToken } from './seed.ts'

export const htmlReply = (status: number, title: string, body: string, formTargets: string[] = []): Reply => {
  const { 'content-type': contentType, ...headers } = pageHeaders
  // Without a referrer, browsers send the form's origin as `null`, so a foreign form could not be distinguished from
  // ours.
  const policy = `${headers['content-security-policy']}; form-action ${["'self'", ...formTargets].join(' ')}`
  return {
    status,
    contentType,
    headers: { ...headers, 'content-security-policy': policy, 'referrer-policy': 'same-origin' },
    body: page(title, body),
  }
}
export const redirectTo = (address: string): Reply => ({
  status: 303,
  contentType: 'text/plain; charset=utf-8',
  headers: { location: address, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  body: '',
})

/**
 * `http://127.0.0.1:*` allows any port, `https://*.example` any single name below it; any other pattern must be equal.
 */
export const originAllowed = (allowed: string[], address: string): boolean => {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) return false
  const { origin } = new URL(address)
  return allowed.some((pattern) =>
    new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '[^/:@.]*')}$`).test(origin),
  )
}

export const appOf = (world: World, key: string | null): App =>
  (key === null ? undefined : world.state.apps.get(key)) ?? refuse(400, 'App not found')

const durations: Record<Expiration, number | null> = {
  '1hour': 3_600_000,
  '1day': 86_400_000,
  '30days': 30 * 86_400_000,
  never: null,
}
export const expirationOf = (parameter: string | null): Expiration => {
  const expiration = parameter ?? '30days'
  return Object.hasOwn(durations, expiration) ? (expiration as Expiration) : refuse(400, 'invalid value for expiration')
}
export const expiryAt = (world: World, expiration: Expiration): number | null => {
  const duration = durations[expiration]
  return duration === null ? null : world.now() + duration
}
export const scopeOf = (parameter: string | null): string[] => {
  const scope = (parameter || 'read').split(',')
  return scope.every((scopeName) => ['read', 'write', 'account'].includes(scopeName))
    ? [...new Set(scope)].sort()
    : refuse(400, 'invalid value for scope')
}

type Draft = Consent extends infer One ? (One extends Consent ? Omit<One, 'id'> : never) : never
export const askConsent = (world: World, draft: Draft, returnsTo: string | null): Reply => {
  const id = newId(world)
  world.state.consents.set(id, { ...draft, id } as Consent)
  const people = [...world.state.members.values()]
    .map((member) => `<option value="${member.id}">${escapeHtml(member.fullName)}</option>`)
    .join('')
  const targets = returnsTo && URL.canParse(returnsTo) ? [new URL(returnsTo).origin] : []
  return htmlReply(
    200,
    `Let ${draft.name} use your account?`,
    `<p>A sandbox stands in for the provider: nobody signs in, and you choose who you are.</p>
<p>It asks for: ${escapeHtml(draft.scope.join(', '))}.</p>
<form method="post" action="/consent"><input type="hidden" name="consent" value="${id}">
<p><label>Signed in as <select name="member">${people}</select></label></p>
<p><button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button></p></form>`,
    targets,
  )
}

/** The page for `response_type=token`. Without a return address, it shows the token as text. */
export const authorizePage = (world: World, query: URLSearchParams): Reply => {
  const app = appOf(world, query.get('key'))
  if (query.get('response_type') !== 'token') refuse(400, 'invalid value for response_type')
  const method = query.get('callback_method')
  if (method !== null && method !== 'fragment')
    refuse(400, 'invalid value for callback_method (the sandbox plays fragment only)')
  const returnUrl = query.get('return_url')
  if (returnUrl !== null && (!originAllowed(app.allowedOrigins, returnUrl) || returnUrl.includes('#')))
    refuse(400, 'Invalid return_url')
  const draft = {
    kind: 'token' as const,
    appKey: app.key,
    name: query.get('name') || app.name,
    scope: scopeOf(query.get('scope')),
    expiration: expirationOf(query.get('expiration')),
    returnUrl,
  }
  return askConsent(world, draft, returnUrl)
}

type TokenConsent = Extract<Consent, { kind: 'token' }>
const grantToken = (world: World, consent: TokenConsent, member: Member): string => {
  const consentKey = JSON.stringify([
    consent.appKey,
    consent.name,
    consent.scope,
    consent.expiration,
    consent.returnUrl,
    member.id,
  ])
  const existingToken =
    consent.expiration === 'never'
      ? [...world.state.tokens.values()].find((token) => token.consentKey === consentKey)
      : undefined
  if (existingToken) return existingToken.value
  return issueToken(world, {
    app: appOf(world, consent.appKey),
    member,
    consentKey,
    ...rights(consent.scope),
    expiresAt: expiryAt(world, consent.expiration),
  }).value
}
export const rights = (scope: string[]): { read: boolean; write: boolean; account: boolean } => ({
  read: scope.includes('read'),
  write: scope.includes('write'),
  account: scope.includes('account'),
})

export const decideToken = (world: World, consent: TokenConsent, member: Member | null): Reply => {
  const { returnUrl } = consent
  if (!member)
    return returnUrl
      ? redirectTo(`${returnUrl}#error=${encodeURIComponent('Token request rejected')}`)
      : htmlReply(200, 'Denied', '<p>Token request rejected.</p>')
  const token = grantToken(world, consent, member)
  if (returnUrl) return redirectTo(`${returnUrl}#token=${token}`)
  return htmlReply(
    200,
    'Your token',
    `<p>You have granted access. Paste this token where you were asked for it:</p><pre>${token}</pre>`,
  )
}

/** A secret derived from the counter, so that a run can be repeated exactly. */
export const newSecret = (world: World, what: string, length: number): string =>
  digest(`${what} ${newId(world)}`, length)
