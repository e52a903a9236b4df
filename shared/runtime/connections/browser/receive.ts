import { fail } from '#kit'
import type { ConnectionType, OAuth2Profile } from '#kit'
import { checkBaseUrl } from '../../../wire/guard/base-url.ts'
import type { OAuth2Tokens, UnauthenticatedClient } from '../../../wire/index.ts'
import type { Audit } from '../../admin/audit.ts'
import { typeOf } from '../../catalogue/registry.ts'
import type { LoadedIntegration, Registry } from '../../catalogue/registry.ts'
import { schemeFor, versionFor } from '../../catalogue/scheme.ts'
import type { Authorization, Clock, Connection, Store, Vault } from '../../ports/index.ts'
import { viewConnection } from '../view.ts'
import { codeFacts } from '../../catalogue/oauth-facts.ts'
import type { ConnectionWriter, Credential } from '../save.ts'
import type { Verified } from '../verify.ts'
import { sealScope } from './authorize-page.ts'
import type { ProviderAddresses } from './authorize-page.ts'
import type { ConnectPage, Flow } from './types.ts'

type ReceiveOptions = {
  registry: Registry
  store: Store
  vault: Vault
  writer: ConnectionWriter
  unauthenticated: UnauthenticatedClient
  audit: Audit
  clock: Clock
}

export const callerOf = (row: Authorization) => ({
  tenant: row.tenant,
  ...(row.token === null ? {} : { token: row.token }),
})

/** Whose account the token answer says it is. @throws Failure `bad_reply` when it does not say where it should */
const accountIn = ({ answer }: OAuth2Profile, { account, ownIds }: OAuth2Tokens): Pick<Credential, 'account'> => {
  if (answer?.account && !account)
    throw fail(
      'bad_reply',
      `The provider’s answer does not say whose account it is: it has nothing at "${answer.account.id}". Nothing was connected.`,
    )
  return {
    account: {
      ...(account ? { accountId: account.id, accountName: account.name } : {}),
      ...(ownIds === undefined ? {} : { ownIds }),
    },
  }
}

/** The secrets of a new connection. `baseUrl`: the address that was entered. */
const secretsOf = (
  { integration, wire }: LoadedIntegration,
  { baseUrl: address }: ConnectionType,
  { accessToken, refreshToken, secrets: further }: OAuth2Tokens,
  { key, baseUrl }: { key: string; baseUrl: string | undefined },
): Record<string, string> => {
  const secrets = {
    ...further,
    ...(address && baseUrl !== undefined ? { [address.from]: baseUrl } : {}),
    key,
    token: accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
  }
  if (address)
    checkBaseUrl(integration.id, wire.baseUrlPattern, (secrets as Record<string, string>)[address.from] ?? '')
  return secrets
}

/** Exchanges what a browser brings back from the provider for a credential, and saves the connection. */
export const createReceiving = (
  { registry, store, vault, writer, unauthenticated, audit, clock }: ReceiveOptions,
  appOf: ProviderAddresses['appOf'],
) => {
  /** The connection to reconnect, or an existing connection of the same account and owner. */
  const findExisting = async (
    row: Authorization,
    accountId: string | null | undefined,
  ): Promise<Connection | undefined> => {
    if (row.connection !== null) {
      const named = await store.connections.get(row.tenant, row.connection)
      // It may have been given to somebody else since the link was created.
      const isSame = (named?.person ?? null) === (row.person ?? null)
      return isSame && (row.externalId === null || named?.externalId === row.externalId) ? named : undefined
    }
    if (accountId == null) return undefined
    const all = await store.connections.list(row.tenant, { integration: row.integration })
    return all.find(
      ({ type, externalId, state, ...other }) =>
        type === row.type &&
        other.accountId === accountId &&
        externalId === row.externalId &&
        (other.person ?? null) === (row.person ?? null) &&
        state !== 'disabled',
    )
  }

  const save = async (row: Flow, draft: Connection, credential: Credential, proof: Verified): Promise<ConnectPage> => {
    const { tenant, integration, name } = row
    const existing = await findExisting(row, proof.accountId)
    if (row.connection !== null && !existing)
      throw fail(
        'not_found',
        'The account that was to be reconnected has been removed meanwhile, or is somebody else’s now. Connect it as a new one.',
      )
    if (existing) await writer.replace(existing, credential, proof)
    const id = existing?.id ?? (await writer.add(draft, credential, proof, name !== null)).id
    const stored = (await store.connections.get(tenant, id))!
    await audit.changed(callerOf(row), {
      what: existing ? 'connect.reconnected' : 'connect.connected',
      integration,
      connection: id,
      keyId: vault.keyId,
    })
    const workspace = (await store.tenants.get(tenant))?.name ?? tenant
    return {
      kind: 'done',
      locale: row.locale,
      done: {
        connection: viewConnection(registry, stored),
        title: registry.integration(integration).integration.title,
        workspace,
        reconnected: existing !== undefined,
        returnTo: row.returnTo,
      },
    }
  }

  /** Exchanges what the browser brought back for a credential. */
  const receive = async (row: Authorization, returned: URL, state: string): Promise<Credential> => {
    const loaded = registry.forConnection(row)
    const app = await appOf(row, loaded)
    const stored = vault.open(sealScope(row), row.secrets)
    const type = typeOf(loaded, row.type)
    const { v1 } = loaded.wire.oauth!
    const oauthVersion = versionFor(type, loaded.wire)
    if (schemeFor(type, loaded.wire) === 'oauth2-code') {
      const { baseUrl } = stored
      const facts = codeFacts(loaded, row.type, baseUrl)!
      const tokens = await unauthenticated.oauth2.redeem(row.integration, facts, app, {
        returned,
        state,
        verifier: stored.verifier ?? '',
      })
      return {
        secrets: secretsOf(loaded, type, tokens, { key: app.key, baseUrl }),
        ...accountIn(facts, tokens),
        grantedScopes: tokens.scopes,
        oauthVersion,
        expiresAt: tokens.expiresInMs === undefined ? null : clock.now() + tokens.expiresInMs,
      }
    }
    const request = { token: stored.token ?? '', secret: stored.secret ?? '' }
    const access = await unauthenticated.oauth1.finish(
      row.integration,
      v1!,
      app,
      request,
      returned.searchParams.get('oauth_verifier') ?? '',
    )
    // The token secret is kept only if requests are signed with it.
    const tokenSecret = 'tokenSecret' in type.secrets.shape ? { tokenSecret: access.secret } : {}
    return { secrets: { key: app.key, token: access.token, ...tokenSecret }, oauthVersion, expiresAt: null }
  }

  return { receive, save }
}
export type Receiving = ReturnType<typeof createReceiving>
