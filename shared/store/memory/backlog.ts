/** At least so many newest rows of a tenant are kept: memory must not grow with the life of the process. */
export const keptRows = 2_000

type Row = { tenant: string }

/**
 * Rows that are written with every run and that most processes never read. They wait in lists until somebody reads, because a statement for
 * each would take as long as half the run; the older half of a tenant's list is dropped when it is full.
 */
export const createBacklog = <T extends Row>(write: (tenant: string, rows: T[]) => Promise<void>) => {
  let waiting = new Map<string, T[]>()
  let writing = Promise.resolve()
  return {
    add(row: T): void {
      const rows = waiting.get(row.tenant)
      if (!rows) return void waiting.set(row.tenant, [row])
      rows.push(row)
      if (rows.length > 2 * keptRows) rows.splice(0, keptRows)
    },
    some: (test: (row: T) => boolean): boolean => [...waiting.values()].some((rows) => rows.some(test)),
    /** Resolves when every row added so far can be read. */
    settle(): Promise<void> {
      const taken = waiting
      waiting = new Map()
      const before = writing
      writing = (async () => {
        // Rows that could not be written are lost; those after them are not.
        await before.catch(() => {})
        for (const [tenant, rows] of taken) await write(tenant, rows)
      })()
      return writing
    },
  }
}
