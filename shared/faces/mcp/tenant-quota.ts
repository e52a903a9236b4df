/** Limits concurrent uses, in total and per tenant. */
export type TenantQuota = {
  /** Returns the function that ends the use (safe to repeat); undefined when a limit is reached. */
  acquire(tenant: string): (() => void) | undefined
}

export const createTenantQuota = (max: { all: number; perTenant: number }): TenantQuota => {
  const used = new Map<string, number>()
  let all = 0
  return {
    acquire(tenant) {
      const own = used.get(tenant) ?? 0
      if (all >= max.all || own >= max.perTenant) return undefined
      used.set(tenant, own + 1)
      all += 1
      let isReleased = false
      return () => {
        if (isReleased) return
        isReleased = true
        all -= 1
        const remainingCount = used.get(tenant)! - 1
        if (remainingCount === 0) used.delete(tenant)
        else used.set(tenant, remainingCount)
      }
    },
  }
}
