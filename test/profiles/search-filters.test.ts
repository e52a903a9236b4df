import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { FieldWireSpec } from '#kit'
import contactData from '../../integrations/contact-data/manifest.ts'
import { companyFilterFields, contactFilterFields } from '../../integrations/contact-data/filter-fields.ts'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { endpointRequest } from '../../shared/runtime/endpoints/endpoint-request.ts'
import { toolInput } from '../../shared/runtime/catalogue/manifest.ts'
import { clientOf } from '../sandbox/lusha-client.ts'
import { play } from './play.ts'
import type { Play, ProfileName } from './play.ts'
import { closed, compile, schemas } from './vendor-document.ts'
import type { Schema } from './vendor-document.ts'

/** What the current profile sends for each filter, against the provider's own description of its searches. */

/** The paths of all properties that hold a value, with `[]` for the items of a list. */
const leavesOf = (schema: Schema, at = ''): string[] => {
  if (schema.items) return leavesOf(schema.items, at)
  if (!schema.properties) return [at]
  return Object.entries(schema.properties).flatMap(([name, part]) => leavesOf(part, at === '' ? name : `${at}.${name}`))
}
const pathsIn = (value: unknown, at = ''): string[] => {
  if (Array.isArray(value)) return value.flatMap((item) => pathsIn(item, at))
  if (typeof value !== 'object' || value === null) return [at]
  return Object.entries(value).flatMap(([name, part]) => pathsIn(part, at === '' ? name : `${at}.${name}`))
}

const { integration: loadedOf } = createRegistry([contactData], { 'contact-data': { profile: 'lusha-v3' } })
const loaded = loadedOf('contact-data')
const fieldsOf = (endpoint: string) => loaded.wire.endpoints![endpoint]!.fields as Record<string, FieldWireSpec>
const page = { json: { 'pagination.page': 0, 'pagination.size': 10 } }

const numbered = /^(exclude)?(seniority|contactSeniority|industry)$/i
/** A value that the field takes; of a list of the provider, one in the provider's own terms. */
const valueOf = (ours: string, { map, as, template }: FieldWireSpec): unknown => {
  if (numbered.test(ours)) return 4
  if (map) return Object.keys(map)[0]
  if (JSON.stringify(template ?? '').includes('{min}')) return '11-50'
  if (as === 'number') return '40'
  if (/since|after$/i.test(ours)) return '2026-01-31'
  if (/operator$/i.test(ours)) return 'and'
  if (/email$/i.test(ours)) return 'ada@example.com'
  return /country$/i.test(ours) ? 'NZ' : 'mobile_phone'
}
const searches = [
  {
    endpoint: 'search-contacts',
    schema: 'V3ProspectingContactsRequest',
    path: '/v3/contacts/prospecting',
    beside: { jobTitle: 'manager' },
    rows: contactFilterFields,
    // Two are taken without being applied, one has two names, codes are refused, and countries have a list of their own.
    without:
      /tableId|funding\.(investors|types)|intentTopicsCondition|locations\.countryIso2|contacts\.\w+\.locations\.country$/,
  },
  {
    endpoint: 'search-companies',
    schema: 'V3ProspectingCompaniesRequest',
    path: '/v3/companies/prospecting',
    beside: { name: 'Example' },
    rows: companyFilterFields,
    without: /tableId|intentTopicsCondition|locations\.countryIso2|filterBy(Location|Department)\.startDate/,
  },
]

let sandbox: ContactSandbox
beforeAll(async () => {
  sandbox = await startContactSandbox({
    profile: 'lusha-v3',
    limits: { requests: 10_000 },
    windows: { minute: 10_000 },
  })
})
afterAll(() => sandbox.close())
const { post } = clientOf(() => sandbox)

describe.each(searches)('$endpoint', ({ endpoint, schema, path, beside, rows, without }) => {
  const whole = closed(schemas[schema]!)
  const bodies = Object.entries(fieldsOf(endpoint)).map(([ours, spec]) => {
    const { body } = endpointRequest(loaded, endpoint, { ...beside, [ours]: valueOf(ours, spec) }, page)
    return { ours, body: structuredClone(body) }
  })

  test('each filter is sent as the provider describes it', () => {
    const isValid = compile(schemas[schema]!)
    const wrong = bodies.flatMap(({ ours, body }) => (isValid(body) ? [] : [{ ours, body, errors: isValid.errors }]))
    expect(wrong).toEqual([])
  })

  test('each filter that the provider describes can be sent', () => {
    const sent = new Set(bodies.flatMap(({ body }) => pathsIn(body)))
    expect(leavesOf(whole).filter((leaf) => !sent.has(leaf) && !without.test(leaf))).toEqual([])
  })

  test('each filter is taken by the service, which refuses more than its description does', async () => {
    const refused: unknown[] = []
    for (const { ours, body } of bodies) {
      const { status, body: answer } = await post(path, body)
      if (status !== 200) refused.push([ours, answer])
    }
    expect(refused).toEqual([])
  })

  test('rows may name each of them', () => {
    const names = Object.keys(fieldsOf(endpoint)).map((ours) =>
      ours.replace(/^exclude(.)/, (_, first: string) => first.toLowerCase()),
    )
    expect(names.filter((name) => !(name in rows()))).toEqual([])
  })
})

describe('rows of filters', () => {
  let open: Play
  afterEach(() => open.close())
  const start = async (profile: ProfileName) => (open = await play('contact-data', profile, { credits: 900 }))
  const sent = () => open.control.counters().requests

  test.each<[ProfileName, field: string, values: string, others: object]>([
    ['lusha-v3', 'technologies', 'Xero, Kubernetes', { country: 'AU' }],
    ['lusha-v2', 'technologies', 'Xero, Kubernetes', { country: 'AU' }],
    ['hunter', 'technologies', 'Xero, Kubernetes', { country: 'AU' }],
    ['people-data-labs', 'size', '51-200, 11-50', { country: 'AU' }],
    ['people-data-labs', 'location', 'Sydney, Melbourne', { country: 'AU' }],
    ['apollo', 'location', 'Sydney, Melbourne', { technologies: ['xero'] }],
  ])('include and exclude part the results: %s, %s', async (profile, field, values, others) => {
    const { run } = await start(profile)
    const search = async (match?: string) => {
      const filters = match ? { filters: [{ field, match, values }] } : {}
      const { value, failure } = await run('search-companies', { ...others, ...filters, limit: 50 })
      expect(failure).toBeUndefined()
      return (value.results as { record: { name: string } }[]).map(({ record }) => record.name).toSorted()
    }
    const [all, having, lacking] = [await search(), await search('include'), await search('exclude')]
    expect([having.length > 0, lacking.length > 0, all.length < 50]).toEqual([true, true, true])
    expect([...having, ...lacking].toSorted()).toEqual(all)
  })

  test('are joined with the fields beside them, and places with each other', async () => {
    const { run } = await start('lusha-v3')
    const filters = [
      { field: 'country', values: 'New Zealand' },
      { field: 'city', values: 'Auckland, "Perth, WA"' },
      { field: 'state', match: 'exclude', values: 'Texas' },
      { field: 'country', match: 'exclude', values: 'DE' },
      { field: 'fundingRound', values: 'seed' },
      { field: 'fundingRoundCoverage', values: 'last_round' },
    ]
    const contacts = await run('search-contacts', { jobTitle: 'a', filters: filters.slice(4) }, { dryRun: true })
    expect(contacts.value.requests[0].body.filters.companies.include.funding).toEqual({
      rounds: [{ round: 'seed', coverage: 'last_round' }],
    })
    const { value } = await run('search-companies', { country: 'AU', filters: filters.slice(0, 4) }, { dryRun: true })
    const { include, exclude } = value.requests[0].body.filters.companies
    expect(include.locations).toEqual([
      { country: 'Australia', city: 'Auckland' },
      { country: 'Australia', city: 'Perth, WA' },
      { country: 'New Zealand', city: 'Auckland' },
      { country: 'New Zealand', city: 'Perth, WA' },
    ])
    expect(exclude.locations).toEqual([{ country: 'Germany' }, { state: 'Texas' }])
  })

  test('take a list of values as well as a text', async () => {
    const { run } = await start('lusha-v3')
    const bodyFor = async (values: unknown) => {
      const input = { filters: [{ field: 'technologies', values }] }
      return (await run('search-companies', input, { dryRun: true })).value.requests[0].body as object
    }
    expect(await bodyFor(['Xero', 'Node.js, Express'])).toEqual(await bodyFor('Xero, "Node.js, Express"'))
    expect(JSON.stringify(await bodyFor(['Xero', 'Kubernetes']))).toContain('"technologies":["Xero","Kubernetes"]')
  })

  test('the provider’s lists are read for both sides', async () => {
    const { run } = await start('lusha-v3')
    const filters = [
      { field: 'industry', values: 'Software, Transport and Logistics' },
      { field: 'industry', match: 'exclude', values: 'Transport and Logistics' },
    ]
    const { value, failure } = await run('search-companies', { filters, limit: 100 })
    expect(failure).toBeUndefined()
    const industries = new Set(value.results.map(({ record }: { record: { industry: string } }) => record.industry))
    expect([...industries]).toEqual(['Software'])
  })

  test.each([
    [[{ field: 'size', values: 'many' }], '/filters/0/values', 'invalid_input'],
    [[{ field: 'jobTitle', values: 'a' }], '/filters/0/field', 'invalid_input'],
    [
      [
        { field: 'text', values: 'a' },
        { field: 'text', values: 'b' },
      ],
      '/filters/0',
      'invalid_input',
    ],
    [
      [
        { field: 'name', values: 'a' },
        { field: 'signal', values: 'everything' },
      ],
      '/filters/1',
      'invalid_input',
    ],
    [[{ field: 'name', values: '"", ,' }], '/filters/0/values', 'invalid_input'],
    [[{ field: 'location', match: 'exclude', values: 'a' }], '/filters/0', 'wire_unset'],
  ])('%j is refused before anything is sent', async (filters, pointer, code) => {
    const { run } = await start('lusha-v3')
    const { failure } = await run('search-companies', { filters })
    expect([failure?.code, failure?.errors?.[0]?.pointer, sent()]).toEqual([code, pointer, 0])
  })

  test('what a profile cannot say is refused with what it offers', async () => {
    const { run } = await start('hunter')
    const filters = [
      { field: 'country', values: 'NZ' },
      { field: 'companyType', match: 'exclude', values: 'Government' },
    ]
    const { failure } = await run('search-companies', { filters })
    expect([failure?.errors?.[0]?.pointer, sent()]).toEqual(['/filters/1', 0])
    expect(failure?.message).toMatch(/"companyType" cannot be excluded here.*It takes .*country.*Leave it out/)
  })

  test('a search by signals is reserved with their price', async () => {
    const { run } = await start('lusha-v3')
    const filters = [{ field: 'signal', values: 'promotion, companyChange' }]
    const { value } = await run('search-contacts', { filters, limit: 50 }, { dryRun: true })
    expect(value.price.total).toEqual([0, 102])
  })
})

test.each([
  ['search-contacts', contactFilterFields],
  ['search-companies', companyFilterFields],
])('the definition of rows in %s costs an agent at most 600 tokens', (step, rows) => {
  const { filters } = toolInput(loaded.steps.get(step)!).properties as { filters: Schema }
  expect(Object.keys(rows()).length).toBeGreaterThan(40)
  // A token holds at least 3.5 characters of these names; test/agents counts the tokens themselves.
  expect(JSON.stringify(filters).length / 3.5).toBeLessThan(600)
})
