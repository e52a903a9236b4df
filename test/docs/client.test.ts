/** The clients of docs/client.md, each in a process of its own, against a served pack. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client } from '../../scripts/build.ts'
import { firstList, openHttpWorld } from '../support/http-world.ts'
import type { HttpWorld } from '../support/http-world.ts'
import { read, root } from './pages.ts'

let world: HttpWorld
let env: Record<string, string>
let folder: string
beforeAll(async () => {
  world = await openHttpWorld()
  await world.connect('work-board', { person: 'person-3', name: 'Theirs' })
  env = { PATH: process.env['PATH']!, TOOLYARD_URL: await world.listen(), TOOLYARD_TOKEN: world.token }
  // As it is installed.
  folder = mkdtempSync(join(tmpdir(), 'client-'))
  const home = join(folder, 'node_modules', 'toolyard')
  mkdirSync(home, { recursive: true })
  await build({ ...client, outdir: home })
  writeFileSync(join(home, 'package.json'), '{ "type": "module", "exports": { "./client": "./client.js" } }')
  writeFileSync(join(folder, 'client.mjs'), read('docs/examples/client.js'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await world.close()
})

// Not blocking: this process answers it.
const output = (command: string, args: string[], changes: Record<string, string> = {}) =>
  new Promise<{ out: string; err: string }>((resolve) => {
    execFile(command, args, { cwd: folder, env: { ...env, ...changes } }, (_, out, err) => resolve({ out, err }))
  })

it('Node: runs a step for a person, and says why it could not', async () => {
  const { out, err } = await output(process.execPath, ['client.mjs', 'person-3'])
  expect(err).toBe('')
  expect(out).toContain('Launch plan\n')
  expect(out).toContain("person: 'person-3'")
  const refused = await output(process.execPath, ['client.mjs', 'person-3'], {
    TOOLYARD_TOKEN: await world.tokenWith(['read']),
  })
  expect(refused.out).toMatch(/^not_allowed: /)
})

const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0

describe.runIf(hasPython)('Python', () => {
  const python = (code: string, changes: Record<string, string> = {}) =>
    output(
      'python3',
      [
        '-c',
        `import sys; sys.path.insert(0, ${JSON.stringify(join(root, 'docs/examples'))}); sys.dont_write_bytecode = True\nfrom client import *\n${code}`,
      ],
      changes,
    )

  it('runs a step for a person', async () => {
    const { out, err } = await output('python3', ['-B', join(root, 'docs/examples/client.py'), 'person-3'])
    expect(err).toBe('')
    expect(out).toContain('Launch plan\n')
    expect(out).toContain("'person': 'person-3'")
    const file = join(root, 'docs/examples/client.py')
    const nobody = await output('python3', ['-B', file])
    expect(nobody).toEqual({ out: expect.stringContaining('Launch plan\n'), err: '' })
    const refused = await output('python3', ['-B', file], { TOOLYARD_TOKEN: 'no-token-of-this-server' })
    expect(refused).toEqual({ out: expect.stringMatching(/^unauthenticated: /), err: '' })
  })

  it('does a write once for each key, and raises a failure with its code', async () => {
    const { list } = await firstList(world)
    const card = `run("work-board", "create-card", {"idList": "${list.id}", "name": "Café"}, key="python-1", person="person-3")`
    const { out, err } = await python(`
a, b = ${card}, ${card}
print(a["id"] == b["id"], a["name"])
try:
    run("work-board", "get-card", {"idCard": "f" * 24}, person="person-3")
except Failure as failure:
    print(failure.problem["code"], failure.problem["retryable"], "runId" in failure.problem)
print(call("DELETE", "/v1/budgets/" + call("POST", "/v1/budgets", {"scope": "tenant", "credits": 9, "period": "day"})["id"]))`)
    expect(err).toBe('')
    expect(out).toBe('True Café\nnot_found False True\nNone\n')
  })

  it('sends its token nowhere else', async () => {
    const seen: string[] = []
    const server = createServer((request, reply) => {
      seen.push(request.url!)
      reply.writeHead(302, { location: '/elsewhere' }).end()
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { err } = await python('call("GET", "/v1/runs")', { TOOLYARD_URL: address })
    server.close()
    expect(err).toContain('HTTP Error 302')
    expect(seen).toEqual(['/v1/runs'])
  })
})
