import { AsyncLocalStorage } from 'node:async_hooks'
import { codeOf } from '../tracing.ts'
import type { OpenSpan, SpanAttributes } from '../tracing.ts'
import type { EndedSpan } from './otlp.ts'
import type { Sampler } from './sampler.ts'
import type { SpanContext } from './traceparent.ts'

/**
 * A trace, as far as it is known here. The one of a delivery has no id until its event is known; its spans wait until
 * then. Its times follow the monotonic clock from its first span on, so that no step of the wall clock is in them.
 */
type Trace = { id: string | undefined; isSampled: boolean; waiting: Span[]; wallMs: number; monotonicMs: number }

export type Span = OpenSpan & {
  trace: Trace
  id: string
  parentId: string | undefined
  name: string
  kind: EndedSpan['kind']
  links: { traceId: string; spanId: string }[]
  attributes: SpanAttributes
  startedAt: number
  endedAt: number | undefined
  code: string | undefined
  /** Marks it as failed for a reason that is no code of ours. */
  error(type: string): void
  end(): void
  /** Undefined as long as the trace of a delivery has no id. */
  context(): SpanContext | undefined
}

export type SpanOptions = {
  kind?: EndedSpan['kind']
  attributes?: SpanAttributes
  links?: (SpanContext | undefined)[]
  /** `new`: a trace of its own; `later`: one whose id is decided later. Default: within the current span. */
  parent?: SpanContext | 'new' | 'later'
  id?: string
}

type TracerOptions = {
  sample: Sampler
  onEnd(span: EndedSpan): void
  /** ms since 1970, and ms of a clock that never steps. */
  now(): number
  monotonic(): number
  /** So many random bytes in hexadecimal. */
  randomHex(bytes: number): string
}

export type Tracer = ReturnType<typeof createTracer>

const ended = (span: Span): EndedSpan => {
  const { trace, id, parentId, name, kind, startedAt, endedAt, attributes, links, code } = span
  return { traceId: trace.id!, spanId: id, parentId, name, kind, startedAt, endedAt: endedAt!, attributes, links, code }
}

const newTrace = ({ now, monotonic }: Pick<TracerOptions, 'now' | 'monotonic'>): Trace => ({
  id: undefined,
  isSampled: false,
  waiting: [],
  wallMs: now(),
  monotonicMs: monotonic(),
})

type Begun = Pick<Span, 'trace' | 'id' | 'parentId' | 'name' | 'kind' | 'links' | 'attributes'>

const openSpan = (begun: Begun, { onEnd, monotonic }: Pick<TracerOptions, 'onEnd' | 'monotonic'>): Span => {
  const { trace, attributes } = begun
  const time = () => trace.wallMs + monotonic() - trace.monotonicMs
  const span: Span = {
    ...begun,
    startedAt: time(),
    endedAt: undefined,
    code: undefined,
    set: (more) => void Object.assign(attributes, more),
    fail(code) {
      span.code = code
      attributes['toolyard.code'] = code
    },
    error(type) {
      span.code = type
      attributes['error.type'] = type
    },
    end() {
      if (span.endedAt !== undefined) return
      span.endedAt = time()
      if (trace.id === undefined) trace.waiting.push(span)
      else if (trace.isSampled) onEnd(ended(span))
    },
    context: () =>
      trace.id === undefined ? undefined : { traceId: trace.id, spanId: span.id, isSampled: trace.isSampled },
  }
  return span
}

export const createTracer = ({ sample, onEnd, now, monotonic, randomHex }: TracerOptions) => {
  /** The current span; or one that what follows is linked to, without being part of it. */
  const current = new AsyncLocalStorage<{ span: Span } | { link: Span }>()

  /** Work that outlives a span, such as a timer that it set, is no part of it. */
  const active = (): Span | undefined => {
    const at = current.getStore()
    return at && 'span' in at && at.span.endedAt === undefined ? at.span : undefined
  }

  /** Gives a trace its id, unless it has one. */
  const decide = (trace: Trace, id: string, parent?: boolean): void => {
    if (trace.id !== undefined) return
    trace.id = id
    trace.isSampled = sample(id, parent)
    if (trace.isSampled) for (const span of trace.waiting) onEnd(ended(span))
    trace.waiting = []
  }

  const traceFor = (parent: SpanOptions['parent'], within: Span | undefined): Trace => {
    if (parent === undefined && within) return within.trace
    const trace = newTrace({ now, monotonic })
    if (typeof parent === 'object') decide(trace, parent.traceId, parent.isSampled)
    else if (parent !== 'later') decide(trace, randomHex(16))
    return trace
  }

  const begin = (name: string, options: SpanOptions = {}): Span => {
    const { kind = 'internal', attributes = {}, links = [], parent, id = randomHex(8) } = options
    const within = active()
    const trace = traceFor(parent, within)
    const at = current.getStore()
    const begun = {
      trace,
      id,
      parentId: typeof parent === 'object' ? parent.spanId : parent === undefined ? within?.id : undefined,
      name,
      kind,
      links: [...links, at && 'link' in at ? at.link.context() : undefined].flatMap((link) =>
        link ? [{ traceId: link.traceId, spanId: link.spanId }] : [],
      ),
      attributes,
    }
    return openSpan(begun, { onEnd, monotonic })
  }

  const within = <T>(span: Span, work: () => T): T => current.run({ span }, work)

  return {
    active,
    begin,
    decide,
    within,
    /** What the work begins is linked to the span: each of many parts has a trace of its own. */
    linkedTo: <T>(span: Span, work: () => T): T => current.run({ link: span }, work),
    /** Runs work in a span of its own. A span whose work throws has failed. */
    async inSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
      const span = begin(name, options)
      try {
        return await within(span, () => work(span))
      } catch (thrown) {
        span.fail(codeOf(thrown))
        throw thrown
      } finally {
        span.end()
      }
    },
    /** Ends a span whose trace may still lack an id. */
    endRoot(span: Span): void {
      decide(span.trace, randomHex(16))
      span.end()
    },
  }
}
