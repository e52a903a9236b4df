import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

const ports = new Set<number>()

/**
 * A port on loopback for a program that cannot choose one itself, another one each time. It is below those that the
 * system gives to connections and to whoever listens at port 0 (from 32768 on Linux), any of which could be taken before
 * the program listens.
 */
export const freePort = async (): Promise<number> => {
  const port = 20_000 + randomInt(10_000)
  // Noted before it is tried: several may be asked for at once.
  if (ports.has(port)) return freePort()
  ports.add(port)
  const isFree = await new Promise<boolean>((done) => {
    const server = createServer()
      .once('error', () => done(false))
      .listen(port, '127.0.0.1', () => void server.close(() => done(true)))
  })
  return isFree ? port : freePort()
}
