/** One use of a tenant; `end` closes it. */
type Use = { tenant: string; end(): void }

/**
 * Divides `max` concurrent uses among tenants. A tenant without a use always gets one. When all are taken, the tenant
 * with the most loses its oldest to a tenant that has at least two fewer.
 */
export const createFairShare = (max: number) => {
  const tenants = new Map<string, Set<Use>>()
  let all = 0

  const release = (held: Use) => {
    const own = tenants.get(held.tenant)
    if (!own?.delete(held)) return
    all -= 1
    if (own.size === 0) tenants.delete(held.tenant)
  }
  const largest = () =>
    [...tenants.values()].reduce((largestSoFar, own) => (own.size > largestSoFar.size ? own : largestSoFar))

  return {
    /** Returns the function that ends the use (safe to call again); undefined when the tenant already has its share. */
    acquire(tenant: string, end: () => void): (() => void) | undefined {
      const own = tenants.get(tenant)?.size ?? 0
      if (all >= max && own > 0) {
        const from = largest()
        if (from.size < own + 2) return undefined
        const [oldest] = from
        release(oldest!)
        oldest!.end()
      }
      const held: Use = { tenant, end }
      tenants.set(tenant, (tenants.get(tenant) ?? new Set()).add(held))
      all += 1
      return () => release(held)
    },
    countOf: (tenant: string) => tenants.get(tenant)?.size ?? 0,
  }
}
