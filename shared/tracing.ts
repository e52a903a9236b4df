import type { Span } from '@opentelemetry/api'
import { isFailure } from '#kit'
import type { JobTracing } from './runtime/bulk-jobs/parts.ts'
import type { Steps } from './runtime/steps/run-step.ts'
import type { TriggerTracing } from './runtime/triggers/tracing.ts'
import type { Wire } from './wire/index.ts'

/**
 * Adds spans to what the pack does: `toolyard.run` for a step run, and within it `toolyard.exchange` for each exchange
 * with a provider. A server that exports traces itself (`traces/`) adds those of triggers and jobs too.
 */
export type Tracing = {
  run(run: Steps['run']): Steps['run']
  exchange(exchange: Wire['exchange']): Wire['exchange']
  triggers?: TriggerTracing
  job?: JobTracing
}

export type SpanAttributes = Record<string, string | number | boolean>
/** A span while its work runs. `fail` takes the code of a failure. */
export type OpenSpan = { set(attributes: SpanAttributes): void; fail(code: string): void }
/** Runs work in a span of its own, within the current one. A span whose work throws has failed. */
export type InSpan = <T>(
  name: string,
  options: { isCall?: boolean; attributes: SpanAttributes },
  work: (span: OpenSpan) => Promise<T>,
) => Promise<T>

/** The id that a caller names; whatever else it wrote there stays out of traces. */
const idOf = (name: string) => (/^[a-z0-9-]{1,64}$/.test(name) ? name : 'unknown')

export const codeOf = (thrown: unknown): string => (isFailure(thrown) ? thrown.code : 'internal')

/**
 * The spans of runs and exchanges. None contains an input, an output, an address or a header: they name integration,
 * step, run, method, status and failure code.
 */
export const runSpans = (inSpan: InSpan): Pick<Tracing, 'run' | 'exchange'> => ({
  run: (run) => (caller, call) => {
    const attributes = {
      'toolyard.integration': idOf(call.integration),
      'toolyard.step': idOf(call.step),
      'toolyard.tenant': caller.tenant,
      'toolyard.dry_run': call.dryRun ?? false,
    }
    return inSpan('toolyard.run', { attributes }, async (span) => {
      const outcome = await run(caller, call)
      span.set({ 'toolyard.run_id': outcome.meta.runId, 'toolyard.attempts': outcome.meta.attempts })
      if (!outcome.ok) span.fail(outcome.failure.code)
      return outcome
    })
  },
  exchange: (exchange) => (call) => {
    const attributes = {
      'toolyard.integration': call.integration,
      'http.request.method': call.method,
      'toolyard.effect': call.effect,
    }
    return inSpan('toolyard.exchange', { isCall: true, attributes }, async (span) => {
      const reply = await exchange(call)
      span.set({ 'http.response.status_code': reply.status, 'http.request.resend_count': reply.attempts - 1 })
      return reply
    })
  },
})

/**
 * Whether the process registered a tracer provider before it created the pack (`node --import …`). Every copy of
 * version 1 of the OpenTelemetry API keeps it there; it is read without the API, so that a process without tracing does
 * not even load that.
 */
export const isRegistered = () => {
  const registered = (globalThis as Record<symbol, { trace?: unknown } | undefined>)[
    Symbol.for('opentelemetry.js.api.1')
  ]
  return registered?.trace !== undefined
}

/** Undefined unless the process registered a tracer provider. */
export const openTracing = async (): Promise<Tracing | undefined> => {
  if (!isRegistered()) return undefined
  const { SpanKind, SpanStatusCode, trace } = await import('@opentelemetry/api')
  const tracer = trace.getTracer('toolyard')
  const opened = (span: Span): OpenSpan => ({
    set: (attributes) => void span.setAttributes(attributes),
    fail(code) {
      span.setAttribute('toolyard.code', code)
      span.setStatus({ code: SpanStatusCode.ERROR, message: code })
    },
  })
  return runSpans((name, { isCall, attributes }, work) =>
    tracer.startActiveSpan(name, { ...(isCall ? { kind: SpanKind.CLIENT } : {}), attributes }, async (span) => {
      const open = opened(span)
      try {
        return await work(open)
      } catch (thrown) {
        open.fail(codeOf(thrown))
        throw thrown
      } finally {
        span.end()
      }
    }),
  )
}
