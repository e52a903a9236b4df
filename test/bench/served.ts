/**
 * What a served step costs its server, against what a server of the same kind costs that does nothing else: `node
 * test/bench/served.ts`.
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import type { Busy, Kind, Ready } from './served-server.ts'
import { drive, median, report, row, startMock } from './support.ts'

const generations = 7
const width = 32
/** Until the engine has compiled what it is going to compile; a call of MCP is some six times as long as the others. */
const warmUp = { http: 12_000, mcp: 5000 }
const count = { http: 3000, mcp: 1000 }

const list = '000000000000000000000001'
const card = {
  idList: list,
  name: 'Call the printer',
  desc: 'About the second proof',
  due: '2026-12-01T09:00:00.000Z',
  pos: '1',
}
const mcpCall = (name: string, toolArguments: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: toolArguments },
})
const requests: Record<Kind, { path: string; body: object }> = {
  route: { path: '/run', body: { input: card } },
  run: { path: '/v1/steps/work-board/create-card/run', body: { input: card } },
  tool: { path: '/mcp', body: mcpCall('work_board_create_card', card) },
  'empty-tool': { path: '/mcp', body: mcpCall('empty', {}) },
}

const open = async (kind: Kind, provider: string) => {
  const child = fork(fileURLToPath(new URL('./served-server.ts', import.meta.url)), [kind, provider])
  const next = <T>() => new Promise<T>((resolve) => child.once('message', (message) => resolve(message as T)))
  const { port, token } = await next<Ready>()
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: width, pipelining: 1 })
  const { path, body } = requests[kind]
  const text = JSON.stringify(body)
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  }
  const once = async () => {
    const reply = await pool.request({ method: 'POST', path, headers, body: text })
    const answer = await reply.body.text()
    if (reply.statusCode !== 200 || answer.includes('"isError":true'))
      throw new Error(`${kind}: ${reply.statusCode} ${answer.slice(0, 400)}`)
  }
  const busy = async () => {
    const answer = next<Busy>()
    child.send('busy')
    return (await answer).cpuMs
  }
  const speed = path === '/mcp' ? 'mcp' : 'http'
  await drive(width, warmUp[speed], once)
  return {
    async measure() {
      await busy()
      await drive(width, count[speed], once)
      return (await busy()) / count[speed]
    },
    async close() {
      await pool.close()
      child.send('end')
    },
  }
}

const { origin, stop } = await startMock()
const figures: Record<Kind, number[]> = { route: [], run: [], tool: [], 'empty-tool': [] }
for (let generation = 0; generation < generations; generation += 1) {
  for (const kind of Object.keys(figures) as Kind[]) {
    const server = await open(kind, origin)
    figures[kind].push(median([await server.measure(), await server.measure(), await server.measure()]))
    await server.close()
  }
}
stop()
const ratio = (kind: Kind, against: Kind) => median(figures[kind].map((value, at) => value / figures[against][at]!))
report('served', [
  row(
    'POST …/run of the server, CPU against a Fastify route that does one undici request',
    ratio('run', 'route'),
    'x',
    '<= 1.5',
  ),
  row(
    'MCP tools/call of the server, CPU against an empty tool of the MCP library',
    ratio('tool', 'empty-tool'),
    'x',
    '<= 1.3',
  ),
  row(
    'an empty tool of the MCP library, CPU against a Fastify route that does one undici request',
    ratio('empty-tool', 'route'),
    'x',
  ),
  row('CPU of a Fastify route that does one undici request', median(figures.route) * 1000, 'µs'),
])
