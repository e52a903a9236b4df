/**
 * What the platform is told of connections and steps, through the whole pack with a store on disk and a platform on
 * loopback.
 */
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { defineStep } from '#kit'
import { createPack } from '../../shared/pack.ts'
import type { Pack, PackOptions } from '../../shared/pack.ts'
import type { PlatformNotification } from '../../shared/runtime/triggers/index.ts'
import { openSqliteStore } from '../../shared/store/index.ts'
import fourth from '../fixtures/fourth/manifest.ts'
import { testFolder } from '../store/folder.ts'
import { startProvider } from '../support/provider.ts'
import { until } from '../support/agent-world.ts'

const caller = { tenant: 'default' }
const hour = 3_600_000
const key = Buffer.alloc(32, 3)
const integration = {
  ...fourth,
  steps: fourth.steps.map((step) => defineStep({ ...step, deprecated: { since: '0.0.1', use: 'add-notes' } })),
}

let directory: string
let platform: Awaited<ReturnType<typeof startProvider>>
let provider: Awaited<ReturnType<typeof startProvider>>
let shift: number
let isRevoked: boolean
let packs: Pack[]
/** Requests with their headers, as the public library wants them. */
let headers: Record<string, string>[]

const open = async (more: PackOptions = {}) => {
  const pack = await createPack({
    store: await openSqliteStore({ directory, now: Date.now }),
    masterKey: key,
    integrations: [integration],
    wire: { fourth: { baseUrl: provider.origin } },
    egress: { privateOrigins: [provider.origin] },
    agentOrigins: [platform.origin],
    clock: {
      now: () => Date.now() + shift,
      monotonic: () => performance.now() + shift,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          const timer = setTimeout(resolve, ms)
          signal?.addEventListener('abort', () => (clearTimeout(timer), reject(signal.reason as Error)))
        }),
    },
    ...more,
  })
  packs.push(pack)
  return pack
}
beforeEach(async () => {
  shift = 0
  isRevoked = false
  packs = []
  headers = []
  directory = await testFolder()
  platform = await startProvider((request, response) => {
    headers.push(request.headers as Record<string, string>)
    response.writeHead(204).end()
  })
  provider = await startProvider((_, response) => {
    response.writeHead(isRevoked ? 401 : 200, { 'content-type': 'application/json' })
    response.end(isRevoked ? '{"message":"no"}' : '{"id":"n1","text":"a"}')
  })
})
afterEach(async () => {
  for (const pack of packs) await pack.close()
  await platform.close()
  await provider.close()
})
const listNotifications = (type?: string) =>
  platform.seen
    .map(({ body }) => JSON.parse(body) as PlatformNotification)
    .filter((notification) => type === undefined || notification.type === type)
const connect = (pack: Pack, by = caller) =>
  pack.connections.create(by, {
    integration: 'fourth',
    type: 'api-key',
    name: 'Notes',
    secrets: { apiKey: 'k-0123456789' },
    person: 'person-3',
    externalId: 'account-7',
    labels: { plan: 'pro' },
  })
const addNote = (pack: Pack) =>
  pack.steps.run(caller, {
    integration: 'fourth',
    step: 'add-note',
    person: 'person-3',
    input: { notebook: 'nb1', text: 'a' },
  })

describe('notifications of the pack', () => {
  it('survive the process: what is stored with a connection is sent by the next one, signed, and once', async () => {
    const first = await open()
    const { secret } = await first.notifications.put(caller, { url: `${platform.origin}/toolyard` })
    // It never starts its background work, so nothing is sent before it ends.
    const made = await connect(first)
    await first.close()
    packs = []
    const second = await open()
    await second.start()
    await until('the notification', () => listNotifications().length > 0)
    expect(listNotifications()).toMatchObject([
      {
        type: 'connection.created',
        data: {
          connection: made.id,
          integration: 'fourth',
          person: 'person-3',
          externalId: 'account-7',
          labels: { plan: 'pro' },
          tenant: 'default',
        },
      },
    ])
    expect(new Webhook(secret!).verify(platform.seen[0]!.body, headers[0]!)).toMatchObject({
      type: 'connection.created',
    })
    expect(platform.seen[0]!.body).not.toContain('k-0123456789')
    await second.close()
    packs = []
    const third = await open()
    await third.start()
    await addNote(third)
    await until('what the third tells', () => listNotifications('deprecation.used').length > 0)
    expect(listNotifications('connection.created')).toHaveLength(1)
  })

  it('bound a connection that comes and goes: two in an hour, the second only if it still is so', async () => {
    const pack = await open()
    await pack.start()
    await pack.notifications.put(caller, { url: platform.origin, types: ['connection.needs_reconnect'] })
    const { id } = await connect(pack)
    const lose = async () => {
      isRevoked = true
      await addNote(pack)
      await until('needs_reconnect', async () => (await pack.connections.get(caller, id)).state === 'needs_reconnect')
      isRevoked = false
    }
    const mend = () => pack.connections.patch(caller, id, { secrets: { apiKey: 'k-0123456789' } })
    // From the start of a window, so that the losses lie in one.
    shift += hour - ((Date.now() + shift) % hour)
    for (let n = 0; n < 10; n += 1) {
      await lose()
      if (n < 9) await mend()
    }
    await until('the first', () => listNotifications().length > 0)
    expect(listNotifications()).toMatchObject([
      { data: { connection: id, person: 'person-3', reason: expect.any(String) as string } },
    ])
    shift += hour
    await until('the second', () => listNotifications().length > 1)
    expect(listNotifications()[1]!.data.since).toBeDefined()
    await mend()
    shift += 2 * hour
    await lose()
    await until('the third', () => listNotifications().length > 2)
    await mend()
    await lose()
    await mend()
    shift += 2 * hour
    const waiting = async () =>
      (await pack.starts.list(caller, { limit: 50 }, { subscription: 'notifications', state: 'pending' })).items.length
    await until('nothing waits', async () => (await waiting()) === 0)
    // The last loss was over before its time came.
    expect(listNotifications()).toHaveLength(3)
  })

  it('tell of a step that is deprecated once a day, with what to use', async () => {
    const pack = await open()
    await pack.start()
    await pack.notifications.put(caller, { url: platform.origin, types: ['deprecation.used'] })
    const { id } = await connect(pack)
    for (let n = 0; n < 5; n += 1) await addNote(pack)
    await until('the notification', () => listNotifications().length > 0)
    expect(listNotifications()).toMatchObject([
      {
        data: {
          integration: 'fourth',
          step: 'add-note',
          use: 'add-notes',
          deprecatedSince: '0.0.1',
          connection: id,
          person: 'person-3',
        },
      },
    ])
    await new Promise((done) => setTimeout(done, 700))
    expect(listNotifications()).toHaveLength(1)
  })

  it('go to a callback in library use; one that throws is asked again', async () => {
    const taken: PlatformNotification[] = []
    let isDown = true
    const pack = await open({
      onNotification: async (notification) => {
        taken.push(notification)
        if (isDown) throw new Error('not now')
      },
    })
    await pack.start()
    await pack.notifications.put(caller, { types: ['connection.created'] })
    await connect(pack)
    await until('the callback', () => taken.length > 0)
    isDown = false
    shift += 60_000
    await until('the callback, again', () => taken.length > 1)
    expect(new Set(taken.map(({ data }) => data.id)).size).toBe(1)
  })

  it('go out in memory too, and nothing is said to another tenant', async () => {
    const taken: PlatformNotification[] = []
    const pack = await createPack({
      integrations: [integration],
      wire: { fourth: { baseUrl: provider.origin } },
      egress: { privateOrigins: [provider.origin] },
      onNotification: async (notification) => void taken.push(notification),
    })
    onTestFinished(() => pack.close())
    await pack.tenants.create({ id: 'two', name: 'Two' })
    await pack.start()
    await pack.notifications.put(caller, {})
    await connect(pack, { tenant: 'two' })
    await connect(pack)
    isRevoked = true
    await addNote(pack)
    await until('both', () => taken.length > 2)
    expect(taken.map(({ type, data }) => [type, data.tenant]).toSorted()).toEqual([
      ['connection.created', 'default'],
      ['connection.needs_reconnect', 'default'],
      ['deprecation.used', 'default'],
    ])
  })

  it('refuse an address that may not be called, a tenant or type that is not there, and a wrong secret', async () => {
    const pack = await open()
    const put = (target: object, tenant = 'default') => pack.notifications.put({ tenant }, target)
    await expect(put({ url: 'http://10.0.0.1/x' })).rejects.toMatchObject({
      code: expect.stringMatching(/invalid_input|not_allowed/) as string,
    })
    await expect(put({})).rejects.toMatchObject({ details: { errors: [{ pointer: '/url' }] } })
    await expect(put({ url: platform.origin, types: ['start.done'] })).rejects.toMatchObject({
      details: { errors: [{ pointer: '/types' }] },
    })
    await expect(put({ url: platform.origin, secret: 'short' })).rejects.toMatchObject({
      details: { errors: [{ pointer: '/secret' }] },
    })
    await expect(put({ url: platform.origin }, 'none')).rejects.toMatchObject({ code: 'not_found' })
    await expect(pack.notifications.get(caller)).rejects.toMatchObject({ code: 'not_found' })
    await expect(pack.notifications.remove(caller)).rejects.toMatchObject({ code: 'not_found' })
    await put({ url: platform.origin })
    expect(await put({ url: `${platform.origin}/other` })).not.toHaveProperty('secret')
    await pack.notifications.remove(caller)
  })
})
