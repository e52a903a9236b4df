import { randomBytes } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { openHttpWorld } from '../support/http-world.ts'

let origin: string
const face = await openHttpWorld()
beforeAll(async () => {
  origin = await face.http.listen({ host: '127.0.0.1', port: 0 })
})

const hook = `/hooks/work-board/${randomBytes(24).toString('base64url')}`
const mcp = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
/** One answer of each way out: the framework, its refusals, the way of deliveries before it, and MCP. */
const answers = async () => {
  const authorization = `Bearer ${face.token}`
  const json = { 'content-type': 'application/json', authorization, accept: 'application/json, text/event-stream' }
  const requests = {
    'a read': () => fetch(`${origin}/v1/integrations`, { headers: { authorization } }),
    'a refusal': () => fetch(`${origin}/v1/integrations`),
    'no such address': () => fetch(`${origin}/nowhere`),
    readiness: () => fetch(`${origin}/readyz`),
    'a delivery': () =>
      fetch(`${origin}${hook}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }),
    mcp: () => fetch(`${origin}/mcp`, { method: 'POST', headers: json, body: JSON.stringify(mcp) }),
  }
  const replies: Record<string, { status: number; connection: string | null }> = {}
  for (const [what, ask] of Object.entries(requests)) {
    const reply = await ask()
    await reply.arrayBuffer()
    replies[what] = { status: reply.status, connection: reply.headers.get('connection') }
  }
  return replies
}

it('from the moment a server leaves, every answer closes its connection, so that nothing is sent on one that is about to end', async () => {
  const before = await answers()
  for (const [what, { connection }] of Object.entries(before)) expect([what, connection]).toEqual([what, 'keep-alive'])
  // Asked before, answered after.
  const slow = fetch(`${origin}/v1/integrations`, { headers: { authorization: `Bearer ${face.token}` } })
  await face.pack.leave()
  expect((await slow).status).toBe(200)
  const after = await answers()
  for (const [what, { status, connection }] of Object.entries(after)) {
    expect([what, connection]).toEqual([what, 'close'])
    // Requests are answered as before; only readiness says that others shall have them.
    expect([what, status]).toEqual([what, what === 'readiness' ? 503 : before[what]!.status])
  }
})
