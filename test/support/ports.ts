import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import type { Server } from 'node:net'

export const listenOn = (port: number) => {
  const server = createServer()
  return new Promise<Server>((resolve, reject) =>
    server.once('error', reject).listen(port, '127.0.0.1', () => resolve(server)),
  )
}
export const closed = (server: Server) => new Promise<unknown>((resolve) => server.close(resolve))

/**
 * Free ports below the range from which the system assigns ports on request, as it does for concurrent suites. So
 * nobody takes them between two starts.
 */
export const quietPorts = async (count: number): Promise<number[]> => {
  const ports: number[] = []
  for (let port = randomInt(20_000, 30_000); ports.length < count; port += 1) {
    const server = await listenOn(port).catch(() => undefined)
    if (!server) continue
    await closed(server)
    ports.push(port)
  }
  return ports
}
