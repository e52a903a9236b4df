import { failField } from '#kit'
import type { Caller, Clock, Store, Vault } from './ports.ts'
import type { Registry } from './registry.ts'

/** Our registration as an application at a provider, as the faces show it. */
export type AppView = { integration: string; key: string; secrets: Record<string, string>; owner: 'operator' | 'tenant'; createdAt: string; updatedAt: string } | { integration: string; key: null }
export type Apps = {
  get(caller: Caller, integration: string): Promise<AppView>
  /** `secret` signs webhooks and OAuth. The one before it stays valid for deliveries until it is replaced again or dropped. */
  put(caller: Caller, integration: string, given: { key: string; secret?: string | undefined; keepPrevious?: boolean | undefined }): Promise<AppView>
  /** Secrets to verify deliveries with, current first. */
  open(tenant: string, integration: string): Promise<{ key: string; current?: string; previous?: string } | undefined>
}

export const createApps = ({ registry, store, vault, clock }: { registry: Registry; store: Store; vault: Vault; clock: Clock }): Apps => {
  const scope = (tenant: string, integration: string) => ({ tenant, owner: `app:${integration}` })
  const find = async (tenant: string, integration: string) => (await store.apps.get(tenant, integration)) ?? (await store.apps.get('', integration))
  const verbs: Apps = {
    async get(caller, integration) {
      registry.integration(integration)
      const app = await find(caller.tenant, integration)
      if (!app) return { integration, key: null }
      return {
        integration,
        key: app.key,
        secrets: Object.fromEntries(Object.entries(app.hints).map(([name, last4]) => [name, `…${last4}`])),
        owner: app.tenant === '' ? 'operator' : 'tenant',
        createdAt: new Date(app.createdAt).toISOString(),
        updatedAt: new Date(app.updatedAt).toISOString(),
      }
    },
    async put(caller, integration, { key, secret, keepPrevious = true }) {
      registry.integration(integration)
      if (!/^[\x21-\x7e]{1,256}$/.test(key)) throw failField('key', 'The app key is 1 to 256 visible ASCII characters, as the provider shows it.')
      if (secret !== undefined && secret.length < 8) throw failField('secret', 'The app secret looks cut off: give it whole, as the provider shows it.')
      const before = await store.apps.get(caller.tenant, integration)
      const old = before ? vault.open(scope(caller.tenant, integration), before.secrets) : {}
      const plain: Record<string, string> = { ...old }
      if (secret !== undefined && secret !== old.current) {
        if (old.current !== undefined && keepPrevious) plain.previous = old.current
        plain.current = secret
      }
      if (!keepPrevious) delete plain.previous
      const now = clock.now()
      await store.apps.put({
        tenant: caller.tenant,
        integration,
        key,
        secrets: vault.seal(scope(caller.tenant, integration), plain),
        hints: Object.fromEntries(Object.entries(plain).map(([name, text]) => [name, text.length >= 12 ? text.slice(-4) : ''])),
        createdAt: before?.createdAt ?? now,
        updatedAt: now,
      })
      return verbs.get(caller, integration)
    },
    async open(tenant, integration) {
      const app = await find(tenant, integration)
      return app ? { key: app.key, ...vault.open(scope(app.tenant, integration), app.secrets) } : undefined
    },
  }
  return verbs
}
