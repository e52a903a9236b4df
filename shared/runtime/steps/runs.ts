import { fail } from '#kit'
import { ownedConnections, splitOwned } from '../owned.ts'
import type { Owned } from '../owned.ts'
import type { Caller, Clock, Listed, Page, Run, RunState, Store, UsageRow } from '../ports/index.ts'

export type RunView = Omit<Run, 'createdAt' | 'tenant'> & { createdAt: string }
export type RunFilter = { integration?: string; step?: string; connection?: string; state?: RunState; startId?: string } & Owned
export type Runs = {
  list(caller: Caller, page: Page, /** `externalId` and `labels`: of the connection. */ filter?: RunFilter): Promise<Listed<RunView>>
  get(caller: Caller, id: string): Promise<RunView>
  usage(caller: Caller, days: number): Promise<UsageRow[]>
}

const view = ({ createdAt, tenant: _, ...run }: Run): RunView => ({ ...run, createdAt: new Date(createdAt).toISOString() })

/** A token bound to connections sees their runs, and its own runs that had no connection. */
export const isVisible = ({ connections, token }: Caller, run: Pick<Run, 'connection' | 'token'>) =>
  !connections || (run.connection === null ? run.token === token : connections.includes(run.connection))

/** `flush`: writes the rows of ended runs that are still waiting. */
export const createRuns = ({ store, clock, flush }: { store: Store; clock: Clock; flush(): Promise<void> }): Runs => ({
  async list(caller, page, filter = {}) {
    await flush()
    const { owned, isAsked, rest } = splitOwned(filter)
    const connections = isAsked ? await ownedConnections(store, caller.tenant, owned) : undefined
    if (connections?.length === 0) return { items: [] }
    const { items, next } = await store.runs.list(caller.tenant, page, connections ? { ...rest, connections } : rest)
    return { items: items.filter((run) => isVisible(caller, run)).map(view), ...(next === undefined ? {} : { next }) }
  },
  async get(caller, id) {
    await flush()
    const run = await store.runs.get(caller.tenant, id)
    if (!run || !isVisible(caller, run)) throw fail('not_found', `There is no run "${id}".`)
    return view(run)
  },
  async usage(caller, days) {
    await flush()
    const rows = await store.runs.usage(caller.tenant, clock.now() - days * 86_400_000)
    return rows.filter(({ connection }) => !caller.connections || (connection !== null && caller.connections.includes(connection)))
  },
})
