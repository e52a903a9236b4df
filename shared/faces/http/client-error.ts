import type { Socket } from 'node:net'
import { problemOf, refuse } from './problem.ts'

const statusOf: Record<string, [number, string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
  HPE_HEADER_OVERFLOW: [431, 'The request headers are too large.'],
}

/** Responds to bytes that are not HTTP, or that arrive too slowly, when there is no request object yet. */
export const respondToClientError = (error: NodeJS.ErrnoException, socket: Socket) => {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const [status, message] = statusOf[error.code ?? ''] ?? [400, 'This is not a well-formed HTTP request.']
  const body = JSON.stringify(problemOf(refuse('invalid_input', message), { status }).body)
  socket.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: application/problem+json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}
