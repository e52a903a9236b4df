/**
 * A provider in a process of its own, so that its work is not counted as ours: answers every request with a fixed card
 * or list.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cardOf } from './card.ts'

const cardBody = Buffer.from(JSON.stringify(cardOf(1)))
const none = Buffer.from('[]')
const lists = new Map(
  [100, 1000].map(
    (count) =>
      [String(count), Buffer.from(JSON.stringify(Array.from({ length: count }, (_, n) => cardOf(n))))] as const,
  ),
)

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    // `/1/lists/{id}/cards`: the number of cards stands at the end of the id.
    const count = /^\/1\/lists\/[0-9a-f]*?0*(1000|100)\/cards/.exec(request.url ?? '')?.[1]
    // The lists end here: what is asked for before their oldest card is nothing.
    const body = count ? (request.url!.includes('before=') ? none : lists.get(count)!) : cardBody
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length })
    response.end(body)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
