import type { HttpTracing } from '../faces/http/tracing.ts'
import { readTraceparent } from './traceparent.ts'
import type { Tracer } from './tracer.ts'

/** Those of RFC 9110 and RFC 5789: other methods are the caller's text. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'])

/**
 * The span of a request. It is part of the caller's trace, if the caller has one. A delivery is not: its trace follows
 * from its event, so that its starts find it, and is linked to the provider's.
 */
export const traceHttp = ({ begin, endRoot, within }: Tracer): HttpTracing => ({
  begin({ method = '', headers, isDelivery }) {
    const caller = readTraceparent(headers['traceparent'])
    const name = methods.has(method) ? method : '_OTHER'
    const span = begin(name, {
      kind: 'server',
      attributes: { 'http.request.method': name },
      ...(isDelivery ? { parent: 'later', links: [caller] } : { parent: caller ?? 'new' }),
    })
    return {
      within: (work) => within(span, work),
      note({ route, tenant, runId, code }) {
        span.name = `${name} ${route}`
        span.set({
          'http.route': route,
          ...(tenant === undefined ? {} : { 'toolyard.tenant': tenant }),
          ...(runId === undefined ? {} : { 'toolyard.run_id': runId }),
          ...(code === undefined ? {} : { 'toolyard.code': code }),
        })
      },
      end(status) {
        if (status === undefined) span.error('cancelled')
        else {
          span.set({ 'http.response.status_code': status })
          if (status >= 500) span.error(String(status))
        }
        endRoot(span)
      },
    }
  },
})
