import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Json, Outcome } from '#kit'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { startAnzSandbox } from '../../shared/sandbox/anz/index.ts'
import type { AnzSandbox } from '../../shared/sandbox/anz/index.ts'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'
import { integrations } from './harness.ts'

const caller = { tenant: 'default' }
const { people, companies } = createDataSet()
const peopleKnownTo = (provider: 'anz' | 'contact') =>
  people.filter((person) => person.knownTo.includes(provider) && !person.suppressed)

let anz: AnzSandbox
let contact: ContactSandbox
let pack: Pack

beforeAll(async () => {
  const limits = { requests: 10_000 }
  anz = await startAnzSandbox({ limits })
  contact = await startContactSandbox({ limits })
  pack = await createPack({
    integrations,
    wire: { 'anz-data': anz.override, 'contact-data': contact.override },
    egress: { privateOrigins: [anz.origin, contact.origin] },
  })
  await pack.connections.create(caller, {
    integration: 'anz-data',
    type: 'api-key',
    name: 'ANZ',
    secrets: anz.credentials,
  })
  await pack.connections.create(caller, {
    integration: 'contact-data',
    type: 'api-key',
    name: 'Contacts',
    secrets: contact.credentials,
  })
})
afterEach(() => {
  anz.control.reset()
  contact.control.reset()
})
afterAll(() => Promise.all([pack.close(), anz.close(), contact.close()]))

const run = (integration: string, step: string, input: unknown, more: { refresh?: true } = {}) =>
  pack.steps.run(caller, { integration, step, input, ...more })
const valueOf = (outcome: Outcome) => {
  if (!outcome.ok)
    throw new Error(`${outcome.failure.code}: ${outcome.failure.message} ${outcome.failure.providerMessage ?? ''}`)
  return { ...(outcome.value as Record<string, any>), meta: outcome.meta } as Record<string, any>
}

describe('Enrich Contacts of 250 records, 3 of them bad, 100 at a time', () => {
  const knownPeople = peopleKnownTo('contact')
    .filter(({ workEmail }) => workEmail !== undefined)
    .slice(0, 120)
  const bad = new Map<number, unknown>([
    [0, { email: 'no address' }],
    [101, { firstName: 'Gwen' }],
    [249, 17],
  ])
  let at = 0
  const contacts = Array.from({ length: 250 }, (_, index) => {
    if (bad.has(index)) return bad.get(index)
    const person = knownPeople[at]
    at += 1
    return index % 2 === 0 && person
      ? { reference: `r${index}`, email: person.workEmail }
      : { reference: `r${index}`, email: `nobody-${index}@no-such-host.example` }
  })

  it('takes three requests, answers in order, fails three alone, and says what the provider charged', async () => {
    const outcome = await run('contact-data', 'enrich-contacts', { contacts })
    const { results, summary, meta } = valueOf(outcome)
    const counters = contact.control.counters()
    expect(counters.byPath).toEqual({ 'POST /person/bulk': 3 })
    expect(contact.control.requests().map(({ body }) => (body as unknown[]).length)).toEqual([100, 100, 47])
    expect(results).toHaveLength(250)
    expect(results.map(({ index }: { index: number }) => index)).toEqual(contacts.map((_, index) => index))
    expect(
      results.flatMap(({ index, failed }: { index: number; failed?: { code: string } }) =>
        failed ? [[index, failed.code]] : [],
      ),
    ).toEqual([
      [0, 'invalid_input'],
      [101, 'invalid_input'],
      [249, 'invalid_input'],
    ])
    for (const { index, reference, matched, record } of results.filter(
      (result: { failed?: unknown }) => !result.failed,
    )) {
      const sentContact = contacts[index] as { reference: string; email: string }
      expect([reference, matched]).toEqual([sentContact.reference, !sentContact.email.startsWith('nobody')])
      if (matched) expect([record.email, record.fullName]).toEqual([sentContact.email, expect.stringMatching(/\S \S/)])
    }
    expect(summary).toEqual({ records: 250, matched: counters.matches, notMatched: 247 - counters.matches, failed: 3 })
    expect(summary.matched).toBeGreaterThan(50)
    expect(meta.credits).toEqual({ charged: counters.creditsCharged, estimated: false })
    expect(counters.creditsCharged).toBe(247)
    expect(meta.attempts).toBe(3)
  })

  it('shows the three requests and their price before, and sends nothing', async () => {
    const dry = valueOf(
      await pack.steps.run(caller, {
        integration: 'contact-data',
        step: 'enrich-contacts',
        input: { contacts },
        dryRun: true,
      }),
    )
    expect(dry.requests.map(({ body }: { body: unknown[] }) => body.length)).toEqual([100, 100, 47])
    expect(dry.price).toEqual({ unit: 'credit', per: 'record', typical: [1, 2], total: [247, 494] })
    expect(JSON.stringify(dry)).not.toContain(contact.credentials.apiKey)
    expect(contact.control.counters().requests).toBe(0)
  })

  it('keeps what was found when the credits end on the way', async () => {
    contact.control.setCredits(150)
    const { results, summary, meta } = valueOf(
      await run('contact-data', 'enrich-contacts', { contacts }, { refresh: true }),
    )
    expect(contact.control.counters().byPath['POST /person/bulk']).toBe(2)
    expect(summary).toMatchObject({ records: 250, failed: 150 })
    expect(results[110].failed.code).toBe('credits_exhausted')
    expect(meta.credits).toEqual({ charged: 100, estimated: false })
  })
})

describe('one person from both providers', () => {
  const both = people.find(
    (person) =>
      person.knownTo.length === 2 &&
      !person.suppressed &&
      person.linkedinSlug !== undefined &&
      person.workEmail !== undefined &&
      person.phones.length > 0,
  )!
  const linkedinUrl = `https://www.linkedin.com/in/${encodeURIComponent(both.linkedinSlug!)}`

  it('has one shape', async () => {
    const [anzValue, other] = [
      valueOf(await run('anz-data', 'people-enrichment', { linkedinUrl })),
      valueOf(await run('contact-data', 'find-contact', { linkedinUrl })),
    ]
    for (const { matched, matchedBy, record, provenance } of [anzValue, other]) {
      expect([matched, matchedBy, provenance.untrusted]).toEqual([true, 'linkedinUrl', true])
      expect(record).toMatchObject({
        fullName: `${both.firstName} ${both.lastName}`,
        jobTitle: both.title,
        company: both.company.name,
        email: both.workEmail,
        linkedinSlug: both.linkedinSlug,
      })
      expect(record.phones.map(({ doNotCall }: { doNotCall: string }) => doNotCall)).toEqual(
        both.phones.map(({ doNotCall }) => (doNotCall === null ? 'unknown' : doNotCall ? 'yes' : 'no')),
      )
    }
    expect(anzValue.meta.credits).toEqual({ charged: anz.control.counters().creditsCharged, estimated: false })
    expect(other.meta.credits).toEqual({ charged: contact.control.counters().creditsCharged, estimated: false })
  })

  it('is found by e-mail after a miss by slug, and the miss costs nothing', async () => {
    const { matchedBy, meta } = valueOf(
      await run('anz-data', 'people-enrichment', { linkedinSlug: 'nobody-at-all', email: both.workEmail }),
    )
    expect([matchedBy, meta.attempts, meta.credits]).toEqual(['email', 2, { charged: 2, estimated: false }])
  })

  it('leads to the employer by ABN', async () => {
    const employer = companies.find(({ abn, knownTo }) => abn !== undefined && knownTo.includes('anz'))!
    const { record } = valueOf(await run('anz-data', 'company-enrichment', { abn: employer.abn }))
    expect(record).toMatchObject({
      name: employer.name,
      abn: employer.abn,
      employeeCount: employer.employees,
      employeeRange: employer.sizeBand,
    })
    const other = companies.find(({ knownTo }) => knownTo.includes('contact'))!
    expect(valueOf(await run('contact-data', 'find-company', { domain: other.domain })).record).toMatchObject({
      name: other.name,
      employeeCount: other.employees,
      employeeRange: other.sizeBand,
    })
  })
})

describe('every form of a miss', () => {
  it.each(['null', 'object', 'list', '404', '500'])('%s is no match, free, asked once', async (form) => {
    const email = `miss-${form}@no-such-host.example`
    const first = valueOf(await run('anz-data', 'people-enrichment', { email }))
    const second = valueOf(await run('contact-data', 'find-contact', { email }))
    const many = valueOf(
      await run('contact-data', 'enrich-contacts', { contacts: [{ email }, { email: `2-${email}` }] }),
    )
    expect([first.matched, second.matched, many.summary.notMatched]).toEqual([false, false, 2])
    expect([anz.control.counters().requests, contact.control.counters().requests]).toEqual([1, 2])
    expect(first.meta.credits.charged).toBe(0)
  })
})

describe('refusals of the provider', () => {
  const suppressed = people.find(
    (person) => person.suppressed && person.workEmail !== undefined && person.knownTo.length === 2,
  )!

  it('of a person who opted out are suppressed, singly and in bulk', async () => {
    for (const [id, step] of [
      ['anz-data', 'people-enrichment'],
      ['contact-data', 'find-contact'],
    ] as const) {
      const outcome = await run(id, step, { email: suppressed.workEmail })
      expect(outcome.ok ? 'it succeeded' : outcome.failure).toMatchObject({ code: 'suppressed', providerStatus: 451 })
    }
    const { results } = valueOf(
      await run('contact-data', 'enrich-contacts', {
        contacts: [
          { email: suppressed.workEmail },
          { email: peopleKnownTo('contact').find(({ workEmail }) => workEmail)!.workEmail },
        ],
      }),
    )
    expect(
      results.map(({ matched, failed }: { matched?: boolean; failed?: { code: string } }) => failed?.code ?? matched),
    ).toEqual(['suppressed', true])
  })

  it('for want of credits stop before the next identifier', async () => {
    anz.control.setCredits(0)
    const outcome = await run('anz-data', 'people-enrichment', { linkedinSlug: 'a-b', email: 'a@b.example' })
    expect(outcome.ok ? 'it succeeded' : outcome.failure.code).toBe('credits_exhausted')
    expect(anz.control.counters().requests).toBe(1)
  })
})

describe('searches', () => {
  it('page through all people of a region, each once', async () => {
    const ids: string[] = []
    let cursor: string | undefined
    let credits = 0
    do {
      const page = valueOf(
        await run('anz-data', 'people-search', {
          states: ['New South Wales'],
          limit: 10,
          ...(cursor === undefined ? {} : { cursor }),
        }),
      )
      ids.push(...page.results.map((result: { record: { id: string } }) => result.record.id))
      credits += page.meta.credits.charged
      cursor = page.next
    } while (cursor !== undefined)
    const expected = peopleKnownTo('anz')
      .filter(({ company }) => company.place.region === 'AU-NSW')
      .map(({ id }) => id)
    expect(expected.length).toBeGreaterThan(10)
    expect([...ids].sort()).toEqual([...expected].sort())
    expect(credits).toBe(anz.control.counters().creditsCharged)
  })

  it("follow the provider's cursor", async () => {
    const first = valueOf(await run('contact-data', 'search-companies', { industry: 'Software', limit: 2 }))
    const second = valueOf(
      await run('contact-data', 'search-companies', { industry: 'Software', limit: 2, cursor: first.next }),
    )
    const names = [...first.results, ...second.results].map(
      (result: { record: { name: string; industry: string } }) => [result.record.name, result.record.industry],
    )
    expect(new Set(names.map(([name]) => name)).size).toBe(4)
    expect(names.every(([, industry]) => industry === 'Software')).toBe(true)
    expect(
      valueOf(await run('contact-data', 'search-contacts', { location: 'Sydney', limit: 5 })).results.length,
    ).toBeGreaterThan(0)
  })
})

describe('API Call', () => {
  const person = peopleKnownTo('anz').find(({ workEmail, knownTo }) => workEmail && knownTo.includes('contact'))!
  const rows: [integration: string, path: string, body: Json][] = [
    ['anz-data', '/enrich/person', { email: person.workEmail! }],
    ['anz-data', '/enrich/company', { domain: person.company.domain }],
    ['anz-data', '/search/people', { company: person.company.name, position: 'a' }],
    ['contact-data', '/person', { email: person.workEmail! }],
    ['contact-data', '/company', { name: person.company.name }],
    [
      'contact-data',
      '/person/bulk',
      [
        { email: person.workEmail! },
        { firstName: person.firstName, lastName: person.lastName, company: person.company.name },
      ],
    ],
    ['contact-data', '/company/bulk', [{ domain: person.company.domain }, { name: person.company.name }]],
  ]

  it.each(rows)('%s POST %s succeeds with its documented body', async (integration, path, body) => {
    expect(valueOf(await run(integration, 'api-call', { method: 'POST', path, body }))).toMatchObject({ status: 200 })
    const counters = (integration === 'anz-data' ? anz : contact).control.counters()
    expect(counters.byPath).toEqual({ [`POST ${path}`]: 1 })
    expect(counters.creditsCharged).toBeGreaterThan(0)
  })

  it('reads with GET', async () => {
    for (const integration of ['anz-data', 'contact-data'])
      expect(valueOf(await run(integration, 'api-call', { method: 'GET', path: '/account/usage' })).status).toBe(200)
  })
})
