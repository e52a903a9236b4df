import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** Ids of every usual kind: UUIDs, those of AWS and nginx, trace ids. Nothing in them can break a log line or a header. */
const form = /^[\w.:=;-]{1,128}$/

/** The id of a request: that of its header X-Request-Id if it has the form of an id, else a new UUID. */
export const requestIdOf = ({ headers }: { headers: IncomingHttpHeaders }): string => {
  const id = headers['x-request-id']
  return typeof id === 'string' && form.test(id) ? id : randomUUID()
}
