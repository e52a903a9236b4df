import type { Budget, BudgetPeriod, Clock, Log, Store } from '../ports/index.ts'
import { countsIn, createWarnings, openPeriods } from './reservations.ts'

/** The connection that events were delivered for. */
type Recipient = { tenant: string; connection: string; integration: string }

/** A delivered event that the provider charged for. */
export type ChargedEvent = { id: string; type: string; charge: number }

/** What the provider charges for events that it delivers. */
export type EventCharges = {
  /**
   * Adds the charges to the ledger. The entry is named by the event, so a repeated delivery adds nothing: call it
   * before each delivery is acknowledged.
   */
  record(recipient: Recipient, events: readonly ChargedEvent[]): Promise<void>
  /** The first budget that has fewer credits left than `credits`; undefined: every budget of the connection has room. */
  budgetWithout(recipient: Recipient, credits: number): Promise<FullBudget | undefined>
}
export type FullBudget = Pick<Budget, 'id' | 'credits'> & Pick<BudgetPeriod, 'endsAt'> & { left: number }

type EventChargesDependencies = {
  store: Pick<Store, 'budgets' | 'connections' | 'credits'>
  clock: Pick<Clock, 'now'>
  log: Log
}

export const createEventCharges = ({ store, clock, log }: EventChargesDependencies): EventCharges => {
  const warn = createWarnings({ store, log })
  const entryOf = async ({ tenant, connection, integration }: Recipient) => ({
    tenant,
    connection,
    integration,
    job: null,
    token: null,
    person: (await store.connections.get(tenant, connection))?.person ?? null,
  })

  return {
    async record(recipient, events) {
      const at = clock.now()
      const entry = await entryOf(recipient)
      // A budget counts only what is settled while its period is open.
      await openPeriods(store, recipient.tenant, at)
      let mustWarn = false
      for (const { id, type, charge } of events) {
        const { isDue } = await store.credits.settle({
          ...entry,
          entry: `${recipient.connection}:${id}`,
          step: type,
          entryAt: at,
          at,
          charged: charge,
          estimated: 0,
          unknown: 0,
        })
        mustWarn ||= isDue
      }
      if (mustWarn) warn(recipient.tenant, at)
    },
    async budgetWithout(recipient, credits) {
      const row = await entryOf(recipient)
      for (const { budget, period } of await openPeriods(store, recipient.tenant, clock.now())) {
        const left = budget.credits - period.spent - period.reserved
        if (countsIn(budget, row) && left < credits)
          return { id: budget.id, credits: budget.credits, endsAt: period.endsAt, left: Math.max(0, left) }
      }
      return undefined
    },
  }
}
