import { execFileSync } from 'node:child_process'
import { compileFunction } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { integrations } from '../../integrations/index.ts'
import { filesIn } from '../../shared/faces/console/pages/steps/records.ts'
import { fillPath, refusalOf } from '../../shared/faces/console/pages/steps/refusal.ts'
import { createVerdict } from '../../shared/runtime/catalogue/operations.ts'
import { asCommand, asCurl, asLibrary, asMcp } from '../../shared/faces/console/pages/steps/snippets.ts'

const hostile = `it's "$(id)" \`id\` \\ $HOME\n${'<script>'}`
const call = {
  integration: 'desk',
  step: 'get-issue',
  tool: 'desk_get_issue',
  tenant: `o'neil`,
  connection: 'con_1',
  input: { text: hostile, list: [1, null] },
}
const api = 'https://tools.example/v1/'

/** The words that a shell makes of a command. */
const wordsOf = (command: string, first: string): string[] =>
  JSON.parse(
    execFileSync(
      'sh',
      ['-c', `${first}() { node -e 'console.log(JSON.stringify(process.argv.slice(1)))' -- "$@"; }\n${command}`],
      {
        env: { PATH: process.env['PATH'], TOOLYARD_TOKEN: 'the-token', HOME: '/home' },
        encoding: 'utf8',
      },
    ),
  ) as string[]

describe('a call for other programs', () => {
  test('cURL: a shell passes the input on as it is, and the token from the environment', () => {
    const words = wordsOf(asCurl(call, api), 'curl')
    expect(words.slice(0, 3)).toEqual(['-X', 'POST', `${api}steps/desk/get-issue/run`])
    expect(words).toContain('Authorization: Bearer the-token')
    expect(JSON.parse(words.at(-1)!)).toEqual({ connection: 'con_1', input: call.input })
  })
  test('the command line: the same', () => {
    const words = wordsOf(asCommand(call), 'npx')
    expect(words.slice(0, 4)).toEqual(['toolyard', 'run', 'desk', 'get-issue'])
    expect(JSON.parse(words[4]!)).toEqual(call.input)
    expect(words.slice(5)).toEqual(['-c', 'con_1'])
    expect(asCommand({ ...call, connection: undefined, input: {} })).toBe('npx toolyard run desk get-issue')
  })
  test('MCP: one tools/call', () => {
    expect(JSON.parse(asMcp(call))).toMatchObject({
      method: 'tools/call',
      params: { name: 'desk_get_issue', arguments: { ...call.input, connection: 'con_1' } },
    })
  })
  test('library: code that holds what was given', () => {
    const code = asLibrary(call)
      .replace(/^import .*$/m, '')
      .replace(/await createPack\(\).*$/m, 'given')
    const ran: unknown[] = []
    const packStub = { steps: { run: async (...args: unknown[]) => (ran.push(...args), { ok: false, failure: {} }) } }
    const run = compileFunction(`return (async () => {${code}})()`, ['given', 'console']) as (
      pack: unknown,
      console: unknown,
    ) => Promise<void>
    return run(packStub, { log() {}, error() {} }).then(() =>
      expect(ran).toEqual([
        { tenant: `o'neil` },
        { integration: 'desk', step: 'get-issue', connection: 'con_1', input: call.input },
      ]),
    )
  })
})

describe('what an output shows', () => {
  test('files by their ids, wherever they are', () => {
    const output = {
      a: [{ file: 'fil_1', name: 'a.pdf' }, { file: 'fil_1' }],
      b: { c: { file: 'fil_2' } },
      file: '../../x',
      d: { file: 7 },
    }
    expect(filesIn(output).map(({ id }) => id)).toEqual(['fil_1', 'fil_2'])
    expect(filesIn('fil_1')).toEqual([])
  })
})

describe('what API Call refuses', () => {
  const policy = {
    under: '/v2',
    deny: [
      { path: '/v2/hooks/**', methods: ['POST' as const], reason: 'No hooks.' },
      { path: '/v2/users/*/keys', reason: 'No keys.' },
      { path: '/v2/issues', query: ['fields=keys'], reason: 'Not these.' },
      { path: '/**/secret/**', reason: 'No secrets.' },
      { path: '/**/end', reason: 'No end.' },
    ],
  }
  test.each<[method: 'GET' | 'POST', path: string, reason: string | undefined]>([
    ['GET', '', undefined],
    ['GET', '/v2/issues', undefined],
    ['GET', 'https://desk.example/v2/issues', 'The path starts with'],
    ['GET', '/v1/issues', 'Only paths under /v2'],
    ['GET', '/v20', 'Only paths under /v2'],
    ['POST', '/v2/hooks/1', 'No hooks.'],
    ['POST', '/V2/hooks', 'Only paths under'],
    ['GET', '/v2/hooks/1', undefined],
    ['POST', '/v2/hooks', 'No hooks.'],
    ['GET', '/v2/keep/secret', 'No secrets.'],
    ['GET', '/v2/secret/of/us', 'No secrets.'],
    ['GET', '/v2/a/Secret.json', 'No secrets.'],
    ['GET', '/v2/secretary', undefined],
    ['GET', '/v2/this/end', 'No end.'],
    ['GET', '/v2/end/of/it', undefined],
    ['GET', '/v2/users/7/KEYS/?a=1', 'No keys.'],
    ['GET', '/v2/users/7/8/keys', undefined],
  ])('%s %s', (method, path, reason) => {
    const said = refusalOf(policy, method, path)
    if (path.startsWith('/')) {
      const server = createVerdict({ methods: ['GET', 'POST'], ...policy }).refusal({
        method,
        path: path.split('?')[0]!,
        title: '',
        parameters: [],
      })
      expect(server !== undefined).toBe(said !== undefined)
    }
    if (reason === undefined) expect(said).toBeUndefined()
    else expect(said).toContain(reason)
  })
  test('what it calls refused, the server refuses for that reason', async () => {
    const refused: string[] = []
    for (const { apiCall, operations } of integrations)
      for (const operation of (await operations?.()) ?? []) {
        const reason = refusalOf(apiCall, operation.method, operation.path)
        if (reason === undefined) continue
        refused.push(operation.path)
        expect(createVerdict(apiCall).refusal(operation)).toContain(reason)
      }
    expect(refused.length).toBeGreaterThan(5)
  })
  test('parts of a path are encoded; what is not filled in stays to be seen', () => {
    expect(fillPath('/v2/issues/{id}/notes/{note}', { id: 'a/../b?c' })).toBe('/v2/issues/a%2F..%2Fb%3Fc/notes/{note}')
  })
})
