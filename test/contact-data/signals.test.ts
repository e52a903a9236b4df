/** Contact Signal and Company Signal with the sandbox of the provider. */
import { afterEach, describe, expect, test } from 'vitest'
import { caller, openSignals } from './signals-world.ts'
import type { SignalsWorld } from './signals-world.ts'
import { companies, full } from '../sandbox/lusha-client.ts'
import { companyId, contactId } from '../../shared/sandbox/contact/lusha/find.ts'

const person = contactId(full[0]!)
const other = contactId(full[1]!)
const company = companyId(companies[0]!)

let world: SignalsWorld
afterEach(() => world.close())

const open = async (wire?: Record<string, unknown>) => {
  world = await openSignals(wire)
  return world
}
const startedTimes = (count: number) =>
  expect.poll(() => world.started.length, { timeout: 30_000, interval: 10 }).toBe(count)
const loggedTimes = (count: number) =>
  expect.poll(async () => (await world.logs()).length, { timeout: 30_000, interval: 10 }).toBe(count)

describe('Contact Signal', () => {
  test('starts an agent with what the signal says, and acknowledges it as the provider wants', async () => {
    const { connect, pack, subscribe, signal, started, logs, watched } = await open()
    await connect('Account')
    await pack.start()
    await subscribe('contact-signal', { people: [person, other], signals: ['promotion'] })
    expect(
      (await watched()).map(({ entityType, entityId, signalTypes }) => ({ entityType, entityId, signalTypes })),
    ).toEqual(
      expect.arrayContaining(
        [person, other].map((entityId) => ({ entityType: 'contact', entityId, signalTypes: ['promotion'] })),
      ),
    )
    signal('contact', person, 'promotion')
    await startedTimes(1)
    expect(started[0]).toMatchObject({
      trigger: 'contact-signal',
      event: {
        signal: 'promotion',
        personId: person,
        jobTitle: full[0]!.title,
        company: { name: full[0]!.company.name },
        credits: 1,
      },
    })
    await loggedTimes(1)
    expect((await logs())[0]).toMatchObject({ status: 'success', error: null })
  })

  test('starts for its own people and signals only, and adds the signals that another subscription wants', async () => {
    const { connect, pack, subscribe, signal, started, watched } = await open()
    await connect('Account')
    await pack.start()
    await subscribe('contact-signal', { people: [person], signals: ['promotion'] })
    await subscribe('contact-signal', { people: [person, other], signals: ['companyChange'] })
    const types = Object.fromEntries((await watched()).map(({ entityId, signalTypes }) => [entityId, signalTypes]))
    expect(types).toEqual({
      [person]: expect.arrayContaining(['promotion', 'companyChange']),
      [other]: ['companyChange'],
    })
    signal('contact', person, 'promotion')
    await startedTimes(1)
    signal('contact', other, 'companyChange')
    await startedTimes(2)
    expect(started.map(({ event }) => [event.personId, event.signal])).toEqual([
      [person, 'promotion'],
      [other, 'companyChange'],
    ])
  })

  test('no longer pays for signals that nobody wants any more', async () => {
    const { connect, pack, subscribe, watched } = await open()
    const { id: connection } = await connect('Account')
    const { id } = await subscribe('contact-signal', { people: [person, other] })
    await subscribe('contact-signal', { people: [other], signals: ['companyChange'] })
    await pack.subscriptions.patch(caller, id, { config: { people: [person, other], signals: ['promotion'] } })
    await pack.hooks.reconcile(caller, connection)
    expect(Object.fromEntries((await watched()).map(({ entityId, signalTypes }) => [entityId, signalTypes]))).toEqual({
      [person]: ['promotion'],
      [other]: ['companyChange', 'promotion'],
    })
    expect((await pack.gaps.list(caller, { limit: 5 })).items).toEqual([])
  })

  test('removes its subscriptions at the provider when it ends', async () => {
    const { connect, pack, subscribe, watched } = await open()
    await connect('Account')
    const { id } = await subscribe('contact-signal', { people: [person, other] })
    await pack.start()
    expect(await watched()).toHaveLength(2)
    await pack.subscriptions.remove(caller, id)
    await expect.poll(watched, { timeout: 30_000 }).toEqual([])
  })

  test('of one connection is not taken away by another connection to the same account', async () => {
    const { connect, subscribe, watched } = await open()
    await connect('First')
    const { id: second } = await connect('Second')
    const { connection: first } = await subscribe('contact-signal', { people: [person] }, 'First')
    expect(first).not.toBe(second)
    const before = await watched()
    await expect(subscribe('contact-signal', { people: [person] }, 'Second')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('Another connection to the same account'),
    })
    expect(await watched()).toEqual(before)
  })

  test('is offered by the profiles that have it: the operator’s, or that of the connection', async () => {
    const { connect, pack, subscribe, signal } = await open({ profile: 'lusha-v2' })
    await connect('Old')
    await expect(subscribe('contact-signal', { people: [person] })).rejects.toMatchObject({
      code: 'wire_unset',
      message: expect.stringContaining('lusha-v3'),
    })
    await connect('New', 'lusha-v3')
    await pack.start()
    await subscribe('contact-signal', { people: [person] }, 'New')
    signal('contact', person, 'companyChange')
    await startedTimes(1)
  })

  test('reports why the provider switched a subscription off, and switches it on again', async () => {
    const { connect, pack, subscribe, watched, send } = await open()
    await connect('Account')
    await subscribe('contact-signal', { people: [person] })
    const [{ id } = { id: '' }] = await watched()
    await send('PATCH', `/api/subscriptions/${String(id)}`, { isActive: false })
    await pack.start()
    await expect.poll(async () => (await watched())[0]!.isActive, { timeout: 30_000 }).toBe(true)
    await expect
      .poll(async () => (await pack.gaps.list(caller, { limit: 5 })).items.map(({ reason }) => reason), {
        timeout: 30_000,
      })
      .toEqual([expect.stringContaining('switched the webhook off')])
  })
})

describe('a subscription at the provider', () => {
  const elsewhere = 'https://crm.example/signals'

  test('of another system is not taken over', async () => {
    const { connect, post, subscribe, watched } = await open()
    await connect('Account')
    await post('/api/subscriptions', {
      defaults: { url: elsewhere, signalTypes: ['promotion'] },
      subscriptions: [{ entityType: 'contact', entityId: person, name: 'CRM' }],
    })
    const before = await watched()
    expect(before).toMatchObject([{ url: elsewhere }])
    await expect(subscribe('contact-signal', { people: [person] })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('Remove that subscription at the provider'),
    })
    expect(await watched()).toEqual(before)
  })

  test('that another system has made its own is neither repaired nor removed', async () => {
    const { connect, pack, send, subscribe, watched } = await open()
    await connect('Account')
    const { id } = await subscribe('contact-signal', { people: [person] })
    await send('PATCH', `/api/subscriptions/${String((await watched())[0]!.id)}`, { url: elsewhere })
    const before = await watched()
    await pack.start()
    await expect
      .poll(async () => (await pack.hooks.list(caller, { limit: 5 })).items[0], { timeout: 30_000 })
      .toMatchObject({ state: 'broken', stateReason: expect.stringContaining('Another system') })
    await pack.subscriptions.remove(caller, id)
    await expect
      .poll(async () => (await pack.hooks.list(caller, { limit: 5 })).items[0]?.state ?? 'deleted', { timeout: 30_000 })
      .toBe('deleted')
    expect(await watched()).toEqual(before)
  })

  test('with a former address of ours gets the present one', async () => {
    const { connect, pack, send, subscribe, watched } = await open()
    await connect('Account')
    await subscribe('contact-signal', { people: [person] })
    const [{ id, url } = { id: '', url: '' }] = await watched()
    await send('PATCH', `/api/subscriptions/${String(id)}`, {
      url: `https://former.example${new URL(String(url)).pathname}`,
    })
    await pack.start()
    await expect.poll(async () => (await watched())[0]!.url, { timeout: 30_000 }).toBe(url)
  })
})

/** A delivery about a person, as the provider sends it. */
const delivery = (id: string, { afterMs = 0, entityId = person, charged = 1 } = {}) => ({
  id,
  type: 'promotion',
  entityType: 'contact',
  entityId,
  subscriptionId: '507f1f77bcf86cd799439011',
  data: { personId: Number(entityId), currentTitle: 'Head of Purchasing', signalDate: '2026-03-02' },
  timestamp: new Date(Date.now() + afterMs).toISOString(),
  billing: { creditsCharged: charged },
})

describe('the charges of signals', () => {
  test('are in the ledger as the provider counts them', async () => {
    const { connect, pack, subscribe, signal, spent, chargedFor } = await open()
    const { id } = await connect('Account')
    const budget = await pack.budgets.create(caller, { scope: 'connection', subject: id, credits: 100, period: 'day' })
    await pack.start()
    await subscribe('contact-signal', { people: [person, other] })
    for (const entityId of [person, other, person]) signal('contact', entityId, 'promotion')
    await startedTimes(3)
    expect(await spent()).toBe(3)
    expect(chargedFor()).toEqual({ signals: 3 })
    expect((await pack.budgets.get(caller, budget.id)).spent).toBe(3)
  })

  test('of what arrives when nobody listens any more are in the ledger too', async () => {
    const { connect, pack, subscribe, deliver, spent, started, watched, post } = await open()
    await connect('Account')
    const { id } = await subscribe('contact-signal', { people: [person] })
    await pack.start()
    const [{ url } = { url: '' }] = await watched()
    await pack.subscriptions.remove(caller, id)
    await expect.poll(watched, { timeout: 30_000 }).toEqual([])
    await post('/api/subscriptions', {
      defaults: { url, signalTypes: ['promotion'] },
      subscriptions: [{ entityType: 'contact', entityId: person, name: 'Late' }],
    })
    for (const name of ['late', 'late']) expect((await deliver(delivery(name))).status).toBe(200)
    expect(await spent()).toBe(1)
    expect(started).toEqual([])
  })

  test('count once, whether deliveries are repeated, late, free, forged, stale or about somebody else', async () => {
    const { connect, pack, subscribe, deliver, spent, started } = await open()
    await connect('Account')
    await pack.start()
    await subscribe('contact-signal', { people: [person] })
    const later = delivery('second', { afterMs: 1000 })
    expect((await deliver(later)).status).toBe(200)
    expect((await deliver(delivery('first'))).status).toBe(200)
    expect(JSON.parse((await deliver(later)).body)).toMatchObject({ received: true, webhookId: 'second' })
    expect((await deliver(delivery('forged'), { secret: 'whsec_other' })).status).toBe(401)
    expect((await deliver(delivery('stale'), { ageMs: 600_000 })).status).toBe(401)
    expect((await deliver(delivery('free', { charged: 0 }))).status).toBe(200)
    expect((await deliver(delivery('unwatched', { entityId: other }))).status).toBe(200)
    expect((await deliver({ id: 'unknown', type: 'somethingNew' })).status).toBe(200)
    await startedTimes(3)
    expect(started.map(({ event }) => event.credits)).toEqual([1, 1, 0])
    expect(await spent()).toBe(3)
  })
})

describe('a budget', () => {
  test('that is almost used up pauses the subscriptions at the provider, and starts them again once it has room', async () => {
    const { connect, pack, subscribe, signal, watched, spent, sandbox, restart } = await open()
    const { id } = await connect('Account')
    const budget = await pack.budgets.create(caller, { scope: 'connection', subject: id, credits: 4, period: 'day' })
    await pack.start()
    await subscribe('contact-signal', { people: [person, other] })
    const areActive = async () => (await watched()).map(({ isActive }) => isActive)
    for (const [count, entityId] of [person, other].entries()) {
      signal('contact', entityId, 'promotion')
      await startedTimes(count + 1)
    }
    expect(await areActive()).toEqual([true, true])
    signal('contact', person, 'companyChange')
    await startedTimes(3)
    await expect.poll(areActive, { timeout: 30_000 }).toEqual([false, false])
    const items = (await pack.hooks.list(caller, { limit: 5 })).items.filter(({ model }) => model.startsWith('person:'))
    expect(items.map(({ state, stateReason }) => [state, stateReason])).toEqual(
      items.map(() => ['broken', expect.stringContaining(`the budget "${budget.id}" has 1 of 4 credits left`)]),
    )
    // Nothing more is watched, and the next round leaves the subscriptions paused.
    await expect(subscribe('company-signal', { companies: [company] })).rejects.toMatchObject({
      code: 'budget_exceeded',
    })
    signal('contact', person, 'promotion')
    expect(await spent()).toBe(3)
    await pack.close()
    const listed = () => sandbox.control.requests().filter(({ path }) => path.startsWith('/api/subscriptions')).length
    const before = listed()
    await restart(() => expect.poll(listed, { timeout: 30_000 }).toBeGreaterThan(before))
    expect(await areActive()).toEqual([false, false])
    await restart(
      () => expect.poll(areActive, { timeout: 30_000 }).toEqual([true, true]),
      (next) => next.budgets.patch(caller, budget.id, { credits: 50 }),
    )
  })
})

describe('Company Signal', () => {
  test('starts with what the news says', async () => {
    const { connect, pack, subscribe, signal, started } = await open()
    await connect('Account')
    await pack.start()
    await subscribe('company-signal', { companies: [company], signals: ['riskNews', 'surgeInHiring'] })
    signal('company', company, 'riskNews')
    await startedTimes(1)
    expect(started[0]!.event).toMatchObject({
      signal: 'riskNews',
      companyId: company,
      name: companies[0]!.name,
      news: { kind: 'partnership', title: expect.stringContaining(companies[0]!.name) },
    })
  })

  test('opt-outs start nothing and their subscription is left alone', async () => {
    const { connect, pack, subscribe, watched, send } = await open()
    await connect('Account')
    await subscribe('company-signal', { companies: [company] })
    const [{ url } = { url: '' }] = await watched()
    const optOuts = `${new URL(String(url)).origin}/hooks/contact-data/opt-outs.default`
    await send('POST', '/api/subscriptions/opt-out', { entityType: 'contact', url: optOuts })
    await pack.start()
    expect((await watched()).map(({ signalTypes }) => signalTypes)).toContainEqual(['optOut'])
  })
})

describe('many watched people', () => {
  const people = Array.from({ length: 60 }, (_, n) => String(7_000_000 + n))
  const sentTo = (method: string, path: string) =>
    world.sandbox.control.requests().filter((request) => request.method === method && request.path === path).length
  const listAll = async () => (await world.pack.hooks.list(caller, { limit: 100 })).items
  const statesOf = async () => Map.groupBy(await listAll(), ({ state }) => state)

  test('are subscribed and removed 25 at a time, under one address', async () => {
    const { connect, pack, subscribe, watched } = await open()
    await connect('Account')
    const { id } = await subscribe('contact-signal', { people })
    const made = await watched()
    expect(made.map(({ entityId }) => entityId).sort()).toEqual(people)
    expect(new Set(made.map(({ url }) => url)).size).toBe(1)
    expect([sentTo('POST', '/api/subscriptions'), sentTo('GET', '/api/account/secret')]).toEqual([3, 1])
    await pack.start()
    await pack.subscriptions.remove(caller, id)
    await expect.poll(watched, { timeout: 30_000 }).toEqual([])
    expect(sentTo('POST', '/api/subscriptions/delete')).toBe(3)
    await expect.poll(async () => [...(await statesOf()).keys()], { timeout: 30_000 }).toEqual(['deleted'])
  })

  test('are watched although the provider refuses one of them, whose hook shows the reason', async () => {
    const { connect, pack, post, subscribe, signal, started } = await open()
    await connect('Account')
    await post('/api/subscriptions', {
      defaults: { url: 'https://crm.example/signals', signalTypes: ['promotion'] },
      subscriptions: [{ entityType: 'contact', entityId: people[30]! }],
    })
    await pack.start()
    const { id } = await subscribe('contact-signal', { people: [...people, person] })
    const { active, broken } = Object.fromEntries(await statesOf())
    expect(broken).toMatchObject([
      { model: `person:${people[30]!}`, stateReason: expect.stringContaining('Another system watches') },
    ])
    expect(active).toHaveLength(people.length + 1)
    signal('contact', person, 'promotion')
    await startedTimes(1)
    expect(started[0]!.event).toMatchObject({ personId: person })
    await pack.hooks.reconcile(caller, (await pack.subscriptions.get(caller, id)).connection)
    await expect
      .poll(() => pack.subscriptions.get(caller, id), { timeout: 30_000 })
      .toMatchObject({ state: 'active', stateReason: expect.stringContaining(people[30]!) })
  })

  test('that were subscribed before the process died are found, not subscribed again', async () => {
    const { connect, subscribe, watched, restart, storedHooks } = await open()
    await connect('Account')
    await subscribe('contact-signal', { people })
    const before = await watched()
    await storedHooks((hook) => (hook.model.startsWith('person:') ? { state: 'wanted', providerId: null } : undefined))
    const sent = sentTo('POST', '/api/subscriptions')
    await restart(() =>
      expect.poll(async () => (await statesOf()).get('active')?.length, { timeout: 30_000 }).toBe(people.length + 1),
    )
    expect(sentTo('POST', '/api/subscriptions')).toBe(sent)
    expect(await watched()).toEqual(before)
  })
})
