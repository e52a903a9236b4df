/** A provider with one secret for the whole account, that wants a certain answer: the sandbox of one that exists. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { path } from '#kit'
import { createHttp } from '../../shared/faces/http/app.ts'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import { clientOf } from '../sandbox/lusha-client.ts'
import { tokenConnection } from './recipe.ts'
import accountSecret from './account-secret.ts'

const caller = { tenant: 'default' }
const contact = '4389064001'
let sandbox: ContactSandbox
let pack: Pack
let started: unknown[]
let close: () => Promise<unknown>
const { get, send, chargedFor } = clientOf(() => sandbox)

/** The connection is tested by what this provider has. */
const connection = {
  ...tokenConnection,
  test: { method: 'GET' as const, path: path`/v3/account/usage` },
  identify: () => ({ accountId: 'account', accountName: 'Account' }),
}

beforeEach(async () => {
  started = []
  sandbox = await startContactSandbox({
    profile: 'lusha-v3',
    limits: { requests: 100_000 },
    windows: { usage: 1000, webhooks: 1000 },
  })
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  pack = await createPack({
    integrations: [{ ...accountSecret, connections: [connection] }],
    store: createMemoryStore(),
    wire: { 'account-secret': { baseUrl: sandbox.origin } },
    egress: { privateOrigins: [sandbox.origin] },
    publicUrl: `http://127.0.0.1:${port}`,
    onStart: async ({ data }) => void started.push(data),
  })
  await pack.connections.create(caller, {
    integration: 'account-secret',
    type: 'token',
    name: 'Account',
    secrets: { token: sandbox.credentials.apiKey },
  })
  const http = await createHttp({ pack, version: '0.0.0' })
  await http.listen({ host: '127.0.0.1', port })
  close = () => http.close()
})
afterEach(async () => {
  await close()
  await Promise.all([pack.close(), sandbox.close()])
})

const subscribe = () =>
  pack.subscriptions.create(caller, { integration: 'account-secret', trigger: 'promoted', config: { contact } })
const promote = () => sandbox.tell('signal', { entityType: 'contact', entityId: contact, type: 'promotion' })
const secret = async () => (await get('/api/account/secret')).body.secret as string
const logs = async () => (await get('/api/audit-logs')).body.data as { status: string; error: string | null }[]
const startedTimes = (count: number) => expect.poll(() => started.length, { timeout: 5000, interval: 10 }).toBe(count)

test('a secret is made where there is none, and a signal starts an agent and is acknowledged as required', async () => {
  await pack.start()
  await subscribe()
  promote()
  await startedTimes(1)
  expect(started[0]).toMatchObject({ event: { change: 'promotion' } })
  await expect.poll(async () => (await logs()).length, { timeout: 5000 }).toBe(1)
  expect((await logs())[0]).toMatchObject({ status: 'success', error: null })
  expect(chargedFor()).toEqual({ signals: 1 })
})

test('the secret that the account has is used, and another subscription to the contact is taken over', async () => {
  const { secret: present } = (await send('POST', '/api/account/secret/regenerate')).body
  await send('POST', '/api/subscriptions', {
    defaults: { url: 'https://former.example/hook', entityType: 'contact', signalTypes: ['companyChange'] },
    subscriptions: [{ entityId: contact }],
  })
  await pack.start()
  await subscribe()
  expect(await secret()).toBe(present)
  promote()
  await startedTimes(1)
})

test('a subscription that the provider disabled is activated again', async () => {
  await subscribe()
  const [{ id }] = (await get('/api/subscriptions')).body.data
  await send('PATCH', `/api/subscriptions/${id}`, { isActive: false })
  await pack.start()
  await expect.poll(async () => (await get(`/api/subscriptions/${id}`)).body.isActive, { timeout: 5000 }).toBe(true)
})

test('the subscription at the provider ends with the last one here', async () => {
  const { id } = await subscribe()
  await pack.start()
  await pack.subscriptions.remove(caller, id)
  await expect.poll(async () => (await get('/api/subscriptions')).body.data, { timeout: 5000 }).toEqual([])
})
