import type { Pricing } from '../credits/prices.ts'
import type { UsageSpan } from '../credits/usage-span.ts'
import type { Registry } from '../catalogue/registry.ts'
import { csvLine } from '../csv-cells.ts'
import type { Caller, PersonUsageRow, Store, UsageRow } from '../ports/index.ts'
import type { UsageGroup, UsageTotal } from '../../api/resources/usage.ts'

type Counted = Pick<UsageRow, 'runs' | 'failed' | 'calls' | 'credits' | 'estimatedCredits'>
const counts = ['runs', 'failed', 'calls', 'credits', 'estimatedCredits'] as const
const rounded = (value: number) => Math.round(value * 1e6) / 1e6

type Group = Pick<UsageTotal, 'integration' | 'step' | 'person' | 'connection'>
type PersonRow = UsageRow & { person: string | null }

const groupOf: { [by in UsageGroup]: (row: PersonRow) => Group } = {
  step: ({ integration, step }) => ({ integration, step, person: null, connection: null }),
  person: ({ integration, person }) => ({ integration, step: null, person, connection: null }),
  connection: ({ integration, connection }) => ({ integration, step: null, person: null, connection }),
}

type Sum = Group & Counted
const sumsOf = (rows: readonly PersonRow[], by: UsageGroup): Sum[] => {
  const sums = new Map<string, Sum>()
  for (const row of rows) {
    const group = groupOf[by](row)
    const name = JSON.stringify(group)
    const sum = sums.get(name) ?? { ...group, runs: 0, failed: 0, calls: 0, credits: 0, estimatedCredits: 0 }
    for (const count of counts) sum[count] = rounded(sum[count] + row[count])
    sums.set(name, sum)
  }
  return [...sums.values()]
}

/** What is left of all runs when those that acted for somebody are taken away: rows of the runs for nobody. */
export const ofNobody = (all: readonly UsageRow[], people: readonly PersonUsageRow[]): PersonRow[] => [
  ...all.map((row) => ({ ...row, person: null })),
  ...people.map((row) => ({
    ...row,
    person: null,
    ...Object.fromEntries(counts.map((count) => [count, -row[count]])),
  })),
]

export type UsageTotalsQuery = { by: UsageGroup; span: UsageSpan; person?: string | undefined }

export type UsageTotals = {
  /** Runs, calls and credits by step, person or connection; the most credits first. */
  totals(caller: Caller, query: UsageTotalsQuery): Promise<UsageTotal[]>
  /** The same as a CSV file. */
  exportTotals(caller: Caller, query: UsageTotalsQuery): Promise<string>
}

type UsageTotalsDependencies = {
  store: Pick<Store, 'connections'>
  registry: Pick<Registry, 'all'>
  pricing: Pricing
  usage(caller: Caller, span: UsageSpan, person?: string): Promise<UsageRow[]>
  /** All rows that the caller may see and that acted for somebody. */
  usageByPerson(caller: Caller, span: UsageSpan): Promise<PersonUsageRow[]>
}

export const createUsageTotals = ({
  store,
  registry,
  pricing,
  usage,
  usageByPerson,
}: UsageTotalsDependencies): UsageTotals => {
  const titleOf = (integration: string, step: string): string | null =>
    registry.all.find((loaded) => loaded.integration.id === integration)?.steps.get(step)?.step.title ?? null

  const nameOf = async ({ tenant }: Caller, { integration, step, person, connection }: Group) => {
    if (step !== null) return titleOf(integration, step)
    if (connection !== null) return (await store.connections.get(tenant, connection))?.name ?? null
    return person
  }

  const rowsOf = async (caller: Caller, { by, span, person }: UsageTotalsQuery): Promise<PersonRow[]> => {
    const only = caller.person ?? person
    const rows = await usage(caller, span, person)
    if (by !== 'person' || only !== undefined) return rows.map((row) => ({ ...row, person: only ?? null }))
    const people = await usageByPerson(caller, span)
    return [...people, ...ofNobody(rows, people)]
  }

  const totals: UsageTotals['totals'] = async (caller, query) => {
    const sums = sumsOf(await rowsOf(caller, query), query.by).filter(({ runs }) => runs > 0)
    const named = await Promise.all(
      sums.map(async (sum) => pricing.withMoney({ ...sum, name: await nameOf(caller, sum) }, sum.credits)),
    )
    return named.toSorted((row, other) => other.credits - row.credits || other.calls - row.calls)
  }

  return {
    totals,
    async exportTotals(caller, query) {
      const { by } = query
      const rows = await totals(caller, query)
      const head = ['integration', by, 'name', 'runs', 'failed', 'calls', 'credits', 'estimatedCredits']
      return [
        csvLine([...head, 'amount', 'currency']),
        ...rows.map((row) =>
          csvLine([
            row.integration,
            row[by],
            row.name,
            row.runs,
            row.failed,
            row.calls,
            row.credits,
            row.estimatedCredits,
            row.money?.amount ?? null,
            row.money?.currency ?? null,
          ]),
        ),
      ].join('')
    },
  }
}
