import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { callable, clientOf, companies, full, nobody, optedOut, people, withoutPhones } from './lusha-client.ts'
import { refusals } from './refusals.ts'

const knownPerson = full[0]!
let now = 0
let sandbox: ContactSandbox
beforeAll(async () => {
  sandbox = await startContactSandbox({
    profile: 'lusha-v3',
    limits: { requests: 10_000 },
    windows: { minute: 10_000, usage: 100 },
    now: () => now,
  })
})
afterAll(() => sandbox.close())
beforeEach(() => {
  now = 1_700_000_000_000
  sandbox.control.reset()
})
const { send, post, get, charged, chargedFor } = clientOf(() => sandbox)

const lookUp = '/v3/contacts/search-and-enrich'
const enrich = '/v3/contacts/enrich'
const lookUpCompany = '/v3/companies/search-and-enrich'
const prospect = '/v3/contacts/prospecting'
const prospectCompanies = '/v3/companies/prospecting'
const first = (reply: { body: any }) => reply.body.results[0]
const idOf = async (email: string) =>
  first(await post(lookUp, { contacts: [{ email }], reveal: ['emails'] })).id as string

test('the override names the profile and the address', () => {
  expect(sandbox.override).toEqual({ profile: 'lusha-v3', baseUrl: sandbox.origin })
})

describe('the key', () => {
  const key = 'lusha-sandbox-key-0003'
  test.each([
    {},
    { authorization: `Bearer ${key}` },
    { 'x-api-key': key },
    { 'api-key': key },
    { api_key: `Bearer ${key}` },
    { api_key: `${key}1` },
  ])('anywhere but in api_key, or another: %j is 401', async (headers) => {
    const reply = await send(
      'POST',
      lookUp,
      { contacts: [{ email: knownPerson.workEmail }] },
      headers as Record<string, string>,
    )
    expect([reply.status, reply.body, charged()]).toEqual([401, { statusCode: 401, message: 'Invalid API key' }, 0])
    expect(reply.headers.get('x-rate-limit-minute')).toBeNull()
  })
  test('in the query is 401', async () => {
    expect((await send('GET', `/v3/account/usage?api_key=${key}`, undefined, {})).status).toBe(401)
  })
})

describe('paths and methods', () => {
  test.each([
    ['POST', '/v2/person'],
    ['POST', '/person'],
    ['POST', '/contacts/search-and-enrich'],
    ['POST', `${lookUp}/`],
    ['PUT', lookUp],
    ['GET', lookUp],
    ['POST', '/v3/account/usage'],
    ['GET', prospect],
  ])('%s %s is 404', async (method, path) => {
    const reply = await send(
      method,
      path,
      method === 'GET' ? undefined : { contacts: [{ email: knownPerson.workEmail }] },
    )
    expect([reply.status, reply.body.statusCode, charged()]).toEqual([404, 404, 0])
    expect(reply.body.message).toContain(path)
  })
})

describe('contacts', () => {
  test('are found by id, e-mail, LinkedIn address and name with company, and paid for once', async () => {
    const name = { firstName: knownPerson.firstName, lastName: knownPerson.lastName }
    const reply = await post(lookUp, { contacts: [{ clientReferenceId: 'a', email: knownPerson.workEmail }] })
    const id = first(reply).id as string
    expect(reply.status).toBe(200)
    expect(reply.body.billing).toEqual({ creditsCharged: 7, resultsReturned: 1 })
    expect(chargedFor()).toEqual({ email: 1, phone: 5, results: 1 })
    const ways = [
      { id },
      { linkedinUrl: `https://www.linkedin.com/in/${knownPerson.linkedinSlug}` },
      { ...name, companyName: knownPerson.company.name },
      { ...name, companyDomain: `www.${knownPerson.company.domain}` },
      { id: '1', email: knownPerson.workEmail },
    ]
    for (const way of ways) {
      const again = await post(lookUp, { contacts: [way] })
      expect([first(again).id, again.body.billing]).toEqual([id, { creditsCharged: 1, resultsReturned: 1 }])
      expect(first(again)).not.toHaveProperty('clientReferenceId')
    }
    expect(first(reply)).toMatchObject({
      clientReferenceId: 'a',
      fullName: `${knownPerson.firstName} ${knownPerson.lastName}`,
      jobTitle: { title: knownPerson.title, departments: [knownPerson.department.label] },
      company: { name: knownPerson.company.name },
      emails: [
        {
          email: knownPerson.workEmail,
          type: 'work',
          confidence: knownPerson.confidence,
          updateDate: knownPerson.updatedAt.slice(0, 10),
        },
      ],
      location: { country: knownPerson.company.place.countryName, countryIso2: knownPerson.company.place.country },
    })
    expect(first(reply).phones[0].number).toBe(knownPerson.phones[0]!.number.replaceAll(' ', ''))
  })

  test('reveal what is asked for, and pay for that', async () => {
    const emails = await post(lookUp, { contacts: [{ email: knownPerson.workEmail }], reveal: ['emails'] })
    expect(first(emails)).not.toHaveProperty('phones')
    expect(emails.body.billing.creditsCharged).toBe(2)
    const phones = await post(enrich, { ids: [first(emails).id], reveal: ['phones'] })
    expect(first(phones)).not.toHaveProperty('emails')
    expect(phones.body.billing.creditsCharged).toBe(5)
    const both = await post(enrich, { ids: [first(emails).id] })
    expect([Object.keys(first(both)).includes('phones'), both.body.billing.creditsCharged]).toEqual([true, 0])
    expect(chargedFor()).toEqual({ email: 1, phone: 5, results: 1 })
  })

  test('are not charged for what they do not have', async () => {
    const reply = await post(lookUp, { contacts: [{ email: withoutPhones.workEmail }] })
    expect(reply.body.billing.creditsCharged).toBe(2)
    expect(first(reply).phones ?? []).toEqual([])
  })

  test('answer each item of a batch, those found first where all have references', async () => {
    const contacts = [
      { clientReferenceId: '1', email: nobody },
      { clientReferenceId: '2', email: knownPerson.workEmail },
      { clientReferenceId: '3', email: optedOut.workEmail },
      { clientReferenceId: '4', email: 'enrich-failed@nobody.example' },
      { clientReferenceId: '5', email: knownPerson.workEmail },
      { clientReferenceId: '6', email: full[1]!.workEmail },
    ]
    const { body } = await post(lookUp, { contacts, reveal: ['emails'] })
    expect(body.results.map(({ clientReferenceId, error }: any) => [clientReferenceId, error?.code])).toEqual([
      ['2', undefined],
      ['5', undefined],
      ['6', undefined],
      ['1', 'NOT_FOUND'],
      ['3', 'COMPLIANCE_RESTRICTED'],
      ['4', 'ENRICH_FAILED'],
    ])
    expect(body.billing).toEqual({ creditsCharged: 3, resultsReturned: 3 })
    expect([charged(), chargedFor()]).toEqual([3, { email: 2, results: 1 }])
    expect(sandbox.control.counters()).toMatchObject({ matches: 3, misses: 2, suppressed: 1, records: 6 })
    expect(sandbox.control.requests()[0]).toMatchObject({ credits: 3 })
  })

  test('keep the order where an item has no reference', async () => {
    const { body } = await post(lookUp, {
      contacts: [{ clientReferenceId: '1', email: nobody }, { email: knownPerson.workEmail }],
    })
    expect(body.results.map(({ error }: any) => error?.code)).toEqual(['NOT_FOUND', undefined])
  })

  test('by id answer with the id, also those that are nobody', async () => {
    const id = await idOf(knownPerson.workEmail!)
    const { body } = await post(enrich, { ids: ['77', id], reveal: ['emails'] })
    expect(body.results.map((result: any) => [result.id, result.error?.code])).toEqual([
      [id, undefined],
      ['77', 'NOT_FOUND'],
    ])
  })

  test('of which nobody is found are free, or cost the minimum', async () => {
    expect((await post(lookUp, { contacts: [{ email: nobody }] })).body.billing).toEqual({
      creditsCharged: 0,
      resultsReturned: 0,
    })
    sandbox.control.setSwitches({ misses: 'minimum' })
    expect((await post(lookUp, { contacts: [{ email: nobody }] })).body.billing.creditsCharged).toBe(1)
    expect([charged(), chargedFor()]).toEqual([1, { minimum: 1 }])
  })

  test('are 100 at most, and the search costs 1 for each 25 found', async () => {
    const many = full.slice(0, 100)
    expect(many).toHaveLength(100)
    const { body } = await post(lookUp, {
      contacts: many.map(({ workEmail }) => ({ email: workEmail })),
      reveal: ['emails'],
    })
    expect(body.billing).toEqual({ creditsCharged: 104, resultsReturned: 100 })
    const over = await post(lookUp, { contacts: Array.from({ length: 101 }, () => ({ email: knownPerson.workEmail })) })
    expect([over.status, over.body.errors, charged()]).toEqual([
      400,
      ['contacts must contain no more than 100 elements'],
      104,
    ])
    expect((await post(enrich, { ids: Array.from({ length: 101 }, String) })).status).toBe(400)
  })

  test('of a search alone are shown without values, with what they would cost', async () => {
    const { body } = await post('/v3/contacts/search', { contacts: [{ email: knownPerson.workEmail }] })
    expect(body.results[0].canReveal).toEqual([
      { field: 'emails', credits: 1 },
      { field: 'phones', credits: 5 },
    ])
    expect(JSON.stringify(body)).not.toMatch(/@|doNotCall/)
    expect(body.billing.creditsCharged).toBe(1)
    await post(enrich, { ids: [body.results[0].id], reveal: ['emails'] })
    const again = await post('/v3/contacts/search', { contacts: [{ email: knownPerson.workEmail }] })
    expect(again.body.results[0].canReveal[0]).toEqual({ field: 'emails', credits: 0 })
  })

  test('leave out or empty what they have nothing for, by turns', async () => {
    const bare = callable.filter(({ workEmail, phones }) => workEmail && phones.length === 0)
    const { body } = await post(lookUp, { contacts: bare.map(({ workEmail }) => ({ email: workEmail })) })
    expect(new Set(body.results.map((result: any) => JSON.stringify(result.phones)))).toEqual(
      new Set(['[]', undefined]),
    )
    expect(new Set(body.results.map((result: any) => result.company.domain.startsWith('www.')))).toEqual(
      new Set([true, false]),
    )
  })
})

describe('refused requests', () => {
  test.each(refusals['lusha-v3']!)('%s with %j is %i and names %s', async (path, body, status, at) => {
    const reply = await post(path, body)
    expect([reply.status, reply.body.statusCode, charged()]).toEqual([status, status, 0])
    expect(reply.body.errors[0]).toContain(at)
  })

  test('fields in the query of a POST', async () => {
    expect((await post(`${lookUp}?email=${nobody}`, { contacts: [{ email: nobody }] })).status).toBe(400)
  })
  test('the other body of errors', async () => {
    sandbox.control.setSwitches({ errorBody: 'nested' })
    const { status, body } = await post(lookUp, {})
    expect([status, body]).toEqual([400, { error: { code: 400, message: 'contacts should not be empty' } }])
  })
})

describe('companies', () => {
  test('are found by id, domain and name, and paid for once', async () => {
    const company = companies.find(({ place }) => place.country === 'DE')!
    const reply = await post(lookUpCompany, { companies: [{ clientReferenceId: 'x', domain: company.domain }] })
    expect(reply.body.billing).toEqual({ creditsCharged: 1, resultsReturned: 1 })
    expect(first(reply)).toMatchObject({
      clientReferenceId: 'x',
      name: company.name,
      employeeCount: { exact: company.employees, min: 51, max: 200 },
      location: { city: 'Munich', countryIso2: 'DE' },
      yearFounded: company.founded,
    })
    const { id } = first(reply)
    for (const way of [{ id }, { name: company.legalName }, { domain: `www.${company.domain}` }]) {
      const again = await post(lookUpCompany, { companies: [way] })
      expect([first(again).id, again.body.billing.creditsCharged]).toEqual([id, 0])
    }
    expect((await post('/v3/companies/enrich', { ids: [id] })).body.billing).toEqual({
      creditsCharged: 0,
      resultsReturned: 1,
    })
    expect(first(await post('/v3/companies/search', { companies: [{ id }] })).canReveal).toEqual([
      { field: 'competitors', credits: 0 },
    ])
  })
  test('nobody knows have an error', async () => {
    const { body } = await post(lookUpCompany, { companies: [{ clientReferenceId: 'x', domain: 'nowhere.example' }] })
    expect(body.results).toEqual([
      { clientReferenceId: 'x', error: { code: 'NOT_FOUND', message: 'Company not found' } },
    ])
    expect(body.billing).toEqual({ creditsCharged: 0, resultsReturned: 0 })
  })
})

describe('prospecting', () => {
  const everyone = async (path: string, filters: object) => {
    const rows: any[] = []
    for (let page = 0; ; page += 1) {
      const { body } = await post(path, { pagination: { page, size: 10 }, filters })
      rows.push(...body.results)
      if (rows.length >= body.pagination.total || body.results.length === 0) return rows
    }
  }

  test('gives everybody once over its pages, without those who opted out, and charges for what is shown', async () => {
    const rows = await everyone(prospect, {
      contacts: { include: { locations: [{ country: 'Australia' }], seniorityIds: [8] } },
    })
    const expected = callable.filter(
      ({ seniority, company }) => seniority.key === 'vp' && company.place.country === 'AU',
    )
    expect(rows.map(({ socialLinks: _links, lastName, firstName }) => `${firstName} ${lastName}`)).toEqual(
      expected.map(({ firstName, lastName }) => `${firstName} ${lastName}`),
    )
    expect(rows.length).toBeGreaterThan(10)
    expect(chargedFor()).toEqual({ results: Math.ceil(rows.length / 10) })
    expect(JSON.stringify(rows)).not.toMatch(/@|doNotCall/)
    const hit = await post(enrich, { ids: rows.slice(0, 3).map(({ id }) => id), reveal: ['emails'] })
    expect(hit.body.billing.resultsReturned).toBe(3)
  })

  test('costs 1 for each 25 rows of a page, and nothing for none', async () => {
    const filters = { companies: { include: { locations: [{ country: 'Australia' }] } } }
    expect((await post(prospect, { pagination: { page: 0, size: 26 }, filters })).body.billing).toEqual({
      creditsCharged: 2,
      resultsReturned: 26,
    })
    expect((await post(prospect, { pagination: { page: 1000, size: 100 }, filters })).body).toMatchObject({
      results: [],
      billing: { creditsCharged: 0, resultsReturned: 0 },
    })
  })

  test.each([
    [{ contacts: { include: { departments: ['Astrology'] } } }],
    [{ contacts: { include: { seniorityIds: [77] } } }],
    [{ contacts: { include: { locations: [{ country: 'Atlantis' }] } } }],
    [{ companies: { include: { mainIndustriesIds: [999] } } }],
    [{ companies: { include: { intentTopics: ['Cloud Migration'] } } }],
  ])('with a value nobody knows, %j, finds nobody', async (filters) => {
    const { status, body } = await post(prospect, { pagination: { page: 0, size: 10 }, filters })
    expect([status, body.results, body.pagination.total, charged()]).toEqual([200, [], 0, 0])
  })

  // Documented, and refused all the same.
  test.each(refusals['lusha-v3 documented']!)('%s refuses %j with 400', async (path, filters, at) => {
    const { status, body } = await post(path, { pagination: { page: 0, size: 10 }, filters })
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(at)])
    expect(charged()).toBe(0)
  })

  const person = full.find(({ company }) => company.place.country === 'NZ')!
  const { company } = person
  test.each([
    [
      {
        contacts: { include: { jobTitles: [person.title.toLowerCase()] } },
        companies: { include: { names: [company.name] } },
      },
    ],
    [
      {
        contacts: { include: { departments: [person.department.label] } },
        companies: { include: { domains: [company.domain] } },
      },
    ],
    [{ contacts: { include: { linkedinUrls: [`https://www.linkedin.com/in/${person.linkedinSlug}`] } } }],
    [{ contacts: { include: { searchText: `${person.firstName} ${person.lastName}` } } }],
    [{ contacts: { include: { names: [`${person.firstName} ${person.lastName}`] } } }],
    [
      {
        contacts: {
          include: { countries: ['NZ'], existingDataPoints: ['mobile_phone'], departments: [person.department.label] },
          exclude: {},
        },
      },
    ],
    [
      {
        companies: {
          include: {
            names: [company.name],
            technologies: [company.technologies[0]],
            sizes: [{ min: company.employees }],
          },
        },
      },
    ],
    [
      {
        companies: {
          include: {
            names: [company.name],
            revenues: [{ min: 1, max: 1_000_000_000 }],
            industriesLabels: [company.industry],
          },
        },
      },
    ],
    [
      {
        companies: {
          include: {
            names: [company.name],
            locations: [{ city: company.place.city, country: company.place.countryName, countryGrouping: 'apac' }],
          },
        },
      },
    ],
  ])('finds by %j', async (filters) => {
    const { body } = await post(prospect, { pagination: { page: 0, size: 100 }, filters })
    const names = body.results.map(({ firstName, lastName }: any) => `${firstName} ${lastName}`)
    expect(names).toContain(`${person.firstName} ${person.lastName}`)
    expect(names.length).toBeLessThan(callable.length)
    const excluded = await post(prospect, {
      pagination: { page: 0, size: 100 },
      filters: {
        ...filters,
        contacts: { ...(filters as any).contacts, exclude: { searchText: `${person.firstName} ${person.lastName}` } },
      },
    })
    expect(excluded.body.results).toHaveLength(names.length - 1)
  })

  test('of companies finds by each filter', async () => {
    const rows = await everyone(prospectCompanies, {
      companies: { include: { locations: [{ country: 'New Zealand' }] } },
    })
    expect(rows.map(({ name }) => name)).toEqual(
      companies.filter(({ place }) => place.country === 'NZ').map(({ name }) => name),
    )
    const { body } = await post(prospectCompanies, {
      pagination: { page: 0, size: 10 },
      filters: { companies: { include: { sizes: [{ min: 201, max: 500 }] } } },
    })
    expect(
      body.results.every(({ employeeCount }: any) => employeeCount.exact >= 201 && employeeCount.exact <= 500),
    ).toBe(true)
    expect(body.results.length).toBeGreaterThan(3)
  })

  test('can leave out those nobody may call', async () => {
    const barred = callable.filter(
      ({ phones }) => phones.length > 0 && phones.every(({ doNotCall }) => doNotCall === true),
    )
    expect(barred.length).toBeGreaterThan(0)
    const filters = { contacts: { include: { existingDataPoints: ['phone'] } } }
    const all = await post(prospect, { pagination: { page: 0, size: 10 }, filters })
    const some = await post(prospect, { pagination: { page: 0, size: 10 }, filters, options: { excludeDnc: true } })
    expect(some.body.pagination.total).toBe(all.body.pagination.total - barred.length)
  })
})

describe('value lists', () => {
  test('are free, and what they list can be filtered by', async () => {
    const seniority = (await get('/v3/contacts/prospecting/filters/seniority')).body.values
    expect(seniority).toContainEqual({ id: 8, name: 'vice president' })
    expect(seniority).toContainEqual({ id: 4, name: 'senior' })
    const industries = (await get('/v3/companies/prospecting/filters/industriesLabels')).body.values
    const software = industries.find((industry: any) => industry.main_industry === 'Software')
    const { body } = await post(prospectCompanies, {
      pagination: { page: 0, size: 100 },
      filters: { companies: { include: { mainIndustriesIds: [software.main_industry_id] } } },
    })
    expect(body.results.map(({ name }: any) => name)).toEqual(
      companies.filter(({ industry }) => industry === 'Software').map(({ name }) => name),
    )
    expect((await get('/v3/contacts/prospecting/filters/departments')).body.values).toContain('Human Resources')
    expect((await get('/v3/companies/prospecting/filters/sizes')).body.values[1]).toEqual({ min: 11, max: 50 })
    expect(charged()).toBe(1)
  })
  test('say which of them need a query, and refuse it when it is short', async () => {
    const { body } = await get('/v3/contacts/prospecting/filters')
    expect(body.availableFilters).toContainEqual({ filterType: 'locations', requiresQuery: true })
    for (const query of ['', '?query=', '?query=a', '?text=auck'])
      expect((await get(`/v3/contacts/prospecting/filters/locations${query}`)).status, query).toBe(400)
    expect((await get('/v3/contacts/prospecting/filters/locations?query=auck')).body.values[0]).toMatchObject({
      city: 'Auckland',
      country: 'New Zealand',
    })
    expect((await get('/v3/companies/prospecting/filters/technologies?query=kube')).body.values).toEqual(['Kubernetes'])
    expect((await get('/v3/contacts/prospecting/filters/constructor')).status).toBe(400)
  })
})

describe('the account', () => {
  test('shows credits, windows and prices for nothing', async () => {
    await post(lookUp, { contacts: [{ email: knownPerson.workEmail }] })
    now += 1000
    const { body } = await get('/v3/account/usage')
    expect(body.credits).toEqual({ total: 10_000, used: 7, remaining: 9993 })
    expect(body.rateLimits.daily).toEqual({
      limit: 50_000,
      used: 2,
      remaining: 49_998,
      resetsAt: new Date(now - 1000 + 86_400_000).toISOString(),
    })
    expect(body.pricing).toEqual({
      revealEmail: { credits: 1, perQuantity: 1 },
      revealPhone: { credits: 5, perQuantity: 1 },
      revealCompany: { credits: 1, perQuantity: 1 },
      apiSearch: { credits: 1, perQuantity: 25 },
    })
    expect((await get('/v3/account/usage?full=1')).status).toBe(400)
  })

  test('without enough credits is refused whole', async () => {
    sandbox.control.setCredits(6)
    const body = { contacts: [{ email: knownPerson.workEmail }] }
    const reply = await post(lookUp, body)
    expect([reply.status, reply.body, charged()]).toEqual([
      402,
      { statusCode: 402, message: 'Insufficient credits for this operation' },
      0,
    ])
    expect((await post(lookUp, { ...body, reveal: ['phones'] })).body.billing.creditsCharged).toBe(6)
    expect((await post(lookUp, { contacts: [{ email: nobody }] })).status).toBe(402)
    expect(sandbox.control.counters()).toMatchObject({ creditsCharged: 6, refused: { noCredits: 2 } })
  })

  test('that is inactive, or of a plan for lookups, is 403', async () => {
    const search = { pagination: { page: 0, size: 10 }, filters: { contacts: { include: { jobTitles: ['a'] } } } }
    sandbox.control.setSwitches({ plan: 'premium' })
    expect((await post(prospect, { ...search, options: { excludeDnc: true } })).status).toBe(403)
    expect((await post(prospect, search)).status).toBe(200)
    sandbox.control.setSwitches({ plan: 'pro' })
    expect((await post(prospect, search)).status).toBe(403)
    expect((await get('/v3/contacts/prospecting/filters/seniority')).body).toEqual({
      statusCode: 403,
      message: 'This feature is not available in your current plan',
    })
    expect((await post(lookUp, { contacts: [{ email: nobody }] })).status).toBe(200)
    sandbox.control.setSwitches({ account: 'inactive' })
    expect((await get('/v3/account/usage')).body.message).toMatch(/not active/)
  })
})

describe('limits', () => {
  test('are told in nine headers of every answer', async () => {
    const { headers } = await post(lookUp, {})
    expect(Object.fromEntries([...headers].filter(([name]) => name.startsWith('x-')))).toEqual({
      'x-rate-limit-minute': '10000',
      'x-minute-requests-left': '9999',
      'x-minute-usage': '1',
      'x-rate-limit-hourly': '5000',
      'x-hourly-requests-left': '4999',
      'x-hourly-usage': '1',
      'x-rate-limit-daily': '50000',
      'x-daily-requests-left': '49999',
      'x-daily-usage': '1',
    })
  })

  test('or in the headers of the specification', async () => {
    sandbox.control.setSwitches({ rateHeaders: 'RateLimit' })
    await get('/v3/account/usage')
    now += 500
    const { headers } = await get('/v3/account/usage')
    expect(
      [
        'ratelimit-limit',
        'ratelimit-remaining',
        'ratelimit-reset',
        'x-ratelimit-remaining-daily',
        'x-minute-usage',
      ].map((name) => headers.get(name)),
    ).toEqual(['10000', '9998', '1', '49998', null])
  })

  test('of an hour say in words how long they last, and end all at once', async () => {
    sandbox.control.setWindows({ hourly: 2 })
    const ask = () => get('/v3/contacts/prospecting/filters')
    await ask()
    now += 60_000
    await ask()
    const refused = await ask()
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('x-hourly-requests-left')]).toEqual(
      [429, null, '0'],
    )
    expect(refused.body).toEqual({
      statusCode: 429,
      message: 'Too many requests. Hourly rate limit exceeded. Reset in 3540 seconds',
    })
    now += 3_540_000
    expect((await ask()).status).toBe(200)
    expect((await ask()).headers.get('x-hourly-usage')).toBe('2')
  })

  test('of the usage are five a minute, and of a second 25', async () => {
    const strict = await startContactSandbox({ profile: 'lusha-v3', now: () => now })
    try {
      const { get: ask } = clientOf(() => strict)
      const statuses = async (path: string, count: number) => {
        const seen: number[] = []
        for (let at = 0; at < count; at += 1) seen.push((await ask(path)).status)
        return seen
      }
      expect(await statuses('/v3/account/usage', 6)).toEqual([200, 200, 200, 200, 200, 429])
      expect((await statuses('/v3/contacts/prospecting/filters', 21)).filter((status) => status === 429)).toHaveLength(
        1,
      )
      now += 1000
      expect(await statuses('/v3/contacts/prospecting/filters', 1)).toEqual([200])
    } finally {
      await strict.close()
    }
  })
})

describe('control', () => {
  const control = async (verb: string, body: unknown) => {
    const reply = await fetch(`${sandbox.origin}/_control/${verb}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: reply.status, body: (await reply.json()) as any }
  }
  test('sets switches and windows, and refuses what there is not', async () => {
    expect((await control('switches', { misses: 'minimum' })).body.switches.misses).toBe('minimum')
    expect((await control('windows', { minute: 3 })).body.windows[0]).toMatchObject({ name: 'minute', max: 3 })
    for (const [verb, body] of [
      ['switches', { misses: 'never' }],
      ['switches', { colour: 'red' }],
      ['windows', { weekly: 3 }],
      ['windows', { minute: -3 }],
    ] as const)
      expect((await control(verb, body)).status, JSON.stringify(body)).toBe(400)
    await control('reset', {})
    expect(sandbox.control.state().switches.misses).toBe('free')
  })
  test('a reset forgets what was paid for', async () => {
    await post(lookUp, { contacts: [{ email: people[0]!.workEmail }] })
    sandbox.control.reset()
    expect(
      (await post(lookUp, { contacts: [{ email: people[0]!.workEmail }], reveal: ['emails'] })).body.billing
        .creditsCharged,
    ).toBe(2)
  })
})
