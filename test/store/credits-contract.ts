import { describe, expect, test } from 'vitest'
import type { Budget, LedgerRow, Settlement, Store } from '../../shared/runtime/ports/index.ts'
import { run, t0 } from './make.ts'

const entryOf = (tenant: string, entry: string) => ({
  tenant,
  entry,
  entryAt: t0,
  job: 'job_1',
  connection: 'con_1',
  integration: 'contact-data',
  step: 'find-person',
  token: 'tok_1',
  person: null,
})
const reservation = (tenant: string, entry: string, credits: number, over: Partial<LedgerRow> = {}): LedgerRow => ({
  ...entryOf(tenant, entry),
  part: 1,
  kind: 'reserved',
  credits,
  estimated: true,
  at: t0,
  ...over,
})
const settlement = (tenant: string, entry: string, over: Partial<Settlement> = {}): Settlement => ({
  ...entryOf(tenant, entry),
  at: t0 + 5,
  charged: 0,
  estimated: 0,
  unknown: 0,
  ...over,
})
const budgetOf = (tenant: string, id: string, over: Partial<Budget> = {}): Budget => ({
  tenant,
  id,
  scope: 'tenant',
  subject: null,
  integration: null,
  credits: 10,
  period: 'day',
  timeZone: 'Australia/Sydney',
  warnAt: 0.8,
  createdAt: t0,
  updatedAt: t0,
  ...over,
})
const hour = 3_600_000
const span = { startsAt: t0 - 12 * hour, endsAt: t0 + 12 * hour }

/** Reservations, the ledger and budgets: what does not fit is not written, and everything adds up. */
export const creditsContract = (store: () => Store): void => {
  const openBudget = async (budget: Budget) => {
    await store().budgets.put(budget)
    await store().budgets.open(budget, span)
  }
  const periodOf = async (tenant: string, id: string) =>
    (await store().budgets.periods(tenant, t0)).find(({ budget }) => budget === id)
  const kinds = async (tenant: string, entry: string) =>
    (await store().credits.entry(tenant, entry)).map(({ kind, credits, estimated }) => [
      kind,
      credits,
      ...(estimated ? ['estimated'] : []),
    ])

  describe('credits', () => {
    test('a budget is lowered, and by two at once to the lower one', async () => {
      const { budgets } = store()
      await openBudget(budgetOf('lower', 'b', { credits: 10 }))
      const lowered = await Promise.all([3, 5].map((credits) => budgets.lower('lower', 'b', credits, t0 + 1)))
      expect(lowered).toEqual([true, false])
      expect(await budgets.get('lower', 'b')).toMatchObject({ credits: 3, updatedAt: t0 + 1 })
      expect(await budgets.lower('lower-other', 'b', 1, t0)).toBe(false)
    })

    test('of many reservations that come at once, as many are written as fit', async () => {
      await openBudget(budgetOf('many', 'b'))
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, index) => store().credits.reserve(reservation('many', `run-${index}`, 1))),
      )
      expect(results.filter(({ fits }) => fits)).toHaveLength(10)
      expect(await periodOf('many', 'b')).toMatchObject({ reserved: 10, spent: 0 })
      expect((await store().credits.list('many', { limit: 100 })).items).toHaveLength(10)
    })

    test('a budget counts what its scope and integration say', async () => {
      const mine = { scope: 'connection' as const, subject: 'con_1', integration: 'contact-data' }
      await openBudget(budgetOf('scoped', 'mine', { ...mine, credits: 1 }))
      await openBudget(budgetOf('scoped', 'other connection', { ...mine, subject: 'con_2', credits: 0 }))
      await openBudget(budgetOf('scoped', 'other integration', { ...mine, integration: 'anz-data', credits: 0 }))
      await openBudget(budgetOf('scoped', 'other token', { scope: 'token', subject: 'tok_2', credits: 0 }))
      await openBudget(budgetOf('scoped', 'later', { period: 'total', credits: 0, createdAt: t0 + 1 }))
      expect((await store().credits.reserve(reservation('scoped', 'one', 1))).fits).toBe(true)
      expect((await store().credits.reserve(reservation('scoped', 'two', 1))).fits).toBe(false)
      expect(await kinds('scoped', 'two')).toEqual([])
      expect(await store().credits.spent('scoped', t0)).toMatchObject([{ reserved: 1 }])
      // Another tenant has budgets of its own.
      expect((await store().credits.reserve(reservation('scoped too', 'one', 1))).fits).toBe(true)
    })

    test('without a running period nothing fits; one that is opened late has what the ledger has', async () => {
      await store().credits.reserve(reservation('late', 'before', 3))
      await store().credits.settle(settlement('late', 'before', { charged: 2 }))
      await store().credits.reserve(reservation('late', 'open', 4))
      await store().budgets.put(budgetOf('late', 'b'))
      expect((await store().credits.reserve(reservation('late', 'next', 1))).fits).toBe(false)
      await store().budgets.open(budgetOf('late', 'b'), span)
      expect(await periodOf('late', 'b')).toMatchObject({ spent: 2, reserved: 4 })
      expect((await store().credits.reserve(reservation('late', 'next', 5))).fits).toBe(false)
      expect((await store().credits.reserve(reservation('late', 'next', 4))).fits).toBe(true)
    })

    test('a run that ends settles what it was charged and releases the rest, once', async () => {
      await openBudget(budgetOf('settled', 'b'))
      await store().credits.reserve(reservation('settled', 'r', 3))
      await store().credits.reserve(reservation('settled', 'r', 2, { part: 2 }))
      const settles = settlement('settled', 'r', { charged: 1, estimated: 0.5 })
      await store().runs.record(run('settled', 'r', { state: 'done' }), { settles })
      await store().credits.settle(settles)
      await store().flush()
      expect(await kinds('settled', 'r')).toEqual([
        ['reserved', 3, 'estimated'],
        ['reserved', 2, 'estimated'],
        ['settled', 1],
        ['settled', 0.5, 'estimated'],
        ['released', 5],
      ])
      expect(await periodOf('settled', 'b')).toMatchObject({ spent: 1.5, reserved: 0 })
      expect(await store().credits.spent('settled', t0)).toMatchObject([
        { day: '2026-03-01', spent: 1.5, estimated: 0.5, reserved: 0, token: 'tok_1' },
      ])
    })

    test('what nobody knows of stays reserved until it is resolved', async () => {
      await openBudget(budgetOf('unknown', 'b'))
      await store().credits.reserve(reservation('unknown', 'r', 5))
      await store().credits.settle(settlement('unknown', 'r', { charged: 1, unknown: 2 }))
      expect(await periodOf('unknown', 'b')).toMatchObject({ spent: 1, reserved: 2 })
      expect((await store().credits.list('unknown', { limit: 10 }, { unresolved: true })).items).toMatchObject([
        { entry: 'r', kind: 'unknown', credits: 2 },
      ])
      const rows = (await store().credits.entry('unknown', 'r')).length
      expect(await store().credits.resolve(entryOf('unknown', 'r'), { at: t0 + 9, credits: 2, rows: rows - 1 })).toBe(
        false,
      )
      expect(await store().credits.resolve(entryOf('unknown', 'r'), { at: t0 + 9, credits: 1.5, rows })).toBe(true)
      expect(await store().credits.resolve(entryOf('unknown', 'r'), { at: t0 + 9, credits: 1.5, rows })).toBe(false)
      expect(await periodOf('unknown', 'b')).toMatchObject({ spent: 2.5, reserved: 0 })
      expect((await store().credits.list('unknown', { limit: 10 }, { unresolved: true })).items).toEqual([])
    })

    test('an abandoned entry is unknown; a process that was taken for dead settles it all the same', async () => {
      await openBudget(budgetOf('abandoned', 'b'))
      await store().credits.reserve(reservation('abandoned', 'r', 5))
      await store().credits.abandon('abandoned', 'r', t0 + 3)
      await store().credits.abandon('abandoned', 'r', t0 + 4)
      await store().credits.abandon('abandoned', 'never', t0 + 4)
      expect(await kinds('abandoned', 'r')).toEqual([
        ['reserved', 5, 'estimated'],
        ['unknown', 5, 'estimated'],
      ])
      expect(await periodOf('abandoned', 'b')).toMatchObject({ spent: 0, reserved: 5 })
      await store().credits.settle(settlement('abandoned', 'r', { charged: 1, unknown: 1 }))
      expect(await periodOf('abandoned', 'b')).toMatchObject({ spent: 1, reserved: 1 })
      // One that was resolved is closed.
      await store().credits.reserve(reservation('abandoned', 's', 4))
      await store().credits.abandon('abandoned', 's', t0 + 3)
      await store().credits.resolve(entryOf('abandoned', 's'), { at: t0 + 9, credits: 4, rows: 2 })
      await store().credits.settle(settlement('abandoned', 's', { charged: 4 }))
      expect(await periodOf('abandoned', 'b')).toMatchObject({ spent: 5, reserved: 1 })
    })

    test('a charge without a reservation counts too', async () => {
      await openBudget(budgetOf('charged', 'b'))
      await store().credits.settle(settlement('charged', 'r', { charged: 3 }))
      expect(await periodOf('charged', 'b')).toMatchObject({ spent: 3, reserved: 0 })
      expect(await store().credits.spent('charged', t0)).toMatchObject([{ spent: 3, reserved: 0 }])
    })

    test('a charge without a reservation makes the warning due as a reservation does, a repeated one does not', async () => {
      await openBudget(budgetOf('warned by charge', 'b'))
      const charge = (entry: string, charged: number) =>
        store().credits.settle(settlement('warned by charge', entry, { charged }))
      expect(await charge('1', 7)).toEqual({ isDue: false })
      expect(await charge('1', 7)).toEqual({ isDue: false })
      expect(await charge('2', 1)).toEqual({ isDue: true })
      expect((await periodOf('warned by charge', 'b'))!.warned).toBe('due')
    })

    test('a warning is due once in a period, and again after the budget was changed', async () => {
      await openBudget(budgetOf('warned', 'b'))
      expect((await store().credits.reserve(reservation('warned', '1', 7))).isDue).toBe(false)
      expect((await store().credits.reserve(reservation('warned', '2', 1))).isDue).toBe(true)
      const period = (await periodOf('warned', 'b'))!
      expect(period.warned).toBe('due')
      const notice = {
        tenant: 'warned',
        type: 'budget.warned' as const,
        about: 'b',
        windowMs: hour,
        at: t0,
        connection: '',
        data: {},
      }
      await store().budgets.warn(period, notice)
      expect((await periodOf('warned', 'b'))!.warned).toBe('sent')
      expect((await store().credits.reserve(reservation('warned', '3', 1))).isDue).toBe(false)
      await store().budgets.put(budgetOf('warned', 'b', { credits: 11 }))
      expect((await store().credits.reserve(reservation('warned', '4', 1))).isDue).toBe(true)
    })

    test('budgets are listed, replaced and removed with their periods', async () => {
      const budget = budgetOf('kept', 'b', { scope: 'token', subject: 'tok_1', integration: 'anz-data', warnAt: null })
      await openBudget(budget)
      expect(await store().budgets.list('kept')).toEqual([budget])
      expect(await store().budgets.get('kept', 'b')).toEqual(budget)
      expect(await store().budgets.get('other', 'b')).toBeUndefined()
      expect(await store().budgets.remove('kept', 'b')).toBe(true)
      expect(await store().budgets.remove('kept', 'b')).toBe(false)
      expect(await store().budgets.periods('kept', t0)).toEqual([])
    })

    test('the ledger is listed in pages, by what its rows have', async () => {
      for (const index of [1, 2, 3])
        await store().credits.reserve(
          reservation('paged', `r${index}`, index, { at: t0 + index, token: `tok_${index}` }),
        )
      const first = await store().credits.list('paged', { limit: 2 })
      expect(first.items.map(({ entry }) => entry)).toEqual(['r3', 'r2'])
      const second = await store().credits.list('paged', { limit: 2, cursor: first.next })
      expect(second.items.map(({ entry }) => entry)).toEqual(['r1'])
      expect(second.next).toBeUndefined()
      expect((await store().credits.list('paged', { limit: 9 }, { token: 'tok_2' })).items).toEqual([
        reservation('paged', 'r2', 2, { at: t0 + 2, token: 'tok_2' }),
      ])
      expect((await store().credits.list('paged', { limit: 9 }, { since: t0 + 2, until: t0 + 3 })).items).toHaveLength(
        1,
      )
      expect((await store().credits.list('paged', { limit: 9 }, { connections: ['con_2'] })).items).toEqual([])
    })
  })
}
