import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openSqliteStore } from '../../shared/store/index.ts'
import { openAppDesk } from './app-desk.ts'
import type { AppDesk } from './app-desk.ts'
import { start0, tenant } from './house.ts'

const minute = 60_000
const dropped = ({ logged }: AppDesk) =>
  logged.filter(({ event }) => event === 'event.unclaimed_dropped').map(({ fields }) => fields)

/** A desk with a subscription of a connection whose account is not known yet. */
const openWaiting = async (options: Parameters<typeof openAppDesk>[0] = {}) => {
  const desk = await openAppDesk(options)
  await desk.subscribeTo('con_1')
  await desk.connect('con_9', null, { state: 'unverified' })
  await desk.subscribeTo('con_9')
  return desk
}
const makeKnown = (desk: AppDesk, account = '49') =>
  desk.store.connections.patch(tenant, 'con_9', { accountId: account })

describe('an event of an account that is not known yet', () => {
  test('starts its agent once, as soon as the account is known', async () => {
    const desk = await openWaiting()
    expect(await desk.send({ account: '49', fact: desk.desk.happen('opened') })).toBe(200)
    expect(desk.startedFor()).toEqual([])
    expect(await desk.undecodable()).toEqual([])
    expect(await desk.waiting()).toBe(1)
    await makeKnown(desk)
    await desk.settle()
    expect(desk.startedFor()).toEqual(['con_9'])
    expect(desk.called[0]!.data.via).toBe('webhook')
    expect(await desk.waiting()).toBe(0)
    await desk.settle()
    expect(desk.startedFor()).toEqual(['con_9'])
    expect(dropped(desk)).toEqual([])
  })

  test('starts at once where the connection was made a moment ago, also beside an older one of the account', async () => {
    const desk = await openAppDesk()
    await desk.subscribeTo('con_1')
    // Nobody has told the runtime: another process made them.
    await desk.connect('con_8', '48')
    await desk.connect('con_7', '41')
    for (const id of ['con_8', 'con_7']) await desk.subscribeTo(id)
    expect(await desk.send({ account: '48', fact: desk.desk.happen('opened') })).toBe(200)
    expect(desk.startedFor()).toEqual(['con_8'])
    await desk.send({ account: '41', fact: desk.desk.happen('opened') })
    expect(desk.startedFor()).toEqual(['con_1', 'con_7', 'con_8'])
  })

  test('is stored once and starts once, however often it is repeated before and after', async () => {
    const desk = await openWaiting()
    const body = { account: '49', fact: desk.desk.happen('opened') }
    for (let times = 0; times < 3; times += 1) expect(await desk.send(body)).toBe(200)
    expect(await desk.waiting()).toBe(1)
    await makeKnown(desk)
    // One more, which finds the connection, while the first still waits.
    expect(await desk.post(body)).toBe(200)
    expect(await desk.waiting()).toBe(1)
    await desk.settle()
    expect(await desk.send(body)).toBe(200)
    expect(desk.startedFor()).toEqual(['con_9'])
    expect(await desk.waiting()).toBe(0)
    expect(await desk.triggers.counts()).toMatchObject({ unclaimed: 1, stored: 1 })
  })

  test('comes with those of known accounts in one delivery', async () => {
    const desk = await openWaiting()
    const [knownFact, unknown] = [desk.desk.happen('opened'), desk.desk.happen('opened')]
    expect(
      await desk.send({
        facts: [{ account: '41', fact: knownFact }, { account: '49', fact: unknown }, { fact: knownFact }],
      }),
    ).toBe(200)
    expect(desk.startedFor()).toEqual(['con_1'])
    expect(await desk.undecodable()).toEqual(['An event does not say whose account it is for.'])
    await makeKnown(desk)
    await desk.settle()
    expect(desk.startedFor()).toEqual(['con_1', 'con_9'])
  })

  test('is not acknowledged where it cannot be stored', async () => {
    const desk = await openWaiting()
    const { add } = desk.store.unclaimed
    desk.store.unclaimed.add = () => Promise.reject(new Error('The disk is full.'))
    expect(await desk.post({ account: '49', fact: desk.desk.happen('opened') })).toBe(503)
    desk.store.unclaimed.add = add
    expect(await desk.waiting()).toBe(0)
  })

  test('is dropped after ten minutes, counted and named in the log, and starts nothing then', async () => {
    const desk = await openWaiting()
    const fact = desk.desk.happen('opened', { repo: 8 })
    await desk.send({ account: '49', fact })
    desk.clock.advance(10 * minute - 1)
    await desk.settle()
    expect(await desk.waiting()).toBe(1)
    desk.clock.advance(1)
    await makeKnown(desk)
    await desk.settle()
    expect(await desk.waiting()).toBe(0)
    expect((await desk.store.events.list(tenant, { limit: 9 })).items).toEqual([])
    expect(await desk.triggers.counts()).toMatchObject({ unclaimed: 1, expired: 1, displaced: 0 })
    expect(dropped(desk)).toEqual([
      { why: 'expired', integration: 'desk', app: tenant, account: '49', eventId: String(fact.id) },
    ])
  })

  test('is not kept without a valid signature', async () => {
    const desk = await openWaiting()
    for (const key of ['forged', '', 'the secret of the app ']) {
      expect(await desk.post({ account: '49', fact: desk.desk.happen('opened') }, { key })).toBe(401)
    }
    expect(await desk.waiting()).toBe(0)
    expect(await desk.triggers.counts()).toMatchObject({ unclaimed: 0, refused: 3 })
  })

  test('does not hold up the others where it cannot be read any more', async () => {
    const desk = await openWaiting()
    await desk.send({ account: '49', fact: desk.desk.happen('opened') })
    const { of } = desk.store.unclaimed
    const spoilt = new Set<string>()
    desk.store.unclaimed.of = async (...groupArguments) =>
      (await of(...groupArguments)).map((row) => {
        if (spoilt.size === 0) spoilt.add(row.id)
        return spoilt.has(row.id) ? { ...row, content: row.content.toReversed() } : row
      })
    desk.clock.advance(1)
    await desk.send({ account: '49', fact: desk.desk.happen('opened') })
    await makeKnown(desk)
    await desk.settle()
    expect(desk.startedFor()).toEqual(['con_9'])
    expect(desk.logged.map(({ event }) => event)).toContain('event.not_claimed_yet')
    desk.clock.advance(10 * minute)
    await desk.settle()
    expect(dropped(desk)).toHaveLength(1)
  })
})

describe('a thousand events wait for one app, no more', () => {
  test('and the account with the most of them makes room: its oldest go first', async () => {
    const desk = await openWaiting()
    const fact = (id: number) => desk.desk.happen('opened', { id, repo: 8 })
    await desk.post({ account: 'quiet', fact: fact(1) })
    for (let sent = 0; sent < 10; sent += 1) {
      desk.clock.advance(1)
      const facts = Array.from({ length: 100 }, (_, n) => ({ account: 'loud', fact: fact(1000 + sent * 100 + n) }))
      expect(await desk.post({ facts }), 'the vendor is never refused').toBe(200)
    }
    expect(await desk.waiting()).toBe(1000)
    expect(dropped(desk)).toMatchObject([{ why: 'displaced', account: 'loud' }])
    desk.clock.advance(1)
    expect(await desk.post({ account: '49', fact: desk.desk.happen('opened') })).toBe(200)
    expect(await desk.waiting()).toBe(1000)
    expect(dropped(desk).map((fields) => fields!['account'])).toEqual(['loud', 'loud'])
    expect(await desk.triggers.counts()).toMatchObject({ unclaimed: 1002, displaced: 2, expired: 0 })
    await makeKnown(desk)
    await desk.settle()
    expect(desk.startedFor()).toEqual(['con_9'])
    const left = await desk.store.unclaimed.groups()
    expect(left.map(({ account }) => account)).toEqual(['loud', 'quiet'])
  })

  test('also where one delivery holds more', async () => {
    const desk = await openWaiting()
    const facts = Array.from({ length: 1500 }, (_, n) => ({
      account: '49',
      fact: desk.desk.happen('opened', { id: n + 1, repo: 8 }),
    }))
    expect(await desk.post({ facts })).toBe(200)
    expect(await desk.waiting()).toBe(1000)
    expect(await desk.triggers.counts()).toMatchObject({ displaced: 500 })
    expect(new Set(dropped(desk).map((fields) => Number(fields!['eventId']) <= 500))).toEqual(new Set([true]))
  })
})

describe("one address of the operator's app", () => {
  const operators = { ownerOf: (asking: string) => (asking === 'own' ? 'own' : '') }

  const openTenants = async () => {
    const desk = await openAppDesk(operators)
    await desk.subscribeTo('con_1')
    await desk.connect('con_2', '42', { tenant: 't2' })
    await desk.connect('con_o', '42', { tenant: 'own' })
    await desk.connect('con_3', '43', { tenant: 't3' })
    await desk.subscribeTo('con_2', 't2')
    await desk.subscribeTo('con_o', 'own')
    await desk.subscribeTo('con_3', 't3')
    return desk
  }
  const eventsOf = async (desk: AppDesk, of: string) => (await desk.store.events.list(of, { limit: 99 })).items

  test('serves all of its tenants, each with its own events alone', async () => {
    const desk = await openTenants()
    expect(await desk.send({ account: '42', fact: desk.desk.happen('opened') })).toBe(200)
    expect(desk.called.map(({ data }) => [data.tenant, data.connection])).toEqual([['t2', 'con_2']])
    expect(await eventsOf(desk, 't2')).toHaveLength(1)
    for (const other of [tenant, 't3', 'own']) expect(await eventsOf(desk, other), other).toEqual([])
    expect(await desk.undecodable()).toEqual([])

    const facts = ['41', '42', '43'].map((account) => ({ account, fact: desk.desk.happen('opened') }))
    expect(await desk.send({ facts })).toBe(200)
    expect(desk.startedFor()).toEqual(['con_1', 'con_2', 'con_2', 'con_3'])
  })

  test('is not told to the tenants that it serves: their events name their own', async () => {
    const desk = await openTenants()
    await desk.send({ account: '42', fact: desk.desk.happen('opened') })
    const [home, theirs] = [(await desk.hooksOf())[0]!.id, (await desk.hooksOf('t2'))[0]!.id]
    expect((await eventsOf(desk, 't2')).map(({ hook }) => hook)).toEqual([theirs])
    expect(JSON.stringify(await desk.hooksOf('t2'))).not.toContain(home)
    await desk.connect('con_5', '45', { tenant: 't5' })
    await desk.send({ account: '45', fact: desk.desk.happen('opened') })
    expect(
      (await eventsOf(desk, 't5')).map(({ hook }) => hook),
      'one that has no address',
    ).toEqual([null])
  })

  test('a tenant with an app of its own gets nothing by it, nor do others by the address of that tenant', async () => {
    const desk = await openTenants()
    expect(await desk.send({ account: '42', fact: desk.desk.happen('opened') }, { to: 'own' })).toBe(200)
    expect(desk.startedFor()).toEqual(['con_o'])
    expect(await desk.send({ account: '43', fact: desk.desk.happen('opened') }, { to: 'own' })).toBe(200)
    await desk.settle()
    expect(desk.startedFor()).toEqual(['con_o'])
    expect(await desk.store.unclaimed.groups()).toMatchObject([{ tenant: 'own', account: '43' }])
  })

  test('reaches no connection of another tenant that has lost the account or is not at the provider itself', async () => {
    const desk = await openTenants()
    for (const state of ['needs_reconnect', 'revoked', 'disabled'] as const) {
      await desk.store.connections.patch('t2', 'con_2', { state })
      await desk.send({ account: '42', fact: desk.desk.happen('opened') })
    }
    await desk.store.connections.patch('t2', 'con_2', { state: 'connected', profile: 'elsewhere' })
    await desk.send({ account: '42', fact: desk.desk.happen('opened') })
    expect(desk.startedFor()).toEqual([])
    expect(await desk.waiting()).toBe(4)
    await desk.store.connections.patch('t2', 'con_2', { profile: null })
    await desk.store.connections.patch('t3', 'con_3', { type: 'own-address' })
    await desk.send({ account: '43', fact: desk.desk.happen('opened') })
    expect(desk.startedFor()).toEqual(['con_2', 'con_2', 'con_2', 'con_2'])
    expect(await eventsOf(desk, 't3')).toEqual([])
  })

  test('keeps the events of a second tenant whose account is not known yet', async () => {
    const desk = await openTenants()
    await desk.connect('con_6', null, { tenant: 't2', state: 'unverified' })
    await desk.subscribeTo('con_6', 't2')
    await desk.send({ account: '46', fact: desk.desk.happen('opened') })
    expect(await desk.store.unclaimed.groups()).toMatchObject([{ tenant: '', account: '46' }])
    await desk.store.connections.patch('t2', 'con_6', { accountId: '46' })
    await desk.settle()
    expect(desk.called.map(({ data }) => [data.tenant, data.connection])).toEqual([['t2', 'con_6']])
  })
})

describe('over a restart', () => {
  const directories: string[] = []
  afterAll(() => Promise.all(directories.map((directory) => rm(directory, { recursive: true, force: true }))))

  test('an acknowledged event is there still, sealed, and starts its agent once', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'toolyard-unclaimed-'))
    directories.push(directory)
    const open = () => openSqliteStore({ directory, now: () => start0 })
    const desk = await openWaiting({ store: await open() })
    const fact = desk.desk.happen('opened', { note: 'mai.tran@example.com.au' })
    expect(await desk.post({ account: '49', fact })).toBe(200)
    const [row] = await desk.store.unclaimed.of((await desk.store.unclaimed.groups())[0]!, 9)
    expect(Buffer.from(row!.content).toString('latin1')).not.toContain('mai.tran')
    // Killed: nothing is flushed or stopped. The store is opened anew, by another runtime.
    await desk.store.close()
    const store = await open()
    Object.assign(desk.store, store)
    desk.restart()
    await makeKnown(desk)
    await desk.settle()
    expect(desk.startedFor()).toEqual(['con_9'])
    expect(await desk.send({ account: '49', fact })).toBe(200)
    expect(desk.startedFor()).toEqual(['con_9'])
    await store.close()
  })

  test('a process that dies between taking an event in and removing it starts nothing twice', async () => {
    const desk = await openWaiting()
    await desk.send({ account: '49', fact: desk.desk.happen('opened') })
    await makeKnown(desk)
    const { remove } = desk.store.unclaimed
    desk.store.unclaimed.remove = () => Promise.reject(new Error('It died.'))
    await desk.settle()
    expect(desk.startedFor()).toEqual(['con_9'])
    desk.store.unclaimed.remove = remove
    desk.restart()
    await desk.settle()
    expect(desk.startedFor()).toEqual(['con_9'])
    expect(await desk.waiting()).toBe(0)
  })
})
