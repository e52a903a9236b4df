/**
 * Signed deliveries, and bare sockets that send them: a client that costs more than the server would decide the
 * figures.
 */
import { createHmac } from 'node:crypto'
import { connect } from 'node:net'
import type { Socket } from 'node:net'

let count = 0
const id = (at: number) => {
  count += 1
  return Math.floor(at / 1000).toString(16) + count.toString(16).padStart(16, '0')
}

/**
 * About 3 kB, like the provider's. One in ten is a comment, the others change a description; `type` makes all of them
 * one kind.
 */
export const delivery = (
  board: string,
  callbackUrl: string,
  secret: string,
  type?: 'commentCard',
): { id: string; request: Buffer } => {
  const at = Date.now()
  const action = id(at)
  const card = { id: '7'.repeat(24), name: 'Call the printer', idShort: 12, shortLink: 'aBcDeFgH' }
  const isComment = type !== undefined || count % 10 === 0
  const member = {
    id: '9'.repeat(24),
    fullName: 'Marlow Fenwick',
    username: 'marlowfenwick',
    initials: 'MF',
    activityBlocked: false,
    avatarHash: null,
    nonPublic: {},
  }
  const data = {
    board: { id: board, name: 'Launch plan', shortLink: 'ijklmnop' },
    list: { id: '8'.repeat(24), name: 'Doing' },
    card,
    ...(isComment
      ? { text: 'x'.repeat(900) }
      : { card: { ...card, desc: 'x'.repeat(450) }, old: { desc: 'y'.repeat(450) } }),
  }
  const body = JSON.stringify({
    action: {
      id: action,
      idMemberCreator: member.id,
      type: isComment ? 'commentCard' : 'updateCard',
      date: new Date(at).toISOString(),
      data,
      appCreator: null,
      display: {
        translationKey: 'action_comment_on_card',
        entities: { text: { type: 'text', text: 'z'.repeat(700) } },
      },
      memberCreator: member,
    },
    model: {
      id: board,
      name: 'Launch plan',
      desc: '',
      closed: false,
      prefs: { permissionLevel: 'private', background: 'blue', voting: 'disabled' },
      labelNames: { green: '', yellow: '', red: 'Urgent' },
    },
    webhook: { id: 'a'.repeat(24), idModel: board, callbackURL: callbackUrl, active: true, consecutiveFailures: 0 },
  })
  const signature = createHmac('sha1', secret).update(body).update(callbackUrl).digest('base64')
  const { pathname, host } = new URL(callbackUrl)
  const head = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\nx-trello-webhook: ${signature}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`
  return { id: action, request: Buffer.from(head + body) }
}

/** Connections that each send one request at a time and want 200. */
export const openSockets = async (port: number, width: number) => {
  const sockets = await Promise.all(
    Array.from(
      { length: width },
      () =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect({ host: '127.0.0.1', port, noDelay: true }, () => resolve(socket))
          socket.once('error', reject)
        }),
    ),
  )
  const exchange = (socket: Socket, request: Buffer) =>
    new Promise<void>((resolve, reject) => {
      socket.once('data', (answer: Buffer) =>
        answer.toString('latin1', 0, 12) === 'HTTP/1.1 200' ? resolve() : reject(new Error(answer.toString('latin1'))),
      )
      socket.write(request)
    })
  return {
    /** Milliseconds it took. */
    async sendAll(requests: Buffer[]): Promise<number> {
      let next = 0
      const began = performance.now()
      const lane = async (socket: Socket) => {
        for (let at = next++; at < requests.length; at = next++) await exchange(socket, requests[at]!)
      }
      await Promise.all(sockets.map(lane))
      return performance.now() - began
    },
    sendOne: (n: number, request: Buffer) => exchange(sockets[n % width]!, request),
    close: () => sockets.forEach((socket) => void socket.destroy()),
  }
}
