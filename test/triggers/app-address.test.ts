import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import type { Connection, Hook, Store } from '../../shared/runtime/ports/index.ts'
import { createAppRecipients } from '../../shared/runtime/triggers/inbound/app-recipients.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import { chat } from './app-chat.ts'

/** One address for an operator's app, told when the app is set; teams of several tenants are behind it. */
const operator = { tenant: 'default' }
const secret = 'secret-of-the-app-0123'
const publicUrl = 'https://pack.example'
let pack: Pack
let store: Store

beforeEach(async () => {
  store = createMemoryStore()
  pack = await createPack({ integrations: [chat], publicUrl, store, onStart: async () => {} })
  for (const id of ['a', 'b']) await pack.tenants.create({ id, name: id })
})
afterEach(() => pack.close())

const put = (tenant: string, owner?: 'operator', key = secret) =>
  pack.apps.put({ tenant }, 'chat', { key: 'app-key', secret: key, ...(owner ? { owner } : {}) })
const addressOf = async (view: ReturnType<typeof put>) =>
  ((await view) as { deliveriesTo?: string | null }).deliveriesTo
/** A connection of a team with a subscription. */
const join = async (tenant: string, account: string) => {
  const { id } = await pack.connections.create(
    { tenant },
    { integration: 'chat', type: 'token', secrets: { token: 't' } },
  )
  await store.connections.patch(tenant, id, { accountId: account })
  await pack.subscriptions.create(
    { tenant },
    { integration: 'chat', trigger: 'message', connection: id, config: { repo: '7' } },
  )
  return id
}
let last = 0
const deliver = async (address: string, account: string, { key = secret, pad = 0 } = {}) => {
  const fact = { id: (last += 1), type: 'message', at: new Date().toISOString(), repo: 7, issue: 7, actor: 9 }
  const body = Buffer.from(JSON.stringify({ ...fact, account, note: 'x'.repeat(pad) }))
  const headers = {
    'content-type': 'application/json',
    'x-signature': createHmac('sha256', key).update(body).digest('hex'),
  }
  const hookId = address.split('/').at(-1)!
  return (await pack.receive({ integration: 'chat', hookId, method: 'POST', headers, body })).status
}
/** How many events each tenant's connection has received. */
const received = async (tenant: string) => (await pack.events.list({ tenant }, { limit: 9 })).items.length

test('the operator is told one address before anything is connected, and again whenever asking', async () => {
  const address = await addressOf(put('default', 'operator'))
  expect(address).toMatch(/^https:\/\/pack\.example\/hooks\/chat\/[\w-]{32}$/)
  expect(await pack.apps.get(operator, 'chat')).toMatchObject({ deliveriesTo: address, owner: 'operator' })
  expect(await addressOf(put('default', 'operator', 'another-secret-0123'))).toBe(address)
})

test('events go to the tenants behind the operator’s app by account, and to no tenant with its own', async () => {
  const address = (await addressOf(put('default', 'operator')))!
  await join('a', 'T1')
  await join('b', 'T1')
  expect(await deliver(address, 'T1')).toBe(200)
  expect([await received('a'), await received('b')]).toEqual([1, 1])
  const own = (await addressOf(put('b', undefined, 'secret-of-tenant-b-0123')))!
  expect(own).not.toBe(address)
  expect(await deliver(address, 'T1')).toBe(200)
  expect([await received('a'), await received('b')]).toEqual([2, 1])
  expect(await deliver(own, 'T1', { key: 'secret-of-tenant-b-0123' })).toBe(200)
  expect([await received('a'), await received('b')]).toEqual([2, 2])
})

test('an event of an account that nobody has yet is accepted, and no other account gets it', async () => {
  const address = (await addressOf(put('default', 'operator')))!
  await join('a', 'T1')
  expect(await deliver(address, 'T9')).toBe(200)
  expect([await received('a'), (await pack.triggers.counts()).unclaimedEvents]).toEqual([0, 1])
})

test('forged and oversized deliveries, and those to an unknown address, reach nobody', async () => {
  const address = (await addressOf(put('default', 'operator')))!
  await join('a', 'T1')
  expect(await deliver(address, 'T1', { key: 'forged' })).toBe(401)
  // The address ends in any letter.
  expect(await deliver(address.slice(0, -1) + (address.endsWith('_') ? '-' : '_'), 'T1')).toBe(401)
  expect(await deliver(address, 'T1', { pad: 5_000_000 })).toBe(413)
  const ownApp = (await addressOf(put('b', undefined, 'secret-of-tenant-b-0123')))!
  expect(await deliver(ownApp, 'T1', { key: 'secret-of-tenant-b-0123' }), 'of an app of another tenant').toBe(200)
  expect(await received('a')).toBe(0)
})

test('a tenant behind the operator’s app is told no address, since it has none to enter', async () => {
  await put('default', 'operator')
  const view = await pack.apps.get({ tenant: 'a', token: 'tok', scopes: ['connections'] } as never, 'chat')
  expect(view).toMatchObject({ owner: 'operator' })
  expect(view).not.toHaveProperty('deliveriesTo')
})

test('without a public address, the answer says that there is none yet', async () => {
  const inside = await createPack({ integrations: [chat], onStart: async () => {} })
  expect(await inside.apps.put(operator, 'chat', { key: 'k', secret })).toMatchObject({ deliveriesTo: null })
  await inside.close()
})

test('a token for the address alone proves no app of the operator: it serves the workspace of the address', async () => {
  const audiences: [string, string][] = [
    ['{url}', 't1'],
    ['app-of-operator', ''],
  ]
  for (const [audience, owner] of audiences) {
    const jwt = { algorithm: 'ES256', toleranceMs: 300_000, keys: 'https://chat.example/keys', audience } as const
    const loaded = { integration: chat, wire: { ...chat.wire, signature: { proof: 'jwt', header: 'x', jwt } } }
    const recipients = createAppRecipients({
      registry: { integration: () => loaded } as never,
      signers: { ownerOf: async () => '' },
    })
    const address = await recipients.addressOf({ tenant: 't1', integration: 'chat' } as Hook)
    expect(address).toEqual({ owner, home: 't1' })
    const foreign = { tenant: 't2', integration: 'chat', type: 'token', state: 'connected' } as Connection
    expect(await recipients.served([foreign], address)).toEqual(owner === '' ? [foreign] : [])
  }
})
