import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import type { BoardSandbox } from '../../shared/sandbox/board/index.ts'
import { findIds } from '../sandbox/board-client.ts'
import { startAgent, until } from '../support/agent-world.ts'
import { copyTree } from '../../scripts/copy-tree.ts'
import { addPackage, install, packageJson, root, run, serve } from './installed.ts'
import type { Installed } from './installed.ts'
import { blockOf } from '../docs/pages.ts'
import { listedTools } from '../support/shipped.ts'

/**
 * What README and docs/platforms.md say of each way to install the pack, tried with the installed package and the real
 * hosts and SDKs.
 */
const sdks = join(root, 'test', 'tools', 'node_modules')
let installed: Installed
let board: BoardSandbox
beforeAll(async () => {
  installed = install()
  board = await startBoardSandbox({ timeScale: 0.01 })
  for (const name of ['ai', '@openai/agents', '@langchain/core']) {
    if (!existsSync(join(sdks, name))) throw new Error(`${name} is not installed; npm ci --prefix test/tools`)
    addPackage(installed, name, sdks)
  }
  addPackage(installed, 'fastify')
})
afterAll(async () => {
  await board?.close()
  installed?.remove()
})

type Ran = { code: number | null; out: string; err: string }
const runFile = (file: string, args: string[] = [], env: Record<string, string> = {}) =>
  new Promise<Ran>((done, failed) => {
    const child = spawn(process.execPath, [file, ...args], {
      cwd: installed.folder,
      env: { PATH: process.env.PATH!, HOME: installed.folder, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
    })
    let [out, err] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (part: string) => (out += part))
    child.stderr.setEncoding('utf8').on('data', (part: string) => (err += part))
    child.on('error', failed).on('close', (code) => done({ code, out, err }))
  })

/** A program of the block, with what stands around it in a platform's own code. */
const tryBlock = async (name: string, before: string, after: string): Promise<any> => {
  const { key, token } = board.credentials
  const preamble = `const origin = ${JSON.stringify(board.origin)}, key = ${JSON.stringify(key)}, token = ${JSON.stringify(token)}, idList = ${JSON.stringify(findIds(board).list('Ideas'))}\n`
  writeFileSync(join(installed.folder, `${name}.mts`), `${preamble}${before}\n${blockOf(name)}\n${after}\n`)
  const { code, out, err } = await runFile(`${name}.mts`)
  expect(code, err + out).toBe(0)
  return JSON.parse(out)
}

/** The pack that the SDKs' blocks take for granted. */
const withPack = `
import { createPack, toTools } from 'toolyard'
const caller = { tenant: 'default' }
const pack = await createPack({ wire: { 'work-board': { baseUrl: origin } }, egress: { privateOrigins: [origin] } })
await pack.connections.create(caller, { integration: 'work-board', type: 'key-token', name: 'Team', secrets: { key, token } })
`
const cardName = 'Call the printer'

describe('in an agent SDK, an agent that calls a tool', () => {
  it('AI SDK', async () => {
    const result = await tryBlock(
      'ai-sdk',
      `${withPack}
import { generateText, isStepCount } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'`,
      `
let turn = 0, seen
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
const model = new MockLanguageModelV4({
  doGenerate: async ({ tools, prompt }) => {
    turn += 1
    if (turn === 1) {
      seen = tools
      return { content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'work_board_create_card', input: JSON.stringify({ idList, name: ${JSON.stringify(cardName)} }) }], finishReason: { unified: 'tool-calls' }, usage, warnings: [] }
    }
    const answer = prompt.at(-1).content[0].output.value
    return { content: [{ type: 'text', text: answer.name }], finishReason: { unified: 'stop' }, usage, warnings: [] }
  },
})
const { text, steps } = await generateText({ model, tools, prompt: 'Make a card', stopWhen: isStepCount(3) })
const { inputSchema } = seen.find(({ name }) => name === 'work_board_create_card')
console.log(JSON.stringify({ text, count: seen.length, required: inputSchema.required, steps: steps.length }))
await pack.close()`,
    )
    expect(result).toEqual({ text: cardName, count: listedTools.length, required: ['idList'], steps: 2 })
  })

  it('OpenAI Agents SDK', async () => {
    const result = await tryBlock(
      'openai-agents',
      `${withPack}
import { Agent, Runner } from '@openai/agents'`,
      `
let turn = 0, seen
const model = {
  async getResponse({ tools: offered, input }) {
    turn += 1
    const usage = { requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2, add() {} }
    if (turn === 1) {
      seen = offered
      const empty = Object.fromEntries(offered.find(({ name }) => name === 'work_board_create_card').parameters.required.map((name) => [name, null]))
      return { usage, output: [{ type: 'function_call', callId: 'c1', name: 'work_board_create_card', status: 'completed', arguments: JSON.stringify({ ...empty, idList, name: ${JSON.stringify(cardName)} }) }] }
    }
    const { output } = input.at(-1)
    const { name } = JSON.parse(typeof output === 'string' ? output : output.text)
    return { usage, output: [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: name }] }] }
  },
  async *getStreamedResponse() {},
}
const runner = new Runner({ modelProvider: { getModel: () => model }, tracingDisabled: true })
const { finalOutput } = await runner.run(new Agent({ name: 'Desk', tools }), 'Make a card')
const { strict, parameters } = seen.find(({ name }) => name === 'work_board_create_card')
console.log(JSON.stringify({ text: finalOutput, count: seen.length, strict, closed: parameters.additionalProperties }))
await pack.close()`,
    )
    expect(result).toEqual({ text: cardName, count: listedTools.length, strict: true, closed: false })
  })

  it('LangChain', async () => {
    const result = await tryBlock(
      'langchain',
      withPack,
      `
const create = tools.find(({ name }) => name === 'work_board_create_card')
const message = await create.invoke({ type: 'tool_call', id: 'c1', name: create.name, args: { idList, name: ${JSON.stringify(cardName)} } })
const wrong = await tools.find(({ name }) => name === 'work_board_get_card').invoke({ idCard: 'no such form' })
console.log(JSON.stringify({ text: JSON.parse(message.content).name, call: message.tool_call_id, count: tools.length, code: wrong.failure.code }))
await pack.close()`,
    )
    expect(result).toEqual({ text: cardName, call: 'c1', count: listedTools.length, code: 'invalid_input' })
  })
})

it('the blocks compile as TypeScript against the declarations of the package and of the SDKs', () => {
  const names = ['ai-sdk', 'openai-agents', 'langchain', 'fastify', 'typed', 'store']
  for (const name of names) {
    const head =
      "import { toTools } from 'toolyard'\nimport type { AgentStart, Caller, Pack } from 'toolyard'\ndeclare const pack: Pack, caller: Caller, idList: string\nvoid [toTools, pack, caller, idList]\n"
    // This one makes the pack that the others take for granted.
    const before = name === 'store' ? '' : head
    writeFileSync(join(installed.folder, `${name}.ts`), `${before}${blockOf(name)}\nexport {}\n`)
  }
  const args = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--types',
    'node',
    '--typeRoots',
    join(root, 'node_modules', '@types'),
  ]
  const { code, out } = run(
    join(root, 'node_modules', '.bin', 'tsc'),
    [...args, ...names.map((name) => `${name}.ts`)],
    { cwd: installed.folder },
  )
  expect(code, out).toBe(0)
})

describe('in Node', () => {
  it('from a checkout, as README says', async () => {
    const place = mkdtempSync(join(tmpdir(), 'toolyard-checkout-'))
    const copy = copyTree()
    try {
      renameSync(copy, join(place, 'toolyard'))
      // As npm ci leaves it: the build asks where each file of a package lies.
      const modules = join(place, 'toolyard', 'node_modules')
      rmSync(modules)
      cpSync(join(root, 'node_modules'), modules, { recursive: true, verbatimSymlinks: true })
      mkdirSync(join(place, 'my-platform'))
      const block = blockOf('pack')
      expect(block).toContain(`toolyard-${packageJson.version}.tgz`)
      const made = run('bash', ['-euc', block], { cwd: join(place, 'toolyard') })
      expect(made.code, made.err).toBe(0)
      const program = `${blockOf('node').split('\n')[0]}\nconst pack = await createPack()\nconsole.log(pack.integrations.list().length)\nawait pack.close()`
      writeFileSync(join(place, 'my-platform', 'program.mjs'), program)
      const { code, out, err } = run(process.execPath, ['program.mjs'], { cwd: join(place, 'my-platform') })
      expect([code, out, err]).toEqual([0, '3\n', ''])
    } finally {
      rmSync(place, { recursive: true, force: true })
    }
  }, 300_000)

  it('as a library', async () => {
    // The block makes its pack for the real provider; here it is the sandbox.
    const block = blockOf('node')
    expect(block).toContain('await createPack()')
    const { key, token } = board.credentials
    const text = block.replace(
      'await createPack()',
      `await createPack({ wire: { 'work-board': { baseUrl: origin } }, egress: { privateOrigins: [origin] } })`,
    )
    const preamble = `const origin = ${JSON.stringify(board.origin)}, key = ${JSON.stringify(key)}, token = ${JSON.stringify(token)}, idList = ${JSON.stringify(findIds(board).list('Ideas'))}\n`
    writeFileSync(
      join(installed.folder, 'node.mjs'),
      `${preamble}${text}\nconsole.log(JSON.stringify(outcome))\nawait pack.close()\n`,
    )
    const { code, out, err } = await runFile('node.mjs')
    expect(code, err).toBe(0)
    expect(out).toContain(`name: '${cardName}'`)
    expect(JSON.parse(out.trim().split('\n').at(-1)!)).toMatchObject({ ok: true, value: { name: cardName } })
  })

  it('with a store that outlasts the process', async () => {
    const folder = join(installed.folder, 'kept')
    const { origin, credentials } = board
    // For the sandbox in place of the real provider.
    const options = `{ store, masterKey, wire: { 'work-board': { baseUrl: '${origin}' } }, egress: { privateOrigins: ['${origin}'] } }`
    const block = blockOf('store')
      .replace('/var/lib/my-platform/toolyard', folder)
      .replace('{ store, masterKey }', options)
    const { key, token } = credentials
    const team = { integration: 'work-board', type: 'key-token', name: 'Team', secrets: { key, token } }
    writeFileSync(
      join(installed.folder, 'store.mts'),
      `${block}
const caller = { tenant: 'default' }
const before = await pack.connections.list(caller)
if (before.length === 0) await pack.connections.create(caller, ${JSON.stringify(team)})
const { ok } = await pack.steps.run(caller, { integration: 'work-board', step: 'get-boards', input: {} })
console.log(before.length, ok)
await pack.close()
`,
    )
    expect(await runFile('store.mts')).toEqual({ code: 0, out: '0 true\n', err: '' })
    expect(await runFile('store.mts')).toEqual({ code: 0, out: '1 true\n', err: '' })
  })

  it('inside a Fastify app', async () => {
    const result = await tryBlock(
      'fastify',
      withPack,
      `
const { text } = await pack.tokens.create('default', { name: 'Host' })
const address = await app.listen({ host: '127.0.0.1', port: 0 })
const reply = await fetch(address + '/toolyard/v1/steps/work-board/get-boards/run', { method: 'POST', headers: { authorization: 'Bearer ' + text, 'content-type': 'application/json' }, body: '{"input":{}}' })
console.log(JSON.stringify({ status: reply.status, count: (await reply.json()).output.count }))
await app.close()
await pack.close()`,
    )
    expect(result).toEqual({ status: 200, count: 2 })
  })
})

describe('in an MCP host', () => {
  const inspector = join(sdks, '@modelcontextprotocol', 'inspector', 'clients', 'launcher', 'build', 'index.js')

  it('by its address, and by a command', async () => {
    const data = join(installed.folder, 'served')
    const server = await serve(installed, data)
    const overHttp = blockOf('mcp-http').replace('<address>', server.address).replace('<token>', server.token)
    // As in the block but for where npx finds the package: it is not published yet.
    const overStdio = blockOf('mcp-stdio').replace('/var/lib/toolyard', data)
    for (const [name, text] of Object.entries({ overHttp, overStdio })) {
      const file = join(installed.folder, `${name}.json`)
      writeFileSync(file, text)
      const ask = (...args: string[]) =>
        runFile(inspector, ['--cli', '--config', file, '--server', 'toolyard', ...args], {
          PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`,
        })
      const listed = await ask('--method', 'tools/list')
      expect(listed.code, `${name}: ${listed.err}`).toBe(0)
      expect(JSON.parse(listed.out).tools).toHaveLength(listedTools.length + 1)
      const called = await ask(
        '--method',
        'tools/call',
        '--tool-name',
        'work_board_get_boards',
        '--tool-arg',
        'limit=1',
      )
      expect(JSON.parse(called.out).structuredContent).toMatchObject({ count: 1 })
    }
    expect(await server.stop()).toBe(0)
  })
})

it('the installed server receives a signed delivery and starts an agent', async () => {
  const agent = await startAgent()
  const server = await serve(installed, join(installed.folder, 'triggered'), { TOOLYARD_AGENT_ORIGINS: agent.origin })
  const ask = async (path: string, body?: unknown) => {
    const reply = await fetch(`${server.address}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${server.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return (await reply.json()) as any
  }
  const { options } = await ask('/v1/triggers/work-board/new-card/options', { field: 'boards' })
  const made = await ask('/v1/subscriptions', {
    integration: 'work-board',
    trigger: 'new-card',
    config: { boards: [options[0].value] },
    agent: { url: `${agent.origin}/new` },
    options: { ownEvents: true },
  })
  expect(made, JSON.stringify(made)).toMatchObject({ state: 'active', delivery: 'webhook' })
  agent.secrets.set('/new', made.agent.secret)
  const { output } = await ask('/v1/steps/work-board/get-boards/run', { input: { lists: 'open' } })
  const list = output.boards.find(({ id }: { id: string }) => id === options[0].value).lists[0].id
  await new Promise((done) => setTimeout(done, 10))
  // The regular reading of the history, the first of which is due soon, may be there before the delivery of a card.
  const isDelivered = () => agent.taken.at(-1)?.start.data.via === 'webhook'
  for (let cards = 1; cards <= 3 && !isDelivered(); cards += 1) {
    await ask('/v1/steps/work-board/create-card/run', { input: { idList: list, name: cardName } })
    await until('the agent is started', () => agent.taken.length === cards, 20_000)
  }
  expect(agent.taken.at(-1)).toMatchObject({
    path: '/new',
    genuine: true,
    start: {
      type: 'work-board.new-card',
      data: { via: 'webhook', causedByUs: true, event: { card: { name: cardName } } },
    },
  })
  expect(await server.stop()).toBe(0)
  await agent.close()
})
