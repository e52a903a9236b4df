import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Outcome } from '#kit'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { firms, key, people, startVendor } from './invented-vendor.ts'
import type { Vendor } from './invented-vendor.ts'

const caller = { tenant: 'default' }

/** All that is said of the vendor: JSON, laid over the documented profile. */
const override = (vendor: Vendor) => {
  const reveal = {
    name: null,
    flags: { emails: 'include_mail', phones: 'include_phone' },
    default: ['emails', 'phones'],
  }
  const price = [
    { per: 'match', credits: 1, wanted: 'emails' },
    { per: 'match', credits: 4, wanted: 'phones' },
  ]
  const email = [{ name: 'private_mail', mailHosts: ['freemail.example'] }, { name: 'work_mail' }]
  const who = { linkedinUrl: 'profile', firstName: 'given', lastName: 'family', company: 'employer' }
  const inBatch = Object.fromEntries(Object.entries(who).map(([ours, name]) => [ours, `who.${name}`]))
  const pending = {
    when: [{ status: 202 }, { path: 'state', equals: 'working' }],
    poll: { path: '/jobs?job={job}', names: { job: 'job' } },
    everyMs: 1,
    limitMs: 5_000,
  }
  return {
    profile: 'quandary',
    baseUrl: vendor.address,
    auth: { 'api-key': { place: 'header', fields: { 'X-Quandary-Pass': 'Pass {apiKey}' } } },
    pace: { limits: [], concurrency: 4, waitTexts: ['come back in {seconds} seconds'] },
    errors: [
      { path: 'fault.kind', equals: 'who-are-you', failure: 'not_connected' },
      { status: 200, path: 'fault.kind', equals: 'slow-down', failure: 'rate_limited' },
      { path: 'fault.kind', is: 'present', failure: 'rejected' },
      { status: 200, path: 'answers.0.state', equals: 'withheld', failure: 'suppressed' },
    ],
    errorDetails: { message: ['fault.say'] },
    endpoints: {
      person: {
        path: '/people/lookup',
        constants: { protocol: 7 },
        envelope: { at: 'ask.subjects', as: 'list', constants: { origin: 'crm' }, beside: ['reveal'] },
        fields: { ...who, email, reveal },
        requires: [['email'], ['linkedinUrl'], ['firstName', 'lastName', 'company']],
        record: ['answers.0.card'],
        noMatch: [{ status: 200, path: 'answers.0.state', equals: 'blank' }],
        price,
        credits: { path: 'paid' },
        bulk: {
          method: 'PUT',
          path: '/people/batch',
          max: 3,
          envelope: 'batch.entries',
          constants: { protocol: 7 },
          itemConstants: { origin: 'crm' },
          fields: { ...inBatch, email: email.map((mapping) => ({ ...mapping, name: `who.${mapping.name}` })), reveal },
          beside: ['reveal'],
          itemId: 'tag.ref',
          answerId: 'echo.of',
          answers: 'entries',
          charge: 'match',
          itemRecord: ['card'],
          itemNoMatch: [{ path: 'state', equals: 'blank' }],
          itemErrors: [{ path: 'state', equals: 'withheld', failure: 'suppressed' }],
        },
      },
      company: {
        method: 'GET',
        baseUrl: vendor.firmsAddress,
        path: '/firms',
        place: 'query',
        constants: { region: 'anz' },
        fields: { domain: 'host', name: 'title' },
        aliases: 'firm',
        record: ['firm'],
        noMatch: [{ status: 404, path: 'problem', equals: 'unknown-firm' }],
        price: [{ per: 'match', credits: 2 }],
        bulk: { path: null },
      },
      'reveal-contacts': {
        method: 'POST',
        path: '/people/open',
        place: 'json',
        kind: 'person',
        constants: { protocol: 7 },
        fields: { personId: { name: 'keys', as: 'list' }, searchId: 'ticket', reveal },
        requires: [['personId', 'searchId']],
        record: ['opened.0.card'],
        noMatch: [{ status: 200, path: 'opened.0.state', equals: 'blank' }],
        price,
        credits: { path: 'paid' },
        bulk: {
          path: '/people/open',
          max: 2,
          envelope: 'keys',
          items: 'value',
          constants: { protocol: 7 },
          beside: ['searchId', 'reveal'],
          answer: 'array',
          answers: 'opened',
          answerId: 'of',
          charge: 'match',
          itemRecord: ['card'],
          itemNoMatch: [{ path: 'state', equals: 'blank' }],
          itemErrors: [{ path: 'state', equals: 'withheld', failure: 'suppressed' }],
        },
      },
      'account-usage': {
        method: 'GET',
        path: '/me',
        place: 'query',
        kind: 'usage',
        fields: {},
        record: [''],
        price: [],
      },
      roles: { method: 'GET', path: '/lists/roles', place: 'query', fields: {} },
      'search-contacts': {
        path: '/people/find',
        constants: { 'criteria.only.living': true },
        envelope: { at: 'criteria', as: 'object' },
        fields: {
          company: { name: 'firm_key', resolve: { endpoint: 'company', field: 'name', take: 'key' } },
          jobTitle: { name: 'titles', template: [{ contains: '{value}' }] },
          role: {
            name: 'role_ids',
            choices: { endpoint: 'roles', list: 'data.roles', value: 'no', label: 'name' },
            template: [{ id: '{value}' }],
          },
        },
        requires: [['company']],
        record: ['rows'],
        joins: [{ into: 'firm', from: 'firms', by: 'at' }],
        pending,
        searchId: 'ticket',
        price: [{ per: 'results', credits: 1, of: 2 }],
        page: {
          style: 'page',
          place: 'json',
          position: 'page.no',
          size: 'page.per',
          firstPage: 1,
          asString: true,
          min: 2,
          max: 50,
          default: 2,
          last: 9,
          total: 'hits',
        },
      },
      'search-companies': {
        baseUrl: vendor.firmsAddress,
        path: '/firms/find',
        aliases: 'firm',
        fields: {
          industry: {
            name: 'trade',
            map: { manufacturing: 'C', finance: 'K' },
            labels: { manufacturing: 'Making things', finance: 'Finance' },
          },
          size: { name: 'staff', template: { from: '{min}', to: '{max}' } },
          name: 'title',
        },
        record: ['list'],
        price: [{ per: 'call', credits: 1 }],
        page: {
          style: 'cursor',
          place: 'json',
          position: 'after',
          size: 'first',
          max: 50,
          default: 1,
          nextCursor: 'more',
        },
      },
    },
    records: {
      person: {
        id: ['key'],
        firstName: ['given'],
        lastName: ['family'],
        jobTitle: ['post'],
        company: ['firm.name'],
        emails: { lists: [{ at: 'mails', item: { value: ['at'], confidence: ['grade'] }, set: { type: 'work' } }] },
        phones: { lists: [{ at: 'lines', item: { number: ['no'], doNotCall: ['quiet'] } }] },
      },
      usage: {
        creditsTotal: ['me.bought'],
        creditsUsed: ['me.spent'],
        creditsRemaining: ['me.left'],
        limits: ['per_minute'],
      },
      firm: { id: ['key'], name: ['title'], domain: ['host'] },
    },
  }
}

let vendor: Vendor
let pack: Pack
beforeAll(async () => {
  vendor = await startVendor()
  pack = await createPack({
    wire: { 'contact-data': JSON.parse(JSON.stringify(override(vendor))) as Record<string, unknown> },
    egress: { privateOrigins: vendor.origins },
  })
  await pack.connections.create(caller, {
    integration: 'contact-data',
    type: 'api-key',
    name: 'Quandary',
    secrets: { apiKey: key },
  })
})
beforeEach(() => {
  vendor.account.spent = 0
})
afterAll(() => Promise.all([pack.close(), vendor.close()]))

const run = (step: string, input: unknown, more: object = {}) =>
  pack.steps.run(caller, { integration: 'contact-data', step, input, ...more })
const valueOf = (outcome: Outcome): Record<string, any> => {
  if (!outcome.ok)
    throw new Error(`${outcome.failure.code}: ${outcome.failure.message} ${outcome.failure.providerMessage ?? ''}`)
  expect(outcome.meta.credits?.charged ?? 0).toBe(vendor.account.spent)
  return outcome.value as Record<string, any>
}

describe('a vendor that only JSON describes', () => {
  it('finds a contact by any of its identifiers, charged as it says', async () => {
    const [aroha] = people
    const person = valueOf(await run('find-contact', { email: aroha!.work_mail }))
    expect(person).toMatchObject({
      matched: true,
      matchedBy: 'email',
      record: {
        id: 'P0',
        fullName: 'Aroha Field',
        jobTitle: 'Sales manager',
        company: 'Wattle & Co',
        email: aroha!.work_mail,
      },
    })
    expect(person.record.phones[0]).toMatchObject({ doNotCall: 'yes' })
    expect(vendor.account.spent).toBe(5)
  })

  it.each([
    { email: 'p1@freemail.example' },
    { linkedinUrl: 'au.linkedin.com/in/field-1/' },
    { firstName: 'Gwen', lastName: 'Field', company: 'Wattle & Co' },
  ])('by %j', async (input) => {
    expect(valueOf(await run('find-contact', input)).record).toMatchObject({ id: 'P1' })
    expect(vendor.account.spent).toBe(1)
  })

  it('says no match and opted out as it does', async () => {
    expect(valueOf(await run('find-contact', { email: 'nobody@wattle.example' }))).toEqual({ matched: false })
    expect(await run('find-contact', { email: people[6]!.work_mail })).toMatchObject({
      ok: false,
      failure: { code: 'suppressed' },
    })
    expect(vendor.account.spent).toBe(0)
  })

  it('waits as long as its words say', async () => {
    vendor.account.slowDowns = 1
    const outcome = await run('find-contact', { email: people[1]!.work_mail })
    expect(outcome).toMatchObject({ ok: true, meta: { attempts: 2 } })
    expect(outcome.meta.durationMs).toBeGreaterThanOrEqual(1_000)
  })

  it('enriches many contacts three at a time, each with its own result', async () => {
    const before = vendor.seen().length
    const contacts = [
      ...people.map(({ work_mail: email }) => ({ email })),
      { email: 'nobody@wattle.example' },
      { email: 'broken' },
      { email: people[0]!.work_mail },
    ]
    const { results, summary } = valueOf(await run('enrich-contacts', { contacts }, { refresh: true }))
    expect(summary).toEqual({ records: 10, matched: 7, notMatched: 1, failed: 2 })
    expect(results.map(({ matched, failed, record }: any) => failed?.code ?? (matched ? record.id : matched))).toEqual([
      'P0',
      'P1',
      'P2',
      'P3',
      'P4',
      'P5',
      'suppressed',
      false,
      'invalid_input',
      'P0',
    ])
    expect(vendor.seen().length - before).toBe(3)
    expect(vendor.account.spent).toBe(5 * 6 - 4)
  })

  it('finds companies at another address of its own', async () => {
    const input = { domain: 'wattle.example' }
    expect(valueOf(await run('find-company', input))).toMatchObject({
      matched: true,
      matchedBy: 'domain',
      record: { id: 'F1', name: 'Wattle & Co' },
    })
  })

  it('enriches companies one by one, and has no match for one it does not know', async () => {
    const { summary } = valueOf(
      await run('enrich-companies', { companies: [{ name: 'Kowhai Group' }, { domain: 'nobody.example' }] }),
    )
    expect(summary).toEqual({ records: 2, matched: 1, notMatched: 1, failed: 0 })
    expect(vendor.account.spent).toBe(2)
  })

  it('searches contacts: the company is resolved once, the role chosen from its list, and each answer waited for', async () => {
    const input = { company: 'Wattle & Co', role: 'decision maker', jobTitle: 'sales', limit: 1 }
    const first = valueOf(await run('search-contacts', input))
    expect(first).toMatchObject({ count: 2, total: 3, searchId: expect.stringMatching(/^t-/) as string })
    expect(first.results.map(({ record }: any) => [record.id, record.company])).toEqual([
      ['P0', 'Wattle & Co'],
      ['P2', 'Wattle & Co'],
    ])
    expect(vendor.account.spent).toBe(2 + 1)
    vendor.account.spent = 0
    const second = valueOf(await run('search-contacts', { ...input, cursor: first.next as string }))
    expect(second.results.map(({ record }: any) => record.id)).toEqual(['P4'])
    expect(second.next).toBeUndefined()
    expect(vendor.account.spent).toBe(1)
  })

  it('reveals people of a search by their ids, two at a time, with what is wanted', async () => {
    const before = vendor.seen().length
    const input = { personIds: ['P0', 'P1', 'P9', 'P6', 'P0'], searchId: 't-j0', reveal: ['emails'] }
    const { results, summary } = valueOf(await run('reveal-contacts', input))
    expect(summary).toEqual({ records: 5, matched: 3, notMatched: 1, failed: 1 })
    expect(results.map(({ failed, matched, record }: any) => failed?.code ?? record?.email ?? matched)).toEqual([
      'p0@wattle.example',
      'p1@wattle.example',
      false,
      'suppressed',
      'p0@wattle.example',
    ])
    expect(results[0].record.phones).toBeUndefined()
    expect([vendor.account.spent, vendor.seen().length - before]).toEqual([2, 2])
    vendor.account.spent = 0
    expect(
      valueOf(await run('reveal-contacts', { ...input, personIds: ['P2'], reveal: undefined })).results,
    ).toMatchObject([{ matchedBy: 'personId' }])
    expect(vendor.account.spent).toBe(5)
    vendor.account.spent = 0
    const refused = valueOf(await run('reveal-contacts', { personIds: ['P2', 'P3'] }))
    expect(refused.results[0].failed).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('personId + searchId') as string,
    })
  })

  it('shows what is left of the account, for nothing', async () => {
    expect(valueOf(await run('account-usage', {})).usage).toMatchObject({
      creditsTotal: 100,
      creditsUsed: 0,
      creditsRemaining: 100,
      limits: 60,
    })
  })

  it('has all steps of the integration ready, save those that its JSON has no endpoint for', async () => {
    const { steps } = await pack.integrations.manifest('contact-data')
    expect(steps.filter(({ ready }) => !ready).map(({ id }) => id)).toEqual([
      'search-and-enrich-companies',
      'reveal-companies',
      'find-lookalike-contacts',
      'find-lookalike-companies',
      'find-buying-group',
      'get-website-visits',
      'get-contact-signals',
      'get-company-signals',
      'score-contacts',
      'score-companies',
      'list-filter-values',
    ])
  })

  it('refuses a search that it could not answer before anything is sent', async () => {
    const before = vendor.seen().length
    expect(await run('search-contacts', { jobTitle: 'sales' })).toMatchObject({
      ok: false,
      failure: { code: 'invalid_input', errors: [{ pointer: '/company' }] },
    })
    expect(await run('search-companies', { industry: 'wizardry' })).toMatchObject({
      ok: false,
      failure: { code: 'invalid_input' },
    })
    expect(vendor.seen()).toHaveLength(before)
    expect(await run('search-contacts', { company: 'Nobody Pty' })).toMatchObject({
      ok: false,
      failure: { code: 'invalid_input', errors: [{ pointer: '/company' }] },
    })
    expect(vendor.account.spent).toBe(0)
  })

  it('searches companies by words and ranges, page after page', async () => {
    const first = valueOf(await run('search-companies', { industry: 'Making things' }))
    expect(first.results.map(({ record }: any) => record.id)).toEqual(['F1'])
    vendor.account.spent = 0
    const second = valueOf(await run('search-companies', { industry: 'manufacturing', cursor: first.next as string }))
    expect(second.results.map(({ record }: any) => record.id)).toEqual(['F2'])
    expect(second.next).toBeUndefined()
    for (const [size, ids] of [
      ['51-200', ['F2']],
      ['10001+', ['F3']],
    ] as const) {
      vendor.account.spent = 0
      expect(valueOf(await run('search-companies', { size })).results.map(({ record }: any) => record.id)).toEqual(ids)
    }
  })

  it('offers its list of roles in forms, and shows both requests of a search in a dry run', async () => {
    const { options } = await pack.steps.options(caller, {
      integration: 'contact-data',
      step: 'search-contacts',
      field: 'role',
      query: 'proc',
    })
    expect(options).toEqual([{ value: '44', label: 'Procurement', hint: '44' }])
    const before = vendor.seen().length
    const { requests, complete, price } = valueOf(
      await run('search-contacts', { company: firms[1]!.title, role: '44' }, { dryRun: true }),
    )
    expect(requests.map(({ url, body }: any) => [new URL(url as string).pathname, body])).toEqual([
      ['/firms', undefined],
      [
        '/api/people/find',
        {
          criteria: { only: { living: true }, firm_key: '<key from company>', role_ids: [{ id: 44 }] },
          page: { no: '1', per: '2' },
        },
      ],
    ])
    expect(JSON.stringify(requests)).not.toContain(key)
    expect(complete).toBe(false)
    expect(price.total).toEqual([0, 3])
    expect(vendor.seen()).toHaveLength(before)
  })
})
