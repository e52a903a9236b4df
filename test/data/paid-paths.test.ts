/**
 * What a request of API Call costs is told by its path, whatever the method and the spelling; what is not known is not
 * sent within a limit.
 */
import { describe, expect, it, onTestFinished } from 'vitest'
import { defineStep, path, z } from '#kit'
import type { Cost, Integration, Outcome, Path } from '#kit'
import { createPack } from '../../shared/pack.ts'
import { operationsOf } from '../../shared/runtime/catalogue/operations.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { priceOfPath } from '../../shared/runtime/catalogue/path-price.ts'
import type { StepCall } from '../../shared/runtime/steps/step-call.ts'
import { startProvider } from '../support/provider.ts'
import { integrations } from './harness.ts'

const caller = { tenant: 'default' }
const everyProfile = integrations.flatMap(({ id, profiles: ready = {} }) =>
  [undefined, ...Object.keys(ready)].map((profile) => [id, profile] as const),
)

type Request = { method: string; path: string; query?: object; body?: unknown }
const get = (path: string, query = {}): Request => ({ method: 'GET', path, query })
const post = (path: string, body: unknown = {}): Request => ({ method: 'POST', path, body })

const begin = async (integration: string, profile: string | undefined, answer: unknown = {}, of = integrations) => {
  const provider = await startProvider((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer))
  })
  const header = { place: 'header', fields: { 'x-api-key': '{apiKey}' } }
  const reach = { baseUrl: provider.origin, ...(profile === undefined ? { auth: { 'api-key': header } } : { profile }) }
  const pack = await createPack({
    integrations: of,
    wire: { [integration]: reach },
    egress: { privateOrigins: [provider.origin] },
  })
  onTestFinished(async () => {
    await pack.close()
    await provider.close()
  })
  const made = await pack.connections.create(caller, {
    integration,
    type: 'api-key',
    name: 'Data',
    secrets: { apiKey: 'a-key-0123456789' },
  })
  provider.seen.length = 0
  const call = (input: Request, over: Partial<StepCall> = {}): Promise<Outcome> =>
    pack.steps.run(caller, { integration, step: 'api-call', input: { ...input, strict: false }, ...over })
  const spent = async () =>
    (await pack.ledger.list(caller, { limit: 100 })).items
      .filter(({ kind }) => kind === 'settled')
      .reduce((sum, { credits }) => sum + credits, 0)
  return { pack, provider, call, spent, connection: made.id }
}
const codeOf = (outcome: Outcome) => (outcome.ok ? 'sent' : outcome.failure.code)

describe.each(everyProfile)('%s with the profile %s', (id, profile) => {
  const integration = integrations.find((candidate) => candidate.id === id)!
  const loaded = createRegistry([integration], { [id]: profile === undefined ? {} : { profile } }).integration(id)

  it('states what each listed operation costs, or that it is free', async () => {
    const operations = await operationsOf(loaded)
    const prices = operations.map(({ method, path, parameters }) => {
      const filled = path.replace(
        /\{(\w+)\}/g,
        (_, name: string) => parameters.find((parameter) => parameter.name === name)?.choices?.[0] ?? 'x',
      )
      return [method, path, priceOfPath(loaded, operations, { method, path: filled })] as const
    })
    expect(prices.filter(([, , price]) => price === 'unknown')).toEqual([])
    for (const [method, path, price] of prices)
      if (price !== 'free' && price !== 'unknown') expect(price.most, `${method} ${path}`).toBeGreaterThan(0)
  })
})

const lushaV3 = ['contact-data', 'lusha-v3'] as const
const lushaV2 = ['contact-data', 'lusha-v2'] as const
const labs = ['contact-data', 'people-data-labs'] as const
const hunter = ['contact-data', 'hunter'] as const
const apollo = ['contact-data', 'apollo'] as const
const firmable = ['anz-data', 'firmable'] as const

/** With the most that it costs; undefined: not known. */
const paid: [profile: readonly [string, string], request: Request, most: number | undefined][] = [
  [labs, get('/v5/person/enrich', { email: 'a@b.example' }), 1],
  [labs, post('/v5/person/enrich', { email: 'a@b.example' }), 1],
  [labs, post('/V5/Person/ENRICH/', { email: 'a@b.example' }), 1],
  [labs, post('/v5/%70erson/enrich', { email: 'a@b.example' }), 1],
  [labs, get('/v5/person/search', { size: 100 }), 100],
  [labs, post('/v5/person/search', { size: 5 }), 5],
  [labs, { ...post('/v5/person/search', { size: 5 }), query: { size: 50 } }, 50],
  [labs, post('/v5/person/search', { size: '-1' }), 100],
  [labs, post('/v5/person/search', { size: 1e12 }), 100],
  [labs, get('/v5/person/identify', { email: 'a@b.example' }), 1],
  [labs, get('/v5/person/retrieve/abc'), 1],
  [labs, post('/v5/person/retrieve/bulk', { requests: [{ id: 'a' }, { id: 'b' }] }), 2],
  [labs, get('/v5/person/retrieve/bulk'), 100],
  [labs, post('/v5/person/bulk', { requests: [{}, {}, {}] }), 3],
  [labs, post('/v5/person/bulk', 'no list'), 100],
  [labs, get('/v5/job_posting/search'), undefined],
  [hunter, get('/v2/combined/find', { email: 'a@b.example' }), 2],
  [hunter, post('/v2/combined/find', { email: 'a@b.example' }), 2],
  [hunter, get('/v2/email-verifier', { email: 'a@b.example' }), 1],
  [hunter, get('/v2/leads'), undefined],
  [lushaV3, post('/v3/contacts/search', { contacts: [{}, {}] }), 1],
  [lushaV3, post('/v3/contacts/search', { contacts: Array.from({ length: 26 }, () => ({})) }), 2],
  [lushaV3, post('/v3/contacts/search', { contacts: [{}], signals: { types: ['allSignals'] } }), undefined],
  [lushaV3, post('/v3/companies/search', { companies: [{}] }), 1],
  [lushaV3, get('/v3/companies/search'), 4],
  [lushaV3, post('/v3/contacts/search-and-enrich', { contacts: [{}, {}] }), 13],
  [lushaV3, post('/v3/contacts/search-and-enrich', { contacts: { 0: {}, 1: {} } }), 13],
  [lushaV3, post('/v3/contacts/enrich', { ids: ['1'], waterfallEnabled: false }), 6],
  [lushaV3, post('/v3/contacts/prospecting', { pagination: { page: 0, size: 50 }, filters: {} }), 2],
  [
    lushaV3,
    post('/v3/contacts/prospecting', { filters: { contacts: { include: { signals: { types: ['promotion'] } } } } }),
    undefined,
  ],
  [lushaV3, post('/v3/contacts/buying-group', { companies: [{}] }), 100],
  [lushaV3, post('/v3/companies/lookalike'), 300],
  [lushaV3, post('/v3/companies/unheard-of'), undefined],
  [lushaV3, get('/v3/contacts/prospecting/filters/unheard-of'), undefined],
  [lushaV2, get('/v2/person', { email: 'a@b.example' }), 6],
  [lushaV2, get('/v2/person', { email: 'a@b.example', signals: 'promotion' }), 7],
  [lushaV2, post('/v2/person', { contacts: [{}, {}] }), 13],
  [lushaV2, post('/prospecting/company/enrich', { requestId: 'r', companiesIds: ['1', '2', '3'] }), 3],
  [apollo, post('/api/v1/people/match', { email: 'a@b.example' }), 1],
  [apollo, { method: 'POST', path: '/api/v1/people/match', query: { reveal_phone_number: true } }, 9],
  [apollo, { method: 'POST', path: '/api/v1/people/match', query: { reveal_phone_number: 'false' } }, 1],
  [apollo, post('/api/v1/people/match', { run_waterfall_email: true }), undefined],
  [apollo, post('/api/v1/people/bulk_match', { details: [{}, {}] }), 2],
  [
    apollo,
    { method: 'POST', path: '/api/v1/organizations/bulk_enrich', query: { 'domains[]': ['a.example', 'b.example'] } },
    2,
  ],
  [apollo, post('/api/v1/contacts'), undefined],
  [firmable, post('/company', { abn: '51824753556' }), 1],
  [firmable, get('/people/search'), 0],
]
const free: [profile: readonly [string, string], request: Request][] = [
  [labs, get('/v5/autocomplete', { field: 'title' })],
  [hunter, get('/v2/email-count', { domain: 'b.example' })],
  [hunter, get('/v2/account')],
  [lushaV3, get('/v3/account/usage')],
  [lushaV3, get('/v3/contacts/prospecting/filters/seniority')],
  [lushaV2, post('/prospecting/contact/search', { filters: {} })],
  [apollo, post('/api/v1/mixed_people/api_search')],
  [firmable, post('/people/search', { companyId: 'f0' })],
]

const named = (all: typeof paid) =>
  all.map(([[id, profile], request, most]) => [profile, request.method, request.path, id, request, most] as const)

describe('price by path', () => {
  it.each(named(paid))('%s: %s %s', (profile, _, __, id, request, most) => {
    const integration = integrations.find((candidate) => candidate.id === id)!
    const loaded = createRegistry([integration], { [id]: { profile } }).integration(id)
    const price = priceOfPath(loaded, loaded.wire.operations!, request as never)
    expect(price === 'unknown' ? undefined : price === 'free' ? 0 : price.most).toBe(most)
  })
})

describe.each([labs, hunter, lushaV3, lushaV2, apollo, firmable])('%s with the profile %s', (...of) => {
  const mine = (testCase: (typeof paid)[number] | (typeof free)[number]) => testCase[0][1] === of[1]
  const requests = paid.filter((testCase) => mine(testCase) && testCase[2] !== 0)

  it('a budget of 0 and maxCredits 0 let nothing out that is paid, or may be', async () => {
    const { pack, provider, call } = await begin(...of)
    for (const [, request] of requests)
      expect([request.path, codeOf(await call(request, { maxCredits: 0 }))]).toEqual([request.path, 'budget_exceeded'])
    await pack.budgets.create(caller, { scope: 'tenant', credits: 0, period: 'total' })
    for (const [, request] of requests)
      expect([request.path, codeOf(await call(request))]).toEqual([request.path, 'budget_exceeded'])
    expect(provider.seen).toEqual([])
    expect((await pack.ledger.list(caller, { limit: 100 })).items).toEqual([])
    for (const [, request] of free.filter(mine))
      expect([request.path, codeOf(await call(request, { maxCredits: 0 }))]).toEqual([request.path, 'sent'])
  })

  it('without a limit all go out, and what is known of the price is quoted', async () => {
    const { call } = await begin(...of)
    for (const [, request, most] of requests) {
      const outcome = await call(request)
      expect([request.path, codeOf(outcome), outcome.meta.quoted?.[1]]).toEqual([request.path, 'sent', most])
    }
  })
})

describe('a path whose price is not known', () => {
  const buyers = post('/v3/contacts/buyers', { companies: [{ domain: 'b.example' }] })

  it('is refused for the reason, with what to do', async () => {
    const { pack, call } = await begin(...lushaV3)
    const limited = await call(buyers, { maxCredits: 1000 })
    expect(limited.ok ? '' : limited.failure.message).toMatch(
      /POST \/v3\/contacts\/buyers.*not known.*maxCredits.*apiCallUnpriced/,
    )
    const { id } = await pack.budgets.create(caller, { scope: 'tenant', credits: 1000, period: 'month' })
    const counted = await call(buyers)
    expect(counted.ok ? '' : counted.failure.message).toContain(id)
  })

  it('is refused by the budgets that count it, and by no other', async () => {
    const { pack, call, connection } = await begin(...lushaV3)
    await pack.budgets.create(caller, { scope: 'tenant', integration: 'anz-data', credits: 0, period: 'total' })
    expect(codeOf(await call(buyers))).toBe('sent')
    await pack.budgets.create(caller, { scope: 'connection', subject: connection, credits: 1000, period: 'total' })
    expect(codeOf(await call(buyers))).toBe('budget_exceeded')
  })

  it('is sent where the operator allows it, and what the answer says is counted', async () => {
    const { pack, provider, call, spent } = await begin(...lushaV3, { billing: { creditsCharged: 60 } })
    const { id } = await pack.budgets.create(caller, { scope: 'tenant', credits: 1000, period: 'month' })
    await pack.policies.put('default', { apiCallUnpriced: { 'contact-data': ['/v3/contacts/buyers'] } }, caller)
    const outcome = await call(buyers)
    expect([codeOf(outcome), outcome.meta.credits]).toEqual(['sent', { charged: 60, estimated: false }])
    expect(codeOf(await call(post('/v3/contacts/sellers')))).toBe('budget_exceeded')
    expect([provider.seen.length, await spent(), (await pack.budgets.get(caller, id)).spent]).toEqual([1, 60, 60])
  })

  it('is counted by its answer without a limit too, and is not sent twice', async () => {
    const { call, spent } = await begin(...lushaV3, { billing: { creditsCharged: 3 } })
    expect((await call(buyers)).meta.credits).toEqual({ charged: 3, estimated: false })
    expect(await spent()).toBe(3)
  })

  it('a setting that names no integration or path is refused', async () => {
    const { pack } = await begin(...lushaV3)
    const put = (apiCallUnpriced: Record<string, string[]>) => pack.policies.put('default', { apiCallUnpriced }, caller)
    await expect(put({ nothing: ['/x'] })).rejects.toMatchObject({ code: 'not_found' })
    await expect(put({ 'contact-data': ['v3/x'] })).rejects.toMatchObject({ code: 'invalid_input' })
  })

  it('what the policy denies is refused for that', async () => {
    const { call } = await begin(...lushaV3)
    expect(codeOf(await call(post('/api/subscriptions'), { maxCredits: 0 }))).toBe('not_allowed')
  })

  it('a dry run warns of it and sends nothing', async () => {
    const { call, provider } = await begin(...lushaV3)
    const dry = await call(buyers, { dryRun: true })
    expect(dry.meta.warnings).toEqual([expect.stringContaining('price')])
    const pricedOutcome = await call(post('/v3/contacts/search', { contacts: [{}] }), { dryRun: true })
    expect((pricedOutcome as { value: { price: unknown } }).value.price).toMatchObject({
      unit: 'credit',
      total: [0, 1],
    })
    expect(provider.seen).toEqual([])
  })
})

describe('a step that asks by path', () => {
  const step = (id: string, path: Path, cost?: Cost) =>
    defineStep({
      id,
      title: id,
      purpose: 'Asks by a path.',
      effect: 'read',
      ...(cost ? { cost } : {}),
      input: () => z.strictObject({}),
      output: () => z.unknown(),
      run: (ctx) => ctx.send({ method: 'GET', path }),
    })
  const [, contact] = integrations
  const paying: Integration = {
    ...contact!,
    steps: [
      ...contact!.steps,
      step('by-path', path`/v5/person/enrich`),
      step('unknown', path`/v5/job`, { unit: 'credit', per: 'match', typical: [1, 3] }),
      step('plain', path`/v5/autocomplete`),
    ],
  }

  it('pays what the path costs, or what it says itself', async () => {
    const { pack, provider } = await begin(...labs, { id: 'p' }, [paying])
    const run = (id: string, over = {}) =>
      pack.steps.run(caller, { integration: 'contact-data', step: id, input: {}, ...over })
    for (const id of ['by-path', 'unknown'])
      expect([id, codeOf(await run(id, { maxCredits: 0 }))]).toEqual([id, 'budget_exceeded'])
    expect(provider.seen).toEqual([])
    expect((await run('by-path')).meta).toMatchObject({ quoted: [0, 1], credits: { charged: 1 } })
    expect((await run('unknown')).meta).toMatchObject({ quoted: [1, 3], credits: { charged: 3, estimated: true } })
    expect((await run('plain', { maxCredits: 0 })).meta.credits).toBeUndefined()
    expect(provider.seen).toHaveLength(3)
  })
})

describe('what an API Call is charged', () => {
  it.each([
    [
      'reported',
      lushaV3,
      post('/v3/contacts/search', { contacts: [{}] }),
      { billing: { creditsCharged: 1 } },
      { charged: 1, estimated: false },
    ],
    [
      'by the price',
      hunter,
      get('/v2/combined/find', { email: 'a@b.example' }),
      { data: {} },
      { charged: 2, estimated: true },
    ],
    [
      'as the operation says',
      apollo,
      post('/api/v1/people/bulk_match', { details: [{}, {}] }),
      { credits_consumed: 1 },
      { charged: 1, estimated: false },
    ],
  ] as const)('%s', async (_, of, request, answer, credits) => {
    const { call, spent } = await begin(of[0], of[1], answer)
    expect((await call(request as Request)).meta.credits).toEqual(credits)
    expect(await spent()).toBe(credits.charged)
  })
})
