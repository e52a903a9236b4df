import { Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { describe, expect, it, vi } from 'vitest'
import { createTenantQuota } from '../../shared/faces/mcp/tenant-quota.ts'
import { createTransport } from '../../shared/faces/mcp/transport.ts'

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
}
const authInfo = { token: '', clientId: '', scopes: [] }

const openTransport = () => {
  const world = { now: 0, servers: 0 }
  const transport = createTransport({
    factory: async () => {
      // Time in which other handshakes arrive.
      await new Promise((done) => setImmediate(done))
      world.servers += 1
      return new Server({ name: 'test', version: '1' }, { capabilities: {} })
    },
    busFor: () => ({ publish: () => {}, subscribe: () => () => {} }),
    onError: () => {},
    now: () => world.now,
  })
  const send = (tenant: string, method: string, body?: object, headers: Record<string, string> = {}) =>
    transport.serve(
      new Request('http://mcp.internal/mcp', {
        method,
        headers: {
          accept: 'application/json, text/event-stream',
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...headers,
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
      { client: tenant, tenant, authInfo },
      body,
    )
  const open = async (tenant: string) => {
    const response = await send(tenant, 'POST', hello)
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('serverInfo')])
    return response.headers.get('mcp-session-id')
  }
  /** Holds the stream of notifications open, which keeps a session in use. */
  const hold = (tenant: string, id: string) => send(tenant, 'GET', undefined, { 'mcp-session-id': id })
  /** A session that is there refuses a second stream of notifications; without a session there is none at all. */
  const isOpen = async (tenant: string, id: string) => (await hold(tenant, id)).status !== 405
  return { world, transport, open, hold, isOpen }
}
const times = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

describe('MCP sessions', () => {
  it('of a tenant stay within its limit, also when all are opened at once; further clients are served without one', async () => {
    const { open, hold, transport } = openTransport()
    const ids = await times(300, () => open('loud'))
    const opened = ids.filter((id) => id !== null)
    expect(opened.length).toBeLessThanOrEqual(200)
    for (const id of opened) await hold('loud', id)
    // All in use now: there is nothing of its own to close.
    expect(await open('loud')).toBeNull()
    await transport.close()
  })

  it('of a tenant at its limit make room for its own new ones', async () => {
    const { open, isOpen, transport } = openTransport()
    const ids: (string | null)[] = []
    for (let index = 0; index < 210; index += 1) ids.push(await open('loud'))
    expect(ids).not.toContain(null)
    expect([
      await isOpen('loud', ids[0]!),
      await isOpen('loud', ids[9]!),
      await isOpen('loud', ids[10]!),
      await isOpen('loud', ids[209]!),
    ]).toEqual([false, false, true, true])
    await transport.close()
  })

  it('never exceed the limit of the process, and nobody loses one to another tenant', async () => {
    const { open, isOpen, transport } = openTransport()
    const mine = await open('quiet')
    const otherSessions = (await times(1200, (index) => open(`tenant ${index % 12}`))).filter((id) => id !== null)
    expect(otherSessions.length).toBeLessThanOrEqual(999)
    expect(await isOpen('quiet', mine!)).toBe(true)
    // A tenant that arrives at the limit is served without a session.
    expect(await open('late')).toBeNull()
    await transport.close()
  })

  it('whose response was interrupted are idle again, and so can make room', async () => {
    const { open, hold, isOpen, transport } = openTransport()
    const first = await open('loud')
    const broken = new ReadableStream({ pull: () => Promise.reject(new Error('interrupted')) })
    const handle = vi
      .spyOn(WebStandardStreamableHTTPServerTransport.prototype, 'handleRequest')
      .mockResolvedValueOnce(new Response(broken))
    const response = await hold('loud', first!)
    handle.mockRestore()
    await expect(response.text()).rejects.toThrow('interrupted')
    for (let index = 0; index < 200; index += 1) expect(await open('loud')).not.toBeNull()
    expect(await isOpen('loud', first!)).toBe(false)
    await transport.close()
  })

  it('unused for half an hour make room for everybody', async () => {
    const { open, world, transport } = openTransport()
    await times(1000, (index) => open(`tenant ${index % 10}`))
    expect(await open('late')).toBeNull()
    world.now += 31 * 60_000
    expect(await open('late')).not.toBeNull()
    await transport.close()
  })

  it('are limited in all and per tenant; releasing twice counts once', () => {
    const quota = createTenantQuota({ all: 3, perTenant: 2 })
    const [releaseFirst, two] = [quota.acquire('a'), quota.acquire('a')]
    expect([quota.acquire('a'), quota.acquire('b') === undefined, quota.acquire('c')]).toEqual([
      undefined,
      false,
      undefined,
    ])
    releaseFirst!()
    releaseFirst!()
    expect(quota.acquire('a')).toBeDefined()
    expect(quota.acquire('a')).toBeUndefined()
    two!()
    expect(quota.acquire('c')).toBeDefined()
  })
})
