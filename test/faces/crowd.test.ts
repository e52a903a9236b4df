import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttp } from '../../shared/faces/http/index.ts'
import type { HttpApp } from '../../shared/faces/http/index.ts'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'

const most = 4
let pack: Pack
let http: HttpApp
let port: number
let token: string
const sockets: Socket[] = []

beforeAll(async () => {
  pack = await createPack()
  http = await createHttp({ pack, version: '0.0.0', maxConnections: most })
  ;({ text: token } = await pack.tokens.create('default', { name: 'All', scopes: ['subscriptions', 'read'] }))
  await http.listen({ host: '127.0.0.1', port: 0 })
  port = (http.server.address() as { port: number }).port
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await http.close()
  await pack.close()
})

/** A connection that says `text`; `heard` resolves with what came until it says enough or was closed. */
const open = async (text = '') => {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  let said = ''
  let closed = false
  const waiting: (() => void)[] = []
  socket.setEncoding('utf8').on('data', (part: string) => {
    said += part
    for (const look of waiting) look()
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    closed = true
    for (const look of waiting) look()
  })
  await new Promise<void>((resolve) => socket.once('connect', resolve))
  if (text !== '') socket.write(text)
  const heard = (enough: RegExp) =>
    new Promise<string>((resolve) => {
      const look = () => (closed || enough.test(said) ? resolve(said) : undefined)
      waiting.push(look)
      look()
    })
  return { socket, heard, gone: () => heard(/(?!)/) }
}
const ask = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`

describe('more connections than the server takes', () => {
  it('ones that say nothing make room, the longest silent first, and nobody who asks is refused', async () => {
    const silent = []
    for (let count = 0; count < most; count += 1) silent.push(await open())
    const asking = await open(ask('/livez'))
    expect(await asking.heard(/live/)).toMatch(/^HTTP\/1\.1 200 /)
    expect(await silent[0]!.gone()).toBe('')
    expect(silent[most - 1]!.socket.destroyed).toBe(false)
    for (const { socket } of [...silent, asking]) socket.destroy()
    await Promise.all([...silent, asking].map(({ gone }) => gone()))
  })

  it('where all have a request under way, one more is told to come again, and nothing of its request is done', async () => {
    const streams = []
    for (let count = 0; count < most; count += 1) {
      const stream = await open(ask('/v1/stream'))
      expect(await stream.heard(/news from now on/)).toMatch(/^HTTP\/1\.1 200 /)
      streams.push(stream)
    }
    const late = await open(ask('/v1/runs'))
    expect(await late.gone()).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 5\r\n[^]*"code":"unavailable"/)
    streams[0]!.socket.destroy()
    await streams[0]!.gone()
    let answer = ''
    // The server hears of the end a moment after the client does.
    while (!answer.startsWith('HTTP/1.1 200')) answer = await (await open(ask('/v1/runs'))).heard(/items/)
  })
})

it('late headers and bodies are looked for every second, so that they end at 10 and 15 s', () => {
  const { headersTimeout, requestTimeout } = http.server
  const { connectionsCheckingInterval } = http.server as unknown as { connectionsCheckingInterval: number }
  expect({ headersTimeout, requestTimeout, connectionsCheckingInterval }).toEqual({
    headersTimeout: 10_000,
    requestTimeout: 15_000,
    connectionsCheckingInterval: 1_000,
  })
})
