import { expect, test } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import { sealedOwner } from '../../shared/pack/keyring.ts'
import { createMemoryStore, createVault, resealAll } from '../../shared/store/index.ts'
import { approval } from '../store/make-approvals.ts'

const tenant = 'default'
const caller = { tenant }
const address = 'mai.tran@example.com.au'
const masterKey = Buffer.alloc(32, 7)
const spelt = `Ask ${address.toUpperCase()} about it.`

const planted = async () => {
  const store = createMemoryStore()
  const vault = createVault({ masterKey })
  const plant = (id: string, fields: Record<string, string>, of = tenant) =>
    store.approvals.add(approval(of, id, { secrets: vault.seal({ tenant: of, owner: `approval:${id}` }, fields) }), 99)
  const nothing = JSON.stringify({ input: {} })
  await plant('call', { content: JSON.stringify({ input: { note: spelt } }) })
  await plant('outcome', { content: nothing, outcome: JSON.stringify({ ok: true, value: { note: spelt } }) })
  await plant('reason', { content: nothing, reason: spelt })
  await plant('nobody', { content: nothing, outcome: nothing, reason: 'Nobody.' })
  await plant('call', { content: JSON.stringify({ input: { note: spelt } }) }, 'other')
  return { store, pack: await createPack({ store, masterKey }) }
}

test('a held call, its outcome and why it was denied are found by export and erasure', async () => {
  const { store, pack } = await planted()
  const { records } = await pack.privacy.export(caller, [{ email: address }])
  expect(records.map(({ kind, id }) => [kind, id])).toEqual([
    ['approval', 'call'],
    ['approval', 'outcome'],
    ['approval', 'reason'],
  ])
  expect(records.map(({ data }) => JSON.stringify(data).includes(spelt))).toEqual([true, true, true])
  expect((await pack.privacy.erase(caller, [{ email: address }])).removed).toEqual({ approval: 3 })
  expect(await store.approvals.get(tenant, 'call')).toMatchObject({ state: 'expired', secrets: {}, identity: null })
  expect((await store.approvals.get(tenant, 'nobody'))!.state).toBe('open')
  expect((await store.approvals.get('other', 'call'))!.state).toBe('open')
  await pack.close()
})

test('what is sealed under an earlier master key is sealed under the present one; a part without its key is counted', async () => {
  const { store, pack } = await planted()
  const present = createVault({ masterKey: Buffer.alloc(32, 8) })
  const both = createVault({
    masterKey: Buffer.alloc(32, 8),
    previous: [{ id: createVault({ masterKey }).keyId, key: masterKey }],
  })
  expect(await pack.privacy.export(caller, [{ email: 'nobody@example.com' }])).toMatchObject({ unread: 0 })
  const before = (await store.approvals.get(tenant, 'reason'))!
  expect((await resealAll(store, both, sealedOwner)).failed).toEqual([])
  const { secrets, revision } = (await store.approvals.get(tenant, 'reason'))!
  expect(present.open({ tenant, owner: 'approval:reason' }, secrets)['reason']).toBe(spelt)
  // The pack has the earlier key alone, so it reads the one part that is still sealed under that.
  const mixed = { ...secrets, reason: before.secrets['reason']! }
  await store.approvals.change({ tenant, id: 'reason', revision }, { secrets: mixed })
  const { records, unread } = await pack.privacy.export(caller, [{ email: address }])
  expect(records.map(({ id }) => id)).toEqual(['reason'])
  expect(unread).toBe(3)
  await pack.close()
})
