import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { caller } from '../support/world.ts'
import { openMcpWorld } from '../support/mcp-world.ts'
import type { McpWorld } from '../support/mcp-world.ts'
import { coreTools } from '../support/shipped.ts'
import { installed } from './installed.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolyard-importers-'))
const at = (...path: string[]) => join(folder, ...path)
const runFile = promisify(execFile)

let world: McpWorld
let env: Record<string, string>
beforeAll(async () => {
  symlinkSync(dirname(installed('gpt-tokenizer')), at('node_modules'))
  world = await openMcpWorld()
  const outcome = await world.pack.steps.run(caller, {
    integration: 'work-board',
    step: 'get-boards',
    input: { lists: 'open' },
  })
  const { boards } = (outcome as { value: any }).value
  env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    URL: world.address,
    TOKEN: world.token,
    LIST: boards[0].lists[0].id,
  }
  const reply = await fetch(`${world.address}/openapi/work-board.json`, {
    headers: { authorization: `Bearer ${world.token}` },
  })
  writeFileSync(at('board.json'), await reply.text())
})
afterAll(async () => {
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A script of a package of the suite, by this Node. */
const use = async (script: string, ...args: string[]) => {
  try {
    return (await runFile(process.execPath, [installed(script), ...args], { cwd: folder, env })).stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${script} failed: ${stdout}${stderr}`, { cause: error })
  }
}

const compilerOptions = {
  strict: true,
  noEmit: true,
  target: 'es2023',
  module: 'preserve',
  moduleResolution: 'bundler',
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  types: ['node'],
  lib: ['es2023', 'dom'],
}

/** Compiles a program of an importer strictly, and gives what it prints. */
const runProgram = async (name: string, text: string): Promise<unknown> => {
  writeFileSync(at(`${name}.ts`), text)
  writeFileSync(at('tsconfig.json'), JSON.stringify({ compilerOptions, files: [`${name}.ts`] }))
  await use('typescript/bin/tsc', '-p', folder)
  await build({
    entryPoints: [at(`${name}.ts`)],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: at(`${name}.mjs`),
    logLevel: 'silent',
  })
  return JSON.parse((await runFile(process.execPath, [at(`${name}.mjs`)], { env })).stdout) as unknown
}

describe('the document for agents', () => {
  it('gives openapi-typescript types by which openapi-fetch calls tools', async () => {
    await use('openapi-typescript/bin/cli.js', 'board.json', '-o', 'board.d.ts')
    const seen = await runProgram(
      'fetched',
      `import createClient from 'openapi-fetch'
       import type { paths } from './board.d.ts'
       const { URL: baseUrl, TOKEN, LIST } = process.env as Record<string, string>
       const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${TOKEN}\` } })
       const { data } = await client.POST('/v1/tools/work_board_create_card', { body: { idList: LIST!, name: 'By openapi-fetch' } })
       const name: string | undefined = data?.name
       // @ts-expect-error: a field of the wrong type
       const { error } = await client.POST('/v1/tools/work_board_create_card', { body: { idList: 7 } })
       const code: string | undefined = error?.code
       console.log(JSON.stringify({ name, id: data?.id, code }))`,
    )
    expect(seen).toEqual({
      name: 'By openapi-fetch',
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      code: 'invalid_input',
    })
  })

  it('gives @hey-api/openapi-ts a function for each tool', async () => {
    await use(
      '@hey-api/openapi-ts/bin/run.js',
      '-i',
      'board.json',
      '-o',
      'hey',
      '-c',
      '@hey-api/client-fetch',
      '--no-log-file',
    )
    const seen = await runProgram(
      'hey-api',
      `import { client } from './hey/client.gen'
       import { workBoardCreateCard, workBoardGetBoards } from './hey/sdk.gen'
       const { URL: baseUrl, TOKEN, LIST } = process.env as Record<string, string>
       client.setConfig({ baseUrl: baseUrl!, auth: () => TOKEN! })
       const { data } = await workBoardCreateCard({ body: { idList: LIST!, name: 'By hey-api' } })
       const name: string | undefined = data?.name
       // @ts-expect-error: a required field is missing
       const { error } = await workBoardCreateCard({ body: { name: 'No list' } })
       const boards = await workBoardGetBoards({ body: {} })
       console.log(JSON.stringify({ name, code: error?.code, boards: boards.data?.count }))`,
    )
    expect(seen).toEqual({ name: 'By hey-api', code: 'invalid_input', boards: 2 })
  })

  it('gives openapi-mcp-generator one tool for each of the set, and no other', async () => {
    await use(
      'openapi-mcp-generator/bin/openapi-mcp-generator.js',
      '--input',
      'board.json',
      '--output',
      'mcp',
      '--force',
    )
    mkdirSync(at('mcp', 'build'), { recursive: true })
    await use('typescript/bin/tsc', '-p', at('mcp'))
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } })
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [at('mcp', 'build', 'index.js')],
        env: { ...env, API_BASE_URL: world.address, BEARER_TOKEN_TOKEN: world.token },
        stderr: 'ignore',
      }),
    )
    try {
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(coreTools('work-board'))
      const made = await client.callTool({
        name: 'work_board_create_card',
        arguments: { requestBody: { idList: env['LIST'], name: 'By a generated server' } },
      })
      expect(JSON.stringify(made.content)).toContain('By a generated server')
      const wrong = await client.callTool({
        name: 'work_board_get_card',
        arguments: { requestBody: { idCard: 'nothing' } },
      })
      expect(JSON.stringify(wrong.content)).toContain('invalid_input')
    } finally {
      await client.close()
    }
  })
})
