import { describe, expect, test } from 'vitest'
import type { Store, UnclaimedEvent } from '../../shared/runtime/ports/index.ts'
import { connection, t0, unclaimed } from './make.ts'

const minute = 60_000

export const unclaimedContract = (store: () => Store): void => {
  describe('events of accounts without a connection', () => {
    const group = (tenant: string, over: Partial<UnclaimedEvent> = {}) => {
      const { integration, account, hook } = unclaimed(tenant, '', over)
      return { tenant, integration, account, hook }
    }
    const idsOf = async (tenant: string, over: Partial<UnclaimedEvent> = {}) =>
      (await store().unclaimed.of(group(tenant, over), 99)).map(({ id }) => id)

    test('each is stored once, comes back as it was, oldest first, and goes by its id', async () => {
      const first = unclaimed('unc', 'e2', { receivedAt: t0 - 1 })
      expect(await store().unclaimed.add([unclaimed('unc', 'e1'), first], 10)).toEqual({ added: 2, displaced: [] })
      const again = [unclaimed('unc', 'e1', { receivedAt: t0 + 9 }), unclaimed('unc', 'e3', { account: 'a2' })]
      expect(await store().unclaimed.add(again, 10)).toEqual({ added: 1, displaced: [] })
      expect(await store().unclaimed.of(group('unc'), 99)).toEqual([first, unclaimed('unc', 'e1')])
      expect(await store().unclaimed.of(group('unc'), 1)).toEqual([first])
      expect(await idsOf('unc-other')).toEqual([])
      const mine = (await store().unclaimed.groups()).filter(({ tenant }) => tenant === 'unc')
      expect(mine).toEqual([group('unc'), group('unc', { account: 'a2' })])
      expect(await store().unclaimed.remove({ tenant: 'unc-other', id: 'e1' })).toBe(false)
      expect(await store().unclaimed.remove({ tenant: 'unc', id: 'e1' })).toBe(true)
      expect(await store().unclaimed.remove({ tenant: 'unc', id: 'e1' })).toBe(false)
      expect(await idsOf('unc')).toEqual(['e2'])
    })

    test('of too many, those go of which their account has the most, of that its oldest; other apps are left alone', async () => {
      const loud = ['1', '2', '3', '4'].map((n) => unclaimed('', `cap-${n}`, { receivedAt: t0 + Number(n) }))
      await store().unclaimed.add([unclaimed('', 'cap-q', { account: 'quiet' }), ...loud], 5)
      await store().unclaimed.add([unclaimed('', 'cap-x', { integration: 'other' })], 5)
      await store().unclaimed.add([unclaimed('cap', 'cap-y')], 5)
      const late = unclaimed('', 'cap-5', { account: 'late', receivedAt: t0 + 9 })
      const name = { tenant: '', integration: 'desk', account: 'a1' }
      expect(await store().unclaimed.add([late], 5)).toEqual({
        added: 1,
        displaced: [{ ...name, event: 'event-cap-1' }],
      })
      const { displaced } = await store().unclaimed.add([unclaimed('', 'cap-6', { account: 'last' })], 3)
      expect(displaced.map(({ event }) => event).sort()).toEqual(['event-cap-2', 'event-cap-3', 'event-cap-q'])
      expect(await idsOf('', { account: 'quiet' })).toEqual([])
      expect(await idsOf('')).toEqual(['cap-4'])
      expect(await idsOf('', { integration: 'other' })).toEqual(['cap-x'])
      expect(await idsOf('cap')).toEqual(['cap-y'])
    })

    test('those whose time is over go, and are named once', async () => {
      await store().unclaimed.add([unclaimed('exp', 'e1'), unclaimed('exp', 'e2', { expiresAt: t0 + 11 * minute })], 9)
      const expired = async (now: number) =>
        (await store().unclaimed.expire(now, 1000)).filter(({ tenant }) => tenant === 'exp').map(({ event }) => event)
      expect(await expired(t0 + 10 * minute - 1)).toEqual([])
      expect((await Promise.all([1, 2].map(() => expired(t0 + 10 * minute)))).flat()).toEqual(['event-e1'])
      expect(await idsOf('exp')).toEqual(['e2'])
    })

    test('retention removes those that no trigger runtime has dropped a minute later, and says how many', async () => {
      await store().unclaimed.add([unclaimed('unc-old', 'e1')], 9)
      const at = { payloads: 0, starts: 0, deleted: 0, runs: 0, ownWrites: 0, audit: 0, gaps: 0, limit: 100 }
      await store().prune({ ...at, now: t0 + 11 * minute - 1 })
      expect(await idsOf('unc-old')).toEqual(['e1'])
      expect((await store().prune({ ...at, now: t0 + 11 * minute })).unclaimed).toBeGreaterThanOrEqual(1)
      expect(await idsOf('unc-old')).toEqual([])
    })

    test('the key that its content is encrypted with can be sealed anew', async () => {
      await store().unclaimed.add([unclaimed('unc-seal', 'e1')], 9)
      const row = (await store().sealed.all()).find(({ tenant }) => tenant === 'unc-seal')!
      expect(row).toEqual({ kind: 'unclaimed', tenant: 'unc-seal', id: 'e1', sealed: { key: 'v1.k.a.b.c' } })
      expect(await store().sealed.replace(row, { key: 'v1.l.a.b.c' })).toBe(true)
      expect((await store().unclaimed.of(group('unc-seal'), 9))[0]!.secrets).toEqual({ key: 'v1.l.a.b.c' })
    })

    test('what it says of a person is found, and erased', async () => {
      await store().unclaimed.add([unclaimed('unc-person', 'e1'), unclaimed('unc-person', 'e2')], 9)
      const [row] = await store().personal.rows('unc-person', 'unclaimed', 9)
      expect(row).toMatchObject({ kind: 'unclaimed', key: ['e1'], at: t0, secrets: { key: 'v1.k.a.b.c' } })
      expect([...row!.content!]).toEqual([1, 0, 255])
      expect(await store().personal.erase({ ...row!, tenant: 'unc-other' })).toBe(false)
      expect(await store().personal.erase(row!)).toBe(true)
      expect(await idsOf('unc-person')).toEqual(['e2'])
    })

    test('the connections of accounts are found in every tenant, and only those of the integration', async () => {
      const add = (tenant: string, id: string, over: Parameters<typeof connection>[2]) =>
        store().connections.add(connection(tenant, id, { integration: 'accounts', ...over }))
      await add('acc-1', 'c1', { accountId: 'x' })
      await add('acc-2', 'c2', { accountId: 'x' })
      await add('acc-2', 'c3', { accountId: 'y' })
      await add('acc-2', 'c4', { accountId: null })
      await add('acc-2', 'c5', { accountId: 'x', integration: 'accounts-other' })
      const findConnections = async (accounts: string[]) =>
        (await store().connections.ofAccounts('accounts', accounts)).map(({ tenant, id }) => `${tenant} ${id}`)
      expect(await findConnections(['x'])).toEqual(['acc-1 c1', 'acc-2 c2'])
      expect(await findConnections(['y', 'z', 'w'])).toEqual(['acc-2 c3'])
      expect(await findConnections([])).toEqual([])
      await store().connections.patch('acc-2', 'c4', { accountId: 'w' })
      expect(await findConnections(['w'])).toEqual(['acc-2 c4'])
    })
  })
}
