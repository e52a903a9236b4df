import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openHttpWorld } from '../support/http-world.ts'
import type { Ask, HttpWorld } from '../support/http-world.ts'

let face: HttpWorld
beforeAll(async () => (face = await openHttpWorld()))
afterAll(() => face.close())

const uuid = /^[0-9a-f]{8}-[0-9a-f-]{27}$/
const lines = (request: string) => face.lines.filter((line) => line['request'] === request)

describe('X-Request-Id', () => {
  it.each(['7f9c24e5-1b2a-4f6d-9a51-8e2b0c7d3f10', 'Root=1-67891233-abcdef012345678912345678', 'a'.repeat(128)])(
    'is returned and logged as the caller sent it: %s',
    async (id) => {
      const reply = await face.ask('/v1/connections', { headers: { 'x-request-id': id } })
      expect(reply.headers['x-request-id']).toBe(id)
      expect(lines(id)).toMatchObject([{ event: 'request', route: '/v1/connections', status: 200 }])
    },
  )

  it.each(['', 'a b', 'person@example.com', '{"a":1}', 'ü', 'a'.repeat(129)])(
    'is a new id where the caller sent none, or text that is no id: %j',
    async (id) => {
      const { headers } = await face.ask('/v1/connections', { headers: { 'x-request-id': id } })
      expect(headers['x-request-id']).toMatch(uuid)
      expect(lines(String(headers['x-request-id']))).toHaveLength(1)
      expect(JSON.stringify(face.lines)).not.toContain(JSON.stringify(id === '' ? 'no line has this' : id))
    },
  )

  it.each<[url: string, request: Ask]>([
    ['/v2/nothing', {}],
    ['/v1/connections', { token: 'wrong' }],
    ['/mcp', { method: 'POST', body: {}, token: 'wrong' }],
    ['/v1/%', {}],
  ])('is in the problem that %s answers with', async (url, request) => {
    const { headers, json } = await face.ask(url, { ...request, headers: { 'x-request-id': 'req-1' } })
    expect([headers['x-request-id'], json.requestId]).toEqual(['req-1', 'req-1'])
  })

  it('is in the line of a defect and in its answer', async () => {
    const list = face.pack.connections.list
    face.pack.connections.list = () => Promise.reject(new Error('defect'))
    const { json } = await face.ask('/v1/connections', { headers: { 'x-request-id': 'req-2' } })
    face.pack.connections.list = list
    expect([json.detail, json.requestId]).toEqual([expect.stringContaining('request req-2'), 'req-2'])
    expect(lines('req-2').map(({ event }) => event)).toEqual(['http.defect', 'request'])
  })

  it('of a delivery is taken and returned before the framework and behind it', async () => {
    const address = await face.listen()
    for (const [type, id] of [
      ['application/json', 'req-fast'],
      ['text/plain', 'req-slow'],
    ] as const) {
      const reply = await fetch(`${address}/hooks/work-board/unknown`, {
        method: 'POST',
        headers: { 'content-type': type, 'x-request-id': id },
        body: '{}',
      })
      expect([reply.status, reply.headers.get('x-request-id')]).toEqual([401, id])
      await expect.poll(() => lines(id)).toMatchObject([{ route: '/hooks/:integration/:hookId', status: 401 }])
    }
  })
})

describe('probes', () => {
  it('leave no line when they succeed, and one when they fail', async () => {
    const probeLines = () => face.lines.filter(({ route }) => route === '/livez' || route === '/readyz')
    for (const url of ['/livez', '/readyz'])
      expect([url, (await face.ask(url)).status, probeLines()]).toEqual([url, 200, []])
    await face.pack.leave()
    expect((await face.ask('/readyz')).status).toBe(503)
    expect(probeLines()).toMatchObject([{ level: 'warn', route: '/readyz', status: 503 }])
  })
})
