import { expect, test } from 'vitest'
import { openAppTracker } from './app-tracker.ts'
import { tenant } from './world.ts'

const minute = 60_000

const opened = async () => {
  const tracker = await openAppTracker()
  await tracker.connect('con_2', '42')
  await tracker.connect('con_3', '41')
  await tracker.connect('con_4', '43', { tenant: 't2' })
  return tracker
}

test('a tenant has one hook for the app, listed with its address and kept, and nothing is done at the provider', async () => {
  const { subscribeTo, hooksOf, calls, triggers } = await opened()
  const { id } = await subscribeTo('con_1')
  await subscribeTo('con_2')
  const hooks = await hooksOf()
  expect(hooks).toMatchObject([{ integration: 'tracker', model: 'app:tracker', connection: '', state: 'active' }])
  await triggers.subscriptions.remove({ tenant }, id)
  await triggers.ticks.hooks()
  await triggers.ticks.upkeep()
  expect(await hooksOf()).toMatchObject([{ id: hooks[0]!.id, state: 'active' }])
  expect(calls()).toEqual([])
})

test('an event goes to every connection of its account in the tenant, and to no other', async () => {
  const { subscribeTo, send, tracker, startedFor } = await opened()
  for (const connection of ['con_1', 'con_2', 'con_3']) await subscribeTo(connection)
  expect(await send({ account: '41', fact: tracker.happen('opened') })).toBe(200)
  expect(startedFor()).toEqual(['con_1', 'con_3'])
  expect(await send({ account: '41', fact: tracker.happen('opened') }, { key: 'forged' })).toBe(401)
})

test('an event of no account is acknowledged and kept with that reason', async () => {
  const { subscribeTo, send, tracker, undecodable, startedFor, triggers } = await opened()
  await subscribeTo('con_1')
  expect(await send({ fact: tracker.happen('opened') })).toBe(200)
  expect(await undecodable()).toEqual(['An event does not say whose account it is for.'])
  expect(
    (await triggers.events.undecodable({ tenant }, { limit: 10 })).items.map(({ text }) => text),
    'what is in it is for others to read',
  ).toEqual([null])
  expect(startedFor()).toEqual([])
})

test('an event of no account goes to no connection, not even to one whose account has no id', async () => {
  const { subscribeTo, send, tracker, store, triggers, startedFor, undecodable } = await opened()
  await subscribeTo('con_1')
  await store.connections.patch(tenant, 'con_3', { accountId: '' })
  await triggers.connectionChanged(tenant, 'con_3')
  await subscribeTo('con_3')
  expect(await send({ fact: tracker.happen('opened') })).toBe(200)
  expect(startedFor()).toEqual([])
  expect(await undecodable()).toEqual(['An event does not say whose account it is for.'])
})

test('downtime and refused deliveries are looked after for each connection it serves', async () => {
  const { subscribeTo, clock, tracker, send, called, startedFor, triggers } = await opened()
  await subscribeTo('con_1')
  await subscribeTo('con_2')
  clock.advance(minute)
  expect(await send({ account: '41', fact: tracker.happen('opened') }, { key: 'forged' })).toBe(401)
  await triggers.ticks.dispatch()
  // Both see the repository, so each finds it in its history.
  expect(startedFor()).toEqual(['con_1', 'con_2'])
  expect(called.map(({ data }) => data.via)).toEqual(['recovery', 'recovery'])
})
