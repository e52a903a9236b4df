import { afterAll, describe, expect, it } from 'vitest'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { newClient } from '../support/mcp-world.ts'
import { openSignInWorld, signedInClient } from './world.ts'

const world = await openSignInWorld()
afterAll(() => world.close())
const { address, pack } = world
const tenant = 'default'

/** A stream that is open, and when it ends. */
const opened = (reply: Response) => {
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, expect.stringContaining('event-stream')])
  return { ended: reply.text().then(() => performance.now()) }
}
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'host', version: '1' } },
}

/** The three ways to wait for changes, each with a token. */
const ways = {
  'the events of the API': async (token: string) =>
    opened(await fetch(`${address}/v1/stream`, { headers: { authorization: `Bearer ${token}` } })),
  'a session of MCP': async (token: string) => {
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-06-18',
    }
    const first = await fetch(`${address}/mcp`, { method: 'POST', headers, body: JSON.stringify(initialize) })
    await first.text()
    const session = first.headers.get('mcp-session-id')!
    return opened(await fetch(`${address}/mcp`, { headers: { ...headers, 'mcp-session-id': session } }))
  },
  'changes of MCP': async (token: string) => {
    const client = newClient('2026-07-28')
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', address), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    )
    const { closed } = await client.listen({ resourceSubscriptions: ['toolyard://events/recent'] })
    const ended = closed.then(() => performance.now())
    return { ended: ended.finally(() => client.close()) }
  },
}
const newest = async () => (await pack.grants.list({ tenant }, { limit: 1 })).items[0]!.id
const granted = async (resource: string) => {
  const { access } = await signedInClient(world, { resource: address + resource, scope: 'run read' })
  return { access, id: await newest() }
}
/** Opens all streams, ends what they were opened with, and says how many seconds each took to end. */
const secondsToEnd = async (tokens: Record<keyof typeof ways, string>, end: () => Promise<unknown>) => {
  const streams = await Promise.all(
    Object.entries(ways).map(async ([name, open]) => ({ name, ...(await open(tokens[name as keyof typeof ways])) })),
  )
  await end()
  const from = performance.now()
  return Promise.all(streams.map(async ({ name, ended }) => [name, ((await ended) - from) / 1_000] as const))
}
const expectSoon = (seconds: (readonly [string, number])[]) => {
  for (const [name, took] of seconds) {
    expect(took, name).toBeGreaterThan(0)
    expect(took, name).toBeLessThan(5)
  }
}

describe('streams that wait', () => {
  it('end within five seconds of their grant', async () => {
    const [api, mcp] = [await granted('/v1'), await granted('/mcp')]
    const tokens = { 'the events of the API': api.access, 'a session of MCP': mcp.access, 'changes of MCP': mcp.access }
    expectSoon(
      await secondsToEnd(tokens, () => Promise.all([api, mcp].map(({ id }) => pack.grants.remove({ tenant }, id)))),
    )
  })

  it('end too when something is taken away from their grant', async () => {
    const [api, mcp] = [await granted('/v1'), await granted('/mcp')]
    const tokens = { 'the events of the API': api.access, 'a session of MCP': mcp.access, 'changes of MCP': mcp.access }
    const narrow = ({ id }: { id: string }) => pack.grants.patch({ tenant }, id, { connections: [] })
    expectSoon(await secondsToEnd(tokens, () => Promise.all([api, mcp].map(narrow))))
  })

  it('end with an ordinary token as well', async () => {
    const { text, token } = await pack.tokens.create(tenant, { name: 'Host', scopes: ['run', 'read'] })
    const tokens = { 'the events of the API': text, 'a session of MCP': text, 'changes of MCP': text }
    expectSoon(await secondsToEnd(tokens, () => pack.tokens.revoke(tenant, token.id)))
  })
})
