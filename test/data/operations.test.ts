import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EndpointProfile, FieldWire, WireProfile } from '#kit'
import { integrations } from '../../integrations/index.ts'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { createVerdict } from '../../shared/runtime/catalogue/operations.ts'
import { tableOf } from '../../shared/runtime/catalogue/operation-table.ts'
import { startProvider } from '../support/provider.ts'

const profiles = integrations.flatMap(({ id, apiCall, wire, profiles: ready = {} }) =>
  [wire, ...Object.values(ready).map((make) => make())].flatMap((profile) =>
    profile.endpoints ? [{ name: `${id}/${profile.profile}`, profile, apiCall }] : [],
  ),
)

const namesOf = (wire: FieldWire): string[] =>
  wire === null
    ? []
    : typeof wire === 'string'
      ? [wire]
      : (Array.isArray(wire) ? wire : [wire]).flatMap(({ name, flags }) => [
          ...(name === null ? [] : [name]),
          ...Object.values(flags ?? {}),
        ])

/** Requests of an endpoint, each with the names at the top of its query or body. */
const requestsOf = ({ method, path, fields, envelope, constants, bulk }: EndpointProfile) => {
  const top = (names: string[]) => [...new Set(names.map((name) => name.split('.')[0]!))]
  const single = envelope ? [envelope.at] : Object.values(fields).flatMap(namesOf)
  const many = bulk?.envelope ? [bulk.envelope] : []
  return [
    ...(path === null ? [] : [{ method, path, names: top([...single, ...Object.keys(constants ?? {})]) }]),
    ...(bulk && bulk.path !== null
      ? [
          {
            method: bulk.method ?? 'POST',
            path: bulk.path,
            names: top([...many, ...Object.keys(bulk.constants ?? {})]),
          },
        ]
      : []),
  ]
}

describe.each(profiles.map((entry) => [entry.name, entry] as const))(
  'the endpoints of %s',
  (_, { profile, apiCall }) => {
    const { operations = [], endpoints = {} } = profile as WireProfile
    const table = tableOf(operations)

    it('are listed for API Call unless it refuses them, with the names they send', () => {
      const { refusal } = createVerdict(apiCall)
      const missing = Object.values(endpoints).flatMap((endpoint) =>
        requestsOf(endpoint).flatMap(({ method, path, names }) => {
          const operation = table.find(method, path)
          const isRefused = refusal({ method, path, title: '', parameters: [] }) !== undefined
          if (!operation) return isRefused ? [] : [`${method} ${path}`]
          const listed = operation.parameters.map(({ name }) => name.split('.')[0]!)
          return names.filter((name) => !listed.includes(name)).map((name) => `${name} of ${method} ${path}`)
        }),
      )
      expect(missing).toEqual([])
    })

    it('are allowed, have a title, and are listed once', () => {
      const verdict = createVerdict(apiCall)
      expect(operations.length).toBeGreaterThan(2)
      expect(operations.filter((operation) => verdict.refusal(operation) !== undefined)).toEqual([])
      expect(new Set(operations.map(({ method, path }) => `${method} ${path}`)).size).toBe(operations.length)
    })
  },
)

describe('a connection with a profile of its own', () => {
  const caller = { tenant: 'default' }
  let provider: Awaited<ReturnType<typeof startProvider>>
  let pack: Pack
  const run = (step: string, input: object, connection?: string) =>
    pack.steps.run(caller, { integration: 'contact-data', step, input, connection })

  beforeAll(async () => {
    provider = await startProvider((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{}')
    })
    const header = { place: 'header', fields: { 'x-api-key': '{apiKey}' } }
    const documented = { baseUrl: provider.origin, auth: { 'api-key': header } }
    pack = await createPack({
      wire: { 'contact-data': { ...documented, profiles: { hunter: { baseUrl: provider.origin } } } },
      egress: { privateOrigins: [provider.origin] },
    })
    const add = (name: string, more: object) =>
      pack.connections.create(caller, {
        integration: 'contact-data',
        type: 'api-key',
        name,
        secrets: { apiKey: 'a-key-0123456789' },
        ...more,
      })
    await add('Documented', {})
    await add('Hunter', { profile: 'hunter' })
    provider.seen.length = 0
  })
  afterAll(async () => {
    await pack.close()
    await provider.close()
  })

  it('is found its endpoints and checked against them', async () => {
    const first = async (connection: string) =>
      ((await run('find-endpoints', { query: 'find a person', limit: 1 }, connection)) as { value: any }).value
        .endpoints[0].path
    expect([await first('Documented'), await first('Hunter')]).toEqual(['/person', '/v2/people/find'])
    const wrong = { method: 'GET', path: '/v2/people/find', query: { emial: 'ada@example.com' } }
    expect(await run('api-call', wrong, 'Hunter')).toMatchObject({
      ok: false,
      failure: { code: 'invalid_input', errors: [{ pointer: '/query/emial' }] },
    })
    expect(provider.seen).toEqual([])
    expect((await run('api-call', wrong, 'Documented')).meta.unlisted).toBe(true)
    expect(
      await run(
        'api-call',
        { method: 'POST', path: '/person/bulk', body: [{ email: 'a@b.example' }, { emial: 'x' }] },
        'Documented',
      ),
    ).toMatchObject({
      failure: { code: 'invalid_input', errors: [{ pointer: '/body/1/emial' }] },
    })
    expect(
      await run('api-call', { method: 'POST', path: '/person/bulk', body: { email: 'a@b.example' } }, 'Documented'),
    ).toMatchObject({
      failure: { code: 'invalid_input', errors: [{ pointer: '/body' }] },
    })
    expect(provider.seen).toHaveLength(1)
  })
})
