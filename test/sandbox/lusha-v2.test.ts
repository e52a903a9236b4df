import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { callable, clientOf, companies, full, nobody, optedOut, withoutPhones } from './lusha-client.ts'

const knownPerson = full[0]!
let now = 0
let sandbox: ContactSandbox
beforeAll(async () => {
  sandbox = await startContactSandbox({
    profile: 'lusha-v2',
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

const query = (path: string, parameters: Record<string, string>) => get(`${path}?${new URLSearchParams(parameters)}`)
const person = (parameters: Record<string, string>) => query('/v2/person', parameters)
const company = (parameters: Record<string, string>) => query('/v2/company', parameters)
const search = '/prospecting/contact/search'
const reveal = '/prospecting/contact/enrich'
const searchCompanies = '/prospecting/company/search'
const fullName = ({ firstName, lastName }: { firstName: string; lastName: string }) => `${firstName} ${lastName}`

test('the override names the profile and the address', () => {
  expect(sandbox.override).toEqual({ profile: 'lusha-v2', baseUrl: sandbox.origin })
})

describe('the key and the paths', () => {
  const key = 'lusha-sandbox-key-0002'
  test.each([{}, { authorization: `Bearer ${key}` }, { 'x-api-key': key }, { api_key: `Bearer ${key}` }])(
    '%j is 401',
    async (headers) => {
      const reply = await send('GET', `/v2/person?email=${nobody}`, undefined, headers as Record<string, string>)
      expect([reply.status, reply.body]).toEqual([401, { statusCode: 401, message: 'Invalid API key' }])
    },
  )
  test.each([
    ['POST', '/person'],
    ['GET', '/person'],
    ['POST', '/person/bulk'],
    ['POST', '/bulk/person'],
    ['POST', '/v3/contacts/search-and-enrich'],
    ['POST', '/v2/prospecting/contact/search'],
    ['GET', search],
    ['PUT', '/v2/person'],
    ['POST', '/prospecting/filters/contacts/seniority'],
  ])('%s %s is 404', async (method, path) => {
    const reply = await send(method, path, method === 'GET' ? undefined : { contacts: [] })
    expect([reply.status, reply.body.statusCode, charged()]).toEqual([404, 404, 0])
  })
})

describe('one person', () => {
  test('is found by e-mail, LinkedIn address, name with company and id, and paid for once', async () => {
    const name = { firstName: knownPerson.firstName, lastName: knownPerson.lastName }
    const { status, body } = await person({ email: knownPerson.workEmail! })
    expect([status, body.contact.error, body.contact.isCreditCharged]).toEqual([200, null, true])
    expect(chargedFor()).toEqual({ email: 1, phone: 5 })
    expect(body.contact.data).toMatchObject({
      fullName: fullName(knownPerson),
      jobTitle: { title: knownPerson.title, departments: [knownPerson.department.label] },
      company: { name: knownPerson.company.name, companySize: [201, 500] },
    })
    const id = body.contact.data.personId as number
    expect(id).toEqual(expect.any(Number))
    for (const way of [
      { linkedinUrl: `https://www.linkedin.com/in/${knownPerson.linkedinSlug}` },
      { ...name, companyName: knownPerson.company.name },
      { ...name, companyDomain: knownPerson.company.domain },
      { personId: String(id) },
    ]) {
      const again = (await person(way as Record<string, string>)).body.contact
      expect([again.data.personId, again.isCreditCharged]).toEqual([id, false])
    }
    expect(charged()).toBe(6)
  })

  test('reveals what is asked for', async () => {
    const seen = async (parameters: Record<string, string>) => {
      const { data, isCreditCharged } = (await person({ email: knownPerson.workEmail!, ...parameters })).body.contact
      return ['emailAddresses', 'phoneNumbers'].map((name) => name in data).concat(isCreditCharged)
    }
    expect(await seen({ revealEmails: 'true' })).toEqual([true, false, true])
    expect(await seen({ revealPhones: 'true', revealEmails: 'false' })).toEqual([false, true, true])
    expect(await seen({ revealEmails: 'true', revealPhones: 'true' })).toEqual([true, true, false])
    expect(await seen({})).toEqual([true, true, false])
    expect(chargedFor()).toEqual({ email: 1, phone: 5 })
  })

  test('is spelled in three ways', async () => {
    const spelled = await Promise.all(
      full.slice(0, 40).map(async ({ workEmail }) => (await person({ email: workEmail! })).body.contact.data),
    )
    const names = (records: any[]) =>
      [...new Set(records.map((record) => Object.keys(record).toSorted().join()))].toSorted()
    expect(names(spelled.map(({ emailAddresses }) => emailAddresses[0]))).toEqual([
      'address,emailConfidence,type,updateDate',
      'email,emailConfidence,emailType,updateDate',
      'email,emailConfidence,type,updateDate',
    ])
    expect(new Set(spelled.flatMap(({ phoneNumbers }) => phoneNumbers.map(({ phoneType }: any) => phoneType)))).toEqual(
      new Set(['Mobile', 'mobile', 'Direct', 'direct']),
    )
    const places = names(spelled.map(({ location }) => location)).join()
    for (const name of ['countryIso2', 'country_iso2', 'stateCode', 'state_code', 'isEuContact', 'is_eu_contact'])
      expect(places).toContain(name)
  })

  test('nobody knows is 200 with EMPTY_DATA, free or for the minimum', async () => {
    const reply = await person({ email: nobody })
    const contact = {
      error: { code: 3, name: 'EMPTY_DATA', message: 'Could not find requested data' },
      isCreditCharged: false,
    }
    expect([reply.status, reply.body, charged()]).toEqual([200, { contact }, 0])
    sandbox.control.setSwitches({ misses: 'minimum' })
    expect([(await person({ email: nobody })).body.contact.isCreditCharged, charged()]).toEqual([true, 1])
  })

  test('without the details that are filtered by is a miss', async () => {
    expect((await person({ email: withoutPhones.workEmail!, filterBy: 'phoneNumbers' })).body.contact.error.name).toBe(
      'EMPTY_DATA',
    )
    expect(
      (await person({ email: withoutPhones.workEmail!, filterBy: 'emailAddresses' })).body.contact.error,
    ).toBeNull()
    expect(charged()).toBe(1)
  })

  test('who opted out is 451 and free', async () => {
    const reply = await person({ email: optedOut.workEmail! })
    expect([reply.status, reply.body, charged()]).toEqual([
      451,
      { statusCode: 451, message: 'We are unable to process this contact request due to our GDPR regulations' },
      0,
    ])
    expect(sandbox.control.counters()).toMatchObject({ suppressed: 1, misses: 0 })
  })

  test.each([
    [{}, 400],
    [{ firstName: 'A', lastName: 'B' }, 400],
    [{ firstName: 'A', companyName: 'B' }, 400],
    [{ firstName: 'A', lastName: 'B', company: 'C' }, 400],
    [{ linkedInUrl: 'https://www.linkedin.com/in/a' }, 400],
    [{ linkedinUrl: 'a' }, 422],
    [{ email: 'a' }, 422],
    [{ email: nobody, revealEmails: '1' }, 400],
    [{ email: nobody, filterBy: 'emails' }, 400],
    [{ email: nobody, api_key: 'x' }, 400],
  ])('by %j is %i', async (parameters, status) => {
    const reply = await person(parameters as Record<string, string>)
    expect([reply.status, charged()]).toEqual([status, 0])
  })
  test('takes a wish for signals, and has none', async () => {
    const reply = await get(`/v2/person?email=${knownPerson.workEmail}&signals=promotion&signals=companyChange`)
    expect([reply.status, reply.body.contact.data.signals]).toEqual([200, {}])
  })
  test('by a parameter that is given twice is 400', async () => {
    expect((await get(`/v2/person?email=${nobody}&email=${nobody}`)).status).toBe(400)
  })
})

describe('a batch of people', () => {
  const employed = { name: knownPerson.company.name, isCurrent: true }
  test('is answered by the ids of the caller, with companies beside', async () => {
    const contacts = [
      { contactId: 'x', email: nobody },
      { contactId: '2', fullName: fullName(knownPerson), companies: [employed] },
      { contactId: '1', email: knownPerson.workEmail },
      { contactId: '3', email: optedOut.workEmail },
      { contactId: '4', email: full.find(({ company: other }) => other !== knownPerson.company)!.workEmail },
    ]
    const { status, body } = await post('/v2/person', { contacts, metadata: { revealEmails: true } })
    expect(status).toBe(200)
    expect(
      Object.fromEntries(
        Object.entries(body.contacts).map(([id, contact]: any) => [
          id,
          [contact.error?.name ?? null, contact.isCreditCharged],
        ]),
      ),
    ).toEqual({
      x: ['EMPTY_DATA', false],
      2: [null, true],
      1: [null, false],
      3: ['COMPLIANCE_RESTRICTED', false],
      4: [null, true],
    })
    const { data } = body.contacts['2']
    expect(data).not.toHaveProperty('company')
    expect(data).not.toHaveProperty('phoneNumbers')
    expect(body.companies[data.companyId]).toMatchObject({
      name: knownPerson.company.name,
      social: { linkedin: expect.stringContaining('/company/') },
    })
    expect(Object.keys(body.companies)).toHaveLength(2)
    expect([charged(), chargedFor()]).toEqual([3, { email: 2, results: 1 }])
    expect(sandbox.control.counters()).toMatchObject({ matches: 3, misses: 1, suppressed: 1, records: 5 })
  })

  test('has 100 items at most, and costs 1 more for each 25 found', async () => {
    const many = full.slice(0, 100).map(({ workEmail }, index) => ({ contactId: String(index), email: workEmail }))
    expect((await post('/v2/person', { contacts: many, metadata: { revealEmails: true } })).status).toBe(200)
    expect(chargedFor()).toEqual({ email: 100, results: 4 })
    expect((await post('/v2/person', { contacts: [...many, { contactId: 'more', email: nobody }] })).status).toBe(400)
    expect(charged()).toBe(104)
  })

  test.each([
    [{}, 400],
    [[{ contactId: '1', email: nobody }], 400],
    [{ contacts: [] }, 400],
    [{ contacts: [{ email: nobody }] }, 400],
    [{ contacts: [{ contactId: 1, email: nobody }] }, 400],
    [{ contacts: [{ contactId: '1' }] }, 400],
    [{ contacts: [{ contactId: '1', firstName: 'A', lastName: 'B' }] }, 400],
    [{ contacts: [{ contactId: '1', fullName: 'A B' }] }, 400],
    [{ contacts: [{ contactId: '1', fullName: 'A', companies: [employed] }] }, 412],
    [{ contacts: [{ contactId: '1', fullName: 'A B', companies: [{ isCurrent: true }] }] }, 400],
    [{ contacts: [{ contactId: '1', fullName: 'A B', companies: [{ name: 'C' }] }] }, 400],
    [{ contacts: [{ contactId: '1', fullName: 'A B', companies: { name: 'C', isCurrent: true } }] }, 400],
    [
      {
        contacts: [
          { contactId: '1', email: nobody },
          { contactId: '1', email: nobody },
        ],
      },
      400,
    ],
    [
      {
        contacts: [
          { contactId: '1', email: knownPerson.workEmail },
          { contactId: '2', email: 'a' },
        ],
      },
      422,
    ],
    [{ contacts: [{ contactId: '1', email: nobody }], revealEmails: true }, 400],
    [{ contacts: [{ contactId: '1', email: nobody }], metadata: { reveal: ['emails'] } }, 400],
  ])('%j is %i', async (body, status) => {
    const reply = await post('/v2/person', body)
    expect([reply.status, charged()]).toEqual([status, 0])
    expect(reply.body.errors).toHaveLength(1)
  })
})

describe('companies', () => {
  const german = companies.find(({ place }) => place.country === 'DE')!
  test('are found by domain, name and id, and paid for once', async () => {
    const { body } = await company({ domain: german.domain })
    expect(body).toMatchObject({
      data: {
        name: german.name,
        domain: german.domain,
        employees: '51 - 200',
        companySize: { min: 51, max: 200, employeesInLinkedin: german.employees },
        location: { city: 'Munich', countryIso2: 'DE' },
        social: { linkedin: { url: `https://www.linkedin.com/company/${german.linkedinSlug}` } },
      },
      meta: {},
    })
    expect((await company({ company: german.legalName })).body.data.id).toBe(body.data.id)
    expect((await company({ companyId: String(body.data.id) })).body.data.id).toBe(body.data.id)
    expect(chargedFor()).toEqual({ company: 1 })
  })
  test('nobody knows are empty, or 404', async () => {
    const reply = await company({ domain: 'nowhere.example' })
    expect([reply.status, reply.body]).toEqual([
      200,
      { data: {}, errors: { message: 'Could not find requested data' }, meta: {} },
    ])
    sandbox.control.setSwitches({ companyMiss: '404' })
    expect((await company({ domain: 'nowhere.example' })).body).toEqual({
      statusCode: 404,
      message: 'Resource not found',
    })
    expect(charged()).toBe(0)
  })
  test('in a batch are answered by the ids of the caller, without an envelope', async () => {
    const companyQueries = [
      { id: 'b', fqdn: `www.${german.domain}` },
      { id: 'a', name: 'Nowhere' },
      { id: 'c', name: german.name },
    ]
    const { body } = await post('/v2/company', { companies: companyQueries })
    expect(Object.keys(body).toSorted()).toEqual(['a', 'b', 'c'])
    expect([body.a, body.b.name, body.c.id]).toEqual([{}, german.name, body.b.id])
    expect(body.b).toMatchObject({
      linkedin: expect.any(String),
      city: 'Munich',
      countryIso2: 'DE',
      companySize: [51, 200],
    })
    expect(chargedFor()).toEqual({ company: 1, results: 1 })
  })
  test.each([
    ['GET', { name: 'A' }],
    ['GET', {}],
    ['GET', { domain: 'a.example', email: nobody }],
    ['POST', { companies: [{ domain: 'a.example' }] }],
    ['POST', { companies: [{ id: '1' }] }],
    ['POST', { companies: [{ id: '1', company: 'A' }] }],
    ['POST', [{ id: '1', name: 'A' }]],
    ['POST', { companies: Array.from({ length: 101 }, (_, index) => ({ id: String(index), name: 'A' })) }],
  ])('%s %j is 400', async (method, companyQuery) => {
    const reply =
      method === 'GET' ? await company(companyQuery as Record<string, string>) : await post('/v2/company', companyQuery)
    expect([reply.status, charged()]).toEqual([400, 0])
  })
})

describe('prospecting', () => {
  const australia = { contacts: { include: { locations: [{ country: 'Australia' }], seniority: [8] } } }
  const shown = callable.filter(
    ({ seniority, company: employer }) => seniority.key === 'vp' && employer.place.country === 'AU',
  )

  test('is free, pages from 0, and reveals what a search found', async () => {
    const rows: any[] = []
    let page = 0
    let body: any
    do {
      body = (await post(search, { pages: { page, size: 10 }, filters: australia })).body
      expect([body.currentPage, body.pageLength, body.totalResults]).toEqual([page, body.contacts.length, shown.length])
      rows.push(...body.contacts)
      page += 1
    } while (body.contacts.length > 0)
    expect(rows.map(({ name }) => name)).toEqual(shown.map(fullName))
    expect([charged(), JSON.stringify(rows).includes('@')]).toEqual([0, false])

    const searchResult = (await post(search, { filters: australia })).body
    expect(searchResult.contacts[0].contactId).not.toBe(rows[0].contactId)
    const contactIds = [searchResult.contacts[1].contactId, rows[0].contactId, searchResult.contacts[0].contactId]
    const { body: revealed } = await post(reveal, { requestId: searchResult.requestId, contactIds, revealEmails: true })
    expect(revealed.requestId).toBe(searchResult.requestId)
    expect(revealed.contacts.map(({ id, isSuccess, data }: any) => [id, isSuccess, data?.fullName])).toEqual([
      [contactIds[0], true, fullName(shown[1]!)],
      [contactIds[1], false, undefined],
      [contactIds[2], true, fullName(shown[0]!)],
    ])
    expect(revealed.contacts[0].data).toMatchObject({
      jobTitle: shown[1]!.title,
      isShown: false,
      seniority: [{ id: 8, value: 'vice president' }],
    })
    expect(revealed.contacts[0].data).not.toHaveProperty('phoneNumbers')
    expect(chargedFor()).toEqual({ email: 2 })
    const again = (await post(search, { filters: australia })).body.contacts
    expect(again.slice(0, 3).map((row: any) => row.isShown)).toEqual([true, true, false])
  })

  test('holds a request id for an hour', async () => {
    const { requestId, contacts } = (await post(search, { filters: australia })).body
    const contactIds = [contacts[0].contactId]
    now += 3_599_999
    expect((await post(reveal, { requestId, contactIds })).status).toBe(200)
    now += 1
    const late = await post(reveal, { requestId, contactIds })
    expect([late.status, late.body.statusCode]).toEqual([410, 410])
    expect((await post(reveal, { requestId: 'other', contactIds })).status).toBe(410)
  })

  test('can name its rows otherwise', async () => {
    sandbox.control.setSwitches({ rows: 'data' })
    expect(Object.keys((await post(search, { filters: australia })).body)).toContain('data')
    expect(
      (await post(searchCompanies, { filters: { companies: { include: { names: ['Waka'] } } } })).body.data,
    ).toHaveLength(1)
  })

  test.each([
    [search, {}, 400],
    [search, { filters: {} }, 400],
    [search, { filters: { contacts: { include: { seniorityIds: [8] } } } }, 422],
    [search, { filters: { contacts: { include: { existingDataPoints: ['phone'] } } } }, 422],
    [search, { filters: { contacts: { include: { locations: [{ countryIso2: 'AU' }] } } } }, 422],
    [search, { filters: { companies: { include: { technologies: ['React'] } } } }, 400],
    [search, { filters: { contacts: { include: { seniority: ['8'] } } } }, 400],
    [search, { pages: { page: 0, size: 9 }, filters: australia }, 400],
    [search, { pages: { page: 0, size: 51 }, filters: australia }, 400],
    [search, { pages: { page: 1001 }, filters: australia }, 400],
    [search, { pages: { page: -1 }, filters: australia }, 400],
    [search, { pagination: { page: 0, size: 10 }, filters: australia }, 400],
    [searchCompanies, { filters: australia }, 400],
    [reveal, { contactIds: ['a'] }, 400],
    [reveal, { requestId: 'a' }, 400],
    [reveal, { requestId: 'a', contactIds: [] }, 400],
    [reveal, { requestId: 'a', contactIds: Array.from({ length: 101 }, String) }, 400],
    [reveal, { requestId: 'a', contactIds: ['a'], reveal: ['emails'] }, 400],
  ])('%s with %j is %i', async (path, body, status) => {
    const reply = await post(path, body)
    expect([reply.status, charged()]).toEqual([status, 0])
  })

  test('with a value nobody knows finds nobody', async () => {
    const { status, body } = await post(search, { filters: { contacts: { include: { departments: ['Astrology'] } } } })
    expect([status, body.contacts, body.totalResults, body.currentPage]).toEqual([200, [], 0, 0])
  })

  test('finds companies by each filter', async () => {
    const waka = companies.find(({ name }) => name === 'Waka Data')!
    const include = {
      names: ['Waka'],
      domains: [waka.domain],
      locations: [{ country: 'New Zealand', city: 'Auckland' }],
      sizes: [{ min: 11, max: 50 }],
      revenues: [{ min: 1, max: 1_000_000_000 }],
      technologies: [{ name: waka.technologies[0] }],
    }
    expect(
      (await post(searchCompanies, { filters: { companies: { include } } })).body.companies.map(
        ({ name }: any) => name,
      ),
    ).toEqual([waka.name])
    const without = await post(searchCompanies, {
      filters: { companies: { include: { names: ['Waka'] }, exclude: { domains: [waka.domain] } } },
    })
    expect(without.body.companies).toEqual([])
    for (const codes of [
      { sicCodes: ['1011'] },
      { naicsCodes: ['11'] },
      { intentTopics: ['Sales'] },
      { subIndustriesIds: [9999] },
    ])
      expect((await post(searchCompanies, { filters: { companies: { include: codes } } })).body.totalResults).toBe(0)
  })

  test('reveals companies that a search found, for 1 credit each', async () => {
    const { requestId, companies: rows } = (
      await post(searchCompanies, { filters: { companies: { include: { names: ['Waka', 'Galah'] } } } })
    ).body
    const companiesIds = [...rows.map(({ id }: any) => id), '1']
    const { body } = await post('/prospecting/company/enrich', { requestId, companiesIds })
    expect(body.companies.map(({ isSuccess, data }: any) => [isSuccess, data?.name])).toEqual([
      [true, 'Waka Data'],
      [true, 'Galah Games'],
      [false, undefined],
    ])
    expect(chargedFor()).toEqual({ company: 2 })
    expect((await post('/prospecting/company/enrich', { requestId: 'other', companiesIds })).status).toBe(410)
  })

  test('lists the values of filters for nothing', async () => {
    expect((await get('/prospecting/filters/contacts/seniority')).body).toContainEqual({ id: 9, name: 'c-suite' })
    expect((await get('/prospecting/filters/contacts/departments')).body).toContain('Legal')
    expect((await get('/prospecting/filters/contacts/all_countries')).body).toContainEqual({
      name: 'Ireland',
      code: 'IE',
    })
    expect((await get('/prospecting/filters/companies/industries_labels')).body[0]).toMatchObject({
      main_industry_id: 1,
      sub_industries: [{ id: 101 }],
    })
    expect((await post('/prospecting/filters/contacts/locations', { text: 'auck' })).body[0]).toMatchObject({
      city: 'Auckland',
    })
    expect((await post('/prospecting/filters/companies/names', { text: 'waka' })).body[0].name).toBe('Waka Data')
    expect((await post('/prospecting/filters/companies/technologies', { text: 'kube' })).body).toEqual([
      { name: 'Kubernetes' },
    ])
    expect((await post('/prospecting/filters/companies/technologies', {})).status).toBe(400)
    expect((await get('/prospecting/filters/companies/sizes?query=a')).status).toBe(400)
    expect(charged()).toBe(0)
  })
})

describe('the account', () => {
  test('shows credits for nothing', async () => {
    await company({ domain: companies[0]!.domain })
    expect((await get('/account/usage')).body).toEqual({
      usage: { bulkCredits: { used: 1, total: 10_000, remaining: 9999 } },
    })
    expect((await get('/account/usage?full=1')).status).toBe(400)
  })
  test('without enough credits is refused whole', async () => {
    sandbox.control.setCredits(2)
    const contacts = full.slice(0, 2).map(({ workEmail }, index) => ({ contactId: String(index), email: workEmail }))
    const reply = await post('/v2/person', { contacts, metadata: { revealEmails: true } })
    expect([reply.status, reply.body, charged()]).toEqual([
      402,
      { statusCode: 402, message: 'Insufficient credits for this operation' },
      0,
    ])
    expect((await person({ email: knownPerson.workEmail! })).status).toBe(402)
    sandbox.control.setCredits(0)
    for (const personQuery of [{ email: nobody }, { email: optedOut.workEmail! }])
      expect((await person(personQuery)).status).toBe(402)
    expect((await post(search, { filters: { contacts: { include: { jobTitles: ['a'] } } } })).status).toBe(200)
  })
  test('of a smaller plan lacks the choice of what is revealed, then prospecting', async () => {
    sandbox.control.setSwitches({ plan: 'premium' })
    const { requestId, contacts } = (await post(search, { filters: { contacts: { include: { jobTitles: ['a'] } } } }))
      .body
    const refused = [
      await person({ email: knownPerson.workEmail!, revealEmails: 'true' }),
      await post('/v2/person', {
        contacts: [{ contactId: '1', email: knownPerson.workEmail }],
        metadata: { revealPhones: true },
      }),
      await post(reveal, { requestId, contactIds: [contacts[0].contactId], revealEmails: true }),
      await post(search, { filters: { contacts: { include: { jobTitles: ['a'] } } }, excludeDnc: true }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    expect([refused[0]!.body.message, charged()]).toEqual([
      'Your pricing version does not support requesting individual datapoints [revealEmails, revealPhones]',
      0,
    ])
    expect((await person({ email: knownPerson.workEmail! })).status).toBe(200)
    sandbox.control.setSwitches({ plan: 'pro' })
    expect((await post(search, { filters: { contacts: { include: { jobTitles: ['a'] } } } })).status).toBe(403)
    expect((await get('/prospecting/filters/contacts/seniority')).status).toBe(403)
  })
  test('is limited as in v3, with the usage five times a minute', async () => {
    sandbox.control.setWindows({ usage: 5, daily: 7 })
    const statuses: number[] = []
    for (let at = 0; at < 6; at += 1) statuses.push((await get('/account/usage')).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    await company({ domain: companies[0]!.domain })
    await company({ domain: companies[0]!.domain })
    now += 1000
    const refused = await company({ domain: companies[0]!.domain })
    expect([refused.status, refused.headers.get('x-daily-requests-left'), refused.headers.get('retry-after')]).toEqual([
      429,
      '0',
      null,
    ])
    expect(refused.body.message).toMatch(/Daily .* Reset in 86399 seconds$/)
  })
})
