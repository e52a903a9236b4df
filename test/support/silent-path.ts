/**
 * A TCP path to a server that can go silent, as when a firewall drops its state: nothing arrives any more, and no
 * connection is reset.
 */
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

type Loss = { /** Towards the server. */ there: boolean; /** From the server. */ back: boolean }

export const openSilentPath = async (port: number) => {
  const sockets = new Set<Socket>()
  let lost: Loss = { there: false, back: false }
  let lostAfter: string | undefined
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    /** Data lost on this connection stays lost, even when new connections work again. */
    const isLost = { there: false, back: false }
    const pass = (from: Socket, to: Socket, way: keyof Loss) => {
      sockets.add(from)
      from.on('data', (bytes) => {
        isLost[way] ||= lost[way]
        if (isLost[way]) return
        to.write(bytes)
        if (way === 'there' && lostAfter !== undefined && bytes.includes(lostAfter)) {
          isLost.back = true
          lostAfter = undefined
        }
      })
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        isLost[way] ||= lost[way]
        if (isLost[way]) return
        to.destroy()
      })
    }
    pass(client, upstream, 'there')
    pass(upstream, client, 'back')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const ownPort = (server.address() as AddressInfo).port
  return {
    /** The same URL, but through this path. */
    through: (url: string) => url.replace(`:${port}/`, `:${ownPort}/`),
    /** Without an argument, both directions are lost. */
    lose: (ways: Partial<Loss> = { there: true, back: true }) => void (lost = { there: false, back: false, ...ways }),
    heal: () => void (lost = { there: false, back: false }),
    /**
     * The next connection on which this text is sent still delivers it to the server, but nothing that the server sends
     * on it comes back.
     */
    loseAnswerTo: (text: string) => void (lostAfter = text),
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
