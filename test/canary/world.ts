import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { startSandbox } from '../../shared/sandbox/index.ts'
import { entry, start } from '../faces/process.ts'
import { startProvider } from '../support/provider.ts'
import { documentedRoutes } from '../connections/route-table.ts'
import type { Document } from '../connections/route-table.ts'
import type { Evidence } from './sweep.ts'

/** A secret that occurs nowhere else, with signs that every encoding writes otherwise. */
const canary = (head: string) => `${head}${randomBytes(18).toString('hex')}+/=&%~"\\${randomBytes(6).toString('hex')}`
const plainCanary = (head: string) => head + randomBytes(32).toString('hex')

/** A sandbox whose accounts have secrets of this run alone. */
const startProviders = async (secrets: Map<string, string>) => {
  const keep = (name: string, text: string) => {
    secrets.set(name, text)
    return text
  }
  const limits = { requests: 10_000, windowMs: 1000 }
  const sandbox = await startSandbox({
    board: { limits: { token: 100_000, key: 100_000, memberRoute: 100_000 } },
    anz: { apiKey: keep('API key of anz-data', canary('anz')), limits },
    contact: { apiKey: keep('API key of contact-data', canary('contact')), limits },
  })
  // An account whose provider delivers signals.
  const signals = await startContactSandbox({
    profile: 'lusha-v3',
    apiKey: keep('API key of the account with signals', canary('signals')),
    limits: { requests: 10_000 },
    windows: { usage: 10_000, webhooks: 10_000 },
  })
  const { state, credentials } = sandbox.board
  const app = state.apps.get(credentials.key)!
  app.secret = keep('app secret', plainCanary('app'))
  app.oauth2.clientSecret = keep('OAuth 2.0 client secret', canary('ATOA'))
  const token = state.tokens.get(credentials.token)!
  state.tokens.delete(token.value)
  // What stands between quotes in a header of the board takes no quotes.
  token.value = keep(
    'token of key and token',
    `ATTA${randomBytes(18).toString('hex')}+/=&%~${randomBytes(6).toString('hex')}`,
  )
  state.tokens.set(token.value, token)
  return { sandbox, signals, key: credentials.key, token: token.value, app }
}

/** An agent that keeps what it is sent. */
const startAgent = (evidence: Evidence[], answer: (path: string) => string) =>
  startProvider((request, response, body) => {
    evidence.push({
      place: 'agent',
      name: request.url ?? '',
      bytes: Buffer.from(`${JSON.stringify(request.headers)}\n${body}`),
    })
    response.writeHead(200, { 'content-type': 'text/plain' }).end(answer(request.url ?? ''))
  })

/** An identity provider beside ours, and a token of it. */
const startIdentities = async (secrets: Map<string, string>) => {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'canary', alg: 'ES256' }
  const provider = await startProvider((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [jwk] })),
  )
  const jwt = await new SignJWT({ tenant: 'default', scope: 'read run' })
    .setProtectedHeader({ alg: 'ES256', kid: 'canary' })
    .setIssuer('https://id.example')
    .setAudience('toolyard')
    .setSubject('someone')
    .setExpirationTime('1h')
    .sign(privateKey)
  secrets.set('signature of an operator’s JWT', jwt.split('.')[2]!)
  return {
    provider,
    jwt,
    settings: { issuer: 'https://id.example', audience: 'toolyard', jwksUrl: `${provider.origin}/keys` },
  }
}

export type Asked = {
  method?: string
  params?: Record<string, string>
  query?: string
  body?: unknown
  raw?: string
  /** '': none. */
  token?: string
  headers?: Record<string, string>
  shown?: string[]
  shows?(json: any): string[]
  ms?: number
}
export type Answer = { status: number; headers: Headers; text: string; json: any }

const argumentsOf = async (pid: number) => {
  const [args, title] = await Promise.all(['cmdline', 'comm'].map((file) => readFile(`/proc/${pid}/${file}`)))
  return Buffer.concat([args!, Buffer.from('\n'), title!])
}

/** The served process, its providers, and everything it gives out. */
export const openCanaryWorld = async () => {
  const secrets = new Map<string, string>()
  const evidence: Evidence[] = []
  const visited = new Set<string>()
  const folder = await mkdtemp(join(tmpdir(), 'toolyard-canary-'))
  const { sandbox, signals, key, token, app } = await startProviders(secrets)
  const identities = await startIdentities(secrets)
  const agentAnswers: Record<string, string> = {}
  const agent = await startAgent(evidence, (path) => agentAnswers[path] ?? 'thank you')
  const masterKey = randomBytes(32)
  secrets
    .set('master key', masterKey.toString('base64'))
    .set('master key, its bytes', masterKey.toString('latin1'))
    .set('master key in hex', masterKey.toString('hex'))
  const former = randomBytes(32)
  secrets.set('former master key', former.toString('base64'))
  const bearer = canary('bearer')
  secrets.set('bearer token of the server', bearer)
  const [wire, jwt, data] = [join(folder, 'wire.json'), join(folder, 'jwt.json'), join(folder, 'data')]
  const board = sandbox.wire['work-board'] as { oauth: object }
  await writeFile(jwt, JSON.stringify(identities.settings))
  const origins = sandbox.places.map(({ origin }) => origin)
  const env = {
    TOOLYARD_DATA: data,
    TOOLYARD_TOKEN: bearer,
    TOOLYARD_MASTER_KEY: masterKey.toString('base64'),
    TOOLYARD_WIRE: wire,
    TOOLYARD_JWT: jwt,
    TOOLYARD_OAUTH: 'on',
    TOOLYARD_RUN_CONTENTS: '24h',
    TOOLYARD_PORT: '0',
    TOOLYARD_PRIVATE_ORIGINS: [...origins, signals.origin, identities.provider.origin].join(','),
    TOOLYARD_AGENT_ORIGINS: agent.origin,
    TOOLYARD_SCAN_SECONDS: '10',
    DEBUG: '*',
    NO_COLOR: '1',
  }

  const wide = {
    pace: { limits: [{ per: 'connection', max: 100_000, windowMs: 10_000 }], concurrency: 32, remaining: [] },
  }
  // The documented profiles name no probe, and a wire check without one sends nothing.
  const tried = (integration: string, probes: Record<string, object>) => {
    const integrationWire = sandbox.wire[integration] as { endpoints?: Record<string, object> }
    const endpoints = Object.entries(probes).map(([name, values]) => [
      name,
      { ...integrationWire.endpoints?.[name], probe: { values, credits: 1 } },
    ])
    return { ...integrationWire, endpoints: { ...integrationWire.endpoints, ...Object.fromEntries(endpoints) } }
  }
  const override = (version: string) =>
    JSON.stringify({
      'work-board': { ...board, ...wide, oauth: { ...board.oauth, version } },
      'anz-data': tried('anz-data', {
        'enrich-person': { email: 'nobody@example.invalid' },
        'search-people': { company: 'Nobody' },
      }),
      'contact-data': {
        ...tried('contact-data', {
          person: { email: 'nobody@example.invalid' },
          company: { domain: 'nobody.invalid' },
        }),
        profiles: { 'lusha-v3': { baseUrl: signals.origin } },
      },
    })
  await writeFile(wire, override('1.0a'))

  let server = start(['serve'], { ...env, TOOLYARD_MASTER_KEY: former.toString('base64') })
  let address = ''
  const serving = async () => {
    await server.printed('Try:')
    address = /Address +(\S+)/.exec(server.out())![1]!
    evidence.push({ place: 'arguments', name: 'serve', bytes: await argumentsOf(server.pid) })
  }
  const stopped = async () => {
    server.kill('SIGTERM')
    const { out, err, code } = await server.ended
    evidence.push(
      { place: 'logs', name: 'standard output of serve', bytes: Buffer.from(out) },
      { place: 'logs', name: 'standard error of serve', bytes: Buffer.from(err) },
    )
    return code
  }
  await serving()

  /** Every file of the data directory as it lies there now. */
  const lookAtFiles = async (when: string) => {
    for (const entry of await readdir(data, { recursive: true, withFileTypes: true })) {
      if (entry.isFile())
        evidence.push({
          place: 'files',
          name: `${when}: ${entry.name}`,
          bytes: await readFile(join(entry.parentPath, entry.name)),
        })
    }
  }

  const ask = async (route: string, request: Asked = {}): Promise<Answer> => {
    const [method, template] = route.split(' ') as [string, string]
    visited.add(route)
    const path = template.replaceAll(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(request.params?.[name] ?? 'none'),
    )
    // The time of a stream begins with its first line.
    const leaving = new AbortController()
    const payload = request.raw ?? (request.body === undefined ? undefined : JSON.stringify(request.body))
    const reply = await fetch(`${address}${path}${request.query ?? ''}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(request.token === '' ? {} : { authorization: `Bearer ${request.token ?? bearer}` }),
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...request.headers,
      },
      ...(payload === undefined ? {} : { body: payload }),
      signal: AbortSignal.any([leaving.signal, AbortSignal.timeout(120_000)]),
    })
    if (request.ms !== undefined) setTimeout(() => leaving.abort(), request.ms)
    const chunks: Buffer[] = []
    try {
      for await (const chunk of reply.body ?? []) chunks.push(Buffer.from(chunk as Uint8Array))
    } catch (thrown) {
      // A stream of news has no end but ours.
      if (request.ms === undefined) throw thrown
    }
    const bytes = Buffer.concat(chunks)
    const text = bytes.toString('utf8')
    const isJson = /json/.test(reply.headers.get('content-type') ?? '')
    const json = isJson && text !== '' ? JSON.parse(text) : undefined
    const heads = Buffer.from(JSON.stringify([...reply.headers]))
    evidence.push({
      place: template === '/metrics' ? 'metrics' : template.startsWith('/v1/admin/audit') ? 'audit' : 'http',
      name: `${route} ${reply.status}`,
      bytes: Buffer.concat([heads, Buffer.from('\n'), bytes]),
      shown: [...(request.shown ?? []), ...(request.shows?.(json) ?? [])],
    })
    return { status: reply.status, headers: reply.headers, text, json }
  }

  /** A command of the command line, beside the running server. */
  const command = async (args: string[], options: { shows?(out: string): string[] } = {}) => {
    const running = start(args, env)
    evidence.push({
      place: 'arguments',
      name: args.join(' '),
      bytes: await argumentsOf(running.pid).catch(() => Buffer.alloc(0)),
    })
    const ended = await running.ended
    const place = 'command line'
    evidence.push(
      { place, name: args.join(' '), bytes: Buffer.from(ended.out), shown: options.shows?.(ended.out) ?? [] },
      { place, name: `${args.join(' ')}, standard error`, bytes: Buffer.from(ended.err) },
    )
    return ended
  }

  /** MCP over standard input and output, which stays open until the last line was answered. */
  const speak = async (lines: object[], until: string) => {
    const child = spawn(process.execPath, [entry, 'mcp'], {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: 'pipe',
    })
    let [out, err] = ['', '']
    child.stderr.setEncoding('utf8').on('data', (part: string) => (err += part))
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      out += part
      if (out.includes(until)) child.stdin.end()
    })
    for (const line of lines) child.stdin.write(`${JSON.stringify(line)}\n`)
    evidence.push({ place: 'arguments', name: 'mcp', bytes: await argumentsOf(child.pid!) })
    await new Promise((resolve) => child.on('close', resolve))
    evidence.push(
      { place: 'mcp', name: 'standard output of mcp', bytes: Buffer.from(out) },
      { place: 'logs', name: 'standard error of mcp', bytes: Buffer.from(err) },
    )
    return out
  }

  /** Marks of a flow: the last answers gave them to the browser they are of. */
  const forgive = (...texts: string[]) => {
    for (const item of evidence.slice(-4)) if (item.place === 'http') item.shown = [...(item.shown ?? []), ...texts]
  }

  return {
    secrets,
    evidence,
    forgive,
    visited,
    sandbox,
    signals,
    key,
    token,
    app,
    agent,
    told: agentAnswers,
    identities,
    bearer,
    data,
    folder,
    env,
    get address() {
      return address
    },
    ask,
    command,
    speak,
    lookAtFiles,
    routes: async () =>
      documentedRoutes((await ask('GET /openapi.json')).json as Document).map(({ method, path, body }) => ({
        route: `${method} ${path}`,
        hasBody: body !== undefined,
      })),
    /** Stops the server and starts it again, with the other version of OAuth and under the other master key. */
    async restart(version: '1.0a' | '2.0') {
      await stopped()
      await writeFile(wire, override(version))
      server = start(['serve'], { ...env, TOOLYARD_OLD_MASTER_KEYS: former.toString('base64') })
      await serving()
    },
    stopped,
    async close() {
      await sandbox.close()
      await signals.close()
      await agent.close()
      await identities.provider.close()
      await rm(folder, { recursive: true, force: true })
    },
    kill: () => server.kill('SIGKILL'),
  }
}
export type CanaryWorld = Awaited<ReturnType<typeof openCanaryWorld>>
