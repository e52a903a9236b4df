/** A limited number of places, of which one tenant gets only its share. */
export type Places = {
  /** Takes a place at once; undefined when there is none for this tenant. What it gives returns the place, however often it is called. */
  take(tenant: string): (() => void) | undefined
}

export const createPlaces = (most: { all: number; perTenant: number }): Places => {
  const taken = new Map<string, number>()
  let all = 0
  return {
    take(tenant) {
      const own = taken.get(tenant) ?? 0
      if (all >= most.all || own >= most.perTenant) return undefined
      taken.set(tenant, own + 1)
      all += 1
      let isTaken = true
      return () => {
        if (!isTaken) return
        isTaken = false
        all -= 1
        const left = taken.get(tenant)! - 1
        if (left === 0) taken.delete(tenant)
        else taken.set(tenant, left)
      }
    },
  }
}
