/** A TCP balancer: one address for several nodes, each new connection to the next node that says it is ready. */
import { get } from 'node:http'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

const retryMs = 200
const checkTimeoutMs = 1_000
/** How long a client waits for a node: on a busy machine, the answers of all of them may be late at the same moment. */
const patienceMs = 30_000

const isReady = (port: number, path: string) =>
  new Promise<boolean>((resolve) => {
    const request = get({ host: '127.0.0.1', port, path, agent: false, timeout: checkTimeoutMs }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(false))
  })

/** The nodes need not listen yet. `probe`: a node is ready when it answers 200 there. */
export const startBalancer = async (ports: number[], probe = '/readyz', probeEveryMs = 200) => {
  const targets = ports.map((port) => ({ port, isReady: false, isDrained: false }))
  const open = new Set<Socket>()
  let turn = 0
  let isClosed = false

  const pass = async (client: Socket, until = performance.now() + patienceMs): Promise<void> => {
    const able = targets.filter((candidate) => candidate.isReady && !candidate.isDrained)
    const target = able[(turn += 1) % able.length]
    if (client.destroyed) return
    if (!target) {
      if (isClosed || performance.now() > until) return void client.destroy()
      await wait(retryMs)
      return pass(client, until)
    }
    const upstream = connect(target.port, '127.0.0.1')
    const refused = () => {
      target.isReady = false
      void pass(client, until)
    }
    upstream.once('error', refused)
    upstream.once('connect', () => {
      upstream.off('error', refused)
      upstream.on('error', () => client.destroy())
      upstream.on('close', () => client.destroy())
      client.on('close', () => upstream.destroy())
      client.pipe(upstream).pipe(client)
    })
  }
  const server = createServer((client) => {
    open.add(client)
    client.on('error', () => client.destroy())
    client.on('close', () => open.delete(client))
    void pass(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const check = async (target: (typeof targets)[number]) => {
    while (!isClosed) {
      target.isReady = await isReady(target.port, probe)
      await wait(probeEveryMs)
    }
  }
  const checks = targets.map(check)
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** From now on no new connection goes to this node; those that are open stay. */
    drain: (port: number, isDrained = true) => {
      for (const target of targets) if (target.port === port) target.isDrained = isDrained
    },
    ready: () => targets.filter((candidate) => candidate.isReady).length,
    async close() {
      isClosed = true
      for (const client of open) client.destroy()
      await new Promise((resolve) => server.close(resolve))
      await Promise.all(checks)
    },
  }
}
