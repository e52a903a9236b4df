/**
 * Background work of one kind, counted by tenant, so that a round does not wait for a tenant whose provider does not
 * answer: whoever has `most` under way is left out until something of it has ended.
 */
export const createInFlight = (most: number, onRoom: () => void) => {
  const counts = new Map<string, number>()
  const all = new Set<Promise<unknown>>()

  return {
    /** Tenants that may not begin more. */
    full: (): string[] => [...counts].flatMap(([tenant, count]) => (count >= most ? [tenant] : [])),
    /** `work` never rejects. */
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
    /** Resolves when nothing is under way. */
    async idle(): Promise<void> {
      while (all.size > 0) await Promise.all(all)
    },
  }
}
