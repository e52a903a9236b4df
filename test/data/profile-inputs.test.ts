import { describe, expect, it } from 'vitest'
import { normaliseCountry, normaliseRevenueBand } from '#kit'
import type { Integration } from '#kit'
import { buildManifest, toolInput } from '../../shared/runtime/catalogue/manifest.ts'
import { offerOf } from '../../shared/runtime/catalogue/offered-fields.ts'
import { parseInput } from '../../shared/runtime/catalogue/parse.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { body, integrations, runStep } from './harness.ts'

const [anz, contact] = integrations as [Integration, Integration]
const loadedUnder = (integration: Integration, profile: string) =>
  createRegistry([integration], { [integration.id]: { profile } }).integration(integration.id)
const manifestUnder = (integration: Integration, profile: string) =>
  buildManifest(loadedUnder(integration, profile), [])
const fieldsOf = (integration: Integration, profile: string, step: string) =>
  Object.keys((toolInput(loadedUnder(integration, profile).steps.get(step)!).properties ?? {}) as object)

describe('a country', () => {
  it.each([
    ['nz', 'NZ'],
    ['New Zealand', 'NZ'],
    ['UK', 'GB'],
    ['united kingdom', 'GB'],
    ['Côte d’Ivoire', 'CI'],
    ['cote divoire', 'CI'],
    ['Trinidad and Tobago', 'TT'],
    ['AU', 'AU'],
  ])('%s is %s', (input, code) => {
    expect(normaliseCountry(input)).toEqual({ ok: true, value: code })
    expect(normaliseCountry(code)).toEqual({ ok: true, value: code })
  })
  it.each(['ZZ', 'EU', 'Oceania', '', 'XX', 'N', 7, undefined])('%j is none', (input) =>
    expect(normaliseCountry(input)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('ISO 3166-1') as string,
    }),
  )
})

describe('a revenue', () => {
  it.each([
    ['1,000,000 – 10,000,000', '1000000-10000000'],
    ['1000000000+', '1000000000+'],
  ])('%s is %s', (input, band) => expect(normaliseRevenueBand(input)).toEqual({ ok: true, value: band }))
  it.each(['much', '10-1', '1M-5M'])('%s is none', (input) =>
    expect(normaliseRevenueBand(input)).toMatchObject({ ok: false }),
  )
})

describe('what a ready profile unlocks', () => {
  it('is offered there, and not under the documented one', () => {
    const unlocked = ['personId', 'companyDomain', 'reveal']
    expect(fieldsOf(contact, 'lusha-v3', 'find-contact')).toEqual(expect.arrayContaining(unlocked))
    for (const field of [...unlocked, 'country'])
      expect(fieldsOf(contact, 'documented', 'find-contact')).not.toContain(field)
    const filters = ['seniority', 'department', 'companySize', 'revenue', 'technologies', 'country', 'companyDomain']
    expect(fieldsOf(contact, 'lusha-v3', 'search-contacts')).toEqual(expect.arrayContaining(filters))
    expect(fieldsOf(contact, 'documented', 'search-contacts')).toEqual(['limit', 'cursor'])
    expect(fieldsOf(anz, 'firmable', 'people-search')).toEqual(
      expect.arrayContaining(['companyId', 'companyDomain', 'country']),
    )
    expect(fieldsOf(anz, 'firmable', 'people-search')).not.toContain('states')
    expect(fieldsOf(anz, 'documented', 'people-search')).not.toContain('companyId')
  })

  it('holds words as choices with titles', () => {
    const step = manifestUnder(anz, 'firmable').steps.find(({ id }) => id === 'people-search')!
    const seniority = step.layout.fields.find(({ name }) => name === 'seniority')!
    expect(seniority).toMatchObject({
      control: 'choice',
      choices: expect.arrayContaining(['c-suite/partner']) as unknown,
      labels: { 'c-suite/partner': 'C-Suite/Partner' },
    })
  })

  it('makes the new steps ready where the provider has them', () => {
    const readiness = (profile: string) =>
      Object.fromEntries(
        manifestUnder(contact, profile).steps.flatMap(({ id, ready }) =>
          id === 'reveal-contacts' || id === 'account-usage' ? [[id, ready]] : [],
        ),
      )
    expect(readiness('lusha-v3')).toEqual({ 'reveal-contacts': true, 'account-usage': true })
    expect(readiness('lusha-v2')).toEqual({ 'reveal-contacts': true, 'account-usage': true })
    expect(readiness('documented')).toEqual({ 'reveal-contacts': false, 'account-usage': false })
  })

  it('has the price that the profile states', () => {
    const price = (profile: string, step: string) => {
      const { price: said, cost, badges } = manifestUnder(contact, profile).steps.find(({ id }) => id === step)!
      return [said, cost?.typical ?? null, badges.includes('credits')]
    }
    expect(price('lusha-v3', 'account-usage')).toEqual(['free', null, false])
    expect(price('lusha-v3', 'reveal-contacts')).toEqual([
      '1 credit a match with emails, 5 credits a match with phones',
      [0, 6],
      true,
    ])
    expect(price('documented', 'find-contact')).toEqual([null, [1, 2], true])
  })
})

const auth = { 'api-key': { place: 'header', fields: { key: '{apiKey}' } } }
const wire = {
  profile: 'made-up',
  baseUrl: 'https://provider.example',
  auth,
  endpoints: {
    person: {
      fields: {
        personId: 'id',
        companyDomain: 'employer',
        country: 'land',
        reveal: { name: null, flags: { emails: 'mails', phones: 'phones' } },
      },
      record: [''],
      bulk: { path: null },
    },
    company: { fields: { companyId: 'id', country: 'land' }, record: [''] },
    'reveal-contacts': {
      path: '/reveal',
      fields: {
        personId: 'id',
        searchId: 'search',
        reveal: { name: null, flags: { emails: 'mails', phones: 'phones' } },
      },
      record: [''],
      noMatch: [{ path: 'gone', equals: true }],
    },
    'account-usage': { path: '/usage', record: [''] },
  },
  records: {
    person: { id: ['id'], country: ['country'] },
    company: { id: ['id'] },
    usage: { creditsTotal: ['all'], creditsUsed: ['used'], limits: ['limits'] },
  },
}
const run = (step: string, input: unknown, answers: Parameters<typeof runStep>[3]) =>
  runStep('contact-data', step, input, answers, { wire })

describe('the new inputs', () => {
  it('ids and employers by domain identify, countries and what to reveal go along', async () => {
    const input = {
      personId: 'p1',
      firstName: 'Ada',
      lastName: 'Moss',
      companyDomain: 'https://www.moss.example/about',
      country: 'New Zealand',
      reveal: ['emails'],
    }
    const { sent, value } = await run('find-contact', input, [body({}), body({ id: 'p1' })])
    expect(sent.map((sentRequest) => sentRequest.body)).toEqual([
      { id: 'p1', land: 'NZ', mails: true },
      { firstName: 'Ada', lastName: 'Moss', employer: 'moss.example', land: 'NZ', mails: true },
    ])
    expect(value.matchedBy).toBe('firstName+lastName+companyDomain')
    expect((await run('find-company', { companyId: 'c1', country: 'au' }, [body({ id: 'c1' })])).sent[0]!.body).toEqual(
      { id: 'c1', land: 'AU' },
    )
  })

  it('are taken for each record of a list, and where to look is no part of the record', async () => {
    const contacts = [{ personId: 'p1', country: 'NZ' }, { email: 'ada@moss.example' }]
    const { sent, value } = await run('enrich-contacts', { contacts, reveal: ['phones'] }, [
      body({ id: 'p1', country: 'New Zealand' }),
      body({ id: 'p2' }),
    ])
    expect(sent.map((sentRequest) => sentRequest.body)).toEqual([
      { id: 'p1', land: 'NZ', phones: true },
      { email: 'ada@moss.example', phones: true },
    ])
    expect(value.results[0].record).toEqual({ id: 'p1', country: 'New Zealand' })
  })

  it.each([
    ['find-contact', { personId: 'p1' }, 'personId'],
    ['find-contact', { email: 'a@b.example', country: 'NZ' }, 'country'],
    ['find-contact', { email: 'a@b.example', reveal: ['emails'] }, 'reveal'],
    ['enrich-contacts', { contacts: [{ email: 'a@b.example' }], reveal: ['emails'] }, 'reveal'],
    ['search-companies', { domain: 'b.example' }, 'domain'],
  ])('%s with %j fails before anything is sent where the profile has no name for it', async (step, input, field) => {
    const { failure, sent } = await runStep('contact-data', step, input, [], {
      wire: { endpoints: { 'search-companies': { path: '/search' } } },
    })
    expect([failure?.code, sent]).toEqual(['wire_unset', []])
    expect(failure!.message).toContain(`"${field}"`)
    expect(failure!.message).toContain('the profile "documented"')
    expect(failure!.message).toMatch(new RegExp(`wire\\.contact-data\\.endpoints\\.[a-z-]+\\.fields\\.${field}"`))
  })
})

describe('Reveal Contacts', () => {
  it('asks for each id once, and gives each place its result', async () => {
    const { sent, value } = await run(
      'reveal-contacts',
      { personIds: ['p1', 'p2', 'p1'], searchId: 's1', reveal: ['phones'] },
      [body({ id: 'p1' }), body({ gone: true })],
    )
    expect(sent).toEqual(
      ['p1', 'p2'].map((id) => ({ method: 'POST', path: '/reveal', body: { id, search: 's1', phones: true } })),
    )
    expect(
      value.results.map(({ index, personId, matched }: Record<string, unknown>) => [index, personId, matched]),
    ).toEqual([
      [0, 'p1', true],
      [1, 'p2', false],
      [2, 'p1', true],
    ])
    expect(value.summary).toEqual({ records: 3, matched: 2, notMatched: 1, failed: 0 })
  })

  it('asks for all of them at once where the provider takes a list', async () => {
    const results = ['p1', 'p2'].map((id) => ({ id, firstName: 'Ada' }))
    const { sent, value } = await runStep(
      'contact-data',
      'reveal-contacts',
      { personIds: ['p1', 'p2', 'p1'], reveal: ['emails'] },
      [body({ results })],
      {
        wire: { profile: 'lusha-v3' },
      },
    )
    expect(sent).toHaveLength(1)
    expect(sent[0]).toMatchObject({
      method: 'POST',
      path: '/v3/contacts/enrich',
      body: { ids: ['p1', 'p2'], reveal: ['emails'] },
    })
    expect(value.summary).toEqual({ records: 3, matched: 3, notMatched: 0, failed: 0 })
  })

  it.each([[[]], [Array.from({ length: 101 }, (_, at) => `p${at}`)]])('takes 1 to 100 ids', async (personIds) => {
    const { failure, sent } = await run('reveal-contacts', { personIds }, [])
    expect([failure?.code, sent]).toEqual(['invalid_input', []])
  })
})

describe('Account Usage', () => {
  it('shows what is left, and adds it up where the provider does not say it', async () => {
    const { sent, value, meta } = await run('account-usage', {}, [body({ all: 100, used: 30, limits: { minute: 5 } })])
    expect(sent).toEqual([{ method: 'GET', path: '/usage' }])
    expect(value.usage).toEqual({ creditsTotal: 100, creditsUsed: 30, creditsRemaining: 70, limits: { minute: 5 } })
    expect(meta.credits?.charged ?? 0).toBe(0)
  })
})

describe('a refusal', () => {
  it('names only fields and identifiers that the profile offers', () => {
    const messageUnder = (profile: string) => {
      const loadedStep = loadedUnder(contact, profile).steps.get('find-contact')!
      try {
        return JSON.stringify(parseInput(loadedStep.step, { emial: 'x' }, () => offerOf(loadedStep).hidden))
      } catch (thrown) {
        return (thrown as Error).message
      }
    }
    expect(messageUnder('documented')).toContain(
      'Give at least one of: email, linkedinUrl, firstName + lastName + company.',
    )
    expect(messageUnder('documented')).not.toMatch(/personId|companyDomain/)
    expect(messageUnder('lusha-v3')).toContain('personId')
  })
})
