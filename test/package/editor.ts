import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cleanEnv, root } from './installed.ts'

/** A program as somebody writes it; `|` with a name is where the editor is asked. */
const program = `import { createPack } from 'toolyard'
const pack = await createPack()
const caller = { tenant: 'default' }
await pack.steps.run(caller, { integration: '|integration|' })
await pack.steps.run(caller, { integration: 'work-board', step: '|step|', input: {} })
await pack.steps.run(caller, { integration: 'work-board', step: 'create-card', input: { idList: 'a', |input| } })
await pack.subscriptions.create(caller, { integration: 'work-board', trigger: '|trigger|' })
await pack.subscriptions.create(caller, { integration: 'work-board', trigger: 'new-card', config: { |config| } })
`
type Place = { line: number; character: number }
type Reply = { result: { items?: { label: string }[]; contents?: { value: string } } }

/** Where the marks were, by name, and the program without them. */
const readMarks = () => {
  const places: Record<string, Place> = {}
  const lines = program.split('\n').map((text, line) =>
    text.replace(/\|(\w+)\|/, (_, name: string, character: number) => {
      places[name] = { line, character }
      return ''
    }),
  )
  return { places, lines }
}

/** What the compiler's language server offers and shows for a program beside the installed package. */
export const askEditor = async (folder: string) => {
  const server = spawn(join(root, 'node_modules/.bin/tsc'), ['--lsp', '--stdio'], {
    cwd: folder,
    env: cleanEnv(),
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const waiting = new Map<number, (reply: Reply) => void>()
  const send = (message: object) => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }
  let received = Buffer.alloc(0)
  server.stdout.on('data', (part: Buffer) => {
    received = Buffer.concat([received, part])
    for (;;) {
      const start = received.indexOf('\r\n\r\n') + 4
      const end = start + Number(/Content-Length: (\d+)/.exec(received.subarray(0, start).toString())?.[1] ?? NaN)
      if (start < 4 || !(received.length >= end)) return
      const message = JSON.parse(received.subarray(start, end).toString()) as Reply & { id?: number; method?: string }
      received = received.subarray(end)
      if (message.id === undefined) continue
      // What it asks of an editor is not needed here.
      if (message.method !== undefined) send({ id: message.id, result: null })
      else waiting.get(message.id)?.(message)
    }
  })
  const ask = (method: string, params: object) =>
    new Promise<Reply>((done, failed) => {
      const id = waiting.size + 1
      waiting.set(id, done)
      server.once('close', () => failed(new Error(`the language server ended before it answered ${method}`)))
      send({ id, method, params })
    })
  const { places, lines } = readMarks()
  const uri = pathToFileURL(join(folder, 'written.js')).href
  await ask('initialize', { processId: process.pid, rootUri: pathToFileURL(folder).href, capabilities: {} })
  send({ method: 'initialized', params: {} })
  send({
    method: 'textDocument/didOpen',
    params: { textDocument: { uri, languageId: 'javascript', version: 1, text: lines.join('\n') } },
  })
  const offered: Record<string, string[]> = {}
  for (const [name, position] of Object.entries(places)) {
    const { result } = await ask('textDocument/completion', {
      textDocument: { uri },
      position,
      context: { triggerKind: 1 },
    })
    // A name with "?" is that of a field that may be absent.
    offered[name] = (result.items ?? []).map(({ label }) => label.replace('?', ''))
  }
  const line = places.input!.line
  const { result } = await ask('textDocument/hover', {
    textDocument: { uri },
    position: { line, character: lines[line]!.indexOf('idList') + 2 },
  })
  server.kill()
  return { offered, hover: result.contents?.value ?? '' }
}
