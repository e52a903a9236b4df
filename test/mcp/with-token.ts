import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A front of a server on the loopback address that adds a bearer token and changes nothing else, for checkers that
 * cannot send one.
 */
export const withToken = async (address: string, token: string) => {
  const { hostname, port } = new URL(address)
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` }
    const passed = request({ hostname, port, method: incoming.method, path: incoming.url, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode!, reply.headers)
      reply.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    outgoing.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
