import type { Connection } from '../../../api/resources/connection.ts'
import { session } from './session.ts'
import { useItems } from './use-api.ts'

/** The name, with the person whose account it is: names of several people may be the same. */
export const titleOf = ({ name, person }: Pick<Connection, 'name' | 'person'>) =>
  person ? `${name} (${person})` : name

/**
 * The connection that is offered first: of the person whom the session acts for, or else of the workspace. Another
 * person's is used only by choice.
 */
export const usualOf = (connections: Connection[]): Connection | undefined => {
  const defaultOf = (owner: string | null) => {
    const owned = connections.filter(({ person }) => (person ?? null) === owner)
    return owned.find(({ isDefault }) => isDefault) ?? owned[0]
  }
  return defaultOf(session.value?.token.person ?? null) ?? defaultOf(null)
}

/** The tenant's connections, or those of one integration, and their names. Without `isNeeded` they are not read. */
export const useConnections = (integration?: string, isNeeded = true) => {
  const { items, problem, loading, hasMore } = useItems<Connection>(isNeeded ? 'connections' : undefined, {
    integration,
  })
  return {
    items,
    problem,
    loading,
    /** Whether there are more than are here. */
    hasMore,
    nameOf(id: string) {
      const connection = items.find((row) => row.id === id)
      return connection ? titleOf(connection) : loading ? '…' : 'A connection that is not listed'
    },
    /** The connections as the options of a select. */
    choices: items.map((connection): [string, string] => [connection.id, titleOf(connection)]),
  }
}
