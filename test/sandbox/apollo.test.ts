import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'
import { refusals } from './refusals.ts'

const dataSet = createDataSet()
const people = dataSet.people.filter(({ knownTo }) => knownTo.includes('contact'))
const findable = people.filter(({ suppressed }) => !suppressed)
const companies = dataSet.companies.filter(({ knownTo }) => knownTo.includes('contact'))
const isEuropean = (country: string) => ['DE', 'GB', 'IE'].includes(country)
const full = findable.find(
  ({ workEmail, personalEmail, linkedinSlug, company: { place } }) =>
    workEmail && personalEmail && linkedinSlug && place.country === 'AU',
)!
const hidden = people.find(({ suppressed, workEmail }) => suppressed && workEmail)!

let now = 1_000_000
let sandbox: ContactSandbox
beforeAll(async () => {
  sandbox = await startContactSandbox({ profile: 'apollo', now: () => now })
})
afterAll(() => sandbox.close())
beforeEach(() => sandbox.control.reset())

type Query = Record<string, string> | [string, string][]
const send = async (
  method: string,
  path: string,
  query: Query = {},
  body?: unknown,
  headers: Record<string, string> = { 'x-api-key': sandbox.credentials.apiKey },
) => {
  const content =
    body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } }
  const reply = await fetch(`${sandbox.origin}/api/v1${path}?${new URLSearchParams(query).toString()}`, {
    method,
    headers,
    ...content,
  })
  const text = await reply.text()
  const isJson = reply.headers.get('content-type')?.includes('json')
  return { status: reply.status, headers: reply.headers, body: (isJson ? JSON.parse(text) : text) as any }
}
const match = (query: Query) => send('POST', '/people/match', query)
const bulk = (details: unknown, query: Query = {}) => send('POST', '/people/bulk_match', query, { details })
const charged = () => sandbox.control.counters().creditsCharged

describe('people/match', () => {
  test('finds by each input in the query, for a credit each time', async () => {
    const first = await match({ email: full.workEmail! })
    const ways: Query[] = [
      { id: first.body.person.id },
      { hashed_email: createHash('sha256').update(full.workEmail!).digest('hex') },
      { hashed_email: createHash('md5').update(full.workEmail!).digest('hex') },
      { linkedin_url: `http://www.linkedin.com/in/${full.linkedinSlug}` },
      { first_name: full.firstName, last_name: full.lastName, domain: full.company.domain },
      { name: `${full.firstName} ${full.lastName}`, organization_name: full.company.name },
    ]
    for (const way of ways) {
      const { status, body } = await match(way)
      expect([way, status, body.person]).toEqual([way, 200, first.body.person])
    }
    expect(first.body.person).toMatchObject({
      first_name: full.firstName,
      email: full.workEmail,
      title: full.title,
      organization: { primary_domain: full.company.domain },
    })
    expect(charged()).toBe(ways.length + 1)
  })

  test.each([
    ['nobody', { email: 'nobody@nobody.example' }],
    ['a name alone', { name: `${full.firstName} ${full.lastName}` }],
    ['nothing at all', {}],
    ['somebody who opted out', { email: hidden.workEmail! }],
  ])('%s is 200 with null, and free', async (_what, query) => {
    const { status, body } = await match(query as Query)
    expect([status, body.person, charged()]).toEqual([200, null, 0])
  })

  test('shows private addresses when asked for, and none of people in Europe', async () => {
    expect((await match({ email: full.workEmail! })).body.person).not.toHaveProperty('personal_emails')
    expect(
      (await match({ email: full.workEmail!, reveal_personal_emails: 'true' })).body.person.personal_emails,
    ).toEqual([full.personalEmail])
    const european = findable.find(({ workEmail, company: { place } }) => workEmail && isEuropean(place.country))!
    expect(
      (await match({ email: european.workEmail!, reveal_personal_emails: 'true' })).body.person,
    ).not.toHaveProperty('personal_emails')
  })

  test('wants a webhook for phone numbers, and never answers them', async () => {
    const { status, body } = await match({ email: full.workEmail!, reveal_phone_number: 'true' })
    expect([status, charged()]).toEqual([400, 0])
    expect(body.error).toContain('webhook_url')
    const taken = await match({
      email: full.workEmail!,
      reveal_phone_number: 'true',
      webhook_url: 'https://hooks.example/x',
    })
    expect([taken.status, JSON.stringify(taken.body.person).includes('phone_numbers'), charged()]).toEqual([
      200,
      false,
      1,
    ])
  })

  test.each([
    [{ work_email: 'a@b.example' }],
    [{ email: '' }],
    [{ email: 'a@b.example', reveal_personal_emails: 'yes' }],
    [[['email[]', 'a@b.example']]],
  ])('%j is 422', async (query) => {
    const { status, body } = await match(query as Query)
    expect([status, typeof body.error, charged()]).toEqual([422, 'string', 0])
  })

  test('takes nothing from a body', async () => {
    expect((await send('POST', '/people/match', {}, { email: full.workEmail })).status).toBe(422)
    expect((await send('POST', '/people/match', { email: full.workEmail! }, {})).status).toBe(200)
  })
})

describe('people/bulk_match', () => {
  test('answers in the order asked, null for a miss, and says what it charged', async () => {
    const other = findable.find(({ workEmail, id }) => workEmail && id !== full.id)!
    const details = [
      { email: full.workEmail },
      { email: 'nobody@nobody.example' },
      { email: hidden.workEmail },
      { email: other.workEmail },
      { email: full.workEmail },
    ]
    const { status, body } = await bulk(details, { reveal_personal_emails: 'true' })
    expect(status).toBe(200)
    expect(body.matches.map((person: any) => person?.email ?? null)).toEqual([
      full.workEmail,
      null,
      null,
      other.workEmail,
      full.workEmail,
    ])
    expect(body).toMatchObject({
      status: 'success',
      error_code: null,
      total_requested_enrichments: 5,
      unique_enriched_records: 2,
      missing_records: 2,
      credits_consumed: 2,
    })
    expect(body.matches[0].personal_emails).toEqual([full.personalEmail])
    expect(charged()).toBe(2)
    expect(sandbox.control.counters()).toMatchObject({ records: 5, matches: 3, misses: 1, suppressed: 1 })
  })

  test.each([
    ['no details', undefined, 400, 'INVALID_REQUEST'],
    ['empty details', [], 400, 'INVALID_REQUEST'],
    ['more than ten', Array.from({ length: 11 }, () => ({ email: 'a@b.example' })), 400, 'RECORD_LIMIT_EXCEEDED'],
    ['a text among them', ['a@b.example'], 400, 'INVALID_REQUEST'],
  ])('with %s the batch fails', async (_what, details, status, code) => {
    const reply = await bulk(details)
    expect([reply.status, reply.body.status, reply.body.error_code, charged()]).toEqual([status, 'failed', code, 0])
  })

  test('an unknown field of one is 422 for all, and so are details in the query', async () => {
    expect((await bulk([{ email: full.workEmail }, { mail: 'x' }])).status).toBe(422)
    expect(
      (await send('POST', '/people/bulk_match', { email: full.workEmail! }, { details: [{ email: full.workEmail }] }))
        .status,
    ).toBe(422)
    expect(charged()).toBe(0)
  })

  test('is refused whole when the credits do not reach', async () => {
    sandbox.control.setCredits(1)
    const two = findable.filter(({ workEmail }) => workEmail).slice(0, 2)
    const { status, body } = await bulk(two.map(({ workEmail }) => ({ email: workEmail })))
    expect([status, charged()]).toEqual([422, 0])
    expect(body.error).toMatch(/insufficient credits/)
    expect(sandbox.control.counters()).toMatchObject({ matches: 0, refused: { noCredits: 1, badRequest: 0 } })
  })
})

describe('organizations/enrich', () => {
  const company = companies[0]!
  const enrich = (query: Query) => send('GET', '/organizations/enrich', query)
  test('finds by each input for one credit', async () => {
    const ways: Query[] = [
      { domain: company.domain },
      { website: `https://www.${company.domain}/about` },
      { linkedin_url: `http://www.linkedin.com/company/${company.linkedinSlug}` },
      { name: company.name },
    ]
    for (const way of ways) {
      const { body } = await enrich(way)
      expect(body.organization).toMatchObject({
        name: company.name,
        primary_domain: company.domain,
        estimated_num_employees: company.employees,
      })
    }
    expect(charged()).toBe(ways.length)
  })

  test('misses are null; a domain with www is one; nothing to go by is 422', async () => {
    expect((await enrich({ domain: 'nobody.example' })).body).toEqual({ organization: null })
    expect((await enrich({ domain: `www.${company.domain}` })).body).toEqual({ organization: null })
    const { status, body } = await enrich({})
    expect([status, body.error]).toEqual([422, "Required parameter 'domain' missing"])
    expect(charged()).toBe(0)
  })
})

describe('searches', () => {
  const searchPeople = (query: Query, body?: unknown) => send('POST', '/mixed_people/api_search', query, body)
  test('of people are free, hide names and addresses, and go by pages', async () => {
    const expectedPeople = findable.filter(
      ({ seniority, company: { place } }) => ['vp', 'director'].includes(seniority.key) && place.country === 'AU',
    )
    const filters: [string, string][] = [
      ['person_seniorities[]', 'vp'],
      ['person_seniorities[]', 'director'],
      ['organization_locations[]', 'Australia'],
    ]
    const rows = []
    for (let page = 1; ; page += 1) {
      const { body } = await searchPeople([...filters, ['page', String(page)], ['per_page', '4']])
      expect(body.total_entries).toBe(expectedPeople.length)
      if (body.people.length === 0) break
      rows.push(...body.people)
    }
    expect(rows.map(({ first_name }) => first_name)).toEqual(expectedPeople.map(({ firstName }) => firstName))
    expect(rows[0]).not.toHaveProperty('last_name')
    expect(JSON.stringify(rows)).not.toContain('@')
    expect(charged()).toBe(0)
    expect((await match({ id: rows[0].id })).body.person.last_name).toBe(expectedPeople[0]!.lastName)
  })

  test.each([
    [{ 'person_titles[]': 'chief' }, (person: any) => /chief/i.test(person.title)],
    [
      { 'q_organization_domains_list[]': full.company.domain },
      (person: any) => person.company.domain === full.company.domain,
    ],
    [
      { 'organization_num_employees_ranges[]': '11,50' },
      (person: any) => person.company.employees >= 11 && person.company.employees <= 50,
    ],
    [
      { 'currently_using_any_of_technology_uids[]': 'power_bi' },
      (person: any) => person.company.technologies.includes('Power BI'),
    ],
    [{ 'revenue_range[min]': '500000000' }, (person: any) => person.company.revenue === '500M-1B'],
    [{ 'contact_email_status[]': 'unavailable' }, (person: any) => person.workEmail === undefined],
    [{ 'person_seniorities[]': 'wizard' }, () => false],
  ])('filter people by %j', async (query, fits) => {
    expect((await searchPeople(query as Record<string, string>)).body.total_entries).toBe(findable.filter(fits).length)
  })

  test('take the same names in a body', async () => {
    const { body } = await searchPeople({}, { person_seniorities: ['vp'], page: 1, per_page: 100 })
    expect(body.people.length).toBe(findable.filter(({ seniority }) => seniority.key === 'vp').length)
  })

  test('of organizations cost a credit a page, an empty one too', async () => {
    const software = companies.filter(({ industry }) => industry === 'Software')
    const query = { 'q_organization_keyword_tags[]': 'software', per_page: '2' }
    const { body } = await send('POST', '/mixed_companies/search', query)
    expect(body.pagination).toEqual({
      page: 1,
      per_page: 2,
      total_entries: software.length,
      total_pages: Math.ceil(software.length / 2),
    })
    expect(body.organizations.map(({ name }: any) => name)).toEqual(software.slice(0, 2).map(({ name }) => name))
    expect(charged()).toBe(1)
    expect((await send('POST', '/mixed_companies/search', { ...query, page: '400' })).body.organizations).toEqual([])
    expect(charged()).toBe(2)
  })

  test.each(refusals['apollo search']!)('%j is 422', async (query) => {
    const { status, body } = await searchPeople(query as Record<string, string>)
    expect([status, body.error]).toEqual([422, expect.stringMatching(/^Invalid parameters/)])
  })

  test('and usage are closed to a key of small scope', async () => {
    sandbox.control.setSwitches({ key: 'scoped' })
    for (const path of ['/mixed_people/api_search', '/mixed_companies/search', '/usage_stats/credit_usage_stats']) {
      const { status, body, headers } = await send('POST', path)
      expect([path, status, body.error_code, headers.get('x-rate-limit-minute')]).toEqual([
        path,
        403,
        'API_INACCESSIBLE',
        null,
      ])
    }
    expect((await match({ email: full.workEmail! })).status).toBe(200)
  })
})

describe('keys, limits and credits', () => {
  test.each([
    ['no key', {}],
    ['an unknown key', { 'x-api-key': 'nobody' }],
    ['the key in another header', { api_key: 'apollo-sandbox-key-0001' }],
  ])('%s is 401 in plain text, without headers of limits', async (_what, headers) => {
    const reply = await send(
      'POST',
      '/people/match',
      { email: 'a@b.example' },
      undefined,
      headers as Record<string, string>,
    )
    expect([reply.status, reply.headers.get('content-type'), reply.headers.get('x-rate-limit-minute')]).toEqual([
      401,
      'text/plain; charset=utf-8',
      null,
    ])
    expect(reply.body).toMatch(/^Invalid API key/)
  })

  test('the key may be a bearer token', async () => {
    const headers = { authorization: `Bearer ${sandbox.credentials.apiKey}` }
    expect((await send('POST', '/people/match', { email: full.workEmail! }, undefined, headers)).status).toBe(200)
  })

  test('an unlimited window has an empty header', async () => {
    const limits = ({ headers }: { headers: Headers }) =>
      Object.fromEntries([...headers].filter(([name]) => /^x-.*(rate-limit|usage|requests-left)/.test(name)))
    expect(limits(await match({}))).toEqual({
      'x-rate-limit-minute': '1000',
      'x-minute-usage': '1',
      'x-minute-requests-left': '999',
      'x-rate-limit-hourly': '',
      'x-rate-limit-24-hour': '',
    })
    expect(limits(await send('POST', '/mixed_people/api_search'))).toMatchObject({
      'x-rate-limit-hourly': '6000',
      'x-24-hour-requests-left': '49999',
    })
  })

  test('a window that is used up is 429 with the seconds that are left of it', async () => {
    sandbox.control.setWindows({ 'match minute': 2 })
    await match({})
    now += 20_000
    await match({})
    const { status, headers, body } = await match({})
    expect([status, headers.get('retry-after'), headers.get('x-minute-requests-left')]).toEqual([429, '40', '0'])
    expect(body.message).toMatch(/api\/v1\/people\/match is 2 times per minute/)
    expect((await bulk([{ email: 'a@b.example' }])).status).toBe(200)
    now += 40_000
    expect((await match({})).status).toBe(200)
  })

  test('credits that are left are shown; without any, matches are 422, and misses and searches of people go on', async () => {
    sandbox.control.setCredits(1)
    await match({ email: full.workEmail! })
    const { body } = await send('POST', '/usage_stats/credit_usage_stats')
    expect(body.credit_usage_stats.lead_credit).toEqual({ limit: 1, consumed: 1, left_over: 0 })
    const refused = await match({ email: full.workEmail! })
    expect([refused.status, refused.body.error]).toEqual([422, expect.stringMatching(/insufficient credits/)])
    expect((await send('GET', '/organizations/enrich', { domain: companies[0]!.domain })).status).toBe(422)
    expect((await send('POST', '/mixed_companies/search')).status).toBe(422)
    expect((await match({ email: 'nobody@nobody.example' })).status).toBe(200)
    expect((await send('POST', '/mixed_people/api_search')).status).toBe(200)
    expect(sandbox.control.counters()).toMatchObject({ creditsCharged: 1, matches: 1, refused: { noCredits: 3 } })
  })

  test.each([
    ['GET', '/people/match'],
    ['POST', '/organizations/enrich'],
    ['POST', '/people/matches'],
    ['POST', '/person'],
  ])('%s %s is 404', async (method, path) => {
    const { status, body } = await send(method, path)
    expect([status, body]).toEqual([404, { status: 404, error: 'Not Found' }])
    expect(sandbox.override).toEqual({ profile: 'apollo', baseUrl: sandbox.origin })
  })
})
