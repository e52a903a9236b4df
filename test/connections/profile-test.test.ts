import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import contactData from '../../integrations/contact-data/manifest.ts'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import type { Caller } from '../../shared/runtime/ports/index.ts'
import { fakeClock } from '../support/clock.ts'
import { startProvider } from '../support/provider.ts'

const caller: Caller = { tenant: 'default' }
const usage = {
  method: 'GET',
  path: '/account/usage',
  place: 'query',
  kind: 'usage',
  fields: { team: 'team' },
  record: ['usage'],
  price: [],
}
type Answer = { status: number; body: unknown; type?: string }
const good: Answer = { status: 200, body: { usage: { credits: 12 } } }

let answer: Answer
/** To everything but the test; default: the same. */
let lookups: Answer | undefined
let provider: Awaited<ReturnType<typeof startProvider>>
let pack: Pack
let clock: ReturnType<typeof fakeClock>

beforeEach(async () => {
  answer = good
  lookups = undefined
  clock = fakeClock()
  provider = await startProvider(({ url }, response) => {
    const { status, body, type } = url!.startsWith('/account') ? answer : (lookups ?? answer)
    response.writeHead(status, { 'content-type': type ?? 'application/json' })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  pack = await packWith({ test: { endpoint: 'account-usage', values: { team: 'all' } }, validKey: [{ status: 402 }] })
})
afterEach(async () => {
  await pack.close()
  await provider.close()
})

const packWith = (over: Record<string, unknown>, endpoint: Record<string, unknown> = {}) =>
  createPack({
    integrations: [contactData],
    clock,
    random: () => 0,
    wire: {
      'contact-data': {
        baseUrl: provider.origin,
        auth: { 'api-key': { place: 'header', fields: { 'x-api-key': '{apiKey}' } } },
        endpoints: { 'account-usage': { ...usage, ...endpoint } },
        ...over,
      },
    },
    egress: { privateOrigins: [provider.origin] },
  })
const connect = () =>
  pack.connections.create(caller, { integration: 'contact-data', type: 'api-key', secrets: { apiKey: 'k-0123456789' } })
describe('the test that a wire profile names', () => {
  it('proves a key when it is connected, by the free endpoint', async () => {
    const { state, stateReason } = await connect()
    expect([state, stateReason]).toEqual(['connected', null])
    expect(provider.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /account/usage?team=all'])
  })

  it('is shown by the manifest', async () => {
    expect((await pack.integrations.manifest('contact-data')).connections[0]?.testable).toBe(true)
  })

  it('refuses a key that the provider refuses', async () => {
    answer = { status: 401, body: { message: 'bad key' } }
    await expect(connect()).rejects.toMatchObject({ code: 'not_connected' })
  })

  it.each<[string, Answer]>([
    ['a web page', { status: 200, body: '<html>hello</html>', type: 'text/html' }],
    ['404', { status: 404, body: { message: 'no route' } }],
    ['another JSON', { status: 200, body: { ok: true } }],
    ['an empty object', { status: 200, body: {} }],
    ['an empty answer', { status: 200, body: '' }],
  ])('leaves a key unverified at an answer of %s, and names the setting', async (_, nextAnswer) => {
    answer = nextAnswer
    const { state, stateReason } = await connect()
    expect(state).toBe('unverified')
    expect(stateReason).toContain('wire.contact-data.endpoints.account-usage.path')
  })

  it('takes a refusal that only a valid key gets for a proof', async () => {
    answer = { status: 402, body: { message: 'no credits' } }
    expect((await connect()).state).toBe('connected')
  })

  it('is answered well by an empty list of a search, and by a body that holds what is known', async () => {
    answer = { status: 200, body: { usage: [], total: 0 } }
    expect((await connect()).state).toBe('connected')
    await pack.close()
    pack = await packWith(
      { test: { endpoint: 'account-usage' }, records: { usage: { creditsLeft: ['left'] } } },
      { record: [''] },
    )
    answer = { status: 200, body: { left: 12 } }
    expect((await connect()).state).toBe('connected')
    answer = { status: 200, body: { ok: true } }
    expect((await connect()).state).toBe('unverified')
  })

  it('is asked again by `test`, and after a lookup was refused', async () => {
    const { id } = await connect()
    answer = { status: 401, body: { message: 'revoked' } }
    await pack.steps.run(caller, {
      integration: 'contact-data',
      step: 'find-contact',
      input: { email: 'gwen@kowhai.example' },
    })
    expect((await pack.connections.get(caller, id)).state).toBe('needs_reconnect')
    expect(provider.seen.map(({ url }) => url)).toEqual([
      '/account/usage?team=all',
      '/person',
      '/account/usage?team=all',
    ])
    answer = good
    expect((await pack.connections.test(caller, id)).state).toBe('connected')
  })

  it('leaves a connection alone whose lookup alone is refused', async () => {
    const { id } = await connect()
    lookups = { status: 401, body: { message: 'not for you' } }
    await pack.steps.run(caller, {
      integration: 'contact-data',
      step: 'find-contact',
      input: { email: 'gwen@kowhai.example' },
    })
    expect([(await pack.connections.get(caller, id)).state, provider.seen.length]).toEqual(['connected', 3])
  })

  it('is none where its path is not known, so that the first real answer shows whether the key works', async () => {
    await pack.close()
    pack = await packWith({ test: { endpoint: 'account-usage' } }, { path: null })
    expect((await connect()).state).toBe('unverified')
    expect(provider.seen).toEqual([])
  })
})

describe('a profile that names what it does not hold', () => {
  it.each([
    [{ test: { endpoint: 'acount-usage' } }, 'test.endpoint'],
    [
      { test: { endpoint: 'person' }, endpoints: { person: { price: [{ per: 'record', credits: 1 }] } } },
      'test.endpoint',
    ],
    [{ endpoints: { person: { aliases: 'persona' } } }, 'endpoints.person.aliases'],
    [
      {
        endpoints: {
          person: { fields: { company: { name: 'c', resolve: { endpoint: 'firm', field: 'name', take: 'id' } } } },
        },
      },
      'endpoints.person.fields.company.resolve.endpoint',
    ],
    [
      {
        endpoints: {
          person: {
            fields: { company: { name: 'c', choices: { endpoint: 'firms', list: '', value: '', label: '' } } },
          },
        },
      },
      'endpoints.person.fields.company.choices.endpoint',
    ],
    [
      {
        endpoints: {
          person: { page: { style: 'page', place: 'json', position: 'p', size: 's', min: 20, max: 10, default: 10 } },
        },
      },
      'endpoints.person.page.min',
    ],
    [
      {
        endpoints: {
          person: {
            pending: { when: [{ status: 202 }], poll: { path: '/jobs/{job}', names: {} }, everyMs: 1, limitMs: 1 },
          },
        },
      },
      'endpoints.person.pending.poll.names.job',
    ],
  ])('%j is refused at the start, at its place', async (over, where) => {
    await expect(createPack({ integrations: [contactData], wire: { 'contact-data': over } })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(`"wire.contact-data.${where}" is not usable`) as string,
    })
  })
})
