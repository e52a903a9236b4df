/** Single lookups that arrive together go out as one bulk request, and everybody pays for their own. */
import { afterEach, describe, expect, test } from 'vitest'
import type { Outcome } from '#kit'
import { createPack } from '../../shared/pack.ts'
import type { Pack, PackOptions } from '../../shared/pack.ts'
import { divide } from '../../shared/runtime/steps/merged.ts'
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
  const sandbox = await homes[home]({ profile: profile as 'documented', limits: { requests: 1_000_000 }, credits: 1_000_000 })
  open.push(() => sandbox.close())
  const pack: Pack = await createPack({ integrations, wire: { [home]: sandbox.override }, egress: { privateOrigins: [sandbox.origin] }, ...options })
  open.push(() => pack.close())
  await pack.connections.create(caller, { integration: home, type: 'api-key', name: 'Data', secrets: sandbox.credentials })
  // What connecting has asked is not counted.
  sandbox.control.reset()
  const step = home === 'anz-data' ? 'people-enrichment' : 'find-contact'
  const find = (input: object, over: Partial<StepCall> = {}) => pack.steps.run(caller, { integration: home, step, input, ...over })
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
const chargedTo = (answers: Answered[]) => answers.reduce((sum, { outcome }) => sum + (outcome.meta.credits?.charged ?? 0), 0)
const byAddressOf = ({ ways }: Vendor) => people.filter((person) => !person.suppressed && person.workEmail !== undefined && ways[0]!(person) !== undefined)
const asked = ({ sandbox }: Place) => sandbox.control.counters().requests

describe.each(vendors.map((vendor) => [vendor.profile, vendor] as const))('%s', (_, vendor) => {
  test('1,000 lookups of 100 people at once: each is paid once, in as few requests as the bulk endpoint allows', { timeout: 60_000 }, async () => {
    const place = await begin(vendor)
    const some = byAddressOf(vendor).slice(0, 100)
    expect(some).toHaveLength(100)
    const answers = await Promise.all(
      Array.from({ length: 1000 }, async (__, n): Promise<Answered> => {
        const person = some[n % some.length]!
        return { person, outcome: await place.find(vendor.ways[0]!(person)!) }
      }),
    )
    for (const { outcome, person } of answers) expect(isMatch(outcome), person.id).toBe(person.knownTo.includes(vendor.home === 'anz-data' ? 'anz' : 'contact'))
    for (const { outcome, person } of answers)
      if (outcome.ok && isMatch(outcome)) expect((outcome.value as Found).record?.lastName?.toLowerCase(), person.id).toBe(person.lastName.toLowerCase())
    const counters = place.sandbox.control.counters()
    expect(counters.matches).toBe(answers.filter(({ outcome }) => isMatch(outcome)).length / 10)
    expect(counters.creditsCharged).toBeGreaterThan(0)
    expect(chargedTo(answers)).toBe(counters.creditsCharged)
    const { person: max } = vendor.bulk
    expect(asked(place)).toBeLessThanOrEqual(max > 1 ? Math.ceil(100 / max) + 1 : 100)
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
  expect(asked(off)).toBe(3)
  const wanted = await Promise.all([3, 4].map((n) => off.find(inputOf(n), { merge: true })))
  expect(wanted.map(({ meta }) => meta.merged)).toEqual([2, 2])
  const on = await begin(vendor)
  await Promise.all([0, 1, 2].map((n) => on.find(inputOf(n), { merge: false })))
  expect(asked(on)).toBe(3)
})

test('where a bulk request charges for every record asked for, only when a call wants it', async () => {
  const place = await begin({ home: 'contact-data', profile: 'documented' })
  await Promise.all([0, 1, 2].map((n) => place.find(inputOf(n))))
  expect(asked(place)).toBe(3)
  const wanted = await Promise.all([3, 4].map((n) => place.find(inputOf(n), { merge: true })))
  expect(wanted.map(({ meta }) => meta.merged)).toEqual([2, 2])
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
  const coming = [place.find(inputOf(0)), place.find(inputOf(1), { signal: stopped.signal }), place.find(inputOf(2), { maxCredits: 0 }), place.find(inputOf(3))]
  setTimeout(() => stopped.abort(), 0)
  const outcomes = await Promise.all(coming)
  expect(outcomes.map(failureOf)).toEqual([undefined, 'cancelled', 'budget_exceeded', undefined])
  expect(asked(place)).toBe(1)
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
  expect(asked(place)).toBe(1)
})

test('shares add up to the sum', () => {
  expect(divide(10, [1, 1, 1])).toEqual([3, 4, 3])
  expect(divide(4, [1, 0, 3])).toEqual([1, 0, 3])
  expect(divide(1, [0, 0])).toEqual([1, 0])
  expect(divide(0.3, [1, 1]).reduce((sum, part) => sum + part, 0)).toBeCloseTo(0.3, 9)
})
