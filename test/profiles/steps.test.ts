import { afterEach, describe, expect, test } from 'vitest'
import { play } from './play.ts'
import type { Play } from './play.ts'
import { knownPeople, vendors } from './vendors.ts'
import type { Vendor } from './vendors.ts'

/** The steps besides lookups: searches, what they find revealed by id, and what the account has left. */

let open: Play
afterEach(() => open.close())
const start = async (vendor: Vendor) => (open = await play(vendor.home, vendor.profile, { credits: 900 }))
const contactVendors = vendors.filter(({ home }) => home === 'contact-data')
const having = (...names: string[]) => contactVendors.filter(({ profile }) => names.includes(profile))
const charged = () => open.control.counters().creditsCharged

describe.each(contactVendors)('$profile', (vendor) => {
  test.each(vendor.searches)('Search: $endpoint', async ({ endpoint, filters, fits }) => {
    const { run } = await start(vendor)
    const dry = await run(endpoint, filters, { dryRun: true })
    expect([dry.failure, charged()]).toEqual([undefined, 0])
    const { value, failure, meta } = await run(endpoint, { ...filters, limit: 3 })
    expect(failure).toBeUndefined()
    expect(value.count).toBeGreaterThan(1)
    expect(value.results.every(({ record }: { record: Record<string, unknown> }) => fits(record))).toBe(true)
    expect(meta.credits?.charged ?? 0).toBe(charged())
  })

  test('a filter that the vendor lacks is refused before anything is sent', async () => {
    const { run } = await start(vendor)
    const { failure } = await run('search-contacts', { role: 'decision maker', ...vendor.searches[0]!.filters })
    expect(failure?.code).toMatch(/^(wire_unset|invalid_input)$/)
    expect(failure?.message).toContain('role')
    expect(open.control.counters().requests).toBe(0)
  })
})

test.each(having('lusha-v2', 'lusha-v3', 'people-data-labs', 'apollo'))(
  'Reveal Contacts: ids of a search, one of them unknown: $profile',
  async (vendor) => {
    const { run } = await start(vendor)
    const searchOutcome = await run('search-contacts', vendor.searches[0]!.filters)
    const rows = searchOutcome.value.results.slice(0, 2) as { record: { id: string } }[]
    const before = charged()
    const { value, failure, meta } = await run('reveal-contacts', {
      personIds: [...rows.map(({ record }) => record.id), 'nobody'],
      ...(searchOutcome.value.searchId === undefined ? {} : { searchId: searchOutcome.value.searchId }),
    })
    expect(failure).toBeUndefined()
    expect(value.results.map(({ matched }: { matched?: boolean }) => matched)).toEqual([true, true, false])
    expect(value.results[0].record.email).toMatch(/@/)
    expect(value.summary).toMatchObject({ matched: 2, notMatched: 1 })
    expect(meta.credits!.charged).toBe(charged() - before)
  },
)

test.each(having('lusha-v3'))(
  'Reveal Contacts asks no other providers, whose price nobody states: $profile',
  async (vendor) => {
    const { run } = await start(vendor)
    for (const personIds of [['1'], ['1', '2']]) {
      await run('reveal-contacts', { personIds })
      expect(open.control.requests().at(-1)!.body).toMatchObject({ ids: personIds, waterfallEnabled: false })
    }
  },
)

test.each(having('hunter'))('Reveal Contacts is not ready, and says so: $profile', async (vendor) => {
  const { run } = await start(vendor)
  expect((await run('reveal-contacts', { personIds: ['1'] })).failure).toMatchObject({ code: 'wire_unset' })
})

test.each(having('lusha-v2', 'lusha-v3', 'apollo', 'hunter'))(
  'Account Usage shows what is left, for nothing: $profile',
  async (vendor) => {
    const { run, find } = await start(vendor)
    await find(vendor.person, [vendor.ways[0]!(knownPeople(vendor)[0]!)!])
    const spent = charged()
    const { value, failure, meta } = await run('account-usage', {})
    expect(failure).toBeUndefined()
    expect(value.usage).toMatchObject({ creditsTotal: 900, creditsUsed: spent, creditsRemaining: 900 - spent })
    expect([meta.credits?.charged ?? 0, charged()]).toEqual([0, spent])
  },
)

test.each(having('people-data-labs'))('Account Usage is not ready, and says so: $profile', async (vendor) => {
  const { run } = await start(vendor)
  expect((await run('account-usage', {})).failure).toMatchObject({ code: 'wire_unset' })
})

test.each(having('lusha-v2', 'lusha-v3', 'apollo'))(
  'What is not asked for is neither revealed nor paid: $profile',
  async (vendor) => {
    const { run } = await start(vendor)
    const person = knownPeople(vendor).find(({ phones, personalEmail }) => phones.length > 0 && personalEmail)!
    const { value, failure } = await run('find-contact', { email: person.workEmail, reveal: ['emails'] })
    expect([failure, value.record?.phones]).toEqual([undefined, undefined])
    expect(value.record.emails.length).toBeGreaterThan(0)
  },
)

describe('firmable', () => {
  const vendor = vendors.find(({ profile }) => profile === 'firmable')!
  const { company } = knownPeople(vendor)[0]!

  test('People Search: an employer by domain, whose id costs 1 credit, and once for all pages', async () => {
    const { run } = await start(vendor)
    const filters = { companyDomain: company.domain, country: company.place.country }
    const first = await run('people-search', { ...filters, limit: 1 })
    expect([first.failure, first.value.count, first.meta.credits!.charged]).toEqual([undefined, 1, 1])
    const next = await run('people-search', { ...filters, cursor: first.value.next })
    expect([next.failure, next.meta.credits?.charged ?? 0, charged()]).toEqual([undefined, 0, 1])
    expect(next.value.results[0].record.id).not.toBe(first.value.results[0].record.id)
  })

  test('People Search: an employer that nobody knows is named, and nobody is searched', async () => {
    const { run } = await start(vendor)
    const { failure } = await run('people-search', { companyDomain: 'nobody.example' })
    expect(failure).toMatchObject({ code: 'invalid_input', errors: [{ pointer: '/companyDomain' }] })
    expect(open.control.requests().map(({ path }) => path)).toEqual(['/company'])
  })
})
