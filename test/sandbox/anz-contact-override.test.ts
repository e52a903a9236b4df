import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { meets, valueAt } from '../../shared/kit/condition.ts'
import type { ReplyCondition, WireProfile } from '#kit'
import { effectiveProfile } from '../../shared/runtime/catalogue/profile.ts'
import { startAnzSandbox } from '../../shared/sandbox/anz/index.ts'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'

// What the documents show, and no more: the override has to supply the rest.
const documented = (id: string, endpoints: NonNullable<WireProfile['endpoints']>): WireProfile => ({
  profile: `${id} documented`,
  baseUrl: null,
  auth: { 'api-key': null },
  reserved: [],
  pace: { limits: [], concurrency: 2 },
  timeouts: { connectMs: 1000, headersMs: 1000, bodyMs: 1000, totalMs: 5000, deadlineMs: 5000 },
  maxReplyBytes: 1_000_000,
  errors: [],
  endpoints,
  assumed: {},
})
const post = (path: string | null, fields: Record<string, string | null>) => ({
  method: 'POST' as const,
  path,
  place: 'json' as const,
  fields,
})

const setUp = async () => {
  const anz = await startAnzSandbox({ limits: { requests: 1000 } })
  const contact = await startContactSandbox({ limits: { requests: 1000 } })
  const anzDocumented = documented('anz-data', {
    'enrich-person': post('/enrich/person', { email: 'email' }),
    'enrich-company': post('/enrich/company', { abn: 'abn' }),
    'search-people': post('/search/people', { company: 'company', states: null, companySize: null }),
  })
  const contactDocumented = documented('contact-data', {
    person: post('/person', { email: 'email' }),
    company: post('/company', { domain: 'domain' }),
    'search-contacts': post(null, {}),
    'search-companies': post(null, {}),
  })
  const anzProfile = effectiveProfile('anz-data', anzDocumented, anz.override)
  const contactProfile = effectiveProfile('contact-data', contactDocumented, contact.override)
  return [
    { name: 'anz', sandbox: anz, profile: anzProfile, single: 'enrich-person', many: 'search-people' },
    { name: 'contact', sandbox: contact, profile: contactProfile, single: 'person', many: 'search-contacts' },
  ]
}

let parts: Awaited<ReturnType<typeof setUp>>
beforeAll(async () => {
  parts = await setUp()
})
afterAll(() => Promise.all(parts.map(({ sandbox }) => sandbox.close())))
const part = (name: string) => parts.find((candidate) => candidate.name === name)!

/** One request made of the effective profile alone, as the pack makes it. */
const ask = async (name: string, path: string, body: unknown) => {
  const { sandbox, profile } = part(name)
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  const placement = profile.auth['api-key']!
  for (const [header, template] of Object.entries('fields' in placement ? placement.fields : {})) {
    headers[header] = template.replace('{apiKey}', sandbox.credentials.apiKey)
  }
  const reply = await fetch(profile.baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: reply.status, headers: reply.headers, body: (await reply.json()) as any }
}
const claims = (rules: ReplyCondition[] | undefined, reply: { status?: number; body: unknown }) =>
  (rules ?? []).some((rule) => meets(rule, reply))

describe.each(['anz', 'contact'])('the override of %s', (name) => {
  test('leaves nothing unset and names every limit', () => {
    const { profile, sandbox } = part(name)
    expect(profile.baseUrl).toBe(sandbox.origin)
    expect(profile.pace.limits).toEqual([{ per: 'connection', max: 1000, windowMs: 1000 }])
    for (const endpoint of Object.values(profile.endpoints!)) {
      expect(endpoint.path).not.toBeNull()
      expect(Object.values(endpoint.fields)).not.toContain(null)
    }
  })

  test.each(['null', 'object', 'list', '404', '500'])('knows a miss in the form %s', async (form) => {
    const { path, noMatch } = part(name).profile.endpoints![part(name).single]!
    expect(claims(noMatch, await ask(name, path!, { email: `miss-${form}@nobody.example` }))).toBe(true)
  })

  test('takes no refusal for a miss, and knows what each refusal is', async () => {
    const { sandbox, profile, single } = part(name)
    const { path, noMatch } = profile.endpoints![single]!
    const optedOut = createDataSet().people.find(
      ({ suppressed, workEmail, knownTo }) => suppressed && workEmail && knownTo.includes(name as 'anz'),
    )!
    const failureOf = async (at: string, body: unknown) => {
      const reply = await ask(name, at, body)
      expect(claims(noMatch, reply)).toBe(false)
      return profile.errors.find((rule) => meets(rule, { status: reply.status, body: reply.body }))?.failure
    }
    expect(await failureOf(path!, { email: optedOut.workEmail })).toBe('suppressed')
    expect(await failureOf('/nowhere', {})).toBeUndefined()
    expect(await failureOf(path!, {})).toBeUndefined()
    sandbox.control.setCredits(0)
    expect(await failureOf(path!, { email: 'a@b.example' })).toBe('credits_exhausted')
    sandbox.control.setLimits({ requests: 0 })
    expect(await failureOf(path!, { email: 'a@b.example' })).toBe('rate_limited')
    sandbox.control.reset()
  })

  test('finds record, credits and page where it says', async () => {
    const { profile, single, many, sandbox } = part(name)
    const endpoint = profile.endpoints![single]!
    const reply = await ask(name, endpoint.path!, { email: 'mirrin.alcott@wattlebird-freight.example' })
    expect(Object.values(valueAt(reply.body, endpoint.record![0]!) as object)).toEqual(
      expect.arrayContaining(['Mirrin', 'Alcott']),
    )
    const { credits } = endpoint
    const inBody = credits && 'path' in credits ? valueAt(reply.body, credits.path) : undefined
    const reportedCredits = credits && 'header' in credits ? reply.headers.get(credits.header) : inBody
    expect(Number(reportedCredits)).toBe(2)
    expect(sandbox.control.counters().creditsCharged).toBe(2)
    const { path, record, page } = profile.endpoints![many]!
    const searchReply = await ask(name, path!, { company: 'Wattlebird Freight', [page!.size]: 2 })
    expect(valueAt(searchReply.body, record![0]!)).toHaveLength(2)
    const colleagues = createDataSet().people.filter(
      ({ company, suppressed, knownTo }) =>
        company.name === 'Wattlebird Freight' && !suppressed && knownTo.includes(name as 'anz'),
    )
    expect(valueAt(searchReply.body, page!.total!)).toBe(colleagues.length)
    if (page!.nextCursor !== undefined) expect(valueAt(searchReply.body, page!.nextCursor)).toEqual(expect.any(String))
    sandbox.control.reset()
  })
})

test('the rules of a batch tell matches, misses and failures apart', async () => {
  const { bulk } = part('contact').profile.endpoints!.person!
  const misses = ['null', 'object', 'list', '404', '500'].map((form) => `miss-${form}@nobody.example`)
  const emails = [
    'mirrin.alcott@wattlebird-freight.example',
    ...misses,
    'wrong',
    'omar.ngata-field@redsand-drilling.example',
  ]
  const { body } = await ask(
    'contact',
    bulk!.path!,
    emails.map((email) => ({ email })),
  )
  expect(body).toHaveLength(emails.length)
  const kinds = body.map((item: unknown) => {
    if (claims(bulk!.itemNoMatch, { body: item })) return 'miss'
    const rule = bulk!.itemErrors!.find((candidate) => meets(candidate, { body: item }))
    return rule?.failure ?? typeof valueAt(item, bulk!.itemRecord![0]!)
  })
  expect(kinds).toEqual(['object', 'miss', 'miss', 'miss', 'miss', 'miss', 'rejected', 'suppressed'])
})

/** Alias paths of a profile that stand in none of the records are mistakes. */
const unused = (aliases: NonNullable<WireProfile['records']>[string], records: unknown[]) =>
  Object.values(aliases).flatMap((alias) => {
    const absent = (paths: string[], among: unknown[]) =>
      paths.filter((path) => among.every((record) => (valueAt(record, path) ?? null) === null))
    if (Array.isArray(alias)) return absent(alias, records)
    return alias.lists.flatMap(({ at, item }) =>
      absent(Object.values(item).flat(), records.map((record) => valueAt(record, at)).flat()),
    )
  })

test('every alias path stands in some record', async () => {
  const all = createDataSet()
  const records = async (name: string, path: string, bodies: unknown[], at: string[]) => {
    const replies = await Promise.all(bodies.map((body) => ask(name, path, body)))
    return replies
      .flatMap((reply) => at.map((recordPath) => valueAt(reply.body, recordPath)).flat())
      .filter((record) => record !== undefined)
  }
  const emails = all.people
    .slice(0, 20)
    .flatMap(({ workEmail }) => (workEmail === undefined ? [] : [{ email: workEmail }]))
  const domains = all.companies.slice(0, 12).map(({ domain }) => ({ domain }))
  const anz = part('anz').profile.records!
  const rows = await records('anz', '/search/people', [{ position: 'Head' }], ['results'])
  expect(unused(anz.person!, [...(await records('anz', '/enrich/person', emails, ['person'])), ...rows])).toEqual([])
  expect(unused(anz.company!, await records('anz', '/enrich/company', domains, ['company']))).toEqual([])
  const contact = part('contact').profile.records!
  expect(unused(contact.person!, await records('contact', '/person', emails, ['data']))).toEqual([])
  expect(unused(contact.company!, await records('contact', '/company', domains, ['data']))).toEqual([])
})
