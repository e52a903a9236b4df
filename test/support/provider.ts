import { createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { closing } from './closing.ts'

export type Seen = { method: string; url: string; body: string; headers: IncomingHttpHeaders }

/**
 * A provider on loopback that responds through `answer` and records the requests. It closes as a world does, see
 * `closing.ts`.
 */
export const startProvider = async (
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
) => {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (part: string) => (body += part))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      seen.push({ method, url, body, headers })
      answer(request, response, body)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return closing({
    origin,
    seen,
    close: () =>
      new Promise<void>((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  })
}
