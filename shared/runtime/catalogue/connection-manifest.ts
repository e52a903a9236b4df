import { inputJsonSchema } from '#kit'
import type { ConnectionType, WireProfile } from '#kit'
import type { ConnectionManifest } from '../../api/manifest.ts'
import { codeProfile } from './oauth-facts.ts'
import { layoutOf } from './form-layout.ts'
import { isTestable } from './free-test.ts'
import type { LoadedIntegration } from './registry.ts'
import { isBrowserOAuth, schemeFor } from './scheme.ts'

/** OAuth scopes, by the names that the OAuth version in force uses. */
export const scopesUnder = ({ oauth }: WireProfile, names: string[] = []): string[] => {
  const isVersion2 = oauth?.v1 === undefined || (oauth.v2 !== undefined && oauth.version === '2.0')
  const own = (isVersion2 ? oauth?.v2 : oauth.v1)?.scopeNames
  return own ? [...new Set(names.flatMap((name) => own[name] ?? [name]))] : names
}

/** How an account of this type is connected under the wire profile in force. */
export const flowOf = (type: ConnectionType, wire: WireProfile): ConnectionManifest['flow'] => {
  const scheme = schemeFor(type, wire)
  if (scheme === 'oauth1') return 'oauth-1.0a'
  if (scheme === 'oauth2-code') return 'oauth-2.0'
  return type.authorize ? 'token-page' : 'secrets'
}

const split = (scopes: string | undefined) => scopes?.split(/[ ,]+/).filter(Boolean) ?? []

/** The OAuth scopes requested when an account of this type is connected. */
const scopesAskedFor = (type: ConnectionType, wire: WireProfile): string[] => {
  const { oauth } = wire
  switch (schemeFor(type, wire)) {
    case 'oauth1':
      return split(oauth?.v1?.authorizeParams?.scope)
    case 'oauth2-code':
      return codeProfile({ wire }, type.id)?.scopes ?? []
    case 'oauth2-client':
      return oauth?.client?.scopes ?? []
    default:
      return split(type.authorize?.params.scope)
  }
}

const appOf = (type: ConnectionType, { integration, wire }: LoadedIntegration): ConnectionManifest['app'] => {
  const scheme = schemeFor(type, wire)
  // Without a client id among the connection's secrets, the client credentials are those of the app.
  const isShared = scheme === 'oauth2-client' && !('clientId' in type.secrets.shape)
  if (!isBrowserOAuth(scheme) && !isShared) return null
  const { id, title } = integration
  const set = `PUT /v1/apps/${id}`
  const callback = isShared ? null : `/v1/oauth/${id}/callback`
  const where = callback === null ? '' : `, with <public URL>${callback} as its only redirect address`
  return {
    set,
    callback,
    help: `The operator registers an app at the provider of ${title} once${where}, and gives its key and secret with ${set}.`,
  }
}

export const connectionManifest = (type: ConnectionType, loaded: LoadedIntegration): ConnectionManifest => {
  const { wire } = loaded
  const secrets = inputJsonSchema(type.secrets)
  const isInBrowser = isBrowserOAuth(schemeFor(type, wire))
  return {
    id: type.id,
    title: type.title,
    purpose: type.purpose,
    recommended: type.recommended ?? false,
    help: type.help ?? null,
    flow: flowOf(type, wire),
    authorize: type.authorize ?? null,
    oauthScopes: scopesAskedFor(type, wire),
    app: appOf(type, loaded),
    secrets,
    layout: isInBrowser ? { fields: [], oneOf: null } : layoutOf(secrets, type.fields ?? {}, { secret: true }),
    testable: isTestable(type, wire),
  }
}
