import { fail, failField, showFailure } from '#kit'
import type { StartIds } from '../admin/chosen-texts.ts'
import { isVisible, mayUseStepOf } from '../bounds.ts'
import { isBoundToPerson, isForPerson } from '../people/act-for.ts'
import type { Registry } from '../catalogue/registry.ts'
import { ownedConnections, splitOwned } from '../owner-filter.ts'
import type { Owned } from '../owner-filter.ts'
import type { Caller, Clock, Listed, Page, Run, RunState, Store, UsageRow } from '../ports/index.ts'
import type { Run as RunView, RunDetail } from '../../api/resources/run.ts'

export type { RunDetail, RunView }

/** `since` and `until`: RFC 3339; runs created at `since` or later, and before `until`. */
export type RunFilter = {
  integration?: string
  step?: string
  connection?: string
  person?: string
  state?: RunState
  startId?: string
  parentId?: string
  since?: string
  until?: string
} & Owned
export type Runs = {
  list(
    caller: Caller,
    page: Page,
    /** `externalId` and `labels`: those of the connection. */ filter?: RunFilter,
  ): Promise<Listed<RunView>>
  get(caller: Caller, id: string): Promise<RunDetail>
  usage(caller: Caller, days: number, person?: string): Promise<UsageRow[]>
}

/** The usage of each of these people whom the caller may see. */
export type UsageOfPeople = (caller: Caller, days: number, people: string[]) => Promise<Map<string, UsageRow[]>>

const dayMs = 86_400_000
const iso = (at: number) => new Date(at).toISOString()
const view = ({ createdAt, tenant: _, exchanges: __, failure, person, ...run }: Run): RunView => ({
  ...run,
  person: person ?? null,
  failure: failure && showFailure(failure),
  createdAt: iso(createdAt),
})

const exchangesOf = ({ exchanges, attempts, createdAt, durationMs, state }: Run): RunDetail['exchanges'] => {
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

const timeOf = (field: string, value: string): number => {
  const at = Date.parse(value)
  if (Number.isNaN(at)) throw failField(field, `${field} must be a time such as 2026-03-01T00:00:00Z.`)
  return at
}

type RunsDependencies = {
  store: Store
  registry: Pick<Registry, 'all'>
  clock: Clock
  /** Writes the rows of ended runs that are not written yet. */
  flush(): Promise<void>
  startIds?: StartIds
}

export const createRuns = ({
  store,
  registry,
  clock,
  flush,
  startIds,
}: RunsDependencies): Runs & { usageOfPeople: UsageOfPeople } => {
  const visibleRows = (caller: Caller, rows: UsageRow[]) =>
    rows.filter(
      (row) =>
        (!caller.connections || (row.connection !== null && caller.connections.includes(row.connection))) &&
        mayUseStepOf(registry, caller, row),
    )
  const usageOfPeople: UsageOfPeople = async (caller, days, people) => {
    await flush()
    const visiblePeople = people.filter((person) => isForPerson(caller, { person }))
    const usage = await store.runs.usageOfPeople(caller.tenant, clock.now() - days * dayMs, visiblePeople)
    return new Map([...usage].map(([person, rows]) => [person, visibleRows(caller, rows)]))
  }
  return {
    async list(caller, page, filter = {}) {
      await flush()
      const { owned, isAsked, rest: remainingFilter } = splitOwned(filter)
      const { since, until, startId, ...wanted } = remainingFilter
      const stored = isBoundToPerson(caller) ? { ...wanted, person: caller.person! } : wanted
      if (wanted.person !== undefined && wanted.person !== stored.person) return { items: [] }
      const span = {
        ...(since === undefined ? {} : { since: timeOf('since', since) }),
        ...(until === undefined ? {} : { until: timeOf('until', until) }),
      }
      const connections = isAsked ? await ownedConnections(store, caller.tenant, owned) : undefined
      if (connections?.length === 0) return { items: [] }
      const listed = (start: object) =>
        store.runs.list(caller.tenant, page, { ...stored, ...span, ...start, ...(connections ? { connections } : {}) })
      const start = startId === undefined ? undefined : ((await startIds?.stored(caller.tenant, startId)) ?? startId)
      let { items, next } = await listed(start === undefined ? {} : { startId: start })
      // Earlier versions stored the start id in plain text.
      if (items.length === 0 && start !== startId) ({ items, next } = await listed({ startId }))
      return {
        items: items.filter((run) => isVisible(registry, caller, run)).map(view),
        ...(next === undefined ? {} : { next }),
      }
    },
    async get(caller, id) {
      await flush()
      const run = await store.runs.get(caller.tenant, id)
      if (!run || !isVisible(registry, caller, run)) throw fail('not_found', `There is no run "${id}".`)
      return { ...view(run), exchanges: exchangesOf(run) }
    },
    async usage(caller, days, wantedPerson) {
      const person = isBoundToPerson(caller) ? caller.person : wantedPerson
      if (wantedPerson !== undefined && wantedPerson !== person) return []
      if (person !== undefined) return (await usageOfPeople(caller, days, [person])).get(person) ?? []
      await flush()
      return visibleRows(caller, await store.runs.usage(caller.tenant, clock.now() - days * dayMs))
    },
    usageOfPeople,
  }
}
