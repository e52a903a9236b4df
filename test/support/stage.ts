/** The text that a face returned, with the code of the failure in it, or `ok`. */
export type Said = { code: string; text: string }

/** A pack with every face over a provider whose response a test or a benchmark sets. */
import { tmpdir } from 'node:os'
import { runCommand } from '../../shared/faces/cli/index.ts'
import { createHttp } from '../../shared/faces/http/index.ts'
import { createPack } from '../../shared/pack.ts'
import { startProvider } from './provider.ts'
import { partsOver } from './command-parts.ts'

export const caller = { tenant: 'default' }
export const secret = 'ATTAmarker77e0c3d95b18token'
const call = { method: 'GET', path: '/1/boards/abc' }

const saidOverHttp = (text: string): Said => ({ code: /"code":"(\w+)"/.exec(text.slice(0, 2000))?.[1] ?? 'ok', text })
const saidOverMcp = (text: string): Said => {
  const failure = /"toolyard\/failure":\{[^}]*"code":"(\w+)"/.exec(text)?.[1]
  return { code: failure ?? (text.includes('"error":{"code":') ? 'too_large' : 'ok'), text }
}

export const openStage = async () => {
  let answer = '{}'
  const provider = await startProvider((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer),
  )
  const pack = await createPack({
    wire: { 'work-board': { baseUrl: provider.origin, maxReplyBytes: 10 * 1024 * 1024 } },
    egress: { privateOrigins: [provider.origin] },
  })
  await pack.connections.create(caller, {
    integration: 'work-board',
    type: 'key-token',
    name: 'Board',
    secrets: { key: 'f'.repeat(32), token: secret },
  })
  const http = await createHttp({ pack, version: '0.0.0' })
  const { text: token } = await pack.tokens.create('default', { name: 'Work', scopes: ['run'] })
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
    let [out, err] = ['', '']
    const quiet = new AbortController().signal
    const exit = await runCommand({
      argv: ['run', 'work-board', 'api-call', input, '--json'],
      env: { TOOLYARD_DATA: '/nowhere/toolyard' },
      cwd: tmpdir(),
      version: '1',
      terminal: {
        out: (text) => void (out += text),
        err: (text) => void (err += text),
        readStdin: async () => '',
        width: 80,
        signal: quiet,
      },
      ...partsOver(pack),
    })
    return exit === 0 ? { code: 'ok', text: out } : { code: (JSON.parse(err) as { code: string }).code, text: err }
  }

  return {
    /** Sets the response to all further requests to the provider. */
    answer: (text: string) => void (answer = text),
    /** One read through each face; resolves to what the face returned. */
    reads: {
      library: async (): Promise<Said> => {
        const outcome = await pack.steps.run(caller, { integration: 'work-board', step: 'api-call', input: call })
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
      for (let n = 0; n < 200; n += 1)
        await pack.connections.create(caller, {
          integration: 'anz-data',
          type: 'api-key',
          name: `Account ${n}`,
          secrets: { apiKey: 'anz-key-of-the-test' },
          labels,
        })
      const { text: reader } = await pack.tokens.create('default', { name: 'Reader', scopes: ['connections', 'read'] })
      return async () =>
        (await http.inject({ url: '/v1/connections?limit=200', headers: { authorization: `Bearer ${reader}` } }))
          .payload
    },
    async close() {
      await http.close()
      await pack.close()
      await provider.close()
    },
  }
}
export type Stage = Awaited<ReturnType<typeof openStage>>
