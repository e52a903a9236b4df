import { failField } from '#kit'
import { isBoundToPerson, limitedTo, mayUse, requireOwner } from '../people/act-for.ts'
import type { Caller, Store } from '../ports/index.ts'

/** `all` must be stated when neither of the others is given, so that an omission does not remove everything. */
export type ClearCache = {
  connection?: string | undefined
  integration?: string | undefined
  all?: boolean | undefined
}

/** The lookup results that are stored for reuse. */
export type StoredResults = {
  /**
   * Removes the results of a connection, of an integration, or all that the caller may see. The next lookups are sent
   * to the provider and may cost credits. @throws Failure `not_allowed` for a token bound to steps or a tool set, since
   * a result does not name its step; `invalid_input` when nothing is chosen, `not_found` for an unknown connection
   */
  clear(caller: Caller, which: ClearCache): Promise<{ removed: number }>
}

type StoredResultsDependencies = {
  store: Pick<Store, 'connections' | 'lookups'>
  /** @throws Failure `not_found` */ requireIntegration(id: string): unknown
}

export const createStoredResults = ({ store, requireIntegration }: StoredResultsDependencies): StoredResults => ({
  async clear(caller, { connection, integration, all = false }) {
    const { tenant } = caller
    const usable = limitedTo(caller)
    const { person } = caller
    // A person uses what is stored for the workspace, but does not make everybody pay again.
    const connections =
      isBoundToPerson(caller) && person !== undefined
        ? (await store.connections.list(tenant, { person })).map(({ id }) => id).filter((id) => usable?.includes(id))
        : usable
    if (connection === undefined && integration === undefined && !all)
      throw failField(
        'all',
        'Say which stored results are to be removed: of a "connection", of an "integration", or "all": true for all of them.',
      )
    if (integration !== undefined) requireIntegration(integration)
    const named = connection === undefined ? undefined : await store.connections.get(tenant, connection)
    if (connection !== undefined && !(named && mayUse(caller, named)))
      throw failField('connection', `There is no connection "${connection}".`, 'not_found')
    if (named) requireOwner(caller, named)
    const chosen = {
      ...(connection === undefined ? {} : { connection }),
      ...(integration === undefined ? {} : { integration }),
    }
    return {
      removed: await store.lookups.remove(tenant, connections === undefined ? chosen : { ...chosen, connections }),
    }
  },
})
