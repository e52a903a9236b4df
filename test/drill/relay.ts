/** A TCP address that leads to a port of this machine, and later to another one or to none. */
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

export const openRelay = async (first: number) => {
  let target: number | undefined = first
  const open = new Set<Socket>()
  const server = createServer((client) => {
    open.add(client)
    client.on('close', () => open.delete(client)).on('error', () => client.destroy())
    if (target === undefined) return void client.destroy()
    const upstream = connect(target, '127.0.0.1')
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy())
    client.on('close', () => upstream.destroy())
    client.pipe(upstream).pipe(client)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const dropAll = () => {
    for (const client of open) client.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    /** From now on it leads there; what was open is cut. */
    lead(port: number) {
      target = port
      dropAll()
    },
    /** From now on it leads nowhere. */
    cut() {
      target = undefined
      dropAll()
    },
    async close() {
      target = undefined
      dropAll()
      await new Promise((done) => server.close(done))
    },
  }
}
export type Relay = Awaited<ReturnType<typeof openRelay>>
