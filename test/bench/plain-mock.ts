/**
 * A provider on bare sockets, so that the clients decide how much is done in a second: answers every request with a
 * fixed card or list.
 */
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { cardOf } from './card.ts'

const replyOf = (body: unknown) => {
  const bytes = Buffer.from(JSON.stringify(body))
  return Buffer.concat([
    Buffer.from(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${bytes.length}\r\n\r\n`,
    ),
    bytes,
  ])
}
const listOf = (count: number) => replyOf(Array.from({ length: count }, (_, index) => cardOf(index)))
const card = replyOf(cardOf(1))
const empty = replyOf([])
const lists: Record<string, Buffer> = { 100: listOf(100), 1000: listOf(1000) }

/** The lists end here: what is asked for before their oldest card is nothing. */
const answerTo = (requestLine: string): Buffer => {
  const count = /\/lists\/0*(1000|100)\/cards/.exec(requestLine)?.[1]
  if (count === undefined) return card
  return requestLine.includes('before=') ? empty : lists[count]!
}

const headEnd = '\r\n\r\n'

const server = createServer((socket) => {
  let text = ''
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
    for (let end = text.indexOf(headEnd); end >= 0; end = text.indexOf(headEnd)) {
      const head = text.slice(0, end)
      const whole = end + headEnd.length + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (text.length < whole) return
      text = text.slice(whole)
      socket.write(answerTo(head.slice(0, head.indexOf('\r\n'))))
    }
  })
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
