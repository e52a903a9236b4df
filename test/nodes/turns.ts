/**
 * One address for several nodes that sends each request to another node than the one before, whatever connection it came
 * by. Of those it takes the one that had least requests for this path, so that each path comes to every node.
 */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export const startTurns = async () => {
  let ports: number[] = []
  /** Port of the node and path of each request, in order. */
  const requests: { port: number; path: string }[] = []
  const portFor = (path: string): number => {
    const last = requests.at(-1)?.port
    const count = (port: number) => requests.filter((row) => row.port === port && row.path === path).length
    return ports.filter((port) => port !== last).toSorted((a, b) => count(a) - count(b))[0]!
  }
  const server = createServer((incoming, outgoing) => {
    const path = new URL(incoming.url ?? '/', 'http://node').pathname
    const port = portFor(path)
    requests.push({ port, path })
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
