import { expect, test } from 'vitest'
import type { Event } from '#kit'
import { createPack } from '../../shared/pack.ts'
import { sealUnclaimed } from '../../shared/runtime/triggers/inbound/unclaimed.ts'
import { createMemoryStore, createVault } from '../../shared/store/index.ts'

const caller = { tenant: 'default' }
const address = 'mai.tran@example.com.au'
const now = Date.UTC(2026, 2, 1, 12)
const masterKey = Buffer.alloc(32, 7)

const eventAbout = (id: string, text: string): Event => ({
  id,
  type: 'opened',
  at: new Date(now).toISOString(),
  actor: undefined,
  model: { kind: 'repo', id: '7' },
  models: [],
  objects: [],
  via: 'webhook',
  causedByUs: 'unknown',
  raw: { text },
})

test('an event of an account without a connection is found by export and erasure: at the app of the tenant, or of the operator', async () => {
  const store = createMemoryStore()
  const vault = createVault({ masterKey })
  const pack = await createPack({ store, masterKey })
  const plant = async (tenant: string, id: string, text: string) => {
    const unclaimedEvent = {
      tenant,
      integration: 'work-board',
      account: '49',
      hook: 'h1',
      event: eventAbout(id, text),
      correlation: undefined,
    }
    await store.unclaimed.add([sealUnclaimed(vault, unclaimedEvent, now)], 10)
  }
  const spelt = `Ask ${address.toUpperCase()} about it.`
  for (const tenant of ['default', '', 'other']) {
    await plant(tenant, 'e1', spelt)
    await plant(tenant, 'e2', 'Nobody.')
  }
  const { records } = await pack.privacy.export(caller, [{ email: address }])
  expect(records.map(({ kind }) => kind)).toEqual(['unclaimed', 'unclaimed'])
  expect(JSON.stringify(records)).toContain(spelt)
  expect((await pack.privacy.erase(caller, [{ email: address }])).removed).toEqual({ unclaimed: 2 })
  const left = async (tenant: string) =>
    (await store.unclaimed.of({ tenant, integration: 'work-board', account: '49', hook: 'h1' }, 9))
      .map(({ event }) => event)
      .toSorted()
  expect([await left('default'), await left(''), await left('other')]).toEqual([['e2'], ['e2'], ['e1', 'e2']])
  await pack.close()
})
