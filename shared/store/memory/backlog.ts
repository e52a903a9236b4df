/**
 * At least this many of a tenant's newest rows are kept; without a limit, memory would grow for the life of the
 * process.
 */
export const keptRows = 2_000

type Row = { tenant: string }

/**
 * Rows added with every run that most processes never read. They stay in lists until somebody reads, because a
 * statement for each would take as long as half the run. When the list of a tenant is full, its older half is dropped.
 */
export const createBacklog = <T extends Row>(write: (tenant: string, rows: T[]) => Promise<void>) => {
  let waiting = new Map<string, T[]>()
  let writing = Promise.resolve()
  /** Writes the rows. Resolves when every row added so far can be read. */
  const settle = (): Promise<void> => {
    const batch = waiting
    waiting = new Map()
    const before = writing
    writing = (async () => {
      // A failed write loses its own rows only.
      await before.catch(() => {})
      for (const [tenant, rows] of batch) await write(tenant, rows)
    })()
    return writing
  }
  return {
    add(row: T): void {
      const rows = waiting.get(row.tenant)
      if (!rows) return void waiting.set(row.tenant, [row])
      rows.push(row)
      if (rows.length > 2 * keptRows) rows.splice(0, keptRows)
    },
    some: (test: (row: T) => boolean): boolean => [...waiting.values()].some((rows) => rows.some(test)),
    settle,
    /** `read`, but after `settle`. */
    before:
      <A extends unknown[], R>(read: (...query: A) => Promise<R>) =>
      async (...query: A): Promise<R> => {
        await settle()
        return read(...query)
      },
  }
}
