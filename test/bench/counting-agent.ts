/** An agent that takes every start at once and only counts them. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export const startCountingAgent = async () => {
  let called = 0
  let onCalled = () => {}
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      called += 1
      response.writeHead(200).end()
      onCalled()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    called: () => called,
    /** Resolves once it has been called so many times in all. */
    calledTimes: (count: number) =>
      new Promise<void>((resolve) => {
        onCalled = () => void (called >= count && resolve())
        onCalled()
      }),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
