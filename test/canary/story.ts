import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { decide } from '../connections/provider-pages.ts'
import { callEveryTool } from '../mcp/every-tool.ts'
import { echoesOf } from './sweep.ts'
import type { CanaryWorld } from './world.ts'

/** What is put where nothing secret is, so that the search is seen to find what lies there. */
export const marker = 'visible-canary-5b1f77'

/** A provider that gives back what it was sent, written in every way. */
const echoes = (secrets: string[]) => secrets.flatMap(echoesOf)

type Fault = {
  times: number
  answer?: { status: number; body: any; contentType?: string; headers?: Record<string, string> }
  cut?: 'reset' | 'partial'
}

/** Every kind of answer a provider can leak by; `slow` ones are repeated by us. */
export const kindsOf = (secrets: string[]): { name: string; isSlow: boolean; fault: Fault }[] => {
  const all = echoes(secrets)
  const text = `You sent ${all.join(' and ')} `
  const body = {
    message: text,
    error: { message: text, code: secrets[0] },
    echoed: all,
    [secrets[0]!]: { authorization: secrets },
  }
  const html = `<html><body><h1>Oops</h1><pre>${text}</pre></body></html>`
  const header = { 'x-echo': encodeURIComponent(secrets[0]!), 'x-hex': Buffer.from(secrets[0]!).toString('hex') }
  const at = (status: number, replyBody: any, headers: Record<string, string> = {}): Fault => ({
    times: 10,
    answer: {
      status,
      body: replyBody,
      headers: { ...header, ...headers },
      ...(typeof replyBody === 'string' ? { contentType: 'text/html; charset=utf-8' } : {}),
    },
  })
  const quick: [string, Fault][] = [
    ['200 JSON', at(200, body)],
    ['200 list', at(200, [body])],
    ['200 text', at(200, text)],
    ['200 HTML', at(200, html)],
    ['400 JSON', at(400, body)],
    ['400 text', at(400, text)],
    ['402', at(402, body)],
    ['403', at(403, text)],
    ['404 JSON', at(404, body)],
    ['404 HTML', at(404, html)],
    ['409', at(409, body)],
    ['413', at(413, text)],
    ['422', at(422, body)],
    ['451', at(451, body)],
    [
      '302 to an address with it',
      at(302, text, { location: `https://elsewhere.example/?token=${encodeURIComponent(secrets[0]!)}` }),
    ],
  ]
  const slow: [string, Fault][] = [
    ['429', at(429, body, { 'retry-after': '0' })],
    ['500 JSON', at(500, body)],
    ['500 HTML', at(500, html)],
    ['503', at(503, text, { 'retry-after': '0' })],
    ['half an answer', { ...at(200, body), cut: 'partial' }],
    ['a broken line', { times: 10, cut: 'reset' }],
  ]
  return [
    ...quick.map(([name, fault]) => ({ name, isSlow: false, fault })),
    ...slow.map(([name, fault]) => ({ name, isSlow: true, fault })),
  ]
}

type Provider = { integration: string; arm(fault: Fault): void; clear(): void; hits(): number; secrets: string[] }

/** The three providers, each told what to answer next. */
export const providersOf = ({ sandbox, token, secrets }: CanaryWorld): Provider[] => {
  const lookups = (integration: string, { control }: typeof sandbox.anz): Provider => ({
    integration,
    // These take the content type as a header, and know no cut without an answer.
    arm: ({ answer, ...otherFields }) =>
      control.inject({
        ...otherFields,
        ...(answer
          ? {
              answer: {
                ...answer,
                headers: { ...answer.headers, ...(answer.contentType ? { 'content-type': answer.contentType } : {}) },
              },
            }
          : {}),
      }),
    clear: () => control.clearFaults(),
    hits: () => control.state().counters.requests,
    secrets: [secrets.get(`API key of ${integration}`)!],
  })
  const { control } = sandbox.board
  return [
    {
      integration: 'work-board',
      arm: (fault) => void control.fault(fault),
      clear: () => control.clearFaults(),
      hits: () => control.requests().length,
      secrets: [token],
    },
    lookups('anz-data', sandbox.anz),
    lookups('contact-data', sandbox.contact),
  ]
}

/** Connects by OAuth as a person with a browser does, and notes what secrets came of it. */
export const connectByOAuth = async (
  { ask, sandbox, secrets, forgive }: CanaryWorld,
  version: string,
  decision: 'allow' | 'deny' = 'allow',
  beforeReturn: (sent: string[]) => void = () => {},
) => {
  const begun = await ask('POST /v1/connections/authorize', {
    body: { integration: 'work-board', type: 'oauth', name: `OAuth ${version} ${decision}`, returnTo: '/console' },
  })
  const { state } = begun.json as { state: string }
  const opened = await ask('GET /connect/:state', { params: { state } })
  const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
  // The page says for whom the account is; its button leads on.
  const left = await ask('POST /connect/:state', {
    params: { state },
    raw: new URLSearchParams({ leave: 'yes' }).toString(),
    headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
    shown: [state],
  })
  const returned = await decide(left.headers.get('location')!, decision)
  const before = new Set(secrets.values())
  for (const { secret, allowed } of sandbox.board.state.requestTokens.values()) {
    secrets.set(`request token secret ${secret.slice(-6)}`, secret)
    if (allowed) secrets.set(`verifier ${allowed.verifier.slice(-6)}`, allowed.verifier)
  }
  beforeReturn(
    [...returned.searchParams.entries()].filter(([name]) => /code|verifier/.test(name)).map(([, text]) => text),
  )
  const done = await ask('GET /v1/oauth/:integration/callback', {
    params: { integration: 'work-board' },
    query: returned.search,
    headers: { cookie },
  })
  const { state: board } = sandbox.board
  for (const { value, kind } of board.tokens.values())
    if (kind !== 'token' && !before.has(value)) secrets.set(`access token, OAuth ${version}, ${secrets.size}`, value)
  for (const { refresh } of board.grants.values())
    if (refresh && !before.has(refresh)) secrets.set(`refresh token ${secrets.size}`, refresh)
  for (const { code } of board.codes.values()) secrets.set(`code ${code.slice(-6)}`, code)
  // What binds the flow to its browser belongs into that browser alone; what was shown so far is its own.
  secrets.set(`state ${version} ${decision}`, state).set(`cookie ${version} ${decision}`, cookie.split('=')[1]!)
  forgive(state, cookie.split('=')[1]!)
  // A second time, in a foreign browser, and denied.
  await ask('GET /v1/oauth/:integration/callback', {
    params: { integration: 'work-board' },
    query: returned.search,
    headers: { cookie },
    shown: [state, cookie.split('=')[1]!],
  })
  await ask('GET /v1/oauth/:integration/callback', { params: { integration: 'work-board' }, query: returned.search })
  return done
}

/**
 * A provider that gives back what it was sent when tokens are asked for: the app's secret, codes, verifiers, refresh
 * tokens.
 */
export const failOAuth = async (world: CanaryWorld, version: string) => {
  const { ask, sandbox, app, secrets } = world
  const path = version === '2.0' ? '/oauth/token' : '/1/OAuthGetAccessToken'
  const codes: string[] = []
  for (const status of [200, 400, 401, 500]) {
    const arm = (sent: string[]) => {
      const requestSecrets =
        version === '2.0'
          ? []
          : [...secrets]
              .filter(([name]) => name.startsWith('request token secret'))
              .map(([, text]) => text)
              .slice(-1)
      const errorText = `error ${echoes([version === '2.0' ? app.oauth2.clientSecret : app.secret, ...sent, ...requestSecrets]).join(' ')}`
      sandbox.board.control.fault({
        match: { path },
        times: 3,
        answer: {
          status,
          body:
            status === 200
              ? { error: errorText, error_description: errorText }
              : status === 400
                ? { error: 'invalid_grant', error_description: errorText }
                : errorText,
        },
      })
    }
    codes.push(String((await connectByOAuth(world, version, 'allow', arm)).status))
    sandbox.board.control.clearFaults()
  }
  sandbox.board.control.fault({
    match: { path: '/1/OAuthGetRequestToken' },
    times: 1,
    answer: { status: 401, body: `signature of ${echoes([app.secret]).join(' ')} is wrong` },
  })
  const { json } = await ask('POST /v1/connections/authorize', { body: { integration: 'work-board', type: 'oauth' } })
  const { state } = json as { state: string }
  secrets.set(`state ${secrets.size}`, state)
  world.forgive(state)
  await ask('GET /connect/:state', { params: { state }, shown: [state], shows: () => [] })
  sandbox.board.control.clearFaults()
  return codes
}

const inputOf = (step: { id: string; examples: { input?: unknown }[] }, integration: string) =>
  step.id === 'api-call'
    ? { method: 'GET', path: integration === 'work-board' ? '/1/members/me' : '/account/usage', throwOnError: true }
    : (step.examples.find(({ input }) => input !== undefined)?.input ?? {})

type Told = {
  id: string
  examples: { input?: unknown }[]
  fields?: Record<string, { options?: unknown }>
  accountFields: object | null
}

/** Every step, with every kind of answer that gives the secret back. Gives how many requests the providers had. */
export const failEverything = async (world: CanaryWorld) => {
  const { ask } = world
  const counts: Record<string, number> = {}
  let nthForm = 0
  await Promise.all(
    providersOf(world).map(async ({ integration, arm, clear, hits, secrets }) => {
      const { json: manifest } = await ask('GET /v1/integrations/:id', { params: { id: integration } })
      const run = (step: string, body: object) =>
        ask('POST /v1/steps/:integration/:step/run', {
          params: { integration, step },
          body: { connection: marker, ...body },
        })
      const before = hits()
      const { steps } = manifest as { steps: Told[] }
      for (const [at, step] of steps.entries()) {
        const input = inputOf(step, integration)
        await run(step.id, { input, dryRun: true })
        for (const [nth, { isSlow, fault }] of kindsOf(secrets).entries()) {
          // What is repeated takes seconds, so each kind of that is met by the first steps only, one by each in turn.
          if (isSlow && (at > 5 || nth % 3 !== at % 3)) continue
          arm(fault)
          await run(step.id, { input })
          clear()
          // Enough that works, or the provider would be taken for dead.
          if (isSlow)
            for (let n = 0; n < 6; n += 1)
              await run('api-call', { input: inputOf({ id: 'api-call', examples: [] }, integration) })
        }
        for (const field of Object.keys(step.fields ?? {})) {
          arm(kindsOf(secrets)[4]!.fault)
          await ask('POST /v1/steps/:integration/:step/options', {
            params: { integration, step: step.id },
            body: { connection: marker, field, values: { idBoard: '6afd8f840000000000000008' } },
          })
          clear()
        }
        if (step.accountFields)
          for (const { isSlow, fault } of kindsOf(secrets)) {
            if (isSlow) continue
            arm(fault)
            // Each of another card, since what was read is kept.
            await ask('POST /v1/steps/:integration/:step/fields', {
              params: { integration, step: step.id },
              body: {
                connection: marker,
                values: { idBoard: '6afd8f840000000000000008', idCard: String((nthForm += 1)) },
              },
            })
            clear()
          }
      }
      counts[integration] = hits() - before
    }),
  )
  return counts
}

/**
 * The endpoints of the wire profiles, tried with every quick kind of answer that gives the secret back, then with what
 * is right. Gives how each one's try ended.
 */
export const checkWires = async (world: CanaryWorld, connections: string[]) => {
  const providers = providersOf(world)
  const states: Record<string, string[]> = {}
  for (const id of connections) {
    const check = (spend: boolean) =>
      world.ask('POST /v1/connections/:id/wire-check', { params: { id }, body: { spend } })
    const { integration } = (await check(false)).json
    const { arm, clear, secrets } = providers.find((provider) => provider.integration === integration)!
    for (const { fault } of kindsOf(secrets).filter(({ isSlow }) => !isSlow)) {
      arm(fault)
      await check(true)
      clear()
    }
    const { json } = await check(true)
    states[integration] = json.endpoints.map(({ state }: { state: string }) => state)
  }
  return states
}

/** A 401 that gives the secret back: the account is marked, and the reason must not hold it. */
export const refuseCredentials = async (world: CanaryWorld) => {
  const { ask } = world
  for (const { integration, arm, clear, secrets } of providersOf(world)) {
    const [secret] = secrets
    const credentials =
      integration === 'work-board'
        ? { type: 'key-token', secrets: { key: world.key, token: secret } }
        : { type: 'api-key', secrets: { apiKey: secret } }
    const body = { message: `invalid token ${echoes(secrets).join(' ')}`, error: secret }
    arm({ times: 10, answer: { status: 401, body } })
    await ask('POST /v1/connections', { body: { integration, name: 'Refused at once', ...credentials } })
    clear()
    const { json: made } = await ask('POST /v1/connections', {
      body: { integration, name: `Broken ${integration}`, ...credentials },
    })
    const { id } = made as { id: string }
    arm({ times: 10, answer: { status: 401, body } })
    await ask('POST /v1/steps/:integration/:step/run', {
      params: { integration, step: 'api-call' },
      body: {
        connection: id,
        input: { method: 'GET', path: integration === 'work-board' ? '/1/members/me' : '/account/usage' },
      },
    })
    await ask('POST /v1/connections/:id/test', { params: { id } })
    await ask('GET /v1/connections/:id', { params: { id } })
    // Of the same secret, mistyped: refused, told with the name of the field alone.
    await ask('PATCH /v1/connections/:id', { params: { id }, body: { secrets: credentials.secrets } })
    await ask('PATCH /v1/connections/:id', {
      params: { id },
      body: { secrets: { ...credentials.secrets, extra: secret } },
    })
    await ask('PATCH /v1/connections/:id', { params: { id }, body: { secrets: [secret] } })
    await ask('PATCH /v1/connections/:id', { params: { id }, raw: `{"secrets":{"token":"${secret}` })
    clear()
    await ask('PATCH /v1/connections/:id', { params: { id }, body: { secrets: credentials.secrets } })
    await ask('PATCH /v1/connections/:id', {
      params: { id },
      body: { revoked: integration !== 'work-board' ? true : undefined, labels: { team: 'x' } },
    })
    await ask('DELETE /v1/connections/:id', { params: { id } })
  }
}

/** The pages of key + token, with a token that is wrong and one that is right. */
export const connectOnPages = async ({ ask, key, token, secrets, forgive }: CanaryWorld) => {
  const begin = async (body: object) => {
    const { json } = await ask('POST /v1/connections/authorize', { body })
    const { state } = json as { state: string }
    const opened = await ask('GET /connect/:state', { params: { state } })
    const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
    secrets.set(`state ${secrets.size}`, state).set(`cookie ${secrets.size}`, cookie.split('=')[1]!)
    const shown = [state, cookie.split('=')[1]!]
    forgive(...shown)
    return (fields: Record<string, string>) =>
      ask('POST /connect/:state', {
        params: { state },
        raw: new URLSearchParams(fields).toString(),
        headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
        shown,
      })
  }
  const submit = await begin({ integration: 'work-board', type: 'key-token', name: 'By page' })
  const wrong = `ATTA${'f00d'.repeat(16)}`
  secrets.set('token that is wrong', wrong)
  const statuses = [
    (await submit({ key, token: wrong })).status,
    (await submit({ key, token, extra: token })).status,
    (await submit({ key, token })).status,
  ]
  const second = await begin({ integration: 'work-board', type: 'key-token', name: 'By page' })
  statuses.push((await second({ key, token })).status)
  const third = await begin({ integration: 'anz-data', name: 'ANZ by page' })
  statuses.push((await third({ apiKey: secrets.get('API key of anz-data')! })).status)
  return statuses
}

/** What the official client of MCP is told, kept as it comes over the line. */
export const speakMcp = async ({ address, evidence, ask, secrets, sandbox }: CanaryWorld, connections: string[]) => {
  const shows = (json: any) => [json.text]
  const { json: made } = await ask('POST /v1/admin/tokens', { body: { name: 'MCP', connections }, shows })
  secrets.set('bearer token of MCP', made.text)
  const record = async (input: string | URL | Request, init?: RequestInit) => {
    const reply = await fetch(input, init)
    const copy = reply.clone()
    const name = `MCP ${reply.status}`
    const reading = copy.arrayBuffer().then(
      (bytes) =>
        evidence.push({
          place: 'mcp',
          name,
          bytes: Buffer.concat([Buffer.from(JSON.stringify([...reply.headers])), Buffer.from(bytes)]),
        }),
      () => undefined,
    )
    pending.add(reading)
    return reply
  }
  const pending = new Set<Promise<unknown>>()
  const client = new Client({ name: 'canary', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', address), {
      fetch: record,
      requestInit: { headers: { authorization: `Bearer ${made.text}` } },
    }),
  )
  await client.listTools()
  await client.listResources()
  const called = await callEveryTool(client)
  const { control } = sandbox.board
  for (const { fault } of kindsOf([secrets.get('token of key and token')!]).filter(({ isSlow }) => !isSlow)) {
    control.fault(fault)
    await client.callTool({ name: 'work_board_get_boards', arguments: {} })
    await client.callTool({ name: 'work_board_api_call', arguments: { method: 'GET', path: '/1/members/me' } })
    control.clearFaults()
  }
  await client.callTool({ name: 'work_board_get_boards', arguments: { connection: 'con_foreign' } })
  await client.close()
  await Promise.race([Promise.all(pending), new Promise((resolve) => setTimeout(resolve, 2_000))])
  await fetch(`${address}/mcp`, {
    method: 'POST',
    headers: { authorization: 'Bearer nobody', 'content-type': 'application/json' },
    body: '{}',
  }).then(async (reply) => evidence.push({ place: 'mcp', name: 'MCP refused', bytes: Buffer.from(await reply.text()) }))
  return called.length
}
