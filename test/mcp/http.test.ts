import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { call, connect, eras, failureOf, openMcpWorld, withClient } from '../support/mcp-world.ts'
import type { Result } from '../support/mcp-world.ts'
import { caller } from '../support/world.ts'
import { listedTools, coreTools, integrationIds } from '../support/shipped.ts'

const world = await openMcpWorld()

type Sent = {
  method?: string
  path?: string
  token?: string | null
  headers?: Record<string, string>
  body?: unknown
  raw?: string
}

/** A request with headers that fetch would not send as told. */
const send = ({ method = 'POST', path = '/mcp', token = world.token, headers = {}, body, raw }: Sent) =>
  new Promise<{ status: number; headers: Record<string, string>; text: string; json: any }>((done, failed) => {
    const { hostname, port } = new URL(world.address)
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const all = {
      accept: 'application/json, text/event-stream',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    }
    const outgoing = request({ hostname, port, method, path, headers: all }, (reply) => {
      let text = ''
      reply
        .setEncoding('utf8')
        .on('data', (part: string) => (text += part))
        .on('end', () => {
          const json = /json/.test(reply.headers['content-type'] ?? '') ? JSON.parse(text) : undefined
          done({ status: reply.statusCode!, headers: reply.headers as Record<string, string>, text, json })
        })
    })
    outgoing.on('error', failed).end(payload)
  })

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: envelope } }
const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
}
const names = (tools: { name: string }[]) => tools.map(({ name }) => name)

describe('who asks', () => {
  it('is informed how to ask for access when no token, or a wrong one, is sent', async () => {
    const none = await send({ token: null, body: list, headers: modern })
    expect(none.status).toBe(401)
    expect(none.headers['www-authenticate']).toBe(
      `Bearer realm="toolyard", resource_metadata="${world.address}/.well-known/oauth-protected-resource/mcp"`,
    )
    expect(none.json).toMatchObject({ code: 'unauthenticated' })
    const wrong = await send({ token: 'ty_wrong', path: '/mcp/anz-data', body: list, headers: modern })
    expect(wrong.headers['www-authenticate']).toContain('error="invalid_token", resource_metadata="')
    expect(wrong.headers['www-authenticate']).toContain('/.well-known/oauth-protected-resource/mcp/anz-data"')
    await expect(connect(world, '2026-07-28', { token: 'ty_wrong' })).rejects.toThrow()
  })

  it('finds the metadata of the protected resource without a token', async () => {
    for (const [path, resource] of [
      ['', '/mcp'],
      ['/mcp', '/mcp'],
      ['/mcp/work-board', '/mcp/work-board'],
    ]) {
      const { status, json } = await send({
        method: 'GET',
        token: null,
        path: `/.well-known/oauth-protected-resource${path}`,
      })
      expect([status, json]).toEqual([
        200,
        {
          resource: `${world.address}${resource}`,
          resource_name: 'toolyard',
          bearer_methods_supported: ['header'],
          scopes_supported: ['run', 'read'],
        },
      ])
    }
    expect(
      (await send({ method: 'GET', token: null, path: '/.well-known/oauth-protected-resource/mcp/nothing' })).status,
    ).toBe(404)
  })

  it('needs a token that may use tools', async () => {
    const { text: token } = await world.pack.tokens.create('default', { name: 'Keys only', scopes: ['connections'] })
    const { status, headers } = await send({ token, body: list, headers: modern })
    expect([status, headers['www-authenticate']]).toEqual([
      403,
      expect.stringContaining('error="insufficient_scope", scope="run"'),
    ])
  })

  it.each(eras)('sees what its token may use, and no more (%s)', async (era) => {
    const accounts = await world.pack.connections.list(caller)
    const of = (integration: string) => accounts.find((account) => account.integration === integration)!.id
    const listFor = async (newToken: Parameters<typeof world.pack.tokens.create>[1]) => {
      const { text: token } = await world.pack.tokens.create('default', newToken)
      return withClient(
        world,
        era,
        async (client) => ({
          tools: (await client.listTools()).tools,
          resources: (await client.listResources()).resources.filter(({ name }) => name !== 'events'),
          denied: await call(client, 'work_board_get_boards').catch((error: Error) => error.message),
        }),
        { token },
      )
    }
    const steps = await listFor({ name: 'Steps', steps: ['anz-data/people-search', 'work-board/get-card'] })
    expect(names(steps.tools)).toEqual(['anz_data_people_search', 'work_board_get_card'])
    expect(steps.denied).toContain('There is no tool "work_board_get_boards" here.')
    const reader = await listFor({ name: 'Reader', scopes: ['read'] })
    expect([reader.tools, names(reader.resources)[0]]).toEqual([[], 'connections'])
    const runner = await listFor({ name: 'Runner', scopes: ['run'] })
    expect([names(runner.tools), names(runner.resources)]).toEqual([
      [...listedTools, 'find_tools'],
      integrationIds.map((id) => `integration-${id}`),
    ])
    const bound = await listFor({ name: 'Bound', connections: [of('anz-data')] })
    expect(names(bound.tools)).toEqual([...coreTools('anz-data'), 'find_tools'])
    for (const { inputSchema } of bound.tools) expect(inputSchema.properties).not.toHaveProperty('connection')
    expect(failureOf(bound.denied as Result)).toMatchObject({ code: 'not_connected' })
    const several = await listFor({ name: 'Several', connections: [of('anz-data'), of('work-board')] })
    expect(names(several.tools)).toEqual([...coreTools('anz-data'), ...coreTools('work-board'), 'find_tools'])
  })

  it('of another tenant has nothing of the first', async () => {
    await world.pack.tenants.create({ id: 'other', name: 'Other' })
    const { text: token } = await world.pack.tokens.create('other', { name: 'Other' })
    await withClient(
      world,
      '2025-11-25',
      async (client) => {
        expect(failureOf(await call(client, 'work_board_get_boards'))).toMatchObject({ code: 'not_connected' })
        expect(
          JSON.parse(
            ((await client.readResource({ uri: 'toolyard://connections' })).contents[0] as { text: string }).text,
          ),
        ).toEqual([])
      },
      { token },
    )
  })
})

describe('where it is asked', () => {
  it.each(eras)('an address of one integration shows only its tools (%s)', (era) =>
    withClient(
      world,
      era,
      async (client) => {
        expect(names((await client.listTools()).tools)).toEqual([...coreTools('anz-data'), 'find_tools'])
        expect(client.getInstructions()).not.toContain('work_board')
        expect(names((await client.listResources()).resources).filter((name) => name !== 'events')).toEqual([
          'connections',
          'integration-anz-data',
        ])
      },
      { path: '/mcp/anz-data' },
    ),
  )

  it.each(eras)('an allow-list shows only what is on it (%s)', (era) =>
    withClient(
      world,
      era,
      async (client) => {
        expect(names((await client.listTools()).tools)).toEqual(['anz_data_people_search', 'work_board_get_boards'])
        expect((await call(client, 'work_board_get_boards')).isError ?? false).toBe(false)
        await expect(call(client, 'work_board_get_card')).rejects.toThrow('There is no tool')
      },
      { path: '/mcp?tools=work_board_get_boards,anz_data_people_search' },
    ),
  )

  it('says so when an integration or a tool is not there', async () => {
    expect(await send({ path: '/mcp/nothing', body: list, headers: modern })).toMatchObject({
      status: 404,
      json: { code: 'not_found' },
    })
    const { status, json } = await send({ path: '/mcp?tools=work_board_fly', body: list, headers: modern })
    expect([status, json.code]).toEqual([400, 'invalid_input'])
    expect(json.detail).toContain('work_board_fly')
    expect(await send({ path: '/mcp/anz-data?set=read', body: list, headers: modern })).toMatchObject({
      status: 400,
      json: {
        code: 'invalid_input',
        detail: 'There is no tool set "read". There are: core, all.',
        errors: [{ pointer: '/query/set' }],
      },
    })
  })
})

describe('pages of strangers', () => {
  it.each([
    ['a host name of theirs', { host: 'evil.example:80' }],
    ['a host that is none', { host: 'a b' }],
    ['an origin of theirs', { origin: 'https://evil.example' }],
    ['no origin to speak of', { origin: 'null' }],
  ])('are refused: %s', async (_, headers) => {
    const { status } = await send({ body: list, headers: { ...modern, ...(headers as Record<string, string>) } })
    expect([400, 403]).toContain(status)
    const hand = await send({ body: hello, headers: headers as Record<string, string> })
    expect([400, 403]).toContain(hand.status)
  })

  it.each([
    { host: 'localhost:8750' },
    { host: '[::1]:8750' },
    { host: '192.168.1.7' },
    { host: 'toolyard' },
    { origin: 'http://localhost:6274' },
    { host: 'tools.internal:1', origin: 'http://tools.internal:1' },
  ])('%o', async (headers) => {
    const { status } = await send({ body: list, headers: { ...modern, ...(headers as Record<string, string>) } })
    expect(status).toBe('host' in headers && headers.host.startsWith('tools.') ? 403 : 200)
  })
})

describe('what is sent', () => {
  it('is refused with an error of the protocol when it is not JSON', async () => {
    expect(await send({ raw: '{"jsonrpc":' })).toMatchObject({ status: 400, json: { error: { code: -32700 } } })
    expect((await send({ raw: 'a=1', headers: { 'content-type': 'text/plain' } })).status).toBe(415)
    expect(await send({ raw: JSON.stringify({ ...list, pad: 'x'.repeat(2_200_000) }), headers: modern })).toMatchObject(
      {
        status: 413,
        json: { code: 'too_large' },
      },
    )
  })

  it('cannot reach into the prototype of anything', async () => {
    const raw = JSON.stringify({
      ...list,
      method: 'tools/call',
      params: { name: 'work_board_get_boards', arguments: { PLACE: { polluted: true } }, _meta: envelope },
    }).replace('PLACE', '__proto__')
    const { json } = await send({
      raw,
      headers: { ...modern, 'mcp-method': 'tools/call', 'mcp-name': 'work_board_get_boards' },
    })
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    expect(json.result.structuredContent).toMatchObject({ count: 2 })
  })

  it('by other methods than POST is answered as the protocol says', async () => {
    expect((await send({ method: 'GET' })).status).toBe(405)
    expect((await send({ method: 'PUT', body: {} })).status).toBe(405)
    expect((await send({ method: 'GET', token: null })).status).toBe(401)
  })

  it('is never cached, and is logged without what was sent', async () => {
    const { headers } = await send({ body: list, headers: modern })
    expect(headers['cache-control']).toContain('no-')
    const line = world.lines.findLast(({ route }) => route === '/mcp')!
    expect(line).toMatchObject({ event: 'request', status: 200, tenant: 'default', by: expect.stringMatching(/^tok_/) })
    expect(JSON.stringify(world.lines)).not.toContain(world.token)
  })
})

describe('sessions of the protocol of 2025', () => {
  const open = async () => (await send({ body: hello })).headers['mcp-session-id']!
  const tools = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
  const shake = (token: string) =>
    world.http.inject({
      method: 'POST',
      url: '/mcp',
      payload: hello,
      headers: { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' },
    })

  it('belong to the token that opened them', async () => {
    const id = await open()
    const { text: other } = await world.pack.tokens.create('default', { name: 'Other', steps: ['work-board/get-card'] })
    const mine = await send({ body: tools, headers: { 'mcp-session-id': id } })
    expect(mine.text).toContain('anz_data_people_search')
    const theirs = await send({ body: tools, token: other, headers: { 'mcp-session-id': id } })
    expect(theirs.text).not.toContain('anz_data_people_search')
    expect((await send({ method: 'DELETE', token: other, headers: { 'mcp-session-id': id } })).status).toBe(405)
    expect((await send({ body: tools, headers: { 'mcp-session-id': id } })).status).toBe(200)
  })

  it('that ended are not found; unknown ones are served request by request', async () => {
    const id = await open()
    expect((await send({ method: 'DELETE', headers: { 'mcp-session-id': id } })).status).toBe(200)
    expect((await send({ body: tools, headers: { 'mcp-session-id': id } })).status).toBe(404)
    const other = await send({ body: tools, headers: { 'mcp-session-id': crypto.randomUUID() } })
    expect([other.status, other.text.includes('anz_data_people_search')]).toEqual([200, true])
  })

  it('do not pile up without end', async () => {
    const first = await open()
    for (let index = 0; index < 200; index += 1) await shake(world.token)
    // The oldest one was let go: its stream of notifications is not there any more, its calls are.
    expect((await send({ method: 'GET', headers: { 'mcp-session-id': first } })).status).toBe(405)
    expect((await send({ body: tools, headers: { 'mcp-session-id': first } })).status).toBe(200)
  })

  it('of one tenant are never closed for those of another', async () => {
    await world.pack.tenants.create({ id: 'quiet', name: 'Quiet' })
    const { text: quiet } = await world.pack.tokens.create('quiet', { name: 'Quiet' })
    const id = (await shake(quiet)).headers['mcp-session-id'] as string
    expect(id).toBeDefined()
    await Promise.all(Array.from({ length: 400 }, () => shake(world.token)))
    const held = await send({ method: 'DELETE', token: quiet, headers: { 'mcp-session-id': id } })
    expect(held.status).toBe(200)
  })
})

it('stops at once although clients wait on open streams, and lets a call finish', async () => {
  const mine = await openMcpWorld()
  const legacy = await connect(mine, '2025-11-25')
  const modernClient = await connect(mine, '2026-07-28')
  const { control } = mine.sandbox.board
  control.fault({ match: { path: '/1/members/me/boards' }, delayMs: 300 })
  const before = control.requests().length
  const running = call(modernClient, 'work_board_get_boards')
  await expect.poll(() => control.requests().length).toBeGreaterThan(before)
  const began = performance.now()
  const closed = mine.http.close()
  expect((await running).structuredContent).toMatchObject({ count: 2 })
  await closed
  // With an open stream it would not end at all.
  expect(performance.now() - began).toBeLessThan(20_000)
  await Promise.all([legacy.close(), modernClient.close(), mine.pack.close(), mine.sandbox.close()])
})
