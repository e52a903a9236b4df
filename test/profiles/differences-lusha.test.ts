import { afterEach, describe, expect, test } from 'vitest'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'
import { play } from './play.ts'
import type { Play } from './play.ts'

/**
 * Each line of what is known about this provider, in sections 2 and "Seed 001" of the reference, has a test that bears
 * its words.
 */

const { people } = createDataSet()
const [someone, another] = people.filter(
  ({ knownTo, suppressed, workEmail, linkedinSlug }) =>
    knownTo.includes('contact') && !suppressed && workEmail && linkedinSlug,
)
const employer = someone!.company
const address = `https://www.linkedin.com/in/${someone!.linkedinSlug}`

let open: Play
const start = async (profile: 'lusha-v2' | 'lusha-v3', options: Parameters<typeof play>[2] = {}) =>
  (open = await play('contact-data', profile, options))
afterEach(() => open.close())

const sent = () =>
  open.control.requests().map(({ method, path, query, body }) => ({ method, path, query, body: body as any }))
const both = ['lusha-v2', 'lusha-v3'] as const
const answer = (body: unknown, status = 200) => open.control.inject({ answer: { status, body } })
const byEmail = () => open.find('person', [{ email: someone!.workEmail }])

describe('the public API', () => {
  test.each(both)('Header api_key: <key>, underscore, not Bearer: %s', async (profile) => {
    await start(profile)
    await byEmail()
    const [{ headers }] = open.control.requests() as unknown as [{ headers: Record<string, string> }]
    expect([headers.api_key, headers.authorization, headers['x-api-key']]).toEqual([
      expect.stringContaining('lusha-sandbox-key'),
      undefined,
      undefined,
    ])
  })

  test('one person: v2 GET /v2/person by query; v3 POST /v3/contacts/search-and-enrich with a list of one', async () => {
    await start('lusha-v2')
    const name = { firstName: someone!.firstName, lastName: someone!.lastName }
    for (const set of [
      { email: someone!.workEmail },
      { linkedinUrl: address },
      { ...name, company: employer.name },
      { ...name, companyDomain: employer.domain },
    ])
      expect((await open.find('person', [set])).value.matched, JSON.stringify(set)).toBe(true)
    expect(sent().map(({ method, path, query }) => [method, path, Object.keys(query).toSorted()])).toEqual(
      [
        ['email'],
        ['linkedinUrl'],
        ['companyName', 'firstName', 'lastName'],
        ['companyDomain', 'firstName', 'lastName'],
      ].map((names) => ['GET', '/v2/person', names]),
    )
    await open.close()
    await start('lusha-v3')
    await open.find('person', [{ linkedinUrl: address }, { ...name, company: employer.name }], { reveal: ['emails'] })
    expect(sent()).toMatchObject([
      {
        method: 'POST',
        path: '/v3/contacts/search-and-enrich',
        body: { contacts: [{ linkedinUrl: address, ...name, companyName: employer.name }], reveal: ['emails'] },
      },
    ])
  })

  test('many persons: v2 "contacts" with contactId, fullName, companies; v3 as for one, with clientReferenceId', async () => {
    const records = [
      [{ email: someone!.workEmail }],
      [{ firstName: another!.firstName, lastName: another!.lastName, company: another!.company.name }],
    ]
    await start('lusha-v2')
    expect((await open.findMany('person', records)).value.results.map(({ matched }: any) => matched)).toEqual([
      true,
      true,
    ])
    expect(sent()[0]!.body.contacts).toEqual([
      { contactId: '0', email: someone!.workEmail },
      {
        contactId: '1',
        fullName: `${another!.firstName} ${another!.lastName}`,
        companies: [{ name: another!.company.name, isCurrent: true }],
      },
    ])
    await open.close()
    await start('lusha-v3')
    await open.findMany('person', records, { reveal: ['phones'] })
    expect(sent()[0]!.body).toEqual({
      contacts: [
        { clientReferenceId: '0', email: someone!.workEmail },
        {
          clientReferenceId: '1',
          firstName: another!.firstName,
          lastName: another!.lastName,
          companyName: another!.company.name,
        },
      ],
      reveal: ['phones'],
    })
  })

  test('one and many companies', async () => {
    await start('lusha-v2')
    await open.find('company', [{ domain: employer.domain }])
    await open.find('company', [{ name: employer.name }])
    await open.findMany('company', [[{ domain: employer.domain }], [{ name: 'Nobody Ltd' }]])
    expect(
      sent()
        .slice(0, 2)
        .map(({ query }) => Object.keys(query)[0]),
    ).toEqual(['domain', 'company'])
    expect(sent()[2]).toMatchObject({
      method: 'POST',
      path: '/v2/company',
      body: {
        companies: [
          { id: '0', domain: employer.domain },
          { id: '1', name: 'Nobody Ltd' },
        ],
      },
    })
    await open.close()
    await start('lusha-v3')
    const { value } = await open.find('company', [{ domain: employer.domain }])
    expect(sent()[0]!.body).toEqual({ companies: [{ domain: employer.domain }] })
    expect(value.record).toMatchObject({ name: employer.name, employeeCount: employer.employees })
  })

  test.each(both)('people search, then enrich: %s', async (profile) => {
    await start(profile)
    const { value } = await open.search('search-contacts', { jobTitle: 'manager' }, { limit: 10 })
    const ids = value.records.slice(0, 3).map(({ record }: any) => record.id as string)
    const along = profile === 'lusha-v2' ? { searchId: value.searchId as string } : {}
    const revealed = await open.findMany(
      'reveal-contacts',
      ids.map((personId: string) => [{ personId }]),
      { ...along, reveal: ['emails'] },
    )
    expect(revealed.failure).toBeUndefined()
    expect(revealed.value.results.map(({ matched }: any) => matched)).toEqual([true, true, true])
    const { path, body } = sent().at(-1)!
    if (profile === 'lusha-v3')
      expect([path, body]).toEqual(['/v3/contacts/enrich', { ids, reveal: ['emails'], waterfallEnabled: false }])
    else
      expect([path, body]).toEqual([
        '/prospecting/contact/enrich',
        { requestId: value.searchId, contactIds: ids, revealEmails: true },
      ])
    expect(open.control.counters().creditsFor.phone ?? 0).toBe(0)
  })

  test.each(both)('credits: account usage: %s', async (profile) => {
    await start(profile, { credits: 500 })
    const { value } = await open.ask('account-usage')
    expect(JSON.stringify(value.body)).toContain('"remaining":500')
    expect(open.control.counters().creditsCharged).toBe(0)
  })

  test('account usage: 5 requests/minute', async () => {
    await start('lusha-v3')
    for (let index = 0; index < 7; index += 1) expect((await open.ask('account-usage')).failure).toBeUndefined()
    expect(open.control.counters().refused.tooMany).toBe(0)
  })

  test('Batch max 100; v2 answers are objects keyed by the id of the caller, v3 a list that names it', async () => {
    for (const profile of both) {
      await start(profile)
      const records = Array.from({ length: 101 }, (_, index) => [
        index === 100 ? { email: someone!.workEmail } : { email: `nobody-${index}@x.example` },
      ])
      const { value } = await open.findMany('person', records)
      expect(sent().map(({ body, query }) => body.contacts?.length ?? Object.keys(query).length)).toEqual([100, 1])
      expect(value.results.map(({ matched }: any) => matched).indexOf(true)).toBe(100)
      if (profile === 'lusha-v2') await open.close()
    }
    answer({
      results: [
        { clientReferenceId: '1', id: '2', firstName: 'B' },
        { clientReferenceId: '0', id: '1', firstName: 'A' },
      ],
      billing: { creditsCharged: 0 },
    })
    const { value } = await open.findMany('person', [[{ email: 'a@x.example' }], [{ email: 'b@x.example' }]])
    expect(value.results.map(({ record }: any) => record.firstName)).toEqual(['A', 'B'])
  })

  test('v2 batches: the companies of people stand beside them', async () => {
    await start('lusha-v2')
    const { value } = await open.findMany('person', [[{ email: someone!.workEmail }], [{ email: another!.workEmail }]])
    expect(value.results.map(({ record }: any) => record.company)).toEqual([employer.name, another!.company.name])
  })
})

describe('search', () => {
  test('v2 pages{page, size 10-50}, v3 pagination{page, size 10-100}', async () => {
    await start('lusha-v2')
    await open.search('search-contacts', { jobTitle: 'manager' }, { limit: 1 })
    await open.search('search-contacts', { jobTitle: 'manager' }, { limit: 900 })
    expect(sent().map(({ body }) => body.pages)).toEqual([
      { page: 0, size: 10 },
      { page: 0, size: 50 },
    ])
    await open.close()
    await start('lusha-v3')
    await open.search('search-contacts', { jobTitle: 'manager' })
    await open.search('search-contacts', { jobTitle: 'manager' }, { limit: 900 })
    expect(sent().map(({ body }) => body.pagination)).toEqual([
      { page: 0, size: 25 },
      { page: 0, size: 100 },
    ])
  })

  test('v2 answers contacts[]; one public client reads data[]', async () => {
    await start('lusha-v2', { switches: { rows: 'data' } })
    expect((await open.search('search-contacts', { jobTitle: 'manager' })).value.records.length).toBeGreaterThan(0)
  })

  test('filters include; v3 renames seniority to seniorityIds; words come from the lists of values', async () => {
    for (const [profile, key] of [
      ['lusha-v2', 'seniority'],
      ['lusha-v3', 'seniorityIds'],
    ] as const) {
      await start(profile)
      const filters = {
        seniority: 'Manager',
        department: 'Sales',
        country: 'AU',
        companySize: '11-5000',
        companyDomain: 'x.example',
        technologies: ['SAP'],
      }
      expect((await open.search('search-contacts', filters)).failure).toBeUndefined()
      const { contacts, companies } = sent().at(-1)!.body.filters
      expect(contacts.include).toMatchObject({
        [key]: [expect.any(Number)],
        departments: ['Sales'],
        ...(profile === 'lusha-v2' ? { locations: [{ country: 'Australia' }] } : { countries: ['AU'] }),
      })
      expect(companies.include).toMatchObject({
        sizes: [{ min: 11, max: 5000 }],
        domains: ['x.example'],
        technologies: [profile === 'lusha-v2' ? { name: 'SAP' } : 'SAP'],
      })
      if (profile === 'lusha-v2') await open.close()
    }
  })

  test('v3 wants the full name of a country for companies, and its code for contacts', async () => {
    await start('lusha-v3')
    for (const name of ['search-companies', 'search-contacts']) {
      const { value, failure } = await open.search(name, { country: 'NZ' })
      expect([name, failure]).toEqual([name, undefined])
      const countries = (value.records as { record: { country?: string } }[]).map(({ record }) => record.country)
      expect(new Set(countries)).toEqual(new Set(['New Zealand']))
    }
    expect(sent().map(({ body }) => body.filters)).toEqual([
      { companies: { include: { locations: [{ country: 'New Zealand' }] } } },
      { contacts: { include: { countries: ['NZ'] } } },
    ])
  })

  test.each(both)(
    'Unknown filter values silently give zero results: refused before sending, from the list of values: %s',
    async (profile) => {
      await start(profile)
      const { failure } = await open.search('search-contacts', { seniority: 'wizard' })
      expect(failure).toMatchObject({ code: 'invalid_input', message: expect.stringContaining('seniority') as string })
      expect(sent().filter(({ path }) => /search$|prospecting$/.test(path))).toEqual([])
    },
  )

  test('Billing differs: v2 search free, v3 prospecting charged per result', async () => {
    await start('lusha-v2')
    expect((await open.search('search-contacts', { jobTitle: 'manager' })).meta.credits?.charged ?? 0).toBe(0)
    expect(open.control.counters().creditsCharged).toBe(0)
    await open.close()
    await start('lusha-v3')
    const { meta } = await open.search('search-contacts', { jobTitle: 'manager' }, { limit: 30 })
    expect([meta.credits!.charged, open.control.counters().creditsCharged]).toEqual([1, 1])
  })
})

describe('records', () => {
  const spelling = (email: object, location: object, phone: object) => ({
    contact: {
      error: null,
      isCreditCharged: true,
      data: {
        firstName: 'Ada',
        lastName: 'Example',
        personId: 7,
        emailAddresses: [email],
        phoneNumbers: [phone],
        location,
        jobTitle: { title: 'CTO', seniority: 'C-Suite', departments: ['Engineering'] },
      },
    },
  })

  test('v2 person answer: field spellings vary inside one spec: read every variant', async () => {
    await start('lusha-v2')
    const variants = [
      spelling(
        { email: 'ada@x.example', emailType: 'work', emailConfidence: 'A+' },
        { country: 'France', countryIso2: 'FR' },
        { number: '+331', phoneType: 'mobile', doNotCall: true },
      ),
      spelling(
        { address: 'ada@x.example', type: 'work', emailConfidence: 'A+' },
        { country: 'France', country_iso2: 'FR' },
        { number: '+331', phoneType: 'mobile', doNotCall: true },
      ),
    ]
    for (const body of variants) {
      answer(body)
      const { value } = await byEmail()
      expect(value.record).toMatchObject({
        id: '7',
        email: 'ada@x.example',
        countryCode: 'FR',
        jobTitle: 'CTO',
        emails: [{ type: 'work', confidence: 'A+' }],
        phones: [{ number: '+331', type: 'mobile', doNotCall: 'yes' }],
      })
    }
  })

  test('v3 person: emails, phones; canReveal is 0 when already revealed', async () => {
    await start('lusha-v3')
    const first = await byEmail()
    const again = await byEmail()
    expect([first.meta.credits!.charged > again.meta.credits!.charged, again.value.record.email]).toEqual([
      true,
      someone!.workEmail,
    ])
    expect(first.meta.credits!.charged + again.meta.credits!.charged).toBe(open.control.counters().creditsCharged)
  })

  test('v2 company: employees, companySize, revenueRange; v3 company: employeeCount{exact,min,max}', async () => {
    await start('lusha-v2')
    answer({
      data: {
        name: 'X',
        employees: '201 - 500',
        companySize: { min: 201, max: 500, employeesInLinkedin: 364 },
        revenueRange: [1000000, 10000000],
        mainIndustry: 'Software',
        technologies: [{ name: 'SAP' }],
      },
    })
    expect((await open.find('company', [{ domain: 'x.example' }])).value.record).toMatchObject({
      employeeRange: '201 - 500',
      employeeCount: 364,
      revenue: '1000000-10000000',
      industry: 'Software',
      technologies: ['SAP'],
    })
    await open.close()
    await start('lusha-v3')
    answer({
      results: [{ id: '1', name: 'X', employeeCount: { exact: 364, min: 201, max: 500 } }],
      billing: { creditsCharged: 1 },
    })
    expect((await open.find('company', [{ domain: 'x.example' }])).value.record).toMatchObject({
      employeeCount: 364,
      employeeRange: '201-500',
    })
  })

  test.each(both)('Confidence is a letter grade on e-mail; none on phones: %s', async (profile) => {
    await start(profile)
    const { value } = await byEmail()
    expect(value.record.emails[0].confidence).toMatch(/^[A-C]\+?$/)
    expect(value.record.phones.every((phone: object) => !('confidence' in phone))).toBe(true)
  })
})
