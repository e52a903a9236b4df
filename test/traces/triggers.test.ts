import { describe, expect, it } from 'vitest'
import type { Admission } from '../../shared/runtime/triggers/admission.ts'
import type { Arrival, ArrivalResult, Hook, Start, StoredEvent } from '../../shared/runtime/ports/index.ts'
import { idsOfEvent } from '../../shared/traces/event-ids.ts'
import { traceHttp } from '../../shared/traces/http.ts'
import type { EndedSpan } from '../../shared/traces/otlp.ts'
import { createSampler } from '../../shared/traces/sampler.ts'
import { createTracer } from '../../shared/traces/tracer.ts'
import { traceTriggers } from '../../shared/traces/triggers.ts'

const ref = { tenant: 'tenant', integration: 'work-board', connection: 'connection' }
const eventOf = (id: string) => ({ ...ref, id, via: 'webhook' }) as StoredEvent
const startOf = (event: string, more: Partial<Start> = {}) =>
  ({
    ...ref,
    id: `start of ${event}`,
    event,
    subscription: 's',
    trigger: 't',
    attempts: 1,
    test: false,
    ...more,
  }) as Start
const idsOf = (id: string) => idsOfEvent(eventOf(id))

const open = () => {
  const ended: EndedSpan[] = []
  let count = 0
  const sample = createSampler('parentbased_always_on', 1)
  const tracer = createTracer({
    sample,
    onEnd: (span) => void ended.push(span),
    now: () => 1_755_000_000_000,
    monotonic: () => 0,
    randomHex: (bytes) => String((count += 1)).padStart(bytes * 2, '0'),
  })
  const triggers = traceTriggers(tracer, sample)
  /** Admits events, all of which are committed at once. */
  const admit = (ids: string[], arrived: ArrivalResult, delivery?: Admission['delivery']) => {
    const arrival: Arrival = { events: ids.map(eventOf), starts: ids.map((id) => startOf(id)) }
    const commit = triggers.commit(async () => arrived)
    const admission = { ...ref, observations: ids.map((id) => ({ event: { id } })), delivery } as unknown as Admission
    return triggers.admit(async () => ({ arrived: await commit(arrival), repeatedLacking: [] }))(admission)
  }
  /** Does work within the request of a delivery. */
  const request = async (work: () => Promise<unknown>, headers = {}) => {
    const span = traceHttp(tracer).begin({ method: 'POST', headers, isDelivery: true })
    await span.within(work)
    span.end(200)
  }
  const named = (name: string) => ended.filter((span) => span.name === name)
  return { triggers, admit, request, named, ended }
}
const delivery = { hook: 'hook', correlation: undefined }

describe('traces of triggers', () => {
  it('a delivery is in the trace of its first event; others that started something have one of their own', async () => {
    const { admit, request, named } = open()
    const arrived = { events: ['one', 'two', 'three'], starts: ['start of one', 'start of two'] }
    await request(() => admit(['one', 'two', 'three'], arrived, delivery))
    const [http] = named('POST')
    const [commit] = named('toolyard.commit')
    expect(http!.traceId).toBe(idsOf('one').traceId)
    expect(commit).toMatchObject(idsOf('one'))
    expect(named('toolyard.event')).toMatchObject([
      { ...idsOf('two'), parentId: undefined, links: [{ traceId: commit!.traceId, spanId: commit!.spanId }] },
    ])
  })

  it('the commit of an event that was stored before has an id of its own, in the same trace', async () => {
    const { admit, request, named } = open()
    await request(() => admit(['one'], { events: [], starts: [] }, delivery))
    expect(named('toolyard.commit')[0]!.traceId).toBe(idsOf('one').traceId)
    expect(named('toolyard.commit')[0]!.spanId).not.toBe(idsOf('one').spanId)
  })

  it('what a poll finds while a delivery comes in is no part of it', async () => {
    const { admit, request, named } = open()
    await request(() => admit(['polled'], { events: ['polled'], starts: [] }))
    expect(named('toolyard.admit')).toMatchObject([{ traceId: idsOf('polled').traceId, parentId: undefined }])
    expect(named('POST')[0]!.traceId).not.toBe(idsOf('polled').traceId)
  })

  it('a poll that finds nothing has none, and is stored all the same', async () => {
    const { admit, ended } = open()
    expect(await admit([], { events: [], starts: [] })).toMatchObject({ arrived: { events: [], starts: [] } })
    expect(ended).toEqual([])
  })

  it('a refused delivery has a trace, and its signature is the reason', async () => {
    const { triggers, request, named } = open()
    const verify = triggers.verify(async () => ({ hook: undefined, status: 401, reason: 'canary' }))
    await request(() =>
      verify({ integration: 'canary', hookId: 'canary', method: 'POST', headers: {}, body: Buffer.of() }),
    )
    expect(named('toolyard.verify')).toMatchObject([{ code: 'bad_signature', traceId: named('POST')[0]!.traceId }])
    expect(JSON.stringify(named('toolyard.verify'))).not.toContain('canary')
  })

  it('a genuine delivery names whose it is', async () => {
    const { triggers, request, named } = open()
    const hook = { ...ref, id: 'canary' } as Hook
    const verify = triggers.verify(async () => ({ hook, loaded: {} as never }))
    await request(() => verify({ integration: 'a', hookId: 'canary', method: 'POST', headers: {}, body: Buffer.of() }))
    expect(named('toolyard.verify')[0]!.attributes).toEqual({
      'toolyard.tenant': 'tenant',
      'toolyard.integration': 'work-board',
      'toolyard.connection': 'connection',
    })
  })

  it('a start is below the commit of its event; a test and a notification are in traces of their own', async () => {
    const { triggers, ended } = open()
    const attempt = triggers.attempt(async () => ({ end: { state: 'dead', at: 0 } }))
    await attempt(startOf('one'))
    await attempt(startOf('one', { test: true }))
    await attempt(startOf('one', { integration: '' }))
    const { traceId, spanId } = idsOf('one')
    expect(ended).toMatchObject([
      { name: 'toolyard.start', traceId, parentId: spanId, code: 'dead' },
      { name: 'toolyard.start', parentId: undefined },
      { name: 'toolyard.notification', parentId: undefined },
    ])
    expect(ended.filter((span) => span.traceId === traceId).length).toBe(1)
  })

  it('the call of an agent has a traceparent, and its refusal is an error', async () => {
    const { triggers, ended } = open()
    const sent: Record<string, string>[] = []
    const deliver = triggers.deliver(async ({ headers }) => {
      sent.push(headers)
      return { status: 503, headers: {}, message: 'canary' }
    })
    const attempt = triggers.attempt(async () => {
      await deliver({ url: 'https://canary.example', headers: { 'webhook-id': 'a' }, body: 'canary', timeoutMs: 1 })
      return { end: { state: 'waiting', at: 0 } as never }
    })
    await attempt(startOf('one'))
    const [call, start] = ended
    expect(call).toMatchObject({ name: 'toolyard.agent_call', parentId: start!.spanId, code: '503' })
    expect(sent).toEqual([{ 'webhook-id': 'a', traceparent: `00-${call!.traceId}-${call!.spanId}-01` }])
    expect(JSON.stringify(ended)).not.toContain('canary')
  })
})
