import { fail } from '#kit'
import type { Intent, Run, Store, UsageRow } from '../../runtime/ports/index.ts'
import { dayOf, evictedRows, firstOf, rowBytes } from '../sql/runs.ts'
import { fits, pageOf, tenantRows } from './maps.ts'

/** At least so many newest runs are kept per tenant: memory must not grow with the life of the process. */
const keptRuns = 2_000
const recorded = Promise.resolve()

/**
 * Two halves in order of arrival, of which the older one is dropped whole. Lists and not maps, because rows are written with every run
 * and read when a person looks: finding one by its id is the reader's work.
 */
type Halves = { young: Run[]; old: Run[] }

export const runsInMemory = (): Store['runs'] & { prune(before: number): number } => {
  const byTenant = new Map<string, Halves>()
  const of = (tenant: string): Halves => {
    let halves = byTenant.get(tenant)
    if (!halves) byTenant.set(tenant, (halves = { young: [], old: [] }))
    return halves
  }
  /** The last row of each id, since a run that is recorded again replaces its row. */
  const every = (tenant: string): Run[] => {
    const { young, old } = of(tenant)
    return [...new Map([...old, ...young].map((run) => [run.id, run])).values()]
  }
  return {
    record: (run) => {
      const halves = of(run.tenant)
      halves.young.push(run)
      if (halves.young.length > keptRuns) {
        halves.old = halves.young
        halves.young = []
      }
      return recorded
    },
    // What this process sends it also ends.
    cutOff: async () => [],
    get: async (tenant, id) => {
      const { young, old } = of(tenant)
      return young.findLast((run) => run.id === id) ?? old.findLast((run) => run.id === id)
    },
    list: async (tenant, page, filter = {}) =>
      pageOf(
        every(tenant),
        page,
        (run) => ({ at: run.createdAt, id: run.id }),
        (run) => fits(run, filter),
      ),
    usage: async (tenant, since) => {
      const sums = new Map<string, UsageRow>()
      for (const run of every(tenant)) {
        if (run.createdAt < since) continue
        const { integration, step, connection } = run
        const day = dayOf(Math.floor(run.createdAt / 86_400_000))
        const name = JSON.stringify([day, integration, step, connection])
        const sum = sums.get(name) ?? { day, integration, step, connection, runs: 0, failed: 0, calls: 0, credits: 0 }
        sum.runs += 1
        sum.failed += run.state === 'failed' || run.state === 'unknown' ? 1 : 0
        sum.calls += run.calls
        sum.credits += run.credits
        sums.set(name, sum)
      }
      return [...sums.values()].sort((a, b) => b.day.localeCompare(a.day) || order(a, b))
    },
    prune: (before) => {
      let gone = 0
      for (const halves of byTenant.values()) {
        for (const half of ['young', 'old'] as const) {
          const kept = halves[half].filter((run) => run.createdAt >= before)
          gone += halves[half].length - kept.length
          halves[half] = kept
        }
      }
      return gone
    },
  }
}

const order = (a: UsageRow, b: UsageRow): number => {
  const [left, right] = [a, b].map((row) => [row.integration, row.step, row.connection ?? ''].join('\0')) as [string, string]
  return left < right ? -1 : left > right ? 1 : 0
}

export const intentsInMemory = (): Store['intents'] => {
  const rows = tenantRows<Intent & { mayGo?: boolean; bytes?: number }>()
  return {
    plan: async (intent) => {
      const present = rows.of(intent.tenant).get(intent.key)
      if (present && present.expiresAt > intent.createdAt) {
        const { mayGo: _, bytes: __, ...known } = present
        return { inserted: false, intent: known }
      }
      rows.of(intent.tenant).set(intent.key, intent)
      return { inserted: true, intent }
    },
    mark: async (tenant, key, state, outcome, mayGo = false) => {
      const intent = rows.of(tenant).get(key)
      if (!intent) throw fail('internal', 'The intent of this idempotency key is gone.')
      const bytes = rowBytes + (outcome === undefined ? 0 : JSON.stringify(outcome).length)
      rows.of(tenant).set(key, { ...intent, state, outcome: outcome ?? null, mayGo, bytes })
      return bytes
    },
    drop: async (tenant, key) => void rows.of(tenant).delete(key),
    bytes: async (tenant) => [...rows.of(tenant).values()].reduce((sum, { bytes = rowBytes }) => sum + bytes, 0),
    evict: async (tenant, size) => {
      const may = [...rows.of(tenant).values()].filter(({ mayGo, state }) => mayGo === true && (state === 'done' || state === 'not_sent'))
      const gone = firstOf(may.sort((a, b) => a.expiresAt - b.expiresAt).slice(0, evictedRows), size, ({ bytes = rowBytes }) => bytes)
      for (const { key } of gone) rows.of(tenant).delete(key)
      return gone.reduce((sum, { bytes = rowBytes }) => sum + bytes, 0)
    },
    open: async () =>
      rows
        .every()
        .filter(({ state }) => state === 'planned' || state === 'sending')
        .sort((a, b) => a.createdAt - b.createdAt),
    prune: async (now, tenant) => {
      const expired = (tenant === undefined ? rows.every() : [...rows.of(tenant).values()]).filter(({ expiresAt }) => expiresAt <= now)
      for (const { tenant, key } of expired) rows.of(tenant).delete(key)
      return expired.length
    },
  }
}
