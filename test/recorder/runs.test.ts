import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import nock from 'nock'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { defineStep, path, z } from '#kit'
import type { ExampleCase, Integration } from '#kit'
import workBoard from '../../integrations/work-board/manifest.ts'
import starter from '../../scripts/starter/manifest.ts'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { createRecorder } from '../../shared/recorder/index.ts'
import { startSandbox } from '../../shared/sandbox/index.ts'
import type { Sandbox } from '../../shared/sandbox/index.ts'
import { replay } from '../contract/replay.ts'
import { stayOffline } from '../support/offline.ts'
import { startProvider } from '../support/provider.ts'

const caller = { tenant: 'default' }
const folderOf = (name: string) => join(fileURLToPath(new URL('../../', import.meta.url)), name)

stayOffline(/^127\.0\.0\.1/)
afterEach(() => nock.cleanAll())

describe('what is recorded at the sandbox', () => {
  let sandbox: Sandbox
  let pack: Pack
  const recorder = createRecorder({ keepsPeople: true })
  const record = async (step: string, input: Record<string, unknown>) =>
    (await recorder.record(pack, caller, { integration: 'work-board', step, input, title: 'Recorded' }))[0]!
  const again = (step: string, exampleCase: ExampleCase) =>
    replay(
      { folder: folderOf('integrations/work-board'), integration: workBoard },
      { step, cases: [exampleCase] },
      exampleCase,
    )

  beforeAll(async () => {
    sandbox = await startSandbox()
    const origins = sandbox.places.map(({ origin }) => origin)
    pack = await createPack({ wire: sandbox.wire, egress: { ownOrigins: origins }, onExchange: recorder.onExchange })
    const { app, ...account } = sandbox.accounts.find(({ integration }) => integration === 'work-board')!
    await pack.apps.put(caller, 'work-board', app!)
    await pack.connections.create(caller, account)
  })
  afterAll(() => Promise.all([pack.close(), sandbox.close()]))

  it('replays in the contract test: a read, a create, an API call', async () => {
    const boards = await record('get-boards', {})
    const [first] = (boards.output as { boards: { id: string }[] }).boards
    const lists = await record('api-call', {
      method: 'GET',
      path: `/1/boards/${first!.id}/lists`,
      query: { fields: 'name' },
    })
    const [list] = (lists.output as { body: { id: string }[] }).body
    const made = await record('create-card', { idList: list!.id, name: 'Press kit' })
    expect(made).toMatchObject({
      title: 'Recorded',
      exchanges: [{ request: { method: 'POST', path: '/1/cards' } }],
      output: { name: 'Press kit' },
    })
    const text = JSON.stringify([boards, lists, made])
    const { key, token } = sandbox.board.credentials
    for (const hidden of [key, token, sandbox.board.origin]) expect(text).not.toContain(hidden)
    await again('get-boards', boards)
    await again('api-call', lists)
    await again('create-card', made)
  })

  it('holds the requests of its own run alone', async () => {
    // Begun before it, so that they end while it runs.
    const otherRuns = Array.from({ length: 5 }, () =>
      pack.steps.run(caller, { integration: 'work-board', step: 'get-boards', input: {} }),
    )
    const recordedCase = await record('get-boards', {})
    await Promise.all(otherRuns)
    expect(recordedCase.exchanges).toHaveLength(1)
  })

  it('is nothing with a connection whose limits add requests', async () => {
    const boards = await record('get-boards', {})
    const [first] = (boards.output as { boards: { id: string }[] }).boards
    const { type, secrets } = sandbox.accounts.find(({ integration }) => integration === 'work-board')!
    await pack.connections.create(caller, {
      integration: 'work-board',
      type,
      name: 'Limited',
      secrets,
      policy: { scopes: [first!.id] },
    })
    const call = { integration: 'work-board', step: 'get-boards', input: {}, title: 'Recorded', connection: 'Limited' }
    await expect(recorder.record(pack, caller, call)).rejects.toMatchObject({
      code: 'not_allowed',
      message: expect.stringContaining('without limits'),
    })
  })

  it('is nothing when the run fails, unless a failure is recorded', async () => {
    const call = {
      integration: 'work-board',
      step: 'create-card',
      input: { idList: 'f'.repeat(24), name: 'x' },
      title: 'No such list',
    }
    await expect(recorder.record(pack, caller, call)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('add --failing'),
    })
    const [failed] = await recorder.record(pack, caller, { ...call, fails: true })
    expect(failed).toMatchObject({
      exchanges: [{ request: { method: 'POST' }, reply: { status: 404 } }],
      failure: { code: 'not_found', providerStatus: 404 },
    })
    expect(failed).not.toHaveProperty('output')
    await again('create-card', failed!)
    await expect(
      recorder.record(pack, caller, { ...call, step: 'get-boards', input: {}, fails: true }),
    ).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('Leave out --failing') })
  })
})

describe('what is recorded', () => {
  const secret = 'tok_aB3dE5fG7hJ9'
  const runAll = async (
    answer: (request: { url: string; origin: string }) => {
      body: unknown
      headers?: Record<string, string>
      status?: number
    },
    {
      step = 'list-items',
      input = { limit: 2 } as Record<string, unknown>,
      integration = starter as Integration,
      wire = {},
      more = {} as { pages?: number; fails?: boolean },
    } = {},
  ) => {
    const provider = await startProvider((request, response) => {
      const {
        body,
        headers,
        status = 200,
      } = request.url === '/v1/me'
        ? { body: { id: 'acc_1', name: 'Ada' } }
        : answer({ url: request.url!, origin: `http://${request.headers.host}` })
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(JSON.stringify(body))
    })
    const recorder = createRecorder()
    const pack = await createPack({
      integrations: [integration],
      wire: { starter: { baseUrl: provider.origin, uploadOrigins: [provider.origin], ...wire } },
      egress: { privateOrigins: [provider.origin] },
      onExchange: recorder.onExchange,
    })
    try {
      await pack.connections.create(caller, {
        integration: 'starter',
        type: 'token',
        name: 'Ada',
        secrets: { token: secret },
      })
      return await recorder.record(pack, caller, { integration: 'starter', step, input, title: 'Recorded', ...more })
    } finally {
      await pack.close()
      await provider.close()
    }
  }
  const run = async (...call: Parameters<typeof runAll>) => (await runAll(...call))[0]!
  const item = (more: object = {}) => ({
    id: 'item_0001',
    name: 'Milk',
    created_at: '2026-03-02T10:00:00Z',
    created_by: 'acc_1',
    ...more,
  })
  const again = (exampleCase: ExampleCase, step = 'list-items', integration: Integration = starter) =>
    replay({ folder: folderOf('scripts/starter'), integration }, { step, cases: [exampleCase] }, exampleCase)

  it('has the documented address in place of the one in use, and of headers those that matter', async () => {
    const headers = { etag: '"a"', 'x-request-id': 'r1', server: 'x' }
    const recordedCase = await run(({ url }) => ({ body: { items: [item({ page: url })], next: 'c2' }, headers }))
    expect(recordedCase.exchanges).toEqual([
      {
        request: { method: 'GET', path: '/v1/items', query: { limit: '2' } },
        reply: {
          status: 200,
          headers: { etag: '"a"' },
          body: { items: [item({ page: '/v1/items?limit=2' })], next: 'c2' },
        },
      },
    ])
    await again(recordedCase)
  })

  it('has the documented address in a Link header and in the cursor made of it', async () => {
    const { paging } = await import('../../scripts/starter/wire.ts')
    const saved = { ...paging }
    Object.assign(paging, { style: 'link' })
    try {
      const recordedCase = await run(({ origin }) => ({
        body: { items: [item()] },
        headers: { link: `<${origin}/v1/items?page=2>; rel="next"` },
      }))
      expect(recordedCase.exchanges[0]!.reply.headers).toEqual({
        link: '<https://api.starter.example/v1/items?page=2>; rel="next"',
      })
      await again(recordedCase)
    } finally {
      Object.assign(paging, saved)
    }
  })

  it('is nothing with a request to an address that the provider gave, which may hold a secret', async () => {
    const upload = defineStep({
      id: 'upload',
      title: 'Upload',
      purpose: 'Uploads a text in two steps.',
      effect: 'create',
      input: z.strictObject({}),
      output: z.object({}),
      async run(ctx) {
        const { address } = (await ctx.send({ method: 'GET', path: path`/v1/uploads` })) as { address: string }
        await ctx.send({ method: 'PUT', path: path`/upload`, address, body: 'a', bodyAs: 'text' })
        return {}
      },
    })
    const recordedCase = run(({ origin }) => ({ body: { address: `${origin}/put?sig=x` } }), {
      step: 'upload',
      input: {},
      integration: { ...starter, steps: [...starter.steps, upload] },
    })
    await expect(recordedCase).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('an address that the provider gave'),
    })
  })

  it('has stand-ins for people, the same in input, requests, replies and output', async () => {
    const recordedCase = await run(
      () => ({ body: item({ name: 'For Ada Lindqvist', owner: { name: 'Ada Lindqvist', email: 'ada@acme.test' } }) }),
      { step: 'create-item', input: { name: 'For Ada Lindqvist' } },
    )
    expect(JSON.stringify(recordedCase)).not.toMatch(/Lindqvist|acme/)
    expect(recordedCase).toMatchObject({
      input: { name: 'For Odette Vane' },
      exchanges: [{ request: { body: { name: 'For Odette Vane' } } }],
      output: { owner: { name: 'Odette Vane', email: 'odettevane@example.com' } },
    })
    await again(recordedCase, 'create-item')
  })

  it('has an example for each page, and people are the same on all', async () => {
    const pages = await runAll(
      ({ url }) => {
        const next = url.includes('cursor=c2') ? null : 'c2'
        return { body: { items: [item({ owner: { name: next ? 'Ada Lindqvist' : 'Bo Ek' }, by: 'Bo Ek' })], next } }
      },
      { more: { pages: 5 } },
    )
    expect(pages.map(({ title }) => title)).toEqual(['Recorded', 'Recorded, page 2'])
    expect(pages[1]!.exchanges[0]!.request.query).toEqual({ limit: '2', cursor: 'c2' })
    const [{ items: first }, { items: second }] = pages.map(({ output }) => output as { items: { by: string }[] }) as [
      { items: { by: string }[] },
      { items: { by: string }[] },
    ]
    expect(first[0]!.by).toBe(second[0]!.by)
    expect(JSON.stringify(pages)).not.toMatch(/Lindqvist|Bo Ek/)
    for (const page of pages) await again(page)
  })

  it('is no failure that was repeated, since how often depends on what was sent before', async () => {
    await expect(
      run(() => ({ status: 503, body: { message: 'later' } }), { more: { fails: true } }),
    ).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('Record a refusal that is final') })
  })

  it('has no credential: one that is sent back, and one under a name that holds some', async () => {
    const recordedCase = await run(() => ({
      body: {
        items: [item({ echo: `Bearer ${secret}`, api_key: 'k-of-another', nested: { password: 'p' } })],
        next: null,
      },
    }))
    expect(JSON.stringify(recordedCase)).not.toMatch(/tok_aB3dE5fG7hJ9|k-of-another|"p"/)
    expect(recordedCase.output).toMatchObject({ items: [{ api_key: '***', nested: { password: '***' } }] })
    await again(recordedCase)
  })

  it('has no address that lets in whoever has it, and the next page is still read by its own', async () => {
    const signature = 'a1b2c3d4e5f60718293a4b5c'
    const file = `https://files.example/a.pdf?X-Amz-Credential=AB%2F20260302&X-Amz-Expires=60&X-Amz-Signature=${signature}`
    const { paging } = await import('../../scripts/starter/wire.ts')
    const saved = { ...paging }
    Object.assign(paging, { style: 'link' })
    try {
      const pages = await runAll(
        ({ origin, url }) => ({
          body: {
            items: [item({ file, note: `Or ${file.replace('X-Amz-Signature', 'sig')} (see [it](x?token=tok))` })],
          },
          headers: url.includes('token=')
            ? {}
            : { link: `<${origin}/v1/items?token=${signature}%2F1&page=2>; rel="next"` },
        }),
        { more: { pages: 2 } },
      )
      expect(JSON.stringify(pages)).not.toMatch(/a1b2c3d4|20260302|token=tok/)
      expect(pages[0]!.output).toMatchObject({
        items: [
          {
            file: 'https://files.example/a.pdf?X-Amz-Credential=***&X-Amz-Expires=60&X-Amz-Signature=***',
            note: expect.stringContaining('Expires=60&sig=*** (see [it](x?token=***))'),
          },
        ],
      })
      expect(pages[1]!.exchanges[0]!.request.query).toMatchObject({ token: '***', page: '2' })
      for (const page of pages) await again(page)
    } finally {
      Object.assign(paging, saved)
    }
  })

  it('has no credential that goes into query or body', async () => {
    // Testing a connection is a GET, which has no body.
    const integration = {
      ...starter,
      connections: starter.connections.map(({ test: _, identify: __, ...type }) => type),
    }
    for (const place of ['query', 'body']) {
      const wire = { auth: { token: { place, fields: { api_key: '{token}' } } } }
      const [step, input] = place === 'query' ? ['list-items', { limit: 2 }] : ['create-item', { name: 'Milk' }]
      const recordedCase = await run(() => ({ body: place === 'query' ? { items: [item()], next: null } : item() }), {
        step,
        input,
        wire,
        integration,
      })
      expect(JSON.stringify(recordedCase)).not.toContain('api_key')
      expect(recordedCase.exchanges[0]!.request).toMatchObject(
        place === 'query' ? { query: { limit: '2' } } : { body: { name: 'Milk' } },
      )
    }
  })

  it.each([
    ['the secret in the input', { name: `for ${secret}` }, {}],
    ['the secret in the input, in another form', { name: Buffer.from(secret).toString('base64') }, {}],
    ['a key of another provider in the reply', { name: 'x' }, { note: 'AKIAABCDEFGHIJKLMNOP' }],
  ])('is refused with %s', async (_, input, more) => {
    await expect(run(() => ({ body: item(more) }), { step: 'create-item', input })).rejects.toMatchObject({
      code: 'not_allowed',
      message: expect.stringContaining('nothing was recorded'),
    })
  })
})
