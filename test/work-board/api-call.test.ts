import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import workBoard from '../../integrations/work-board/manifest.ts'
import { operations as listed } from '../../integrations/work-board/operations.ts'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { createVerdict } from '../../shared/runtime/catalogue/operations.ts'
import { openOAuthWorld } from '../support/oauth-world.ts'
import { fakeClock } from '../support/clock.ts'
import { startProvider } from '../support/provider.ts'
import { callOf, operations, seeded, wrongCallOf } from './call-cases.ts'
import type { WrongCall } from './call-cases.ts'

const caller = { tenant: 'default' }
let provider: Awaited<ReturnType<typeof startProvider>>
let pack: Pack
const run = (input: Record<string, unknown>, more: object = {}) =>
  pack.steps.run(caller, { integration: 'work-board', step: 'api-call', input, ...more })

beforeAll(async () => {
  provider = await startProvider((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"id":"5abbe4b7ddc1b351ef961414"}')
  })
  pack = await createPack({
    clock: fakeClock(),
    wire: { 'work-board': { baseUrl: provider.origin, pace: { limits: [], concurrency: 8 } } },
    egress: { privateOrigins: [provider.origin] },
  })
  await pack.connections.create(caller, {
    integration: 'work-board',
    type: 'key-token',
    name: 'Main',
    secrets: { key: '0'.repeat(32), token: 'f'.repeat(64) },
  })
})
beforeEach(() => void (provider.seen.length = 0))
afterAll(async () => {
  await pack.close()
  await provider.close()
})

const failureOf = async (input: Record<string, unknown>) => {
  const outcome = await run(input)
  return outcome.ok ? undefined : outcome.failure
}
const metaOf = async (input: Record<string, unknown>, more: object = {}) => {
  const { ok, meta } = await run(input, more)
  return { ok, warnings: meta.warnings, unlisted: meta.unlisted }
}

const verdict = createVerdict(workBoard.apiCall)
/** Why the policy refuses an operation of the tests' table. */
const refusalOf = ({ method, path }: { method: string; path: string }) =>
  verdict.refusal(
    listed.find((operation) => operation.method === method && operation.path === path.replaceAll('${', '{'))!,
  )

describe('every operation of the board', () => {
  const random = seeded(13)
  it.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s is sent as given, or refused with the reason of the policy',
    async (_, operation) => {
      const refusal = refusalOf(operation)
      // With the required parameters, with all, and with some of them.
      const sets = [
        operation.parameters.filter(([, { required }]) => required),
        operation.parameters,
        operation.parameters.filter(() => random.below(2) === 0),
      ]
      for (const parameters of sets) {
        const taken = parameters.filter(([name]) => name !== 'tokens' && name !== 'webhooks')
        const call = callOf(operation, taken, random.pick)
        provider.seen.length = 0
        const outcome = await run(call)
        if (refusal !== undefined) {
          const { reason } = workBoard.apiCall.deny.find((rule) => refusal.includes(rule.reason))!
          expect(outcome).toMatchObject({
            ok: false,
            failure: { code: 'not_allowed', message: expect.stringContaining(reason) },
          })
          expect(provider.seen).toEqual([])
          continue
        }
        expect([outcome.ok || outcome.failure, outcome.meta.unlisted]).toEqual([true, undefined])
        expect(provider.seen).toHaveLength(1)
        const { method, url, body } = provider.seen[0]!
        const sent = new URL(url, provider.origin)
        expect([method, sent.pathname]).toEqual([call.method, call.path])
        const query = Object.entries(call.query ?? {}).flatMap(([name, value]) =>
          (Array.isArray(value) ? value : [value]).map((item) => [name, String(item)]),
        )
        expect([...sent.searchParams]).toEqual(query)
        expect(body === '' ? undefined : JSON.parse(body)).toEqual(call.body)
      }
    },
  )
})

describe('in the sandbox', async () => {
  const world = await openOAuthWorld()
  beforeAll(async () => {
    const { key, token } = world.sandbox.board.credentials
    await world.pack.connections.create(caller, {
      integration: 'work-board',
      type: 'key-token',
      name: 'Sandbox',
      secrets: { key, token },
    })
  })

  it('reaches every operation that it has', async () => {
    const { pick } = seeded(14)
    const reached: string[] = []
    for (const operation of operations.filter((candidate) => refusalOf(candidate) === undefined)) {
      const requiredParameters = operation.parameters.filter(([, { required }]) => required)
      const outcome = await world.pack.steps.run(caller, {
        integration: 'work-board',
        step: 'api-call',
        input: callOf(operation, requiredParameters, pick),
      })
      expect([operation.name, outcome.ok || outcome.failure]).toEqual([operation.name, true])
      const { body } = (outcome as { value: { body: unknown } }).value
      if (!(typeof body === 'string' && body.startsWith('Cannot '))) reached.push(operation.name)
    }
    // As many as it has routes for; the others answer "Cannot GET …", as the board's router does.
    expect(reached.length).toBeGreaterThan(90)
  })
})

describe('a wrong call', () => {
  const wrong = (count: number): WrongCall[] => {
    const random = seeded(2026)
    const open = operations.filter((operation) => refusalOf(operation) === undefined)
    const cases: WrongCall[] = []
    while (cases.length < count) {
      const made = wrongCallOf(random.pick(open), (['type', 'place', 'name'] as const)[cases.length % 3]!, random)
      if (made) cases.push(made)
    }
    return cases
  }

  it('is refused before it is sent, with the field named: 1,000 of them', async () => {
    const cases = wrong(1000)
    for (const { call, kind, field } of cases) {
      const failure = await failureOf(call)
      expect([call, kind, failure?.code, failure?.errors?.map(({ pointer }) => pointer)]).toEqual([
        call,
        kind,
        'invalid_input',
        [field],
      ])
    }
    expect(provider.seen).toEqual([])
    expect(new Set(cases.map(({ call }) => `${call.method} ${call.path}`)).size).toBeGreaterThan(100)
  })

  it('goes out as it is where that is asked for', async () => {
    const cases = wrong(60).filter(
      ({ call }) =>
        !(call.method === 'GET' && call.body) &&
        !Object.values(call.query ?? {}).some((value) => typeof value === 'object'),
    )
    for (const { call } of cases)
      expect(await metaOf({ ...call, strict: false })).toEqual({ ok: true, warnings: undefined, unlisted: undefined })
    expect(provider.seen).toHaveLength(cases.length)
    expect(cases.length).toBeGreaterThan(30)
  })
})

describe('a mistake that its caller can mend', () => {
  const card = '/1/cards/5abbe4b7ddc1b351ef961414'
  it.each<[string, Record<string, unknown>, pointers: string[], words: string[]]>([
    ['a method in lower case', { method: 'get', path: card }, ['/method'], ['"GET"']],
    [
      'a query in the path',
      { method: 'GET', path: `${card}?fields=name&list=true` },
      ['/path'],
      ['"fields", "list"', '"query"'],
    ],
    ['no prefix', { method: 'GET', path: card.slice(2) }, ['/path'], [`"${card}"`]],
    ['no prefix and no first "/"', { method: 'GET', path: card.slice(3) }, ['/path'], [`"${card}"`]],
    ['a prefix without its "/"', { method: 'GET', path: card.slice(1) }, ['/path'], [`"${card}"`]],
    ['a name in braces', { method: 'PUT', path: '/1/cards/{id}', body: { name: 'x' } }, ['/path'], ['"{id}"']],
    ['a name after a colon', { method: 'GET', path: '/1/boards/:id/lists' }, ['/path'], ['":id"']],
    [
      'all of them',
      { method: 'put', path: '/cards/{id}?name=x' },
      ['/method', '/path', '/path', '/path'],
      ['"PUT"', '"name"', '"{id}"', '"/1/cards/x"'],
    ],
    [
      'a mistake and a wrong parameter',
      { method: 'put', path: card, body: { closed: 'perhaps' } },
      ['/method', '/body/closed'],
      ['true or false'],
    ],
    [
      'a parameter of the path in the body',
      { method: 'PUT', path: card, body: { id: 'x', name: 'y' } },
      ['/body/id'],
      ['part of the path'],
    ],
    ['another case', { method: 'PUT', path: card, body: { IDLIST: 'x' } }, ['/body/IDLIST'], ['"idList"']],
    ['snake case', { method: 'PUT', path: card, body: { id_list: 'x' } }, ['/body/id_list'], ['"idList"']],
  ])('%s is said', async (_, input, pointers, words) => {
    const failure = await failureOf(input)
    expect([failure?.code, failure?.errors?.map(({ pointer }) => pointer)]).toEqual(['invalid_input', pointers])
    for (const word of words) expect(failure?.message).toContain(word)
    expect(provider.seen).toEqual([])
  })

  it.each<[string, Record<string, unknown>]>([
    ['in lower case', { method: 'post', path: '/1/webhooks', body: {} }],
    ['without prefix', { method: 'GET', path: '/tokens/abc' }],
    ['with a name in braces', { method: 'GET', path: '/1/tokens/{token}' }],
    ['with a query in the path', { method: 'GET', path: '/1/members/me/tokens?webhooks=true' }],
    ['with a credential in the path', { method: 'GET', path: `${card}?key=abc&token=def` }],
    ['with a wrong parameter', { method: 'POST', path: '/1/webhooks', body: { idModle: 'x' } }],
    [
      'with a denied parameter beside a wrong one',
      { method: 'GET', path: '/1/members/me', query: { feilds: 'x', tokens: 'all' } },
    ],
    ['with another prefix', { method: 'GET', path: '/2/things' }],
    ['with a method that is not allowed', { method: 'patch', path: card }],
  ])('does not hide what the policy refuses: %s', async (_, input) => {
    expect(await failureOf(input)).toMatchObject({ code: 'not_allowed' })
    expect(provider.seen).toEqual([])
  })
})

describe('what the board takes', () => {
  const card = '/1/cards/5abbe4b7ddc1b351ef961414'
  it.each<[string, Record<string, unknown>]>([
    [
      'parameters of a write in the query',
      { method: 'PUT', path: card, query: { name: 'x', closed: true, idLabels: 'a,b', due: 'null' } },
    ],
    [
      'parameters of a write in the body',
      { method: 'PUT', path: card, body: { name: 'x', closed: 'false', idLabels: ['a', 'b'], due: null, pos: 7.5 } },
    ],
    ['null and empty text', { method: 'PUT', path: card, body: { idAttachmentCover: null, cover: '', idMembers: '' } }],
    [
      'a colour with a shade',
      { method: 'POST', path: '/1/labels', body: { name: 'x', color: 'green_dark', idBoard: 'y' } },
    ],
    [
      'several words in a filter',
      { method: 'GET', path: '/1/boards/x/actions', query: { filter: ['createCard', 'updateCard'], limit: '50' } },
    ],
    [
      'parameters that its description forgets',
      { method: 'GET', path: '/1/lists/x/cards', query: { fields: 'name,due', limit: 100, before: 'y' } },
    ],
    ['a last "/"', { method: 'POST', path: '/1/boards/', body: { name: 'x' } }],
    ['an id that is a short link', { method: 'GET', path: '/1/cards/Tb5Hn3Qa/list', query: { fields: 'name' } }],
  ])('is sent: %s', async (_, input) => {
    expect(await metaOf(input)).toEqual({ ok: true, warnings: undefined, unlisted: undefined })
    expect(provider.seen).toHaveLength(1)
  })

  it('is sent with a warning where the description does not know it', async () => {
    const input = { method: 'PUT', path: card, body: { isTemplate: true, name: 'x' } }
    expect(await metaOf(input)).toEqual({
      ok: true,
      warnings: [expect.stringContaining('"isTemplate"')],
      unlisted: undefined,
    })
    expect(await metaOf({ method: 'PUT', path: '/1/boards/x/memberships/y', body: { type: 'owner' } })).toMatchObject({
      warnings: [expect.stringContaining('"type"')],
    })
    expect(await metaOf(input, { dryRun: true })).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining('"isTemplate"')],
    })
    expect(provider.seen).toHaveLength(2)
  })

  it('is sent unchecked to an endpoint that is not listed', async () => {
    expect(await metaOf({ method: 'GET', path: '/1/cards/x/undocumented', query: { nme: 'x' } })).toEqual({
      ok: true,
      warnings: undefined,
      unlisted: true,
    })
    expect(await metaOf({ method: 'POST', path: '/1/cards/x', body: {} })).toEqual({
      ok: true,
      warnings: [expect.stringContaining('GET, PUT, DELETE')],
      unlisted: true,
    })
    expect(provider.seen).toHaveLength(2)
  })
})
