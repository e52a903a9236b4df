import { afterEach, describe, expect, test } from 'vitest'
import type { FailureCode } from '#kit'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'
import { play } from './play.ts'
import type { Play } from './play.ts'

/**
 * The other half of the lines of section 2 and of "Seed 001": misses, refusals, limits, prices, and what the seed has
 * instead.
 */

const { people } = createDataSet()
const knownPeople = people.filter(
  ({ knownTo, suppressed, workEmail, linkedinSlug }) =>
    knownTo.includes('contact') && !suppressed && workEmail && linkedinSlug,
)
const someone = knownPeople[0]!
const employer = someone.company
const hidden = people.find(
  ({ knownTo, suppressed, workEmail }) => knownTo.includes('contact') && suppressed && workEmail,
)!

const both = ['lusha-v2', 'lusha-v3'] as const
type Version = (typeof both)[number]

let open: Play
const start = async (profile: Version | 'documented', options: Parameters<typeof play>[2] = {}) =>
  (open = await play('contact-data', profile, options))
afterEach(() => open.close())

const sent = () =>
  open.control.requests().map(({ method, path, query, body }) => ({ method, path, query, body: body as any }))
const answer = (body: unknown, status = 200) => open.control.inject({ answer: { status, body }, times: 1 })
const byEmail = (email = someone.workEmail) => open.find('person', [{ email }])

describe('No match', () => {
  test('HTTP 200 with contact.error.name EMPTY_DATA (code 3) and isCreditCharged in v2', async () => {
    await start('lusha-v2')
    const { value, meta } = await byEmail('nobody@x.example')
    expect([value.matched, meta.credits]).toEqual([false, { charged: 0, estimated: false }])
    answer({
      contact: { error: { code: 3, name: 'EMPTY_DATA', message: 'No data' }, isCreditCharged: true, data: null },
    })
    expect((await byEmail()).meta.credits).toMatchObject({ charged: 1 })
  })

  test('per-item error.code NOT_FOUND / COMPLIANCE_RESTRICTED / ENRICH_FAILED in v3, alone and among others', async () => {
    await start('lusha-v3')
    const emails = ['nobody@x.example', hidden.workEmail, 'enrich-failed@x.example', someone.workEmail]
    const { value } = await open.findMany(
      'person',
      emails.map((email) => [{ email }]),
    )
    const shown = ({ matched, failed }: any) => failed?.code ?? matched
    expect(value.results.map(shown)).toEqual([false, 'suppressed', 'provider_failed', true])
    const alone = []
    for (const email of emails) {
      const ran = await byEmail(email)
      alone.push(ran.failure?.code ?? ran.value.matched)
    }
    expect(alone).toEqual([false, 'suppressed', 'provider_failed', true])
  })

  test('v2 also declares 404, as "endpoint not found" or "resource not found": a miss once there was a match', async () => {
    await start('lusha-v2', { switches: { companyMiss: '404' } })
    const miss = () => open.find('company', [{ domain: 'nobody.example' }])
    expect((await miss()).failure).toMatchObject({
      code: 'bad_reply',
      message: expect.stringContaining('address may be wrong') as string,
    })
    expect((await open.find('company', [{ domain: employer.domain }])).value.matched).toBe(true)
    expect((await miss()).value).toMatchObject({ matched: false })
    answer({ statusCode: 404, message: 'Endpoint not found' }, 404)
    expect((await miss()).failure).toMatchObject({ code: 'bad_reply' })
  })
})

describe('Errors', () => {
  const means: [status: number, message: string, code: FailureCode, says: RegExp][] = [
    [400, 'Invalid request parameters', 'rejected', /names the field/],
    [401, 'Invalid API key', 'not_connected', /does not know this API key/],
    [402, 'Insufficient credits for this operation', 'credits_exhausted', /no credits left/],
    [403, 'Your account is not active. Please reach out to support', 'access_denied', /not active/],
    [
      403,
      'Your pricing version does not support requesting individual datapoints',
      'access_denied',
      /Leave out "reveal"/,
    ],
    [410, 'dedupe session expired', 'rejected', /search again/],
    [412, 'Full name must have two words', 'rejected', /first and a last name/],
    [429, 'Your trial limit is reached', 'credits_exhausted', /trial/],
    [451, 'We are unable to process this contact request due to our GDPR regulations', 'suppressed', /GDPR/],
  ]
  test.each(both)('400, 401, 402, 403, 410, 412, 429 of a trial, 451; in two body shapes: %s', async (profile) => {
    await start(profile)
    for (const [status, message, code, says] of means)
      for (const body of [{ statusCode: status, message }, { error: { code: status, message } }]) {
        answer(body, status)
        const { failure } = await byEmail()
        expect([status, failure?.code, failure?.message], JSON.stringify(body)).toEqual([
          status,
          code,
          expect.stringMatching(says),
        ])
        expect(failure?.providerMessage).toContain(message.slice(0, 20))
      }
  })

  test('451 is not retried, and no other way is tried', async () => {
    await start('lusha-v2')
    const ways = [
      { email: hidden.workEmail },
      { firstName: hidden.firstName, lastName: hidden.lastName, company: hidden.company.name },
    ]
    expect((await open.find('person', ways)).failure).toMatchObject({ code: 'suppressed', retryable: false })
    expect(sent()).toHaveLength(1)
  })

  test('403: a plan lacks reveal flags (v2), search (both)', async () => {
    await start('lusha-v2', { switches: { plan: 'pro' } })
    expect((await open.find('person', [{ email: someone.workEmail }], { reveal: ['emails'] })).failure?.code).toBe(
      'access_denied',
    )
    expect((await byEmail()).value.matched).toBe(true)
    expect((await open.search('search-contacts', { jobTitle: 'manager' })).failure).toMatchObject({
      code: 'access_denied',
      message: expect.stringContaining('plan') as string,
    })
  })
})

describe('Rate limits', () => {
  test.each(both.flatMap((profile) => ['nine', 'RateLimit'].map((rateHeaders) => [profile, rateHeaders] as const)))(
    'nine headers, or RateLimit-… as the v2 spec declares: %s %s',
    async (profile, rateHeaders) => {
      await start(profile, { switches: { rateHeaders }, windows: { minute: 6 } })
      for (const person of knownPeople.slice(0, 14)) expect((await byEmail(person.workEmail)).failure).toBeUndefined()
      const statuses = open.control.requests().map(({ status }) => status)
      expect(statuses.some((status, at) => status === 429 && statuses[at + 1] === 429)).toBe(false)
      expect(statuses.filter((status) => status === 200)).toHaveLength(14)
    },
  )

  test('No Retry-After: the text says "Reset in X seconds"', async () => {
    await start('lusha-v3')
    answer({ statusCode: 429, message: 'Hourly limit exceeded. Reset in 42 seconds' }, 429)
    const from = open.clock.now()
    expect((await byEmail()).value.matched).toBe(true)
    const waited = open.clock.now() - from
    expect([waited >= 42_000, waited < 60_000]).toEqual([true, true])
  })

  test('Limits: 25 requests/s per account', async () => {
    await start('lusha-v2')
    for (let index = 0; index < 60; index += 1) await byEmail(`nobody-${index}@x.example`)
    const times = open.control.requests().map(({ at }) => at)
    expect(times.every((at, index) => index < 25 || at - times[index - 25]! >= 1000)).toBe(true)
  })
})

describe('Credits', () => {
  test.each(both)('e-mail 1, phone 5, company 1; only what is wanted is revealed and paid: %s', async (profile) => {
    await start(profile)
    const withBoth = knownPeople.filter(({ phones }) => phones.length > 0)
    const costs: number[] = []
    for (const [index, reveal] of [['emails'], ['phones'], undefined].entries()) {
      const { meta } = await open.find(
        'person',
        [{ email: withBoth[index]!.workEmail }],
        reveal ? { reveal } : undefined,
      )
      costs.push(meta.credits!.charged)
    }
    const search = profile === 'lusha-v3' ? 1 : 0
    expect(costs).toEqual([1 + search, 5 + search, 6 + search])
    costs.push((await open.find('company', [{ domain: employer.domain }])).meta.credits!.charged)
    expect(costs[3]).toBe(1)
    expect(costs.reduce((sum, cost) => sum + cost, 0)).toBe(open.control.counters().creditsCharged)
  })

  test('bulk 1 per 25 results', async () => {
    await start('lusha-v3')
    const { meta } = await open.findMany(
      'person',
      knownPeople.slice(0, 26).map(({ workEmail }) => [{ email: workEmail }]),
      { reveal: ['emails'] },
    )
    expect([meta.credits!.charged, open.control.counters().creditsFor]).toEqual([28, { email: 26, results: 2 }])
  })

  test('repeat reveal of the same data point free; misses free or a minimum of 1: what the answer says counts', async () => {
    await start('lusha-v3', { switches: { misses: 'minimum' } })
    const charged = []
    for (const email of [someone.workEmail, someone.workEmail, 'nobody@x.example'])
      charged.push((await byEmail(email)).meta.credits!)
    expect(charged.map((charge) => charge.charged).reduce((sum, credits) => sum + credits, 0)).toBe(
      open.control.counters().creditsCharged,
    )
    expect([charged[2], charged[1]!.charged < charged[0]!.charged]).toEqual([{ charged: 1, estimated: false }, true])
  })
})

describe('Seed 001 vs Lusha', () => {
  test('POST /person | no version has it: the documented profile says that the address may be wrong, never "no match"', async () => {
    await start('lusha-v3', { wire: { endpoints: { person: { path: '/person' } } } })
    const { failure } = await byEmail()
    expect(failure).toMatchObject({
      code: 'bad_reply',
      message: expect.stringContaining('endpoints.person.path') as string,
    })
  })

  test.each(both)('linkedInUrl | linkedinUrl: %s', async (profile) => {
    await start(profile)
    await open.run('find-contact', { linkedinUrl: `https://www.linkedin.com/in/${someone.linkedinSlug}` })
    const names = JSON.stringify(profile === 'lusha-v2' ? sent()[0]!.query : sent()[0]!.body)
    expect([names.includes('"linkedinUrl"'), names.includes('linkedInUrl')]).toEqual([true, false])
  })

  test('company | companyName (v2 one, v3), companies[] (v2 many)', async () => {
    await start('lusha-v2')
    const input = { firstName: someone.firstName, lastName: someone.lastName, company: employer.name }
    expect((await open.run('find-contact', input)).value.matched).toBe(true)
    expect(sent()[0]!.query).toEqual({
      firstName: someone.firstName,
      lastName: someone.lastName,
      companyName: employer.name,
    })
    await open.run('enrich-contacts', { contacts: [input, { email: knownPeople[1]!.workEmail }] })
    expect(sent()[1]!.body.contacts[0]).toMatchObject({ companies: [{ name: employer.name }] })
  })

  test('POST /company {domain}/{name} | GET /v2/company with domain/company', async () => {
    await start('lusha-v2')
    expect((await open.run('find-company', { name: employer.name })).value.matched).toBe(true)
    expect(sent()[0]).toMatchObject({ method: 'GET', path: '/v2/company', query: { company: employer.name } })
  })

  test('POST /person/bulk, bare array | v2 /v2/person with contacts and own ids', async () => {
    await start('lusha-v2')
    const { value } = await open.run('enrich-contacts', {
      contacts: knownPeople.slice(0, 3).map(({ workEmail }) => ({ email: workEmail })),
    })
    expect(value.summary).toMatchObject({ records: 3, matched: 3 })
    expect(sent()).toMatchObject([
      {
        method: 'POST',
        path: '/v2/person',
        body: { contacts: [{ contactId: '0' }, { contactId: '1' }, { contactId: '2' }] },
      },
    ])
  })

  test('"confidence scores" | letter grades on e-mails', async () => {
    await start('lusha-v3')
    const { value } = await open.run('find-contact', { email: someone.workEmail })
    expect(value.record.emails[0]).toMatchObject({ value: someone.workEmail, confidence: someone.confidence })
    expect(value.record.confidence).toBeUndefined()
  })
})
