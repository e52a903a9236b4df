import type { IncomingHttpHeaders } from 'node:http'

/** The span of one request. */
export type RequestSpan = {
  /** Runs work as part of the request. */
  within<T>(work: () => T): T
  /** `route`: as it is registered, so without the caller's values. */
  note(about: {
    route: string
    tenant?: string | undefined
    runId?: string | undefined
    code?: string | undefined
  }): void
  /** `status`: of the response; undefined when none was sent. */
  end(status: number | undefined): void
}

/** Adds a span to each request. */
export type HttpTracing = {
  begin(request: { method?: string | undefined; headers: IncomingHttpHeaders; isDelivery: boolean }): RequestSpan
}
