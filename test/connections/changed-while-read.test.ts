import { expect, test } from 'vitest'
import { createOpenConnections, createOpenWith } from '../../shared/runtime/connections/resolve.ts'
import { caller, connectionRow, handClock, openTriggerWorld, overlay, tenant } from '../triggers/world.ts'

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
    const never = () => {
      throw new Error('not used here')
    }
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
