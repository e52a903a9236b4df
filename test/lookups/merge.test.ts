/** Single lookups that arrive together go out as one bulk request, and everybody pays for their own. */
import { afterEach, describe, expect, test } from 'vitest'
import type { Outcome } from '#kit'
import { createPack } from '../../shared/pack.ts'
import type { Pack, PackOptions } from '../../shared/pack.ts'
import { divide } from '../../shared/runtime/endpoints/merged-lookups.ts'
import type { StepCall } from '../../shared/runtime/steps/step-call.ts'
import { startAnzSandbox } from '../../shared/sandbox/anz/index.ts'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'
import { integrations } from '../data/harness.ts'
import { vendors } from '../profiles/vendors.ts'
import type { Vendor } from '../profiles/vendors.ts'

const caller = { tenant: 'default' }
const { people } = createDataSet()
const homes = { 'anz-data': startAnzSandbox, 'contact-data': startContactSandbox }

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close()
})

type Given = Pick<Vendor, 'home'> & { profile: string }
const begin = async ({ home, profile }: Given, options: Partial<PackOptions> = {}) => {
  const sandbox = await homes[home]({
    profile: profile as 'documented',
    limits: { requests: 1_000_000 },
    credits: 1_000_000,
  })
  open.push(() => sandbox.close())
  const pack: Pack = await createPack({
    integrations,
    wire: { [home]: sandbox.override },
    egress: { privateOrigins: [sandbox.origin] },
    ...options,
  })
  open.push(() => pack.close())
  await pack.connections.create(caller, {
    integration: home,
    type: 'api-key',
    name: 'Data',
    secrets: sandbox.credentials,
  })
  // What connecting has asked is not counted.
  sandbox.control.reset()
  const step = home === 'anz-data' ? 'people-enrichment' : 'find-contact'
  const find = (input: object, over: Partial<StepCall> = {}) =>
    pack.steps.run(caller, { integration: home, step, input, ...over })
  return { sandbox, pack, find }
}
type Place = Awaited<ReturnType<typeof begin>>

type Found = { matched: boolean; record?: { lastName?: string } }
type Answered = { outcome: Outcome; person: (typeof people)[number] }
const failureOf = (outcome: Outcome) => (outcome.ok ? undefined : outcome.failure.code)
const isMatch = (outcome: Outcome) => {
  if (!outcome.ok) throw new Error(`${outcome.failure.code}: ${outcome.failure.message}`)
  return (outcome.value as Found).matched
}
const chargedTo = (answers: Answered[]) =>
  answers.reduce((sum, { outcome }) => sum + (outcome.meta.credits?.charged ?? 0), 0)
const byAddressOf = ({ ways }: Vendor) =>
  people.filter((person) => !person.suppressed && person.workEmail !== undefined && ways[0]!(person) !== undefined)
const countRequests = ({ sandbox }: Place) => sandbox.control.counters().requests

describe.each(vendors.map((vendor) => [vendor.profile, vendor] as const))('%s', (_, vendor) => {
  test('1,000 lookups of 100 people at once: each is paid once, in as few requests as the bulk endpoint allows', async () => {
    const place = await begin(vendor)
    const some = byAddressOf(vendor).slice(0, 100)
    expect(some).toHaveLength(100)
    const answers = await Promise.all(
      Array.from({ length: 1000 }, async (__, n): Promise<Answered> => {
        const person = some[n % some.length]!
        return { person, outcome: await place.find(vendor.ways[0]!(person)!) }
      }),
    )
    for (const { outcome, person } of answers)
      expect(isMatch(outcome), person.id).toBe(person.knownTo.includes(vendor.home === 'anz-data' ? 'anz' : 'contact'))
    for (const { outcome, person } of answers)
      if (outcome.ok && isMatch(outcome))
        expect((outcome.value as Found).record?.lastName?.toLowerCase(), person.id).toBe(person.lastName.toLowerCase())
    const counters = place.sandbox.control.counters()
    expect(counters.matches).toBe(answers.filter(({ outcome }) => isMatch(outcome)).length / 10)
    expect(counters.creditsCharged).toBeGreaterThan(0)
    expect(chargedTo(answers)).toBe(counters.creditsCharged)
    const { person: max } = vendor.bulk
    expect(countRequests(place)).toBeLessThanOrEqual(max > 1 ? Math.ceil(100 / max) + 1 : 100)
  })
})

const [vendor] = vendors.filter(({ profile }) => profile === 'people-data-labs') as [Vendor]
const some = byAddressOf(vendor).filter(({ knownTo }) => knownTo.includes('contact'))
const inputOf = (n: number) => vendor.ways[0]!(some[n]!)!

test('a lookup that nothing else comes with is sent alone, to the endpoint for one', async () => {
  const place = await begin(vendor)
  expect((await place.find(inputOf(0))).meta.merged).toBeUndefined()
  expect(place.sandbox.control.counters().byPath).toEqual({ 'GET /v5/person/enrich': 1 })
})

test('it can be switched off, by the operator and by a call', async () => {
  const off = await begin(vendor, { mergeLookups: false })
  await Promise.all([0, 1, 2].map((n) => off.find(inputOf(n))))
  expect(countRequests(off)).toBe(3)
  const mergedOutcomes = await Promise.all([3, 4].map((n) => off.find(inputOf(n), { merge: true })))
  expect(mergedOutcomes.map(({ meta }) => meta.merged)).toEqual([2, 2])
  const on = await begin(vendor)
  await Promise.all([0, 1, 2].map((n) => on.find(inputOf(n), { merge: false })))
  expect(countRequests(on)).toBe(3)
})

test('where a bulk request charges for every record asked for, only when a call wants it', async () => {
  const place = await begin({ home: 'contact-data', profile: 'documented' })
  await Promise.all([0, 1, 2].map((n) => place.find(inputOf(n))))
  expect(countRequests(place)).toBe(3)
  const mergedOutcomes = await Promise.all([3, 4].map((n) => place.find(inputOf(n), { merge: true })))
  expect(mergedOutcomes.map(({ meta }) => meta.merged)).toEqual([2, 2])
})

test('what is wrong with one fails that one alone', async () => {
  const place = await begin(vendor)
  const outcomes = await Promise.all([
    place.find(inputOf(0)),
    place.find({ email: 'not an address' }),
    place.find(inputOf(1)),
    place.find({ email: 'nobody@nobody.example' }),
  ])
  expect(outcomes.map(failureOf)).toEqual([undefined, 'invalid_input', undefined, undefined])
  expect([0, 2, 3].map((at) => isMatch(outcomes[at]!))).toEqual([true, true, false])
  expect(outcomes[0]!.meta.merged).toBe(3)
})

test('one that is cancelled, or may cost too much, is left out, and the others are sent', async () => {
  const place = await begin(vendor)
  const stopped = new AbortController()
  const coming = [
    place.find(inputOf(0)),
    place.find(inputOf(1), { signal: stopped.signal }),
    place.find(inputOf(2), { maxCredits: 0 }),
    place.find(inputOf(3)),
  ]
  setTimeout(() => stopped.abort(), 0)
  const outcomes = await Promise.all(coming)
  expect(outcomes.map(failureOf)).toEqual([undefined, 'cancelled', 'budget_exceeded', undefined])
  expect(countRequests(place)).toBe(1)
  expect(place.sandbox.control.counters().creditsCharged).toBe(2)
})

test('a budget for some of them lets so many be sent', async () => {
  const place = await begin(vendor)
  await place.pack.budgets.create(caller, { scope: 'tenant', credits: 3, period: 'total' })
  const outcomes = await Promise.all([0, 1, 2, 3, 4, 5].map((n) => place.find(inputOf(n))))
  expect(outcomes.map(failureOf).filter((code) => code === 'budget_exceeded')).toHaveLength(3)
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(3)
  expect(place.sandbox.control.counters().creditsCharged).toBe(3)
})

test('a lost answer makes the outcome of all of them unknown, and none is sent again', async () => {
  const place = await begin(vendor)
  place.sandbox.control.inject({ cut: 'reset', when: 'after' })
  const outcomes = await Promise.all([0, 1, 2].map((n) => place.find(inputOf(n))))
  expect(outcomes.map(failureOf)).toEqual(['outcome_unknown', 'outcome_unknown', 'outcome_unknown'])
  expect(countRequests(place)).toBe(1)
})

describe('where a place in a bulk request costs more than a request of its own', () => {
  const profile = 'lusha-v2'
  const v2 = vendors.find((candidate) => candidate.profile === profile)!
  const rich = byAddressOf(v2).filter(({ knownTo, phones }) => knownTo.includes('contact') && phones.length > 0)
  const valuesOf = (n: number) => v2.ways[0]!(rich[n]!)!
  const two = (place: Place, over: Partial<StepCall> = {}) =>
    Promise.all([0, 1].map((n) => place.find(valuesOf(n), over)))
  const at = { home: 'contact-data', profile } as const
  const paths = (place: Place) => place.sandbox.control.counters().byPath
  const chargesOf = (outcomes: Outcome[]) => outcomes.map(({ meta }) => meta.credits?.charged ?? 0)

  test('it is quoted and reserved, and nobody is charged more', async () => {
    const place = await begin(at)
    const outcomes = await two(place)
    expect(outcomes.map(({ meta }) => meta.merged)).toEqual([2, 2])
    expect(chargesOf(outcomes).reduce((sum, charged) => sum + charged, 0)).toBe(13)
    for (const { meta } of outcomes) expect(meta.quoted).toEqual([0, 7])
    for (const charged of chargesOf(outcomes)) expect(charged).toBeLessThanOrEqual(7)
  })

  test('those whose limit has no room for it are sent alone', async () => {
    const place = await begin(at)
    const outcomes = await two(place, { maxCredits: 6 })
    expect(outcomes.map(isMatch)).toEqual([true, true])
    expect(chargesOf(outcomes)).toEqual([6, 6])
    expect(outcomes.map(({ meta }) => meta.quoted)).toEqual([
      [0, 6],
      [0, 6],
    ])
    expect(paths(place)).toEqual({ 'GET /v2/person': 2 })
  })

  test('unless the call wants it, which is then refused', async () => {
    const place = await begin(at)
    expect((await two(place, { maxCredits: 6, merge: true })).map(failureOf)).toEqual([
      'budget_exceeded',
      'budget_exceeded',
    ])
    expect(countRequests(place)).toBe(0)
  })

  test.each([6, 7, 12, 13, 14])('a budget of %i is never overspent', async (credits) => {
    const place = await begin(at)
    const [connection] = await place.pack.connections.list(caller)
    const { id } = await place.pack.budgets.create(caller, {
      scope: 'connection',
      subject: connection!.id,
      credits,
      period: 'total',
    })
    const outcomes = await two(place)
    const { spent, reserved } = await place.pack.budgets.get(caller, id)
    expect(reserved).toBe(0)
    expect(spent).toBe(place.sandbox.control.counters().creditsCharged)
    expect(spent).toBeLessThanOrEqual(credits)
    expect(outcomes.filter(({ ok }) => ok).length).toBeGreaterThanOrEqual(credits < 14 ? 1 : 2)
  })

  test('also of a step for many, of which one is to be asked for', async () => {
    const place = await begin(at)
    const enrich = (n: number, over: Partial<StepCall> = {}) =>
      place.pack.steps.run(caller, {
        integration: 'contact-data',
        step: 'enrich-contacts',
        input: { contacts: [valuesOf(n)] },
        ...over,
      })
    const outcomes = await Promise.all([enrich(0), enrich(1), enrich(2, { maxCredits: 6 })])
    expect(outcomes.map(({ meta }) => [meta.quoted, meta.merged])).toEqual([
      [[0, 7], 2],
      [[0, 7], 2],
      [[0, 6], undefined],
    ])
    for (const { meta } of outcomes) expect(meta.credits!.charged).toBeLessThanOrEqual(meta.quoted![1])
    const dry = await enrich(3, { dryRun: true })
    expect((dry as { value: { price: unknown } }).value.price).toMatchObject({ total: [0, 7] })
  })

  test('a dry run shows it', async () => {
    const place = await begin(at)
    const dry = await place.find(valuesOf(0), { dryRun: true })
    expect((dry as { value: { price: unknown } }).value.price).toMatchObject({ total: [0, 7] })
    const alone = await place.find(valuesOf(0), { dryRun: true, merge: false })
    expect((alone as { value: { price: unknown } }).value.price).toMatchObject({ total: [0, 6] })
  })
})

test('shares add up to the sum', () => {
  expect(divide(10, [1, 1, 1])).toEqual([3, 4, 3])
  expect(divide(4, [1, 0, 3])).toEqual([1, 0, 3])
  expect(divide(1, [0, 0])).toEqual([1, 0])
  expect(divide(0.3, [1, 1]).reduce((sum, part) => sum + part, 0)).toBeCloseTo(0.3, 9)
})
