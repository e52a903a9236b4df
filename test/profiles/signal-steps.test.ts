import { afterEach, expect, test } from 'vitest'
import { filterLists, filterNames } from '../../integrations/contact-data/filter-values.ts'
import { play } from './play.ts'
import type { Play } from './play.ts'
import { vendors } from './vendors.ts'

/** Signals and scores of what is known, and the values that filters take. */

let open: Play
afterEach(() => open.close())
const start = async (profile = 'lusha-v3', options: object = { credits: 900 }) =>
  (open = await play('contact-data', profile as Parameters<typeof play>[1], options))
const charged = () => open.control.counters().creditsCharged
const requests = () => open.control.counters().requests
const lastBody = () => open.control.requests().at(-1)!.body as Record<string, unknown>
type Result = { matched?: boolean; record?: Record<string, any>; failed?: { code: string } }
const resultsOf = (value: Record<string, unknown>) => value.results as Result[]
const idsOf = (value: Record<string, unknown>) => resultsOf(value).map(({ record }) => record!.id as string)

const steps: [step: string, input: object, endpoint: string][] = [
  ['get-contact-signals', { personIds: ['1'], types: ['promotion'] }, 'contact-signals'],
  ['get-company-signals', { companyIds: ['1'], types: ['riskNews'] }, 'company-signals'],
  ['score-contacts', { contacts: [{ personId: '1' }] }, 'score-contacts'],
  ['score-companies', { companies: [{ domain: 'a.nz' }] }, 'score-companies'],
  ['list-filter-values', { filter: 'seniority' }, 'contact-seniorities'],
]
const others = vendors.filter(({ home, profile }) => home === 'contact-data' && profile !== 'lusha-v3')

test.each(others.map(({ profile }) => profile))(
  '%s has none of these steps, and names the setting',
  async (profile) => {
    const { run } = await start(profile)
    for (const [step, input, endpoint] of steps) {
      if (profile === 'lusha-v2' && step === 'list-filter-values') continue
      const { failure } = await run(step, input)
      expect([step, failure?.code]).toEqual([step, 'wire_unset'])
      expect(failure?.message).toContain(`endpoints.${endpoint}.`)
    }
    expect(requests()).toBe(0)
  },
)

test('Get Contact Signals: each kind that a person has, newest first, is charged; the rest of the list is free', async () => {
  const { run } = await start()
  const ids = idsOf((await run('search-contacts', { jobTitle: 'manager', limit: 10 })).value)
  const input = { personIds: [...ids, 'nobody'], types: ['promotion', 'companyChange'] }
  const before = charged()
  const { value, meta, failure } = await run('get-contact-signals', input)
  expect(failure).toBeUndefined()
  const records = resultsOf(value).flatMap(({ record }) => record ?? [])
  const kinds = records.flatMap(({ signals }) => [...new Set((signals as { type: string }[]).map(({ type }) => type))])
  expect(kinds.length).toBeGreaterThan(1)
  expect([meta.quoted, meta.credits?.charged, charged() - before]).toEqual([[0, 22], kinds.length, kinds.length])
  for (const { signals } of records) {
    const dates = (signals as { date: string }[]).map(({ date }) => date)
    expect(dates).toEqual(dates.toSorted().toReversed())
  }
  expect(value.summary).toEqual({ records: 11, matched: 10, notMatched: 1, failed: 0 })
  expect(lastBody()).toEqual({ ids: input.personIds, signalTypes: input.types, maxResultsPerSignal: 10 })
})

test('what signals may cost is reserved, for each kind that is asked for', async () => {
  const { run } = await start()
  const input = { companyIds: ['16303014', '16303013'], types: ['riskNews', 'peopleNews', 'surgeInHiring'] }
  const before = requests()
  const dear = await run('get-company-signals', input, { maxCredits: 5 })
  expect([dear.failure?.code, requests()]).toEqual(['budget_exceeded', before])
  const single = { companyIds: ['16303013'], types: ['riskNews', 'peopleNews'] }
  expect((await run('get-company-signals', single, { maxCredits: 1 })).failure?.code).toBe('budget_exceeded')
  expect((await run('get-company-signals', input, { maxCredits: 6 })).failure).toBeUndefined()
})

test('Get Company Signals: since a day, at most so many of a kind, of some categories of intent', async () => {
  const { run } = await start()
  const companyIds = Array.from({ length: 12 }, (_, index) => String(16_303_001 + index))
  const types = ['linkedinActivityIntent', 'riskNews']
  const dayAgo = (days: number) => new Date(open.clock.now() - days * 86_400_000).toISOString().slice(0, 10)
  const signalsOf = async (more: object) => {
    const { value, failure } = await run('get-company-signals', { companyIds, types, ...more })
    expect(failure).toBeUndefined()
    return resultsOf(value).flatMap(({ record }) => (record?.signals ?? []) as { type: string; date: string }[])
  }
  const all = await signalsOf({})
  const recent = await signalsOf({ since: dayAgo(10) })
  expect([recent.length > 0, recent.length < all.length]).toEqual([true, true])
  expect(recent).toEqual(all.filter(({ date }) => date >= dayAgo(10)))
  expect((await signalsOf({ most: 1 })).length).toBe(recent.length)
  expect(lastBody().maxResultsPerSignal).toBe(1)
  const other = await signalsOf({ categories: ['Business'] })
  expect(new Set(other.map(({ type }) => type))).toEqual(new Set(['riskNews']))
})

test.each<[step: string, field: string, given: object[]]>([
  ['score-contacts', 'contacts', [{ personId: '4389064004' }, { email: 'nobody@unknown.example' }]],
  ['score-companies', 'companies', [{ companyId: '16303013' }, { domain: 'unknown.example' }]],
])('%s: scores are charged for those who have them, once, and a limit is kept', async (step, field, given) => {
  const { run } = await start()
  const input = { [field]: given }
  const few = await run(step, input, { maxCredits: 1 })
  expect([few.failure?.code, charged()]).toEqual(['budget_exceeded', 0])
  const { value, meta } = await run(step, input)
  const [known, unknown] = resultsOf(value)
  expect(known!.record!.signalScore).toBeGreaterThan(0)
  expect(known!.record!.signalTypes.length).toBeGreaterThan(0)
  expect(unknown).toMatchObject({ matched: false })
  expect([meta.quoted, meta.credits?.charged, charged()]).toEqual([[0, 2], 1, 1])
})

const searched = new Set(['place', 'companyPlace', 'company', 'technologies', 'signalPlace'])

test.each(filterNames)(
  'List Filter Values: %s, for nothing, and its values are taken by the searches',
  async (filter) => {
    const { run } = await start()
    const text = filter === 'technologies' ? 'xe' : 'la'
    const { value, failure, meta } = await run('list-filter-values', {
      filter,
      ...(searched.has(filter) ? { query: text } : {}),
    })
    expect([failure, meta.credits?.charged ?? 0, charged()]).toEqual([undefined, 0, 0])
    expect(value.total).toBeGreaterThan(0)
    const [first] = value.values as Record<string, string>[]
    const parts: Record<string, string | undefined> = first!
    for (const field of filterLists[filter].fields) {
      const part = /(city|state|country|continent)$/i.exec(field)?.[1]!.toLowerCase()
      const values = part === undefined || filter === 'country' ? first!.value! : parts[part]
      if (values === undefined) continue
      const filters = [{ field, values: `"${values}"` }]
      const found = await Promise.all(
        ['search-contacts', 'search-companies'].map((step) => run(step, { filters, limit: 10 })),
      )
      const taken = found.filter(({ failure: refused }) => refused === undefined)
      expect([field, taken.length > 0, found.map(({ failure: refused }) => refused?.message)]).toEqual([
        field,
        true,
        expect.anything(),
      ])
    }
  },
)

test('List Filter Values: a text narrows a list, a list that is searched needs one, and a limit is kept', async () => {
  const { run } = await start()
  const all = await run('list-filter-values', { filter: 'naics', limit: 1 })
  expect([all.value.total, all.value.values]).toEqual([
    2,
    [{ value: '484121', label: 'General freight trucking, long-distance' }],
  ])
  const some = await run('list-filter-values', { filter: 'naics', query: 'COMPUTER' })
  expect(some.value.values).toEqual([{ value: '541511', label: 'Custom computer programming services' }])
  const before = requests()
  const { failure } = await run('list-filter-values', { filter: 'technologies', query: 'x' })
  expect([failure?.code, failure?.errors?.[0]?.pointer, requests()]).toEqual(['invalid_input', '/query', before])
})

test('List Filter Values: lusha-v2 has those lists that need no text', async () => {
  const { run } = await start('lusha-v2')
  for (const filter of filterNames.filter((name) => !searched.has(name) && !name.startsWith('signal'))) {
    const { value, failure } = await run('list-filter-values', { filter })
    expect([filter, failure, value.total > 0]).toEqual([filter, undefined, true])
  }
  const { failure } = await run('list-filter-values', { filter: 'place', query: 'auck' })
  expect(failure).toMatchObject({ code: 'wire_unset' })
})
