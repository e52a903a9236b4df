import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openSqliteStore } from '../../shared/store/index.ts'
import { openAppTracker } from './app-tracker.ts'
import type { AppTracker } from './app-tracker.ts'
import { start0, tenant } from './world.ts'

const minute = 60_000
const dropped = ({ logged }: AppTracker) =>
  logged.filter(({ event }) => event === 'event.unclaimed_dropped').map(({ fields }) => fields)

/** A tracker with a subscription of a connection whose account is not known yet. */
const openWaiting = async (options: Parameters<typeof openAppTracker>[0] = {}) => {
  const tracker = await openAppTracker(options)
  await tracker.subscribeTo('con_1')
  await tracker.connect('con_9', null, { state: 'unverified' })
  await tracker.subscribeTo('con_9')
  return tracker
}
const makeKnown = (tracker: AppTracker, account = '49') =>
  tracker.store.connections.patch(tenant, 'con_9', { accountId: account })

describe('an event of an account that is not known yet', () => {
  test('starts its agent once, as soon as the account is known', async () => {
    const tracker = await openWaiting()
    expect(await tracker.send({ account: '49', fact: tracker.tracker.happen('opened') })).toBe(200)
    expect(tracker.startedFor()).toEqual([])
    expect(await tracker.undecodable()).toEqual([])
    expect(await tracker.waiting()).toBe(1)
    await makeKnown(tracker)
    await tracker.settle()
    expect(tracker.startedFor()).toEqual(['con_9'])
    expect(tracker.called[0]!.data.via).toBe('webhook')
    expect(await tracker.waiting()).toBe(0)
    await tracker.settle()
    expect(tracker.startedFor()).toEqual(['con_9'])
    expect(dropped(tracker)).toEqual([])
  })

  test('starts at once where the connection was made a moment ago, also beside an older one of the account', async () => {
    const tracker = await openAppTracker()
    await tracker.subscribeTo('con_1')
    // Nobody has told the runtime: another process made them.
    await tracker.connect('con_8', '48')
    await tracker.connect('con_7', '41')
    for (const id of ['con_8', 'con_7']) await tracker.subscribeTo(id)
    expect(await tracker.send({ account: '48', fact: tracker.tracker.happen('opened') })).toBe(200)
    expect(tracker.startedFor()).toEqual(['con_8'])
    await tracker.send({ account: '41', fact: tracker.tracker.happen('opened') })
    expect(tracker.startedFor()).toEqual(['con_1', 'con_7', 'con_8'])
  })

  test('is stored once and starts once, however often it is repeated before and after', async () => {
    const tracker = await openWaiting()
    const body = { account: '49', fact: tracker.tracker.happen('opened') }
    for (let times = 0; times < 3; times += 1) expect(await tracker.send(body)).toBe(200)
    expect(await tracker.waiting()).toBe(1)
    await makeKnown(tracker)
    // One more, which finds the connection, while the first still waits.
    expect(await tracker.post(body)).toBe(200)
    expect(await tracker.waiting()).toBe(1)
    await tracker.settle()
    expect(await tracker.send(body)).toBe(200)
    expect(tracker.startedFor()).toEqual(['con_9'])
    expect(await tracker.waiting()).toBe(0)
    expect(await tracker.triggers.counts()).toMatchObject({ unclaimed: 1, stored: 1 })
  })

  test('comes with those of known accounts in one delivery', async () => {
    const tracker = await openWaiting()
    const [knownFact, unknown] = [tracker.tracker.happen('opened'), tracker.tracker.happen('opened')]
    expect(
      await tracker.send({
        facts: [{ account: '41', fact: knownFact }, { account: '49', fact: unknown }, { fact: knownFact }],
      }),
    ).toBe(200)
    expect(tracker.startedFor()).toEqual(['con_1'])
    expect(await tracker.undecodable()).toEqual(['An event does not say whose account it is for.'])
    await makeKnown(tracker)
    await tracker.settle()
    expect(tracker.startedFor()).toEqual(['con_1', 'con_9'])
  })

  test('is not acknowledged where it cannot be stored', async () => {
    const tracker = await openWaiting()
    const { add } = tracker.store.unclaimed
    tracker.store.unclaimed.add = () => Promise.reject(new Error('The disk is full.'))
    expect(await tracker.post({ account: '49', fact: tracker.tracker.happen('opened') })).toBe(503)
    tracker.store.unclaimed.add = add
    expect(await tracker.waiting()).toBe(0)
  })

  test('is dropped after ten minutes, counted and named in the log, and starts nothing then', async () => {
    const tracker = await openWaiting()
    const fact = tracker.tracker.happen('opened', { repo: 8 })
    await tracker.send({ account: '49', fact })
    tracker.clock.advance(10 * minute - 1)
    await tracker.settle()
    expect(await tracker.waiting()).toBe(1)
    tracker.clock.advance(1)
    await makeKnown(tracker)
    await tracker.settle()
    expect(await tracker.waiting()).toBe(0)
    expect((await tracker.store.events.list(tenant, { limit: 9 })).items).toEqual([])
    expect(await tracker.triggers.counts()).toMatchObject({ unclaimed: 1, expired: 1, displaced: 0 })
    expect(dropped(tracker)).toEqual([
      { why: 'expired', integration: 'tracker', app: tenant, account: '49', eventId: String(fact.id) },
    ])
  })

  test('is not kept without a valid signature', async () => {
    const tracker = await openWaiting()
    for (const key of ['forged', '', 'the secret of the app ']) {
      expect(await tracker.post({ account: '49', fact: tracker.tracker.happen('opened') }, { key })).toBe(401)
    }
    expect(await tracker.waiting()).toBe(0)
    expect(await tracker.triggers.counts()).toMatchObject({ unclaimed: 0, refused: 3 })
  })

  test('does not hold up the others where it cannot be read any more', async () => {
    const tracker = await openWaiting()
    await tracker.send({ account: '49', fact: tracker.tracker.happen('opened') })
    const { of } = tracker.store.unclaimed
    const spoilt = new Set<string>()
    tracker.store.unclaimed.of = async (...groupArguments) =>
      (await of(...groupArguments)).map((row) => {
        if (spoilt.size === 0) spoilt.add(row.id)
        return spoilt.has(row.id) ? { ...row, content: row.content.toReversed() } : row
      })
    tracker.clock.advance(1)
    await tracker.send({ account: '49', fact: tracker.tracker.happen('opened') })
    await makeKnown(tracker)
    await tracker.settle()
    expect(tracker.startedFor()).toEqual(['con_9'])
    expect(tracker.logged.map(({ event }) => event)).toContain('event.not_claimed_yet')
    tracker.clock.advance(10 * minute)
    await tracker.settle()
    expect(dropped(tracker)).toHaveLength(1)
  })
})

describe('a thousand events wait for one app, no more', () => {
  test('and the account with the most of them makes room: its oldest go first', async () => {
    const tracker = await openWaiting()
    const fact = (id: number) => tracker.tracker.happen('opened', { id, repo: 8 })
    await tracker.post({ account: 'quiet', fact: fact(1) })
    for (let sent = 0; sent < 10; sent += 1) {
      tracker.clock.advance(1)
      const facts = Array.from({ length: 100 }, (_, n) => ({ account: 'loud', fact: fact(1000 + sent * 100 + n) }))
      expect(await tracker.post({ facts }), 'the vendor is never refused').toBe(200)
    }
    expect(await tracker.waiting()).toBe(1000)
    expect(dropped(tracker)).toMatchObject([{ why: 'displaced', account: 'loud' }])
    tracker.clock.advance(1)
    expect(await tracker.post({ account: '49', fact: tracker.tracker.happen('opened') })).toBe(200)
    expect(await tracker.waiting()).toBe(1000)
    expect(dropped(tracker).map((fields) => fields!['account'])).toEqual(['loud', 'loud'])
    expect(await tracker.triggers.counts()).toMatchObject({ unclaimed: 1002, displaced: 2, expired: 0 })
    await makeKnown(tracker)
    await tracker.settle()
    expect(tracker.startedFor()).toEqual(['con_9'])
    const left = await tracker.store.unclaimed.groups()
    expect(left.map(({ account }) => account)).toEqual(['loud', 'quiet'])
  })

  test('also where one delivery holds more', async () => {
    const tracker = await openWaiting()
    const facts = Array.from({ length: 1500 }, (_, n) => ({
      account: '49',
      fact: tracker.tracker.happen('opened', { id: n + 1, repo: 8 }),
    }))
    expect(await tracker.post({ facts })).toBe(200)
    expect(await tracker.waiting()).toBe(1000)
    expect(await tracker.triggers.counts()).toMatchObject({ displaced: 500 })
    expect(new Set(dropped(tracker).map((fields) => Number(fields!['eventId']) <= 500))).toEqual(new Set([true]))
  })
})

describe("one address of the operator's app", () => {
  const operators = { ownerOf: (asking: string) => (asking === 'own' ? 'own' : '') }

  const openTenants = async () => {
    const tracker = await openAppTracker(operators)
    await tracker.subscribeTo('con_1')
    await tracker.connect('con_2', '42', { tenant: 't2' })
    await tracker.connect('con_o', '42', { tenant: 'own' })
    await tracker.connect('con_3', '43', { tenant: 't3' })
    await tracker.subscribeTo('con_2', 't2')
    await tracker.subscribeTo('con_o', 'own')
    await tracker.subscribeTo('con_3', 't3')
    return tracker
  }
  const eventsOf = async (tracker: AppTracker, of: string) => (await tracker.store.events.list(of, { limit: 99 })).items

  test('serves all of its tenants, each with its own events alone', async () => {
    const tracker = await openTenants()
    expect(await tracker.send({ account: '42', fact: tracker.tracker.happen('opened') })).toBe(200)
    expect(tracker.called.map(({ data }) => [data.tenant, data.connection])).toEqual([['t2', 'con_2']])
    expect(await eventsOf(tracker, 't2')).toHaveLength(1)
    for (const other of [tenant, 't3', 'own']) expect(await eventsOf(tracker, other), other).toEqual([])
    expect(await tracker.undecodable()).toEqual([])

    const facts = ['41', '42', '43'].map((account) => ({ account, fact: tracker.tracker.happen('opened') }))
    expect(await tracker.send({ facts })).toBe(200)
    expect(tracker.startedFor()).toEqual(['con_1', 'con_2', 'con_2', 'con_3'])
  })

  test('is not told to the tenants that it serves: their events name their own', async () => {
    const tracker = await openTenants()
    await tracker.send({ account: '42', fact: tracker.tracker.happen('opened') })
    const [home, theirs] = [(await tracker.hooksOf())[0]!.id, (await tracker.hooksOf('t2'))[0]!.id]
    expect((await eventsOf(tracker, 't2')).map(({ hook }) => hook)).toEqual([theirs])
    expect(JSON.stringify(await tracker.hooksOf('t2'))).not.toContain(home)
    await tracker.connect('con_5', '45', { tenant: 't5' })
    await tracker.send({ account: '45', fact: tracker.tracker.happen('opened') })
    expect(
      (await eventsOf(tracker, 't5')).map(({ hook }) => hook),
      'one that has no address',
    ).toEqual([null])
  })

  test('a tenant with an app of its own gets nothing by it, nor do others by the address of that tenant', async () => {
    const tracker = await openTenants()
    expect(await tracker.send({ account: '42', fact: tracker.tracker.happen('opened') }, { to: 'own' })).toBe(200)
    expect(tracker.startedFor()).toEqual(['con_o'])
    expect(await tracker.send({ account: '43', fact: tracker.tracker.happen('opened') }, { to: 'own' })).toBe(200)
    await tracker.settle()
    expect(tracker.startedFor()).toEqual(['con_o'])
    expect(await tracker.store.unclaimed.groups()).toMatchObject([{ tenant: 'own', account: '43' }])
  })

  test('reaches no connection of another tenant that has lost the account or is not at the provider itself', async () => {
    const tracker = await openTenants()
    for (const state of ['needs_reconnect', 'revoked', 'disabled'] as const) {
      await tracker.store.connections.patch('t2', 'con_2', { state })
      await tracker.send({ account: '42', fact: tracker.tracker.happen('opened') })
    }
    await tracker.store.connections.patch('t2', 'con_2', { state: 'connected', profile: 'elsewhere' })
    await tracker.send({ account: '42', fact: tracker.tracker.happen('opened') })
    expect(tracker.startedFor()).toEqual([])
    expect(await tracker.waiting()).toBe(4)
    await tracker.store.connections.patch('t2', 'con_2', { profile: null })
    await tracker.store.connections.patch('t3', 'con_3', { type: 'own-address' })
    await tracker.send({ account: '43', fact: tracker.tracker.happen('opened') })
    expect(tracker.startedFor()).toEqual(['con_2', 'con_2', 'con_2', 'con_2'])
    expect(await eventsOf(tracker, 't3')).toEqual([])
  })

  test('keeps the events of a second tenant whose account is not known yet', async () => {
    const tracker = await openTenants()
    await tracker.connect('con_6', null, { tenant: 't2', state: 'unverified' })
    await tracker.subscribeTo('con_6', 't2')
    await tracker.send({ account: '46', fact: tracker.tracker.happen('opened') })
    expect(await tracker.store.unclaimed.groups()).toMatchObject([{ tenant: '', account: '46' }])
    await tracker.store.connections.patch('t2', 'con_6', { accountId: '46' })
    await tracker.settle()
    expect(tracker.called.map(({ data }) => [data.tenant, data.connection])).toEqual([['t2', 'con_6']])
  })
})

describe('over a restart', () => {
  const directories: string[] = []
  afterAll(() => Promise.all(directories.map((directory) => rm(directory, { recursive: true, force: true }))))

  test('an acknowledged event is there still, sealed, and starts its agent once', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'toolyard-unclaimed-'))
    directories.push(directory)
    const open = () => openSqliteStore({ directory, now: () => start0 })
    const tracker = await openWaiting({ store: await open() })
    const fact = tracker.tracker.happen('opened', { note: 'mai.tran@example.com.au' })
    expect(await tracker.post({ account: '49', fact })).toBe(200)
    const [row] = await tracker.store.unclaimed.of((await tracker.store.unclaimed.groups())[0]!, 9)
    expect(Buffer.from(row!.content).toString('latin1')).not.toContain('mai.tran')
    // Killed: nothing is flushed or stopped. The store is opened anew, by another runtime.
    await tracker.store.close()
    const store = await open()
    Object.assign(tracker.store, store)
    tracker.restart()
    await makeKnown(tracker)
    await tracker.settle()
    expect(tracker.startedFor()).toEqual(['con_9'])
    expect(await tracker.send({ account: '49', fact })).toBe(200)
    expect(tracker.startedFor()).toEqual(['con_9'])
    await store.close()
  })

  test('a process that dies between taking an event in and removing it starts nothing twice', async () => {
    const tracker = await openWaiting()
    await tracker.send({ account: '49', fact: tracker.tracker.happen('opened') })
    await makeKnown(tracker)
    const { remove } = tracker.store.unclaimed
    tracker.store.unclaimed.remove = () => Promise.reject(new Error('It died.'))
    await tracker.settle()
    expect(tracker.startedFor()).toEqual(['con_9'])
    tracker.store.unclaimed.remove = remove
    tracker.restart()
    await tracker.settle()
    expect(tracker.startedFor()).toEqual(['con_9'])
    expect(await tracker.waiting()).toBe(0)
  })
})
