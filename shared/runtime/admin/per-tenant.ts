/** One thing for each tenant, made at the first need: whoever fills its own pushes nothing of another tenant out. */
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
