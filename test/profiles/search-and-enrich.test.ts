import { afterEach, describe, expect, test } from 'vitest'
import type { FailureCode } from '#kit'
import { play } from './play.ts'
import type { Play } from './play.ts'

/** The steps that search and reveal what they find: two requests for one price, of which neither is paid twice. */

let open: Play
afterEach(() => open.close())
const start = async (profile = 'lusha-v3', options: object = { credits: 900 }) =>
  (open = await play('contact-data', profile as Parameters<typeof play>[1], options))
const charged = () => open.control.counters().creditsCharged
const requests = () => open.control.requests()
const pathsSent = () => requests().map(({ path }) => path)

type Result = {
  matched?: boolean
  reason?: string
  record: Record<string, any>
  failed?: { code: FailureCode }
}
const resultsOf = (value: Record<string, unknown>) => value.results as Result[]
const step = 'search-and-enrich-contacts'
const managers = { jobTitle: 'manager', limit: 12 }
const both = ['/v3/contacts/prospecting', '/v3/contacts/enrich']

test('finds people and reveals them in two requests, paid as the answers say', async () => {
  const { run } = await start()
  const { value, meta, failure } = await run(step, { ...managers, reveal: ['emails'] })
  expect(failure).toBeUndefined()
  expect(pathsSent()).toEqual(both)
  const results = resultsOf(value)
  expect(results).toHaveLength(12)
  expect(requests()[1]!.body).toEqual({
    ids: results.map(({ record }) => record.id as string),
    reveal: ['emails'],
    waterfallEnabled: false,
  })
  const withAddress = results.filter(({ record }) => record.email !== undefined)
  expect(withAddress.length).toBeGreaterThan(5)
  for (const { record } of results) expect([/manager/i.test(record.jobTitle), record.phones]).toEqual([true, undefined])
  expect(value.summary).toEqual({ records: 12, matched: 12, notMatched: 0, failed: 0, suppressed: 0 })
  expect(value.charged).toEqual({ search: 1, reveal: withAddress.length })
  expect([meta.credits?.charged, charged()]).toEqual([1 + withAddress.length, 1 + withAddress.length])
})

test('reveals no more than the limit, shows what the search had to return beside them, and goes on behind it', async () => {
  const { run } = await start()
  const first = await run(step, { jobTitle: 'manager', limit: 3, reveal: ['emails'] })
  const shown = resultsOf(first.value)
  expect([shown.length, shown.filter(({ matched }) => matched).length]).toEqual([10, 3])
  expect(
    shown.slice(3).every(({ reason, record }) => reason === 'Found beyond the limit, so not revealed.' && record.id),
  ).toBe(true)
  expect((requests()[1]!.body as { ids: string[] }).ids).toEqual(shown.slice(0, 3).map(({ record }) => record.id))
  const second = await run(step, { jobTitle: 'manager', limit: 3, reveal: ['emails'], cursor: first.value.next })
  const ids = [...shown, ...resultsOf(second.value)].map(({ record }) => record.id)
  expect(new Set(ids).size).toBe(20)
})

test('is priced as a whole before anything is sent, and reserved as a whole', async () => {
  const { run } = await start()
  const dry = await run(step, managers, { dryRun: true })
  expect(dry.value).toMatchObject({ complete: false, price: { total: [0, 1 + 12 * 6] } })
  expect(dry.value.price.text).toMatch(/25 results.*then .*emails.*phones/)
  expect(dry.value.requests.map(({ path, url }: { path?: string; url?: string }) => path ?? url)).toHaveLength(1)
  const dear = await run(step, managers, { maxCredits: 72 })
  expect([dear.failure?.code, requests().length]).toEqual(['budget_exceeded', 0])
  expect(dear.failure?.message).toMatch(/73 credits.*72 credits \("maxCredits"\)/)
  const fits = await run(step, managers, { maxCredits: 73 })
  expect(fits.failure).toBeUndefined()
  expect([fits.meta.quoted, fits.meta.credits?.charged]).toEqual([[0, 73], charged()])
})

test('where the search is free and nobody states the price of the reveal, that of the step is reserved', async () => {
  const unpriced = { price: undefined, bulk: { price: undefined } }
  const wire = { endpoints: { 'search-contacts': { price: [] }, 'reveal-contacts': unpriced } }
  const { run } = await start('lusha-v3', { credits: 900, wire })
  const dear = await run(step, managers, { maxCredits: 83 })
  expect([dear.failure?.code, requests().length]).toEqual(['budget_exceeded', 0])
  expect((await run(step, managers, { dryRun: true })).value.price.total).toEqual([0, 12 * 7])
  const { meta, failure } = await run(step, managers, { maxCredits: 84 })
  expect([failure, meta.quoted, meta.credits?.charged]).toEqual([undefined, [0, 84], charged()])
})

test('a field that the profile does not have, or cannot reveal, is refused before the search is paid', async () => {
  const { run } = await start('apollo', { credits: 900 })
  const none = await run('search-and-enrich-companies', { size: '11-50' })
  expect(none.failure).toMatchObject({ code: 'wire_unset' })
  expect(none.failure?.message).toContain('endpoints.reveal-companies.path')
  expect(requests()).toHaveLength(0)
})

describe.each(['lusha-v2', 'apollo', 'people-data-labs'])('%s', (profile) => {
  test('has both requests, too', async () => {
    const { run } = await start(profile, { credits: 900 })
    const { value, meta, failure } = await run(step, { jobTitle: 'manager', limit: 5 })
    expect(failure).toBeUndefined()
    const matched = resultsOf(value).filter((result) => result.matched)
    expect(matched.length).toBeGreaterThan(0)
    expect(matched.length).toBeLessThanOrEqual(5)
    expect(value.charged.search + value.charged.reveal).toBe(meta.credits?.charged ?? 0)
    expect(meta.credits?.charged ?? 0).toBe(charged())
  })
})

test('hunter cannot reveal by id: nothing is sent, and the setting is named', async () => {
  const { run } = await start('hunter', { credits: 900 })
  const { failure } = await run(step, { company: 'Wattlebird Freight' })
  expect(failure).toMatchObject({ code: 'wire_unset' })
  expect(failure?.message).toContain('endpoints.reveal-contacts.path')
  expect(requests()).toHaveLength(0)
})

describe('a reveal that fails', () => {
  const reveal = { match: { path: '/v3/contacts/enrich' } }
  test.each<[string, object, FailureCode]>([
    ['is refused', { answer: { status: 402, body: { message: 'no credits' } } }, 'credits_exhausted'],
    ['cannot be told', { cut: 'reset', when: 'after' }, 'outcome_unknown'],
    ['is broken', { answer: { status: 200, body: { nothing: true } } }, 'bad_reply'],
  ])('because it %s: what was found is there, and nothing is paid again under the key', async (_, fault, code) => {
    const { run } = await start()
    open.control.inject({ ...reveal, ...fault })
    const call = { idempotencyKey: 'k-1' }
    const first = await run(step, managers, call)
    expect(first.failure).toBeUndefined()
    const results = resultsOf(first.value)
    expect(results.map(({ failed }) => failed?.code)).toEqual(Array.from({ length: 12 }, () => code))
    expect(results.every(({ record }) => record.fullName !== undefined)).toBe(true)
    expect(first.value.summary).toMatchObject({ records: 12, matched: 0, failed: 12 })
    // What nobody can tell counts as charged.
    expect(first.value.charged).toEqual({ search: 1, reveal: code === 'credits_exhausted' ? 0 : 72 })
    const [paid, sent] = [charged(), requests().length]
    const again = await run(step, managers, call)
    expect(again.value).toEqual(first.value)
    expect([charged(), requests().length]).toEqual([paid, sent])
  })

  test('for some alone touches nobody else, and whoever opted out is left out', async () => {
    const { run } = await start()
    const [first, second, third] = resultsOf((await run('search-contacts', { ...managers, limit: 10 })).value)
    const errorOf = (found: Result | undefined, code: string) => ({
      id: found!.record.id,
      error: { code, message: '' },
    })
    const results = [
      errorOf(first, 'ENRICH_FAILED'),
      errorOf(second, 'COMPLIANCE_RESTRICTED'),
      { id: third!.record.id, firstName: 'Ada', emails: [{ email: 'ada@example.com', type: 'work' }] },
    ]
    const billing = { creditsCharged: 1, resultsReturned: 1 }
    open.control.inject({ ...reveal, answer: { status: 200, body: { results, billing } } })
    const { value } = await run(step, { ...managers, limit: 3, reveal: ['emails'] })
    expect(resultsOf(value)[0]).toMatchObject({ record: first!.record, failed: { code: 'provider_failed' } })
    expect(resultsOf(value)[1]).toMatchObject({ matched: true, record: { email: 'ada@example.com' } })
    expect(JSON.stringify(value)).not.toContain(second!.record.id)
    expect(value.summary).toEqual({ records: 9, matched: 1, notMatched: 7, failed: 1, suppressed: 1 })
    expect(value.charged).toEqual({ search: 1, reveal: 1 })
  })
})

test('a search that fails is a failure, and nothing follows', async () => {
  const { run } = await start()
  open.control.inject({ match: { path: '/v3/contacts/prospecting' }, answer: { status: 402, body: {} } })
  expect((await run(step, managers)).failure?.code).toBe('credits_exhausted')
  expect(pathsSent()).toEqual(['/v3/contacts/prospecting'])
})

test('Search and Enrich Companies: chosen details, each charged where the company has it', async () => {
  const { run } = await start()
  const input = { size: '51-200', limit: 10, reveal: ['competitors', 'websiteTraffic'] }
  const { value, meta, failure } = await run('search-and-enrich-companies', input)
  expect(failure).toBeUndefined()
  expect(meta.quoted).toEqual([0, 1 + 10 * 3])
  expect(requests()[1]!.body).toMatchObject({ reveal: ['competitors', 'monthlyWebsiteTraffic'] })
  const results = resultsOf(value)
  expect(results.every(({ record }) => Array.isArray(record.competitors))).toBe(true)
  const withTraffic = results.filter(({ record }) => record.websiteTraffic !== undefined).length
  expect(value.charged).toEqual({ search: 1, reveal: 20 + withTraffic })
  expect(charged()).toBe(21 + withTraffic)
})
