/** The text that a face returned, with the code of the failure in it, or `ok`. */
export type Said = { code: string; text: string }

/** A pack with every face over a provider whose response a test or a benchmark sets. */
import { createCloser } from './closing.ts'
import { runLine } from './command-line.ts'
import { serveWorld } from './http-world.ts'
import { startProvider } from './provider.ts'
import { openWorld } from './world.ts'

export const secret = 'ATTAmarker77e0c3d95b18token'
const call = { method: 'GET', path: '/1/boards/abc' }

const saidOverHttp = (text: string): Said => ({ code: /"code":"(\w+)"/.exec(text.slice(0, 2000))?.[1] ?? 'ok', text })
const saidOverMcp = (text: string): Said => {
  const failure = /"toolyard\/failure":\{[^}]*"code":"(\w+)"/.exec(text)?.[1]
  return { code: failure ?? (text.includes('"error":{"code":') ? 'too_large' : 'ok'), text }
}

export const openFacesWorld = async () => {
  const { close, add } = createCloser()
  let answer = '{}'
  const provider = await startProvider((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer),
  )
  add(() => provider.close())
  const world = await openWorld({
    providers: { 'work-board': provider },
    wire: { 'work-board': { maxReplyBytes: 10 * 1024 * 1024 } },
  })
  await world.connect('work-board', { secrets: { key: 'f'.repeat(32), token: secret } })
  const {
    pack,
    http,
    token,
    tokenWith,
    close: closeServed,
  } = await serveWorld(world, {}, { name: 'Work', scopes: ['run'] })
  add(closeServed)
  let keys = 0

  const post = async (url: string, payload: string, headers: Record<string, string> = {}) => {
    const reply = await http.inject({
      method: 'POST',
      url,
      payload,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
    })
    return reply.payload
  }
  const mcp = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'work', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const callTool = (input: string) =>
    post(
      '/mcp',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"work_board_api_call","arguments":${input},"_meta":${JSON.stringify(mcp)}}}`,
      {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'work_board_api_call',
      },
    )
  const run = '/v1/steps/work-board/api-call/run'
  const command = async (input: string): Promise<Said> => {
    const { code, out, err } = await runLine(['run', 'work-board', 'api-call', input, '--json'], { pack })
    return code === 0 ? { code: 'ok', text: out } : { code: (JSON.parse(err) as { code: string }).code, text: err }
  }

  return {
    /** Sets the response to all further requests to the provider. */
    answer: (text: string) => void (answer = text),
    /** One read through each face; resolves to what the face returned. */
    reads: {
      library: async (): Promise<Said> => {
        const outcome = await world.run('work-board/api-call', call)
        return { code: outcome.ok ? 'ok' : outcome.failure.code, text: JSON.stringify(outcome) }
      },
      HTTP: async () => saidOverHttp(await post(run, JSON.stringify({ input: call }))),
      'HTTP with an idempotency key': async () =>
        saidOverHttp(await post(run, JSON.stringify({ input: call }), { 'idempotency-key': `k${(keys += 1)}` })),
      MCP: async () => saidOverMcp(await callTool(JSON.stringify(call))),
      'command line': async () => command(JSON.stringify(call)),
    },
    /** One write whose body contains the text, through HTTP and through MCP. */
    writes: {
      HTTP: async (body: string) =>
        saidOverHttp(
          await post(run, `{"input":{"method":"POST","path":"/1/cards","body":${body}}}`, {
            'idempotency-key': `k${(keys += 1)}`,
          }),
        ),
      MCP: async (body: string) => saidOverMcp(await callTool(`{"method":"POST","path":"/1/cards","body":${body}}`)),
    },
    /**
     * Creates the longest possible page of connections, each with all its labels full; returns a function that reads
     * it.
     */
    async fullPage() {
      const labels = Object.fromEntries(
        Array.from({ length: 50 }, (_, n) => [`${n}`.padEnd(64, 'n'), 'é"\\'.repeat(85)]),
      )
      for (let n = 0; n < 200; n += 1) await world.connect('anz-data', { name: `Account ${n}`, labels })
      const reader = await tokenWith(['connections', 'read'])
      return async () =>
        (await http.inject({ url: '/v1/connections?limit=200', headers: { authorization: `Bearer ${reader}` } }))
          .payload
    },
    close,
  }
}
export type FacesWorld = Awaited<ReturnType<typeof openFacesWorld>>
