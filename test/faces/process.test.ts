import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { consoleLine } from '../../shared/faces/cli/index.ts'
import { failures } from '../../shared/kit/index.ts'
import { entry, start, toolyard, tryLines, withDirectory } from './process.ts'

const anyPort = { TOOLYARD_PORT: '0' }
const addressIn = (out: string) => /Address +(\S+)/.exec(out)![1]!
/** The banner of a server whose output is no terminal names the file; its token would lie in a log. */
const tokenIn = (out: string) => readFileSync(/Token +in (\S+)/.exec(out)![1]!, 'utf8').trim()
const json = async (url: string, init: RequestInit = {}): Promise<any> => (await fetch(url, init)).json()
const boardIn = (out: string) => /Sandbox board +(\S+)/.exec(out)![1]!

const serving = async <T>(
  env: Record<string, string>,
  work: (server: ReturnType<typeof start>) => Promise<T>,
  args = ['serve', '--sandbox'],
) => {
  const server = start(args, { ...anyPort, ...env })
  try {
    await server.printed('curl')
    return await work(server)
  } finally {
    server.kill('SIGKILL')
    await server.ended
  }
}

describe('the node check', () => {
  const line =
    /^toolyard needs Node 24\.12 or newer, this is v[\d.]+; run it with npm start \/ npx toolyard after npm ci \(without --ignore-scripts\)\n$/

  it.each(['18.20.0', '20.20.2', '24.11.9'])('refuses %s in one line', async (version) => {
    const pretend = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'${version}'})`
    for (const args of [[], ['--check-node'], ['serve']]) {
      const { code, out, err } = await toolyard(args, {}, { nodeArgs: ['--import', pretend] })
      expect([code, out, err]).toEqual([1, '', expect.stringMatching(line)])
    }
  })

  it('refuses Bun, whatever Node it says it is', async () => {
    const pretend = `data:text/javascript,Object.defineProperty(process.versions,'bun',{value:'1.4.5'})`
    const { code, out, err } = await toolyard(['serve'], {}, { nodeArgs: ['--import', pretend] })
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/^toolyard needs Node 24\.12 or newer, this is Bun 1\.4\.5; run it with node\. .+\n$/)
  })

  it('refuses the older Node of this machine, where it has one', async () => {
    const older = ['/usr/bin/node', '/usr/local/bin/node'].filter(
      (node) =>
        existsSync(node) &&
        Number(execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).split('.')[0]) < 24,
    )
    if (older.length === 0) console.log('No older Node here; only the pretended ones were tried.')
    for (const node of older)
      expect(await toolyard(['serve'], {}, { node })).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringMatching(line),
      })
  })

  it('passes this one', async () => {
    expect(await toolyard(['--check-node'])).toEqual({ code: 0, out: '', err: '' })
    expect(await readFile(entry, 'utf8')).not.toMatch(/from '|require\(/)
  })
})

describe('serve', () => {
  it.skipIf(process.platform !== 'linux')('gives what it has freed back to the system, unless told otherwise', () =>
    withDirectory(async (directory) => {
      const settingsOf = async (env: Record<string, string>) => {
        const server = start(['serve'], { TOOLYARD_DATA: directory, TOOLYARD_PORT: '0', ...env })
        onTestFinished(() => server.kill('SIGKILL'))
        await server.printed('is running')
        const variables = (await readFile(`/proc/${server.pid}/environ`, 'utf8')).split('\0')
        server.kill('SIGTERM')
        expect((await server.ended).code).toBe(0)
        return variables.filter((line) => line.startsWith('MALLOC_')).toSorted()
      }
      expect(await settingsOf({})).toEqual(['MALLOC_ARENA_MAX=1', 'MALLOC_TRIM_THRESHOLD_=131072'])
      expect(await settingsOf({ MALLOC_ARENA_MAX: '4' })).toEqual([
        'MALLOC_ARENA_MAX=4',
        'MALLOC_TRIM_THRESHOLD_=131072',
      ])
      expect(await settingsOf({ MALLOC_TRIM_THRESHOLD_: '1000000' })).toEqual(['MALLOC_TRIM_THRESHOLD_=1000000'])
    }),
  )

  it('with its sandbox takes the next free port where its own is in use, and says so', () =>
    withDirectory(async (directory) => {
      const other = createServer().listen(0, '127.0.0.1')
      await new Promise((done) => other.once('listening', done))
      const { port } = other.address() as AddressInfo
      try {
        const server = start(['serve', '--sandbox'], { TOOLYARD_DATA: directory, TOOLYARD_PORT: String(port) })
        await server.printed('Try:')
        const address = new RegExp(`Address +(http://[\\d.:]+) \\(port ${port} is in use`).exec(server.out())?.[1]
        expect(Number(new URL(address!).port)).toBeGreaterThan(port)
        expect((await fetch(`${address}/livez`)).status).toBe(200)
        server.kill('SIGINT')
        expect((await server.ended).code).toBe(0)
        const fixed = {
          TOOLYARD_DATA: directory,
          TOOLYARD_PORT: String(port),
          TOOLYARD_PUBLIC_URL: 'https://tools.example.org',
        }
        expect(await toolyard(['serve', '--sandbox'], fixed), 'a proxy calls the port that is set').toMatchObject({
          code: 12,
        })
      } finally {
        other.close()
      }
    }))

  it('prints no link that signs in where the output is no terminal; the command "console" does', () =>
    withDirectory((directory) =>
      serving({ TOOLYARD_DATA: directory }, async (server) => {
        const address = addressIn(server.out())
        expect(server.out()).toContain(`Console          ${address}/console/ (`)
        expect(server.out()).not.toContain('#code=')
        const { code, out, err } = await toolyard(['console'], { TOOLYARD_DATA: directory })
        expect([code, err]).toEqual([0, expect.stringMatching(/works once, until \d\d:\d\d UTC/)])
        const { origin, pathname, hash } = new URL(out.trim())
        expect([origin, pathname]).toEqual([address, '/console/'])
        const signIn = () =>
          fetch(`${address}/v1/session`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ code: hash.slice('#code='.length) }),
          })
        const signedIn = await signIn()
        const { token } = (await signedIn.json()) as { token: { scopes: string[] } }
        expect([signedIn.status, token.scopes]).toEqual([201, expect.arrayContaining(['admin'])])
        expect((await signIn()).status).toBe(401)
        const about = await json(`${address}/v1/server`, {
          headers: { authorization: `Bearer ${tokenIn(server.out())}` },
        })
        expect(about.sandbox.places.map(({ integration }: { integration: string }) => integration)).toContain(
          'work-board',
        )
        const { page } = about.sandbox.places.find(
          ({ integration }: { integration: string }) => integration === 'work-board',
        )
        expect(await (await fetch(page)).text()).toContain('<title>Sandbox board</title>')
        expect(await (await fetch(about.sandbox.agent)).text()).toContain('<title>Example agent</title>')
        expect(server.err()).not.toMatch(/ty[cs]_/)
        expect(consoleLine(address, 'tyc_x', 'toolyard')).toContain(`${address}/console/#code=tyc_x (`)
      }),
    ))

  it('has no console without a running server', () =>
    withDirectory(async (directory) => {
      expect(await toolyard(['console'], { TOOLYARD_DATA: directory })).toMatchObject({
        code: 5,
        out: '',
        err: expect.stringContaining('serve'),
      })
    }))

  it('comes up, prints a curl line that works, and stops cleanly at Ctrl-C', () =>
    withDirectory(async (directory) => {
      await serving({ TOOLYARD_DATA: directory }, async (server) => {
        const line = tryLines(server.out())
        const answer = JSON.parse(execFileSync('sh', ['-c', line], { encoding: 'utf8' }))
        expect(answer.output.boards.map(({ name }: { name: string }) => name)).toEqual(['Launch plan', 'Support desk'])
        server.kill('SIGINT')
        // npm passes a terminal's Ctrl-C on, so it comes twice.
        server.kill('SIGINT')
        const { code, err } = await server.ended
        expect(code).toBe(0)
        expect(
          err
            .trim()
            .split('\n')
            .map((logLine) => JSON.parse(logLine).event),
        ).toEqual(expect.arrayContaining(['request', 'stopping', 'stopped']))
        for (const printed of [err, server.out()]) expect(printed).not.toContain(tokenIn(server.out()))
      })
      expect(existsSync(join(directory, 'sandbox', 'server.json'))).toBe(false)
    }))

  it('keeps token, accounts and history, in files that only their owner can read', () =>
    withDirectory(async (directory) => {
      const env = { TOOLYARD_DATA: directory }
      const first = await serving(env, async (server) => {
        const { out } = await toolyard(['run', 'work-board', 'get-boards', '--json'], env)
        server.kill('SIGTERM')
        expect((await server.ended).code).toBe(0)
        return { token: tokenIn(server.out()), runId: JSON.parse(out).meta.runId as string }
      })
      for (const file of ['token', 'master.key', 'toolyard.db'])
        expect((await stat(join(directory, 'sandbox', file))).mode & 0o077).toBe(0)
      expect(await readFile(join(directory, 'sandbox', 'toolyard.db'), 'latin1')).not.toContain(first.token)
      await serving(env, async (server) => {
        expect(tokenIn(server.out())).toBe(first.token)
        const headers = { authorization: `Bearer ${first.token}` }
        expect(await json(`${addressIn(server.out())}/v1/runs/${first.runId}`, { headers })).toMatchObject({
          id: first.runId,
          state: 'done',
        })
        const { items } = await json(`${addressIn(server.out())}/v1/connections`, { headers })
        expect(items.map(({ name, state }: Record<string, string>) => [name, state])).toContainEqual([
          'Sandbox board',
          'connected',
        ])
        // Kept or made again, but never twice.
        expect(items.map(({ integration }: Record<string, string>) => integration).toSorted()).toEqual([
          'anz-data',
          'contact-data',
          'work-board',
        ])
        const app = await json(`${addressIn(server.out())}/v1/apps/work-board`, { headers })
        expect(Object.keys(app.secrets)).toEqual(['current'])
      })
    }))

  it('lets what is running finish before it stops, and takes nothing new', () =>
    withDirectory(async (directory) => {
      await serving({ TOOLYARD_DATA: directory }, async (server) => {
        const [address, board] = [addressIn(server.out()), boardIn(server.out())]
        const headers = { authorization: `Bearer ${tokenIn(server.out())}`, 'content-type': 'application/json' }
        await fetch(`${board}/_control/fault`, {
          method: 'POST',
          body: JSON.stringify({ match: { path: '/1/members/me/boards' }, delayMs: 700 }),
        })
        const slow = fetch(`${address}/v1/steps/work-board/get-boards/run`, {
          method: 'POST',
          headers,
          body: '{"input":{}}',
        })
        await expect.poll(async () => (await json(`${board}/_control/counters`)).faulted).toBe(1)
        server.kill('SIGTERM')
        const answer = await slow
        expect([answer.status, await answer.json()]).toMatchObject([200, { output: { count: 2 } }])
        const answered = performance.now()
        expect((await server.ended).code).toBe(0)
        expect(performance.now() - answered).toBeLessThan(3_000)
        await expect(fetch(`${address}/livez`)).rejects.toThrow()
      })
    }))

  it('uses the token it is given and neither prints nor keeps it', () =>
    withDirectory(async (directory) => {
      const token = 'a-token-chosen-by-the-operator'
      await serving({ TOOLYARD_DATA: directory, TOOLYARD_TOKEN: token }, async (server) => {
        expect(server.out()).not.toContain(token)
        const line = tryLines(server.out())
        const answer = execFileSync('sh', ['-c', line], {
          encoding: 'utf8',
          env: { ...process.env, TOOLYARD_TOKEN: token },
        })
        expect(JSON.parse(answer).output.count).toBe(2)
        expect(existsSync(join(directory, 'sandbox', 'token'))).toBe(false)
      })
    }))

  it('runs without the sandbox, apart from its data', () =>
    withDirectory(async (directory) => {
      const env = { TOOLYARD_DATA: directory }
      await serving(
        env,
        async (server) => {
          expect(server.out()).not.toContain('Sandbox')
          const line = tryLines(server.out())
          expect(
            JSON.parse(execFileSync('sh', ['-c', line], { encoding: 'utf8' })).items.map(
              ({ id }: { id: string }) => id,
            ),
          ).toContain('work-board')
          expect(await toolyard(['run', 'work-board', 'get-boards'], env)).toMatchObject({
            code: 8,
            err: expect.stringContaining('No Work board account is connected'),
          })
        },
        ['serve'],
      )
      expect(existsSync(join(directory, 'sandbox'))).toBe(false)
    }))
})

describe('serve refuses', () => {
  it('a port in use', () =>
    withDirectory(async (directory) => {
      const other = createServer().listen(0, '127.0.0.1')
      await new Promise((done) => other.once('listening', done))
      const port = String((other.address() as AddressInfo).port)
      const { code, out, err } = await toolyard(['serve'], { TOOLYARD_DATA: directory, TOOLYARD_PORT: port })
      other.close()
      expect([code, out]).toEqual([12, ''])
      expect(err).toContain(`Port ${port} on 127.0.0.1 is in use by another program. Set TOOLYARD_PORT`)
      expect(await readdir(directory), 'what a refused start leaves behind').toEqual([])
    }))

  it('a data directory that another process holds', () =>
    withDirectory((directory) =>
      serving({ TOOLYARD_DATA: directory }, async (server) => {
        const { code, err } = await toolyard(['serve', '--sandbox'], { TOOLYARD_DATA: directory, ...anyPort })
        expect([code, err]).toEqual([12, expect.stringContaining(`in use by process ${server.pid}`)])
      }),
    ))

  const wrong: [string, Record<string, string>, RegExp][] = [
    ['an unknown setting', { TOOLYARD_PROT: '1' }, /TOOLYARD_PROT is not a setting/],
    ['an address it does not have', { TOOLYARD_HOST: '192.0.2.1', ...anyPort }, /no address 192\.0\.2\.1/],
    ['a master key that is none', { TOOLYARD_MASTER_KEY: 'abc' }, /32 random bytes/],
    ['a wire file that is not there', { TOOLYARD_WIRE: '/nowhere/wire.json' }, /cannot be read \(ENOENT\)/],
    [
      'production without a token',
      { TOOLYARD_PRODUCTION: '1', ...anyPort },
      /TOOLYARD_TOKEN or TOOLYARD_TOKEN_FILE must be given in production/,
    ],
  ]
  it.each(wrong)('%s', (_what, env, message) =>
    withDirectory(async (directory) => {
      const { code, out, err } = await toolyard(['serve'], { TOOLYARD_DATA: directory, ...env })
      expect([out, err]).toEqual(['', expect.stringMatching(message)])
      expect([2, 12]).toContain(code)
      expect(await readdir(directory), 'what a refused start leaves behind').toEqual([])
    }),
  )

  it('a wire file that makes no sense, naming the setting', () =>
    withDirectory(async (directory) => {
      const file = join(directory, 'wire.json')
      await writeFile(file, '{"work-board":{"pace":{"concurrency":"many"}}}')
      const { code, err } = await toolyard(['serve'], {
        TOOLYARD_DATA: join(directory, 'data'),
        TOOLYARD_WIRE: file,
        ...anyPort,
      })
      expect([code, err]).toEqual([
        2,
        expect.stringMatching(/TOOLYARD_WIRE names .*wire\.work-board\.pace\.concurrency/),
      ])
      expect(await readdir(directory)).toEqual(['wire.json'])
    }))

  it('a token file that others can read', () =>
    withDirectory(async (directory) => {
      await mkdir(join(directory, 'sandbox'), { mode: 0o700 })
      await writeFile(join(directory, 'sandbox', 'token'), 'ty_0123456789abcdef\n')
      await chmod(join(directory, 'sandbox', 'token'), 0o644)
      const { code, err } = await toolyard(['serve', '--sandbox'], { TOOLYARD_DATA: directory, ...anyPort })
      expect([code, err]).toEqual([2, expect.stringContaining('chmod 600')])
    }))
})

describe('the command line beside a server', () => {
  it('talks to the server that holds the directory; after a kill it runs by itself', () =>
    withDirectory(async (directory) => {
      const env = { TOOLYARD_DATA: directory }
      await serving(env, async (server) => {
        const { code, out } = await toolyard(['run', 'work-board', 'get-boards', '-f', 'limit=1', '--json'], env)
        expect([code, JSON.parse(out).output.count]).toEqual([0, 1])
        expect(server.err()).toContain(JSON.parse(out).meta.runId)
        server.kill('SIGKILL')
        await server.ended
        expect(existsSync(join(directory, 'sandbox', 'server.json'))).toBe(true)
      })
      const alone = await toolyard(['run', 'work-board', 'get-boards', '--sandbox', '--json'], env)
      expect([alone.code, JSON.parse(alone.out).output.count]).toEqual([0, 2])
    }))

  it('reads nothing where there is no data directory: says so, and makes none', () =>
    withDirectory(async (directory) => {
      const env = { TOOLYARD_DATA: join(directory, 'data') }
      for (const line of [
        ['run', 'work-board', 'get-boards'],
        ['subscriptions'],
        ['tokens', 'add', 'Agent'],
        ['mcp'],
      ]) {
        const { code, out, err } = await toolyard(line, env)
        expect([line[0], code, out]).toEqual([line[0], failures.not_found.exit, ''])
        expect(err).toMatch(
          /There is no data directory at .*data, and no server running on it\. .*TOOLYARD_DATA.*TOOLYARD_URL.* serve/,
        )
      }
      expect((await toolyard(['run', 'work-board', 'get-boards', '--sandbox', '--json'], env)).code).toBe(0)
      expect(await readdir(directory)).toEqual([])
    }))

  it('lists without making a data directory', () =>
    withDirectory(async (directory) => {
      const data = join(directory, 'data')
      expect((await toolyard(['list'], { TOOLYARD_DATA: data })).code).toBe(0)
      expect(existsSync(data)).toBe(false)
    }))
})

describe('output', () => {
  it('may be cut off by its reader', async () => {
    const describing = start(['describe', 'work-board', '--json'])
    describing.closeOutput()
    expect(await describing.ended).toEqual({ code: 0, out: '', err: '' })
  })
})

describe('demo', () => {
  it('tells its story and leaves nothing behind', () =>
    withDirectory(async (directory) => {
      const { code, out, err } = await toolyard(['demo'], { TOOLYARD_DATA: join(directory, 'data'), TMPDIR: directory })
      expect([code, err]).toEqual([0, ''])
      for (const said of [
        '2 boards: "Launch plan", "Support desk"',
        'Ideas | In progress | Review | Done',
        'it is in "In progress" now',
        'archived',
        'POST /1/labels answered 200',
        'refused (not_allowed)',
        'Marlow Fenwick moved Order more tape from Ideas to In progress',
        '2 repeats were recognised; one event, one start',
        'no loop',
      ])
        expect(out).toContain(said)
      expect((await import('node:fs')).readdirSync(directory)).toEqual([])
    }))
})
