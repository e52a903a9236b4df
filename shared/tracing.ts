import type { Span, SpanOptions } from '@opentelemetry/api'
import { isFailure } from '#kit'
import type { Steps } from './runtime/steps/run-step.ts'
import type { Wire } from './wire/index.ts'

/**
 * Adds spans to what the pack does: `toolyard.run` for a step run, and within it `toolyard.exchange` for each exchange
 * with a provider.
 */
export type Tracing = { run(run: Steps['run']): Steps['run']; exchange(exchange: Wire['exchange']): Wire['exchange'] }

/**
 * Where every copy of version 1 of the OpenTelemetry API keeps what was registered. It is read first, so that a process
 * without tracing does not even load the API.
 */
const isRegistered = () => {
  const registered = (globalThis as Record<symbol, { trace?: unknown } | undefined>)[
    Symbol.for('opentelemetry.js.api.1')
  ]
  return registered?.trace !== undefined
}

/** Names from a caller, truncated. */
const short = (name: string) => name.slice(0, 100)

/**
 * Undefined unless the process registered a tracer provider before it created the pack (`node --import …`). No span
 * contains an input, an output, an address or a header: spans name integration, step, run, method, status and failure
 * code.
 */
export const openTracing = async (): Promise<Tracing | undefined> => {
  if (!isRegistered()) return undefined
  const { SpanKind, SpanStatusCode, trace } = await import('@opentelemetry/api')
  const tracer = trace.getTracer('toolyard')

  const failed = (span: Span, code: string) => {
    span.setAttribute('toolyard.code', code)
    span.setStatus({ code: SpanStatusCode.ERROR, message: code })
  }
  const within = <T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> =>
    tracer.startActiveSpan(name, options, async (span) => {
      try {
        return await work(span)
      } catch (thrown) {
        failed(span, isFailure(thrown) ? thrown.code : 'internal')
        throw thrown
      } finally {
        span.end()
      }
    })

  return {
    run: (run) => (caller, call) => {
      const attributes = {
        'toolyard.integration': short(call.integration),
        'toolyard.step': short(call.step),
        'toolyard.tenant': caller.tenant,
        'toolyard.dry_run': call.dryRun ?? false,
      }
      return within('toolyard.run', { attributes }, async (span) => {
        const outcome = await run(caller, call)
        span.setAttributes({ 'toolyard.run_id': outcome.meta.runId, 'toolyard.attempts': outcome.meta.attempts })
        if (!outcome.ok) failed(span, outcome.failure.code)
        return outcome
      })
    },
    exchange: (exchange) => (call) => {
      const attributes = {
        'toolyard.integration': call.integration,
        'http.request.method': call.method,
        'toolyard.effect': call.effect,
      }
      return within('toolyard.exchange', { kind: SpanKind.CLIENT, attributes }, async (span) => {
        const reply = await exchange(call)
        span.setAttributes({
          'http.response.status_code': reply.status,
          'http.request.resend_count': reply.attempts - 1,
        })
        return reply
      })
    },
  }
}
