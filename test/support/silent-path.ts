/**
 * A TCP path to a server that can be lost without a word, as when a firewall forgets it: nothing arrives any more, and
 * nothing is reset.
 */
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

type Loss = { /** To the server. */ there: boolean; /** From the server. */ back: boolean }

export const openSilentPath = async (port: number) => {
  const sockets = new Set<Socket>()
  let lost: Loss = { there: false, back: false }
  let lostAfter: string | undefined
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    /** What a lost path has swallowed stays lost, also when new connections go through again. */
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
    /** The same address through this path. */
    through: (url: string) => url.replace(`:${port}/`, `:${ownPort}/`),
    /** Without an argument both ways are lost. */
    lose: (ways: Partial<Loss> = { there: true, back: true }) => void (lost = { there: false, back: false, ...ways }),
    heal: () => void (lost = { there: false, back: false }),
    /**
     * The connection on which this text is sent next still reaches the server, and nothing that the server says comes
     * back on it.
     */
    loseAnswerTo: (text: string) => void (lostAfter = text),
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
