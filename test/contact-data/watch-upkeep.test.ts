/** What becomes of watches when the provider is slow, refuses, or was set up by an earlier version. */
import { afterEach, describe, expect, test } from 'vitest'
import { caller, openSignals } from './signals-world.ts'
import type { SignalsWorld } from './signals-world.ts'
import { full } from '../sandbox/lusha-client.ts'
import { contactId } from '../../shared/sandbox/contact/lusha/find.ts'

const person = contactId(full[0]!)
const wait = { timeout: 30_000, interval: 20 }

let world: SignalsWorld
afterEach(() => world.close())
const open = async () => {
  world = await openSignals()
  await world.connect('Account')
  return world
}
const hooksOf = async () => (await world.pack.hooks.list(caller, { limit: 100 })).items

describe('a watch that is removed', () => {
  test('ends at the provider although its list does not show it yet', async () => {
    const { pack, sandbox, subscribe, watched } = await open()
    await pack.start()
    const { id } = await subscribe('contact-signal', { people: [person] })
    expect(await watched()).toHaveLength(1)
    const none = { data: [], pagination: { total: 0, limit: 100, offset: 0, hasMore: false } }
    sandbox.control.inject({
      match: { method: 'GET', path: '/api/subscriptions' },
      answer: { status: 200, body: none },
    })
    await pack.subscriptions.remove(caller, id)
    await expect.poll(async () => (await hooksOf()).map(({ state }) => state), wait).toEqual(['deleted', 'deleted'])
    expect(await watched()).toEqual([])
  })
})

describe('a subscription that is refused', () => {
  test('because the secret of the account cannot be read leaves nothing that is looked after', async () => {
    const { pack, sandbox, subscribe } = await open()
    await pack.start()
    sandbox.control.inject({
      match: { method: 'GET', path: '/api/account/secret' },
      answer: { status: 403, body: { message: 'Forbidden' } },
    })
    await expect(subscribe('contact-signal', { people: [person] })).rejects.toMatchObject({ code: 'access_denied' })
    expect((await hooksOf()).filter(({ state }) => state !== 'deleted')).toEqual([])
  })
})

describe('a watch that was made with an address of its own', () => {
  test('gets the address of its connection, and misses nothing', async () => {
    const { pack, restart, storedHooks, subscribe, watched } = await open()
    await subscribe('contact-signal', { people: [person] })
    const [row] = await watched()
    const model = `person:${person}`
    await storedHooks((hook) => (hook.model === model ? { state: 'deleted' } : undefined))
    await storedHooks((hook) =>
      hook.model === 'account:'
        ? { model, providerId: String(row!.id), types: ['promotion', 'companyChange'] }
        : undefined,
    )
    await restart(() => expect.poll(async () => (await watched())[0]!.url, wait).not.toBe(row!.url))
    expect((await pack.gaps.list(caller, { limit: 5 })).items).toEqual([])
  })
})
