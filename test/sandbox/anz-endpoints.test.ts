import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startAnzSandbox } from '../../shared/sandbox/anz/index.ts'
import type { AnzSandbox } from '../../shared/sandbox/anz/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'

const dataSet = createDataSet()
const people = dataSet.people.filter(({ knownTo }) => knownTo.includes('anz'))
const callable = people.filter(({ suppressed }) => !suppressed)

let sandbox: AnzSandbox
beforeAll(async () => {
  sandbox = await startAnzSandbox({ limits: { requests: 10_000 } })
})
afterAll(() => sandbox.close())
beforeEach(() => sandbox.control.reset())

const send = async (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = { 'x-api-key': sandbox.credentials.apiKey },
) => {
  const content = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
  const reply = await fetch(sandbox.origin + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...content,
  })
  return { status: reply.status, headers: reply.headers, body: (await reply.json()) as any }
}
const post = (path: string, body: unknown) => send('POST', path, body)
const charged = () => sandbox.control.counters().creditsCharged

describe('people', () => {
  test('are found by each identifier, and the same record comes back', async () => {
    const person = callable.find(
      ({ workEmail, linkedinSlug, phones }) => workEmail && linkedinSlug && phones.length > 1,
    )!
    const ways = [
      { email: person.workEmail!.toUpperCase() },
      { linkedin_slug: person.linkedinSlug },
      { linkedin_url: `https://au.linkedin.com/in/${person.linkedinSlug}/?trk=x` },
    ]
    const replies = await Promise.all(ways.map((way) => post('/enrich/person', way)))
    for (const { status, body } of replies) {
      expect(status).toBe(200)
      expect(body).toEqual(replies[0]!.body)
    }
    const { person: record, credits_charged } = replies[0]!.body
    expect(record).toMatchObject({
      first_name: person.firstName,
      position: person.title,
      linkedin_slug: person.linkedinSlug,
    })
    expect(record.company.abn).toBe(person.company.abn ?? null)
    expect(record.phones.map((phone: any) => phone.do_not_call)).toEqual(
      person.phones.map(({ doNotCall }) => doNotCall),
    )
    expect([credits_charged, charged()]).toEqual([2, 6])
  })

  test('without telephone cost one credit', async () => {
    const person = callable.find(({ workEmail, phones }) => workEmail && phones.length === 0)!
    const { body } = await post('/enrich/person', { email: person.workEmail })
    expect([body.credits_charged, body.person.phones]).toEqual([1, []])
  })

  test('with letters beyond ASCII are found by the encoded address', async () => {
    const person = callable.find(({ linkedinSlug }) => /[^\x20-\x7e]/.test(linkedinSlug ?? ''))!
    const url = `https://www.linkedin.com/in/${encodeURIComponent(person.linkedinSlug!)}`
    expect((await post('/enrich/person', { linkedin_url: url })).body.person.id).toBe(person.id)
  })

  test('who opted out are 451, free, and in no search', async () => {
    const person = people.find(({ suppressed, workEmail }) => suppressed && workEmail)!
    const { status, body } = await post('/enrich/person', { email: person.workEmail })
    expect([status, charged()]).toEqual([451, 0])
    expect(body.error).toMatch(/opted out/)
    const reply = await post('/search/people', { company: person.company.name })
    expect(reply.body.results.map((row: any) => row.person_id)).not.toContain(person.id)
  })

  test('known to the other provider only are not found', async () => {
    const person = dataSet.people.find(({ knownTo, workEmail }) => !knownTo.includes('anz') && workEmail)!
    expect((await post('/enrich/person', { email: person.workEmail })).status).toBe(404)
  })
})

describe('companies', () => {
  test('are found by each identifier for one credit', async () => {
    const company = dataSet.companies[0]!
    const ways = [
      { abn: company.abn },
      { domain: company.domain },
      { website: `https://www.${company.domain}/about` },
      { linkedin_url: `https://www.linkedin.com/company/${company.linkedinSlug}/about/` },
      { linkedin_url: `https://www.linkedin.com/company/${company.linkedinId}` },
    ]
    for (const way of ways) {
      const { body } = await post('/enrich/company', way)
      expect(body).toMatchObject({
        company: { name: company.name, abn: company.abn, employee_count: company.employees },
        credits_charged: 1,
      })
    }
    expect(charged()).toBe(ways.length)
  })
})

describe('refusals', () => {
  const person = '/enrich/person'
  const company = '/enrich/company'
  test.each([
    [person, {}, 'linkedin_url'],
    [person, { email: 'a@b.example', linkedin_slug: 'ab' }, 'linkedin_slug'],
    [person, { email: 'a@b.example', linkedin_url: 'https://www.linkedin.com/in/ab' }, 'email'],
    [person, { email: 'not an address' }, 'email'],
    [person, { email: 7 }, 'email'],
    [person, { email: '' }, 'email'],
    [person, { email: null }, 'email'],
    [person, { email: ['a@b.example'] }, 'email'],
    [person, { linkedin_slug: 'https://www.linkedin.com/in/ab' }, 'linkedin_slug'],
    [person, { linkedin_url: 'ab' }, 'linkedin_url'],
    [person, { linkedin_url: 'https://www.linkedin.com/company/ab' }, 'linkedin_url'],
    [person, { linkedin_url: 'https://linkedin.com.evil.example/in/ab' }, 'linkedin_url'],
    [person, { linkedinUrl: 'https://www.linkedin.com/in/ab' }, 'linkedinUrl'],
    [person, { email: 'a@b.example', note: 'x' }, 'note'],
    [person, { constructor: 'x' }, 'constructor'],
    [company, { domain: 'https://a.example' }, 'domain'],
    [company, { website: 'a.example' }, 'website'],
    [company, { abn: '71 973 100 006' }, 'abn'],
    [company, { abn: 71973100006 }, 'abn'],
    [company, { domain: 'a.example', abn: '71973100006' }, 'abn'],
    [company, { name: 'Wattlebird' }, 'name'],
    ['/search/people', {}, 'company'],
    ['/search/people', { states: 'AU-NSW' }, 'states'],
    ['/search/people', { states: ['NSW'] }, 'states'],
    ['/search/people', { states: ['GB-LND'] }, 'states'],
    ['/search/people', { company_size: '10' }, 'company_size'],
    ['/search/people', { position: ['x'] }, 'position'],
    ['/search/people', { position: 'x', page: 0 }, 'page'],
    ['/search/people', { position: 'x', page: '1' }, 'page'],
    ['/search/people', { position: 'x', page_size: 51 }, 'page_size'],
  ])('%s with %j is 400 and names %s', async (path, body, field) => {
    const reply = await post(path, body)
    expect([reply.status, reply.body.field, charged()]).toEqual([400, field, 0])
    expect(reply.body.error).toMatch(/\.$/)
  })

  test.each([
    ['POST', '/enrich/person?email=a@b.example', {}, 400, /"email" is in the query/],
    ['POST', '/enrich/person', '{"email":', 400, /not valid JSON/],
    ['POST', '/enrich/person', [], 400, /JSON object/],
    ['POST', '/enrich/person', 'null', 400, /JSON object/],
    ['GET', '/enrich/person', undefined, 405, /takes POST/],
    ['DELETE', '/search/people', undefined, 405, /takes POST/],
    ['POST', '/enrich/person/', { email: 'a@b.example' }, 404, /no endpoint/],
    ['POST', '/people', {}, 404, /no endpoint/],
    ['POST', '/enrich/person', JSON.stringify({ email: 'x'.repeat(1_100_000) }), 413, /./],
  ])('%s %s with %j is %d', async (method, path, body, status, message) => {
    const reply = await send(method, path, body)
    expect(reply.status).toBe(status)
    expect(reply.body.error).toMatch(message)
  })

  test('an endpoint that does not exist never reads like a miss', async () => {
    expect((await post('/enrich/people', {})).body.error).not.toMatch(/not found/i)
  })

  test('a form body is 415', async () => {
    const headers = { 'x-api-key': sandbox.credentials.apiKey, 'content-type': 'application/x-www-form-urlencoded' }
    expect((await send('POST', '/enrich/person', 'email=a%40b.example', headers)).status).toBe(415)
  })

  test.each([
    ['no key', {}],
    ['an unknown key', { 'x-api-key': 'nobody' }],
    ['the key as a bearer token', { authorization: 'Bearer anz-sandbox-key-0001' }],
  ])('%s is 401', async (_name, headers) => {
    const reply = await send('POST', '/enrich/person', { email: 'a@b.example' }, headers as Record<string, string>)
    expect(reply.status).toBe(401)
    expect(reply.body.error).toMatch(/header x-api-key/)
    expect(sandbox.control.counters().refused.badKey).toBe(1)
  })
})

describe('no match', () => {
  const forms: [form: 'null' | 'object' | 'list' | '404' | '500', status: number, body: unknown][] = [
    ['null', 200, null],
    ['object', 200, {}],
    ['list', 200, []],
    ['404', 404, { error: 'Person profile not found' }],
    ['500', 500, { error: 'Person profile not found' }],
  ]
  test.each(forms)('in the form %s, by control and by identifier', async (form, status, body) => {
    const byMarker = await post('/enrich/person', { email: `miss-${form}@nobody.example` })
    expect([byMarker.status, byMarker.body]).toEqual([status, body])
    sandbox.control.setNoMatch(form)
    const byControl = await post('/enrich/person', { linkedin_slug: 'nobody-here' })
    expect([byControl.status, byControl.body, charged()]).toEqual([status, body, 0])
    expect(byControl.headers.get('content-type')).toMatch(/^application\/json/)
    expect(sandbox.control.counters().misses).toBe(2)
  })
})

describe('credits', () => {
  test('run out: 402 for a person that costs two of one left, then for everything', async () => {
    sandbox.control.setCredits(1)
    const dear = callable.find(({ workEmail, phones }) => workEmail && phones.length > 0)!
    expect((await post('/enrich/person', { email: dear.workEmail })).status).toBe(402)
    expect((await post('/enrich/company', { abn: dataSet.companies[0]!.abn })).status).toBe(200)
    expect((await post('/enrich/person', { email: 'nobody@nobody.example' })).status).toBe(402)
    expect((await post('/search/people', { seniority: 'head' })).status).toBe(402)
    expect(sandbox.control.state().credits).toEqual({ total: 1, remaining: 0, used: 1 })
    expect(sandbox.control.counters()).toMatchObject({ creditsCharged: 1, refused: { noCredits: 3 } })
    expect((await send('GET', '/account/usage')).body).toEqual({
      plan: 'sandbox',
      credits: { total: 1, remaining: 0, used: 1 },
    })
  })
})

describe('search', () => {
  const all = async (filters: object) => {
    const rows: any[] = []
    for (let page = 1; ; page += 1) {
      const { body } = await post('/search/people', { ...filters, page, page_size: 7 })
      rows.push(...body.results)
      if (body.results.length === 0) return { rows, total: body.total }
    }
  }
  test('gives every match once over its pages', async () => {
    const { rows, total } = await all({ states: ['AU-NSW', 'NZ-AUK'] })
    const expected = callable
      .filter(({ company }) => ['AU-NSW', 'NZ-AUK'].includes(company.place.region))
      .map(({ id }) => id)
    expect(rows.map((row) => row.person_id)).toEqual(expected)
    expect(total).toBe(expected.length)
    expect(total).toBeGreaterThan(14)
  })

  test('combines filters, and shows no e-mail or number', async () => {
    const person = callable[0]!
    const filters = {
      company: person.company.name,
      position: person.title.slice(0, 6),
      seniority: person.seniority.key,
      department: person.department.key,
    }
    const { body } = await post('/search/people', { ...filters, company_size: person.company.sizeBand })
    expect(body.results.map((row: any) => row.person_id)).toEqual([person.id])
    expect(JSON.stringify(body)).not.toMatch(/@|\+6[14]/)
    expect(body.credits_charged).toBe(1)
  })

  test('costs one credit for ten rows begun, and nothing when empty', async () => {
    const { body } = await post('/search/people', { seniority: 'head', page_size: 11 })
    expect([body.results.length, body.credits_charged]).toEqual([11, 2])
    const none = await post('/search/people', { seniority: 'wizard' })
    expect(none.body).toMatchObject({ results: [], total: 0, credits_charged: 0 })
  })
})
