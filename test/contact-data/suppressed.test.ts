/** Signals about people who are on the suppression list. */
import { afterEach, describe, expect, test } from 'vitest'
import { caller, integration, openSignals } from './signals-world.ts'
import type { SignalsWorld } from './signals-world.ts'
import { companies, full } from '../sandbox/lusha-client.ts'
import { companyId, contactId } from '../../shared/sandbox/contact/lusha/find.ts'

const person = contactId(full[0]!)
const other = contactId(full[1]!)
const company = companyId(companies[0]!)
const operator = { ...caller, isOperator: true }

let world: SignalsWorld
afterEach(() => world.close())

const open = async () => {
  world = await openSignals()
  await world.connect('Account')
  await world.pack.start()
  return world
}
const watchedIds = async () => (await world.watched()).map(({ entityId }) => entityId)
const suppress = (recordId: string) => world.pack.suppressions.add(operator, [{ recordId }])

describe('a person whose id is on the suppression list', () => {
  test('starts nothing, is not stored, is charged, and is watched no longer', async () => {
    const { pack, subscribe, signal, started, spent, chargedFor } = await open()
    await subscribe('contact-signal', { people: [person, other] })
    await suppress(person)
    signal('contact', person, 'promotion')
    await expect.poll(spent, { timeout: 30_000 }).toBe(1)
    expect(chargedFor()).toEqual({ signals: 1 })
    await expect.poll(watchedIds, { timeout: 30_000 }).toEqual([other])
    signal('contact', other, 'promotion')
    await expect.poll(() => started.length, { timeout: 30_000 }).toBe(1)
    expect(started.map(({ event }) => event.personId)).toEqual([other])
    expect((await pack.events.list(caller, { limit: 10 })).items.map(({ subject }) => subject)).toEqual([other])
    expect(await spent()).toBe(2)
  })

  test('is watched no longer after the next round, without any signal', async () => {
    const { pack, subscribe } = await open()
    const { connection } = await subscribe('contact-signal', { people: [person, other] })
    await suppress(person)
    await pack.hooks.reconcile(caller, connection)
    await expect.poll(watchedIds, { timeout: 30_000 }).toEqual([other])
    // The next one finds nothing more to do, and leaves the other watched.
    await pack.hooks.reconcile(caller, connection)
    expect(await watchedIds()).toEqual([other])
  })

  test('cannot be watched, and is not watched again when the subscription is resumed', async () => {
    const { pack, subscribe } = await open()
    const { id, connection } = await subscribe('contact-signal', { people: [person, other] })
    await suppress(person)
    await expect(subscribe('contact-signal', { people: [person] })).rejects.toMatchObject({ code: 'suppressed' })
    await pack.hooks.reconcile(caller, connection)
    await pack.subscriptions.pause(caller, id)
    await pack.subscriptions.resume(caller, id)
    await expect.poll(watchedIds, { timeout: 30_000 }).toEqual([other])
  })

  test('is shown by no search and no lookup that another identifier finds', async () => {
    const { pack } = await open()
    await suppress(person)
    const run = (step: string, input: Record<string, unknown>) => pack.steps.run(caller, { integration, step, input })
    const { company: employer, workEmail } = full[0]!
    const search = await run('search-contacts', { company: employer.name, limit: 50 })
    expect(search).toMatchObject({ ok: true })
    expect(JSON.stringify(search)).not.toContain(person)
    const [lookup, enrichment] = await Promise.all([
      run('find-contact', { email: workEmail }),
      run('enrich-contacts', { contacts: [{ email: workEmail }, { email: full[1]!.workEmail }] }),
    ])
    expect(lookup).toMatchObject({ ok: false, failure: { code: 'suppressed' } })
    expect(enrichment).toMatchObject({ ok: true, value: { results: [{ failed: { code: 'suppressed' } }, {}] } })
    expect(JSON.stringify(enrichment)).not.toContain(person)
  })

  test('is left out of lists, where a row of a person has the id', async () => {
    const { pack } = await open()
    const rows = [{ id: person }, { id: other }]
    await pack.peopleLists.create(caller, { name: 'Before', rows })
    await suppress(person)
    expect(await pack.peopleLists.create(caller, { name: 'After', rows })).toMatchObject({ rows: 1, suppressed: 1 })
    const { items } = await pack.peopleLists.get(caller, 'Before')
    expect(items.map(({ values }) => values)).toEqual([{ id: other }])
    expect(await pack.peopleLists.create(caller, { name: 'Firms', kind: 'company', rows })).toMatchObject({ rows: 2 })
  })

  test('hides no company that has the same id', async () => {
    const { subscribe, signal, started } = await open()
    await suppress(company)
    await subscribe('company-signal', { companies: [company] })
    signal('company', company, 'riskNews')
    await expect.poll(() => started.length, { timeout: 10_000 }).toBe(1)
  })

  test('is not looked up by the id, neither by a step nor by a request of the caller', async () => {
    const { pack, sandbox } = await open()
    await suppress(person)
    const run = (step: string, input: Record<string, unknown>) => pack.steps.run(caller, { integration, step, input })
    expect(await run('get-contact-signals', { personIds: [person, other], types: ['promotion'] })).toMatchObject({
      ok: true,
      value: { results: [{ failed: { code: 'suppressed' } }, { matched: expect.any(Boolean) }] },
    })
    const sent = sandbox.control.requests().length
    expect(
      await run('api-call', {
        method: 'POST',
        path: '/v3/contacts/signals',
        body: { ids: [person], signalTypes: ['promotion'], startDate: '2026-01-01' },
      }),
    ).toMatchObject({ ok: false, failure: { code: 'suppressed' } })
    expect(sandbox.control.requests()).toHaveLength(sent)
  })
})

describe('an opt-out', () => {
  test('puts the id of the contact on the suppression list', async () => {
    const { pack, sandbox, send, subscribe, get } = await open()
    await subscribe('contact-signal', { people: [person, other] })
    const [{ url } = { url: '' }] = await world.watched()
    const secret = (await get('/api/account/secret')).body.secret as string
    await pack.apps.put(caller, integration, { key: 'account', secret })
    const optOuts = `${new URL(String(url)).origin}/hooks/${integration}/opt-outs.default`
    await send('POST', '/api/subscriptions/opt-out', { entityType: 'contact', url: optOuts })
    sandbox.tell('opt-out', { entityId: person })
    await expect
      .poll(async () => (await pack.suppressions.list(operator, { limit: 20 })).items.map(({ kind }) => kind), {
        timeout: 30_000,
      })
      .toContain('recordId')
    expect(await pack.suppressions.add(operator, [{ recordId: person }])).toEqual({ added: 0, present: 1 })
  })
})
