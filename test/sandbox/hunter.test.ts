import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'
import { refusals } from './refusals.ts'

const dataSet = createDataSet()
const people = dataSet.people.filter(({ knownTo }) => knownTo.includes('contact'))
const findable = people.filter(({ suppressed }) => !suppressed)
const companies = dataSet.companies.filter(({ knownTo }) => knownTo.includes('contact'))
const full = findable.find(
  ({ workEmail, personalEmail, linkedinSlug }) => workEmail && personalEmail && /^[a-z0-9-]+$/.test(linkedinSlug ?? ''),
)!
const hidden = people.find(({ suppressed, workEmail }) => suppressed && workEmail)!

let now = 1_000_000
let sandbox: ContactSandbox
beforeAll(async () => {
  sandbox = await startContactSandbox({ profile: 'hunter', now: () => now })
})
afterAll(() => sandbox.close())
beforeEach(() => {
  sandbox.control.reset()
  now += 60_000
})

const key = () => ({ 'X-API-KEY': sandbox.credentials.apiKey })
const read = async (reply: Response) => {
  const text = await reply.text()
  const isJson = reply.headers.get('content-type')?.includes('json')
  return { status: reply.status, headers: reply.headers, body: (isJson ? JSON.parse(text) : text) as any }
}
const get = async (path: string, query: Record<string, string> = {}, headers: Record<string, string> = key()) =>
  read(await fetch(`${sandbox.origin}/v2${path}?${new URLSearchParams(query).toString()}`, { headers }))
const discover = async (body: unknown) =>
  read(
    await fetch(`${sandbox.origin}/v2/discover`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...key() },
      body: JSON.stringify(body),
    }),
  )
const charged = () => sandbox.control.counters().creditsCharged

describe('enrichment', () => {
  test('finds a person by address and by handle, for a credit each', async () => {
    const replies = [
      await get('/people/find', { email: full.workEmail!.toUpperCase() }),
      await get('/people/find', { email: full.personalEmail! }),
      await get('/people/find', { linkedin_handle: full.linkedinSlug! }),
    ]
    expect(replies.map(({ status, body }) => [status, body.data.name.fullName])).toEqual(
      Array(3).fill([200, `${full.firstName} ${full.lastName}`]),
    )
    expect(replies.map(({ body }) => body.data.email)).toEqual([full.workEmail, full.personalEmail, full.workEmail])
    expect(replies[0]!.body.data).toMatchObject({
      employment: { domain: full.company.domain, title: full.title },
      linkedin: { handle: full.linkedinSlug },
      phone: full.phones[0]?.number.replaceAll(' ', '') ?? null,
    })
    expect(replies[2]!.body.meta).toEqual({ params: { linkedin_handle: full.linkedinSlug } })
    expect(charged()).toBe(3)
  })

  test('finds a company by domain for one credit, and both for two', async () => {
    const company = companies[0]!
    const { body } = await get('/companies/find', { domain: company.domain })
    expect(body.data).toMatchObject({
      name: company.name,
      legalName: company.legalName,
      linkedin: { handle: `company/${company.linkedinSlug}` },
    })
    expect(charged()).toBe(1)
    const both = (await get('/combined/find', { email: full.workEmail! })).body.data
    expect([both.person.email, both.company.domain, charged()]).toEqual([full.workEmail, full.company.domain, 3])
  })

  test.each([
    ['/people/find', { email: 'nobody@nobody.example' }],
    ['/people/find', { linkedin_handle: 'nobody-here' }],
    ['/companies/find', { domain: 'nobody.example' }],
    ['/combined/find', { email: 'nobody@nobody.example' }],
  ])('%s with %j is a free 404', async (path, query) => {
    const { status, body } = await get(path, query as Record<string, string>)
    expect([status, body]).toEqual([
      404,
      { errors: [{ id: 'not_found', code: 404, details: 'The requested resource does not exist.' }] },
    ])
    expect(sandbox.control.counters()).toMatchObject({ misses: 1, creditsCharged: 0, refused: { badRequest: 0 } })
  })

  test('people who asked not to be shown are 451', async () => {
    const { status, body } = await get('/people/find', { email: hidden.workEmail! })
    expect([status, body.errors[0].code, charged()]).toEqual([451, 451, 0])
    expect(sandbox.control.counters().suppressed).toBe(1)
  })

  test.each([
    ['/people/find', {}],
    ['/people/find', { email: full.workEmail!, linkedin_handle: full.linkedinSlug! }],
    ['/people/find', { email: 'not an address' }],
    ['/people/find', { linkedin_handle: `https://www.linkedin.com/in/${full.linkedinSlug}` }],
    ['/people/find', { linkedin_url: `https://www.linkedin.com/in/${full.linkedinSlug}` }],
    ['/people/find', { first_name: full.firstName }],
    ['/companies/find', {}],
    ['/companies/find', { domain: 'https://a.example' }],
    ['/companies/find', { name: 'Wattlebird' }],
    ['/companies/find', { domain: '' }],
    ['/combined/find', {}],
    ['/account', { page: '1' }],
  ])('%s with %j is 400', async (path, query) => {
    const { status, body } = await get(path, query as Record<string, string>)
    expect([status, body.errors[0].id, body.errors[0].code, typeof body.errors[0].details]).toEqual([
      400,
      'wrong_params',
      400,
      'string',
    ])
    expect(sandbox.control.counters().refused.badRequest).toBe(1)
  })
})

describe('domain search', () => {
  const company = companies.toSorted((candidate, other) => countOf(other.id) - countOf(candidate.id))[0]!
  function countOf(id: string) {
    return findable.filter((person) => person.workEmail && person.company.id === id).length
  }
  const staff = findable.filter((person) => person.workEmail && person.company.id === company.id)

  test('shows the addresses of a domain or company, page by page, without private ones', async () => {
    const rows = []
    for (let offset = 0; ; offset += 2) {
      const { body } = await get('/domain-search', { domain: company.domain, limit: '2', offset: String(offset) })
      expect(body.meta).toMatchObject({ results: staff.length, limit: 2, offset })
      if (body.data.emails.length === 0) break
      rows.push(...body.data.emails)
    }
    expect(rows.map(({ value }) => value)).toEqual(staff.map(({ workEmail }) => workEmail))
    expect(rows[0]).toMatchObject({ type: 'personal', first_name: staff[0]!.firstName, position: staff[0]!.title })
    const named = await get('/domain-search', { company: company.name })
    expect([named.body.data.organization, named.body.data.emails.length]).toEqual([
      company.name,
      Math.min(10, staff.length),
    ])
  })

  test('costs a credit for every ten addresses begun, and nothing without any', async () => {
    await get('/domain-search', { domain: company.domain })
    expect(charged()).toBe(1)
    const none = await get('/domain-search', { domain: 'nobody.example' })
    expect([none.status, none.body.data.emails, none.body.meta.results, charged()]).toEqual([200, [], 0, 1])
    expect((await get('/domain-search', { domain: company.domain, type: 'generic' })).body.data.emails).toEqual([])
    expect(charged()).toBe(1)
  })

  test('filters by lists of seniorities and departments, and by fields that have to be there', async () => {
    const count = async (query: Record<string, string>) =>
      (await get('/domain-search', { domain: company.domain, ...query })).body.meta.results
    const all = await Promise.all(['executive', 'senior', 'junior'].map((seniority) => count({ seniority })))
    expect(all.reduce((sum, hits) => sum + hits, 0)).toBe(staff.length)
    expect(await count({ seniority: 'executive,senior,junior' })).toBe(staff.length)
    const chief = findable.find((person) => person.workEmail && person.seniority.key === 'c_suite')!
    const { body } = await get('/domain-search', { domain: chief.company.domain, department: 'executive' })
    expect(body.data.emails.map(({ value }: any) => value)).toContain(chief.workEmail)
    expect(await count({ required_field: 'phone_number' })).toBe(staff.filter(({ phones }) => phones.length > 0).length)
  })

  test('leaves out who asked for it', async () => {
    const { body } = await get('/domain-search', { domain: hidden.company.domain, limit: '100' })
    expect(body.data.emails.map(({ value }: any) => value)).not.toContain(hidden.workEmail)
  })

  test.each(refusals['hunter domain-search']!)('%j is 400', async (query) => {
    expect((await get('/domain-search', query as Record<string, string>)).status).toBe(400)
  })
})

describe('discover', () => {
  test.each([
    [{ organization: { domain: [companies[0]!.domain] } }, (company: any) => company === companies[0]],
    [{ organization: { name: [companies[1]!.name] } }, (company: any) => company === companies[1]],
    [
      { industry: { include: ['Software', 'Energy'] } },
      (company: any) => ['Software', 'Energy'].includes(company.industry),
    ],
    [{ headcount: ['11-50', '5001-10000'] }, (company: any) => ['11-50', '5001+'].includes(company.sizeBand)],
    [
      { headquarters_location: { include: [{ country: 'AU' }], exclude: [{ city: 'Sydney' }] } },
      (company: any) => company.place.country === 'AU' && company.place.city !== 'Sydney',
    ],
    [{ technology: { include: ['Xero'] } }, (company: any) => company.technologies.includes('Xero')],
    [{ year_founded: { min: 2015, max: 2017 } }, (company: any) => company.founded >= 2015 && company.founded <= 2017],
  ])('%j finds companies for nothing', async (filters, fits) => {
    const expectedCompanies = companies.filter(fits)
    const { status, body } = await discover(filters)
    expect([status, body.meta.results, charged()]).toEqual([200, expectedCompanies.length, 0])
    expect(body.data.map(({ domain }: any) => domain)).toEqual(expectedCompanies.map(({ domain }) => domain))
    expect(expectedCompanies.length).toBeGreaterThan(0)
  })

  test('goes by pages', async () => {
    const filters = { headquarters_location: { include: [{ country: 'AU' }] } }
    const all = (await discover(filters)).body.data
    expect((await discover({ ...filters, limit: 3, offset: 2 })).body.data).toEqual(all.slice(2, 5))
  })

  test.each(refusals['hunter discover']!)('%j is 400', async (body) => {
    expect((await discover(body)).status).toBe(400)
  })
})

describe('keys, limits and credits', () => {
  test.each([
    ['the query', {}, { api_key: 'hunter-sandbox-key-0001' }],
    ['a header of its own', { 'x-api-key': 'hunter-sandbox-key-0001' }, {}],
    ['a bearer token', { authorization: 'Bearer hunter-sandbox-key-0001' }, {}],
  ])('the key may be in %s', async (_where, headers, query) => {
    const { status, body } = await get(
      '/people/find',
      { email: full.workEmail!, ...query },
      headers as Record<string, string>,
    )
    expect([status, body.meta.params]).toEqual([200, { email: full.workEmail }])
  })

  test.each([
    ['no key', {}, {}],
    ['an unknown key', { 'x-api-key': 'nobody' }, {}],
    ['an unknown key in the query', {}, { api_key: 'nobody' }],
    ['a key without its scheme', { authorization: 'hunter-sandbox-key-0001' }, {}],
  ])('%s is 401', async (_what, headers, query) => {
    const { status, body } = await get('/account', query as Record<string, string>, headers as Record<string, string>)
    expect([status, body.errors[0]]).toEqual([
      401,
      { id: 'authentication_failed', code: 401, details: 'No user found for the API key supplied' },
    ])
  })

  test('the rate limit is 403, by endpoint, and does not say how long to wait', async () => {
    for (let i = 0; i < 15; i += 1)
      expect((await get('/companies/find', { domain: 'nobody.example' })).status).toBe(404)
    const { status, headers, body } = await get('/companies/find', { domain: 'nobody.example' })
    expect([status, body.errors[0].code, headers.get('retry-after')]).toEqual([403, 403, null])
    expect(sandbox.control.counters().refused).toMatchObject({ tooMany: 1, badRequest: 0 })
    expect((await get('/people/find', { email: full.workEmail! })).status).toBe(200)
    now += 1000
    expect((await get('/companies/find', { domain: 'nobody.example' })).status).toBe(404)
    sandbox.control.setWindows({ 'companies minute': 1 })
    await get('/companies/find', { domain: 'nobody.example' })
    now += 59_999
    expect((await get('/companies/find', { domain: 'nobody.example' })).status).toBe(403)
  })

  test("the month's usage is 429; the account says what is left, misses and companies of discover go on", async () => {
    sandbox.control.setCredits(1)
    expect((await get('/combined/find', { email: full.workEmail! })).status).toBe(429)
    await get('/people/find', { email: full.workEmail! })
    const { status, body } = await get('/companies/find', { domain: companies[0]!.domain })
    expect([status, body.errors[0].code]).toEqual([429, 429])
    expect((await get('/domain-search', { domain: full.company.domain })).status).toBe(429)
    expect((await get('/account')).body.data.requests.credits).toEqual({ used: 1, available: 1 })
    expect((await get('/people/find', { email: 'nobody@nobody.example' })).status).toBe(404)
    expect((await discover({ industry: { include: ['Software'] } })).status).toBe(200)
    expect(sandbox.control.counters()).toMatchObject({ creditsCharged: 1, refused: { noCredits: 3, tooMany: 0 } })
  })

  test.each([
    ['GET', '/v2/person'],
    ['GET', '/people/find'],
    ['POST', '/v2/people/find'],
    ['GET', '/v2/discover'],
  ])('%s %s is a page of HTML', async (method, path) => {
    const { status, headers, body } = await read(await fetch(sandbox.origin + path, { method, headers: key() }))
    expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(body).toContain('<!DOCTYPE html>')
    expect(sandbox.override).toEqual({ profile: 'hunter', baseUrl: sandbox.origin })
  })
})
