import { fail, failField, showFailure } from '#kit'
import type { StartIds } from '../admin/chosen-texts.ts'
import { isVisible, mayUseStepOf } from '../bounds.ts'
import { isBoundToPerson, isForPerson } from '../people/act-for.ts'
import type { Registry } from '../catalogue/registry.ts'
import type { Pricing } from '../credits/prices.ts'
import { isUntil, readSpan } from '../credits/usage-span.ts'
import type { UsageSpan } from '../credits/usage-span.ts'
import { ownedConnections, splitOwned } from '../owner-filter.ts'
import type { Owned } from '../owner-filter.ts'
import { createWording } from '../sentences/worded.ts'
import type { FindNames } from '../sentences/worded.ts'
import type { Caller, Clock, Listed, Log, Page, Run, RunState, Store, UsageRow } from '../ports/index.ts'
import type { RunContents } from './run-contents.ts'
import { createUsageTotals } from './usage-totals.ts'
import type { UsageTotals } from './usage-totals.ts'
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
  /** `span`: so many days back, or from a first day to a last one. */
  usage(caller: Caller, span: UsageSpan, person?: string): Promise<UsageRow[]>
} & UsageTotals

/** The usage of each of these people whom the caller may see. */
export type UsageOfPeople = (caller: Caller, days: number, people: string[]) => Promise<Map<string, UsageRow[]>>

const iso = (at: number) => new Date(at).toISOString()
const view = (
  { createdAt, tenant: _, exchanges: __, summary: ___, failure, person, ...run }: Run,
  summary: RunView['summary'],
): RunView => ({
  ...run,
  summary,
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
  // Earlier versions stored nothing of a single exchange that succeeded at once.
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
  pricing: Pricing
  startIds?: StartIds
  /** Absent: inputs and outputs are not stored. */
  contents?: Pick<RunContents, 'get'> | undefined
  log: Log
  names: { find: FindNames }
}

export const createRuns = ({
  store,
  registry,
  clock,
  flush,
  pricing,
  startIds,
  contents,
  log,
  names,
}: RunsDependencies): Runs & { usageOfPeople: UsageOfPeople } => {
  const visibleRows = <T extends UsageRow>(caller: Caller, rows: T[]) =>
    rows.filter(
      (row) =>
        (!caller.connections || (row.connection !== null && caller.connections.includes(row.connection))) &&
        mayUseStepOf(registry, caller, row),
    )
  const usageOfPeople = async (caller: Caller, span: UsageSpan, people: string[]) => {
    await flush()
    const { from, until } = readSpan(span, clock.now())
    const visiblePeople = people.filter((person) => isForPerson(caller, { person }))
    const rowsOf = await store.runs.usageOfPeople(caller.tenant, from, visiblePeople)
    return new Map([...rowsOf].map(([person, rows]) => [person, visibleRows(caller, rows).filter(isUntil(until))]))
  }
  const usage: Runs['usage'] = async (caller, span, wantedPerson) => {
    const person = isBoundToPerson(caller) ? caller.person : wantedPerson
    if (wantedPerson !== undefined && wantedPerson !== person) return []
    const rows =
      person === undefined ? await usageOfAll(caller, span) : (await usageOfPeople(caller, span, [person])).get(person)
    return (rows ?? []).map((row) => pricing.withMoney(row, row.credits))
  }
  const usageOfAll = async (caller: Caller, span: UsageSpan) => {
    await flush()
    const { from, until } = readSpan(span, clock.now())
    return visibleRows(caller, await store.runs.usage(caller.tenant, from)).filter(isUntil(until))
  }
  const usageByPerson = async (caller: Caller, span: UsageSpan) => {
    await flush()
    const { from, until } = readSpan(span, clock.now())
    return visibleRows(caller, await store.runs.usageByPerson(caller.tenant, from)).filter(isUntil(until))
  }
  const wording = createWording({ registry, findNames: names.find, log })
  const views = async (tenant: string, runs: Run[]): Promise<RunView[]> => {
    const summaries = await wording.sentences(tenant, runs)
    return runs.map((run, at) => view(run, summaries[at]!))
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
        items: await views(
          caller.tenant,
          items.filter((run) => isVisible(registry, caller, run)),
        ),
        ...(next === undefined ? {} : { next }),
      }
    },
    async get(caller, id) {
      await flush()
      const run = await store.runs.get(caller.tenant, id)
      if (!run || !isVisible(registry, caller, run)) throw fail('not_found', `There is no run "${id}".`)
      const [shown] = await views(caller.tenant, [run])
      const stored = await contents?.get(run.tenant, run.id)
      return { ...shown!, exchanges: exchangesOf(run), contents: stored ?? null }
    },
    usage,
    ...createUsageTotals({ store, registry, pricing, usage, usageByPerson }),
    usageOfPeople,
  }
}
