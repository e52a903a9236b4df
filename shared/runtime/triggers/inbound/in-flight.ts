/**
 * Background work of one kind, counted by tenant, so that no round waits for a tenant whose provider does not answer: a
 * tenant with `most` items in progress is skipped until one of them has ended.
 */
export const createInFlight = (most: number, onRoom: () => void) => {
  const counts = new Map<string, number>()
  const all = new Set<Promise<unknown>>()

  return {
    /** Tenants that have reached the limit. */
    full: (): string[] => [...counts].flatMap(([tenant, count]) => (count >= most ? [tenant] : [])),
    /** Counts `work` until it settles; it must never reject. */
    add(tenant: string, work: Promise<unknown>): void {
      counts.set(tenant, (counts.get(tenant) ?? 0) + 1)
      const mine = work.finally(() => {
        all.delete(mine)
        const left = counts.get(tenant)! - 1
        if (left > 0) counts.set(tenant, left)
        else counts.delete(tenant)
        if (left === most - 1) onRoom()
      })
      all.add(mine)
    },
    /** Resolves when nothing is in progress. */
    async idle(): Promise<void> {
      while (all.size > 0) await Promise.all(all)
    },
  }
}
