import { afterAll, describe, expect, it } from 'vitest'
import type { NewBulkJob } from '../../shared/runtime/bulk-jobs/bulk-jobs.ts'
import type { LookupRate } from '../../shared/runtime/ports/index.ts'
import { createMemoryStore } from '../../shared/store/memory-store.ts'
import { knownPeople } from '../support/people.ts'
import { caller, openSandboxWorld } from '../support/world.ts'
import { create, until } from './world.ts'

const store = createMemoryStore()
const { pack, sandbox, close } = await openSandboxWorld({
  store,
  sandbox: { profiles: { 'contact-data': 'documented', 'anz-data': 'documented' } },
  accounts: 'all',
  log: () => {},
})
afterAll(close)
const sent = () => sandbox.contact.control.counters().requests + sandbox.anz.control.counters().requests

/** 40 rows, of which 30 are about people whom the provider knows. */
const emails = [
  ...knownPeople.slice(0, 30).map(({ workEmail }) => workEmail!),
  ...Array.from({ length: 10 }, (_, at) => `nobody${at}@unknown.example`),
]
const planned = async (rows = emails, request: Partial<NewBulkJob> = {}) => {
  const { id } = await create(pack, `email\n${rows.join('\n')}\n`, request)
  await until(pack, id, 'ready')
  return id
}

const rate = (provider: string, more: Partial<LookupRate>): LookupRate => ({
  tenant: 'default',
  kind: 'person',
  segment: '',
  provider: `${provider} ${provider} sandbox`,
  turn: 'first',
  field: '',
  asked: 200,
  filled: 150,
  credits: 150,
  ageDays: 0,
  aged: 0,
  countedAt: 0,
  ...more,
})

describe('what a job is expected to find and to cost', () => {
  it('without counts says what it assumes, and never more than the quote', async () => {
    const id = await planned()
    const before = sent()
    const { expected } = await pack.jobs.preview(caller, id)
    const { quote } = await pack.jobs.get(caller, id)
    expect(expected).toMatchObject({ rows: 40, matches: { likely: 20 }, likelihood: 0.9 })
    expect(expected!.matches.most - expected!.matches.least).toBeGreaterThan(12)
    expect(expected!.credits.most).toBeLessThanOrEqual(quote!.most)
    expect(expected!.assumed.join(' ')).toContain('only 0 lookups counted so far')
    expect(sent()).toBe(before)
  })

  it('rests on the counts of the tenant, and the outcome is in the range', async () => {
    await store.lookupRates.add([
      rate('contact-data', {}),
      ...['', 'email', 'phones'].map((field) => rate('anz-data', { field, filled: 40, credits: 80 })),
      ...['email', 'phones'].map((field) => rate('contact-data', { field })),
      ...['', 'email', 'phones'].map((field) => rate('anz-data', { field, turn: 'later', filled: 20, credits: 40 })),
      rate('contact-data', { tenant: 'other', filled: 0, credits: 0, asked: 5_000 }),
    ])
    const id = await planned()
    const before = sent()
    const { expected, combined } = await pack.jobs.preview(caller, id)
    expect(expected!.matches.likely).toBeGreaterThanOrEqual(28)
    expect(expected!.matches.likely).toBeLessThanOrEqual(31)
    expect(expected!.orders).toMatchObject([
      { rows: 40, providers: [{ provider: 'contact-data', estimate: { lookups: 200 } }] },
    ])
    expect(expected!.assumed).toEqual(['40 rows without a known country: the counts of all countries are used.'])
    expect(combined!.orders).toMatchObject([
      { rows: 40, providers: [{ provider: 'contact-data' }, { provider: 'anz-data' }] },
    ])
    expect(combined!.orders[0]!.providers[0]!.estimate.why).toContain('It fills 74 % of the wanted fields')
    expect(combined!.matches.likely).toBeGreaterThanOrEqual(expected!.matches.likely)
    expect(combined!.credits.likely).toBeGreaterThan(expected!.credits.likely)
    expect(sent()).toBe(before)

    await pack.jobs.resume(caller, id, { confirm: true })
    const done = await until(pack, id, 'done')
    expect(done.matched).toBe(30)
    expect(expected!.matches.least).toBeLessThanOrEqual(done.matched)
    expect(expected!.matches.most).toBeGreaterThanOrEqual(done.matched)
  })

  it('counts countries apart, and learns from the sample of the job', async () => {
    await store.lookupRates.add([rate('contact-data', { segment: 'NZ', asked: 300, filled: 15, credits: 15 })])
    const abroad = Array.from({ length: 20 }, (_, at) => `nobody${at}@unknown.${at < 15 ? 'co.nz' : 'com.au'}`)
    const rows = [...emails.slice(0, 20), ...abroad]
    const { expected: byCountry } = await pack.jobs.preview(caller, await planned(rows))
    const { expected: without } = await pack.jobs.preview(caller, await planned())
    expect(byCountry!.matches.likely).toBeLessThan(without!.matches.least)
    expect(byCountry!.assumed).toEqual([
      expect.stringContaining('5 rows in Australia: no lookups there'),
      expect.stringContaining('20 rows without a known country'),
    ])

    const sampled = await planned(rows, { sample: 20, refresh: true })
    const { expected } = await pack.jobs.preview(caller, sampled)
    expect(await pack.jobs.get(caller, sampled)).toMatchObject({ matched: 20 })
    expect(expected!.rows).toBe(20)
    expect(expected!.matches.least).toBeGreaterThanOrEqual(20)
    expect(expected!.matches.most).toBeLessThanOrEqual(40)
    expect(expected!.matches.likely).toBeGreaterThan(byCountry!.matches.likely)
  })

  it('is not for lookups at providers that the caller may not ask', async () => {
    const id = await planned()
    const bound = { ...caller, token: 'tok_bound', steps: ['contact-data/find-contact'] }
    expect(await pack.jobs.preview(bound, id)).toMatchObject({ expected: { rows: 40 }, combined: null })
    await expect(pack.jobs.preview({ tenant: 'other' }, id)).rejects.toMatchObject({ code: 'not_found' })
  })
})
