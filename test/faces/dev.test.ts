import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { ExampleFile } from '#kit'
import workBoard from '../../integrations/work-board/manifest.ts'
import { openOrigins } from '../../shared/dev/index.ts'
import { replay } from '../contract/replay.ts'
import { stayOffline } from '../support/offline.ts'
import { startProvider } from '../support/provider.ts'
import { start, toolyard, tryLines, withDirectory } from './process.ts'

stayOffline(/^127\.0\.0\.1/)

const root = fileURLToPath(new URL('../../', import.meta.url))
const dataIn = (out: string) => /TOOLYARD_DATA=(\S+)/.exec(out)![1]!
const addressIn = (out: string) => /Address +(\S+)/.exec(out)![1]!

/** Waits for a text that comes on its own time; the limit is that of the test. */
const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise((done) => setTimeout(done, 20))
}

const fakeProvider = () =>
  startProvider((request, response, body) => {
    const item = { id: 'item_0001', name: 'Milk', created_at: '2026-03-02T10:00:00Z', created_by: 'acc_1' }
    const answers: Record<string, object> = {
      'GET /v1/me': { id: 'acc_1', name: 'Ada' },
      'POST /v1/items': {
        ...item,
        ...(body === '' ? {} : (JSON.parse(body) as object)),
        echo: request.headers.authorization,
      },
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answers[`${request.method} ${request.url}`] ?? { items: [item], next: null }))
  })

/** `toolyard dev` on a copy of the starter outside the checkout, whose provider is on this machine. */
const developing = async (
  work: (parts: {
    folder: string
    wire: string
    server: ReturnType<typeof start>
    env: { TOOLYARD_DATA: string }
  }) => Promise<void>,
) => {
  const provider = await fakeProvider()
  try {
    await withDirectory(async (directory) => {
      const folder = join(directory, 'starter')
      const wire = join(directory, 'overrides.json')
      await mkdir(folder)
      await cp(join(root, 'scripts/starter'), folder, { recursive: true })
      await writeFile(wire, JSON.stringify({ starter: { baseUrl: provider.origin } }))
      const server = start(['dev', folder, '--wire', wire], { TOOLYARD_PORT: '0' })
      try {
        await server.printed('curl')
        await work({ folder, wire, server, env: { TOOLYARD_DATA: dataIn(server.out()) } })
      } finally {
        server.kill('SIGKILL')
        await server.ended
      }
    })
  } finally {
    await provider.close()
  }
}

const connect = async (out: string) => {
  const response = await fetch(`${addressIn(out)}/v1/connections`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${readFileSync(join(dataIn(out), 'token'), 'utf8').trim()}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      integration: 'starter',
      type: 'token',
      name: 'Ada',
      secrets: { token: 'tok_aB3dE5fG7hJ9' },
    }),
  })
  expect(await response.json()).toMatchObject({ state: 'connected' })
}

describe('toolyard dev', () => {
  it('serves a folder outside the checkout, reloads what changes, and shows the stack of a defect', () =>
    developing(async ({ folder, wire, server, env }) => {
      expect(server.out()).toMatch(/Steps +create-item, list-items, find-endpoints, api-call\n +Triggers +new-item\n/)
      await connect(server.out())
      const line = tryLines(server.out())
      const curl = async () =>
        JSON.parse((await promisify(execFile)('sh', ['-c', line])).stdout) as { output?: unknown; code?: string }
      expect(await curl()).toMatchObject({ output: { items: [{ id: 'item_0001' }] } })

      const step = join(folder, 'steps/list-items.ts')
      const good = await readFile(step, 'utf8')
      const reloads = () => server.out().split('Reloaded.').length - 1
      // As editors do it: a new file takes the place of the old one.
      const save = async (text: string) => {
        await writeFile(`${step}.tmp`, text)
        await rename(`${step}.tmp`, step)
      }
      await save(good.replace('readItems(page.items)', 'missing(page.items)'))
      await until(() => reloads() === 1)
      expect(await curl()).toMatchObject({ code: 'internal' })
      await until(() => /ReferenceError.*\n +at .*steps\/list-items\.ts/.test(server.err()))

      await save(`${good}}`)
      await until(() => server.err().includes('Not reloaded, the former state goes on'))
      expect(server.err()).toContain('SyntaxError')
      expect(await curl()).toMatchObject({ code: 'internal' })
      await save(good)
      await until(() => reloads() === 2)
      expect(await curl()).toMatchObject({ output: { items: [{ id: 'item_0001' }] } })

      await writeFile(wire, '{"starter":{"baseURL":"http://127.0.0.1:1"}}')
      await until(() => server.err().includes('Did you mean "baseUrl"?'))
      await writeFile(wire, '{"starter":{"baseUrl":"http://127.0.0.1:1"}}')
      await until(() => reloads() === 3)
      expect(await curl()).toMatchObject({ code: 'unreachable' })

      server.kill('SIGINT')
      expect((await server.ended).code).toBe(0)
      expect(existsSync(env.TOOLYARD_DATA)).toBe(false)
    }))

  it('records what its server runs, into its folder', () =>
    developing(async ({ folder, server, env }) => {
      await connect(server.out())
      const done = await toolyard(
        ['record', 'starter', 'create-item', '--input', '{"name":"Press kit"}', '--title', 'A press kit'],
        env,
      )
      expect(done).toMatchObject({ code: 0, out: expect.stringContaining('Wrote "A press kit" to ') })
      const { cases } = JSON.parse(await readFile(join(folder, 'examples/create-item.json'), 'utf8')) as ExampleFile
      expect(cases.map(({ title }) => title)).toEqual(['Creates an item', 'A press kit'])
      expect(cases[1]).toMatchObject({
        input: { name: 'Press kit' },
        exchanges: [
          {
            request: { method: 'POST', path: '/v1/items', body: { name: 'Press kit' } },
            reply: { body: { echo: 'Bearer ***' } },
          },
        ],
        output: { id: 'item_0001', echo: 'Bearer ***' },
      })
      expect(
        await toolyard(['record', 'starter', 'create-item', '-f', 'name=x', '--title', 'A press kit'], env),
      ).toMatchObject({
        code: 6,
        err: expect.stringContaining('Give another one'),
      })
      const refused = await toolyard(['record', 'starter', 'create-item', '-f', 'name=tok_aB3dE5fG7hJ9'], env)
      expect(refused.code).not.toBe(0)
      expect(refused.err).toContain('nothing was recorded')
    }))

  it.each([
    [{ NODE_ENV: 'production' }, 'NODE_ENV is "production"'],
    [{ TOOLYARD_PRODUCTION: '1', TOOLYARD_TOKEN: 'a'.repeat(20) }, 'TOOLYARD_PRODUCTION is set'],
    [{ TOOLYARD_HOST: '0.0.0.0' }, 'TOOLYARD_HOST is 0.0.0.0'],
  ])('refuses %j', async (env, message) => {
    const { code, err } = await toolyard(
      ['dev', join(root, 'scripts/starter')],
      env as unknown as Record<string, string>,
    )
    expect(code).not.toBe(0)
    expect(err).toContain(message)
  })

  it('refuses a folder without an integration, and a wire file without an entry for it', () =>
    withDirectory(async (directory) => {
      expect((await toolyard(['dev', directory])).err).toContain('has no manifest.ts')
      await writeFile(join(directory, 'manifest.ts'), 'export default 1')
      // Settings of traces are for `serve`, so a wrong one does not count.
      const env = { TOOLYARD_PORT: '0', OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4317' }
      expect((await toolyard(['dev', directory], env)).err).toContain('export default defineIntegration')
      const wire = join(directory, 'wire.json')
      await writeFile(wire, '{"other":{}}')
      expect(
        (await toolyard(['dev', join(root, 'scripts/starter'), '--wire', wire], { TOOLYARD_PORT: '0' })).err,
      ).toContain('has no entry for "starter"')
    }))

  it('opens the addresses of the provider that are on this machine or plain http, and no others', () => {
    const profile = {
      baseUrl: 'http://127.0.0.1:9000/api',
      docs: 'http://a.example',
      oauth: { v2: { tokenUrl: 'https://localhost:1', authorizeUrl: 'https://a.example' } },
    }
    expect(openOrigins(profile)).toEqual(['http://127.0.0.1:9000', 'https://localhost:1'])
  })
})

describe('toolyard record', () => {
  it('records a step of the board at the sandbox; the contract test replays it', () =>
    withDirectory(async (directory) => {
      const env = { TOOLYARD_DATA: join(directory, 'data') }
      const folder = join(directory, 'work-board')
      await mkdir(folder)
      const { code, err } = await toolyard(
        ['record', 'work-board', 'get-boards', '--sandbox', '--to', folder, '--title', 'Two boards'],
        env,
      )
      expect([code, err]).toEqual([0, expect.stringContaining('Read it before you commit it')])
      const file = JSON.parse(await readFile(join(folder, 'examples/get-boards.json'), 'utf8')) as ExampleFile
      expect(file).toMatchObject({ step: 'get-boards', cases: [{ title: 'Two boards', input: {} }] })
      await replay({ folder, integration: workBoard }, file, file.cases[0]!)
    }))

  it('says what to do at a server that does not record', () =>
    withDirectory(async (directory) => {
      const env = { TOOLYARD_DATA: directory, TOOLYARD_PORT: '0' }
      const server = start(['serve', '--sandbox'], env)
      try {
        await server.printed('curl')
        const { code, err } = await toolyard(['record', 'work-board', 'get-boards'], env)
        expect(code).not.toBe(0)
        expect(err).toContain('does not record')
        expect(err).toContain('--sandbox')
      } finally {
        server.kill('SIGKILL')
        await server.ended
      }
    }))
})
