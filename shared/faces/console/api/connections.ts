import type { Connection } from '../../../api/resources/connection.ts'
import { useItems } from './use-api.ts'

/** The tenant's connections, or those of one integration, and their names. Without `isNeeded` they are not read. */
export const useConnections = (integration?: string, isNeeded = true) => {
  const { items, problem } = useItems<Connection>(isNeeded ? 'connections' : undefined, { integration })
  return {
    items,
    problem,
    nameOf: (id: string) => items.find((connection) => connection.id === id)?.name ?? id,
    /** The connections as the options of a select. */
    choices: items.map(({ id, name }): [string, string] => [id, name]),
  }
}
