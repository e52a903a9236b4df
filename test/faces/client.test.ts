/** `toolyard/client`, as it is built, against a served pack. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { build } from 'esbuild'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { client as clientBuild } from '../../scripts/build.ts'
import { createClient as fromSource } from '../../shared/faces/client/index.ts'
import type { Client } from '../../shared/faces/client/index.ts'
import { operations } from '../../shared/api/operations/index.ts'
import type { Operation } from '../../shared/api/operation.ts'
import { routes } from '../../manifests/operations.ts'
import { until } from '../support/agent-world.ts'
import { firstList, openHttpWorld } from '../support/http-world.ts'

const face = await openHttpWorld()
let text: string
let createClient: typeof fromSource
let client: Client
let idList: string
beforeAll(async () => {
  const { outputFiles } = await build({ ...clientBuild, write: false })
  text = outputFiles![0]!.text
  const module = (await import(`data:text/javascript,${encodeURIComponent(text)}`)) as {
    createClient: typeof fromSource
  }
  createClient = module.createClient
  client = createClient({ address: await face.listen(), token: face.token })
  idList = (await firstList(face)).list.id
})

/** The value of an answer; a failure fails the test. */
const valueOf = <T>(result: { ok: true; value: T } | { ok: false; failure: unknown }): T => {
  if (!result.ok) throw new Error(JSON.stringify(result.failure))
  return result.value
}

describe('the file', () => {
  it('is small, and needs neither the server nor a module of Node', () => {
    expect(text.length).toBeLessThan(64_000)
    expect(text).not.toMatch(/node:|\brequire\(|\bprocess\.|\bimport\(|^import /m)
    expect(text).not.toMatch(/zod|fastify/i)
  })
})

describe('call', () => {
  it('answers every list as HTTP does', async () => {
    const lists = (Object.values(operations) as Operation[]).filter(
      ({ id, method, path, output }) =>
        // The document names the address that it was asked at.
        id !== 'getOpenApi' && method === 'GET' && !path.includes('{') && output.schema !== undefined,
    )
    expect(lists.length).toBeGreaterThan(30)
    const withoutTimes = (value: unknown) => JSON.stringify(value).replaceAll(/\d{4}-[\d-]+T[\d:.]+Z|\d+/g, '0')
    for (const { id, path } of lists) {
      const result = (await client.call(id as 'listRuns')) as { ok: boolean; value: unknown; failure: { code: string } }
      const { status, json } = await face.ask(path)
      if (status === 200) expect(withoutTimes(result.value), id).toBe(withoutTimes(json))
      else expect([result.ok, result.failure.code], id).toEqual([false, json.code])
    }
  })

  it('fills path, query and body', async () => {
    const made = valueOf(await client.call('createBudget', { scope: 'tenant', credits: 40, period: 'day' }))
    expect(valueOf(await client.call('getBudget', { id: made.id }))).toMatchObject({ id: made.id, credits: 40 })
    expect(valueOf(await client.call('patchBudget', { id: made.id, credits: 50 }))).toMatchObject({ credits: 50 })
    const budgets = valueOf(await client.call('listBudgets'))
    expect(budgets.items.map(({ id }) => id)).toEqual([made.id])
    expect(await client.call('removeBudget', { id: made.id })).toEqual({ ok: true, value: undefined })
    expect(await client.call('getBudget', { id: made.id })).toMatchObject({
      ok: false,
      failure: { code: 'not_found', retryable: false, actor: 'caller' },
    })
    // A body beside a query.
    await face.pack.tenants.create({ id: 'blue', name: 'Blue' })
    valueOf(await client.call('putPolicy', { tenant: 'blue', limits: { requestsPerSecond: 7 } }))
    expect(valueOf(await client.call('getPolicy', { tenant: 'blue' })).limits).toMatchObject({ requestsPerSecond: 7 })
    expect(valueOf(await client.call('getPolicy', {})).limits).not.toMatchObject({ requestsPerSecond: 7 })
    // A filter several times.
    expect(valueOf(await client.call('listConnections', { label: ['plan:pro', 'team:a'] })).items).toEqual([])
  })

  it('gives text as text, and files and streams as responses', async () => {
    expect(valueOf(await client.call('exportUsage', { by: 'person' }))).toMatch(/^"integration","person"/)
    expect(valueOf(await client.call('getMetrics'))).toContain('toolyard_')
    const content = new TextEncoder().encode('name\nKauri Café\n')
    const stored = valueOf(
      await client.call('createFile', { name: 'Kauri Café.csv', person: 'p-1' }, { content, idempotencyKey: 'file-1' }),
    )
    expect(stored).toMatchObject({ name: 'Kauri Café.csv', size: content.length, person: 'p-1' })
    const small = valueOf(await client.call('createFile', { name: 'a.txt', base64: btoa('a'), expiresInHours: 1 }))
    const download = valueOf(await client.call('downloadFile', { id: stored.id }))
    expect(await download.text()).toBe('name\nKauri Café\n')
    expect(await valueOf(await client.call('downloadFile', { id: small.id })).text()).toBe('a')
    const ending = new AbortController()
    const stream = valueOf(await client.call('stream', {}, { signal: ending.signal }))
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/)
    ending.abort()
  })

  it('returns failures and never throws', async () => {
    const denied = createClient({ address: await face.listen(), token: await face.tokenWith(['read']) })
    expect(await denied.call('createBudget', { scope: 'tenant', credits: 1, period: 'day' })).toMatchObject({
      ok: false,
      failure: { code: 'not_allowed', message: expect.stringMatching(/scope/) },
    })
    const wrong = await client.call('createBudget', { scope: 'tenant', credits: -1, period: 'day' })
    expect(wrong).toMatchObject({ ok: false, failure: { code: 'invalid_input', errors: [{ pointer: '/credits' }] } })
    expect(wrong).not.toHaveProperty('failure.detail')
  })

  it.each<[string, string, object, object, RegExp]>([
    ['an unknown operation', 'readRuns', {}, {}, /no operation "readRuns"/],
    ['a member of every object', 'toString', {}, {}, /no operation "toString"/],
    ['a missing id', 'getRun', {}, {}, /"id" must be a text/],
    ['an id that leads elsewhere', 'removeConnection', { id: '..' }, {}, /"id" must be a text/],
    ['a key that nothing would be done with', 'createConnection', {}, { idempotencyKey: 'a' }, /"idempotencyKey"/],
    ['a file without a name', 'createFile', {}, { content: 'a' }, /"name" of the file is missing/],
  ])('sends nothing with %s', async (_, id, input, options, message) => {
    const send = vi.fn<typeof fetch>()
    const blind = createClient({ address: 'https://toolyard.example', token: 'a', fetch: send })
    const failure = { code: 'invalid_input', message: expect.stringMatching(message), retryable: false }
    expect(await blind.call(id as 'getRun', input as never, options)).toMatchObject({ ok: false, failure })
    expect(send).not.toHaveBeenCalled()
  })
})

describe('run', () => {
  it('has the outcome of the library, once for each key', async () => {
    const card = { integration: 'work-board', step: 'create-card', input: { idList, name: 'Press kit' } } as const
    const made = await client.run({ ...card, idempotencyKey: 'client-1' })
    expect(made).toMatchObject({ ok: true, value: { name: 'Press kit' }, meta: { attempts: 1 } })
    const again = await client.run({ ...card, idempotencyKey: 'client-1' })
    expect(again).toMatchObject({ ok: true, value: { id: made.ok && made.value.id }, meta: { cached: true } })
    const dry = valueOf(await client.call('runStep', { ...card, dryRun: true }))
    expect(dry.output).toMatchObject({ requests: [{ method: 'POST' }], complete: true })
    const failed = await client.run({ integration: 'work-board', step: 'get-card', input: { idCard: 'f'.repeat(24) } })
    const meta = { runId: expect.any(String) }
    expect(failed).toMatchObject({ ok: false, failure: { code: 'not_found' }, meta })
    // Nobody's account is used for somebody else.
    await face.connect('work-board', { person: 'person-3', name: 'Theirs' })
    const theirs = await client.run({ integration: 'work-board', step: 'get-boards', input: {}, person: 'person-3' })
    expect(theirs).toMatchObject({ ok: true, meta: { connection: { name: 'Theirs' } } })
  })

  it('goes on in the background if it may', async () => {
    face.sandbox.board.control.fault({ match: { path: '/1/members/me/boards' }, times: 9, delayMs: 400 })
    const input = { integration: 'work-board', step: 'get-boards', input: {} }
    const begun = valueOf(await client.call('runStep', input, { background: true }))
    const { runId } = begun as { runId: string }
    await until('it has ended', async () => valueOf(await client.call('getRun', { id: runId })).state === 'done')
    face.sandbox.board.control.clearFaults()
  })
})

describe('what is not answered', () => {
  /** A server that answers with these statuses, and then 200; it counts what arrives. */
  const answering = async (...statuses: number[]) => {
    const seen: string[] = []
    const server = createServer((request, reply) => {
      seen.push(`${request.method} ${request.url}`)
      const status = statuses.shift() ?? 200
      reply
        .writeHead(status, { 'content-type': 'application/json', 'retry-after': '0', location: '/elsewhere' })
        .end('{}')
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return { seen, address, close: () => server.close(), client: createClient({ address, token: 'a' }) }
  }

  it('is repeated only where it reads', async () => {
    const { seen, client: busy, close } = await answering(503, 429, 200, 503)
    expect(await busy.call('listRuns')).toMatchObject({ ok: true })
    expect(seen).toEqual(Array(3).fill('GET /v1/runs'))
    expect(await busy.call('cancelRun', { id: 'a' })).toMatchObject({ ok: false, failure: { code: 'bad_reply' } })
    expect(seen.slice(3)).toEqual(['POST /v1/runs/a/cancel'])
    close()
  })

  it('follows no redirect with its token', async () => {
    const { seen, client: moved, close } = await answering(308)
    const failure = { code: 'bad_reply', message: expect.stringContaining('status 308') }
    expect(await moved.call('createFile', { url: 'https://files.example/a' })).toMatchObject({ ok: false, failure })
    expect(seen).toEqual(['POST /v1/files'])
    close()
  })

  it('may have happened where it changes something', async () => {
    const lost = vi.fn<typeof fetch>(async () => Promise.reject(new TypeError('fetch failed')))
    const offline = createClient({ address: 'https://toolyard.example/base/', token: 'a', fetch: lost })
    const write = await offline.call('cancelRun', { id: 'a/b' })
    expect(write).toMatchObject({ failure: { code: 'unreachable', retryable: false, mayHaveHappened: true } })
    expect(lost.mock.calls.map(([request]) => (request as Request).url)).toEqual([
      'https://toolyard.example/base/v1/runs/a%2Fb/cancel',
    ])
    const never = createClient({
      address: 'https://toolyard.example',
      token: 'a',
      fetch: async (request) =>
        new Promise((_, reject) => {
          const { signal } = request as Request
          signal.addEventListener('abort', () => reject(signal.reason as Error))
        }),
    })
    const late = await never.call('listRuns', {}, { timeoutMs: 20 })
    expect(late).toMatchObject({
      failure: { code: 'unreachable', retryable: true, message: expect.stringMatching(/in time/) },
    })
    const cancelled = await never.call('cancelRun', { id: 'a' }, { signal: AbortSignal.timeout(20) })
    expect(cancelled).toMatchObject({ failure: { code: 'cancelled', mayHaveHappened: true } })
  })
})

describe('an answer of something between', () => {
  /** Each answer of a proxy, and what the client says of a write. */
  const through = (answer: (signal: AbortSignal) => Response) =>
    createClient({
      address: 'https://toolyard.example',
      token: 'a',
      fetch: async (request) => answer((request as Request).signal),
    })
  const broken = (end: (controller: ReadableStreamDefaultController) => void) =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('{"a":'))
          end(controller)
        },
      }),
    )

  it.each<[string, (signal: AbortSignal) => Response, object]>([
    ['a page with 502', () => new Response('<html>', { status: 502 }), { code: 'bad_reply', mayHaveHappened: true }],
    ['a page with 200', () => new Response('<html>'), { code: 'bad_reply', mayHaveHappened: true }],
    [
      'a body that breaks off',
      () => broken((controller) => controller.error(new TypeError('terminated'))),
      { code: 'unreachable', mayHaveHappened: true },
    ],
    [
      'a body that never ends',
      (signal) => broken((controller) => signal.addEventListener('abort', () => controller.error(signal.reason))),
      { code: 'unreachable', message: expect.stringMatching(/in time/) },
    ],
  ])('%s: a write may have happened', async (_, answer, failure) => {
    expect(await through(answer).call('cancelRun', { id: 'a' }, { timeoutMs: 50 })).toMatchObject({ failure })
  })

  it('a page with 404: nothing can have happened', async () => {
    const refused = await through(() => new Response('<html>', { status: 404 })).call('cancelRun', { id: 'a' })
    expect(refused).toMatchObject({ failure: { code: 'bad_reply' } })
    expect(refused).not.toMatchObject({ failure: { mayHaveHappened: true } })
  })

  it('is not waited for where an option or a name cannot be sent', async () => {
    const send = vi.fn<typeof fetch>()
    const unsent = createClient({ address: 'https://toolyard.example', token: 'a', fetch: send })
    const call = { integration: 'work-board', step: 'get-boards', input: {}, idempotencyKey: 'schlüssel' } as const
    expect(await unsent.run(call)).toMatchObject({ failure: { code: 'invalid_input' } })
    expect(await unsent.call('cancelRun', { id: '\ud800' })).toMatchObject({ failure: { code: 'invalid_input' } })
    expect(send).not.toHaveBeenCalled()
  })
})

describe('createClient', () => {
  it.each([
    ['address', { address: 'toolyard.example', token: 'a' }],
    ['address', { address: 'file:///etc', token: 'a' }],
    ['address', { address: 'https://a:b@toolyard.example', token: 'a' }],
    ['token', { address: 'https://toolyard.example', token: '' }],
    ['token', { address: 'https://toolyard.example', token: 'a\nb' }],
  ])('refuses an unusable %s', (name, options) => {
    expect(() => createClient(options)).toThrow(new RegExp(`^${name}: `))
  })
})

it('has a route for each operation of the contract', () => {
  const all = Object.values(operations) as Operation[]
  expect(Object.entries(routes).map(([id, { method, path }]) => [id, method, path])).toEqual(
    all.map(({ id, method, path }) => [id, method, path]),
  )
})
