import { randomUUIDv7 } from 'node:crypto'
import { fail, failField } from '#kit'
import type { Budget, BudgetPeriod, Caller, Clock, Store } from '../ports/index.ts'
import { limitedTo, requirePersonId } from '../people/act-for.ts'
import { isTimeZone, never, periodAt } from './periods.ts'
import { openPeriods } from './reservations.ts'
import type { Budget as BudgetView, BudgetChanges, NewBudget } from '../../api/resources/budget.ts'

export type { BudgetChanges, BudgetView, NewBudget }

export type Budgets = {
  /** Oldest first. A bound token sees only the budgets that count its runs. */
  list(caller: Caller): Promise<{ items: BudgetView[] }>
  get(caller: Caller, id: string): Promise<BudgetView>
  /** @throws Failure `invalid_input`, `not_found`, `not_allowed` */
  create(caller: Caller, budget: NewBudget): Promise<BudgetView>
  patch(caller: Caller, id: string, changes: BudgetChanges): Promise<BudgetView>
  remove(caller: Caller, id: string): Promise<void>
}

const iso = (at: number) => new Date(at).toISOString()
const rounded = (value: number) => Math.round(value * 1e6) / 1e6
/** Shortest time that a spending rate is measured over, in ms: over less it means little. */
const measuredMs = 60_000
/**
 * How many budgets a tenant has at most: of those that people make, and of those that limit what a program may spend
 * that somebody let in. The latter are counted apart, so that neither can use up the place of the other.
 */
const maxBudgets = { own: 200, grants: 1000 }
const kindOf = ({ scope, subject }: Pick<Budget, 'scope' | 'subject'>): keyof typeof maxBudgets =>
  scope === 'token' && subject?.startsWith('grant_') ? 'grants' : 'own'

const runOutAt = (
  { credits }: Budget,
  { startsAt, endsAt, spent, reserved }: BudgetPeriod,
  now: number,
): number | null => {
  const left = credits - spent - reserved
  if (left <= 0) return now
  if (spent <= 0) return null
  const at = now + (left * Math.max(measuredMs, now - startsAt)) / spent
  return at < endsAt && at < never ? Math.round(at) : null
}

const viewOf = (budget: Budget, subjectName: string | null, period: BudgetPeriod, now: number): BudgetView => {
  const { tenant: _, createdAt, updatedAt, ...budgetFields } = budget
  const at = runOutAt(budget, period, now)
  return {
    ...budgetFields,
    subjectName,
    spent: period.spent,
    reserved: period.reserved,
    remaining: Math.max(0, rounded(budget.credits - period.spent - period.reserved)),
    periodStart: iso(period.startsAt),
    periodEnd: budget.period === 'total' ? null : iso(period.endsAt),
    projectedRunOutAt: at === null ? null : iso(at),
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
  }
}

const isVisible = (caller: Caller, { scope, subject }: Budget) => {
  const connections = limitedTo(caller)
  if (connections === undefined || scope === 'tenant') return true
  if (scope === 'connection') return connections.includes(subject ?? '')
  return subject === (scope === 'person' ? caller.person : caller.token)
}

const tooMany = {
  own: `There are ${maxBudgets.own} budgets, and no more are kept. Remove one that is not needed.`,
  grants: `There are ${maxBudgets.grants} programs with a limit of credits, and no more are kept. End a grant that is not needed.`,
}

type BudgetsDependencies = {
  store: Pick<Store, 'budgets' | 'connections'>
  clock: Pick<Clock, 'now'>
  requireIntegration(id: string): unknown
  /** Undefined: there is no such token. */
  tokenName(tenant: string, id: string): Promise<string | undefined>
  /** Writes pending settlements of ended runs. */
  flush(): Promise<void>
}

const requireAmounts = ({ credits, warnAt }: BudgetChanges) => {
  if (credits !== undefined && !(credits >= 0 && credits <= 1e12))
    throw failField('credits', 'credits must be a number from 0 to 1000000000000.')
  if (typeof warnAt === 'number' && !(warnAt > 0 && warnAt <= 1))
    throw failField(
      'warnAt',
      'warnAt must be a share of the credits, above 0 and at most 1, such as 0.8; null sends no warning.',
    )
}

export const createBudgets = ({ store, clock, requireIntegration, tokenName, flush }: BudgetsDependencies): Budgets => {
  const nameOf = async ({ tenant, scope, subject }: Budget): Promise<string | null> => {
    if (subject === null || scope === 'person') return subject
    const name =
      scope === 'token' ? await tokenName(tenant, subject) : (await store.connections.get(tenant, subject))?.name
    return name ?? null
  }

  const views = async ({ tenant }: Caller, now: number) => {
    await flush()
    return Promise.all(
      (await openPeriods(store, tenant, now)).map(
        async ({ budget, period }) => [budget, viewOf(budget, await nameOf(budget), period, now)] as const,
      ),
    )
  }

  const requireSubject = async ({ tenant }: Caller, { scope, subject }: NewBudget) => {
    if (scope === 'tenant') {
      if (subject !== undefined)
        throw failField(
          'subject',
          'A budget of the tenant has no subject. Leave it out, or set "scope" to connection, token or person.',
        )
      return
    }
    if (subject === undefined)
      throw failField('subject', `A budget of a ${scope} needs the id of that ${scope} as "subject".`)
    if (scope === 'person') return requirePersonId(subject)
    const isThere =
      scope === 'connection'
        ? (await store.connections.get(tenant, subject)) !== undefined
        : (await tokenName(tenant, subject)) !== undefined
    if (!isThere) throw failField('subject', `There is no ${scope} "${subject}".`, 'not_found')
  }

  const mustGet = async (caller: Caller, id: string): Promise<Budget> => {
    const budget = await store.budgets.get(caller.tenant, id)
    if (!budget || !isVisible(caller, budget)) throw fail('not_found', `There is no budget "${id}".`)
    return budget
  }

  const shown = async (caller: Caller, id: string): Promise<BudgetView> => {
    const budgetAndView = (await views(caller, clock.now())).find(([budget]) => budget.id === id)
    if (!budgetAndView) throw fail('not_found', `There is no budget "${id}".`)
    return budgetAndView[1]
  }

  return {
    list: async (caller) => ({
      items: (await views(caller, clock.now())).flatMap(([budget, view]) => (isVisible(caller, budget) ? [view] : [])),
    }),
    async get(caller, id) {
      await mustGet(caller, id)
      return shown(caller, id)
    },
    async create(caller, newBudget) {
      requireAmounts(newBudget)
      const { scope, subject = null, integration = null, credits, period, timeZone = 'UTC', warnAt = 0.8 } = newBudget
      if (!isTimeZone(timeZone))
        throw failField('timeZone', `"${timeZone}" is not a time zone. Give an IANA name, such as Australia/Sydney.`)
      if (integration !== null) requireIntegration(integration)
      await requireSubject(caller, newBudget)
      const kind = kindOf({ scope, subject })
      if (
        (await store.budgets.list(caller.tenant)).filter((budget) => kindOf(budget) === kind).length >= maxBudgets[kind]
      )
        throw fail('conflict', tooMany[kind])
      const now = clock.now()
      const budget: Budget = {
        tenant: caller.tenant,
        id: `bud_${randomUUIDv7()}`,
        scope,
        subject,
        integration,
        credits,
        period,
        timeZone,
        warnAt,
        createdAt: now,
        updatedAt: now,
      }
      await store.budgets.put(budget)
      await store.budgets.open(budget, periodAt(budget, now))
      return shown(caller, budget.id)
    },
    async patch(caller, id, changes) {
      requireAmounts(changes)
      const budget = await mustGet(caller, id)
      const { credits = budget.credits, warnAt = budget.warnAt } = changes
      await store.budgets.put({ ...budget, credits, warnAt, updatedAt: clock.now() })
      return shown(caller, id)
    },
    async remove(caller, id) {
      await mustGet(caller, id)
      await store.budgets.remove(caller.tenant, id)
    },
  }
}
