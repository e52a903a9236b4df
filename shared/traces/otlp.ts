import type { SpanAttributes } from '../tracing.ts'

/** A span that has ended. Times are in ms since 1970. */
export type EndedSpan = {
  traceId: string
  spanId: string
  parentId: string | undefined
  name: string
  kind: keyof typeof kinds
  startedAt: number
  endedAt: number
  attributes: SpanAttributes
  links: readonly { traceId: string; spanId: string }[]
  /** The code of a failure; `undefined` when it did not fail. */
  code: string | undefined
}

const kinds = { internal: 1, server: 2, client: 3, consumer: 5 } as const
const errorStatus = 2

const valueOf = (value: SpanAttributes[string]) => {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
const attributesOf = (attributes: SpanAttributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }))

/** Nanoseconds exceed what a number holds exactly, microseconds do not. */
const nanoseconds = (ms: number) => `${Math.round(ms * 1000)}000`

const encodeSpan = ({ traceId, spanId, parentId, name, kind, startedAt, endedAt, ...span }: EndedSpan) => ({
  traceId,
  spanId,
  ...(parentId === undefined ? {} : { parentSpanId: parentId }),
  name,
  kind: kinds[kind],
  startTimeUnixNano: nanoseconds(startedAt),
  endTimeUnixNano: nanoseconds(endedAt),
  attributes: attributesOf(span.attributes),
  links: span.links.map(({ traceId: trace, spanId: id }) => ({ traceId: trace, spanId: id })),
  status: span.code === undefined ? {} : { code: errorStatus, message: span.code },
})

/**
 * The body of a request of OTLP/HTTP in JSON (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding).
 * @param resource the process that the spans are from
 */
export const encodeSpans = (spans: readonly EndedSpan[], resource: SpanAttributes, version: string): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'toolyard', version }, spans: spans.map(encodeSpan) }],
      },
    ],
  })
