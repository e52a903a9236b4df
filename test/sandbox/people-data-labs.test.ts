import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'

const dataSet = createDataSet()
const people = dataSet.people.filter(({ knownTo }) => knownTo.includes('contact'))
const findable = people.filter(({ suppressed }) => !suppressed)
const companies = dataSet.companies.filter(({ knownTo }) => knownTo.includes('contact'))
const full = findable.find(
  ({ workEmail, personalEmail, linkedinSlug, phones }) =>
    workEmail && personalEmail && linkedinSlug && phones.length > 1,
)!
const hidden = people.find(({ suppressed, workEmail }) => suppressed && workEmail)!
const notFound = { status: 404, error: { type: 'not_found', message: 'No records were found matching your request' } }

let now = Date.parse('2026-01-05T10:00:00.500Z')
let sandbox: ContactSandbox
beforeAll(async () => {
  sandbox = await startContactSandbox({ profile: 'people-data-labs', now: () => now })
})
afterAll(() => sandbox.close())
beforeEach(() => sandbox.control.reset())

const key = () => ({ 'X-Api-Key': sandbox.credentials.apiKey })
const read = async (reply: Response) => ({
  status: reply.status,
  headers: reply.headers,
  body: (await reply.json()) as any,
})
const get = async (path: string, query: Record<string, string>, headers: Record<string, string> = key()) =>
  read(await fetch(`${sandbox.origin}${path}?${new URLSearchParams(query).toString()}`, { headers }))
const post = async (path: string, body: unknown, headers: Record<string, string> = key()) =>
  read(
    await fetch(sandbox.origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }),
  )
const charged = () => sandbox.control.counters().creditsCharged
const person = (query: Record<string, string>) => get('/v5/person/enrich', query)

describe('person enrichment', () => {
  test('finds by each input, by GET and POST, for one credit each', async () => {
    const ways = [
      { email: full.workEmail! },
      { email: full.personalEmail! },
      { profile: `linkedin.com/in/${full.linkedinSlug}` },
      { profile: `https://www.linkedin.com/in/${full.linkedinSlug}/` },
      { phone: full.phones.find(({ kind }) => kind === 'office')!.number },
      { first_name: full.firstName, last_name: full.lastName, company: full.company.name },
      { name: `${full.firstName} ${full.lastName}`, company: full.company.domain },
      { name: `${full.firstName} ${full.lastName}`, locality: full.company.place.city },
    ]
    const seen = []
    for (const way of ways) {
      const { status, body } = await person(way)
      expect([way, status, body.status, body.data?.work_email]).toEqual([way, 200, 200, full.workEmail])
      seen.push(body.likelihood)
    }
    expect(seen).toEqual([9, 9, 9, 9, 9, 7, 7, 3])
    const posted = await post('/v5/person/enrich', { email: [full.workEmail], min_likelihood: 9 })
    const byId = await person({ pdl_id: posted.body.data.id })
    expect([posted.status, byId.body.likelihood, byId.body.data]).toEqual([200, 10, posted.body.data])
    expect(charged()).toBe(10)
  })

  test('shows lower-case values, addresses without scheme, null for what is missing', async () => {
    const { data } = (await person({ email: full.workEmail! })).body
    expect(data).toMatchObject({
      full_name: `${full.firstName} ${full.lastName}`.toLowerCase(),
      linkedin_url: `linkedin.com/in/${full.linkedinSlug}`,
      job_title: full.title.toLowerCase(),
      job_company_website: full.company.domain,
      personal_emails: [full.personalEmail],
      mobile_phone: full.phones[0]!.number.replaceAll(' ', ''),
      middle_name: null,
    })
    const titled = (await person({ email: full.workEmail!, titlecase: 'true' })).body.data
    expect([titled.first_name, titled.work_email, titled.job_title_role]).toEqual([
      full.firstName,
      full.workEmail,
      data.job_title_role,
    ])
    expect(
      Object.keys((await person({ email: full.workEmail!, data_include: 'full_name,work_email' })).body.data),
    ).toEqual(['full_name', 'work_email'])
    expect((await person({ email: full.workEmail!, data_include: '-full_name' })).body.data).not.toHaveProperty(
      'full_name',
    )
  })

  test('the body has precedence over the query', async () => {
    const other = findable.find(({ workEmail }) => workEmail && workEmail !== full.workEmail)!
    const { body } = await post(`/v5/person/enrich?email=${other.workEmail}`, { email: full.workEmail })
    expect(body.data.work_email).toBe(full.workEmail)
  })

  test.each([
    ['nobody', { email: 'nobody@nobody.example' }],
    ['a match that is not sure enough', { email: full.workEmail!, min_likelihood: '10' }],
    ['somebody who opted out', { email: hidden.workEmail! }],
  ])('%s is 404 of the type not_found, and free', async (_what, query) => {
    const { status, body, headers } = await person(query)
    expect([status, body]).toEqual([404, notFound])
    expect([headers.get('x-call-credits-spent'), charged()]).toEqual(['0', 0])
  })

  test.each([
    [{}],
    [{ name: 'Mirrin Alcott' }],
    [{ first_name: 'Mirrin', company: 'Wattlebird Freight' }],
    [{ company: 'Wattlebird Freight' }],
    [{ email: '' }],
    [{ linkedin_url: 'linkedin.com/in/ab' }],
    [{ email: 'a@b.example', min_likelihood: '11' }],
    [{ email: 'a@b.example', titlecase: 'yes' }],
  ])('%j is 400', async (query) => {
    const { status, body } = await person(query as Record<string, string>)
    expect([status, body.status, body.error.type]).toEqual([400, 400, 'invalid_request_error'])
    expect(sandbox.control.counters().refused.badRequest).toBe(1)
  })
})

describe('company enrichment', () => {
  const company = companies[0]!
  test('finds by each input; the record is at the top of the answer', async () => {
    const ways: [Record<string, string>, number][] = [
      [{ website: company.domain }, 10],
      [{ website: `https://www.${company.domain}/about` }, 10],
      [{ profile: `linkedin.com/company/${company.linkedinSlug}` }, 10],
      [{ name: company.name.toUpperCase() }, 6],
      [{ pdl_id: `sandbox${company.id.replace('-', '')}` }, 10],
    ]
    for (const [way, likelihood] of ways) {
      const { status, body, headers } = await get('/v5/company/enrich', way)
      expect([way, status, body.name, body.likelihood]).toEqual([way, 200, company.name.toLowerCase(), likelihood])
      expect(body).toMatchObject({ status: 200, employee_count: company.employees, display_name: company.name })
      expect(body).not.toHaveProperty('data')
      expect([headers.get('x-call-credits-spent'), headers.get('x-call-credits-type')]).toEqual(['1', 'enrich_company'])
    }
    expect(charged()).toBe(ways.length)
  })

  test('misses are 404, POST is 405, nothing to go by is 400', async () => {
    expect((await get('/v5/company/enrich', { website: 'nobody.example' })).body).toEqual(notFound)
    expect((await get('/v5/company/enrich', { location: 'sydney' })).status).toBe(400)
    const { status, body } = await post('/v5/company/enrich', { website: company.domain })
    expect([status, body.error.type]).toEqual([405, 'invalid_request_error'])
  })
})

describe('bulk enrichment', () => {
  test('answers in the order asked, with metadata, a status for each, and a credit for each match', async () => {
    const requests = [
      { metadata: { n: 'a' }, params: { email: full.workEmail } },
      { params: { email: 'nobody@nobody.example' }, metadata: { n: 'b' } },
      { params: { name: 'Only A Name' } },
      { params: { email: hidden.workEmail } },
      { metadata: { n: 'c' }, params: { profile: [`linkedin.com/in/${full.linkedinSlug}`] } },
    ]
    const { status, body, headers } = await post('/v5/person/bulk', { requests })
    expect([status, Array.isArray(body)]).toEqual([200, true])
    expect(body.map(({ status: itemStatus }: any) => itemStatus)).toEqual([200, 404, 400, 404, 200])
    expect(body.map(({ metadata }: any) => metadata?.n)).toEqual(['a', 'b', undefined, undefined, 'c'])
    expect(body[0]).toMatchObject({ likelihood: 9, data: { work_email: full.workEmail } })
    expect(body[1]).toEqual({ metadata: { n: 'b' }, ...notFound })
    expect(body[2].error.type).toBe('invalid_request_error')
    expect([headers.get('x-call-credits-spent'), charged()]).toEqual(['2', 2])
    expect(sandbox.control.counters()).toMatchObject({ records: 5, matches: 2, misses: 1, suppressed: 1 })
  })

  test.each([
    ['no list', {}],
    ['a bare list', [{ params: { email: 'a@b.example' } }]],
    ['an empty list', { requests: [] }],
    ['more than 100', { requests: Array.from({ length: 101 }, () => ({ params: { email: 'a@b.example' } })) }],
    ['something unknown beside the list', { requests: [{ params: { email: 'a@b.example' } }], limit: 1 }],
  ])('%s is 400', async (_what, body) => {
    expect((await post('/v5/person/bulk', body)).status).toBe(400)
  })

  test('is refused whole when the credits do not reach', async () => {
    sandbox.control.setCredits(1)
    const requests = [
      { params: { email: full.workEmail } },
      { params: { profile: `linkedin.com/in/${full.linkedinSlug}` } },
    ]
    const { status, body } = await post('/v5/person/bulk', { requests })
    expect([status, body.error.type, charged()]).toEqual([402, 'payment_required', 0])
    expect(sandbox.control.counters()).toMatchObject({ matches: 0, records: 0 })
  })
})

describe('retrieval', () => {
  const idOf = async () => (await person({ email: full.workEmail! })).body.data.id as string
  test('gives the person of an id for a credit, and 404 for an id that nobody has', async () => {
    const id = await idOf()
    const { body, headers } = await get(`/v5/person/retrieve/${id}`, {})
    expect([body.status, body.billed, body.data.work_email]).toEqual([200, true, full.workEmail])
    expect([headers.get('x-call-credits-spent'), charged()]).toEqual(['1', 2])
    expect((await get('/v5/person/retrieve/nobody', {})).body).toEqual(notFound)
    expect((await get(`/v5/person/retrieve/${id}`, { email: full.workEmail! })).status).toBe(400)
  })

  test('in bulk answers in the order asked, with metadata and a status for each', async () => {
    const id = await idOf()
    const requests = [
      { id: 'nobody', metadata: { n: 1 } },
      { id, metadata: { n: 2 } },
      { params: { email: full.workEmail } },
    ]
    const { body } = await post('/v5/person/retrieve/bulk', { requests })
    expect(body.map(({ status, metadata, billed }: any) => [status, metadata?.n, billed])).toEqual([
      [404, 1, undefined],
      [200, 2, true],
      [400, undefined, undefined],
    ])
    expect(charged()).toBe(2)
  })
})

describe('search', () => {
  const sales = findable.filter(
    ({ department, company: { place } }) => department.key === 'sales' && place.country === 'AU',
  )
  const query = {
    bool: { must: [{ term: { job_title_role: 'sales' } }], filter: { term: { location_country: 'australia' } } },
  }

  test('pages through every match by token, one credit for each record', async () => {
    const seen: string[] = []
    let token: string | undefined
    do {
      const { status, body } = await post('/v5/person/search', {
        query,
        size: 3,
        ...(token === undefined ? {} : { scroll_token: token }),
      })
      expect([status, body.total]).toEqual([200, sales.length])
      seen.push(...body.data.map(({ full_name }: any) => full_name))
      token = body.scroll_token
    } while (token !== undefined)
    expect(seen).toEqual(sales.map(({ firstName, lastName }) => `${firstName} ${lastName}`.toLowerCase()))
    expect([sales.length > 6, charged()]).toEqual([true, sales.length])
  })

  test('shows one record where no size is given, by GET too', async () => {
    const { body, headers } = await get('/v5/person/search', { query: JSON.stringify(query) })
    expect([body.data.length, body.total, headers.get('x-call-credits-type')]).toEqual([1, sales.length, 'search'])
  })

  test.each([
    [{ match: { job_title: 'CHIEF officer' } }, (candidate: any) => /chief|officer/i.test(candidate.title)],
    [
      { match_phrase: { job_title: 'chief technology' } },
      (candidate: any) => /chief technology/i.test(candidate.title),
    ],
    [
      { terms: { job_title_levels: ['cxo', 'owner'] } },
      (candidate: any) => ['c_suite', 'owner'].includes(candidate.seniority.key),
    ],
    [{ prefix: { job_company_website: 'tide' } }, (candidate: any) => candidate.company.domain.startsWith('tide')],
    [
      { range: { job_company_founded: { gte: 2015, lt: 2018 } } },
      (candidate: any) => candidate.company.founded >= 2015 && candidate.company.founded < 2018,
    ],
    [
      { bool: { must_not: { exists: { field: 'work_email' } } } },
      (candidate: any) => candidate.workEmail === undefined,
    ],
    [
      { bool: { should: [{ term: { location_locality: 'sydney' } }, { term: { location_locality: 'perth' } }] } },
      (candidate: any) => ['Sydney', 'Perth'].includes(candidate.company.place.city),
    ],
    [{ term: { 'emails.type': 'personal' } }, (candidate: any) => candidate.personalEmail !== undefined],
  ])('reads %j', async (clause, fits) => {
    const { body } = await post('/v5/person/search', { query: clause, size: 100 })
    expect(body.total).toBe(findable.filter(fits).length)
    expect(body.total).toBeGreaterThan(0)
  })

  test('of companies charges companies', async () => {
    const { body, headers } = await post('/v5/company/search', {
      query: { term: { industry: 'software' } },
      size: 100,
      titlecase: true,
    })
    expect(body.data.map(({ display_name }: any) => display_name)).toEqual(
      companies.filter(({ industry }) => industry === 'Software').map(({ name }) => name),
    )
    expect(body.data[0].industry).toBe('Software')
    expect([headers.get('x-call-credits-type'), charged()]).toEqual(['search_company', body.total])
  })

  test('compares terms as they are, and finding nobody is a free 404', async () => {
    const { status, body } = await post('/v5/person/search', { query: { term: { location_country: 'Australia' } } })
    expect([status, body, charged()]).toEqual([404, notFound, 0])
  })

  test.each([
    [{}],
    [{ sql: "SELECT * FROM person WHERE location_country='australia'" }],
    [{ query, sql: 'x' }],
    [{ query, size: 0 }],
    [{ query, size: 101 }],
    [{ query, scroll_token: '3$00000000' }],
    [{ query: { bool: { any: [] } } }],
    [{ query: { fuzzy: { job_title: 'sales' } } }],
    [{ query: { term: { a: 1, b: 2 } } }],
    [{ query: 'sales' }],
    [{ filters: {} }],
  ])('%j is 400', async (body) => {
    const reply = await post('/v5/person/search', body)
    expect([reply.status, reply.body.error.type, charged()]).toEqual([400, 'invalid_request_error', 0])
  })
})

describe('keys, limits and credits', () => {
  test.each([
    ['no key', {}, {}],
    ['an unknown key', { 'x-api-key': 'nobody' }, {}],
    ['the key as a bearer token', { authorization: 'Bearer pdl-sandbox-key-0001' }, {}],
    ['an unknown key in the query', {}, { api_key: 'nobody' }],
  ])('%s is 401, without a word about usage', async (_what, headers, query) => {
    const {
      status,
      body,
      headers: got,
    } = await get('/v5/person/enrich', { email: 'a@b.example', ...query }, headers as Record<string, string>)
    expect([status, body.error.type, got.get('x-ratelimit-remaining')]).toEqual([401, 'authentication_error', null])
  })

  test('the key may be in the query', async () => {
    expect(
      (await get('/v5/person/enrich', { email: full.workEmail!, api_key: sandbox.credentials.apiKey }, {})).status,
    ).toBe(200)
  })

  test('every answer says what is left, as an object in text, and when it resets', async () => {
    await person({ email: full.workEmail! })
    now += 10_000
    const { headers } = await person({ email: 'nobody@nobody.example' })
    expect(Object.fromEntries([...headers].filter(([name]) => name.startsWith('x-')))).toEqual({
      'x-call-credits-spent': '0',
      'x-call-credits-type': 'enrich',
      'x-lifetime-used': '1',
      'x-totallimit-remaining': '9999',
      'x-totallimit-purchased-remaining': '9999',
      'x-totallimit-overages-remaining': '0',
      'x-ratelimit-limit': '{"minute":1000,"day":null,"month":null}',
      'x-ratelimit-remaining': '{"minute":998,"day":null,"month":null}',
      'x-ratelimit-limit.minute': '1000',
      'x-ratelimit-remaining.minute': '998',
      'x-ratelimit-reset': new Date(Math.ceil((now - 10_000 + 60_000) / 1000) * 1000)
        .toISOString()
        .replace('.000Z', 'Z'),
    })
  })

  test('limits count by endpoint, in fixed minutes, and do not say how long to wait', async () => {
    const query = { term: { job_title_role: 'sales' } }
    for (let i = 0; i < 10; i += 1) expect((await post('/v5/person/search', { query })).status).toBe(200)
    now += 59_000
    const { status, body, headers } = await post('/v5/person/search', { query })
    expect([status, body.error.type, headers.get('retry-after')]).toEqual([429, 'rate_limit_error', null])
    expect(headers.get('x-ratelimit-remaining')).toBe('{"minute":0,"day":null,"month":null}')
    expect((await person({ email: full.workEmail! })).status).toBe(200)
    now += 1000
    expect((await post('/v5/person/search', { query })).status).toBe(200)
  })

  test('without credits every request is 402', async () => {
    sandbox.control.setCredits(0)
    for (const reply of [
      await person({ email: 'nobody@nobody.example' }),
      await post('/v5/person/search', {}),
      await get('/v5/company/enrich', {}),
    ]) {
      expect([reply.status, reply.body.error.type, reply.headers.get('x-totallimit-remaining')]).toEqual([
        402,
        'payment_required',
        '0',
      ])
    }
    expect(sandbox.control.counters().refused.noCredits).toBe(3)
  })

  test('an unknown path is a 404 that does not read like a miss', async () => {
    for (const path of ['/person/enrich', '/v5/person', '/v5/people/enrich']) {
      expect([path, (await get(path, {})).body]).toEqual([path, { message: 'Not Found' }])
    }
    expect(sandbox.override).toEqual({ profile: 'people-data-labs', baseUrl: sandbox.origin })
  })
})
