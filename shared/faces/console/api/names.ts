/** Names of things at the providers, as far as the server has learned them. */
import type { ConnectionName } from '../../../api/resources/connection-name.ts'
import { get } from './client.ts'

/** How many connections are searched, where none is chosen. */
const maxConnections = 5

/** The things whose names have this text in them, newest first: of one connection, or of the first few. */
export const findNames = async (
  text: string,
  connection: string | undefined,
  connections: readonly { id: string }[],
): Promise<ConnectionName[]> => {
  const searched = connection === undefined ? connections.slice(0, maxConnections).map(({ id }) => id) : [connection]
  const lists = await Promise.all(
    searched.map((id) =>
      get<{ items: ConnectionName[] }>(`connections/${encodeURIComponent(id)}/names`, { query: text }),
    ),
  )
  return lists.flatMap(({ items }) => items)
}
