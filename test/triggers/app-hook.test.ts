import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { connectionRow, tenant } from './house.ts'
import { openDesk, readFact } from './desk.ts'
import type { Json } from '#kit'

const minute = 60_000
const secret = 'the secret of the app'

const opened = async () => {
  const one = await openDesk(
    (integration) => ({
      ...integration,
      wire: { ...integration.wire, signature: { ...integration.wire.signature!, secret: 'app' } },
      webhooks: {
        retries: [],
        registration: 'app',
        webhookOnly: ['seen'],
        history: integration.webhooks!.history,
        decodeStored: integration.webhooks!.decodeStored,
        decode: ({ body, model }) => {
          const { account, fact } = body as { account?: string; fact: Json }
          const read = readFact(fact, 'webhook', model)
          return { ...read, events: read.events.map((event) => ({ ...event, ...(account === undefined ? {} : { account }) })) }
        },
      },
    }),
    secret,
  )
  const other = connectionRow(one.vault, { id: 'con_2', integration: 'desk', accountId: '42' })
  const twin = connectionRow(one.vault, { id: 'con_3', integration: 'desk', accountId: '41' })
  const foreign = connectionRow(one.vault, { id: 'con_4', tenant: 't2', integration: 'desk', accountId: '43' })
  for (const row of [other, twin, foreign]) await one.store.connections.add(row)
  const listed = async () => (await one.triggers.hooks.list({ tenant }, { limit: 10 })).items
  const send = async (body: unknown, key = secret) => {
    const bytes = Buffer.from(JSON.stringify(body))
    const hookId = (await listed())[0]!.callbackUrl.split('/').at(-1)!
    const headers = { 'content-type': 'application/json', 'x-desk-signature': `sha256=${createHmac('sha256', key).update(bytes).digest('hex')}` }
    const receipt = await one.triggers.receive({ integration: 'desk', hookId, method: 'POST', headers, body: bytes })
    await one.triggers.ticks.aside()
    await one.settle()
    return receipt.status
  }
  const subscribe = (connection: string) =>
    one.triggers.subscriptions.create({ tenant }, { integration: 'desk', trigger: 'opened', connection, config: { repo: '7' } })
  const undecodable = async () => (await one.store.undecodable.list(tenant, { limit: 10 })).items.map(({ reason }) => reason)
  const startedFor = () => one.called.map(({ data }) => data.connection).sort()
  return { ...one, listed, send, subscribe, undecodable, startedFor }
}

test('a tenant has one hook for the app, listed with its address and kept, and nothing is done at the provider', async () => {
  const { subscribe, listed, calls, triggers } = await opened()
  const { id } = await subscribe('con_1')
  await subscribe('con_2')
  const hooks = await listed()
  expect(hooks).toMatchObject([{ integration: 'desk', model: 'app:desk', connection: '', state: 'active' }])
  await triggers.subscriptions.remove({ tenant }, id)
  await triggers.ticks.hooks()
  await triggers.ticks.upkeep()
  expect(await listed()).toMatchObject([{ id: hooks[0]!.id, state: 'active' }])
  expect(calls()).toEqual([])
})

test('an event goes to every connection of its account in the tenant, and to no other', async () => {
  const { subscribe, send, desk, startedFor } = await opened()
  for (const connection of ['con_1', 'con_2', 'con_3']) await subscribe(connection)
  expect(await send({ account: '41', fact: desk.happen('opened') })).toBe(200)
  expect(startedFor()).toEqual(['con_1', 'con_3'])
  expect(await send({ account: '41', fact: desk.happen('opened') }, 'forged')).toBe(401)
})

test('events of accounts that nobody connected, or of none, are acknowledged and kept with that reason', async () => {
  const { subscribe, send, desk, undecodable, startedFor, triggers } = await opened()
  await subscribe('con_1')
  expect(await send({ account: '43', fact: desk.happen('opened') })).toBe(200)
  expect(await send({ fact: desk.happen('opened') })).toBe(200)
  expect((await undecodable()).sort()).toEqual(['An event does not say whose account it is for.', 'There is no connection of the account "43".'])
  expect(
    (await triggers.events.undecodable({ tenant }, { limit: 10 })).items.map(({ text }) => text),
    'what is in it is for others to read',
  ).toEqual([null, null])
  expect(startedFor()).toEqual([])
})

test('an event of no account goes to no connection, not even to one whose account has no id', async () => {
  const { subscribe, send, desk, store, triggers, startedFor, undecodable } = await opened()
  await subscribe('con_1')
  await store.connections.patch(tenant, 'con_3', { accountId: '' })
  await triggers.connectionChanged(tenant, 'con_3')
  await subscribe('con_3')
  expect(await send({ fact: desk.happen('opened') })).toBe(200)
  expect(startedFor()).toEqual([])
  expect(await undecodable()).toEqual(['An event does not say whose account it is for.'])
})

test('downtime and refused deliveries are looked after for each connection it serves', async () => {
  const { subscribe, clock, desk, send, called, startedFor, triggers } = await opened()
  await subscribe('con_1')
  await subscribe('con_2')
  clock.advance(minute)
  expect(await send({ account: '41', fact: desk.happen('opened') }, 'forged')).toBe(401)
  await triggers.ticks.dispatch()
  // Both see the repository, so each finds it in its history.
  expect(startedFor()).toEqual(['con_1', 'con_2'])
  expect(called.map(({ data }) => data.via)).toEqual(['recovery', 'recovery'])
})
