import { randomBytes, randomUUID } from 'node:crypto'
import type { HttpTracing } from '../faces/http/tracing.ts'
import type { Clock, Log } from '../runtime/ports/index.ts'
import { runSpans } from '../tracing.ts'
import type { SpanAttributes, Tracing } from '../tracing.ts'
import { createExporter } from './exporter.ts'
import { createSampler } from './sampler.ts'
import type { TraceSettings } from './settings.ts'
import { traceHttp } from './http.ts'
import { createTracer } from './tracer.ts'
import { traceTriggers } from './triggers.ts'

type TraceOptions = {
  settings: TraceSettings
  version: string
  log: Log
  clock: Clock
  random?: () => number
  send: typeof globalThis.fetch
}

/** Traces what a server does, and exports it. */
export type Traces = {
  tracing: Tracing
  http: HttpTracing
  /** Sends the last spans, in bounded time. */
  close(): Promise<void>
}

export { readTraceSettings } from './settings.ts'

const randomHex = (bytes: number) => randomBytes(bytes).toString('hex')

export const openTraces = ({ settings, version, log, clock, random = Math.random, send }: TraceOptions): Traces => {
  const { url, headers, timeoutMs, sampler, ratio } = settings
  const resource: SpanAttributes = {
    'service.version': version,
    'service.instance.id': randomUUID(),
    ...settings.resource,
  }
  const exporter = createExporter({ url, headers, timeoutMs, resource, version, log, clock, random, send })
  const sample = createSampler(sampler, ratio)
  const { now, monotonic } = clock
  const tracer = createTracer({ sample, onEnd: exporter.add, now, monotonic, randomHex })
  const { inSpan, linkedTo, active } = tracer
  return {
    tracing: {
      ...runSpans((name, { isCall, attributes }, work) =>
        inSpan(name, { attributes, kind: isCall ? 'client' : 'internal' }, work),
      ),
      triggers: traceTriggers(tracer, sample),
      job(tenant, job, work) {
        const attributes = { 'toolyard.tenant': tenant, 'toolyard.job_id': job }
        const links = [active()?.context()]
        // A row is a trace of its own: no collector takes a trace with a span for each of many thousand rows.
        return inSpan('toolyard.job', { attributes, links, parent: 'new' }, (span) => linkedTo(span, work))
      },
    },
    http: traceHttp(tracer),
    close: exporter.close,
  }
}
