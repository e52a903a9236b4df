import { failField } from '#kit'
import type { OpenConnections } from '../connections/open-connection.ts'
import type { Audit } from './audit.ts'
import type { Limits } from './limits.ts'
import type { Caller, Store, TenantPolicy } from '../ports/index.ts'
import type { Registry } from '../catalogue/registry.ts'

/**
 * What the operator sets for each tenant: limits, and paths that API Call may use although they are denied or have no
 * known price.
 */
export type Policies = {
  get(tenant: string): Promise<TenantPolicy>
  put(tenant: string, policy: TenantPolicy, by: Caller): Promise<TenantPolicy>
  /** Applies the stored policies; called once at startup. */
  load(): Promise<void>
}

type PoliciesDependencies = {
  registry: Registry
  store: Pick<Store, 'tenants'>
  openConnections: OpenConnections
  limits: Limits
  audit: Audit
}

export const createPolicies = ({ registry, store, openConnections, limits, audit }: PoliciesDependencies): Policies => {
  const mustGet = async (tenant: string) => {
    const row = await store.tenants.get(tenant)
    if (!row) throw failField('tenant', `There is no tenant "${tenant}".`, 'not_found')
    return row
  }
  const checkAllowed = ({ apiCallAllow = {} }: TenantPolicy) => {
    for (const [integration, patterns] of Object.entries(apiCallAllow)) {
      const { deny } = registry.integration(integration).integration.apiCall
      const unknown = patterns.find((pattern) => !deny.some((rule) => rule.path === pattern))
      if (unknown === undefined) continue
      throw failField(
        `apiCallAllow/${integration}`,
        `"${unknown}" is not a path in apiCall.deny of the manifest. Its paths: ${deny.map((rule) => rule.path).join(', ')}.`,
      )
    }
  }
  const checkUnpriced = ({ apiCallUnpriced = {} }: TenantPolicy) => {
    for (const [integration, patterns] of Object.entries(apiCallUnpriced)) {
      registry.integration(integration)
      const wrong = patterns.find((pattern) => !pattern.startsWith('/'))
      if (wrong === undefined) continue
      const why = `"${wrong}" is no pattern of paths: give one that begins with "/", such as "/v1/lists/**".`
      throw failField(`apiCallUnpriced/${integration}`, why)
    }
  }
  return {
    get: async (tenant) => (await mustGet(tenant)).policy ?? {},
    async put(tenant, policy, by) {
      await mustGet(tenant)
      checkAllowed(policy)
      checkUnpriced(policy)
      await store.tenants.patch(tenant, { policy })
      limits.set(tenant, policy.limits)
      openConnections.forget(tenant)
      await audit.changed({ ...by, tenant }, { what: 'policies.put', decision: JSON.stringify(policy) })
      return policy
    },
    async load() {
      for (const { id, policy } of await store.tenants.list()) if (policy?.limits) limits.set(id, policy.limits)
    },
  }
}
