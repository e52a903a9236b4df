import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'
import { play } from './play.ts'
import type { Play } from './play.ts'

/**
 * Each line of what is known about this provider, in sections 1 and "Seed 000" of the reference, has a test that bears
 * its words.
 */

const { people, companies } = createDataSet()
const someone = people.find(
  ({ knownTo, suppressed, workEmail, linkedinSlug }) =>
    knownTo.includes('anz') && !suppressed && workEmail && linkedinSlug,
)!
const employer = someone.company
const another = companies.find(({ knownTo, abn, id }) => knownTo.includes('anz') && abn && id !== employer.id)!
const address = `https://www.linkedin.com/in/${someone.linkedinSlug}`

let open: Play
beforeEach(async () => (open = await play('anz-data', 'firmable')))
afterEach(() => open.close())

const sent = () =>
  open.control
    .requests()
    .map(({ method, path, query, body, headers }) => ({ method, path, query, body, auth: headers.authorization }))
const idOf = async (domain: string) => (await open.find('enrich-company', [{ domain }])).value.record.id as string

describe('the public API', () => {
  test('Base without version segment; Authorization: Bearer; keys start fbl_', async () => {
    await open.find('enrich-person', [{ email: someone.workEmail }])
    expect(sent()).toMatchObject([{ method: 'GET', path: '/people', query: { work_email: someone.workEmail } }])
    expect(sent()[0]!.auth).toMatch(/^Bearer fbl_/)
    open.reconnect('no-fbl-key')
    expect((await open.find('enrich-person', [{ email: someone.workEmail }])).failure).toMatchObject({
      code: 'not_connected',
      message: expect.stringContaining('fbl_') as string,
    })
  })

  test('Rate limit: 50 requests/second per key; no rate-limit headers', async () => {
    const records = people.slice(0, 120).map((_, index) => [{ email: `nobody-${index}@x.example` }])
    await open.findMany('enrich-person', records)
    const times = open.control.requests().map(({ at }) => at)
    expect(times).toHaveLength(120)
    expect(times.every((at, index) => index < 50 || at - times[index - 50]! >= 1000)).toBe(true)
    expect(open.control.counters().refused.tooMany).toBe(0)
  })

  test('GET /company by query: one of id, ln_url, fqdn, abn, website; plus country', async () => {
    const id = await idOf(another.domain)
    const ways = {
      companyId: id,
      linkedin: `https://www.linkedin.com/company/${another.linkedinSlug}`,
      abn: another.abn!,
      website: `https://www.${another.domain}/`,
    }
    for (const [ours, value] of Object.entries(ways)) {
      const { value: result } = await open.find('enrich-company', [{ [ours]: value }], { country: 'NZ' })
      expect([ours, result.record?.name]).toEqual([ours, another.name])
    }
    expect(sent().map(({ query }) => Object.keys(query).toSorted())).toEqual([
      ['fqdn'],
      ['country', 'id'],
      ['country', 'ln_url'],
      ['abn', 'country'],
      ['country', 'website'],
    ])
    expect((await open.find('enrich-company', [{ domain: another.domain }], { country: 'FR' })).failure).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('New Zealand') as string,
    })
    expect(
      (await open.find('enrich-company', [{ domain: another.domain }], { country: 'Australia' })).value.record.abn,
    ).toBe(another.abn)
  })

  test('GET /people: one of id, ln_slug, ln_url, work_email, personal_email; no country', async () => {
    const { value } = await open.find('enrich-person', [{ linkedinSlug: someone.linkedinSlug }])
    await open.find('enrich-person', [{ personId: value.record.id }])
    await open.find('enrich-person', [{ linkedinUrl: address }])
    expect(sent().map(({ query }) => Object.keys(query))).toEqual([['ln_slug'], ['id'], ['ln_url']])
    expect((await open.find('enrich-person', [{ linkedinUrl: address }], { country: 'NZ' })).failure).toMatchObject({
      code: 'wire_unset',
      message: expect.stringContaining('country') as string,
    })
  })

  test('POST /people/search: companyId required; from and size, both strings', async () => {
    const companyId = await idOf(employer.domain)
    await open.search('search-people', { companyId, position: 'head' }, { limit: 3 })
    expect(sent().at(-1)!.body).toEqual({ companyId, position: 'head', from: '0', size: '3' })
    expect((await open.search('search-people', { position: 'head' })).failure).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('companyId') as string,
    })
  })

  test('No bulk endpoint, no company search, no lookup by name, no credits endpoint', async () => {
    await open.findMany('enrich-person', [[{ email: 'a@x.example' }], [{ email: 'b@x.example' }]])
    expect(sent().map(({ path }) => path)).toEqual(['/people', '/people'])
    expect((await open.find('enrich-company', [{ name: employer.name }])).failure).toMatchObject({ code: 'wire_unset' })
    expect((await open.find('enrich-person', [{ firstName: 'A', lastName: 'B', company: 'C' }])).failure).toMatchObject(
      { code: 'wire_unset' },
    )
    expect(sent()).toHaveLength(2)
  })

  test('Seniority and department filters take numeric ids as strings; responses return the labels', async () => {
    const { value } = await open.find('enrich-person', [{ email: someone.workEmail }])
    const companyId = value.record.companyId as string
    const { value: result } = await open.search('search-people', {
      companyId,
      seniority: value.record.seniority,
      department: value.record.departments[0],
      country: employer.place.country,
    })
    const { seniority, department } = sent().at(-1)!.body as Record<string, string>
    expect([seniority, department]).toEqual([expect.stringMatching(/^[1-7]$/), expect.stringMatching(/^\d{1,2}$/)])
    expect(result.records.map(({ record }: any) => record.id)).toContain(value.record.id)
    const wrong = await open.search('search-people', { companyId, seniority: 'wizard' })
    expect(wrong.failure).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('VP/Director/Head of') as string,
    })
  })

  test('Person record', async () => {
    const { value } = await open.find('enrich-person', [{ email: someone.workEmail }])
    expect(value.record).toMatchObject({
      firstName: someone.firstName,
      lastName: someone.lastName,
      jobTitle: someone.title,
      company: employer.name,
      companyId: expect.stringMatching(/^f\d+$/) as string,
      companyIndustry: employer.industry,
      email: someone.workEmail,
      linkedinSlug: someone.linkedinSlug,
      emails: [{ value: someone.workEmail, type: 'work', status: expect.any(String) as string }],
    })
    const flags = someone.phones.map(({ doNotCall }) => (doNotCall === null ? 'unknown' : doNotCall ? 'yes' : 'no'))
    expect(value.record.phones.map(({ doNotCall }: any) => doNotCall)).toEqual(flags)
  })

  test('Company record: employee_count or au_employee_count; abn in industry_codes or at the top', async () => {
    const whole = {
      id: 'f000000000009',
      name: 'Example',
      fqdn: 'example.com.au',
      au_employee_count: 12,
      abn: '51824753556',
      acn: '004085616',
      linkedin: 'example',
      company_size: '11 - 50',
      nextGen: { technographics: { Web: ['Nginx'] } },
    }
    open.control.inject({ answer: { status: 200, body: whole } })
    expect((await open.find('enrich-company', [{ domain: 'example.com.au' }])).value.record).toMatchObject({
      abn: '51824753556',
      acn: '004085616',
      employeeCount: 12,
      technologies: ['Nginx'],
      linkedinSlug: 'example',
    })
    expect((await open.find('enrich-company', [{ domain: another.domain }])).value.record).toMatchObject({
      abn: another.abn,
      employeeCount: another.employees,
      employeeRange: another.sizeBand.replace('-', ' - '),
      technologies: another.technologies,
    })
  })

  test('Search row: has_email and others; no e-mail or phone values, no name', async () => {
    const { value } = await open.search('search-people', {
      companyDomain: employer.domain,
      country: employer.place.country,
    })
    const row = value.records.find(({ record }: any) => record.linkedinSlug === someone.linkedinSlug).record
    expect(row).toMatchObject({
      jobTitle: someone.title,
      company: employer.name,
      hasEmail: true,
      hasPhone: someone.phones.length > 0,
      hasDoNotCall: someone.phones.some(({ doNotCall }) => doNotCall),
    })
    expect([row.emails, row.phones, row.fullName]).toEqual([undefined, undefined, undefined])
  })
})

describe('spec and live behaviour', () => {
  test('A miss is HTTP 500 with a text; it is not retried and stops nothing', async () => {
    const records = Array.from({ length: 30 }, (_, index) => [{ email: `nobody-${index}@x.example` }])
    const { value } = await open.findMany('enrich-person', records)
    expect(value.results.every(({ matched }: any) => matched === false)).toBe(true)
    expect(open.control.requests().map(({ status }) => status)).toEqual(records.map(() => 500))
  })

  test('A miss as the specification has it, 400 with a message', async () => {
    open.control.inject({ answer: { status: 400, body: { error: 400, message: 'Company profile not found' } } })
    expect((await open.find('enrich-company', [{ domain: 'nobody.example' }])).value).toMatchObject({ matched: false })
  })

  test('Any other 500 is no miss, and may have been charged', async () => {
    open.control.inject({ answer: { status: 500, body: { error: 'Internal server error' } }, times: 5 })
    expect((await open.find('enrich-company', [{ domain: another.domain }])).failure).toMatchObject({
      code: 'outcome_unknown',
      providerStatus: 500,
    })
  })

  test('POST /people/search answers 307; method and body are replayed, same host only', async () => {
    const { value } = await open.search('search-people', {
      companyId: await idOf(employer.domain),
      country: employer.place.country,
    })
    expect(value.records.length).toBeGreaterThan(0)
    const [first, second] = sent().slice(-2)
    expect([first!.method, second!.method, second!.body]).toEqual(['POST', 'POST', first!.body])
    expect(second!.path).not.toBe(first!.path)
    open.control.inject({
      answer: { status: 307, headers: { location: 'https://elsewhere.example/search' }, body: {} },
    })
    const before = sent().length
    expect((await open.search('search-people', { companyId: 'f000000000001' })).failure).toBeDefined()
    expect(sent()).toHaveLength(before + 1)
  })

  test('Search returns {records, total}, with success or as a bare array; page with from and size until total', async () => {
    const companyId = await idOf(employer.domain)
    const row = { person_id: 'fp1', position: 'Clerk' }
    for (const body of [{ success: true, records: [row], total: 1 }, [row]]) {
      open.control.inject({ answer: { status: 200, body } })
      expect((await open.search('search-people', { companyId })).value.records[0].record).toMatchObject({
        id: 'fp1',
        jobTitle: 'Clerk',
      })
    }
    const all = (await open.search('search-people', { companyId, country: employer.place.country })).value
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const { value } = await open.search(
        'search-people',
        { companyId, country: employer.place.country },
        { limit: 1, ...(cursor ? { cursor } : {}) },
      )
      seen.push(...value.records.map(({ record }: any) => record.id))
      cursor = value.next
    } while (cursor !== undefined)
    expect(seen).toEqual(all.records.map(({ record }: any) => record.id))
    expect(all.total).toBe(seen.length)
  })

  test('Throttling as HTTP 200 with code rate_limited and "Retry in 36s"; out of credits is code no_credits', async () => {
    const throttled = { success: false, code: 'rate_limited', status: 429, error: 'Too many requests. Retry in 36s.' }
    open.control.inject({ answer: { status: 200, body: throttled } })
    const from = open.clock.now()
    expect((await open.find('enrich-person', [{ email: someone.workEmail }])).value.matched).toBe(true)
    expect(open.clock.now() - from).toBeGreaterThanOrEqual(36_000)
    open.control.inject({
      answer: { status: 200, body: { success: false, code: 'no_credits', error: 'No credits left' } },
    })
    expect((await open.find('enrich-person', [{ email: someone.workEmail }])).failure).toMatchObject({
      code: 'credits_exhausted',
    })
  })

  test('Credits: company and people hit 1; miss 0; search 0; kept by us, since no answer says them', async () => {
    const charges = [
      await open.find('enrich-person', [{ email: someone.workEmail }]),
      await open.find('enrich-company', [{ domain: another.domain }]),
      await open.find('enrich-person', [{ email: 'nobody@x.example' }]),
      await open.search('search-people', { companyId: 'f000000000001' }),
    ].map(({ meta }) => meta.credits)
    expect(charges.map((credits) => credits?.charged ?? 0)).toEqual([1, 1, 0, 0])
    expect(charges[0]!.estimated).toBe(true)
    expect(open.control.counters().creditsCharged).toBe(2)
  })
})

describe('Seed 000 vs Firmable', () => {
  test('POST /enrich/person JSON | GET /people query', async () => {
    await open.run('people-enrichment', { email: someone.workEmail })
    expect(sent()[0]).toMatchObject({ method: 'GET', path: '/people', query: { work_email: someone.workEmail } })
  })

  test('linkedin_url, linkedin_slug, email | ln_url, ln_slug, work_email / personal_email', async () => {
    await open.run('people-enrichment', { linkedinUrl: address })
    await open.run('people-enrichment', { linkedinSlug: someone.linkedinSlug })
    await open.run('people-enrichment', { email: 'someone@Gmail.com' })
    await open.run('people-enrichment', { email: 'someone@bigpond.com' })
    expect(sent().map(({ query }) => Object.keys(query)[0])).toEqual([
      'ln_url',
      'ln_slug',
      'personal_email',
      'personal_email',
    ])
  })

  test('POST /enrich/company | GET /company', async () => {
    for (const input of [
      { domain: another.domain },
      { abn: another.abn },
      { website: `https://${another.domain}` },
      { linkedin: another.linkedinSlug },
    ])
      expect((await open.run('company-enrichment', input)).value.matched).toBe(true)
    expect(sent().map(({ method, path, query }) => [method, path, Object.keys(query)[0]])).toEqual(
      ['fqdn', 'abn', 'website', 'ln_url'].map((name) => ['GET', '/company', name]),
    )
  })

  test('search with company name, words | companyId and numeric ids: a domain is resolved first, for 1 credit, and once', async () => {
    const filters = { companyDomain: employer.domain, seniority: 'Manager', country: employer.place.country }
    const first = await open.search('search-people', filters)
    expect(first.meta.credits?.charged).toBe(1)
    expect(
      sent()
        .map(({ path }) => path)
        .slice(0, 2),
    ).toEqual(['/company', '/people/search'])
    expect(sent()[1]!.body).toMatchObject({ companyId: expect.stringMatching(/^f\d+$/) as string, seniority: '5' })
    await open.search('search-people', filters)
    expect(sent().filter(({ path }) => path === '/company')).toHaveLength(1)
    expect((await open.search('search-people', { company: employer.name })).failure).toMatchObject({
      code: 'wire_unset',
    })
  })

  test('State and company-size filters | not in REST: refused before sending', async () => {
    for (const filter of [{ states: ['AU-NSW'] }, { companySize: '11-50' }])
      expect((await open.run('people-search', filter)).failure?.code).toMatch(/^(wire_unset|invalid_input)$/)
    expect(sent()).toEqual([])
  })

  test('"person 1-2 credits, search varies" | 1 per hit, search 0', async () => {
    const { value } = await open.run('people-enrichment', { email: someone.workEmail }, { dryRun: true })
    expect(value.price.total ?? value.price.typical).toEqual([0, 1])
  })

  test('"LinkedIn URL + email together match better" | one identifier per call, the next after a miss', async () => {
    const { value } = await open.run('people-enrichment', {
      linkedinUrl: 'https://www.linkedin.com/in/nobody-at-all',
      email: someone.workEmail,
    })
    expect([value.matched, value.matchedBy]).toEqual([true, 'email'])
    expect(sent().map(({ query }) => Object.keys(query))).toEqual([['ln_url'], ['work_email']])
  })
})
