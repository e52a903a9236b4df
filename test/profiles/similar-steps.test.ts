import { afterEach, describe, expect, test } from 'vitest'
import { play } from './play.ts'
import type { Play } from './play.ts'
import { vendors } from './vendors.ts'

/** Steps that go on from people and companies that are known: similar ones, buying groups, visitors, chosen details. */

let open: Play
afterEach(() => open.close())
const start = async (profile = 'lusha-v3', credits = 900) =>
  (open = await play('contact-data', profile as Parameters<typeof play>[1], { credits }))
const charged = () => open.control.counters().creditsCharged
const idsOf = ({ results }: Record<string, unknown>) =>
  (results as { record: { id: string } }[]).map(({ record }) => record.id)
const lastBody = () => open.control.requests().at(-1)!.body

const steps: [step: string, input: object, endpoint: string][] = [
  ['find-lookalike-contacts', { personIds: ['1', '2', '3', '4', '5'] }, 'lookalike-contacts'],
  ['find-lookalike-companies', { domains: ['a.nz', 'b.nz', 'c.nz', 'd.nz', 'e.nz'] }, 'lookalike-companies'],
  ['find-buying-group', { domain: 'a.nz' }, 'buying-group'],
  ['get-website-visits', { domains: ['a.nz'], firstDay: '2026-01-01', lastDay: '2026-02-01' }, 'website-visits'],
  ['reveal-companies', { companyIds: ['1'] }, 'reveal-companies'],
]
const others = vendors.filter(({ home, profile }) => home === 'contact-data' && profile !== 'lusha-v3')

describe.each(others.map(({ profile }) => profile))('%s', (profile) => {
  test('has none of these steps, and names the setting', async () => {
    const { run } = await start(profile)
    for (const [step, input, endpoint] of steps) {
      const { failure } = await run(step, input as Record<string, unknown>)
      expect(failure?.code).toBe('wire_unset')
      expect(failure?.message).toContain(`endpoints.${endpoint}.path`)
    }
    expect(open.control.counters().requests).toBe(0)
  })
})

test('Find Lookalike Contacts: other people, each once over all pages, none of them left out', async () => {
  const { run } = await start()
  const known = idsOf((await run('search-contacts', { jobTitle: 'manager', limit: 10 })).value)
  const [seeds, leftOut] = [known.slice(0, 5), known.slice(5)]
  const before = charged()
  const first = await run('find-lookalike-contacts', { personIds: seeds, excludePersonIds: leftOut, limit: 4 })
  expect(first.failure).toBeUndefined()
  const second = await run('find-lookalike-contacts', {
    personIds: seeds,
    excludePersonIds: leftOut,
    limit: 4,
    cursor: first.value.next,
  })
  const found = [...idsOf(first.value), ...idsOf(second.value)]
  expect([found.length, new Set([...found, ...known]).size]).toEqual([8, 8 + known.length])
  expect([first.meta.credits?.charged, second.meta.credits?.charged, charged() - before]).toEqual([4, 4, 8])
  expect(lastBody()).toMatchObject({ dedupeSessionId: expect.any(String) as unknown, limit: 4 })
})

test('Find Lookalike Companies: of the same industries; fewer than five seeds are refused before anything is sent', async () => {
  const { run } = await start()
  const { value } = await run('search-companies', { size: '51-200', limit: 10 })
  const seeds = (value.results as { record: { domain: string; industry: string } }[]).slice(0, 5)
  const domains = seeds.map(({ record }) => record.domain)
  const similar = await run('find-lookalike-companies', { domains, limit: 5 })
  const industries = new Set(seeds.map(({ record }) => record.industry))
  expect(similar.value.count).toBeGreaterThan(0)
  for (const { record } of similar.value.results) {
    expect(industries).toContain(record.industry)
    expect(domains).not.toContain(record.domain)
  }
  const requests = open.control.counters().requests
  const few = await run('find-lookalike-companies', { domains: domains.slice(1) })
  expect(few.failure).toMatchObject({ code: 'invalid_input', errors: [{ pointer: '/domains' }] })
  expect(few.failure?.message).toMatch(/5 to 100.*4 are there/)
  expect(open.control.counters().requests).toBe(requests)
})

test('a page that may cost more than allowed is not asked for: the higher of the prices is reserved', async () => {
  const { run } = await start()
  const domains = ['a.nz', 'b.nz', 'c.nz', 'd.nz', 'e.nz']
  const dear = await run('find-lookalike-companies', { domains, limit: 10 }, { maxCredits: 29 })
  expect([dear.failure?.code, charged()]).toEqual(['budget_exceeded', 0])
  expect((await run('find-lookalike-companies', { domains, limit: 10 }, { maxCredits: 30 })).failure).toBeUndefined()
})

test('Find Buying Group: people of one company by role, paid for each; an unknown company has none', async () => {
  const { run } = await start()
  const [company] = (await run('search-contacts', { jobTitle: 'manager', limit: 10 })).value.results.map(
    ({ record }: { record: object }) => record,
  ) as { companyId: string; companyDomain: string }[]
  const before = charged()
  const group = await run('find-buying-group', { companyId: company!.companyId, limit: 50 })
  expect(group.value.count).toBeGreaterThan(1)
  expect(group.meta.credits?.charged).toBe(group.value.count)
  expect(charged() - before).toBe(group.value.count)
  for (const { record } of group.value.results) {
    expect(record.companyDomain).toBe(company!.companyDomain)
    expect(record.roles).toHaveLength(1)
    expect(record.score).toBeLessThanOrEqual(1)
  }
  const champions = await run('find-buying-group', { domain: company!.companyDomain, roles: ['champion'] })
  expect(lastBody()).toMatchObject({
    companies: [{ domain: company!.companyDomain }],
    personas: ['potential_champion'],
  })
  for (const { record } of champions.value.results) expect(record.roles).toEqual(['potential_champion'])
  expect(champions.value.count).toBeLessThan(group.value.count)
  const nobody = await run('find-buying-group', { domain: 'nobody.invalid' })
  expect([nobody.failure, nobody.value.count]).toEqual([undefined, 0])
})

test('Get Website Visits: the companies with these visits, for nothing; a website that is not tracked is said', async () => {
  const { run } = await start()
  const input = { domains: ['shop.example'], firstDay: '2026-01-01', lastDay: '2026-03-31' }
  const { value, meta } = await run('get-website-visits', { ...input, bands: ['hot'], minVisitors: 2, limit: 5 })
  expect(value.count).toBeGreaterThan(0)
  for (const { record } of value.results) {
    expect([record.visitBand, record.visitors >= 2]).toEqual(['hot', true])
    expect(record.lastVisit <= '2026-03-31').toBe(true)
  }
  expect([meta.credits?.charged ?? 0, charged()]).toEqual([0, 0])
  // Nothing was charged in the provider's example, which is no promise: a limit counts what could be.
  const dear = await run('get-website-visits', { ...input, limit: 5 }, { maxCredits: 4 })
  expect([dear.failure?.code, meta.quoted]).toEqual(['budget_exceeded', [0, 5]])
  const other = await run('get-website-visits', { ...input, domains: ['other.example'] })
  expect(other.failure).toMatchObject({ code: 'rejected' })
  expect(JSON.stringify(other.failure)).toContain('not configured for tracking')
})

test('Reveal Companies: chosen details alone, each charged where the company has it, and once', async () => {
  const { run } = await start()
  const ids = idsOf((await run('search-companies', { size: '51-200', limit: 10 })).value).slice(0, 3)
  const plain = await run('reveal-companies', { companyIds: ids })
  expect(plain.value.results[0].record).not.toHaveProperty('competitors')
  expect(plain.meta.credits?.charged).toBe(3)
  const input = { companyIds: [...ids, 'nobody'], reveal: ['competitors', 'websiteTraffic'] }
  const few = await run('reveal-companies', input, { maxCredits: 11 })
  expect(few.failure?.code).toBe('budget_exceeded')
  const before = charged()
  const { value, meta } = await run('reveal-companies', input)
  expect(lastBody()).toEqual({ ids: input.companyIds, reveal: ['competitors', 'monthlyWebsiteTraffic'] })
  expect(value.summary).toEqual({ records: 4, matched: 3, notMatched: 1, failed: 0 })
  const records = value.results.flatMap(({ record }: { record?: object }) => record ?? []) as Record<string, unknown>[]
  const withTraffic = records.filter(({ websiteTraffic }) => websiteTraffic !== undefined).length
  expect(records.every(({ competitors }) => Array.isArray(competitors))).toBe(true)
  expect([meta.credits?.charged, charged() - before]).toEqual([3 + withTraffic, 3 + withTraffic])
})
