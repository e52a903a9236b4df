/**
 * `npm run test:mcp`: checks by others. The official conformance runner against a fixture server on our transport
 * (everything a revision of the protocol requires) and against the pack itself (what needs no fixture tools); the
 * inspector's command line against the pack over stdio and HTTP; the client of the first SDK, which holds failures to
 * output schemas too; what a model reads in each host of docs/mcp-hosts.md; and programs that are added by the address
 * of the server alone. Needs what is installed in test/tools; without it nothing is run and it says so (`--required`:
 * and fails).
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkFirstSdk } from './first-sdk.ts'
import { startFixture } from './fixture-server.ts'
import { checkHosts } from './hosts/check.ts'
import { checkSignIn } from './sign-in/check.ts'
import { openMcpWorld } from '../support/mcp-world.ts'
import type { McpWorld } from '../support/mcp-world.ts'
import { withToken } from './with-token.ts'
import { listedTools } from '../support/shipped.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const tools = join(root, 'test/tools/node_modules')
const runner = join(tools, '@modelcontextprotocol/conformance')
const firstSdk = join(tools, '@modelcontextprotocol/sdk')
const otherClients = ['mcp-remote', '@langchain/mcp-adapters', '@mastra/mcp', '@ai-sdk/mcp', '@openai/agents'].map(
  (name) => join(tools, name),
)
const openIdProvider = join(tools, 'oidc-provider')
const inspector = join(tools, '@modelcontextprotocol/inspector/clients/launcher/build/index.js')
const baseline = join(root, 'test/mcp/baseline.yml')

/** What every server can be asked, by revision of the protocol. */
const generic: Record<string, string[]> = {
  '2026-07-28': [
    'server-stateless',
    'tools-list',
    'resources-list',
    'sep-2164-resource-not-found',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
    'caching',
    'http-header-validation',
    'input-required-result-unsupported-methods',
    'input-required-result-validate-input',
  ],
  '2025-11-25': [
    'server-initialize',
    'server-session-lifecycle',
    'ping',
    'tools-list',
    'resources-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
  ],
}

type Ended = { code: number | null; out: string; err: string }
const run = (args: string[], env: Record<string, string> = {}) =>
  new Promise<Ended>((done, failed) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 120_000,
    })
    let [out, err] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (part: string) => (out += part))
    child.stderr.setEncoding('utf8').on('data', (part: string) => (err += part))
    child.on('error', failed).on('close', (code) => done({ code, out, err }))
  })

const problems: string[] = []
const expectThat = (holds: boolean, otherwise: string) => void (holds || problems.push(otherwise))
const folder = mkdtempSync(join(tmpdir(), 'toolyard-mcp-'))
const conformance = (url: string, args: string[]) =>
  run([join(runner, 'dist/index.js'), 'server', '--url', url, '-o', join(folder, 'results'), ...args])

/** Names of the scenarios that a revision requires of servers. */
const required = (revision: string): string[] => {
  const [, list = ''] =
    /^server:\n((?: {2}- .+\n)+)/m.exec(readFileSync(join(runner, `requirements/${revision}.yaml`), 'utf8')) ?? []
  return list
    .split('\n')
    .map((line) => line.replace('  - ', '').trim())
    .filter(Boolean)
}

const checkFixture = async () => {
  const fixture = await startFixture()
  for (const revision of Object.keys(generic)) {
    const { code, out } = await conformance(fixture.url, ['--requirements', revision])
    const results = new Map(
      [...out.matchAll(/^([✓✗]) ([\w-]+): (\d+) passed, (\d+) failed/gmu)].map(([, mark, name, passed]) => [
        name!,
        { fine: mark === '✓', passed: Number(passed) },
      ]),
    )
    const scored = required(revision)
    const fine = scored.filter((name) => results.get(name)?.fine)
    for (const name of scored)
      expectThat(
        results.get(name)?.fine === true,
        `fixture, ${revision}: ${name} ${results.has(name) ? 'failed' : 'was not run'}`,
      )
    expectThat(code === 0 && scored.length > 25, `fixture, ${revision}: the runner ended with ${code}`)
    const checks = fine.reduce((sum, name) => sum + results.get(name)!.passed, 0)
    const unscoredResults = [...results].filter(([name]) => !scored.includes(name))
    console.log(
      `conformance ${revision}, fixture server: ${fine.length} of ${scored.length} scored scenarios pass (${checks} checks); of ${unscoredResults.length} not scored ${unscoredResults.filter(([, { fine: isFine }]) => isFine).length} pass`,
    )
  }
  await fixture.close()
}

const checkPack = async (world: McpWorld) => {
  const front = await withToken(world.address, world.token)
  for (const [revision, scenarios] of Object.entries(generic)) {
    let [fine, checks] = [0, 0]
    for (const name of scenarios) {
      const { code, out } = await conformance(`${front.address}/mcp`, [
        '--scenario',
        name,
        '--spec-version',
        revision,
        '--expected-failures',
        baseline,
      ])
      const [, passed = '0'] = /Passed: (\d+)\/\d+/.exec(out) ?? []
      if (code === 0 && Number(passed) > 0) fine += 1
      else
        problems.push(
          `pack, ${revision}: ${name} failed\n${out
            .split('\n')
            .filter((line) => /FAIL|✗|rror/.test(line))
            .join('\n')}`,
        )
      checks += Number(passed)
    }
    console.log(
      `conformance ${revision}, the pack: ${fine} of ${scenarios.length} generic scenarios pass (${checks} checks)`,
    )
  }
  await front.close()
}

/** The configuration file of a host, as docs/mcp-hosts.md gives it. */
const hostConfig = (world: McpWorld) => {
  const file = join(folder, 'hosts.json')
  const over = {
    stdio: {
      command: process.execPath,
      args: [join(root, 'shared/toolyard.js'), 'mcp', '--sandbox'],
      env: { TOOLYARD_DATA: join(folder, 'data') },
    },
  }
  const http = {
    type: 'streamable-http',
    url: `${world.address}/mcp`,
    headers: { Authorization: `Bearer ${world.token}` },
  }
  writeFileSync(file, JSON.stringify({ mcpServers: { ...over, http } }))
  return file
}

const checkInspector = async (world: McpWorld) => {
  const config = hostConfig(world)
  for (const server of ['stdio', 'http']) {
    const ask = (...args: string[]) =>
      run([inspector, '--cli', '--config', config, '--server', server, ...args], { HOME: folder })
    const listed = await ask('--method', 'tools/list', '--strict')
    const names =
      listed.code === 0 ? (JSON.parse(listed.out) as { tools: { name: string }[] }).tools.map(({ name }) => name) : []
    expectThat(
      names.length === listedTools.length + 1,
      `inspector over ${server}: ${names.length} tools, exit ${listed.code} ${listed.err.slice(0, 500)}`,
    )
    const called = await ask('--method', 'tools/call', '--tool-name', 'work_board_get_boards', '--tool-arg', 'limit=1')
    const count =
      called.code === 0
        ? (JSON.parse(called.out) as { structuredContent?: { count?: number } }).structuredContent?.count
        : undefined
    expectThat(
      count === 1,
      `inspector over ${server}: a call ended with ${called.code}: ${called.out.slice(0, 300)}${called.err.slice(0, 300)}`,
    )
    console.log(
      `inspector over ${server}: ${names.length} tools, ${(listed.err.match(/^Warning: /gm) ?? []).length} warnings on their schemas, call answered: ${count === 1}`,
    )
  }
}

if (![runner, inspector, firstSdk, openIdProvider, ...otherClients].every((folder) => existsSync(folder))) {
  console.log('mcp: skipped, since the checkers are not installed. "npm ci --prefix test/tools" installs them.')
  process.exitCode = process.argv.includes('--required') ? 1 : 0
} else {
  const [installed, entry] = [join(root, 'test/tools'), join(root, 'shared/toolyard.js')]
  await checkHosts(installed, entry, expectThat)
  await checkFirstSdk(installed, entry, expectThat)
  await checkSignIn(installed, expectThat)
  const world = await openMcpWorld()
  try {
    await checkFixture()
    await checkPack(world)
    await checkInspector(world)
  } finally {
    await world.close()
    rmSync(folder, { recursive: true, force: true })
  }
  for (const problem of problems) console.error(problem)
  console.log(`mcp: ${problems.length === 0 ? 'all checks pass' : `${problems.length} failed`}`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
