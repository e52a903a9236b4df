/** One address for several nodes that sends each request to the next node, whatever connection the request came by. */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export const startTurns = async () => {
  let ports: number[] = []
  /** Port of the node and path of each request, in order. */
  const requests: { port: number; path: string }[] = []
  const server = createServer((incoming, outgoing) => {
    const port = ports[requests.length % ports.length]!
    requests.push({ port, path: new URL(incoming.url ?? '/', 'http://node').pathname })
    const { method, url, headers } = incoming
    const passed = request({ host: '127.0.0.1', port, method, path: url, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode!, reply.headers)
      // The end of a stream of events is seen at once, and its first bytes before any event.
      outgoing.flushHeaders()
      reply.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    outgoing.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    /** From now on requests go to these nodes. */
    to: (nodes: { port: number }[]) => void (ports = nodes.map(({ port }) => port)),
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
