/** What API Call must not reach at a data provider, under every profile and however the path is spelt. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Pack } from '../../shared/pack.ts'
import { createPack } from '../../shared/pack.ts'
import { startProvider } from '../support/provider.ts'
import { integrations } from './harness.ts'

const caller = { tenant: 'default' }
const profiles = integrations.flatMap(({ id, profiles: ready = {} }) =>
  [undefined, ...Object.keys(ready)].map((profile) => [id, profile] as const),
)
const header = { place: 'header', fields: { 'x-api-key': '{apiKey}' } }

type Request = { method: string; path: string; query?: object; body?: object }
const post = (path: string, body = {}) => ({ method: 'POST', path, body })
const get = (path: string, query = {}) => ({ method: 'GET', path, query })

const credentials: Request[] = [
  get('/api/account/secret'),
  post('/api/account/secret/regenerate'),
  get('/v1/api_keys'),
  post('/oauth/token'),
  get('/v2/tokens/current'),
]
const hooks: Request[] = [
  post('/api/subscriptions', { subscriptions: [{ url: 'https://hooks.example' }] }),
  get('/api/subscriptions'),
  get('/api/subscriptions/7'),
  post('/api/subscriptions/7/test'),
  post('/api/subscriptions/delete'),
  post('/api/subscriptions/opt-out'),
  get('/api/audit-logs'),
  get('/api/audit-logs/stats'),
  post('/v2/webhooks'),
  get('/webhook/1'),
]
const account: Request[] = [
  post('/api/account'),
  post('/v3/account/usage'),
  post('/v2/account'),
  post('/api/v1/users/7'),
  post('/billing/top-up'),
  get('/v1/billing'),
]
/** Results that the provider would send to an address of the caller's, past the list of those who opted out. */
const sentElsewhere: Request[] = [
  {
    method: 'POST',
    path: '/api/v1/people/match',
    query: { email: 'a@b.example', webhook_url: 'https://hooks.example' },
  },
  post('/api/v1/people/bulk_match', { details: [], webhookUrl: 'https://hooks.example' }),
  post('/person', { email: 'a@b.example', 'callback-url': 'https://hooks.example' }),
]
const spellings: Request[] = [
  get('/api/account/secret/'),
  get('/API/Account/SECRET'),
  get('/api/account/%73ecret'),
  get('/api/account/secret.json'),
  get('/api/account/%EF%BD%93ecret'),
  get('/api/account/secret?x=1'),
  get('/api//account/secret'),
  get('/api/./account/secret'),
  get('/x/../api/account/secret'),
  get('/api/account/secret;x=1'),
  get('/api%2Faccount%2Fsecret'),
  post('/Api/Subscriptions/'),
  post('/api/%53ubscriptions/opt-out'),
  post('/api/subscriptions.json'),
]
const free: Request[] = [
  get('/v3/account/usage'),
  get('/account/usage'),
  get('/v2/account'),
  post('/api/v1/usage_stats/credit_usage_stats'),
]

describe.each(profiles)('%s with the profile %s', (integration, profile) => {
  let provider: Awaited<ReturnType<typeof startProvider>>
  let pack: Pack
  const call = (input: Request, over = {}) =>
    pack.steps.run(caller, { integration, step: 'api-call', input: { ...input, strict: false }, ...over })
  const codes = (requests: Request[], over = {}) =>
    Promise.all(
      requests.map(async (request) => [
        request.method,
        request.path,
        await call(request, over).then((outcome) => (outcome.ok ? 'sent' : outcome.failure.code)),
      ]),
    )
  const refused = (requests: Request[]) => requests.map(({ method, path }) => [method, path, 'not_allowed'])

  beforeAll(async () => {
    provider = await startProvider((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{}')
    })
    const reach = {
      baseUrl: provider.origin,
      ...(profile === undefined ? { auth: { 'api-key': header } } : { profile }),
    }
    pack = await createPack({
      integrations,
      wire: { [integration]: reach },
      egress: { privateOrigins: [provider.origin] },
    })
    await pack.connections.create(caller, {
      integration,
      type: 'api-key',
      name: 'Data',
      secrets: { apiKey: 'a-key-0123456789' },
    })
    provider.seen.length = 0
  })
  afterAll(async () => {
    await pack.close()
    await provider.close()
  })

  it.each([
    ['credentials', credentials],
    ['webhooks', hooks],
    ['the account', account],
    ['results sent elsewhere', sentElsewhere],
    ['other spellings', spellings],
  ])('%s: refused', async (_, requests) => {
    expect(await codes(requests)).toEqual(refused(requests))
    expect(await codes(requests, { dryRun: true })).toEqual(refused(requests))
    expect(provider.seen).toEqual([])
  })

  it('what the account has left can be read, and what only looks alike', async () => {
    expect((await codes(free)).map(([, , code]) => code)).toEqual(['sent', 'sent', 'sent', 'sent'])
    if (integration === 'contact-data')
      expect(await codes([get('/api/account')])).toEqual(refused([get('/api/account')]))
    expect(await codes([post('/people/match'), get('/tokenised/keysmith')])).toEqual([
      ['POST', '/people/match', 'sent'],
      ['GET', '/tokenised/keysmith', 'sent'],
    ])
  })

  it('the operator may allow a path', async () => {
    await pack.policies.put('default', { apiCallAllow: { [integration]: ['/**/subscriptions/**'] } }, caller)
    expect(await codes([get('/api/subscriptions'), get('/api/account/secret')])).toEqual([
      ['GET', '/api/subscriptions', 'sent'],
      ['GET', '/api/account/secret', 'not_allowed'],
    ])
  })
})
