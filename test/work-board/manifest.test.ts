import { describe, expect, it } from 'vitest'
import { meets } from '#kit'
import { ids, idOf, workBoard } from './fake.ts'

const { wire, connections, apiCall } = workBoard
const failureFor = (status: number, body: unknown) => wire.errors.find((rule) => meets(rule, { status, body }))

describe('connections', () => {
  it('names the account the credential belongs to', () => {
    for (const type of connections) {
      expect(type.test).toEqual({ method: 'GET', path: '/1/members/me', query: { fields: 'id,username,fullName' } })
      expect(type.identify!({ id: ids.member, username: 'maraquill', fullName: 'Mara Quill' })).toEqual({
        accountId: ids.member,
        accountName: 'Mara Quill (@maraquill)',
      })
      expect(type.identify!({ id: ids.member, username: 'maraquill', fullName: '' })).toEqual({
        accountId: ids.member,
        accountName: '@maraquill',
      })
      for (const reply of [null, [], { id: ids.member }, { username: 'x' }])
        expect(() => type.identify!(reply)).toThrow(/The provider answered/)
    }
  })

  it('recommends OAuth, and sends the owner of a key to the address the document gives', () => {
    expect(connections.map(({ id, recommended }) => [id, recommended ?? false])).toEqual([
      ['oauth', true],
      ['key-token', false],
    ])
    expect(connections[1]!.authorize).toEqual({
      path: '/1/authorize',
      params: { expiration: 'never', name: '{appName}', scope: 'read,write', response_type: 'token', key: '{key}' },
    })
  })

  it('puts both secrets into the header, under each type', () => {
    for (const type of connections) {
      const placement = wire.auth[type.id]
      expect(placement?.place).toBe('header')
      const named = [...JSON.stringify(placement).matchAll(/\{(\w+)\}/g)].map((match) => match[1])
      expect(named.sort()).toEqual(Object.keys(type.secrets.shape).sort())
    }
  })
})

describe('refusals of the board', () => {
  it.each([
    [401, 'invalid token', 'not_connected'],
    [401, 'invalid key', 'not_connected'],
    [401, 'unauthorized card permission requested', 'access_denied'],
    [401, 'unauthorized permission requested', 'access_denied'],
    [401, { message: 'missing scopes' }, 'access_denied'],
    [401, 'webhook does not belong to token', 'access_denied'],
    [403, 'anything', 'access_denied'],
    [404, 'The requested resource was not found.', 'not_found'],
    [409, 'conflict', 'conflict'],
    [413, '<html>', 'too_large'],
    [414, '<html>', 'too_large'],
    [429, { error: 'API_TOO_MANY_CARDS_REQUESTED', message: 'x' }, 'too_large'],
    [429, 'x', 'rate_limited'],
  ])('%i with %j means %s', (status, body, failure) => {
    expect(failureFor(status, body)?.failure).toBe(failure)
  })

  it.each([
    ['API_KEY_LIMIT_EXCEEDED', 'app'],
    ['API_TOKEN_LIMIT_EXCEEDED', 'connection'],
    ['API_TOKEN_DB_LIMIT_EXCEEDED', 'connection'],
    ['MEMBER_LIMIT_EXCEEDED', 'route'],
    ['UNKNOWN_EXTENSION_LIMIT_EXCEEDED', 'connection'],
  ])('%s pauses the %s', (error, pauses) => {
    expect(failureFor(429, { error, message: 'Rate limit exceeded' })).toMatchObject({
      failure: 'rate_limited',
      pauses,
    })
  })
})

describe('what is assumed', () => {
  it('names every part of the wire that the document does not show, each with a reason', () => {
    const shown = new Set(['profile', 'assumed'])
    const assumed = Object.keys(wire.assumed)
    for (const part of Object.keys(wire))
      if (!shown.has(part))
        expect(
          assumed.some((name) => name === part || name.startsWith(`${part}.`)),
          part,
        ).toBe(true)
    for (const type of connections) expect(assumed).toContain(`auth.${type.id}`)
    for (const step of workBoard.steps) expect(assumed).toContain(`steps.${step.id}`)
    for (const [name, why] of Object.entries(wire.assumed)) expect(why.length, name).toBeGreaterThan(30)
  })
})

describe('API Call policy', () => {
  it('allows the four methods under /1 and gives a reason for each refusal', () => {
    expect(apiCall).toMatchObject({ methods: ['GET', 'POST', 'PUT', 'DELETE'], under: '/1' })
    for (const rule of apiCall.deny) {
      expect(rule.path).toMatch(/^\/1\//)
      expect(rule.reason).toMatch(/\.$/)
    }
    const writes = apiCall.deny.filter(({ path }) => path.startsWith('/1/webhooks')).map(({ methods }) => methods)
    expect(writes).toEqual([
      ['POST', 'PUT', 'DELETE'],
      ['POST', 'PUT', 'DELETE'],
    ])
  })
})

it('keeps ids in the fake as long as the real ones', () => {
  for (const id of [...Object.values(ids), idOf(0xffff)]) expect(id).toMatch(/^[0-9a-f]{24}$/)
})
