import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'

const dataSet = createDataSet()
const people = dataSet.people.filter(({ knownTo }) => knownTo.includes('contact'))
const callable = people.filter(({ suppressed }) => !suppressed)
const companies = dataSet.companies.filter(({ knownTo }) => knownTo.includes('contact'))

let sandbox: ContactSandbox
beforeAll(async () => {
  sandbox = await startContactSandbox({ limits: { requests: 10_000 } })
})
afterAll(() => sandbox.close())
beforeEach(() => sandbox.control.reset())

const bearer = () => ({ authorization: `Bearer ${sandbox.credentials.apiKey}` })
const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = bearer()) => {
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

describe('one person', () => {
  test('is found by e-mail, by address and by name with company', async () => {
    const person = callable.find(
      ({ workEmail, linkedinSlug, phones }) => workEmail && linkedinSlug && phones.length > 0,
    )!
    const name = { firstName: person.firstName, lastName: person.lastName }
    const ways = [
      { email: person.workEmail },
      { linkedInUrl: `https://www.linkedin.com/in/${person.linkedinSlug}` },
      { ...name, company: person.company.name },
      { ...name, company: person.company.legalName.toUpperCase() },
      { ...name, company: person.company.domain },
    ]
    for (const way of ways) {
      const { status, headers, body } = await post('/person', way)
      expect([status, headers.get('x-credits-charged')]).toEqual([200, '2'])
      expect(body.data).toMatchObject({
        personId: person.id,
        firstName: person.firstName,
        jobTitle: { title: person.title },
      })
      expect(body.data.emailAddresses[0]).toEqual({
        email: person.workEmail,
        type: 'work',
        confidence: person.confidence,
      })
      expect(body.data.phoneNumbers[0].doNotCall).toBe(person.phones[0]!.doNotCall)
    }
    expect(charged()).toBe(10)
  })

  test('who opted out is 451 and free', async () => {
    const person = people.find(({ suppressed, workEmail }) => suppressed && workEmail)!
    const reply = await post('/person', { email: person.workEmail })
    expect([reply.status, reply.body.error.code, reply.headers.get('x-credits-charged'), charged()]).toEqual([
      451,
      'SUPPRESSED',
      '0',
      0,
    ])
  })

  test('known to the other provider only is a miss', async () => {
    const person = dataSet.people.find(({ knownTo, workEmail }) => !knownTo.includes('contact') && workEmail)!
    const reply = await post('/person', { email: person.workEmail })
    expect([reply.status, reply.body]).toEqual([200, null])
  })
})

describe('one company', () => {
  test('is found by domain and by name', async () => {
    const company = companies.find(({ place }) => place.country === 'DE')!
    for (const way of [
      { domain: company.domain },
      { domain: `www.${company.domain}` },
      { name: company.name },
      { name: company.legalName },
    ]) {
      const { headers, body } = await post('/company', way)
      expect(headers.get('x-credits-charged')).toBe('1')
      expect(body.data).toMatchObject({
        companyId: company.id,
        location: { city: 'Munich', countryCode: 'DE' },
        revenueRange: company.revenue,
      })
    }
    expect(charged()).toBe(4)
  })
})

describe('refusals', () => {
  test.each([
    ['/person', {}, 'email'],
    ['/person', { firstName: 'Mirrin', lastName: 'Alcott' }, 'company'],
    ['/person', { company: 'Wattlebird Freight' }, 'firstName'],
    ['/person', { email: 'a@b.example', company: 'B' }, 'company'],
    ['/person', { email: 'a@b.example', linkedInUrl: 'https://www.linkedin.com/in/a' }, 'linkedInUrl'],
    ['/person', { linkedinUrl: 'https://www.linkedin.com/in/a' }, 'linkedinUrl'],
    ['/person', { linkedInUrl: 'a-b' }, 'linkedInUrl'],
    ['/person', { email: 1 }, 'email'],
    ['/company', { domain: 'b.example', name: 'B' }, 'name'],
    ['/company', { domain: 'b' }, 'domain'],
    ['/company', { name: ' ' }, 'name'],
    ['/person/search', { limit: 5 }, 'jobTitle'],
    ['/person/search', { jobTitle: 'x', limit: 101 }, 'limit'],
    ['/person/search', { jobTitle: 'x', limit: '5' }, 'limit'],
    ['/person/search', { jobTitle: 'x', cursor: 'abc' }, 'cursor'],
    ['/person/search', { title: 'x' }, 'title'],
    ['/company/search', { size: 'small' }, 'size'],
  ])('%s with %j is 400 and names %s', async (path, body, field) => {
    const reply = await post(path, body)
    expect([reply.status, reply.body.error.code, reply.body.error.field, charged()]).toEqual([400, 'INVALID', field, 0])
  })

  test.each([
    ['/person', [{ email: 'a@b.example' }], /JSON object/],
    ['/person/bulk', { email: 'a@b.example' }, /bare JSON array/],
    ['/person/bulk', { contacts: [] }, /bare JSON array/],
    ['/person/bulk', [], /empty/],
    ['/person/bulk', Array.from({ length: 101 }, () => ({ email: 'a@b.example' })), /101 records; at most 100/],
    ['/company/bulk', Array.from({ length: 101 }, () => ({ name: 'B' })), /at most 100/],
  ])('%s with a body of the wrong form is 400', async (path, body, message) => {
    const reply = await post(path, body)
    expect([reply.status, charged()]).toEqual([400, 0])
    expect(reply.body.error.message).toMatch(message)
  })

  test('fields in the query are 400, also for a batch', async () => {
    expect((await post('/person/bulk?email=a%40b.example', [{}])).body.error.field).toBe('email')
  })

  test.each([
    [{}],
    [{ authorization: 'contact-sandbox-key-0001' }],
    [{ 'x-api-key': 'contact-sandbox-key-0001' }],
    [{ authorization: 'Bearer other' }],
  ])('the key elsewhere or unknown (%j) is 401', async (headers) => {
    const reply = await send('POST', '/person', { email: 'a@b.example' }, headers as Record<string, string>)
    expect([reply.status, reply.body.error.code]).toEqual([401, 'BAD_KEY'])
  })
})

describe('no match', () => {
  const message = 'Person not found'
  const forms: [form: 'null' | 'object' | 'list' | '404' | '500', status: number, body: unknown][] = [
    ['null', 200, null],
    ['object', 200, {}],
    ['list', 200, []],
    ['404', 404, { error: { code: 'NOT_FOUND', message } }],
    ['500', 500, { error: message }],
  ]
  test.each(forms)('in the form %s, alone and in a batch', async (form, status, body) => {
    sandbox.control.setNoMatch(form)
    const alone = await post('/person', { firstName: 'No', lastName: 'Body', company: 'Nowhere' })
    expect([alone.status, alone.body, alone.headers.get('x-credits-charged')]).toEqual([status, body, '0'])
    sandbox.control.setNoMatch('null')
    const batch = await post('/person/bulk', [{ email: `miss-${form}@nobody.example` }])
    expect([batch.status, batch.body]).toEqual([200, [body]])
  })
})

describe('batches', () => {
  const peopleWithEmail = callable.filter(({ workEmail }) => workEmail)
  const optedOut = people.find(({ suppressed, workEmail }) => suppressed && workEmail)!

  test('answer in the order asked, one answer for each record, charged for every record', async () => {
    const items = [
      { email: peopleWithEmail[3]!.workEmail },
      { email: 'nobody@nobody.example' },
      {
        firstName: peopleWithEmail[0]!.firstName,
        lastName: peopleWithEmail[0]!.lastName,
        company: peopleWithEmail[0]!.company.name,
      },
      { email: 'not an address' },
      { email: optedOut.workEmail },
      'not an object',
      { email: peopleWithEmail[3]!.workEmail },
    ]
    const { status, headers, body } = await post('/person/bulk', items)
    expect([status, headers.get('x-credits-charged'), charged()]).toEqual([200, '7', 7])
    expect(body.map((item: any) => item?.data?.personId ?? item?.error?.code ?? item)).toEqual([
      peopleWithEmail[3]!.id,
      null,
      peopleWithEmail[0]!.id,
      'INVALID',
      'SUPPRESSED',
      'INVALID',
      peopleWithEmail[3]!.id,
    ])
    expect(body[3].error.field).toBe('email')
    expect(sandbox.control.counters()).toMatchObject({ records: 7, matches: 3, misses: 1, suppressed: 1 })
  })

  test('of 100 are taken, also of companies', async () => {
    const { body } = await post(
      '/company/bulk',
      Array.from({ length: 100 }, (_, at) => ({ domain: companies[at % companies.length]!.domain })),
    )
    expect(body.map((item: any) => item.data.companyId)).toEqual(
      Array.from({ length: 100 }, (_, at) => companies[at % companies.length]!.id),
    )
  })

  test('that cannot be paid in full are refused whole', async () => {
    sandbox.control.setCredits(2)
    const items = peopleWithEmail.slice(0, 3).map(({ workEmail }) => ({ email: workEmail }))
    const reply = await post('/person/bulk', items)
    expect([reply.status, reply.body.error.code, charged()]).toEqual([402, 'NO_CREDITS', 0])
    expect((await post('/person/bulk', items.slice(0, 2))).status).toBe(200)
    expect((await send('GET', '/account/usage')).body.credits).toEqual({ total: 2, remaining: 0, used: 2 })
  })
})

describe('search', () => {
  const all = async (path: string, name: string, filters: object) => {
    const rows: any[] = []
    let cursor: string | null = null
    do {
      const reply: any = await post(path, { ...filters, limit: 6, ...(cursor === null ? {} : { cursor }) })
      expect(reply.headers.get('x-credits-charged')).toBe('0')
      rows.push(...reply.body[name])
      cursor = reply.body.nextCursor
      expect(reply.body.total).toBeGreaterThanOrEqual(rows.length)
    } while (cursor !== null)
    return rows
  }

  test('gives every person once over its pages, without those who opted out', async () => {
    const rows = await all('/person/search', 'people', { location: 'Australia', role: 'Director' })
    const expected = callable.filter(
      ({ seniority, company }) => seniority.label === 'Director' && company.place.country === 'AU',
    )
    expect(rows.map(({ personId }) => personId)).toEqual(expected.map(({ id }) => id))
    expect(rows.length).toBeGreaterThan(6)
    expect(JSON.stringify(rows)).not.toMatch(/@|doNotCall/)
  })

  test('targets a role within a company', async () => {
    const person = callable[0]!
    const rows = await all('/person/search', 'people', { company: person.company.name, role: person.department.label })
    expect(rows.map(({ personId }) => personId)).toEqual([person.id])
  })

  test('finds companies by each filter', async () => {
    const company = companies.find(({ place }) => place.country === 'NZ')!
    const filters = {
      industry: company.industry,
      location: company.place.city,
      size: company.sizeBand,
      name: company.name.slice(0, 5),
    }
    const rows = await all('/company/search', 'companies', filters)
    expect(rows.map(({ companyId }) => companyId)).toEqual([company.id])
  })

  test('takes a cursor only with the filters it was made for', async () => {
    const { body } = await post('/person/search', { location: 'AU', limit: 1 })
    expect(body.nextCursor).toEqual(expect.any(String))
    expect((await post('/person/search', { location: 'NZ', cursor: body.nextCursor })).status).toBe(400)
    expect(
      (await post('/person/search', { location: 'AU', limit: 2, cursor: body.nextCursor })).body.people,
    ).toHaveLength(2)
  })
})
