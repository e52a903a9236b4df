import { expect, test } from 'vitest'
import { createOpenConnections, createOpenWith } from '../../shared/runtime/connections/resolve.ts'
import { connectionRow, caller, handClock, openHouse, overlay, tenant } from '../triggers/house.ts'

const held = () => {
  let release = () => {}
  const gate = new Promise<void>((resolve) => (release = resolve))
  return { gate, release }
}

test.each(['connections', 'tenants'] as const)(
  'an account that is changed while its %s are read is not kept as it was before',
  async (slow) => {
    const house = await openHouse()
    const { gate, release } = held()
    let waits = true
    const wait = async <T>(rows: Promise<T>): Promise<T> => {
      const result = await rows
      if (waits) await gate
      return result
    }
    const store = overlay(house.store, {
      [slow]:
        slow === 'connections'
          ? overlay(house.store.connections, {
              list: (...listArguments) => wait(house.store.connections.list(...listArguments)),
            })
          : overlay(house.store.tenants, { get: (id) => wait(house.store.tenants.get(id)) }),
    })
    const never = () => {
      throw new Error('not used here')
    }
    const openWith = createOpenWith({ apps: { oauthApp: never }, clientTokens: never })
    const openConnections = createOpenConnections({
      store,
      vault: house.vault,
      clock: handClock(),
      log: () => {},
      openWith,
      states: { set: never },
    })
    const loaded = house.registry.integration('work-board')
    const opening = Promise.resolve(openConnections.open(caller, loaded, undefined))
    await new Promise((resolve) => setImmediate(resolve))
    // Reconnected with another token meanwhile.
    await house.store.connections.patch(tenant, 'con_1', {
      secrets: connectionRow(house.vault, { secretToken: 'token-2' }).secrets,
    })
    openConnections.forget(tenant, 'con_1')
    waits = false
    release()
    expect((await opening).account.secrets).toMatchObject({ token: 'token-2' })
    expect((await opening).live).toBe(true)
    expect((await openConnections.open(caller, loaded, undefined)).account.secrets).toMatchObject({ token: 'token-2' })
    await house.close()
  },
)
