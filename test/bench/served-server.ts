/**
 * One server in a process of its own. `route`: a Fastify route that does one undici request; `run`: the served pack
 * with the embedded store; `tool`: the same, called by MCP; `empty-tool`: the MCP library alone with a tool that does
 * nothing.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import type { FastifyInstance } from 'fastify'

export type Kind = 'route' | 'run' | 'tool' | 'empty-tool'
/** Where to send requests, and with which token. */
export type Ready = { port: number; token: string }
/** CPU time since the message before. */
export type Busy = { cpuMs: number }

const [kind, provider] = process.argv.slice(2) as [Kind, string]
const secrets = {
  key: 'b41f7e0c95d2483aa6f1c0e7d39b5528',
  token: 'ATTA9c1de27ab04f8835e6d2c7719fb3a06d4e85c12f7b90ad36e15f84c2b7d9e0a3fC0FFEE1',
}
const authorization = `OAuth oauth_consumer_key="${secrets.key}", oauth_token="${secrets.token}"`

const listen = async (app: FastifyInstance, token = ''): Promise<Ready> => {
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { port: (app.server.address() as AddressInfo).port, token }
}

const route = async () => {
  const { Pool } = await import('undici')
  const pool = new Pool(provider, { connections: 64, pipelining: 1 })
  const app = Fastify()
  app.post('/run', async ({ body }) => {
    const headers = { authorization, 'content-type': 'application/json' }
    const reply = await pool.request({
      method: 'POST',
      path: '/1/cards',
      headers,
      body: JSON.stringify((body as { input: object }).input),
    })
    return { output: await reply.body.json() }
  })
  return listen(app)
}

const served = async () => {
  const { createHttp } = await import('../../shared/faces/http/index.ts')
  const { createPack, openSqliteStore } = await import('../../shared/pack.ts')
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const pack = await createPack({
    wire: { 'work-board': { baseUrl: provider, pace: { limits: [], concurrency: 64 } } },
    egress: { privateOrigins: [provider] },
    store: await openSqliteStore({ directory: folder, now: Date.now }),
    masterKey: Buffer.alloc(32, 1),
  })
  await pack.connections.create(
    { tenant: 'default' },
    { integration: 'work-board', type: 'key-token', name: 'Bench', secrets },
  )
  const { text } = await pack.tokens.create('default', { name: 'Bench' })
  // As it is served: with triggers at work.
  const ready = await listen((await createHttp({ pack, version: '0.0.0' })) as unknown as FastifyInstance, text)
  pack.servedAt(`http://127.0.0.1:${ready.port}`)
  await pack.start()
  return ready
}

const emptyTool = async () => {
  const { McpServer, createMcpHandler, fromJsonSchema } = await import('@modelcontextprotocol/server')
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'empty', version: '0.0.0' })
    server.registerTool(
      'empty',
      { description: 'Does nothing.', inputSchema: fromJsonSchema({ type: 'object' }) },
      async () => ({
        content: [{ type: 'text', text: 'done' }],
      }),
    )
    return server
  })
  const app = Fastify()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  app.post('/mcp', async ({ body, headers }, reply) => {
    const request = new Request('http://mcp.internal/mcp', {
      method: 'POST',
      headers: headers as Record<string, string>,
      body: body as string,
    })
    return reply.send(await handler.fetch(request))
  })
  return listen(app)
}

const ready = await { route, run: served, tool: served, 'empty-tool': emptyTool }[kind]()
let before = process.cpuUsage()
process.on('message', (message) => {
  if (message === 'end') process.exit(0)
  const { user, system } = process.cpuUsage(before)
  before = process.cpuUsage()
  process.send!({ cpuMs: (user + system) / 1000 } satisfies Busy)
})
process.send!(ready)
