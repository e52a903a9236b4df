import { failField } from '#kit'
import { mayUseConnection } from '../bounds.ts'
import type { Caller, Store } from '../ports/index.ts'

/** `all`: said where neither is given, so that nobody empties everything by leaving something out. */
export type ClearCache = {
  connection?: string | undefined
  integration?: string | undefined
  all?: boolean | undefined
}

/** Results of lookups that are stored to be used again. */
export type StoredResults = {
  /**
   * Removes those of a connection, of an integration, or all that the caller may see. The next lookups ask the
   * provider, and may cost credits.
   * @throws Failure `not_allowed` for a token that is bound to steps or a tool set, since a result does not say of
   * which step it is; `invalid_input` where nothing is chosen, `not_found` for a connection that is not there
   */
  clear(caller: Caller, which: ClearCache): Promise<{ removed: number }>
}

type StoredResultsDependencies = {
  store: Pick<Store, 'connections' | 'lookups'>
  /** @throws Failure `not_found` */ requireIntegration(id: string): unknown
}

export const createStoredResults = ({ store, requireIntegration }: StoredResultsDependencies): StoredResults => ({
  async clear(caller, { connection, integration, all = false }) {
    const { tenant, connections } = caller
    if (connection === undefined && integration === undefined && !all)
      throw failField(
        'all',
        'Say which stored results are to be removed: of a "connection", of an "integration", or "all": true for all of them.',
      )
    if (integration !== undefined) requireIntegration(integration)
    if (
      connection !== undefined &&
      !(mayUseConnection(caller, connection) && (await store.connections.get(tenant, connection)))
    )
      throw failField('connection', `There is no connection "${connection}".`, 'not_found')
    const chosen = {
      ...(connection === undefined ? {} : { connection }),
      ...(integration === undefined ? {} : { integration }),
    }
    return {
      removed: await store.lookups.remove(tenant, connections === undefined ? chosen : { ...chosen, connections }),
    }
  },
})
