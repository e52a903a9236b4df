import type { Notice } from './notifications.ts'
import type { Listed, Page } from './paging.ts'
import type { Budget as ShownBudget } from '../../api/resources/budget.ts'
import type { LedgerRow as ShownLedgerRow } from '../../api/resources/ledger.ts'
import type { SpentRow } from '../../api/resources/usage.ts'

/**
 * `reserved`: credits that may be spent from now on. `settled`: credits charged. `released`: the end of a reservation,
 * of which `settled` is a part. `unknown`: it is unclear whether they were charged, so they stay reserved. `resolved`:
 * what somebody later said they had cost.
 */
export type LedgerKind = ShownLedgerRow['kind']

/** The columns that all rows of an entry share; an entry is one run. */
export type LedgerEntry = {
  tenant: string
  /** Id of the run. */
  entry: string
  /** When the entry began (its first reservation), ms since epoch; decides which budget period it counts in. */
  entryAt: number
  job: string | null
  connection: string | null
  integration: string
  step: string
  token: string | null
  /** As in the row of the run. */
  person?: string | null
}
/**
 * One row of the append-only ledger. Spent is the sum of `settled` and `resolved`; `reserved` minus `released` is still
 * reserved. `part` numbers the rows of an entry.
 */
export type LedgerRow = LedgerEntry & {
  part: number
  kind: LedgerKind
  credits: number
  estimated: boolean
  at: number
}

/**
 * How a run ended, in credits. Everything reserved beyond `unknown` is released. Written together with the row of the
 * run.
 */
export type Settlement = LedgerEntry & { at: number; charged: number; estimated: number; unknown: number }

export type BudgetScope = ShownBudget['scope']

export type BudgetPeriodKind = ShownBudget['period']

export type Budget = {
  tenant: string
  id: string
  scope: BudgetScope
  /** Id of the connection, token or person; null when `scope` is the tenant. */
  subject: string | null
  /** Null: all integrations. */
  integration: string | null
  credits: number
  period: BudgetPeriodKind
  /** IANA name, such as `Pacific/Auckland`. */
  timeZone: string
  /** Share of `credits` (0 to 1) at which `budget.warned` is sent; null: never. */
  warnAt: number | null
  createdAt: number
  updatedAt: number
}

/** What was spent and reserved in one period of a budget. */
export type BudgetPeriod = {
  tenant: string
  budget: string
  startsAt: number
  endsAt: number
  spent: number
  reserved: number
  warned: 'no' | 'due' | 'sent'
}
/** Times in ms since epoch. */
export type PeriodSpan = Pick<BudgetPeriod, 'startsAt' | 'endsAt'>

export type { SpentRow }

export type LedgerFilter = {
  entry?: string
  connection?: string
  connections?: string[]
  token?: string
  person?: string
  integration?: string
  kind?: LedgerKind
  /** Only `unknown` rows that nobody has resolved yet. */
  unresolved?: boolean
  since?: number
  until?: number
}

export type CreditStore = {
  budgets: {
    list(tenant: string): Promise<Budget[]>
    get(tenant: string, id: string): Promise<Budget | undefined>
    /** Inserts the budget, or replaces the one with the same id, whose warning may then be sent again. */
    put(budget: Budget): Promise<void>
    /** Lowers a limit, whose warning may then be sent again; false when it is lower already. */
    lower(tenant: string, id: string, credits: number, at: number): Promise<boolean>
    remove(tenant: string, id: string): Promise<boolean>
    /** Opens a period with the sums that the ledger has for it; leaves an open one as it is. */
    open(budget: Budget, span: PeriodSpan): Promise<void>
    /** Periods that are running at `at`. */
    periods(tenant: string, at: number): Promise<BudgetPeriod[]>
    /** Sends the warning of a period, unless it was sent already. */
    warn(period: BudgetPeriod, notice: Notice): Promise<void>
  }
  credits: {
    /**
     * Adds a `reserved` row if every budget it counts in has an open period with room for it. Concurrent calls, on any
     * node, never take the same room. `isDue`: a warning is to be sent.
     */
    reserve(row: LedgerRow): Promise<{ fits: boolean; isDue: boolean }>
    /** Closes an entry, once; its unknown part stays reserved. `isDue`: a warning is to be sent. */
    settle(settlement: Settlement): Promise<{ isDue: boolean }>
    /** Records that nobody will settle the entry, because its process has ended. */
    abandon(tenant: string, entry: string, at: number): Promise<void>
    /**
     * Closes an entry whose outcome was unknown. `rows`: the number of its rows when it was read. False when it has
     * changed since.
     */
    resolve(entry: LedgerEntry, closing: { at: number; credits: number; rows: number }): Promise<boolean>
    /** Rows of one entry, in order. */
    entry(tenant: string, entry: string): Promise<LedgerRow[]>
    /** Newest first. */
    list(tenant: string, page: Page, filter?: LedgerFilter): Promise<Listed<LedgerRow>>
    /** Daily sums from the day of `since` on, newest day first; with `person`, of that person alone. */
    spent(tenant: string, since: number, person?: string): Promise<SpentRow[]>
  }
}
