import { describe, expect, it } from 'vitest'
import type { EndpointProfile, Integration } from '#kit'
import { createPack } from '../../shared/pack.ts'
import { buildManifest } from '../../shared/runtime/catalogue/manifest.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { fakeClock } from '../support/clock.ts'
import { integrations } from './harness.ts'

const [anz, contact] = integrations as [Integration, Integration]
const shownOf = ({ method, path, place, fields, bulk }: EndpointProfile) => ({
  method,
  path,
  place,
  fields,
  ...(bulk ? { bulk: [bulk.path, bulk.envelope, bulk.charge] } : {}),
})

const nothing = (names: string[]) => Object.fromEntries(names.map((name) => [name, null]))

describe('the documented profile', () => {
  it('of anz-data is what the document shows', () => {
    expect(
      Object.fromEntries(Object.entries(anz.wire.endpoints!).map(([name, endpoint]) => [name, shownOf(endpoint)])),
    ).toEqual({
      'enrich-person': {
        method: 'POST',
        path: '/enrich/person',
        place: 'json',
        fields: {
          linkedinUrl: 'linkedin_url',
          email: 'email',
          linkedinSlug: 'linkedin_slug',
          personId: null,
          country: null,
        },
      },
      'enrich-company': {
        method: 'POST',
        path: '/enrich/company',
        place: 'json',
        fields: {
          domain: 'domain',
          linkedin: 'linkedin_url',
          abn: 'abn',
          website: 'website',
          companyId: null,
          country: null,
        },
      },
      'search-people': {
        method: 'POST',
        path: '/search/people',
        place: 'json',
        fields: {
          company: 'company',
          position: 'position',
          seniority: 'seniority',
          department: 'department',
          ...nothing(['states', 'companySize', 'companyDomain', 'companyId', 'country']),
        },
      },
    })
  })

  it('of contact-data is what the document shows', () => {
    expect(
      Object.fromEntries(Object.entries(contact.wire.endpoints!).map(([name, endpoint]) => [name, shownOf(endpoint)])),
    ).toEqual({
      person: {
        method: 'POST',
        path: '/person',
        place: 'json',
        fields: {
          email: 'email',
          linkedinUrl: 'linkedInUrl',
          firstName: 'firstName',
          lastName: 'lastName',
          company: 'company',
          ...nothing(['companyDomain', 'personId', 'country', 'reveal']),
        },
        bulk: ['/person/bulk', '', 'record'],
      },
      company: {
        method: 'POST',
        path: '/company',
        place: 'json',
        fields: { domain: 'domain', name: 'name', ...nothing(['companyId', 'country']) },
        bulk: ['/company/bulk', '', 'record'],
      },
      'search-contacts': {
        method: 'POST',
        path: null,
        place: 'json',
        fields: nothing([
          'jobTitle',
          'company',
          'location',
          'industry',
          'role',
          'seniority',
          'department',
          'companyDomain',
          'companySize',
          'country',
          'revenue',
          'technologies',
        ]),
      },
      'search-companies': {
        method: 'POST',
        path: null,
        place: 'json',
        fields: nothing(['industry', 'location', 'size', 'name', 'domain', 'country', 'revenue', 'technologies']),
      },
      'reveal-contacts': {
        method: 'POST',
        path: null,
        place: 'json',
        fields: nothing(['personId', 'searchId', 'reveal', 'waterfallReveal']),
      },
      'account-usage': { method: 'GET', path: null, place: 'query', fields: {} },
      ...Object.fromEntries(
        [
          'reveal-companies',
          'lookalike-contacts',
          'lookalike-companies',
          'buying-group',
          'website-visits',
          'contact-signals',
          'company-signals',
          'score-contacts',
          'score-companies',
          'contact-seniorities',
          'signal-subscriptions',
        ].map((name) => [name, { method: 'POST', path: null, place: 'json', fields: {} }]),
      ),
    })
  })

  it.each(integrations.map((integration) => [integration.id, integration] as const))(
    'of %s shows neither address nor place of the key',
    (_, { wire }) => {
      expect(wire.baseUrl).toBeNull()
      expect(wire.auth).toEqual({ 'api-key': null })
      expect(wire.pace.limits).toEqual([])
    },
  )

  it.each(integrations.map((integration) => [integration.id, integration] as const))(
    'of %s names every guess',
    (_, { wire }) => {
      const guessed = [
        'reserved',
        'pace.concurrency',
        'timeouts',
        'maxReplyBytes',
        'errors',
        ...Object.keys(wire.records ?? {}).map((kind) => `records.${kind}`),
        ...Object.entries(wire.endpoints!).flatMap(([name, { bulk, ...endpoint }]) => [
          ...Object.keys(endpoint)
            .filter((key) => !['method', 'path', 'place', 'kind', 'fields'].includes(key))
            .map((key) => `endpoints.${name}.${key}`),
          ...(endpoint.path === null ? [`endpoints.${name}.method`] : []),
          ...Object.keys(bulk ?? {})
            .filter((key) => !['path', 'envelope', 'charge', 'answers', 'itemRecord'].includes(key))
            .map((key) => `endpoints.${name}.bulk.${key}`),
        ]),
      ]
      expect(guessed.filter((what) => !(what in wire.assumed))).toEqual([])
    },
  )

  it('makes no step ready, and says which settings each needs', () => {
    const needs = (integration: Integration) =>
      Object.fromEntries(
        buildManifest(createRegistry([integration]).all[0]!, []).steps.map((step) => [
          step.id,
          [step.ready, step.needs],
        ]),
      )
    const both = (id: string) => [`wire.${id}.baseUrl`, `wire.${id}.auth.api-key`]
    expect(needs(anz)).toEqual({
      ...Object.fromEntries(
        ['people-enrichment', 'people-search', 'company-enrichment', 'api-call'].map((step) => [
          step,
          [false, both('anz-data')],
        ]),
      ),
      'find-endpoints': [true, []],
    })
    expect(needs(contact)).toMatchObject({
      'find-contact': [false, both('contact-data')],
      'search-contacts': [false, [...both('contact-data'), 'wire.contact-data.endpoints.search-contacts.path']],
      'search-companies': [false, [...both('contact-data'), 'wire.contact-data.endpoints.search-companies.path']],
    })
  })

  it('with address and key placement set leaves only the steps without a path unready, which do not make the integration so', () => {
    const set = {
      baseUrl: 'https://provider.example',
      auth: { 'api-key': { place: 'header', fields: { 'x-api-key': '{apiKey}' } } },
    }
    const registry = createRegistry(integrations, { 'anz-data': set, 'contact-data': set })
    const unready = registry.all.flatMap(({ steps }) => [...steps.values()]).filter(({ needs }) => needs.length > 0)
    expect(unready.map(({ step }) => step.id)).toEqual([
      'search-contacts',
      'search-companies',
      'search-and-enrich-contacts',
      'search-and-enrich-companies',
      'reveal-contacts',
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
      'account-usage',
    ])
    const manifest = buildManifest(registry.integration('anz-data'), [])
    expect(buildManifest(registry.integration('contact-data'), []).ready).toBe(true)
    expect(manifest.wire.unset).toEqual([
      ...['personId', 'country'].map((name) => `wire.anz-data.endpoints.enrich-person.fields.${name}`),
      ...['companyId', 'country'].map((name) => `wire.anz-data.endpoints.enrich-company.fields.${name}`),
      ...['companyDomain', 'companyId', 'states', 'companySize', 'country'].map(
        (name) => `wire.anz-data.endpoints.search-people.fields.${name}`,
      ),
    ])
  })
})

describe('placements of a credential', () => {
  const set = (placement: object) =>
    createRegistry(integrations, { 'anz-data': { auth: { 'api-key': placement } } }).integration('anz-data').wire.auth[
      'api-key'
    ]
  it.each<[object]>([
    [{ place: 'query', fields: { key: '{apiKey}' } }],
    [{ place: 'basic', user: '{apiKey}', password: '' }],
    [{ place: 'oauth1', consumer: { key: '{a}', secret: '{b}' }, token: { key: '{c}', secret: '{d}' } }],
    [{ place: 'oauth1' }],
  ])('%j is usable', (placement) => expect(set(placement)).toEqual(placement))
  it.each<[object, RegExp]>([
    [
      { place: 'basic', user: '{apiKey}' },
      /wire\.anz-data\.auth\.api-key" is not usable: "place": "basic" needs "password"/,
    ],
    [{ place: 'header' }, /needs "fields"/],
    [{ place: 'basic', user: '{apiKey}', pasword: '' }, /Did you mean "password"\?/],
    [{ place: 'cookie', fields: {} }, /auth\.api-key\.place/],
  ])('%j is refused with the name of what is wrong', (placement, message) =>
    expect(() => set(placement)).toThrow(message),
  )
})

describe('prices and effects', () => {
  it('are said in the manifest for every paid step', () => {
    const said = integrations.flatMap((integration) =>
      buildManifest(createRegistry([integration]).all[0]!, []).steps.map(({ id, effect, cost }) => [
        id,
        effect,
        cost && [cost.per, ...cost.typical],
      ]),
    )
    expect(said).toEqual([
      ['people-enrichment', 'read', ['match', 1, 2]],
      ['people-search', 'read', ['record', 0, 1]],
      ['company-enrichment', 'read', ['match', 1, 1]],
      ['find-endpoints', 'read', null],
      ['api-call', 'by-method', null],
      ['enrich-contacts', 'read', ['record', 1, 2]],
      ['find-contact', 'read', ['match', 1, 2]],
      ['search-contacts', 'read', ['record', 0, 1]],
      ['enrich-companies', 'read', ['record', 1, 1]],
      ['find-company', 'read', ['match', 1, 1]],
      ['search-companies', 'read', ['record', 0, 1]],
      ['search-and-enrich-contacts', 'read', ['match', 1, 7]],
      ['search-and-enrich-companies', 'read', ['match', 1, 9]],
      ['reveal-contacts', 'read', ['match', 1, 6]],
      ['reveal-companies', 'read', ['match', 1, 8]],
      ['find-lookalike-contacts', 'read', ['record', 0, 3]],
      ['find-lookalike-companies', 'read', ['record', 0, 3]],
      ['find-buying-group', 'read', ['record', 0, 1]],
      ['get-website-visits', 'read', null],
      ['get-contact-signals', 'read', ['match', 0, 2]],
      ['get-company-signals', 'read', ['match', 0, 23]],
      ['score-contacts', 'read', ['match', 0, 1]],
      ['score-companies', 'read', ['match', 0, 1]],
      ['list-filter-values', 'read', null],
      ['account-usage', 'read', null],
      ['find-endpoints', 'read', null],
      ['api-call', 'by-method', null],
    ])
  })
})

describe('an account under the documented profile', () => {
  const caller = { tenant: 'default' }
  const attempt = async (wire: Record<string, unknown>) => {
    const pack = await createPack({ integrations, wire: { 'anz-data': wire }, clock: fakeClock() })
    await pack.connections.create(caller, {
      integration: 'anz-data',
      type: 'api-key',
      name: 'Main',
      secrets: { apiKey: 'a-key-0123456789' },
    })
    const outcome = await pack.steps.run(caller, {
      integration: 'anz-data',
      step: 'people-enrichment',
      input: { email: 'a@b.example' },
    })
    const [account] = await pack.connections.list(caller)
    await pack.close()
    return { failure: outcome.ok ? undefined : outcome.failure, state: account?.state }
  }

  it('is connected unproven, since no request is free', async () => {
    expect((await attempt({})).state).toBe('unverified')
  })

  it('fails with the name of the address', async () => {
    const { failure } = await attempt({ auth: { 'api-key': { place: 'header', fields: { 'x-api-key': '{apiKey}' } } } })
    expect(failure).toMatchObject({
      code: 'wire_unset',
      actor: 'operator',
      message: expect.stringContaining('wire.anz-data.baseUrl') as string,
    })
  })

  it('fails with the name of the key placement', async () => {
    const { failure } = await attempt({ baseUrl: 'https://provider.example' })
    expect(failure).toMatchObject({
      code: 'wire_unset',
      actor: 'operator',
      message: expect.stringContaining('wire.anz-data.auth.api-key') as string,
    })
  })
})
