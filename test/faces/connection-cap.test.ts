import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttp } from '../../shared/faces/http/index.ts'
import type { HttpApp } from '../../shared/faces/http/index.ts'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'

const max = 4
let pack: Pack
let http: HttpApp
let port: number
let token: string
const sockets: Socket[] = []

beforeAll(async () => {
  pack = await createPack()
  http = await createHttp({ pack, version: '0.0.0', maxConnections: max })
  ;({ text: token } = await pack.tokens.create('default', { name: 'All', scopes: ['subscriptions', 'read'] }))
  await http.listen({ host: '127.0.0.1', port: 0 })
  port = (http.server.address() as { port: number }).port
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await http.close()
  await pack.close()
})

/** A connection that sends `text`; `received` resolves with the output once it matches or the connection is closed. */
const open = async (text = '') => {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  let output = ''
  let closed = false
  const waiting: (() => void)[] = []
  socket.setEncoding('utf8').on('data', (part: string) => {
    output += part
    for (const check of waiting) check()
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    closed = true
    for (const check of waiting) check()
  })
  await new Promise<void>((resolve) => socket.once('connect', resolve))
  if (text !== '') socket.write(text)
  const received = (pattern: RegExp) =>
    new Promise<string>((resolve) => {
      const check = () => (closed || pattern.test(output) ? resolve(output) : undefined)
      waiting.push(check)
      check()
    })
  return { socket, received, ended: () => received(/(?!)/) }
}
const ask = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`

describe('more connections than the server accepts', () => {
  it('idle ones are closed, longest idle first, and no request is refused', async () => {
    const idle = []
    for (let count = 0; count < max; count += 1) idle.push(await open())
    const busy = await open(ask('/livez'))
    expect(await busy.received(/live/)).toMatch(/^HTTP\/1\.1 200 /)
    expect(await idle[0]!.ended()).toBe('')
    expect(idle[max - 1]!.socket.destroyed).toBe(false)
    for (const { socket } of [...idle, busy]) socket.destroy()
    await Promise.all([...idle, busy].map(({ ended }) => ended()))
  })

  it('with a request in progress on each, a further request is refused with 503 and not processed', async () => {
    const streams = []
    for (let count = 0; count < max; count += 1) {
      const stream = await open(ask('/v1/stream'))
      expect(await stream.received(/changes from now on/)).toMatch(/^HTTP\/1\.1 200 /)
      streams.push(stream)
    }
    const refused = await open(ask('/v1/runs'))
    expect(await refused.ended()).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 5\r\n[^]*"code":"unavailable"/)
    streams[0]!.socket.destroy()
    await streams[0]!.ended()
    let response = ''
    // The server notices the end a moment after the client.
    while (!response.startsWith('HTTP/1.1 200')) response = await (await open(ask('/v1/runs'))).received(/items/)
  })
})

it('late headers and bodies are checked every second, so that they end at 10 s and, for uploads, 10 min; other bodies have 15 s of their own', () => {
  const { headersTimeout, requestTimeout } = http.server
  const { connectionsCheckingInterval } = http.server as unknown as { connectionsCheckingInterval: number }
  expect({ headersTimeout, requestTimeout, connectionsCheckingInterval }).toEqual({
    headersTimeout: 10_000,
    requestTimeout: 600_000,
    connectionsCheckingInterval: 1_000,
  })
})
