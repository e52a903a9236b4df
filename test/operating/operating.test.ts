/** What docs/deploying.md puts around the server: systemd, nginx with TLS, a private certificate authority. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer as createTls, request as requestTls } from 'node:https'
import { request as requestPlain } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { start } from '../faces/process.ts'
import type { Started } from '../faces/process.ts'
import { makeCertificates } from '../faults/certificate.ts'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import { until } from '../support/agent-world.ts'
import { blockOf, read, root } from '../docs/pages.ts'
import { freePort } from '../support/free-port.ts'
import { startNginx } from './nginx.ts'

const run = promisify(execFile)
const token = 'a-token-of-the-operator'
const certificates = makeCertificates('localhost')

let directory: string
const ending: (() => unknown)[] = []
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'toolyard-operating-'))
  await writeFile(join(directory, 'authority.pem'), certificates.authority)
  await writeFile(join(directory, 'cert.pem'), certificates.good.cert)
  await writeFile(join(directory, 'key.pem'), certificates.good.key)
})
afterAll(async () => {
  for (const end of ending.toReversed()) await end()
  await rm(directory, { recursive: true, force: true })
})

const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => (socket.destroy(), resolve(true))).on('error', () => resolve(false))
  })

/** A served process, with a data directory of its own. */
const serve = async (env: Record<string, string>, args: string[] = []): Promise<{ server: Started; port: number }> => {
  const port = await freePort()
  const server = start(['serve', ...args], {
    TOOLYARD_PORT: String(port),
    TOOLYARD_DATA: await mkdtemp(join(directory, 'data-')),
    TOOLYARD_TOKEN: token,
    ...env,
  })
  ending.push(async () => (server.kill('SIGKILL'), server.ended))
  await until('the server', () => isOpen(port), 60_000)
  return { server, port }
}

describe('the systemd unit', () => {
  it('is one that systemd accepts', async () => {
    const unit = join(directory, 'toolyard.service')
    // The command is checked to be there, which it is not on this machine.
    const text = read('docs/examples/toolyard.service').replace(
      /^ExecStart=\S+ \S+/m,
      `ExecStart=${process.execPath} ${join(root, 'shared/toolyard.js')}`,
    )
    await writeFile(unit, text.replace(/^Documentation=.*\n/m, ''))
    const { stdout, stderr } = await run('systemd-analyze', ['verify', '--man=no', unit])
    expect(`${stdout}${stderr}`).toBe('')
    // A wrong unit is seen.
    await writeFile(unit, text.replace('Restart=on-failure', 'Restart=perhaps').replace('[Service]', '[Servize]'))
    const wrong = await run('systemd-analyze', ['verify', '--man=no', unit]).catch((error: { stderr: string }) => error)
    expect(wrong.stderr).toContain('Servize')
  })

  it('starts the server with settings that are settings', async () => {
    const unit = read('docs/examples/toolyard.service')
    const [, settings = ''] = /^Environment=(.*)$/m.exec(unit) ?? []
    const environment = Object.fromEntries(settings.split(' ').map((pair) => pair.split('=') as [string, string]))
    const { readConfiguration } = await import('../../shared/settings.ts')
    expect(
      readConfiguration(
        { ...environment, TOOLYARD_TOKEN: token, TOOLYARD_PUBLIC_URL: 'https://tools.example.org' },
        '/var/lib/toolyard',
      ),
    ).toMatchObject({
      data: '/var/lib/toolyard',
      production: true,
      logFormat: 'json',
    })
  })
})

describe('the command of a machine', () => {
  it('has the settings, the data and the Node of the service', async () => {
    const { port } = await serve({})
    const settings = join(directory, 'toolyard.env')
    await writeFile(settings, `TOOLYARD_TOKEN=${token}\nTOOLYARD_URL='http://127.0.0.1:${port}'\n`)
    const data = await mkdtemp(join(directory, 'state-'))
    const command = blockOf('operator')
      .replace('/etc/toolyard/toolyard.env', settings)
      .replace('/var/lib/toolyard', data)
      .replace('/opt/toolyard/bin/node', process.execPath)
      .replace('/opt/toolyard/node_modules/toolyard', root)
      // Only root may become another user, and this machine need not have that one.
      .replace('runuser -u toolyard --', 'env')
    const call = (args: string) => run('bash', ['-euc', `${command}\ntoolyard ${args}`], { cwd: directory })
    expect((await call('backup before.db')).stdout).toContain('before.db: ')
    expect(await readdir(data)).toEqual(['before.db'])
    expect((await call('tokens add "CRM agent" -s run')).stdout).toMatch(/^ty_/)
  })
})

type Asked = { method?: string; path: string; body?: string | Buffer; headers?: Record<string, string>; from?: string }
const bodyOf = async (response: IncomingMessage) => {
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}

describe('nginx with TLS', () => {
  let port: number
  let upstream: number
  /** Not read to its end: a stream has none. */
  const open = ({ method = 'GET', path, body, headers, from }: Asked) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const options = {
        host: 'localhost',
        port,
        path,
        method,
        ca: certificates.authority,
        agent: false as const,
        ...(from ? { localAddress: from, family: 4 } : {}),
      }
      requestTls({ ...options, headers: { authorization: `Bearer ${token}`, ...headers } }, resolve)
        .on('error', reject)
        .end(body)
    })
  const ask = async (request: Asked) => {
    const response = await open(request)
    return { status: response.statusCode!, headers: response.headers, body: await bodyOf(response) }
  }

  beforeAll(async () => {
    port = await freePort()
    const plain = await freePort()
    upstream = (
      await serve(
        {
          TOOLYARD_TRUSTED_PROXIES: '127.0.0.1',
          TOOLYARD_PUBLIC_URL: `https://localhost:${port}`,
          TOOLYARD_LOG: 'json',
        },
        ['--sandbox'],
      )
    ).port
    ending.push(await startNginx({ directory, port, plain, upstream }))
    await until('nginx', () => isOpen(port), 30_000)
  }, 120_000)

  it('passes requests and answers on, with its own headers beside ours', async () => {
    const reply = await ask({ path: '/v1/integrations' })
    expect([reply.status, reply.headers['strict-transport-security'], reply.headers['x-content-type-options']]).toEqual(
      [200, 'max-age=31536000', 'nosniff'],
    )
    expect((JSON.parse((await ask({ path: '/openapi.json' })).body) as { servers: object[] }).servers).toEqual([
      { url: `https://localhost:${port}` },
    ])
    const metrics = await ask({ path: '/metrics', from: '127.0.0.2' })
    expect(metrics.status).toBe(403)
  })

  it('streams: the first line of /v1/stream arrives although the stream goes on, and what happens arrives after it', async () => {
    const stream = await open({ path: '/v1/stream' })
    let text = ''
    stream.setEncoding('utf8').on('data', (part: string) => (text += part))
    await until('the first line', () => text.includes(': changes from now on'), 30_000)
    stream.destroy()
  })

  it('streams MCP answers', async () => {
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }
    const reply = await ask({
      method: 'POST',
      path: '/mcp',
      body: JSON.stringify(initialize),
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    })
    expect(reply.status, reply.body).toBe(200)
    expect(reply.body).toContain('"protocolVersion"')
  })

  it('passes deliveries on, up to what the server takes, and refuses what is beyond all of it', async () => {
    const deliver = (bytes: number) =>
      ask({
        method: 'POST',
        path: '/hooks/work-board/unknown',
        body: Buffer.alloc(bytes, 32),
        headers: { 'content-type': 'application/json' },
      })
    // Unknown hooks and wrong signatures get the same answer: it is the server's, so the body went through.
    const [small, large] = [await deliver(100), await deliver(900_000)]
    expect([small.status, large.status]).toEqual([401, 401])
    expect(small.headers['x-content-type-options']).toBe('nosniff')
    const direct = await fetch(`http://127.0.0.1:${upstream}/hooks/work-board/unknown`, { method: 'HEAD' })
    expect((await ask({ method: 'HEAD', path: '/hooks/work-board/unknown' })).status).toBe(direct.status)
    const size = String(101 * 1_048_576)
    const beyond = await open({
      method: 'POST',
      path: '/v1/files',
      headers: { 'content-type': 'application/octet-stream', 'content-length': size },
    })
    expect([beyond.statusCode, beyond.headers['x-content-type-options']]).toEqual([413, undefined])
    beyond.destroy()
  })

  it('tells the server who asks: wrong tokens of one address do not count against another, whatever a client claims', async () => {
    const wrong = (from: string, n = 0) =>
      ask({
        path: '/v1/runs',
        from,
        headers: { authorization: `Bearer wrong-${n}`, 'x-forwarded-for': `203.0.113.${n % 250}` },
      })
    let refused = 0
    for (let n = 0; n < 400 && refused === 0; n += 1) if ((await wrong('127.0.0.2', n)).status === 429) refused = n
    expect(refused).toBeGreaterThan(0)
    expect((await wrong('127.0.0.1')).status).toBe(401)
  })

  it('is used by a plain request to find the way to TLS', async () => {
    const [, plain] = /listen 127\.0\.0\.1:(\d+);/.exec(await readFile(join(directory, 'site.conf'), 'utf8')) ?? []
    const response = await new Promise<IncomingMessage>((resolve) =>
      requestPlain({ port: Number(plain), path: '/console?x=1', headers: { host: 'localhost' } }, resolve).end(),
    )
    expect([response.statusCode, response.headers.location]).toEqual([301, 'https://localhost/console?x=1'])
    response.resume()
  })
})

describe('a private certificate authority', () => {
  it('is trusted with NODE_EXTRA_CA_CERTS; without it the refusal names the certificate', async () => {
    const sandbox = await startBoardSandbox()
    const provider = createTls({ cert: certificates.good.cert, key: certificates.good.key }, (request, response) => {
      const passed = requestPlain(
        `${sandbox.origin}${request.url}`,
        { method: request.method, headers: request.headers },
        (answer) => {
          response.writeHead(answer.statusCode!, answer.headers)
          answer.pipe(response)
        },
      )
      request.pipe(passed)
    })
    await new Promise<void>((done) => provider.listen(0, '127.0.0.1', done))
    ending.push(() => (provider.closeAllConnections(), provider.close(), sandbox.close()))
    const origin = `https://localhost:${(provider.address() as AddressInfo).port}`
    await writeFile(join(directory, 'wire.json'), JSON.stringify({ 'work-board': { baseUrl: origin } }))
    const env = { TOOLYARD_WIRE: join(directory, 'wire.json'), TOOLYARD_PRIVATE_ORIGINS: origin }
    const connectBoard = async (port: number) => {
      const { key, token: credential } = sandbox.credentials
      const response = await fetch(`http://127.0.0.1:${port}/v1/connections`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ integration: 'work-board', type: 'key-token', secrets: { key, token: credential } }),
      })
      return (await response.json()) as { state?: string; stateReason?: string | null }
    }
    const trusting = await serve({ ...env, NODE_EXTRA_CA_CERTS: join(directory, 'authority.pem') })
    expect(await connectBoard(trusting.port)).toMatchObject({ state: 'connected' })
    const not = await serve(env)
    expect(await connectBoard(not.port)).toMatchObject({
      state: 'unverified',
      stateReason: expect.stringMatching(/certificate/i) as string,
    })
  }, 180_000)
})
