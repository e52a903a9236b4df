/**
 * A wrong setting never looks like "nobody found": whatever is misconfigured, the steps end in a failure that names a
 * setting. A profile that an integration lists is covered by itself, against any server and against the sandbox that
 * plays its vendor.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isFailure, toFailureJson } from '#kit'
import type { EndpointProfile, Failure, Integration, Outcome, WireProfile } from '#kit'
import { createPack, systemClock } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { overlay } from '../../shared/runtime/catalogue/profile.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { anzProfiles, startAnzSandbox } from '../../shared/sandbox/anz/index.ts'
import type { AnzProfile } from '../../shared/sandbox/anz/index.ts'
import { contactProfiles, startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactProfile } from '../../shared/sandbox/contact/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'
import { startProvider } from '../support/provider.ts'
import { integrations } from '../data/harness.ts'

type Tree = Record<string, unknown>
type Profile = { integration: Integration; name: string }

const caller = { tenant: 'default' }
const secret = 'a-key-of-the-test-0001'
const header = { 'api-key': { place: 'header', fields: { 'x-api-key': '{apiKey}' } } }

const profiles: Profile[] = integrations.flatMap((integration) =>
  ['documented', ...Object.keys(integration.profiles ?? {})].map((name) => ({ integration, name })),
)
const wireOf = ({ integration, name }: Profile, over: Tree = {}) =>
  createRegistry([integration], { [integration.id]: { profile: name, ...over } }).all[0]!.wire

const { people, companies } = createDataSet()
const knownPerson = (to: 'anz' | 'contact') =>
  people.find(
    ({ knownTo, suppressed, workEmail, linkedinSlug }) =>
      knownTo.includes(to) && !suppressed && workEmail !== undefined && linkedinSlug !== undefined,
  )!
const knownCompany = (to: 'anz' | 'contact') => companies.find(({ knownTo }) => knownTo.includes(to))!

/** What is asked of each endpoint: somebody whom the vendor knows. */
const questions: Record<string, { endpoint: string; step: string; input: Tree; many?: Tree }[]> = {
  'contact-data': [
    {
      endpoint: 'person',
      step: 'find-contact',
      input: { email: knownPerson('contact').workEmail },
      many: {
        step: 'enrich-contacts',
        input: { contacts: [{ email: knownPerson('contact').workEmail }, { email: 'nobody@no-such-host.example' }] },
      },
    },
    {
      endpoint: 'company',
      step: 'find-company',
      input: { domain: knownCompany('contact').domain },
      many: {
        step: 'enrich-companies',
        input: { companies: [{ domain: knownCompany('contact').domain }, { domain: 'no-such-host.example' }] },
      },
    },
  ],
  'anz-data': [
    { endpoint: 'enrich-person', step: 'people-enrichment', input: { linkedinSlug: knownPerson('anz').linkedinSlug } },
    { endpoint: 'enrich-company', step: 'company-enrichment', input: { domain: knownCompany('anz').domain } },
  ],
}
const searches: Record<string, [endpoint: string, step: string][]> = {
  'contact-data': [
    ['search-contacts', 'search-contacts'],
    ['search-companies', 'search-companies'],
  ],
  'anz-data': [['search-people', 'people-search']],
}

/** The same without the free test of the key, which would find out some of it before a step runs. */
const untested = (integration: Integration): Integration => {
  const without = ({ test: _, ...wire }: Integration['wire']) => wire
  const ready = Object.entries(integration.profiles ?? {}).map(([name, make]) => [name, () => without(make())] as const)
  return { ...integration, wire: without(integration.wire), profiles: Object.fromEntries(ready) }
}

/** Nothing here is about how long a repeat waits. */
const clock = {
  ...systemClock,
  sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(Math.min(ms, 1), signal),
}

const open = ({ integration, name }: Profile, wire: Tree, origin: string): Promise<Pack> =>
  createPack({
    integrations: [integration],
    wire: { [integration.id]: { profile: name, pace: { limits: [], concurrency: 4 }, ...wire } },
    egress: { privateOrigins: [origin] },
    clock,
  })

let connections = 0
const connect = (pack: Pack, { integration: { id } }: Profile, apiKey = secret) =>
  pack.connections.create(caller, {
    integration: id,
    type: 'api-key',
    name: `Connection ${(connections += 1)}`,
    secrets: { apiKey },
  })

/** One run with a connection that has never found anybody. */
const runNew = async (pack: Pack, profile: Profile, step: string, input: Tree, apiKey?: string): Promise<Outcome> => {
  const { id: connection } = await connect(pack, profile, apiKey)
  return pack.steps.run(caller, {
    integration: profile.integration.id,
    step,
    input,
    connection,
    noWait: true,
    deadlineMs: 10_000,
  })
}
const untestedProfile = (profile: Profile): Profile => ({ ...profile, integration: untested(profile.integration) })

/** The same with a pack of its own. */
const runWith = async (
  profile: Profile,
  wire: Tree,
  origin: string,
  step: string,
  input: Tree,
  apiKey?: string,
): Promise<Outcome> => {
  let pack: Pack
  try {
    pack = await open(untestedProfile(profile), wire, origin)
  } catch (refused) {
    // Some of it is refused at the start already.
    if (!isFailure(refused)) throw refused
    return { ok: false, failure: toFailureJson(refused), meta: { runId: '', durationMs: 0, attempts: 0 } }
  }
  try {
    return await runNew(pack, profile, step, input, apiKey)
  } finally {
    await pack.close()
  }
}

const namesSetting = /"wire\.(contact|anz)-data\.(baseUrl|auth\.api-key|endpoints\.[\w-]+|records\.[\w-]+)/
/** Fails unless the outcome is a failure that names a setting. */
const expectNamed = (outcome: Outcome, what: string) => {
  expect(outcome.ok ? outcome.value : 'failed', `${what}: ${JSON.stringify(outcome)}`).toBe('failed')
  // A vendor may say by any status that a rate limit is used up; nothing looks missed then.
  if (!outcome.ok && outcome.failure.code !== 'rate_limited')
    expect(outcome.failure.message, what).toMatch(namesSetting)
}
/** Some vendors take a request in several forms; then it finds whom it is asked for. */
const expectFoundOrNamed = (outcome: Outcome, what: string) => {
  if (outcome.ok) expect(outcome.value, what).toMatchObject({ matched: true })
  else expectNamed(outcome, what)
}

const json = 'application/json'
const html = 'text/html; charset=utf-8'
/** What any server, gateway or framework answers where the profile's path is not. */
const foreign: [what: string, status: number, body: unknown, more?: Record<string, string>][] = [
  ['an HTML page of status 404', 404, '<!doctype html><h1>Not Found</h1>', { 'content-type': html }],
  [
    'an HTML page that says "person not found"',
    404,
    '<html><body>Person not found</body></html>',
    { 'content-type': html },
  ],
  ['an HTML page of status 200', 200, '<!doctype html><title>Welcome</title>', { 'content-type': html }],
  ['an HTML login page', 200, '<html><form action="/login"></form></html>', { 'content-type': html }],
  ['a page of a proxy that is broken', 502, '<html><h1>502 Bad Gateway</h1></html>', { 'content-type': html }],
  ['nothing, status 200', 200, ''],
  ['nothing, status 204', 204, ''],
  ['nothing, status 404', 404, ''],
  ['a text, status 200', 200, 'OK', { 'content-type': 'text/plain' }],
  ['a text, status 404', 404, '404 page not found', { 'content-type': 'text/plain' }],
  ['a redirect to a login', 302, '', { location: 'https://login.example/sign-in' }],
  ['a redirect to another path', 308, '', { location: '/v2/elsewhere' }],
  ['a gateway: no route', 404, { message: 'no Route matched with those values' }],
  ['a gateway: not found', 404, { message: 'not found' }],
  ['a gateway: missing token', 403, { message: 'Missing Authentication Token' }],
  ['a gateway: unauthorized', 401, { message: 'Unauthorized' }],
  ['a gateway: no matching route', 404, { error: 'No matching route found' }],
  ['a framework: Cannot POST', 404, { statusCode: 404, error: 'Not Found', message: 'Cannot POST /person' }],
  ['a framework: path in it', 404, { timestamp: 1, status: 404, error: 'Not Found', path: '/person' }],
  ['a framework: detail', 404, { detail: 'Not Found' }],
  ['a framework: a code', 404, { error: { code: 'NOT_FOUND', message: 'The requested resource was not found' } }],
  ['a framework: entity', 404, { error: { code: 404, message: 'Requested entity was not found.' } }],
  [
    'problem+json',
    404,
    { type: 'about:blank', title: 'Not Found', status: 404 },
    { 'content-type': 'application/problem+json' },
  ],
  ['a method that is not taken', 405, { error: 'Method Not Allowed' }],
  ['a path that is gone', 410, { message: 'This version of the API has been retired' }],
  ['a request that is not understood', 400, { error: 'Bad Request' }],
  ['an error of the server', 500, { error: 'Internal Server Error' }],
  ['a 500 that says not found', 500, { error: 'Not found' }],
  ['200: not found', 200, { message: 'not found' }],
  ['200: no such route', 200, { message: 'Route not found' }],
  ['200: the status in it', 200, { code: 404, message: 'not found' }],
  ['200: an error in it', 200, { error: { message: 'unknown path' } }],
  ["200: another server's health", 200, { status: 'ok' }],
  ["200: another server's object", 200, { service: 'billing', version: '2.1' }],
  ["200: another server's list", 200, [{ service: 'billing' }, { service: 'mail' }]],
  ['200: a number', 200, 17],
  ['200: a word', 200, '"pong"'],
]

describe.each(profiles.map((profile) => [`${profile.integration.id} ${profile.name}`, profile] as const))(
  '%s, another server',
  (_, profile) => {
    const { id } = profile.integration
    let answer: (typeof foreign)[number]
    let server: Awaited<ReturnType<typeof startProvider>>
    let pack: Pack
    beforeAll(async () => {
      server = await startProvider((_request, response) => {
        const [, status, body, more] = answer
        response
          .writeHead(status, { 'content-type': json, ...more })
          .end(typeof body === 'string' ? body : JSON.stringify(body))
      })
      pack = await open(untestedProfile(profile), settings(), server.origin)
    })
    afterAll(async () => {
      await pack.close()
      await server.close()
    })

    const settings = (): Tree => ({
      baseUrl: server.origin,
      ...(profile.name === 'documented' ? { auth: header } : {}),
      endpoints: Object.fromEntries(
        searches[id]!.filter(([name]) => wireOf(profile).endpoints?.[name]?.path === null).map(([name]) => [
          name,
          { path: '/search', fields: { location: 'location' } },
        ]),
      ),
    })
    const listRequests = (): [string, string, Tree][] => {
      const { endpoints = {} } = wireOf(profile, settings())
      const lookups = questions[id]!.filter(({ endpoint }) => endpoints[endpoint]?.path).map(
        ({ endpoint, step, input }): [string, string, Tree] => [endpoint, step, input],
      )
      const searchRequests = searches[id]!.filter(([name]) => endpoints[name]?.path).map(
        ([name, step]): [string, string, Tree] => [name, step, searchInput(endpoints[name]!)],
      )
      return [...lookups, ...searchRequests.slice(0, 1)]
    }

    it.each(foreign.map((row) => [row[0], row] as const))(
      'that answers %s is never taken for a no match',
      async (what, row) => {
        answer = row
        for (const [endpoint, step, input] of listRequests())
          expectNamed(await runNew(pack, profile, step, input), `${endpoint}, ${what}`)
      },
    )

    it('never connects an account, whatever it answers', async () => {
      const tested = await open(profile, settings(), server.origin)
      try {
        for (const row of foreign) {
          answer = row
          const state = await connect(tested, profile).then(
            (made) => made.state,
            (refused: Failure) => refused.message,
          )
          expect(state, row[0]).not.toBe('connected')
          if (state !== 'unverified') expect(state, row[0]).toMatch(namesSetting)
        }
      } finally {
        await tested.close()
      }
    })

    it('that is not there names the address', async () => {
      const gone = createServer()
      await new Promise<void>((done) => gone.listen(0, '127.0.0.1', done))
      const origin = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`
      await new Promise((done) => gone.close(done))
      for (const [endpoint, step, input] of listRequests())
        expectNamed(await runWith(profile, { ...settings(), baseUrl: origin }, origin, step, input), endpoint)
    })
  },
)

/** Values that the endpoint takes as a search. */
const searchInput = ({ probe, fields }: EndpointProfile): Tree => {
  if (probe && Object.keys(probe.values).length > 0) return probe.values
  const first = ['company', 'location', 'name', 'jobTitle'].find((ours) => fields[ours] != null)!
  return { [first]: 'Wattle' }
}

const sandboxOf = ({ integration: { id }, name }: Profile) =>
  id === 'anz-data'
    ? anzProfiles.includes(name as AnzProfile) &&
      (() => startAnzSandbox({ profile: name as AnzProfile, limits: { requests: 1_000_000 } }))
    : contactProfiles.includes(name as ContactProfile) &&
      (() => startContactSandbox({ profile: name as ContactProfile, limits: { requests: 1_000_000 } }))

const otherMethod = (method: string) => (method === 'GET' ? 'POST' : 'GET')
const otherPlace = (place: string) => (place === 'json' ? 'query' : 'json')

type At = { name: string; endpoint: EndpointProfile; otherEndpoints: EndpointProfile[]; wire: WireProfile }
type Change = (at: At) => Tree
const inEndpoint =
  (change: (endpoint: EndpointProfile, otherEndpoints: EndpointProfile[]) => Tree): Change =>
  ({ name, endpoint, otherEndpoints }) => ({ endpoints: { [name]: change(endpoint, otherEndpoints) } })
const authOf = ({ auth }: WireProfile) => auth['api-key'] as { place: string; fields: Record<string, string> }
/** The same names with another value. */
const formed = (wire: WireProfile, change: (was: string) => string) =>
  Object.fromEntries(Object.entries(authOf(wire).fields).map(([name, was]) => [name, change(was)]))
const renamed = (spec: unknown): unknown =>
  typeof spec === 'string'
    ? 'no.such_name'
    : Array.isArray(spec)
      ? spec.map(renamed)
      : typeof spec === 'object' && spec
        ? { ...spec, name: 'no_such_name' }
        : spec

/** One setting is wrong; everything else is as the vendor wants it. */
const changes: [what: string, change: Change][] = [
  ['a path that the vendor does not have', inEndpoint(() => ({ path: '/v9/no-such-path' }))],
  ['a path without its beginning', inEndpoint(({ path }) => ({ path: path!.replace(/^\/[^/]+/, '') || '/x' }))],
  ['a path with something behind it', inEndpoint(({ path }) => ({ path: `${path}/lookup` }))],
  [
    'the path of another endpoint',
    inEndpoint(({ kind }, otherEndpoints) => ({
      path: otherEndpoints.find((other) => other.path && other.kind !== kind)?.path ?? '/x',
    })),
  ],
  ['the other method', inEndpoint(({ method }) => ({ method: otherMethod(method) }))],
  ['values in the other place', inEndpoint(({ place }) => ({ place: otherPlace(place) }))],
  [
    'method and place of the other kind',
    inEndpoint(({ method, place }) => ({ method: otherMethod(method), place: otherPlace(place) })),
  ],
  [
    'names that the vendor does not have',
    inEndpoint(({ fields }) => ({
      fields: Object.fromEntries(Object.entries(fields).map(([ours, spec]) => [ours, renamed(spec)])),
    })),
  ],
  ['another envelope', inEndpoint(() => ({ envelope: { at: 'no_such_envelope', as: 'object' } }))],
  ['a record path that is not in the answer', inEndpoint(() => ({ record: ['no.such.path'] }))],
  [
    'the key in the other place',
    ({ wire }) => ({ auth: { 'api-key': { place: authOf(wire).place === 'query' ? 'header' : 'query' } } }),
  ],
  [
    'the key in another form',
    ({ wire }) => ({ auth: { 'api-key': { fields: formed(wire, (was) => `Token ${was}`) } } }),
  ],
  ['something before the key', ({ wire }) => ({ auth: { 'api-key': { fields: formed(wire, (was) => `x-${was}`) } } })],
  ['a base address with something behind it', () => ({ baseUrl: 'more' })],
]

describe.each(
  profiles.flatMap((profile) =>
    sandboxOf(profile) ? [[`${profile.integration.id} ${profile.name}`, profile] as const] : [],
  ),
)('%s, its vendor', (_, profile) => {
  const { id } = profile.integration
  let sandbox: Awaited<ReturnType<typeof startAnzSandbox>>
  beforeAll(async () => {
    sandbox = await (sandboxOf(profile) as () => Promise<typeof sandbox>)()
  })
  afterAll(() => sandbox.close())

  const settings = (over: Tree = {}): Tree => {
    const { profile: _name, ...base } = sandbox.override
    const { baseUrl, ...otherSettings } = over
    return {
      ...overlay(base, otherSettings),
      ...(baseUrl === undefined ? {} : { baseUrl: `${sandbox.origin}/${String(baseUrl)}` }),
    }
  }
  const run = (step: string, input: Tree, over?: Tree) =>
    runWith(profile, settings(over), sandbox.origin, step, input, sandbox.credentials.apiKey)
  const offered = () => {
    const { endpoints = {} } = wireOf(profile, settings())
    return questions[id]!.filter(({ endpoint }) => endpoints[endpoint]?.path).map((question) => ({
      ...question,
      endpoints,
      at: endpoints[question.endpoint]!,
    }))
  }

  it('finds whom it is asked for where the settings are right', async () => {
    for (const { step, input } of offered()) {
      const outcome = await run(step, input)
      expect(outcome, JSON.stringify(outcome)).toMatchObject({ ok: true, value: { matched: true } })
    }
  })

  it.each(changes)('%s ends in a failure that names a setting', async (what, change) => {
    for (const { endpoint, step, input, at, endpoints } of offered()) {
      const over = change({
        name: endpoint,
        endpoint: at,
        otherEndpoints: Object.values(endpoints),
        wire: wireOf(profile, settings()),
      })
      expectFoundOrNamed(await run(step, input, over), `${endpoint}, ${what}`)
    }
  })

  it.each<[string, Tree]>([
    ['a path that the vendor does not have', { path: '/v9/no-such-path' }],
    ['another envelope', { envelope: 'no_such_envelope' }],
    ['answers where there are none', { answers: 'no.such.path' }],
    ['records where there are none', { itemRecord: ['no.such.path'] }],
    ['answers keyed in another way', { answer: 'byId', itemId: 'no_such_id', answerId: 'no_such_id' }],
  ])('a batch with %s has no record that is "not matched"', async (what, bulk) => {
    for (const { endpoint, at, many } of offered()) {
      if (!many || !at.bulk?.path) continue
      const { step, input } = many as { step: string; input: Tree }
      // The right settings first: one is found, one is not.
      const right = await run(step, input)
      expect(right, JSON.stringify(right)).toMatchObject({
        ok: true,
        value: { summary: { matched: 1, notMatched: 1 } },
      })
      const wrong = await run(step, input, { endpoints: { [endpoint]: { bulk } } })
      if (wrong.ok) {
        const { results } = wrong.value as { results: { matched?: boolean }[] }
        expect(results[0]!.matched, `${endpoint}, ${what}: ${JSON.stringify(results)}`).not.toBe(false)
      } else expectNamed(wrong, `${endpoint}, ${what}`)
    }
  })
})
