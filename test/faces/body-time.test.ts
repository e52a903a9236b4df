import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import Fastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { limitBodyTime } from '../../shared/faces/http/body-time.ts'
import { respondToClientError } from '../../shared/faces/http/client-error.ts'

const bodyMs = 100
/** What the body is read after. */
type Held = { before: Promise<unknown>; after: Promise<unknown> }

const open = async (held: Held) => {
  const app = Fastify({ clientErrorHandler: respondToClientError as (error: Error, socket: Socket) => void })
  limitBodyTime(app, bodyMs, () => false)
  app.addHook('onRequest', async () => void (await held.before))
  app.post('/', async (request) => {
    await held.after
    return { bytes: JSON.stringify(request.body).length }
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => void (text += part))
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(text)))
  return { socket, ended }
}
const head = (length: number) =>
  `POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`
const long = wait.bind(undefined, bodyMs * 5)
const now = Promise.resolve()

// The larger ones stay in the socket until somebody reads them.
for (const size of [10, 100_000, 900_000]) {
  const body = JSON.stringify('x'.repeat(size - 2))
  it(`a body of ${size} bytes that arrived is not late, however long the server takes before it reads it`, async () => {
    const { socket, ended } = await open({ before: long(), after: now })
    socket.write(head(size) + body)
    expect(await ended).toMatch(/^HTTP\/1.1 200 [^]*"bytes":/)
  })
  it(`nor is one of ${size} bytes, however long the server takes to answer`, async () => {
    const { socket, ended } = await open({ before: now, after: long() })
    socket.write(head(size) + body)
    expect(await ended).toMatch(/^HTTP\/1.1 200 [^]*"bytes":/)
  })
}

it('who stops in the middle is answered 408, also where the server was slow itself', async () => {
  for (const before of [now, long()]) {
    const { socket, ended } = await open({ before, after: now })
    socket.write(`${head(100)}"some`)
    expect(await ended).toMatch(/^HTTP\/1.1 408 [^]*did not arrive in time/)
  }
})
