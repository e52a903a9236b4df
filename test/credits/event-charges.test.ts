/** What the provider charges for events, and the budgets that count it. */
import { expect, test } from 'vitest'
import { createEventCharges } from '../../shared/runtime/credits/event-charges.ts'
import { createMemoryStore } from '../../shared/store/index.ts'

const tenant = 'default'
const at = Date.parse('2026-03-02T12:00:00Z')

test('the charge that brings a budget to its share sends the warning', async () => {
  const store = createMemoryStore()
  const charges = createEventCharges({ store, clock: { now: () => at }, log: () => {} })
  await store.budgets.put({
    tenant,
    id: 'signals',
    scope: 'tenant',
    subject: null,
    integration: null,
    period: 'day',
    timeZone: 'UTC',
    credits: 10,
    warnAt: 0.8,
    createdAt: at,
    updatedAt: at,
  })
  const recipient = { tenant, connection: 'con_1', integration: 'contact-data' }
  const warned = async () => (await store.budgets.periods(tenant, at)).map((period) => period.warned)
  await charges.record(recipient, [{ id: 'one', type: 'promotion', charge: 7 }])
  expect(await warned()).toEqual(['no'])
  await charges.record(recipient, [{ id: 'two', type: 'promotion', charge: 1 }])
  await expect.poll(warned).toEqual(['sent'])
  await store.close()
})
