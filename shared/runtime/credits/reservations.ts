import { describeDefect, fail } from '#kit'
import { budgetWarned } from '../notices.ts'
import type { Budget, BudgetPeriod, LedgerRow, Log, Store } from '../ports/index.ts'
import { never, periodAt } from './periods.ts'

/** Reserves credits in every budget that a run counts in. */
export type Reservations = {
  /** @throws Failure `budget_exceeded` naming the budget */
  reserve(row: LedgerRow): Promise<void>
  /** Whether there is room now; a later `reserve` may still fail. */
  hasRoom(row: LedgerRow): Promise<boolean>
  /** A budget that counts this row, whatever it has left. */
  budgetFor(row: LedgerRow): Promise<Budget | undefined>
}

type ReservationsDependencies = { store: Pick<Store, 'budgets' | 'credits'>; log: Log }

type Expense = Pick<LedgerRow, 'integration' | 'connection' | 'token' | 'person'>

/** Whether a budget counts an expense. */
export const countsIn = ({ scope, subject, integration }: Budget, row: Expense) =>
  (integration === null || integration === row.integration) && (scope === 'tenant' || subject === row[scope])

export const whose = {
  tenant: 'of the tenant',
  connection: 'of the connection',
  token: 'of the token',
  person: 'of the person',
}

type Open = { budget: Budget; period: BudgetPeriod }

/** Opens the current periods of all budgets of a tenant, and returns them. */
export const openPeriods = async (store: Pick<Store, 'budgets'>, tenant: string, at: number): Promise<Open[]> => {
  const budgets = await store.budgets.list(tenant)
  const periodOf = async () =>
    new Map((await store.budgets.periods(tenant, at)).map((period) => [period.budget, period]))
  let periods = await periodOf()
  const missing = budgets.filter(
    ({ id, createdAt, period }) => !periods.has(id) && (period !== 'total' || createdAt <= at),
  )
  if (missing.length > 0) {
    await Promise.all(missing.map((budget) => store.budgets.open(budget, periodAt(budget, at))))
    periods = await periodOf()
  }
  return budgets.flatMap((budget) => {
    const period = periods.get(budget.id)
    return period ? [{ budget, period }] : []
  })
}

/** The first budget without enough room. */
const fullFor = (all: Open[], row: LedgerRow): Open | undefined =>
  all.find(
    ({ budget, period }) => countsIn(budget, row) && period.spent + period.reserved + row.credits > budget.credits,
  )

const exceeded = (all: Open[], row: LedgerRow) => {
  const full = fullFor(all, row)
  if (!full) return fail('budget_exceeded', 'A budget has no room for this. Nothing was sent for it.')
  const { budget, period } = full
  const left = Math.max(0, Math.round((budget.credits - period.spent - period.reserved) * 1e6) / 1e6)
  const until =
    period.endsAt === never
      ? 'Raise the budget'
      : `Wait until ${new Date(period.endsAt).toISOString()}, or raise the budget`
  return fail(
    'budget_exceeded',
    `This may cost ${row.credits} credits, and the budget ${whose[budget.scope]} ("${budget.id}") has ${left} of ${budget.credits} left. Nothing was sent for it. ${until}.`,
  )
}

/** Sends the warnings that are due in a tenant's budgets; nobody waits for it. */
export const createWarnings = ({ store, log }: { store: Pick<Store, 'budgets'>; log: Log }) => {
  const warn = async (tenant: string, at: number) => {
    for (const { budget, period } of await openPeriods(store, tenant, at))
      if (period.warned === 'due') await store.budgets.warn(period, budgetWarned(budget, period, at))
  }
  return (tenant: string, at: number): void =>
    void warn(tenant, at).catch((thrown: unknown) => log('error', 'budget.not_warned', describeDefect(thrown)))
}

export const createReservations = ({ store, log }: ReservationsDependencies): Reservations => {
  const warn = createWarnings({ store, log })

  return {
    async reserve(row) {
      let { fits, isDue } = await store.credits.reserve(row)
      if (!fits) {
        // The first row of a new period finds no open one.
        const all = await openPeriods(store, row.tenant, row.entryAt)
        ;({ fits, isDue } = await store.credits.reserve(row))
        if (!fits) throw exceeded(all, row)
      }
      if (isDue) warn(row.tenant, row.entryAt)
    },
    budgetFor: async (row) => (await store.budgets.list(row.tenant)).find((budget) => countsIn(budget, row)),
    hasRoom: async (row) => fullFor(await openPeriods(store, row.tenant, row.entryAt), row) === undefined,
  }
}
