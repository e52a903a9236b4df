import { isIP } from 'node:net'
import type { Socket } from 'node:net'
import type { Egress, Place } from './egress.ts'

type SocketCallback = (error: Error | null, socket: Socket | null) => void
type ProxyTarget = { hostname: string; port: string; protocol: string; servername?: string | undefined }

const addressOf = (egress: Egress, place: Place, hostname: string): Promise<string> =>
  new Promise((resolve, reject) => {
    egress.lookupFor(place)(hostname, { all: false }, (error, address) =>
      error ? reject(error) : resolve(String(address)),
    )
  })

/** Opens a tunnel to an address that was checked here, so that the proxy's own name lookup cannot lead elsewhere. */
const openTunnel = async (proxy: string, target: string, timeoutMs: number): Promise<Socket> => {
  // Importing it would load Node's own fetch as well.
  const { request } = process.getBuiltinModule('node:http')
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(proxy)
    const asking = request({
      host: hostname,
      port: Number(port || 80),
      method: 'CONNECT',
      path: target,
      agent: false,
      timeout: timeoutMs,
      headers: { host: target },
    })
    const fail = (code: string, message: string) => reject(Object.assign(new Error(message), { code }))
    asking.once('connect', (reply, socket) => {
      if (reply.statusCode === 200) return resolve(socket)
      socket.destroy()
      fail('ECONNREFUSED', 'The egress proxy refused the tunnel.')
    })
    asking.once('response', () => fail('ECONNREFUSED', 'The egress proxy does not open tunnels.'))
    asking.once('timeout', () =>
      asking.destroy(
        Object.assign(new Error('The egress proxy did not answer in time.'), { code: 'UND_ERR_CONNECT_TIMEOUT' }),
      ),
    )
    asking.once('error', reject)
    asking.end()
  })
}

const secure = async (socket: Socket, servername: string): Promise<Socket> => {
  const { connect: connectTls } = await import('node:tls')
  return new Promise((resolve, reject) => {
    const tls = connectTls({ socket, ALPNProtocols: ['http/1.1'], ...(isIP(servername) === 0 ? { servername } : {}) })
    tls.once('secureConnect', () => resolve(tls))
    tls.once('error', reject)
  })
}

/** How a pool connects when the operator set an egress proxy (`http://host:port`). */
export const proxyConnector = (proxy: string, egress: Egress, place: Place, connectMs: number) => {
  const open = async ({ hostname, port, protocol, servername }: ProxyTarget): Promise<Socket> => {
    const address = await addressOf(egress, place, hostname)
    const number = port || (protocol === 'https:' ? '443' : '80')
    const socket = await openTunnel(proxy, `${address.includes(':') ? `[${address}]` : address}:${number}`, connectMs)
    socket.setNoDelay(true)
    return protocol === 'https:' ? secure(socket, servername ?? hostname) : socket
  }
  return (request: ProxyTarget, done: SocketCallback) => {
    open(request).then(
      (socket) => done(null, socket),
      (error: Error) => done(error, null),
    )
  }
}
