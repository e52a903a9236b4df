import type { Param, Row } from '../sqlite.ts'

/**
 * Rows past retention: `find` selects the keys of the next ones, limited by its last parameter; `act` runs on those
 * keys.
 */
export type Kind = { act: string; keys: string; find: string; params: Param[]; emptied?: Emptied }
/** Rows that lose their content but stay: `set` is what changes, `still` the condition under which they may change. */
export type Emptied = { table: string; columns: string[]; set: Row; still: string }

export const expiring = (table: string, keys: string, now: number): Kind => ({
  act: `delete from ${table} /* every tenant: prune */`,
  keys,
  find: `select ${keys} from ${table} /* every tenant: prune */ where expires_at <= ? limit ?`,
  params: [now],
})
