import type { Notice } from './notifications.ts'
import type { Listed, Page } from './paging.ts'
import type { Budget as ShownBudget } from '../../api/resources/budget.ts'
import type { LedgerRow as ShownLedgerRow } from '../../api/resources/ledger.ts'
import type { SpentRow } from '../../api/resources/usage.ts'

/**
 * `reserved`: may be spent from now on. `settled`: was charged. `released`: what was reserved ends, of which `settled`
 * is a part. `unknown`: nobody knows whether it was charged, so it stays reserved. `resolved`: somebody said what it
 * had cost.
 */
export type LedgerKind = ShownLedgerRow['kind']

/** What the rows of an entry share: those of one run. */
export type LedgerEntry = {
  tenant: string
  /** Id of the run. */
  entry: string
  /** When it began, which decides the period of a budget that it counts in. */
  entryAt: number
  job: string | null
  connection: string | null
  integration: string
  step: string
  token: string | null
}
/**
 * One row of the ledger, which is only added to. Spent is the sum of `settled` and `resolved`; what is `reserved` and
 * not `released` is reserved still. `part`: its place in the entry.
 */
export type LedgerRow = LedgerEntry & {
  part: number
  kind: LedgerKind
  credits: number
  estimated: boolean
  at: number
}

/**
 * How a run ended for the ledger, in credits; what was reserved beside `unknown` is released. Written together with the
 * row of the run.
 */
export type Settlement = LedgerEntry & { at: number; charged: number; estimated: number; unknown: number }

export type BudgetScope = ShownBudget['scope']

export type BudgetPeriodKind = ShownBudget['period']

export type Budget = {
  tenant: string
  id: string
  scope: BudgetScope
  /** The connection or token; null for the tenant. */
  subject: string | null
  /** Null: every integration. */
  integration: string | null
  credits: number
  period: BudgetPeriodKind
  /** IANA name. */
  timeZone: string
  /** Share of `credits` from which `budget.warned` is sent; null: never. */
  warnAt: number | null
  createdAt: number
  updatedAt: number
}

/** What a budget has in one of its periods. */
export type BudgetPeriod = {
  tenant: string
  budget: string
  startsAt: number
  endsAt: number
  spent: number
  reserved: number
  warned: 'no' | 'due' | 'sent'
}
/** `endsAt` of a period that never ends. */
export type PeriodSpan = Pick<BudgetPeriod, 'startsAt' | 'endsAt'>

export type { SpentRow }

export type LedgerFilter = {
  entry?: string
  connection?: string
  connections?: string[]
  token?: string
  integration?: string
  kind?: LedgerKind
  /** Only `unknown` rows that nobody has resolved. */
  unresolved?: boolean
  since?: number
  until?: number
}

export type CreditStore = {
  budgets: {
    list(tenant: string): Promise<Budget[]>
    get(tenant: string, id: string): Promise<Budget | undefined>
    /** Inserts, or replaces that of the same id, whose warning may then be sent again. */
    put(budget: Budget): Promise<void>
    remove(tenant: string, id: string): Promise<boolean>
    /** Opens a period with what the ledger has for it; one that is open stays. */
    open(budget: Budget, span: PeriodSpan): Promise<void>
    /** Those that are running then. */
    periods(tenant: string, at: number): Promise<BudgetPeriod[]>
    /** Sends the warning of a period unless it was sent. */
    warn(period: BudgetPeriod, notice: Notice): Promise<void>
  }
  credits: {
    /**
     * Adds a `reserved` row where every budget that it counts in has room for it, and a running period. Of several that
     * come at once, on any node, no two take the same room. `isDue`: a warning is to be sent.
     */
    reserve(row: LedgerRow): Promise<{ fits: boolean; isDue: boolean }>
    /** Closes an entry, once; what is not known of it stays reserved. */
    settle(settlement: Settlement): Promise<void>
    /** Notes that nobody will settle an entry: its process has ended. */
    abandon(tenant: string, entry: string, at: number): Promise<void>
    /** Closes an entry of unknown outcome; `rows`: how many it had when it was read. False: it has changed since. */
    resolve(entry: LedgerEntry, closing: { at: number; credits: number; rows: number }): Promise<boolean>
    /** In order. */
    entry(tenant: string, entry: string): Promise<LedgerRow[]>
    /** Newest first. */
    list(tenant: string, page: Page, filter?: LedgerFilter): Promise<Listed<LedgerRow>>
    /** From the day of `since` on, newest day first. */
    spent(tenant: string, since: number): Promise<SpentRow[]>
  }
}
