import { fail, failField } from '#kit'
import type {
  Caller,
  Clock,
  LedgerFilter,
  LedgerKind,
  LedgerRow,
  Listed,
  Page,
  SpentRow,
  Store,
} from '../ports/index.ts'
import { mayUseStepOf } from '../bounds.ts'
import { isBoundToPerson } from '../people/act-for.ts'
import type { Pricing } from './prices.ts'
import { isUntil, readSpan } from './usage-span.ts'
import type { UsageSpan } from './usage-span.ts'
import type { Registry } from '../catalogue/registry.ts'
import type { LedgerRow as LedgerView } from '../../api/resources/ledger.ts'

export type { LedgerView }

/** Query filter; `since` and `until` are RFC 3339 times. */
export type LedgerQuery = {
  entry?: string
  connection?: string
  token?: string
  person?: string
  integration?: string
  kind?: LedgerKind
  unresolved?: boolean
  since?: string
  until?: string
}

export type Ledger = {
  /** Newest first. A token bound to connections or steps sees only their rows. */
  list(caller: Caller, page: Page, filter?: LedgerQuery): Promise<Listed<LedgerView>>
  /**
   * Records what an entry of unknown outcome has cost, and releases the rest of its reservation.
   * @throws Failure `not_found`, `conflict`
   */
  resolve(caller: Caller, entry: string, credits: number): Promise<{ items: LedgerView[] }>
  /**
   * Like `resolve`, for an outcome that the pack itself has found out. False: the outcome is not unknown, or was
   * resolved in the meantime.
   */
  resolveKnown(tenant: string, entry: string, credits: number): Promise<boolean>
  /**
   * Credits spent in the last so many days, or from a first day to a last one, by day, integration, step, connection
   * and token.
   */
  spent(caller: Caller, span: UsageSpan, person?: string): Promise<SpentRow[]>
}

const iso = (at: number) => new Date(at).toISOString()
const viewOf = ({ tenant: _, part, at, entryAt: __, person, ...row }: LedgerRow): LedgerView => ({
  id: `${row.entry}.${part}`,
  run: row.entry,
  ...row,
  person: person ?? null,
  at: iso(at),
})

const timeOf = (field: string, text: string): number => {
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw failField(field, `${field} must be a time such as 2026-03-01T00:00:00Z.`)
  return at
}

type LedgerDependencies = {
  store: Pick<Store, 'credits'>
  registry: Pick<Registry, 'all'>
  clock: Pick<Clock, 'now'>
  pricing: Pricing
  flush(): Promise<void>
}

export const createLedger = ({ store, registry, clock, pricing, flush }: LedgerDependencies): Ledger => {
  const isVisible = (caller: Caller, row: Pick<LedgerRow, 'connection' | 'integration' | 'step'>) =>
    (!caller.connections || (row.connection !== null && caller.connections.includes(row.connection))) &&
    mayUseStepOf(registry, caller, row)
  /** The person whose rows are asked for: that of the token, or the one in the filter. */
  const personOf = (caller: Caller, person: string | undefined) => (isBoundToPerson(caller) ? caller.person : person)

  /** False when the entry was resolved in the meantime. */
  const close = async (rows: LedgerRow[], credits: number): Promise<boolean> => {
    const { tenant, entry, entryAt, job, connection, integration, step, token, person } = rows[0]!
    if (rows.some(({ kind }) => kind === 'resolved')) return false
    return store.credits.resolve(
      { tenant, entry, entryAt, job, connection, integration, step, token, person: person ?? null },
      { at: clock.now(), credits, rows: rows.length },
    )
  }

  return {
    async list(caller, page, { since, until, person: wantedPerson, ...plain } = {}) {
      await flush()
      const person = personOf(caller, wantedPerson)
      if (wantedPerson !== undefined && wantedPerson !== person) return { items: [] }
      const filter: LedgerFilter = {
        ...plain,
        ...(person === undefined ? {} : { person }),
        ...(since === undefined ? {} : { since: timeOf('since', since) }),
        ...(until === undefined ? {} : { until: timeOf('until', until) }),
        ...(caller.connections ? { connections: caller.connections } : {}),
      }
      if (caller.connections?.length === 0) return { items: [] }
      const { items, next } = await store.credits.list(caller.tenant, page, filter)
      return {
        items: items.filter((row) => isVisible(caller, row)).map(viewOf),
        ...(next === undefined ? {} : { next }),
      }
    },
    async resolve(caller, id, credits) {
      if (!(credits >= 0 && credits <= 1e12))
        throw failField(
          'credits',
          'credits must be a number that is not negative: what the provider charged, 0 for nothing.',
        )
      await flush()
      const rows = await store.credits.entry(caller.tenant, id)
      if (rows.length === 0)
        throw fail(
          'not_found',
          `The ledger has no entry "${id}". toolyard ledger list --unresolved shows those of unknown outcome.`,
        )
      if (!rows.some(({ kind }) => kind === 'unknown'))
        throw fail('conflict', `The outcome of "${id}" is known, or the run goes on; there is nothing to resolve.`)
      if (!(await close(rows, credits)))
        throw fail('conflict', `"${id}" was resolved meanwhile, or its run has ended. Look at the ledger again.`)
      return { items: (await store.credits.entry(caller.tenant, id)).map(viewOf) }
    },
    async resolveKnown(tenant, id, credits) {
      const rows = await store.credits.entry(tenant, id)
      return rows.some(({ kind }) => kind === 'unknown') && close(rows, credits)
    },
    async spent(caller, span, wantedPerson) {
      await flush()
      const { from, until } = readSpan(span, clock.now())
      const person = personOf(caller, wantedPerson)
      if (wantedPerson !== undefined && wantedPerson !== person) return []
      return (await store.credits.spent(caller.tenant, from, person))
        .filter((row) => isVisible(caller, row) && isUntil(until)(row))
        .map((row) => pricing.withMoney(row, row.spent))
    },
  }
}
