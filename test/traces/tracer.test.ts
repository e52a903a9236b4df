import { describe, expect, it } from 'vitest'
import { idsOfEvent } from '../../shared/traces/event-ids.ts'
import type { EndedSpan } from '../../shared/traces/otlp.ts'
import { encodeSpans } from '../../shared/traces/otlp.ts'
import { createSampler } from '../../shared/traces/sampler.ts'
import { formatTraceparent, readTraceparent } from '../../shared/traces/traceparent.ts'
import { createTracer } from '../../shared/traces/tracer.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

describe('traceparent', () => {
  it.each([
    [`00-${traceId}-${spanId}-01`, true],
    [`00-${traceId}-${spanId}-00`, false],
    [`00-${traceId}-${spanId}-03`, true],
    [`cc-${traceId}-${spanId}-01-what-the-future-adds`, true],
  ])('%s is read', (header, isSampled) => expect(readTraceparent(header)).toEqual({ traceId, spanId, isSampled }))

  it.each([
    undefined,
    '',
    [`00-${traceId}-${spanId}-01`, `00-${traceId}-${spanId}-01`],
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${traceId}-${spanId}`,
    ` 00-${traceId}-${spanId}-01`,
  ])('%j counts as absent', (header) => expect(readTraceparent(header)).toBeUndefined())

  it('is written in the form in which it is read', () => {
    for (const isSampled of [true, false]) {
      const context = { traceId, spanId, isSampled }
      expect(readTraceparent(formatTraceparent(context))).toEqual(context)
    }
  })
})

describe('a sampler', () => {
  const low = `${'f'.repeat(18)}${'0'.repeat(14)}`
  const high = `${'0'.repeat(18)}${'f'.repeat(14)}`
  it.each([
    ['always_on', [true, true, true]],
    ['always_off', [false, false, false]],
    ['traceidratio', [true, false, false]],
    ['parentbased_always_on', [true, true, false]],
    ['parentbased_always_off', [false, false, true]],
    ['parentbased_traceidratio', [true, false, true]],
  ] as const)('%s', (name, [ofLow, ofHigh, ofParent]) => {
    const sample = createSampler(name, 0.5)
    expect([sample(low), sample(high)]).toEqual([ofLow, ofHigh])
    // The decision of the caller, which is the opposite of what the ratio gives.
    expect(sample(name.endsWith('always_on') ? low : high, name.endsWith('always_on') ? false : true)).toBe(ofParent)
  })

  it('records its share of traces, the same ones on every server', () => {
    const ids = Array.from(
      { length: 4_000 },
      (_, n) => idsOfEvent({ tenant: 'a', connection: 'b', id: `${n}` }).traceId,
    )
    const count = (ratio: number) => ids.filter((id) => createSampler('traceidratio', ratio)(id)).length
    expect([count(0), count(1)]).toEqual([0, 4_000])
    expect(count(0.1) / 4_000).toBeCloseTo(0.1, 1)
  })
})

describe('ids of an event', () => {
  it('follow from its key, and differ with every part of it', () => {
    const key = { tenant: 'a', connection: 'b', id: 'c' }
    expect(idsOfEvent({ ...key })).toEqual(idsOfEvent(key))
    const others = [
      { ...key, tenant: 'x' },
      { ...key, connection: 'x' },
      { ...key, id: 'x' },
      { ...key, tenant: 'ab', connection: '' },
    ]
    expect(new Set([key, ...others].map((each) => idsOfEvent(each).traceId)).size).toBe(5)
    expect(readTraceparent(formatTraceparent({ ...idsOfEvent(key), isSampled: true }))).toBeDefined()
  })
})

const openTracer = (sampler: Parameters<typeof createSampler>[0] = 'parentbased_always_on') => {
  const ended: EndedSpan[] = []
  let at = 1_000
  let count = 0
  const tracer = createTracer({
    sample: createSampler(sampler, 1),
    onEnd: (span) => void ended.push(span),
    now: () => 1_755_000_000_000,
    monotonic: () => (at += 1),
    randomHex: (bytes) => String((count += 1)).padStart(bytes * 2, '0'),
  })
  return { ...tracer, ended }
}

describe('a tracer', () => {
  it('nests spans, and gives what throws the code of its failure', async () => {
    const { inSpan, ended } = openTracer()
    await inSpan('outer', { parent: { traceId, spanId, isSampled: true } }, () =>
      inSpan('inner', {}, () => Promise.reject(new Error('words'))),
    ).catch(() => {})
    const [inner, outer] = ended
    expect(outer).toMatchObject({ name: 'outer', traceId, parentId: spanId, code: 'internal' })
    expect(inner).toMatchObject({ name: 'inner', traceId, parentId: outer!.spanId, code: 'internal' })
    expect(inner!.startedAt).toBeGreaterThan(outer!.startedAt)
    expect(JSON.stringify(ended)).not.toContain('words')
  })

  it('holds the spans of a trace back until it has an id', () => {
    const { begin, within, decide, endRoot, ended } = openTracer()
    const root = begin('root', { parent: 'later' })
    within(root, () => begin('first').end())
    expect(ended).toEqual([])
    expect(root.context()).toBeUndefined()
    decide(root.trace, traceId)
    decide(root.trace, 'f'.repeat(32))
    endRoot(root)
    expect(ended.map(({ name, traceId: id }) => [name, id])).toEqual([
      ['first', traceId],
      ['root', traceId],
    ])
  })

  it('gives an id to a trace that nobody decided', () => {
    const { begin, endRoot, ended } = openTracer()
    endRoot(begin('refused', { parent: 'later' }))
    expect(ended[0]!.traceId).toMatch(/^\d{32}$/)
  })

  it('exports nothing of a trace that is not recorded, and hands its context on', () => {
    const { begin, ended } = openTracer()
    const span = begin('quiet', { parent: { traceId, spanId, isSampled: false } })
    span.end()
    expect(ended).toEqual([])
    expect(formatTraceparent(span.context()!)).toBe(`00-${traceId}-${span.id}-00`)
  })

  it('does not continue a span that has ended: a timer that it set runs on', async () => {
    const { inSpan, begin, within, ended } = openTracer()
    const span = begin('over')
    span.end()
    await within(span, () => inSpan('next', {}, async () => {}))
    expect(ended[1]).toMatchObject({ name: 'next', parentId: undefined })
    expect(ended[1]!.traceId).not.toBe(ended[0]!.traceId)
  })

  it('links the parts of a job to it, each with a trace of its own', async () => {
    const { inSpan, linkedTo, ended } = openTracer()
    await inSpan('job', {}, (job) =>
      linkedTo(job, () => inSpan('row', {}, () => inSpan('exchange', {}, async () => {}))),
    )
    const [exchange, row, job] = ended
    expect(row).toMatchObject({ parentId: undefined, links: [{ traceId: job!.traceId, spanId: job!.spanId }] })
    expect(row!.traceId).not.toBe(job!.traceId)
    expect(exchange).toMatchObject({ parentId: row!.spanId, traceId: row!.traceId, links: [] })
  })
})

describe('OTLP in JSON', () => {
  it('has ids in hexadecimal, enums and times as its encoding wants them', () => {
    const span: EndedSpan = {
      traceId,
      spanId,
      parentId: undefined,
      name: 'name',
      kind: 'server',
      startedAt: 1_755_000_000_000.123,
      endedAt: 1_755_000_000_001,
      attributes: { text: 'a', whole: 3, part: 0.5, is: true },
      links: [{ traceId, spanId }],
      code: 'internal',
    }
    expect(JSON.parse(encodeSpans([span], { 'service.name': 'tools' }, '1.2.3'))).toEqual({
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'tools' } }] },
          scopeSpans: [
            {
              scope: { name: 'toolyard', version: '1.2.3' },
              spans: [
                {
                  traceId,
                  spanId,
                  name: 'name',
                  kind: 2,
                  startTimeUnixNano: '1755000000000123000',
                  endTimeUnixNano: '1755000000001000000',
                  attributes: [
                    { key: 'text', value: { stringValue: 'a' } },
                    { key: 'whole', value: { intValue: '3' } },
                    { key: 'part', value: { doubleValue: 0.5 } },
                    { key: 'is', value: { boolValue: true } },
                  ],
                  links: [{ traceId, spanId }],
                  status: { code: 2, message: 'internal' },
                },
              ],
            },
          ],
        },
      ],
    })
  })
})
