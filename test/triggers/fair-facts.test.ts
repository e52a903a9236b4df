import { expect, test } from 'vitest'
import { createInFlight } from '../../shared/runtime/triggers/inbound/in-flight.ts'
import type { Store } from '../../shared/runtime/ports/index.ts'
import { event } from '../store/make.ts'
import { openTriggerWorld, overlay } from './world.ts'

test('a tenant has as much under way as it may, and room again when something of it has ended', async () => {
  let rooms = 0
  const underWay = createInFlight(2, () => (rooms += 1))
  const ends: (() => void)[] = []
  const begin = (tenant: string) => underWay.add(tenant, new Promise<void>((resolve) => ends.push(resolve)))
  begin('a')
  begin('b')
  expect(underWay.full()).toEqual([])
  begin('a')
  expect(underWay.full()).toEqual(['a'])
  ends.shift()!()
  await new Promise(setImmediate)
  expect([underWay.full(), rooms]).toEqual([[], 1])
  for (const end of ends) end()
  await underWay.idle()
})

test('events of a tenant whose provider does not answer hold up no event of another tenant', async () => {
  const matched: string[] = []
  // Matching them waits for facts of the provider, which never come for one of the tenants.
  const wrap = (store: Store): Store =>
    overlay(store, {
      events: overlay(store.events, {
        matched: (row, starts) =>
          row.tenant === 'loud'
            ? new Promise<boolean>(() => {})
            : (matched.push(row.id), store.events.matched(row, starts)),
      }),
    })
  const world = await openTriggerWorld({ wrap })
  const pending = (tenant: string, name: string, dueAt: number) =>
    event(tenant, name, { integration: 'work-board', state: 'pending', dueAt })
  await world.store.ingest({ events: Array.from({ length: 200 }, (_, n) => pending('loud', `l${n}`, n)) })
  await world.store.ingest({ events: Array.from({ length: 3 }, (_, n) => pending('quiet', `q${n}`, 1000 + n)) })
  void world.triggers.ticks.pending()
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
  expect(matched.sort()).toEqual(['q0', 'q1', 'q2'])
})
