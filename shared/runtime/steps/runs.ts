import { fail, failField } from '#kit'
import type { FailureCode } from '#kit'
import type { StartIds } from '../admin/chosen-texts.ts'
import { ownedConnections, splitOwned } from '../owned.ts'
import type { Owned } from '../owned.ts'
import type { Caller, Clock, Listed, Page, Run, RunState, Store, UsageRow } from '../ports/index.ts'

export type RunView = Omit<Run, 'createdAt' | 'tenant' | 'exchanges'> & { createdAt: string }
/** `method` and `path` null: the only exchange of a run, which went well at once; its times are those of the run. */
export type RunExchangeView = {
  at: string
  method: string | null
  path: string | null
  waitedMs: number
  durationMs: number
  status: number | null
  code: FailureCode | null
}
export type RunDetail = RunView & {
  exchanges: RunExchangeView[]
  /** How far a run in the background has come, where its step says it. */
  progress?: { done: number; total: number | null }
}
/** `since`, `until`: RFC 3339; begun then or later, and before. */
export type RunFilter = {
  integration?: string
  step?: string
  connection?: string
  state?: RunState
  startId?: string
  parentId?: string
  since?: string
  until?: string
} & Owned
export type Runs = {
  list(caller: Caller, page: Page, /** `externalId` and `labels`: of the connection. */ filter?: RunFilter): Promise<Listed<RunView>>
  get(caller: Caller, id: string): Promise<RunDetail>
  usage(caller: Caller, days: number): Promise<UsageRow[]>
}

const iso = (at: number) => new Date(at).toISOString()
const view = ({ createdAt, tenant: _, exchanges: __, ...run }: Run): RunView => ({ ...run, createdAt: iso(createdAt) })

const exchangesOf = ({ exchanges, attempts, createdAt, durationMs, state }: Run): RunExchangeView[] => {
  if (exchanges !== null)
    return exchanges.map(([at, waitedMs, took, status, code, method, path]) => ({
      at: iso(createdAt + at),
      method,
      path,
      waitedMs,
      durationMs: took,
      status,
      code,
    }))
  if (attempts !== 1 || state !== 'done') return []
  return [{ at: iso(createdAt), method: null, path: null, waitedMs: 0, durationMs, status: null, code: null }]
}

const timeOf = (field: string, given: string): number => {
  const at = Date.parse(given)
  if (Number.isNaN(at)) throw failField(field, `${field} must be a time such as 2026-03-01T00:00:00Z.`)
  return at
}

/** A token bound to connections sees their runs, and its own runs that had no connection. */
export const isVisible = ({ connections, token }: Caller, run: Pick<Run, 'connection' | 'token'>) =>
  !connections || (run.connection === null ? run.token === token : connections.includes(run.connection))

type RunsParts = { store: Store; clock: Clock; flush(): Promise<void>; startIds?: StartIds }

/** `flush`: writes the rows of ended runs that are still waiting. */
export const createRuns = ({ store, clock, flush, startIds }: RunsParts): Runs => ({
  async list(caller, page, filter = {}) {
    await flush()
    const { owned, isAsked, rest } = splitOwned(filter)
    const { since, until, startId, ...stored } = rest
    const span = { ...(since === undefined ? {} : { since: timeOf('since', since) }), ...(until === undefined ? {} : { until: timeOf('until', until) }) }
    const connections = isAsked ? await ownedConnections(store, caller.tenant, owned) : undefined
    if (connections?.length === 0) return { items: [] }
    const listed = (start: object) => store.runs.list(caller.tenant, page, { ...stored, ...span, ...start, ...(connections ? { connections } : {}) })
    const start = startId === undefined ? undefined : ((await startIds?.stored(caller.tenant, startId)) ?? startId)
    let { items, next } = await listed(start === undefined ? {} : { startId: start })
    // Older than those are the rows of a version that stored it as it came.
    if (items.length === 0 && start !== startId) ({ items, next } = await listed({ startId }))
    return { items: items.filter((run) => isVisible(caller, run)).map(view), ...(next === undefined ? {} : { next }) }
  },
  async get(caller, id) {
    await flush()
    const run = await store.runs.get(caller.tenant, id)
    if (!run || !isVisible(caller, run)) throw fail('not_found', `There is no run "${id}".`)
    return { ...view(run), exchanges: exchangesOf(run) }
  },
  async usage(caller, days) {
    await flush()
    const rows = await store.runs.usage(caller.tenant, clock.now() - days * 86_400_000)
    return rows.filter(({ connection }) => !caller.connections || (connection !== null && caller.connections.includes(connection)))
  },
})
