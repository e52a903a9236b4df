/** A provider in a process of its own, so that its work is not counted as ours: answers every request with a fixed card or list. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const id = (n: number) => `6afd8f84${n.toString(16).padStart(16, '0')}`
const card = (n: number) => ({
  id: id(n),
  name: `Card ${n}: call the printer about the second proof`,
  desc: 'The second proof has the old address on it. Ask for a corrected one before Friday and send it round.\n'.repeat(8),
  closed: false,
  idBoard: id(900_001),
  idList: id(900_002),
  idShort: n,
  shortLink: `sl${n.toString(36).padStart(6, '0')}`,
  shortUrl: `https://boards.example/c/sl${n.toString(36).padStart(6, '0')}`,
  url: `https://boards.example/c/sl${n.toString(36).padStart(6, '0')}/${n}-card`,
  pos: 16384 * (n + 1),
  due: '2026-12-01T09:00:00.000Z',
  start: null,
  dueComplete: false,
  dateLastActivity: '2026-11-20T09:00:00.000Z',
  idMembers: [id(1)],
  idLabels: [id(2), id(3)],
  labels: [{ id: id(2), idBoard: id(900_001), name: 'Print', color: 'red', uses: 3 }],
  idChecklists: [],
  badges: {
    votes: 0,
    comments: 2,
    attachments: 1,
    checkItems: 0,
    checkItemsChecked: 0,
    description: true,
    due: '2026-12-01T09:00:00.000Z',
    dueComplete: false,
  },
  cover: { idAttachment: null, color: null, size: 'normal', brightness: 'dark' },
  subscribed: false,
  isTemplate: false,
})

const one = Buffer.from(JSON.stringify(card(1)))
const none = Buffer.from('[]')
const lists = new Map([100, 1000].map((count) => [String(count), Buffer.from(JSON.stringify(Array.from({ length: count }, (_, n) => card(n))))] as const))

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    // `/1/lists/{id}/cards`: the number of cards stands at the end of the id.
    const count = /^\/1\/lists\/[0-9a-f]*?0*(1000|100)\/cards/.exec(request.url ?? '')?.[1]
    // The lists end here: what is asked for before their oldest card is nothing.
    const body = count ? (request.url!.includes('before=') ? none : lists.get(count)!) : one
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length })
    response.end(body)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
