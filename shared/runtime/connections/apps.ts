import { fail, failField, isFailure } from '#kit'
import type { SigningSecret } from '#kit'
import type { OAuthApp } from '../../wire/types.ts'
import type { NewApp } from '../../api/resources/app.ts'
import type { Caller, Clock, SealedSecrets, Store, Vault, VaultScope } from '../ports/index.ts'
import { mayCall } from '../bounds.ts'
import { lastFour } from './secrets.ts'
import type { Registry } from '../catalogue/registry.ts'

/** Our registration as an application at a provider, as callers see it. */
export type AppView =
  | {
      integration: string
      key: string
      clientId: string | null
      secrets: Record<string, string>
      owner: 'operator' | 'tenant'
      /**
       * The one address that deliveries of the whole app come to; null while this server has no public address, absent
       * where hooks are made one by one.
       */
      deliveriesTo?: string | null
      createdAt: string
      updatedAt: string
    }
  | { integration: string; key: null }
/**
 * Credentials that deliveries may be signed with, by kind: the key that identifies the app, and its secrets, current
 * first. `owner`: the tenant that owns the app; '' for the operator's.
 */
export type SigningApp = { owner: string } & { [signer in SigningSecret]: { key: string; secrets: string[] } }
export type Apps = {
  get(caller: Caller, integration: string): Promise<AppView>
  /**
   * `secret` signs OAuth 1.0a requests and webhooks; `clientSecret` is for OAuth 2.0 and for the webhooks of accounts
   * connected by it. The previous value of each stays valid for deliveries until it is replaced again or dropped.
   */
  put(caller: Caller, integration: string, given: NewApp): Promise<AppView>
  /** What deliveries are verified with; undefined while no app is set. */
  open(tenant: string, integration: string): Promise<SigningApp | undefined>
  /**
   * The app's credentials for OAuth; undefined while no app is set, or when its secret is missing and the version needs
   * one.
   */
  oauthApp(tenant: string, integration: string, version: '1.0a' | '2.0'): Promise<OAuthApp | undefined>
}

export const createApps = ({
  registry,
  store,
  vault,
  clock,
}: {
  registry: Registry
  store: Store
  vault: Vault
  clock: Clock
}): Apps => {
  const scope = (tenant: string, integration: string) => ({ tenant, owner: `app:${integration}` })
  const find = async (tenant: string, integration: string) =>
    (await store.apps.get(tenant, integration)) ?? (await store.apps.get('', integration))
  /** Opens sealed secrets. If they are about to be replaced, ones that no longer open count as absent. */
  const openOr = (of: VaultScope, sealed: SealedSecrets, isReplaced: boolean): Record<string, string> => {
    try {
      return vault.open(of, sealed)
    } catch (thrown) {
      if (isReplaced && isFailure(thrown)) return {}
      throw thrown
    }
  }
  const verbs: Apps = {
    async get(caller, integration) {
      registry.integration(integration)
      const app = await find(caller.tenant, integration)
      if (!app) return { integration, key: null }
      return {
        integration,
        key: app.key,
        clientId: app.clientId ?? null,
        secrets: Object.fromEntries(Object.entries(app.hints).map(([name, last4]) => [name, `…${last4}`])),
        owner: app.tenant === '' ? 'operator' : 'tenant',
        createdAt: new Date(app.createdAt).toISOString(),
        updatedAt: new Date(app.updatedAt).toISOString(),
      }
    },
    async put(caller, integration, { key, secret, keepPrevious = true, clientId, clientSecret, owner }) {
      registry.integration(integration)
      const tenant = owner === 'operator' ? '' : caller.tenant
      if (tenant === '' && !mayCall(caller, { access: ['admin'] }))
        throw fail('not_allowed', 'Only a token with the scope "admin" sets the app of all tenants.')
      if (!/^[\x21-\x7e]{1,256}$/.test(key))
        throw failField('key', 'The app key is 1 to 256 visible ASCII characters, as the provider shows it.')
      if (secret !== undefined && secret.length < 8)
        throw failField('secret', 'The app secret looks cut off: give it whole, as the provider shows it.')
      const before = await store.apps.get(tenant, integration)
      const old = before ? openOr(scope(tenant, integration), before.secrets, secret !== undefined) : {}
      const plain: Record<string, string> = { ...old }
      if (secret !== undefined && secret !== old.current) {
        if (old.current !== undefined && keepPrevious) plain.previous = old.current
        plain.current = secret
      }
      if (clientSecret !== undefined && clientSecret !== old.clientSecret) {
        if (old.clientSecret !== undefined && keepPrevious) plain.previousClientSecret = old.clientSecret
        plain.clientSecret = clientSecret
      }
      if (!keepPrevious) {
        delete plain.previous
        delete plain.previousClientSecret
      }
      const now = clock.now()
      await store.apps.put({
        tenant,
        integration,
        key,
        clientId: clientId ?? before?.clientId ?? null,
        secrets: vault.seal(scope(tenant, integration), plain),
        hints: lastFour(plain),
        createdAt: before?.createdAt ?? now,
        updatedAt: now,
      })
      return verbs.get(caller, integration)
    },
    async oauthApp(tenant, integration, version) {
      const app = await find(tenant, integration)
      if (!app) return undefined
      const secrets = vault.open(scope(app.tenant, integration), app.secrets)
      if (version === '2.0')
        return { key: app.clientId ?? app.key, secret: secrets.clientSecret ?? secrets.current ?? '' }
      return secrets.current === undefined ? undefined : { key: app.key, secret: secrets.current }
    },
    async open(tenant, integration) {
      const app = await find(tenant, integration)
      if (!app) return undefined
      const { current, previous, clientSecret, previousClientSecret } = vault.open(
        scope(app.tenant, integration),
        app.secrets,
      )
      const dropMissing = (...secrets: (string | undefined)[]) => secrets.filter((secret) => secret !== undefined)
      const own = { key: app.key, secrets: dropMissing(current, previous) }
      // Like `oauthApp`: an app without OAuth 2.0 credentials uses its key and secret for both.
      const secrets = clientSecret === undefined ? own.secrets : dropMissing(clientSecret, previousClientSecret)
      return { owner: app.tenant, app: own, client: { key: app.clientId ?? app.key, secrets } }
    },
  }
  return verbs
}
