import { readRetryAfter } from '#kit'
import type { Clock, Log } from '../runtime/ports/index.ts'
import type { SpanAttributes } from '../tracing.ts'
import { encodeSpans } from './otlp.ts'
import type { EndedSpan } from './otlp.ts'

/** As the batch processors of OpenTelemetry have them: spans that wait, spans in a request, ms between requests. */
export const maxWaiting = 2048
export const maxBatch = 512
const everyMs = 5_000
/** Attempts at one batch, and the first wait between them in ms, which doubles. */
const maxAttempts = 5
const firstWaitMs = 1_000
/** The longest wait before an attempt: what comes meanwhile has to wait too. */
const maxWaitMs = 30_000
/** A collector repeats these requests (https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes). */
const isRepeatable = (status: number) => status === 429 || (status >= 502 && status <= 504)
/** How long the end of the process waits for the last spans, in ms. */
const closeMs = 2_000

export type ExporterOptions = {
  url: string
  headers: Record<string, string>
  timeoutMs: number
  resource: SpanAttributes
  version: string
  log: Log
  clock: Clock
  random(): number
  send: typeof globalThis.fetch
}

/** `status` is null where there was no answer. */
type Sent = { isTaken: boolean; status: number | null; error?: string; retryAfterMs?: number | undefined }

/** The system's code of an error, or its name: messages may hold the address, which may hold a key. */
const nameOf = (error: unknown): string => {
  const { cause, name } = error as Error
  const { code } = (cause ?? {}) as NodeJS.ErrnoException
  return code ?? name
}

const createPost = ({ url, headers, timeoutMs, resource, version, clock, send }: ExporterOptions) =>
  async function post(spans: readonly EndedSpan[], closing: AbortSignal): Promise<Sent> {
    try {
      const reply = await send(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'user-agent': `toolyard/${version}` },
        body: encodeSpans(spans, resource, version),
        // The headers may hold a credential, which is for this address alone.
        redirect: 'manual',
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), closing]),
      })
      await reply.body?.cancel()
      return {
        isTaken: reply.ok,
        status: reply.status,
        retryAfterMs: readRetryAfter(reply.headers.get('retry-after') ?? undefined, clock.now()),
      }
    } catch (error) {
      return { isTaken: false, status: null, error: nameOf(error) }
    }
  }

/**
 * Sends spans to a collector in batches, one request at a time. It never throws and holds nobody up: while the collector
 * does not take spans, those that exceed the queue are dropped, and the log has their count.
 */
export const createExporter = (options: ExporterOptions) => {
  const { log, clock, random } = options
  const post = createPost(options)
  const stopping = new AbortController()
  const closing = new AbortController()
  let waiting: EndedSpan[] = []
  let dropped = 0
  let isFailing = false
  let wake = () => {}
  let sending: Promise<void> | undefined

  const noteFailure = ({ status, error }: Sent) => {
    // One line for each outage.
    if (!isFailing) log('warn', 'traces.not_exported', { status, ...(error === undefined ? {} : { error }) })
    isFailing = true
  }

  const sendBatch = async (batch: readonly EndedSpan[]): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      const sent = await post(batch, closing.signal)
      if (sent.isTaken) {
        if (isFailing || dropped > 0) log('info', 'traces.exported', { droppedSpans: dropped })
        isFailing = false
        dropped = 0
        return
      }
      noteFailure(sent)
      const isFinal = attempt === maxAttempts || stopping.signal.aborted
      if (isFinal || (sent.status !== null && !isRepeatable(sent.status))) break
      const backoffMs = firstWaitMs * 2 ** (attempt - 1) * (0.5 + random())
      await clock.sleep(Math.min(sent.retryAfterMs ?? backoffMs, maxWaitMs), stopping.signal).catch(() => undefined)
    }
    dropped += batch.length
  }

  const sendAll = async () => {
    while (waiting.length > 0 && !closing.signal.aborted) await sendBatch(waiting.splice(0, maxBatch))
  }

  const pause = () => {
    const woken = new AbortController()
    wake = () => woken.abort()
    return clock.sleep(everyMs, AbortSignal.any([woken.signal, stopping.signal])).catch(() => undefined)
  }

  /** Runs while there are spans, so that a quiet process has no timer. */
  const work = async () => {
    while (waiting.length > 0 && !stopping.signal.aborted) {
      if (waiting.length < maxBatch) await pause()
      await sendAll()
    }
    sending = undefined
  }

  return {
    add(span: EndedSpan): void {
      if (waiting.length >= maxWaiting || stopping.signal.aborted) {
        dropped += 1
        return
      }
      waiting.push(span)
      if (waiting.length === maxBatch) wake()
      sending ??= work()
    },
    /** Sends what waits, in bounded time. */
    async close(): Promise<void> {
      stopping.abort()
      const patience = new AbortController()
      clock.sleep(closeMs, patience.signal).then(
        () => closing.abort(),
        () => {},
      )
      await sending
      await sendAll()
      patience.abort()
      dropped += waiting.length
      waiting = []
      if (dropped > 0) log('warn', 'traces.dropped', { droppedSpans: dropped })
    },
  }
}
export type Exporter = ReturnType<typeof createExporter>
