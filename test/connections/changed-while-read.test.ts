import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Renewal } from '../../shared/runtime/connections/open-connection.ts'
import { createOpenConnections, createOpenWith } from '../../shared/runtime/connections/resolve.ts'
import type { Connection, Vault } from '../../shared/runtime/ports/index.ts'
import { caller, connectionRow, handClock, openTriggerWorld, overlay, tenant } from '../triggers/world.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const never = () => {
  throw new Error('not used here')
}

const held = () => {
  let release = () => {}
  const gate = new Promise<void>((resolve) => (release = resolve))
  return { gate, release }
}

test.each(['connections', 'tenants'] as const)(
  'an account that is changed while its %s are read is not kept as it was before',
  async (slow) => {
    const world = await openTriggerWorld()
    const { gate, release } = held()
    let waits = true
    const wait = async <T>(rows: Promise<T>): Promise<T> => {
      const result = await rows
      if (waits) await gate
      return result
    }
    const store = overlay(world.store, {
      [slow]:
        slow === 'connections'
          ? overlay(world.store.connections, {
              list: (...listArguments) => wait(world.store.connections.list(...listArguments)),
            })
          : overlay(world.store.tenants, { get: (id) => wait(world.store.tenants.get(id)) }),
    })
    const openWith = createOpenWith({ apps: { oauthApp: never }, clientTokens: never })
    const openConnections = createOpenConnections({
      store,
      vault: world.vault,
      clock: handClock(),
      log: () => {},
      openWith,
      states: { set: never },
    })
    const loaded = world.registry.integration('work-board')
    const opening = Promise.resolve(openConnections.open(caller, loaded, undefined))
    await new Promise((resolve) => setImmediate(resolve))
    // Reconnected with another token meanwhile.
    await world.store.connections.patch(tenant, 'con_1', {
      secrets: connectionRow(world.vault, { secretToken: 'token-2' }).secrets,
    })
    openConnections.forget(tenant, 'con_1')
    waits = false
    release()
    expect((await opening).account.secrets).toMatchObject({ token: 'token-2' })
    expect((await opening).live).toBe(true)
    expect((await openConnections.open(caller, loaded, undefined)).account.secrets).toMatchObject({ token: 'token-2' })
    await world.close()
  },
)

describe('what another process changed', () => {
  const openAccount = async (over: Partial<Connection> = {}, renewal?: Pick<Renewal, 'isStored'>) => {
    const world = await openTriggerWorld()
    closers.push(() => world.close())
    await world.store.connections.patch(tenant, 'con_1', over)
    const openConnections = createOpenConnections({
      store: world.store,
      vault: world.vault,
      clock: handClock(),
      log: () => {},
      openWith: createOpenWith({ apps: { oauthApp: never }, clientTokens: never }),
      resolveSecrets: async () => ({ key: 'app-key', token: 'token-of-the-platform' }),
      states: { set: never },
      ...(renewal && {
        renewals: () => ({ ...renewal, isDue: () => false, beforeUse: async () => {}, afterRefusal: async () => {} }),
      }),
    })
    const loaded = world.registry.integration('work-board')
    const open = async () => openConnections.open(caller, loaded, undefined)
    return { ...world, openConnections, open, opened: await open() }
  }
  const otherSecrets = (vault: Vault) => connectionRow(vault, { secretToken: 'token-2' }).secrets

  test('before the account was opened here: calls in progress continue', async () => {
    const { openConnections, opened, open } = await openAccount()
    await openConnections.changedElsewhere(tenant, 'con_1')
    openConnections.policyChangedElsewhere(tenant, undefined)
    expect(opened.live).toBe(true)
    expect(await open()).toBe(opened)
  })

  test('a proof that the credential works: calls in progress continue, and the state is known', async () => {
    const { openConnections, opened, store } = await openAccount({ state: 'unverified' })
    await store.connections.patch(tenant, 'con_1', { state: 'connected', stateAt: 5 })
    await openConnections.changedElsewhere(tenant, 'con_1')
    expect(opened).toMatchObject({ live: true, connection: { state: 'connected', stateAt: 5 } })
  })

  test('an account whose secrets the platform keeps is opened anew, since those may be others', async () => {
    const { openConnections, opened, store } = await openAccount({ state: 'unverified', secrets: {}, externalId: 'e' })
    await store.connections.patch(tenant, 'con_1', { state: 'connected', stateAt: 5 })
    await openConnections.changedElsewhere(tenant, 'con_1')
    expect(opened.live).toBe(false)
  })

  test('a proof at two nodes at once: calls in progress continue at both', async () => {
    const { openConnections, opened, store } = await openAccount({ state: 'unverified' })
    Object.assign(opened.connection, { state: 'connected', stateAt: 6 })
    await store.connections.patch(tenant, 'con_1', { state: 'connected', stateAt: 5 })
    await openConnections.changedElsewhere(tenant, 'con_1')
    expect(opened).toMatchObject({ live: true, connection: { state: 'connected', stateAt: 5 } })
  })

  test('what cannot be read: calls in progress are refused', async () => {
    const { openConnections, opened, store } = await openAccount()
    const get = vi.spyOn(store.connections, 'get').mockRejectedValue(new Error('no answer'))
    await expect(openConnections.changedElsewhere(tenant, 'con_1')).rejects.toThrow('no answer')
    expect(opened.live).toBe(false)
    get.mockRestore()
  })

  test.each<[string, Partial<Connection>]>([
    ['its name', { name: 'Another' }],
    ['its policy', { policy: { methods: ['GET'] } }],
    ['its state', { state: 'disabled' }],
    ['whose it is', { person: 'somebody' }],
  ])('%s: calls in progress are refused, and the next opens it anew', async (_, changes) => {
    const { openConnections, opened, open, store } = await openAccount({ state: 'unverified' })
    await store.connections.patch(tenant, 'con_1', { state: 'connected', ...changes })
    await openConnections.changedElsewhere(tenant, 'con_1')
    expect(opened.live).toBe(false)
    if (!changes.person) expect((await open()).connection).toMatchObject(changes)
  })

  test.each([
    ['nothing renews', undefined, false],
    ['is renewed in memory only, such as a client with its secret', { isStored: false }, false],
    ['is renewed in the store', { isStored: true }, true],
  ])('other secrets of an account that %s', async (_, renewal, continues) => {
    const { openConnections, opened, open, store, vault } = await openAccount({}, renewal)
    await store.connections.patch(tenant, 'con_1', { secrets: otherSecrets(vault) })
    await openConnections.changedElsewhere(tenant, 'con_1')
    expect(opened.live).toBe(continues)
    expect((await open()).account.secrets).toMatchObject({ token: 'token-2' })
  })

  test('the policy of its tenant, or its removal: calls in progress are refused', async () => {
    const { openConnections, opened, open, store } = await openAccount()
    openConnections.policyChangedElsewhere('another', { apiCallAllow: { 'work-board': ['/1/members/**'] } })
    expect(opened.live).toBe(true)
    openConnections.policyChangedElsewhere(tenant, { apiCallAllow: { 'work-board': ['/1/members/**'] } })
    expect(opened.live).toBe(false)
    const openedAgain = await open()
    await store.connections.remove(tenant, 'con_1')
    await openConnections.changedElsewhere(tenant, 'con_1')
    expect(openedAgain.live).toBe(false)
  })
})
