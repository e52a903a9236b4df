import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readdirSync, readFileSync } from 'node:fs'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { companyId, contactId } from '../../shared/sandbox/contact/lusha/find.ts'
import { clientOf, companies, full, optedOut } from '../sandbox/lusha-client.ts'
import { compile, operations } from './vendor-document.ts'

/** Requests of the profile, and answers of the sandbox, against the provider's own document of version 3. */

type Exchange = { request: { method: string; path: string; body?: unknown }; reply: { status: number; body: unknown } }
const folder = new URL('../../integrations/contact-data/examples/', import.meta.url)
const examples = readdirSync(folder).flatMap((file) => {
  const { wire, cases } = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as {
    wire?: { profile?: string }
    cases: { title: string; exchanges?: Exchange[] }[]
  }
  return wire?.profile === 'lusha-v3'
    ? cases.flatMap(({ title, exchanges = [] }) =>
        exchanges.map((exchange) => [`${file}: ${title}`, exchange] as const),
      )
    : []
})

const patternOf = (path: string) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
const nameOf = (method: string, path: string) => {
  const fits = [...operations.keys()].filter((name) => {
    const [by, template] = name.split(' ') as [string, string]
    return by === method && patternOf(template).test(path.split('?')[0]!)
  })
  // A fixed path ranks before one with a placeholder.
  return fits.toSorted((a, b) => a.split('{').length - b.split('{').length)[0]
}
type Name = Parameters<typeof operations.get>[0]
const problems = (name: string, part: 'request' | 'answer', value: unknown) => {
  const schema = operations.get(name as Name)?.[part]
  if (schema === undefined) return []
  const isValid = compile(schema)
  if (isValid(value)) return []
  const found = isValid.errors!.map(({ instancePath, message, params: { additionalProperty = '' } }) =>
    `${instancePath.replaceAll(/\/\d+/g, '[]')} ${message} ${additionalProperty}`.trim(),
  )
  return [...new Set(found)]
}

/** The document lists only fields of people there, and its own examples of companies have others. */
const ofPeople = '/results[]/canReveal[]/field must be equal to one of the allowed values'
const contradicted = ['/v3/companies/search', '/v3/companies/prospecting', '/v3/companies/website-visits']
const expectedAt = (path: string) => (contradicted.includes(path) ? [ofPeople] : [])

describe('examples', () => {
  test.each(examples)('%s', (_, { request, reply }) => {
    const name = nameOf(request.method, request.path)
    expect([request.path, name === undefined]).toEqual([request.path, false])
    if (request.body !== undefined) expect(problems(name!, 'request', request.body)).toEqual([])
    if (reply.status === 200) expect(problems(name!, 'answer', reply.body)).toEqual(expectedAt(request.path))
  })
})

let sandbox: ContactSandbox
beforeAll(async () => {
  sandbox = await startContactSandbox({ profile: 'lusha-v3', credits: 10_000, limits: { requests: 10_000 } })
  sandbox.control.setSwitches({ waterfall: 'on' })
})
afterAll(() => sandbox.close())
const { send } = clientOf(() => sandbox)

const [person, other] = full as [(typeof full)[number], (typeof full)[number]]
const ids = [...full.slice(0, 20).map(contactId), contactId(optedOut), 'nobody']
const companyIds = [...companies.slice(0, 12).map(companyId), 'nobody']
const contacts = [
  { clientReferenceId: 'a', email: person.workEmail },
  { clientReferenceId: 'b', id: contactId(other) },
  { clientReferenceId: 'c', email: optedOut.workEmail },
  { clientReferenceId: 'd', email: 'nobody@nobody.example' },
]
const named = [{ clientReferenceId: 'a', domain: companies[0]!.domain }, { domain: 'nobody.example' }]
const pagination = { page: 0, size: 25 }
const details = ['employeesByDepartment', 'employeesByLocation', 'employeesBySeniority', 'competitors', 'intent']
const visits = { domains: ['shop.example'], startDate: '2026-01-01', endDate: '2026-02-01', pagination }

const requests: [method: string, path: string, body?: object][] = [
  ['POST', '/v3/contacts/search', { contacts }],
  ['POST', '/v3/contacts/enrich', { ids, reveal: ['emails', 'phones'], waterfallEnabled: true }],
  ['POST', '/v3/contacts/search-and-enrich', { contacts }],
  ['POST', '/v3/companies/search', { companies: named }],
  [
    'POST',
    '/v3/companies/enrich',
    { ids: companyIds, reveal: [...details, 'estimatedAnnualItSpend', 'monthlyWebsiteTraffic'] },
  ],
  ['POST', '/v3/companies/search-and-enrich', { companies: named }],
  ['POST', '/v3/contacts/prospecting', { pagination, filters: { contacts: { include: { jobTitles: ['a'] } } } }],
  ['POST', '/v3/companies/prospecting', { pagination, filters: { companies: { include: { names: ['a'] } } } }],
  ['POST', '/v3/contacts/lookalike', { seeds: { ids: ids.slice(0, 5) }, limit: 10 }],
  ['POST', '/v3/companies/lookalike', { seeds: { domains: companies.slice(0, 5).map(({ domain }) => domain) } }],
  [
    'POST',
    '/v3/contacts/buying-group',
    { companies: [{ domain: companies[0]!.domain }, { domain: 'nobody.example' }] },
  ],
  ['POST', '/v3/contacts/signals', { ids, signalTypes: ['allSignals'] }],
  ['POST', '/v3/companies/signals', { ids: companyIds, signalTypes: ['allSignals'], maxResultsPerSignal: 3 }],
  ['POST', '/v3/contacts/signal-score', { contacts }],
  ['POST', '/v3/companies/signal-score', { companies: [...companyIds.map((id) => ({ id })), { name: 'Nobody' }] }],
  ['POST', '/v3/companies/website-visits', visits],
  ['GET', '/v3/contacts/signals/types'],
  ['GET', '/v3/companies/signals/types'],
  ['GET', '/v3/companies/signals/filters'],
  ['GET', '/v3/companies/signals/filters/hiringByLocations?query=auck'],
  ['GET', '/v3/contacts/prospecting/filters'],
  ['GET', '/v3/contacts/prospecting/filters/seniority'],
  ['GET', '/v3/companies/prospecting/filters'],
  ['GET', '/v3/companies/prospecting/filters/industriesLabels'],
  ['GET', '/v3/account/usage'],
]

describe('the sandbox', () => {
  test('is asked for every operation of the document that the profile reaches', () => {
    const asked = requests.map(([method, path]) => nameOf(method, path))
    const reached = [...operations.keys()].filter((name) => name.includes(' /v3/'))
    expect(asked.toSorted()).toEqual(reached.toSorted())
  })

  test.each(requests)('%s %s is answered as the document says', async (method, path, body) => {
    const name = nameOf(method, path)!
    if (body !== undefined) expect(problems(name, 'request', body)).toEqual([])
    const { status, body: answer } = await send(method, path, body)
    expect(status).toBe(200)
    expect(problems(name, 'answer', answer)).toEqual(expectedAt(path))
  })
})

test('a request or an answer of another form is found', () => {
  expect(problems('POST /v3/contacts/enrich', 'request', { ids: [7] })).toHaveLength(1)
  expect(problems('POST /v3/contacts/signals', 'request', { ids: ['7'], signalTypes: ['signals'] })).toHaveLength(1)
  expect(problems('POST /v3/companies/website-visits', 'answer', { result: [] })).toHaveLength(1)
})
