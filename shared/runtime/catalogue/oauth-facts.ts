import { fail } from '#kit'
import type { OAuth2ClientProfile, OAuth2Profile } from '#kit'
import { checkBaseUrl } from '../../wire/guard/base-url.ts'
import type { LoadedIntegration } from './registry.ts'

/** Stands at the beginning of an OAuth address that is at the connection's own. */
const own = '{baseUrl}'

const isOwn = (address: string | null) => address?.startsWith(own) ?? false

/**
 * An address of the profile at the connection's own, which is matched against the operator's pattern first: client
 * secret and tokens are sent there.
 */
const filled = (
  { integration, wire }: LoadedIntegration,
  address: string | null,
  baseUrl: string | undefined,
): string | null => {
  if (address === null || !isOwn(address)) return address
  if (baseUrl === undefined)
    throw fail('not_connected', 'The address of this account is not known, so nothing is sent. Connect it again.')
  checkBaseUrl(integration.id, wire.baseUrlPattern, baseUrl)
  return baseUrl.replace(/(?<!\/)\/+$/, '') + address.slice(own.length)
}

/** The facts of OAuth 2.0 for one connection type, with `{baseUrl}` left as it is. */
export const codeProfile = ({ wire }: Pick<LoadedIntegration, 'wire'>, type: string): OAuth2Profile | undefined => {
  if (!wire.oauth?.v2) return undefined
  const { types, ...shared } = wire.oauth.v2
  const ofType = types && Object.hasOwn(types, type) ? types[type] : undefined
  return { ...shared, ...ofType }
}

/** Whether whoever connects has to name the address of the account before the browser can go there. */
export const asksForAddress = (profile: OAuth2Profile | undefined): boolean =>
  profile !== undefined && (isOwn(profile.authorizeUrl) || isOwn(profile.tokenUrl))

/**
 * The facts of OAuth 2.0 for one connection. `baseUrl`: its own address.
 * @throws Failure `not_allowed` or `wire_unset` when that address does not fit the pattern, `not_connected` without one
 */
export const codeFacts = (
  loaded: LoadedIntegration,
  type: string,
  baseUrl: string | undefined,
): OAuth2Profile | undefined => {
  const profile = codeProfile(loaded, type)
  return (
    profile && {
      ...profile,
      authorizeUrl: filled(loaded, profile.authorizeUrl, baseUrl),
      tokenUrl: filled(loaded, profile.tokenUrl, baseUrl),
    }
  )
}

/** The facts of client credentials for one connection; throws as `codeFacts` does. */
export const clientFacts = (
  loaded: LoadedIntegration,
  baseUrl: string | undefined,
): OAuth2ClientProfile | undefined => {
  const profile = loaded.wire.oauth?.client
  return profile && { ...profile, tokenUrl: filled(loaded, profile.tokenUrl, baseUrl) }
}
