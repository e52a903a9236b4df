/** The same lookup is paid once: while it is under way, and afterwards while its result is fresh. */
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { fail } from '#kit'
import { createPack } from '../../shared/pack.ts'
import type { Pack, PackOptions } from '../../shared/pack.ts'
import { endOf } from '../../shared/runtime/lookups/lookups-under-way.ts'
import { startAnzSandbox } from '../../shared/sandbox/anz/index.ts'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import { integrations } from '../data/harness.ts'

const caller = { tenant: 'default' }
const emails = createDataSet().people.flatMap(({ knownTo, suppressed, workEmail }) =>
  knownTo.includes('contact') && !suppressed && workEmail ? [workEmail] : [],
)
const day = 86_400_000

let contact: ContactSandbox
let reads = 0
let pack: Pack

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 5, 1) })
  contact = await startContactSandbox({ limits: { requests: 100_000 } })
  const store = createMemoryStore()
  const { lookups } = store
  pack = await openPack({
    // As of a database elsewhere: what it answers may be old when it arrives.
    store: {
      ...store,
      lookups: {
        ...lookups,
        async find(...findArguments) {
          reads += 1
          const entries = await lookups.find(...findArguments)
          await wait(Math.random() * 60)
          return entries
        },
      },
    },
  })
  await pack.connections.create(caller, {
    integration: 'contact-data',
    type: 'api-key',
    name: 'Contacts',
    secrets: contact.credentials,
  })
})
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all([pack.close(), contact.close()])
})
const openPack = (over: Partial<PackOptions>) =>
  createPack({
    integrations,
    wire: { 'contact-data': contact.override },
    egress: { privateOrigins: [contact.origin] },
    ...over,
  })
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms)

type Over = { maxAge?: number; refresh?: boolean }
const find = (email: string, over: Over = {}) =>
  pack.steps.run(caller, { integration: 'contact-data', step: 'find-contact', input: { email }, ...over })
const enrich = (addresses: string[], over: Over = {}) =>
  pack.steps.run(caller, {
    integration: 'contact-data',
    step: 'enrich-contacts',
    input: { contacts: addresses.map((email) => ({ email })) },
    ...over,
  })
const paid = () => contact.control.counters().creditsCharged
const matchedOf = (outcome: Awaited<ReturnType<typeof find>>) => {
  if (!outcome.ok) throw new Error(outcome.failure.message)
  return (outcome.value as { matched: boolean }).matched
}

test('many at once, alone and in lists, pay for each person once', async () => {
  const people = emails.slice(0, 10)
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      n % 6 === 0 ? enrich(n % 12 === 0 ? people : people.toReversed()) : find(people[n % people.length]!),
    ),
  )
  expect(outcomes.filter(({ ok }) => !ok)).toEqual([])
  const once = paid()
  const runs = outcomes.reduce((sum, { meta }) => sum + (meta.credits?.charged ?? 0), 0)
  expect(runs).toBe(once)
  // Nobody is named in two requests.
  const requestTexts = contact.control.requests().map((request) => JSON.stringify(request))
  for (const email of people)
    expect(
      requestTexts.reduce((sum, text) => sum + text.split(email).length - 1, 0),
      email,
    ).toBe(1)
})

test('an earlier result is used again, as old as it may be, and said to be one', async () => {
  expect((await find(emails[0]!)).meta.cached).toBeUndefined()
  const once = paid()
  pass(60_000)
  const again = await find(emails[0]!.toUpperCase())
  expect([matchedOf(again), again.meta.cached, again.meta.cachedAgeSeconds, paid()]).toEqual([true, true, 60, once])
  await find(emails[0]!, { maxAge: 30 })
  expect(paid()).toBeGreaterThan(once)
  const twice = paid()
  pass(91 * day)
  await find(emails[0]!)
  expect(paid()).toBeGreaterThan(twice)
})

test('a no match is used again for a week', async () => {
  const requests = () => contact.control.requests().length
  const nobody = 'nobody-at-all@nobody.example'
  expect(matchedOf(await find(nobody))).toBe(false)
  expect(matchedOf(await find(nobody))).toBe(false)
  expect(requests()).toBe(1)
  pass(8 * day)
  await find(nobody)
  expect(requests()).toBe(2)
})

test('a result of another connection is not used', async () => {
  await find(emails[0]!)
  const once = paid()
  const { id } = await pack.connections.create(caller, {
    integration: 'contact-data',
    type: 'api-key',
    name: 'Other',
    secrets: contact.credentials,
  })
  const outcome = await pack.steps.run(caller, {
    integration: 'contact-data',
    step: 'find-contact',
    input: { email: emails[0]! },
    connection: id,
  })
  expect([outcome.ok, outcome.meta.cached]).toEqual([true, undefined])
  expect(paid()).toBe(2 * once)
})

test('many who wait for one earlier result read it once', async () => {
  await find(emails[0]!)
  const before = reads
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => find(emails[0]!)))
  expect(outcomes.map(({ meta }) => meta.cached)).toEqual(outcomes.map(() => true))
  expect(reads - before).toBeLessThan(5)
})

test('whoever waits takes no result that is too old for its own call', async () => {
  await find(emails[0]!)
  pass(60_000)
  const once = paid()
  const [old, fresh] = await Promise.all([find(emails[0]!), find(emails[0]!, { maxAge: 30 })])
  expect([old.meta.cachedAgeSeconds, fresh.meta.cachedAgeSeconds]).toEqual([60, undefined])
  expect(paid()).toBeGreaterThan(once)
})

test('who waits for a run that may have left the provider at work does not ask again', () => {
  const cancelled = fail('cancelled', 'Cancelled.')
  expect([endOf(cancelled, true), endOf(cancelled, false), endOf(fail('rejected', 'No.'), true)]).toMatchObject([
    { code: 'outcome_unknown', cause: cancelled },
    { code: 'cancelled' },
    { code: 'rejected' },
  ])
})

test('stored results are removed by connection, by integration, or all, and asked for anew', async () => {
  await find(emails[0]!)
  const [{ id: connection }] = (await pack.connections.list(caller)) as unknown as [{ id: string }]
  expect(
    await pack.cache.clear(caller, { integration: 'work-board' }).catch((thrown: unknown) => thrown),
  ).toMatchObject({ code: 'not_found' })
  expect(await pack.cache.clear(caller, { integration: 'contact-data' })).toEqual({ removed: 1 })
  expect((await find(emails[0]!)).meta.cached).toBeUndefined()
  expect(await pack.cache.clear({ ...caller, connections: ['other'] }, { all: true })).toEqual({ removed: 0 })
  await expect(pack.cache.clear({ ...caller, connections: ['other'] }, { connection })).rejects.toMatchObject({
    code: 'not_found',
  })
  expect(await pack.cache.clear(caller, { connection })).toEqual({ removed: 1 })
  await expect(pack.cache.clear(caller, {})).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining('"all"'),
  })
  expect(await pack.cache.clear(caller, { all: true })).toEqual({ removed: 0 })
})

test('the ages are settings', async () => {
  await pack.close()
  const store = createMemoryStore()
  pack = await openPack({ store, retention: { ages: { lookups: 2 * day, noMatches: day / 2 } } })
  await pack.connections.create(caller, {
    integration: 'contact-data',
    type: 'api-key',
    name: 'Contacts',
    secrets: contact.credentials,
  })
  const [email] = emails
  const ask = async (address: string) => {
    const before = contact.control.counters().requests
    await find(address)
    return contact.control.counters().requests - before
  }
  expect([await ask(email!), await ask('nobody@unknown.example')]).toEqual([1, 1])
  pass(day)
  expect([await ask(email!), await ask('nobody@unknown.example')]).toEqual([0, 1])
  pass(day + 1)
  expect(await ask(email!)).toBe(1)
})

test('what the provider gives for nothing when it was charged before is not counted again', async () => {
  await pack.close()
  const firmable = await startAnzSandbox({ profile: 'firmable', limits: { requests: 100_000 } })
  try {
    pack = await createPack({
      integrations,
      wire: { 'anz-data': firmable.override },
      egress: { privateOrigins: [firmable.origin] },
    })
    await pack.connections.create(caller, {
      integration: 'anz-data',
      type: 'api-key',
      name: 'Data',
      secrets: firmable.credentials,
    })
    const [person] = createDataSet().people.filter(
      ({ knownTo, suppressed, workEmail }) => knownTo.includes('anz') && !suppressed && workEmail,
    )
    const ask = async (over: Over = {}) =>
      (
        await pack.steps.run(caller, {
          integration: 'anz-data',
          step: 'people-enrichment',
          input: { email: person!.workEmail },
          ...over,
        })
      ).meta.credits?.charged
    const before = firmable.control.counters()
    expect([await ask(), await ask({ refresh: true }), await ask({ maxAge: 0 })]).toEqual([1, 0, 0])
    const { requests, creditsCharged } = firmable.control.counters()
    expect([requests - before.requests, creditsCharged - before.creditsCharged]).toEqual([3, 1])
    const { items } = await pack.ledger.list(caller, { limit: 100 })
    expect(items.filter(({ kind }) => kind === 'settled').reduce((sum, { credits }) => sum + credits, 0)).toBe(1)
  } finally {
    await firmable.close()
  }
})

test('a result that cannot be stored is given all the same, and says so', async () => {
  await pack.close()
  const store = createMemoryStore()
  const put = async () => {
    throw fail('unavailable', 'The disk is full.')
  }
  pack = await openPack({ store: { ...store, lookups: { ...store.lookups, put } } })
  await pack.connections.create(caller, {
    integration: 'contact-data',
    type: 'api-key',
    name: 'Contacts',
    secrets: contact.credentials,
  })
  const warning = expect.stringContaining('could not store') as string
  expect(await find(emails[0]!)).toMatchObject({ ok: true, value: { matched: true }, meta: { warnings: [warning] } })
  expect(await enrich(emails.slice(1, 4))).toMatchObject({ ok: true, meta: { warnings: [warning] } })
})
