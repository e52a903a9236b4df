/** What a server with all accounts of the sandbox traces, over real sockets. */
import { once } from 'node:events'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../shared/pack.ts'
import { openTraces } from '../../shared/traces/index.ts'
import { create, emailOf, until } from '../bulk-jobs/world.ts'
import { openHttpWorld } from '../support/http-world.ts'
import type { HttpWorld } from '../support/http-world.ts'
import { caller } from '../support/world.ts'

type Seen = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  links: { traceId: string; spanId: string }[]
  status: { code?: number; message?: string }
  attributes: { key: string; value: { stringValue?: string; boolValue?: boolean } }[]
}
const bodies: string[] = []
const traces = openTraces({
  settings: {
    url: 'http://collector.example/v1/traces',
    headers: {},
    timeoutMs: 1_000,
    resource: { 'service.name': 'toolyard' },
    sampler: 'parentbased_always_on',
    ratio: 1,
  },
  version: '1.0.0',
  log: () => {},
  // Spans are sent at once.
  clock: { ...systemClock, sleep: () => new Promise((resolve) => setImmediate(resolve)) },
  send: async (_url, init) => {
    bodies.push(String(init!.body))
    return new Response('{}')
  },
})
const spans = (): Seen[] => bodies.flatMap((body) => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans as Seen[])
const named = (name: string, traceId?: string) =>
  spans().filter((span) => span.name === name && (traceId === undefined || span.traceId === traceId))
const untilNamed = async (name: string, count = 1) => {
  await expect.poll(() => named(name).length, { timeout: 10_000 }).toBeGreaterThanOrEqual(count)
  return named(name)
}

let world: HttpWorld
let address: string
const call = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(address + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const callerOf = (digit: string) => ({
  traceId: digit.repeat(32),
  headers: { traceparent: `00-${digit.repeat(32)}-${digit.repeat(16)}-01` },
})

beforeAll(async () => {
  world = await openHttpWorld({ accounts: 'all', tracing: traces.tracing, http: { tracing: traces.http } })
  address = await world.listen()
})
afterAll(async () => {
  await world.close()
  await traces.close()
})

describe('a server that exports traces', () => {
  it('continues the trace of a caller over MCP', async () => {
    const { traceId, headers } = callerOf('a')
    const reply = await call(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'work_board_get_boards', arguments: {} } },
      { ...headers, accept: 'application/json, text/event-stream' },
    )
    expect(await reply.text()).toContain('Launch')
    const [run] = await untilNamed('toolyard.run')
    const [http] = await untilNamed('POST /mcp')
    expect(run).toMatchObject({ traceId, parentSpanId: http!.spanId })
  })

  it('continues it where the body comes after the headers', async () => {
    const { traceId, headers } = callerOf('b')
    const slow = request(`${address}/v1/steps/work-board/get-boards/run`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${world.token}`, 'content-type': 'application/json' },
    })
    slow.flushHeaders()
    await new Promise((resolve) => setTimeout(resolve, 100))
    slow.end('{"input":{}}')
    const [reply] = (await once(slow, 'response')) as [IncomingMessage]
    reply.resume()
    await expect.poll(() => named('toolyard.run', traceId).length).toBe(1)
  })

  it('each row of a job has a trace of its own, linked to the job', async () => {
    const { pack } = world
    const { id } = await create(pack, `email\n${emailOf(0)}\n${emailOf(1)}\n`)
    await until(pack, id, 'ready')
    await pack.jobs.resume(caller, id, { maxCredits: 100 })
    await until(pack, id, 'done')
    // Those that find out the price before the job begins are part of no job.
    const ofRows = () =>
      named('toolyard.run').filter(({ attributes }) => {
        const values = new Map(attributes.map(({ key, value }) => [key, value]))
        return values.get('toolyard.step')?.stringValue === 'find-contact' && !values.get('toolyard.dry_run')?.boolValue
      })
    await expect.poll(() => ofRows().length).toBe(2)
    const rows = ofRows()
    for (const row of rows) {
      expect(row.parentSpanId).toBeUndefined()
      const [{ traceId, spanId }] = row.links as [Seen['links'][number]]
      // The span of the job ends after those of its rows.
      await expect.poll(() => named('toolyard.job', traceId).map((job) => job.spanId)).toEqual([spanId])
    }
    expect(new Set(rows.map((row) => row.traceId)).size).toBe(2)
    expect(bodies.join()).not.toContain(emailOf(0))
  })

  it('a request whose caller leaves is cancelled', async () => {
    const { traceId, headers } = callerOf('e')
    const leaving = request(`${address}/v1/steps/work-board/get-boards/run`, {
      method: 'POST',
      headers: {
        ...headers,
        authorization: `Bearer ${world.token}`,
        'content-type': 'application/json',
        'content-length': '50',
      },
    })
    leaving.on('error', () => {})
    const come = once(world.http.server, 'request')
    leaving.write('{')
    await come
    leaving.destroy()
    await expect.poll(() => spans().filter((span) => span.traceId === traceId).length).toBe(1)
    expect(spans().find((span) => span.traceId === traceId)!.status).toEqual({ code: 2, message: 'cancelled' })
  })

  it('says nothing of what a caller put in place of ids', async () => {
    const reply = await call('/v1/steps/canary@example.com/Canary%20Name/run?canary=1', { input: { canary: 'canary' } })
    expect(reply.status).toBe(404)
    await expect
      .poll(() =>
        named('POST /v1/steps/:integration/:step/run').some(({ attributes }) =>
          JSON.stringify(attributes).includes('not_found'),
        ),
      )
      .toBe(true)
    expect(bodies.join()).not.toMatch(/canary/i)
  })
})
