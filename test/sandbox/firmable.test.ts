import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startAnzSandbox } from '../../shared/sandbox/anz/index.ts'
import type { AnzSandbox } from '../../shared/sandbox/anz/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'

const dataSet = createDataSet()
const people = dataSet.people.filter(({ knownTo }) => knownTo.includes('anz'))
const callable = people.filter(({ suppressed }) => !suppressed)
const australians = callable.filter(({ company }) => company.place.country === 'AU')
const numbered = (id: string) => id.replace(/\D/g, '').padStart(12, '0')

let now = 1_000_000
let sandbox: AnzSandbox
beforeAll(async () => {
  sandbox = await startAnzSandbox({ profile: 'firmable', now: () => now })
})
afterAll(() => sandbox.close())
beforeEach(() => sandbox.control.reset())

const key = () => ({ authorization: `Bearer ${sandbox.credentials.apiKey}` })
const read = async (reply: Response) => ({
  status: reply.status,
  headers: reply.headers,
  body: (await reply.json()) as any,
})
const get = async (path: string, query: Record<string, string>, headers: Record<string, string> = key()) =>
  read(await fetch(`${sandbox.origin}${path}?${new URLSearchParams(query).toString()}`, { headers }))
const search = async (body: unknown, path = '/people/search', init: RequestInit = {}) =>
  read(
    await fetch(sandbox.origin + path, {
      method: 'POST',
      headers: { ...key(), 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...init,
    }),
  )
const charged = () => sandbox.control.counters().creditsCharged

describe('people', () => {
  test('are found by each identifier, and paid for once', async () => {
    const person = australians.find(
      ({ workEmail, personalEmail, linkedinSlug, phones }) =>
        workEmail && personalEmail && linkedinSlug && phones.length > 1,
    )!
    const ways = [
      { id: `fp${numbered(person.id)}` },
      { ln_slug: person.linkedinSlug! },
      { ln_url: `https://au.linkedin.com/in/${person.linkedinSlug}/?trk=x` },
      { work_email: person.workEmail!.toUpperCase() },
      { personal_email: person.personalEmail! },
    ]
    const replies = []
    for (const way of ways) replies.push(await get('/people', way))
    for (const { status, body } of replies) {
      expect(status).toBe(200)
      expect(body).toEqual(replies[0]!.body)
    }
    expect(charged()).toBe(1)
    expect(sandbox.control.requests().map(({ credits }) => credits)).toEqual([1, 0, 0, 0, 0])
    expect(replies[0]!.body).toMatchObject({
      id: `fp${numbered(person.id)}`,
      first_name: person.firstName,
      position: person.title,
      current_company: { id: `f${numbered(person.company.id)}`, name: person.company.name },
      emails: { work: [{ value: person.workEmail }], personal: [{ value: person.personalEmail }] },
    })
  })

  test('have numbers in the national form, with the do-not-disturb flag', async () => {
    const person = australians.find(({ workEmail, phones }) => workEmail && phones.length > 1)!
    const { body } = await get('/people', { work_email: person.workEmail! })
    expect(body.phones.map(({ value }: any) => value)).toEqual(
      person.phones.map(({ number }) => number.replace('+61 ', '0')),
    )
    expect(body.phones[0].value).toMatch(/^0491 570 \d{3}$/)
    expect(body.phones.map(({ is_dnd }: any) => is_dnd)).toEqual(person.phones.map(({ doNotCall }) => doNotCall))
  })

  test('show their profile as a handle or as an address', async () => {
    const shown = []
    for (const person of australians
      .filter(({ linkedinSlug }) => linkedinSlug && /^[\x20-\x7e]+$/.test(linkedinSlug))
      .slice(0, 8)) {
      shown.push((await get('/people', { ln_slug: person.linkedinSlug! })).body.linkedin)
    }
    expect(new Set(shown.map((text) => text.startsWith('https://')))).toEqual(new Set([true, false]))
  })

  test('are not known by a work address as a private one, or the other way round', async () => {
    const person = australians.find(({ workEmail, personalEmail }) => workEmail && personalEmail)!
    expect((await get('/people', { work_email: person.personalEmail! })).status).toBe(500)
    expect((await get('/people', { personal_email: person.workEmail! })).status).toBe(500)
  })

  test('who opted out are a miss, and in no search', async () => {
    const person = people.find(({ suppressed, workEmail }) => suppressed && workEmail)!
    const { status, body } = await get('/people', { work_email: person.workEmail! })
    expect([status, body, charged()]).toEqual([500, { error: 'People profile not found' }, 0])
    const { records } = (
      await search({
        companyId: `f${numbered(person.company.id)}`,
        selectedCountry: person.company.place.country,
        size: '100',
      })
    ).body
    expect(records.map((row: any) => row.person_id)).not.toContain(`fp${numbered(person.id)}`)
    expect(sandbox.control.counters()).toMatchObject({ suppressed: 1, misses: 0 })
  })
})

describe('companies', () => {
  const company = dataSet.companies[0]!
  test('are found by each identifier, and paid for once', async () => {
    const ways: Record<string, string>[] = [
      { id: `f${numbered(company.id)}` },
      { ln_slug: company.linkedinSlug },
      { ln_url: `https://www.linkedin.com/company/${company.linkedinId}/about/` },
      { fqdn: company.domain },
      { abn: company.abn! },
      { website: `https://www.${company.domain}/about` },
    ]
    for (const way of ways) {
      const { body } = await get('/company', way)
      expect(body).toMatchObject({
        id: `f${numbered(company.id)}`,
        name: company.name,
        fqdn: company.domain,
        employee_count: company.employees,
      })
      expect(body.industry_codes).toMatchObject({ abn: company.abn, acn: company.acn })
    }
    expect(charged()).toBe(1)
  })

  test('show the numbers of the country asked for', async () => {
    const zealand = dataSet.companies.find(({ nzbn }) => nzbn)!
    const plain = await get('/company', { fqdn: zealand.domain })
    expect([plain.body.industry_codes.nzbn, plain.body.employee_count]).toEqual([undefined, null])
    const there = await get('/company', { fqdn: zealand.domain, country: 'NZ' })
    expect([there.body.industry_codes.nzbn, there.body.employee_count]).toEqual([zealand.nzbn, zealand.employees])
  })

  test('that are not known are 500, and free', async () => {
    const { status, body } = await get('/company', { fqdn: 'nobody.example' })
    expect([status, body, charged()]).toEqual([500, { error: 'Company profile not found' }, 0])
    expect(sandbox.control.counters().misses).toBe(1)
  })
})

describe('search', () => {
  const company = dataSet.companies[0]!
  const companyId = `f${numbered(company.id)}`
  const staff = callable.filter((person) => person.company.id === company.id)

  test('is redirected on the same origin, with method and body', async () => {
    const first = await fetch(`${sandbox.origin}/people/search`, {
      method: 'POST',
      headers: { ...key(), 'content-type': 'application/json' },
      body: JSON.stringify({ companyId }),
      redirect: 'manual',
    })
    expect([first.status, first.headers.get('location')]).toEqual([307, '/internal/search/people'])
    const { status, body } = await search({ companyId })
    expect([status, body.total, charged()]).toEqual([200, staff.length, 0])
    expect(sandbox.control.requests().map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /people/search',
      'POST /people/search',
      'POST /internal/search/people',
    ])
  })

  test('gives every match once over its pages, without names, addresses and numbers', async () => {
    const rows = []
    for (let from = 0; ; from += 2) {
      const { body } = await search({ companyId, from: String(from), size: '2' })
      expect(body.total).toBe(staff.length)
      if (body.records.length === 0) break
      rows.push(...body.records)
    }
    expect(rows.map(({ person_id }) => person_id)).toEqual(staff.map(({ id }) => `fp${numbered(id)}`))
    expect(rows[0]).toEqual({
      person_id: `fp${numbered(staff[0]!.id)}`,
      position: staff[0]!.title,
      company_name: company.name,
      linkedin: staff[0]!.linkedinSlug ?? null,
      has_email: staff[0]!.workEmail !== undefined,
      has_personal_email: staff[0]!.personalEmail !== undefined,
      has_phone: staff[0]!.phones.length > 0,
      has_mobile: staff[0]!.phones.some(({ kind }) => kind === 'mobile'),
      has_dnd_phone: staff[0]!.phones.some(({ doNotCall }) => doNotCall === true),
    })
  })

  test('filters by position and by numbers of seniority and department; words find nobody', async () => {
    const heads = callable.filter(
      (person) => ['vp', 'director', 'head'].includes(person.seniority.key) && person.company.place.country === 'AU',
    )
    const person = heads[0]!
    const filters = {
      companyId: `f${numbered(person.company.id)}`,
      seniority: '4',
      position: person.title.slice(0, 6).toUpperCase(),
    }
    expect((await search(filters)).body.records.map((row: any) => row.person_id)).toContain(`fp${numbered(person.id)}`)
    expect((await search({ ...filters, seniority: '5' })).body).toEqual({ records: [], total: 0 })
    expect((await search({ ...filters, seniority: 'VP/Director/Head of' })).body.total).toBe(0)
    const seller = callable.find(
      ({ department, company: { place } }) => department.key === 'sales' && place.country === 'AU',
    )!
    const { body } = await search({ companyId: `f${numbered(seller.company.id)}`, department: '2' })
    expect(body.records.map((row: any) => row.person_id)).toContain(`fp${numbered(seller.id)}`)
  })

  test('looks into one country: Australia, if none is given', async () => {
    const kiwi = callable.find(({ company: { place } }) => place.country === 'NZ')!
    const id = `f${numbered(kiwi.company.id)}`
    expect((await search({ companyId: id })).body.total).toBe(0)
    expect((await search({ companyId: id, selectedCountry: 'NZ' })).body.total).toBeGreaterThan(0)
  })

  test.each([
    [{}, 'companyId'],
    [{ company: 'Wattlebird' }, 'company'],
    [{ companyId, from: 0 }, 'from'],
    [{ companyId, size: 10 }, 'size'],
    [{ companyId, size: '0' }, 'size'],
    [{ companyId, size: '101' }, 'size'],
    [{ companyId, from: '-1' }, 'from'],
    [{ companyId, seniority: 4 }, 'seniority'],
    [{ companyId, department: ['2'] }, 'department'],
    [{ companyId, selectedCountry: 'GB' }, 'selectedCountry'],
    [{ companyId, selectedCountry: 'Australia' }, 'selectedCountry'],
    [[], 'JSON object'],
  ])('%j is 400 and names %s', async (body, named) => {
    const reply = await search(body)
    expect([reply.status, reply.body.error]).toEqual([400, 400])
    expect(reply.body.message).toContain(named)
  })

  test('is not read from the query', async () => {
    expect((await search({ companyId }, `/people/search?companyId=${companyId}`)).status).toBe(400)
  })
})

describe('refusals', () => {
  test.each([
    ['/people', {}, 'exactly one'],
    ['/people', { work_email: 'a@b.example', ln_slug: 'ab' }, 'exactly one'],
    ['/people', { email: 'a@b.example' }, '"email"'],
    ['/people', { linkedin_url: 'https://www.linkedin.com/in/ab' }, '"linkedin_url"'],
    ['/people', { work_email: 'not an address' }, '"work_email"'],
    ['/people', { work_email: '' }, '"work_email"'],
    ['/people', { ln_slug: 'https://www.linkedin.com/in/ab' }, '"ln_slug"'],
    ['/people', { ln_url: 'https://linkedin.com.evil.example/in/ab' }, '"ln_url"'],
    ['/people', { id: 'f000000000001' }, '"id"'],
    ['/people', { work_email: 'a@b.example', country: 'XX' }, '"country"'],
    ['/company', {}, 'exactly one'],
    ['/company', { country: 'AU' }, 'exactly one'],
    ['/company', { fqdn: 'a.example', abn: '71973100006' }, 'exactly one'],
    ['/company', { domain: 'a.example' }, '"domain"'],
    ['/company', { fqdn: 'https://a.example' }, '"fqdn"'],
    ['/company', { website: 'a.example' }, '"website"'],
    ['/company', { abn: '71 973 100 006' }, '"abn"'],
    ['/company', { fqdn: 'a.example', country: 'GB' }, '"country"'],
    ['/company', { fqdn: 'a.example', country: 'au' }, '"country"'],
  ])('%s with %j is 400 and names %s', async (path, query, named) => {
    const { status, body } = await get(path, query as Record<string, string>)
    expect([status, body.error, charged()]).toEqual([400, 400, 0])
    expect(body.message).toContain(named)
  })

  test.each([
    ['no key', {}],
    ['a key of another form', { authorization: 'Bearer sandbox_0001' }],
    ['an unknown key', { authorization: 'Bearer fbl_other' }],
    ['a key without its scheme', { authorization: 'fbl_sandbox_0001' }],
    ['a key in a header of its own', { 'x-api-key': 'fbl_sandbox_0001' }],
  ])('%s is 401', async (_what, headers) => {
    const { status, body } = await get('/company', { fqdn: 'a.example' }, headers as Record<string, string>)
    expect([status, body.error]).toEqual([401, 401])
    expect(sandbox.control.counters().refused.badKey).toBe(1)
  })

  test.each([
    ['POST', '/enrich/person'],
    ['POST', '/company'],
    ['GET', '/people/search'],
    ['GET', '/companies'],
    ['GET', '/v1/people'],
  ])('%s %s is 404 as a web framework writes it', async (method, path) => {
    const { status, body } = await read(await fetch(sandbox.origin + path, { method, headers: key() }))
    expect([status, body.error]).toEqual([404, 'Not Found'])
  })

  test('more than 50 requests in a second are 429, which does not say how long to wait; a search counts once', async () => {
    for (let i = 0; i < 25; i += 1) {
      expect((await get('/company', { fqdn: 'nobody.example' })).status).toBe(500)
      expect((await search({ companyId: 'f000000000001' })).status).toBe(200)
    }
    const { status, headers, body } = await get('/company', { fqdn: 'nobody.example' })
    expect([status, headers.get('retry-after'), body.error]).toEqual([429, null, 429])
    now += 1000
    expect((await get('/company', { fqdn: 'nobody.example' })).status).toBe(500)
  })

  test('without credits, what would cost one is 402; repeats, misses and searches go on', async () => {
    const [first, second] = dataSet.companies
    await get('/company', { fqdn: first!.domain })
    sandbox.control.setCredits(0)
    const { status, headers, body } = await get('/company', { fqdn: second!.domain })
    expect([status, body.error]).toEqual([402, 402])
    expect([...headers.keys()].filter((name) => name.includes('credit'))).toEqual([])
    expect((await get('/company', { fqdn: first!.domain })).status).toBe(200)
    expect((await get('/company', { fqdn: 'nobody.example' })).status).toBe(500)
    expect((await search({ companyId: 'f000000000001' })).status).toBe(200)
    expect(sandbox.control.counters()).toMatchObject({ creditsCharged: 1, refused: { noCredits: 1 } })
  })
})

test('a fault strikes instead of the answer, and a reset takes back what is owned', async () => {
  const company = dataSet.companies[0]!
  sandbox.control.inject({ match: { path: '/company' }, answer: { status: 503, body: {} } })
  expect((await get('/company', { fqdn: company.domain })).status).toBe(503)
  await get('/company', { fqdn: company.domain })
  sandbox.control.reset()
  await get('/company', { fqdn: company.domain })
  expect(charged()).toBe(1)
})

test('configures the pack by the name of the profile', () => {
  expect(sandbox.override).toEqual({ profile: 'firmable', baseUrl: sandbox.origin })
})
