/** Something that is held open for a tenant; `end` takes it away. */
type Held = { tenant: string; end(): void }

/**
 * A number of places that tenants share evenly. A tenant that has none always gets one; when all are taken, the tenant that has most gives its
 * oldest to one that has at least two fewer.
 */
export const createShares = (most: number) => {
  const tenants = new Map<string, Set<Held>>()
  let all = 0

  const leave = (held: Held) => {
    const own = tenants.get(held.tenant)
    if (!own?.delete(held)) return
    all -= 1
    if (own.size === 0) tenants.delete(held.tenant)
  }
  const largest = () => [...tenants.values()].reduce((most, own) => (own.size > most.size ? own : most))

  return {
    /** Takes a place; undefined when the tenant has its share. What it gives returns the place, however often it is called. */
    take(tenant: string, end: () => void): (() => void) | undefined {
      const own = tenants.get(tenant)?.size ?? 0
      if (all >= most && own > 0) {
        const from = largest()
        if (from.size < own + 2) return undefined
        const [oldest] = from
        leave(oldest!)
        oldest!.end()
      }
      const held: Held = { tenant, end }
      tenants.set(tenant, (tenants.get(tenant) ?? new Set()).add(held))
      all += 1
      return () => leave(held)
    },
    ofTenant: (tenant: string) => tenants.get(tenant)?.size ?? 0,
  }
}
