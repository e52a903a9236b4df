import type { AuthScheme, ConnectionType, WireProfile } from '#kit'
import type { Connection } from '../ports/index.ts'

type Row = Pick<Connection, 'oauthVersion' | 'type'>

/**
 * The OAuth version that `oauth.version` of the profile selects for a browser OAuth type; null: the type's own scheme
 * applies, as where the profile describes one version only.
 */
export const versionFor = ({ scheme }: ConnectionType, { oauth }: WireProfile): '1.0a' | '2.0' | null =>
  oauth?.v1 && oauth.v2 && (scheme === 'oauth1' || scheme === 'oauth2-code') ? (oauth.version ?? null) : null

const schemes = { '1.0a': 'oauth1', '2.0': 'oauth2-code' } as const

/** How a new connection of this type is authorized under the profile in force. */
export const schemeFor = (type: ConnectionType, wire: WireProfile): AuthScheme => {
  const version = versionFor(type, wire)
  return version === null ? (type.scheme ?? 'secrets') : schemes[version]
}

/** How an existing connection was authorized, whatever the profile says now. */
export const schemeOf = (type: ConnectionType, { oauthVersion }: Row): AuthScheme =>
  oauthVersion == null ? (type.scheme ?? 'secrets') : schemes[oauthVersion]

/**
 * The key under which `auth` and `signature.secrets` of the profile say how the connection signs: its type, or `oauth2`
 * after a switch to version 2.0.
 */
export const authKeyOf = ({ oauthVersion, type }: Row): string => (oauthVersion === '2.0' ? 'oauth2' : type)

export const isBrowserOAuth = (scheme: AuthScheme): scheme is 'oauth1' | 'oauth2-code' =>
  scheme === 'oauth1' || scheme === 'oauth2-code'
