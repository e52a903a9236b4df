/** The image of the Containerfile runs the server: not root, everything but its volume read-only. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readImage } from '../support/container-files.ts'
import { until } from '../support/agent-world.ts'
import { freePort } from '../support/free-port.ts'
import { makeRoot, whyNoRoot } from './image-root.ts'

const why = whyNoRoot()
if (why !== undefined) console.warn(`The image is not tried: ${why}.`)

const image = readImage()
const token = 'a-token-of-the-operator'

describe.skipIf(why !== undefined)('the image', () => {
  let made: Awaited<ReturnType<typeof makeRoot>>
  type Program = ReturnType<typeof made.start>
  const programs: Program[] = []
  beforeAll(async () => {
    made = await makeRoot()
    made.mountSecret('token', token)
    made.mountSecret('master_key', Buffer.alloc(32, 7).toString('base64'))
  }, 300_000)
  afterAll(async () => {
    for (const program of programs) await program.close()
    made?.remove()
  })

  /** A server that is ready, on a free port of loopback. */
  const serve = async (env: Record<string, string>, command?: string[]) => {
    const port = String(await freePort())
    const server = made.start(
      {
        TOOLYARD_HOST: '127.0.0.1',
        TOOLYARD_PORT: port,
        TOOLYARD_TOKEN_FILE: '/run/secrets/token',
        TOOLYARD_MASTER_KEY_FILE: '/run/secrets/master_key',
        ...env,
      },
      command,
    )
    programs.push(server)
    const address = `http://127.0.0.1:${port}`
    await until(
      'the server',
      () =>
        fetch(`${address}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      120_000,
    )
    const ask = async (path: string, body?: object) => {
      const response = await fetch(`${address}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    return { ...server, address, ask }
  }

  it('has the bill of materials, and code that its user cannot change', () => {
    const bill = JSON.parse(readFileSync(join(made.root, 'usr/local/share/sbom/toolyard.cdx.json'), 'utf8')) as {
      components: { name: string }[]
    }
    expect(bill.components.map(({ name }) => name)).toContain('undici')
    for (const file of ['opt/toolyard', 'opt/toolyard/node_modules/toolyard/dist/toolyard.js']) {
      const { uid, mode } = statSync(join(made.root, file))
      expect([uid, mode & 0o022], file).toEqual([0, 0])
    }
    expect(existsSync(join(made.root, 'opt/toolyard/node_modules/toolyard/node_modules'))).toBe(false)
  })

  it('serves in production as process 1, not root, and writes its volume only', async () => {
    const server = await serve({})
    const [user] = image.user.split(':')
    expect(server.status()).toMatch(new RegExp(`^Uid:\\t${user}\\t${user}\\t${user}\\t${user}$`, 'm'))
    expect(server.status()).toMatch(/^NoNewPrivs:\t1$/m)
    expect(server.status()).toMatch(/^CapEff:\t0+$/m)
    expect(server.status()).toMatch(/^NSpid:\t\d+\t1$/m)
    expect(server.run(image.health)).toEqual({ code: 0, out: '', err: '' })
    const write = (file: string) =>
      server
        .run(['node', '-p', `try { fs.writeFileSync('${file}', ''), 'written' } catch ({ code }) { code }`])
        .out.trim()
    expect(['/x', '/tmp/x', '/opt/toolyard/x', '/run/secrets/token', '/data/x'].map(write)).toEqual([
      'EROFS',
      'EROFS',
      'EROFS',
      'EROFS',
      'written',
    ])
    // Temporary files go through the volume.
    const backup = server.run(['toolyard', 'backup', '/data/backup.db'])
    expect([backup.code, backup.out]).toEqual([0, expect.stringContaining('verified')])
    const doctor = server.run(['toolyard', 'doctor', '--json'])
    const { findings } = JSON.parse(doctor.out) as { findings: { check: string; state: string; says: string }[] }
    expect(findings.filter(({ state }) => state === 'wrong')).toEqual([])
    expect(findings).toContainEqual(
      expect.objectContaining({ check: 'server token', says: 'from TOOLYARD_TOKEN_FILE (/run/secrets/token)' }),
    )
    expect(existsSync(join(made.root, 'data/token'))).toBe(false)
    server.stop('SIGTERM')
    expect(await server.ended).toBe(0)
    expect(server.said()).toContain('"event":"stopped"')
    expect(server.said()).not.toContain(token)
  }, 300_000)

  it('runs the first steps against the sandbox', async () => {
    const server = await serve({ TOOLYARD_PRODUCTION: '0' }, ['toolyard', 'serve', '--sandbox'])
    const boards = await server.ask('/v1/steps/work-board/get-boards/run', { input: { lists: 'open' } })
    expect([boards.status, boards.body]).toEqual([
      200,
      expect.objectContaining({ output: expect.anything() as unknown }),
    ])
    const listed = server.run(['toolyard', 'list', '--json'])
    expect([listed.code, listed.err]).toEqual([0, ''])
    expect(listed.out).toContain('work-board')
    server.stop('SIGTERM')
    expect(await server.ended).toBe(0)
  }, 300_000)

  it('has the Debian of its base, and nothing of the build', ({ skip }) => {
    skip(!made.isDebian, 'There is no Debian here.')
    const release = readFileSync(join(made.root, 'usr/lib/os-release'), 'utf8')
    expect(image.all.find(({ name }) => name === 'ARG')!.text).toMatch(
      new RegExp(`-${/VERSION_CODENAME=(\w+)/.exec(release)![1]}-slim$`),
    )
    expect(existsSync(join(made.root, 'tmp/toolyard.tgz'))).toBe(false)
  })

  it('is unhealthy where no server answers', async () => {
    const health = made.start({ TOOLYARD_PORT: String(await freePort()) }, image.health)
    programs.push(health)
    expect(await health.ended).toBe(1)
  })
})
