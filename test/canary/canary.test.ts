import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { holdRuns } from './held.ts'
import { letProgramIn } from './programs.ts'
import { openCanaryWorld } from './world.ts'
import type { CanaryWorld } from './world.ts'
import { receiveSignals } from './signals.ts'
import { spend } from './spend.ts'
import {
  checkWires,
  connectByOAuth,
  connectOnPages,
  failEverything,
  failOAuth,
  marker,
  refuseCredentials,
  speakMcp,
} from './story.ts'
import { notifyPlatform, rotateAgentSecret, signInBrowser, testAgents, useFiles, useTools } from './embedding.ts'
import { echoesOf, formsOf, sweep } from './sweep.ts'
import type { Evidence, Hit } from './sweep.ts'
import { integrationIds, stepCount } from '../support/shipped.ts'

/** What a served process leaves behind and gives out, after everything was done with it that can be done. */
let world: CanaryWorld
let hits: Hit[]
const facts: Record<string, any> = {}

const setUp = async ({ ask, key, token, app, secrets, command }: CanaryWorld) => {
  await ask('PUT /v1/apps/:integration', {
    params: { integration: 'work-board' },
    body: { key, secret: app.secret, clientId: app.oauth2.clientId, clientSecret: app.oauth2.clientSecret },
  })
  const made = await Promise.all(
    [
      { integration: 'work-board', type: 'key-token', secrets: { key, token } },
      { integration: 'anz-data', type: 'api-key', secrets: { apiKey: secrets.get('API key of anz-data') } },
      { integration: 'contact-data', type: 'api-key', secrets: { apiKey: secrets.get('API key of contact-data') } },
    ].map((body) => ask('POST /v1/connections', { body: { ...body, name: marker, isDefault: true } })),
  )
  facts.made = made.map(({ status, json }) => [status, json.state])
  facts.connections = made.map(({ json }) => json.id)
  await command(['connect', 'anz-data', '--no-wait'], { shows: (out) => [/connect\/(\S+)/.exec(out)?.[1] ?? ''] })
}

const attachAgents = async ({ ask, agent, told: agentAnswers, secrets, sandbox }: CanaryWorld) => {
  const board = [...sandbox.board.state.boards.keys()][0]!
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  secrets.set('agent secret given', secret)
  const attach = (trigger: string, agentFields: object, shows?: (json: any) => string[]) =>
    ask('POST /v1/subscriptions', {
      body: {
        integration: 'work-board',
        trigger,
        connection: marker,
        config: { boards: [board] },
        agent: { id: 'a', url: `${agent.origin}/${trigger}`, ...agentFields },
      },
      ...(shows ? { shows } : {}),
    })
  const first = await attach('new-card', { secret })
  const second = await attach('card-updated', {}, (json) => [json.agent?.secret ?? ''])
  secrets.set('agent secret made', second.json.agent.secret)
  facts.subscriptions = [first, second].map(({ status, json }) => [status, json.state])
  // An agent that tells what it knows.
  agentAnswers['/new-card'] = `I am ${echoesOf(secret).join(' ')}`
  agentAnswers['/card-updated'] = `I am ${echoesOf(second.json.agent.secret).join(' ')}`
  const list = [...sandbox.board.state.lists.values()].find(({ idBoard }) => idBoard === board)!.id
  const card = sandbox.board.control.createCard({ by: 'odettequill', idList: list, name: 'A card for an agent' })
  sandbox.board.control.moveCard({
    by: 'odettequill',
    idCard: card.id,
    idList: [...sandbox.board.state.lists.values()].filter(({ idBoard }) => idBoard === board)[1]!.id,
  })
  const started = () => new Set(agent.seen.map(({ url }) => url))
  for (let n = 0; n < 300 && started().size < 2; n += 1) await wait(100)
  facts.started = started()
  return { subscriptions: [first.json.id, second.json.id] as string[] }
}

const lookAtInbox = async ({ ask, sandbox, token }: CanaryWorld, [subscription, other]: string[]) => {
  const [hook] = (await ask('GET /v1/hooks')).json.items
  const [event] = (await ask('GET /v1/events')).json.items
  const [start] = (await ask('GET /v1/starts')).json.items
  facts.inbox = [typeof event?.id, typeof start?.id]
  const hookId = [...sandbox.board.state.webhooks.values()][0]!.callbackURL.split('/').at(-1)!
  facts.hook = hook?.id !== undefined
  const at = { integration: 'work-board', hookId }
  for (const params of [at, { ...at, hookId: 'unknown' }]) {
    await ask('HEAD /hooks/:integration/:hookId', { params })
    await ask('POST /hooks/:integration/:hookId', {
      params,
      body: { action: { id: token } },
      headers: { 'x-trello-webhook': token },
    })
  }
  for (const [route, id] of [
    ['GET /v1/events/:id', event.id],
    ['POST /v1/events/:id/replay', event.id],
    ['GET /v1/starts/:id', start.id],
    ['POST /v1/starts/:id/replay', start.id],
    ['GET /v1/subscriptions/:id', subscription],
    ['GET /v1/subscriptions/:id/sample', subscription],
    ['POST /v1/subscriptions/:id/test', subscription],
    ['POST /v1/subscriptions/:id/recover', subscription],
    ['POST /v1/subscriptions/:id/pause', other],
    ['POST /v1/subscriptions/:id/resume', other],
  ] as [string, string][])
    await ask(route, { params: { id } })
  await ask('PATCH /v1/subscriptions/:id', { params: { id: other! }, body: { labels: { a: 'b' } } })
  await ask('POST /v1/starts/replay', { body: { subscription, state: 'dead' } })
  for (const route of ['GET /v1/gaps', 'GET /v1/undecodable', 'GET /v1/subscriptions']) await ask(route)
  await ask('POST /v1/deliveries/preview', {
    body: { integration: 'work-board', connection: marker, body: { action: { id: token } } },
  })
  const sample = { params: { integration: 'work-board', step: 'get-boards' } }
  await ask('PUT /v1/steps/:integration/:step/sample', {
    ...sample,
    body: { input: { lists: 'open' }, output: { boards: [] } },
  })
  await ask('GET /v1/steps/:integration/:step/sample', sample)
  await ask('POST /v1/hooks/prune', { body: { connection: marker } })
  await ask('POST /v1/triggers/:integration/:trigger/options', {
    params: { integration: 'work-board', trigger: 'new-card' },
    body: { connection: marker, field: 'boards' },
  })
  await ask('GET /v1/stream', { ms: 1_500 })
}

/** Everything an operator and a platform ask for, and requests that put secrets where none belong. */
const lookAround = async ({ ask, bearer, identities, secrets, token }: CanaryWorld) => {
  for (const route of [
    'GET /v1/integrations',
    'GET /v1/steps',
    'GET /v1/runs',
    'GET /v1/usage',
    'GET /v1/connections',
    'GET /v1/admin/tenants',
    'GET /v1/admin/tokens',
    'GET /v1/admin/keys',
    'GET /v1/admin/policies',
    'GET /v1/admin/audit/verify',
    'GET /livez',
    'GET /readyz',
    'GET /metrics',
  ])
    await ask(route)
  for (const id of integrationIds) {
    await ask('GET /v1/integrations/:id', { params: { id } })
    await ask('GET /v1/apps/:integration', { params: { integration: id } })
  }
  await ask('GET /v1/admin/audit', { query: '?limit=200' })
  const { json: runs } = await ask('GET /v1/runs', { query: '?limit=200' })
  for (const { id } of runs.items.slice(0, 40)) await ask('GET /v1/runs/:id', { params: { id } })
  for (const id of facts.connections) {
    await ask('GET /v1/connections/:id', { params: { id } })
    await ask('POST /v1/connections/:id/test', { params: { id } })
  }
  await ask('POST /v1/admin/tenants', { body: { id: 'blue', name: 'Blue' } })
  await ask('PUT /v1/admin/policies', { query: '?tenant=blue', body: { limits: { connections: 1 } } })
  const { json: made } = await ask('POST /v1/admin/tokens', {
    body: { name: 'Blue', tenant: 'blue' },
    shows: ({ text }) => [text],
  })
  secrets.set('bearer token of a tenant', made.text)
  await ask('GET /v1/runs', { token: made.text })
  await ask('DELETE /v1/admin/tokens/:id', { params: { id: made.token.id }, query: '?tenant=blue' })
  await ask('GET /v1/runs', { token: made.text })
  facts.jwt = (await ask('GET /v1/runs', { token: identities.jwt })).status
  await ask('GET /v1/runs', { token: `${identities.jwt.slice(0, -4)}AAAA` })
  await ask('GET /v1/connections', {
    query: `?token=${encodeURIComponent(bearer)}&limit=nonsense`,
    headers: { referer: `https://platform.example/?token=${encodeURIComponent(token)}` },
  })
  await ask('GET /v1/nothing-here/:secret', { params: { secret: bearer }, shown: [bearer] })
  await ask('GET /v1/connections/:id', {
    params: { id: 'none' },
    headers: {
      authorization: `Basic ${Buffer.from(bearer).toString('base64')}`,
      cookie: `a=${encodeURIComponent(bearer)}`,
    },
  })
  await ask('GET /.well-known/oauth-protected-resource/mcp')
  await ask('GET /connect/assets/page.js')
  await ask('GET /console')
  facts.backup = (await ask('POST /v1/admin/backup')).status
}

const useCommands = async ({ command, speak, folder, secrets }: CanaryWorld) => {
  for (const args of [
    ['list'],
    ['describe', 'work-board', 'create-card'],
    ['run', 'work-board', 'get-boards', '-c', marker],
    ['run', 'work-board', 'get-boards', '-c', marker, '--dry-run', '--json'],
    ['run', 'work-board', 'get-boards', '-c', 'nobody', '--json'],
    ['wire', 'check', 'contact-data', '-c', marker, '--spend'],
    ['keys'],
    ['tenants'],
    ['tokens', '--json'],
    ['--help'],
    ['backup', `${folder}/backup.db`],
    ['nonsense'],
  ])
    await command(args)
  const added = await command(['tokens', 'add', 'By hand'], { shows: (out) => [out.trim()] })
  secrets.set('bearer token made by command', added.out.trim())
  const lines = [
    {
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'canary', version: '1' } },
    },
    { method: 'tools/list', params: {} },
    { method: 'tools/call', params: { name: 'work_board_get_boards', arguments: { connection: marker } } },
  ].map((message, id) => ({ jsonrpc: '2.0', id, ...message }))
  facts.stdio = (await speak(lines, '"id":2')).includes('Launch plan')
}

beforeAll(async () => {
  world = await openCanaryWorld()
  await setUp(world)
  facts.oauth1 = (await connectByOAuth(world, '1.0a')).status
  await connectByOAuth(world, '1.0a', 'deny')
  facts.oauth1Failed = await failOAuth(world, '1.0a')
  await world.lookAtFiles('under the former key')
  await world.restart('2.0')
  facts.oauth2 = (await connectByOAuth(world, '2.0')).status
  await connectByOAuth(world, '2.0', 'deny')
  facts.oauth2Failed = await failOAuth(world, '2.0')
  facts.pages = await connectOnPages(world)
  facts.requests = await failEverything(world)
  facts.wires = await checkWires(world, facts.connections)
  facts.spent = await spend(world)
  await refuseCredentials(world)
  const { subscriptions } = await attachAgents(world)
  facts.signals = await receiveSignals(world)
  facts.rotated = await rotateAgentSecret(world, subscriptions[0]!)
  facts.tested = await testAgents(world, subscriptions[0]!)
  facts.notified = await notifyPlatform(world)
  facts.files = await useFiles(world)
  facts.flat = await useTools(world)
  facts.held = await holdRuns(world)
  facts.signedIn = await signInBrowser(world)
  facts.tools = await speakMcp(world, facts.connections)
  await lookAtInbox(world, subscriptions)
  await letProgramIn(world)
  await world.lookAtFiles('in use')
  facts.rotation = (await world.ask('POST /v1/admin/keys/rotate')).json
  await lookAround(world)
  await useCommands(world)
  for (const id of subscriptions) await world.ask('DELETE /v1/subscriptions/:id', { params: { id } })
  await world.ask('DELETE /v1/connections/:id', { params: { id: facts.connections[1] } })
  facts.routes = await world.routes()
  // What takes no more than an id is asked without being named here.
  const [run] = (await world.ask('GET /v1/runs')).json.items
  for (const { route, hasBody } of facts.routes)
    if (!hasBody && !world.visited.has(route))
      await world.ask(route, {
        params: { id: run.id, integration: 'work-board', step: 'get-boards', trigger: 'new-card' },
      })
  await world.lookAtFiles('at the end')
  facts.code = await world.stopped()
  await world.lookAtFiles('after the stop')
  hits = sweep(world.evidence, world.secrets)
})
afterAll(async () => {
  world?.kill()
  await world?.close()
})

const bytesOf = (place: string) =>
  world.evidence.filter((item) => item.place === place).reduce((sum, { bytes }) => sum + bytes.length, 0)
const places = ['logs', 'files', 'http', 'mcp', 'metrics', 'audit', 'arguments', 'command line', 'agent']

describe('the story', () => {
  it('was played: every way to connect, every step, agents, MCP, commands, a rotation', () => {
    expect(facts).toMatchObject({
      made: [
        [201, 'connected'],
        [201, 'unverified'],
        [201, 'unverified'],
      ],
      oauth1: 200,
      oauth2: 200,
      pages: [424, 400, 200, 200, 200],
      subscriptions: [
        [201, 'active'],
        [201, 'active'],
      ],
      inbox: ['string', 'string'],
      hook: true,
      oauth1Failed: ['502', '422', '422', '502'],
      oauth2Failed: ['502', '424', '502', '502'],
      jwt: 200,
      tools: stepCount,
      signals: {
        made: [
          [201, 'active'],
          [201, 'active'],
        ],
        started: ['/company-signal', '/contact-signal'],
        statuses: [401, 401, 401],
        charged: 3,
      },
      rotated: { statuses: [400, 400, 200, 200], signatures: 2 },
      tested: [
        [200, 'subscription'],
        [200, 'given'],
        [400, '/secret'],
      ],
      notified: { statuses: [200, 200, 400, 400, 200, 200], signatures: 2 },
      files: { made: [201, 201], refused: [400, 403], attached: 200, seen: [200, 200, 200, 200], removed: 204 },
      flat: { right: 200, unknown: 404, documents: integrationIds.map(() => 200) },
      signedIn: [401, 200, 200, 403, 204, 401],
      held: { lookup: 200, denial: 'approval_denied', open: 'open' },
      stdio: true,
      backup: 200,
      code: 0,
      rotation: { made: false, failed: [] },
    })
    expect(facts.started).toEqual(new Set(['/new-card', '/card-updated']))
    expect(facts.rotation.resealed).toBeGreaterThan(3)
    expect(facts.held.states.length).toBeGreaterThan(10)
    for (const state of facts.held.states) expect(state).toMatch(/^done /)
    expect(facts.held.states.at(-1)).toBe('done null')
    for (const count of Object.values(facts.requests)) expect(count).toBeGreaterThan(60)
    expect(facts.wires['work-board']).toEqual([])
    for (const id of ['anz-data', 'contact-data']) {
      expect(facts.wires[id].filter((state: string) => state === 'ok').length).toBeGreaterThanOrEqual(2)
      expect(facts.wires[id]).not.toContain('wrong')
    }
  })

  it('paid for lookups, and ran jobs to an end', () => {
    expect(facts.spent.entries).toBeGreaterThan(2)
    for (const state of facts.spent.states) expect(['done', 'failed', 'paused']).toContain(state)
  })

  it('came to every route there is', () => {
    expect(facts.routes.length).toBeGreaterThan(40)
    expect(
      facts.routes.map(({ route }: { route: string }) => route).filter((route: string) => !world.visited.has(route)),
    ).toEqual([])
  })

  it('made every kind of secret', () => {
    const names = [...world.secrets.keys()]
    for (const kind of [
      'API key of anz-data',
      'API key of contact-data',
      'API key of the account with signals',
      'secret that signs signals',
      'what a signal says about who is suppressed',
      'app secret',
      'client secret',
      'token of key and token',
      'access token, OAuth 1.0a',
      'access token, OAuth 2.0',
      'refresh token',
      'request token secret',
      'verifier',
      'code',
      'master key',
      'bearer token',
      'JWT',
      'agent secret given',
      'agent secret made',
      'agent secret rotated to, given',
      'agent secret rotated to, made',
      'notification secret given',
      'notification secret made',
      'notification secret rotated to, given',
      'notification secret rotated to, made',
      'content of a file',
      'input of a held run',
      'person of a held run',
      'reason of a denial',
      'sign-in code',
      'session',
      'state',
      'cookie',
    ]) {
      expect(
        names.some((name) => name.includes(kind)),
        kind,
      ).toBe(true)
    }
  })

  it.each(places)('left something in: %s', (place) => expect(bytesOf(place)).toBeGreaterThan(100))

  it('left a name that is no secret where names may be, so what is searched can be read', () => {
    const markedPlaces = new Set(sweep(world.evidence, new Map([['marker', marker]])).map(({ place }) => place))
    for (const place of ['files', 'http', 'command line']) expect(markedPlaces).toContain(place)
    const connection = new Set(
      sweep(world.evidence, new Map([['connection', facts.connections[0]]])).map(({ place }) => place),
    )
    for (const place of ['logs', 'audit', 'agent']) expect(connection).toContain(place)
  })
})

describe('everything a process leaves behind', () => {
  it('finds no secret in any form in logs, files, answers, metrics, audit log or arguments', () => {
    expect(
      hits.map(({ place, name, secret, form }) => `${place} · ${name} · ${secret} · ${form}`).slice(0, 40),
    ).toEqual([])
  })

  it('finds each of them where it is planted, in every form', () => {
    const quiet = 'nothing to see here'
    for (const [name, secret] of world.secrets) {
      const missed = [...formsOf(secret)].filter(
        ([form]) =>
          sweep(
            [{ place: 'logs', name: 'planted', bytes: Buffer.from(`${quiet} ${form} ${quiet}`, 'latin1') }],
            new Map([[name, secret]]),
          ).length === 0,
      )
      expect(missed).toEqual([])
    }
    expect(sweep([{ place: 'logs', name: 'planted', bytes: Buffer.from(quiet) }], world.secrets)).toEqual([])
  })

  it('finds a leak planted in each kind of what was left behind', () => {
    const [name, secret] = [...world.secrets][0]!
    for (const place of places) {
      const planted: Evidence[] = world.evidence.map((item) => ({ ...item }))
      const at = planted.findIndex((item) => item.place === place && item.bytes.length > 0)
      const { bytes } = planted[at]!
      const middle = Math.floor(bytes.length / 2)
      planted[at]!.bytes = Buffer.concat([
        bytes.subarray(0, middle),
        Buffer.from(Buffer.from(secret).toString('base64')),
        bytes.subarray(middle),
      ])
      expect(sweep(planted.slice(at, at + 1), new Map([[name, secret]])).map((hit) => hit.place)).toContain(place)
    }
  })
})

describe('what may be seen of a secret', () => {
  it('a connection shows the last four characters of each, its name and times', () => {
    const shown = world.evidence.findLast(
      ({ name, place }) => place === 'http' && name === 'GET /v1/connections/:id 200',
    )!
    const { secrets } = JSON.parse(shown.bytes.toString('utf8').split('\n').slice(1).join('\n'))
    for (const text of Object.values<string>(secrets)) expect(text).toMatch(/^….{4}$/)
    const all = world.evidence
      .filter(({ name }) => name.startsWith('GET /v1/connections 200'))
      .map(({ bytes }) => bytes.toString('utf8'))
      .join()
    expect(all).toContain(`…${world.token.slice(-4)}`)
  })

  it('the database holds every secret sealed only, under the present key', () => {
    const file = world.evidence.findLast(({ name }) => name.endsWith('toolyard.db'))!
    const ids = new Set([...file.bytes.toString('latin1').matchAll(/"v1\.([0-9a-f]{12})\./g)].map(([, id]) => id))
    expect(ids.size).toBeGreaterThan(0)
    expect([...ids]).toContain(facts.rotation.keyId)
  })
})
