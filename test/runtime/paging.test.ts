import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineStep, eachItem, path, readPage, z } from '#kit'
import type { Json, PagingRule, ProviderRequest } from '#kit'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import type { OpenConnection } from '../../shared/runtime/connections/open-connection.ts'
import { findCharged } from '../../shared/runtime/endpoints/charged-records.ts'
import { createGate } from '../../shared/runtime/gate/gate.ts'
import { createContext } from '../../shared/runtime/steps/context.ts'
import { openSession } from '../../shared/runtime/session/session.ts'
import type { Reply, Wire } from '../../shared/wire/index.ts'
import fourth from '../fixtures/fourth/manifest.ts'
import { fakeClock } from '../support/clock.ts'
import { startProvider } from '../support/provider.ts'
import { growth } from '../support/growth.ts'

const all = Array.from({ length: 7 }, (_, index) => ({ id: index + 1 }))
const apiCall = {
  ...fourth.apiCall,
  deny: [{ path: '/repos/**', query: ['fields=token'], reason: 'Tokens are not for agents.' }],
}
let rule: PagingRule
let items: string | undefined
let request: ProviderRequest

const readStep = defineStep({
  id: 'read-page',
  title: 'Read Page',
  purpose: 'Reads one page.',
  effect: 'read',
  input: z.strictObject({ limit: z.number().optional(), next: z.string().optional() }),
  output: z.looseObject({}),
  run: (ctx, { limit, next }) =>
    readPage(ctx, request, rule, { ...(items === undefined ? {} : { items }), limit, next }),
})
const eachStep = defineStep({
  id: 'read-items',
  title: 'Read Items',
  purpose: 'Reads items of all pages.',
  effect: 'read',
  input: z.strictObject({ max: z.number() }),
  output: z.looseObject({}),
  async run(ctx, { max }) {
    const read: Json[] = []
    for await (const item of eachItem(ctx, request, rule, { ...(items === undefined ? {} : { items }), max }))
      read.push(item)
    return { read }
  },
})
const rawStep = defineStep({
  id: 'raw',
  title: 'Raw',
  purpose: 'Shows an exchange.',
  effect: 'read',
  input: z.strictObject({}),
  output: z.looseObject({}),
  run: (ctx) => ctx.exchange(request),
})

let provider: Awaited<ReturnType<typeof startProvider>>
let pack: Pack
let connection = ''
let answer: (request: IncomingMessage, response: ServerResponse) => void
const caller = { tenant: 'default' }
const run = (step: string, input: Record<string, unknown> = {}): Promise<any> =>
  pack.steps.run(caller, { integration: 'fourth', step, input })
const paramsOf = (request_: { url?: string | undefined }) => new URL(request_.url!, provider.origin).searchParams
const send = (response: ServerResponse, body: unknown, headers: Record<string, string> = {}) => {
  response.writeHead(200, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

beforeEach(async () => {
  items = undefined
  request = { method: 'GET', path: path`/repos/${'north'}/issues`, query: { state: 'all' } }
  provider = await startProvider((incomingRequest, response) => answer(incomingRequest, response))
  pack = await createPack({
    integrations: [{ ...fourth, apiCall, steps: [readStep, eachStep, rawStep] }],
    clock: fakeClock(),
    random: () => 0,
    wire: { fourth: { baseUrl: provider.origin } },
    egress: { privateOrigins: [provider.origin] },
  })
  ;({ id: connection } = await pack.connections.create(caller, {
    integration: 'fourth',
    type: 'api-key',
    name: 'Desk',
    secrets: { apiKey: 'key-of-desk' },
  }))
})
afterEach(async () => {
  await pack.close()
  await provider.close()
})

/** Reads page after page as a caller does. */
const readAll = async (limit?: number) => {
  const pages: number[][] = []
  let next: string | undefined
  do {
    const outcome = await run('read-page', {
      ...(limit === undefined ? {} : { limit }),
      ...(next === undefined ? {} : { next }),
    })
    expect(outcome).toMatchObject({ ok: true })
    pages.push(outcome.value.items.map(({ id }: { id: number }) => id))
    next = outcome.value.next
  } while (next !== undefined && pages.length < 20)
  return pages
}

const sliced = (params: URLSearchParams, from: number) => all.slice(from, from + Number(params.get('per_page')))
/**
 * Pages by number, with the address of the next one under another path, as a provider that names a repository by its id
 * does.
 */
const linked = (incomingRequest: IncomingMessage, response: ServerResponse) => {
  const params = paramsOf(incomingRequest)
  const [number, size] = [Number(params.get('page') ?? 1), Number(params.get('per_page'))]
  const address = `${provider.origin}/repositories/1/issues?per_page=${size}&state=all&page=${number + 1}`
  const link =
    number * size < all.length
      ? { link: `<${provider.origin}/help,a;b>; title="rel=next, x"; rel=help, <${address}>; rel="next last"` }
      : {}
  send(response, sliced(params, (number - 1) * size), link as Record<string, string>)
}

describe('a list in pages', () => {
  it('by Link header: the parameters of the address are used, the path stays that of the step', async () => {
    rule = { style: 'link', size: { parameter: 'per_page', max: 3 } }
    answer = linked
    expect(await readAll()).toEqual([[1, 2, 3], [4, 5, 6], [7]])
    expect(provider.seen.map(({ url }) => url.split('?')[0])).toEqual([
      '/repos/north/issues',
      '/repos/north/issues',
      '/repos/north/issues',
    ])
    expect(paramsOf(provider.seen[2]!).get('page')).toBe('3')
    expect(paramsOf(provider.seen[2]!).getAll('api_key')).toEqual(['key-of-desk'])
  })

  it('by an address in the body', async () => {
    rule = { style: 'next-url', at: 'meta.next' }
    items = 'data'
    answer = (incomingRequest, response) => {
      const after = Number(paramsOf(incomingRequest).get('after') ?? 0)
      send(response, {
        data: all.slice(after, after + 4),
        meta: { next: after + 4 < all.length ? `/repos/north/issues?after=${after + 4}` : null },
      })
    }
    expect(await readAll()).toEqual([
      [1, 2, 3, 4],
      [5, 6, 7],
    ])
  })

  it('by cursor', async () => {
    rule = { style: 'cursor', at: 'next', parameter: 'cursor', size: { parameter: 'per_page', max: 5 } }
    items = 'data'
    answer = (incomingRequest, response) => {
      const [, from] = (paramsOf(incomingRequest).get('cursor') ?? 'c:0').split(':')
      const data = sliced(paramsOf(incomingRequest), Number(from))
      send(response, { data, next: Number(from) + data.length < all.length ? `c:${Number(from) + data.length}` : '' })
    }
    expect(await readAll()).toEqual([
      [1, 2, 3, 4, 5],
      [6, 7],
    ])
  })

  it('by number, the size of the first page kept', async () => {
    rule = { style: 'page', parameter: 'page', first: 0, size: { parameter: 'per_page', max: 4 } }
    answer = (incomingRequest, response) =>
      send(
        response,
        sliced(
          paramsOf(incomingRequest),
          Number(paramsOf(incomingRequest).get('page')) * Number(paramsOf(incomingRequest).get('per_page')),
        ),
      )
    expect(await readAll(3)).toEqual([[1, 2, 3], [4, 5, 6], [7]])
    const { value } = await run('read-page', { limit: 2 })
    expect((await run('read-page', { limit: 4, next: value.next })).value.items).toEqual([{ id: 3 }, { id: 4 }])
  })

  it('by offset', async () => {
    rule = { style: 'offset', parameter: 'skip', size: { parameter: 'per_page', max: 4 } }
    answer = (incomingRequest, response) =>
      send(response, sliced(paramsOf(incomingRequest), Number(paramsOf(incomingRequest).get('skip') ?? 0)))
    expect(await readAll()).toEqual([
      [1, 2, 3, 4],
      [5, 6, 7],
    ])
  })

  it('is read item by item up to a bound, and no page more than needed', async () => {
    rule = { style: 'link', size: { parameter: 'per_page', max: 3 } }
    answer = linked
    expect((await run('read-items', { max: 5 })).value.read).toHaveLength(5)
    expect(provider.seen).toHaveLength(2)
    expect((await run('read-items', { max: 100 })).value.read).toEqual(all)
  })
})

describe('the address of a next page', () => {
  const bad = { ok: false, failure: { code: 'bad_reply' } }

  it.each([
    'https://evil.test/repos/north/issues?page=2',
    '//evil.test/x?page=2',
    'http://user@127.0.0.1/x',
    'javascript:alert(1)',
  ])('%s is not asked: it is of another origin', async (address) => {
    rule = { style: 'link' }
    answer = (_, response) => send(response, all, { link: `<${address}>; rel=next` })
    expect(await run('read-items', { max: 100 })).toMatchObject(bad)
    expect(provider.seen).toHaveLength(1)
  })

  it('cannot set a credential, change what the step asks or lead to another path, also when a caller made it up', async () => {
    rule = { style: 'link' }
    answer = (_, response) => send(response, all)
    const next = Buffer.from(
      JSON.stringify({ at: `${provider.origin}/admin/keys?state=open&api_key=evil&page=2` }),
    ).toString('base64url')
    expect(await run('read-page', { next })).toMatchObject({ ok: true })
    const url = new URL(provider.seen[0]!.url, provider.origin)
    expect([
      url.pathname,
      url.searchParams.getAll('state'),
      url.searchParams.getAll('api_key'),
      url.searchParams.get('page'),
    ]).toEqual(['/repos/north/issues', ['all'], ['key-of-desk'], '2'])
  })

  it('may have parameters that are called like properties of every object', async () => {
    rule = { style: 'link' }
    const address = `${provider.origin}/x?constructor=a&toString=b&__proto__=c&page=2`
    answer = (incomingRequest, response) =>
      send(response, all.slice(0, 1), paramsOf(incomingRequest).has('page') ? {} : { link: `<${address}>; rel=next` })
    expect(await run('read-items', { max: 100 })).toMatchObject({ ok: true, value: { read: [{ id: 1 }, { id: 1 }] } })
    const params = paramsOf(provider.seen[1]!)
    expect([params.getAll('constructor'), params.getAll('toString'), params.get('__proto__')]).toEqual([
      ['a'],
      ['b'],
      null,
    ])
  })

  it('adds no parameter that API Call is denied', async () => {
    rule = { style: 'link' }
    answer = (_, response) => send(response, all)
    for (const added of ['fields=id,token', 'Fields=token', 'fields[]=token']) {
      const next = Buffer.from(
        JSON.stringify({ at: `${provider.origin}/repos/north/issues?page=2&${added}` }),
      ).toString('base64url')
      expect(await run('read-page', { next })).toMatchObject({ ok: false, failure: { code: 'not_allowed' } })
    }
    expect(provider.seen).toHaveLength(0)
    request = { ...request, query: { fields: 'token' } }
    const next = Buffer.from(
      JSON.stringify({ at: `${provider.origin}/repos/north/issues?page=2&fields=token` }),
    ).toString('base64url')
    expect(await run('read-page', { next }), 'what the step itself asks for').toMatchObject({ ok: true })
  })

  it('is found in a header that was made to be slow', async () => {
    const read = (size: number) =>
      readPage({ exchange: async () => ({ status: 200, headers: { link: '<'.repeat(size) }, body: [] }) }, request, {
        style: 'link',
      })
    expect(await growth(16_000, read)).toBeLessThan(9)
  })

  it('that is the same again ends with a failure instead of never', async () => {
    rule = { style: 'link' }
    answer = (_, response) => send(response, [{ id: 1 }], { link: `<${provider.origin}/x?page=2>; rel=next` })
    expect(await run('read-items', { max: 100 })).toMatchObject(bad)
    expect(provider.seen).toHaveLength(2)
  })

  it('a cursor that is none is refused, and so is a reply without a list', async () => {
    rule = { style: 'page', parameter: 'page', size: { parameter: 'per_page', max: 4 } }
    answer = (_, response) => send(response, { data: all })
    for (const next of [
      'x',
      Buffer.from('{"at":"a"}').toString('base64url'),
      Buffer.from('{"at":-1}').toString('base64url'),
    ]) {
      expect(await run('read-page', { next })).toMatchObject({ ok: false, failure: { code: 'invalid_input' } })
    }
    expect(provider.seen).toHaveLength(0)
    expect(await run('read-page')).toMatchObject(bad)
  })
})

describe('an exchange', () => {
  it('gives status and body, of the headers those a handler may need, without secrets', async () => {
    answer = (_, response) =>
      send(
        response,
        {},
        { etag: '"v1"', 'X-Total': '7', 'set-cookie': 'session=1', server: 'desk', 'x-echo': 'key-of-desk' },
      )
    const { value } = await run('raw')
    expect(value).toMatchObject({
      status: 200,
      body: {},
      headers: { etag: '"v1"', 'x-total': '7', 'x-echo': '***', 'content-type': 'application/json' },
    })
    expect(Object.keys(value.headers)).not.toEqual(expect.arrayContaining(['set-cookie']))
    expect(value.headers).not.toHaveProperty('server')
  })

  it('that nothing changed is fine, shows that the connection works, and costs one request', async () => {
    request = { ...request, ifNoneMatch: '"v1"' }
    answer = (incomingRequest, response) =>
      incomingRequest.headers['if-none-match'] === '"v1"' ? void response.writeHead(304).end() : send(response, {})
    expect(await run('raw')).toMatchObject({ ok: true, value: { status: 304, body: null } })
    expect((await pack.connections.get(caller, connection)).state).toBe('connected')
    rule = { style: 'link' }
    expect(await run('read-page')).toMatchObject({ ok: true, value: { items: [], status: 304 } })
    expect(provider.seen).toHaveLength(2)
  })

  it('that nothing changed shows a credential that works, where a status is asked for', async () => {
    const reply: Reply = { status: 304, headers: {}, body: null, json: false, attempts: 1, notModified: true }
    const wire = { exchange: () => Promise.resolve(reply), classify: () => undefined } as unknown as Wire
    const opened = { connection: { state: 'connected' }, account: {}, live: true } as unknown as OpenConnection
    const loaded = createRegistry([fourth]).step('fourth', 'api-call')
    const session = openSession({
      gate: createGate(wire, findCharged),
      clock: fakeClock(),
      guards: 'upkeep',
      loaded,
      opened,
      effect: 'read',
      deadlineAt: Infinity,
    })
    await createContext(session).exchange(request)
    expect(session.used.lastStatus).toBe(200)
  })
})
