/** One instance per tenant, created on first use, so that a tenant that fills its own displaces nothing of another. */
export const createPerTenant = <T>(make: () => T) => {
  const made = new Map<string, T>()
  return {
    find: (tenant: string): T | undefined => made.get(tenant),
    of(tenant: string): T {
      let instance = made.get(tenant)
      if (instance === undefined) made.set(tenant, (instance = make()))
      return instance
    },
  }
}
