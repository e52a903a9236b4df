/** The part of a span that travels: ids in hexadecimal, 32 and 16 characters long. */
export type SpanContext = { traceId: string; spanId: string; isSampled: boolean }

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const noTrace = '0'.repeat(32)
const noSpan = '0'.repeat(16)

/** The header `traceparent` of W3C Trace Context. Undefined where it is not valid: then it counts as absent. */
export const readTraceparent = (header: string | string[] | undefined): SpanContext | undefined => {
  const [, version, traceId, spanId, flags, more] = (typeof header === 'string' && form.exec(header)) || []
  if (version === undefined || version === 'ff' || traceId === noTrace || spanId === noSpan) return undefined
  // Later versions may add fields at the end, version 00 has none.
  if (version === '00' && more !== undefined) return undefined
  return { traceId: traceId!, spanId: spanId!, isSampled: (Number.parseInt(flags!, 16) & 1) === 1 }
}

export const formatTraceparent = ({ traceId, spanId, isSampled }: SpanContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
