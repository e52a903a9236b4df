/**
 * Two nodes export their traces to a collector: one takes a delivery, the other calls the agent, and all of it is one
 * trace. The collector is a plain server that knows nothing of what exports.
 */
import { createHmac } from 'node:crypto'
import { createServer, request as open } from 'node:http'
import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresIsMissing } from '../support/postgres.ts'
import { agentSecret } from './agent.ts'
import { adminToken, ask, must, openShared, until } from './place.ts'
import type { OpenPlace } from './place.ts'

type Value = { stringValue?: string; intValue?: string; boolValue?: boolean }
type ExportedSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: Value }[]
  links: { traceId: string; spanId: string }[]
  status: { code?: number; message?: string }
  node: string
}
type Body = {
  resourceSpans: {
    resource: { attributes: { key: string; value: Value }[] }
    scopeSpans: { spans: Omit<ExportedSpan, 'node'>[] }[]
  }[]
}

const closers: (() => unknown)[] = []
const listen = async (listener: RequestListener) => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => (server.closeAllConnections(), server.close()))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const readAttributes = (attributes: { key: string; value: Value }[]) =>
  Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, boolValue } }) => [
      key,
      stringValue ?? intValue ?? boolValue,
    ]),
  )

const collectorKey = 'canary-key-of-the-collector'
/** What the collector got. */
const received: { path: string | undefined; headers: IncomingHttpHeaders; text: string }[] = []
const spans = (): ExportedSpan[] =>
  received.flatMap(({ text }) =>
    (JSON.parse(text) as Body).resourceSpans.flatMap(({ resource, scopeSpans }) => {
      const node = String(readAttributes(resource.attributes)['service.instance.id'])
      return scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, node })))
    }),
  )
const spanNamed = (name: string, traceId?: string) =>
  spans().find((span) => span.name === name && (traceId === undefined || span.traceId === traceId))

const agentCalls: IncomingHttpHeaders[] = []
const providerCalls: IncomingHttpHeaders[] = []
const board = { origin: '' }

/** Hands requests on to the board, and keeps their headers. */
const handOn: RequestListener = (request, response) => {
  providerCalls.push(request.headers)
  const { method, url, headers } = request
  const onward = open(
    board.origin + url,
    { method, headers: { ...headers, host: new URL(board.origin).host } },
    (reply) => {
      response.writeHead(reply.statusCode!, reply.headers)
      reply.pipe(response)
    },
  )
  request.pipe(onward)
}

const comment = 'canary-comment about marlow.canary@example.com'
const person = 'Canary Fenwick'
const callerTrace = 'c'.repeat(32)
const callerSpan = 'd'.repeat(16)
const traceparent = `00-${callerTrace}-${callerSpan}-01`

const deliveryOf = (boardId: string, callbackUrl: string, secret: string) => {
  const at = new Date()
  const id = `${Math.floor(at.getTime() / 1000).toString(16)}${'e'.repeat(16)}`
  const member = { id: '9'.repeat(24), fullName: person, username: 'canaryfenwick' }
  const data = {
    board: { id: boardId, name: 'canary board', shortLink: 'ijklmnop' },
    list: { id: '8'.repeat(24), name: 'canary list' },
    card: { id: '7'.repeat(24), name: 'canary card', idShort: 12, shortLink: 'aBcDeFgH' },
    text: comment,
  }
  const body = JSON.stringify({
    action: {
      id,
      idMemberCreator: member.id,
      type: 'commentCard',
      date: at.toISOString(),
      data,
      memberCreator: member,
    },
    model: { id: boardId, name: 'canary board' },
    webhook: { id: 'a'.repeat(24), idModel: boardId, callbackURL: callbackUrl, active: true },
  })
  return { body, signature: createHmac('sha1', secret).update(body).update(callbackUrl).digest('base64') }
}

describe.skipIf(postgresIsMissing())('traces of two nodes', () => {
  let place: OpenPlace
  beforeAll(async () => {
    const collector = await listen(async (request, response) => {
      const { url: path, headers } = request
      received.push({ path, headers, text: (await buffer(request)).toString() })
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
    const agent = await listen((request, response) => {
      agentCalls.push(request.headers)
      request.resume().once('end', () => response.writeHead(200).end('canary answer'))
    })
    const provider = await listen(handOn)
    place = await openShared({
      nodes: 2,
      agentOrigin: agent,
      wire: { baseUrl: provider },
      privateOrigins: [provider],
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: `${collector}/`,
        OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${collectorKey}`,
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      },
    })
    closers.push(() => place.close())
    board.origin = place.board.origin
    const boardId = place.board.control.overview()[0]!.id
    await place.connect()
    await must(place.origin, '/v1/subscriptions', {
      body: {
        integration: 'work-board',
        trigger: 'new-comment-added-to-card',
        config: { boards: [boardId] },
        agent: { url: `${agent}/start?key=canary-of-the-agent`, secret: agentSecret },
        // Long enough for the node that takes the delivery to leave before the start is due.
        options: { settleMs: 5_000 },
      },
    })
    const [taker] = place.nodes
    // A call of the API, with a text that is nobody's business, and one to nowhere.
    const idList = place.board.control.overview()[0]!.lists[0]!.id
    await must(taker!.origin, '/v1/steps/work-board/create-card/run', {
      body: { input: { idList, name: 'canary input' } },
      headers: { traceparent },
    })
    await ask(taker!.origin, '/canary/path?token=canary-query', {
      headers: { traceparent: `ff${traceparent.slice(2)}` },
    })
    const [hook] = (await must(place.origin, '/v1/hooks')).items
    const { callbackUrl } = hook as { callbackUrl: string }
    const { body, signature } = deliveryOf(boardId, callbackUrl, place.board.credentials.appSecret)
    const reply = await fetch(taker!.origin + new URL(callbackUrl).pathname, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-trello-webhook': signature, traceparent },
      body,
    })
    expect(reply.status).toBe(200)
    await taker!.stop()
    await until('the agent is called', () => agentCalls.length > 0, 60_000)
    await until('the call is exported', () => spanNamed('toolyard.agent_call') !== undefined, 60_000)
    // The span of the start ends after that of the call, and may be in the next request.
    await until('the start is exported', () => spanNamed('toolyard.start') !== undefined, 60_000)
  })
  afterAll(async () => {
    for (const close of closers.toReversed()) await close()
  })

  it('a delivery: from its request to the call of the agent by the other node, under one id', () => {
    const call = spanNamed('toolyard.agent_call')!
    const { traceId } = call
    const parents = new Map(spans().map((span) => [span.spanId, span]))
    const above = (span: ExportedSpan | undefined): string[] =>
      span ? [...above(parents.get(span.parentSpanId ?? '')), span.name] : []
    expect(above(call)).toEqual([
      'POST /hooks/:integration/:hookId',
      'toolyard.admit',
      'toolyard.commit',
      'toolyard.start',
      'toolyard.agent_call',
    ])
    expect(above(spanNamed('toolyard.verify', traceId))).toEqual([
      'POST /hooks/:integration/:hookId',
      'toolyard.verify',
    ])
    const request = spanNamed('POST /hooks/:integration/:hookId', traceId)!
    expect(spanNamed('toolyard.commit', traceId)!.node).toBe(request.node)
    expect(call.node).toBe(spanNamed('toolyard.start', traceId)!.node)
    expect(call.node).not.toBe(request.node)
    expect(request.links).toMatchObject([{ traceId: callerTrace, spanId: callerSpan }])
    expect([request.kind, call.kind]).toEqual([2, 3])
    expect(agentCalls.map((headers) => headers['traceparent'])).toEqual([`00-${traceId}-${call.spanId}-01`])
  })

  it('attributes name routes, ids and states', () => {
    const { traceId } = spanNamed('toolyard.agent_call')!
    expect(readAttributes(spanNamed('POST /hooks/:integration/:hookId', traceId)!.attributes)).toEqual({
      'http.request.method': 'POST',
      'http.route': '/hooks/:integration/:hookId',
      'http.response.status_code': '200',
    })
    expect(readAttributes(spanNamed('toolyard.commit', traceId)!.attributes)).toEqual({
      'toolyard.new_events': '1',
      'toolyard.new_starts': '1',
    })
    expect(readAttributes(spanNamed('toolyard.start', traceId)!.attributes)).toMatchObject({
      'toolyard.tenant': 'default',
      'toolyard.integration': 'work-board',
      'toolyard.trigger': 'new-comment-added-to-card',
      'toolyard.state': 'done',
    })
    for (const { startTimeUnixNano, endTimeUnixNano } of spans())
      expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano))
  })

  it("a call of the API is part of its caller's trace, and an invalid one is of none", () => {
    const ofCaller = spans().filter(({ traceId }) => traceId === callerTrace)
    const [request, run, ...exchanges] = [
      'POST /v1/steps/:integration/:step/run',
      'toolyard.run',
      'toolyard.exchange',
    ].flatMap((name) => ofCaller.filter((span) => span.name === name))
    expect(request!.parentSpanId).toBe(callerSpan)
    expect(run!.parentSpanId).toBe(request!.spanId)
    expect(exchanges.length).toBeGreaterThan(0)
    for (const exchange of exchanges) expect(exchange.parentSpanId).toBe(run!.spanId)
    const attributes = readAttributes(request!.attributes)
    expect(attributes['toolyard.run_id']).toBe(readAttributes(run!.attributes)['toolyard.run_id'])
    expect(spanNamed('GET none')).toMatchObject({ status: {} })
    expect(spanNamed('GET none')!.traceId).not.toBe(callerTrace)
  })

  it('no provider gets a traceparent', () => {
    expect(providerCalls.length).toBeGreaterThan(0)
    expect(providerCalls.filter((headers) => 'traceparent' in headers || 'tracestate' in headers)).toEqual([])
  })

  it('the collector gets its headers, and no exported byte is a secret, a text or a name', () => {
    for (const { path, headers } of received) {
      expect(path).toBe('/v1/traces')
      expect(headers).toMatchObject({
        authorization: `Bearer ${collectorKey}`,
        'content-type': 'application/json',
      })
    }
    const text = received.map((each) => each.text).join('\n')
    const { key, token, appSecret } = place.board.credentials
    for (const secret of [key, token, appSecret, adminToken, agentSecret, agentSecret.slice(6)])
      expect(text).not.toContain(secret)
    expect(text).not.toMatch(/canary|fenwick|example\.com|127\.0\.0\.1|https?:/i)
    expect(place.nodes.map((node) => node.log()).join()).not.toContain(collectorKey)
  })
})
