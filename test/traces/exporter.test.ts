import { describe, expect, it } from 'vitest'
import type { Clock } from '../../shared/runtime/ports/index.ts'
import { createExporter, maxBatch, maxWaiting } from '../../shared/traces/exporter.ts'
import type { EndedSpan } from '../../shared/traces/otlp.ts'

const span: EndedSpan = {
  traceId: '1'.repeat(32),
  spanId: '2'.repeat(16),
  parentId: undefined,
  name: 'name',
  kind: 'internal',
  startedAt: 1,
  endedAt: 2,
  attributes: {},
  links: [],
  code: undefined,
}
const sizeOf = (body: unknown) =>
  (JSON.parse(String(body)) as any).resourceSpans[0].scopeSpans[0].spans.length as number

/** An exporter whose waits end at once, and are listed; `closeMs` alone never ends by itself. */
const openExporter = (answer: (n: number) => Response | Promise<Response>) => {
  const sizes: number[] = []
  const waits: number[] = []
  const lines: [string, unknown][] = []
  const requests: RequestInit[] = []
  const clock: Clock = {
    now: () => Date.UTC(2026, 0, 1),
    monotonic: () => 0,
    sleep: (ms, signal) =>
      ms === 2_000
        ? new Promise((_, reject) => signal!.addEventListener('abort', () => reject(new Error('woken'))))
        : (waits.push(ms), new Promise((resolve) => setImmediate(resolve))),
  }
  const exporter = createExporter({
    url: 'http://collector.example/v1/traces',
    headers: { authorization: 'Bearer canary' },
    timeoutMs: 1_000,
    resource: {},
    version: '1.0.0',
    log: (_level, event, fields) => void lines.push([event, fields]),
    clock,
    random: () => 0.6,
    send: async (_url, init) => {
      requests.push(init!)
      sizes.push(sizeOf(init!.body))
      return answer(sizes.length)
    },
  })
  const add = (count: number) => {
    for (let n = 0; n < count; n += 1) exporter.add(span)
  }
  return { exporter, add, sizes, waits, lines, requests }
}
const settled = async (holds: () => boolean) => {
  for (let turn = 0; !holds(); turn += 1) {
    if (turn > 10_000) throw new Error('not settled')
    await new Promise((resolve) => setImmediate(resolve))
  }
}
const status = (code: number, headers = {}) => new Response(null, { status: code, headers })

describe('the exporter', () => {
  it('sends spans in batches, with its headers and without redirects', async () => {
    const { add, sizes, waits, lines, requests } = openExporter(() => status(200))
    add(maxBatch + 3)
    await settled(() => sizes.length === 2)
    expect(sizes).toEqual([maxBatch, 3])
    expect(waits[0]).toBe(5_000)
    expect(lines).toEqual([])
    expect(requests[0]).toMatchObject({
      method: 'POST',
      redirect: 'manual',
      headers: { authorization: 'Bearer canary', 'content-type': 'application/json' },
    })
  })

  it.each([429, 502, 503, 504])('repeats after %i, when the collector says so or later and later', async (code) => {
    const { add, sizes, waits, lines } = openExporter((n) =>
      n === 1 ? status(code, { 'retry-after': '7' }) : status(n < 4 ? code : 200),
    )
    add(1)
    await settled(() => lines.some(([event]) => event === 'traces.exported'))
    expect(sizes).toEqual([1, 1, 1, 1])
    expect(waits).toEqual([5_000, 7_000, 2_200, 4_400])
    expect(lines).toEqual([
      ['traces.not_exported', { status: code }],
      ['traces.exported', { droppedSpans: 0 }],
    ])
  })

  it.each([400, 401, 404, 413, 500, 302])('drops what is answered with %i, and says so once', async (code) => {
    const { exporter, add, sizes, lines } = openExporter((n) => status(n < 3 ? code : 200))
    for (const count of [1, 2, 3]) {
      add(2)
      await settled(() => sizes.length === count)
    }
    await exporter.close()
    expect(sizes).toEqual([2, 2, 2])
    expect(lines).toEqual([
      ['traces.not_exported', { status: code }],
      ['traces.exported', { droppedSpans: 4 }],
    ])
  })

  it('gives up after five attempts without an answer, and never logs the address', async () => {
    const { exporter, add, sizes, waits, lines } = openExporter(() => {
      throw new TypeError('fetch failed at canary.example', { cause: { code: 'ECONNREFUSED' } })
    })
    add(1)
    await settled(() => sizes.length === 5)
    await exporter.close()
    expect(sizes.length).toBe(5)
    expect(waits).toEqual([5_000, 1_100, 2_200, 4_400, 8_800])
    expect(lines).toEqual([
      ['traces.not_exported', { status: null, error: 'ECONNREFUSED' }],
      ['traces.dropped', { droppedSpans: 1 }],
    ])
  })

  it('holds a bounded number of spans while the collector is slow', async () => {
    let take = () => {}
    const { exporter, add, sizes, lines } = openExporter((n) =>
      n === 1 ? new Promise((resolve) => (take = () => resolve(status(200)))) : status(200),
    )
    add(maxBatch)
    await settled(() => sizes.length === 1)
    add(maxWaiting + 10)
    take()
    await exporter.close()
    expect(sizes.reduce((sum, size) => sum + size)).toBe(maxBatch + maxWaiting)
    expect(lines).toEqual([['traces.exported', { droppedSpans: 10 }]])
  })

  it('sends what waits when it is closed, once, and takes nothing afterwards', async () => {
    const { exporter, add, sizes, lines } = openExporter(() => status(503))
    add(3)
    await exporter.close()
    add(1)
    expect(sizes).toEqual([3])
    expect(lines).toEqual([
      ['traces.not_exported', { status: 503 }],
      ['traces.dropped', { droppedSpans: 3 }],
    ])
  })
})
