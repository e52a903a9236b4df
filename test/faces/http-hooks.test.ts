import { createHmac, randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { findIds } from '../sandbox/board-client.ts'
import { openHttpWorld } from '../support/http-world.ts'

const caller = { tenant: 'default' }
let callback: URL
let model: string
const face = await openHttpWorld({ agentOrigins: ['http://127.0.0.1:9'] })
beforeAll(async () => {
  await face.http.listen({ host: '127.0.0.1', port: 0 })
  const { credentials } = face.sandbox.board
  await face.pack.apps.put(caller, 'work-board', { key: credentials.key, secret: credentials.appSecret })
  model = findIds(face.sandbox.board).board
  // The board asks the address with HEAD before it takes it, so this alone proves the way in.
  await face.pack.subscriptions.create(caller, {
    integration: 'work-board',
    trigger: 'new-card',
    config: { boards: [model] },
    agent: { url: 'http://127.0.0.1:9/start' },
  })
  callback = new URL((await face.pack.hooks.list(caller, { limit: 1 })).items[0]!.callbackUrl)
})

const action = (id: string) =>
  JSON.stringify({
    model: { id: model },
    action: {
      id,
      type: 'createCard',
      date: new Date().toISOString(),
      idMemberCreator: 'b'.repeat(24),
      data: {
        board: { id: model, name: 'B' },
        list: { id: 'c'.repeat(24), name: 'L' },
        card: { id: 'd'.repeat(24), name: 'C', idShort: 1, shortLink: 'abcdefgh' },
      },
    },
    webhook: { id: 'e'.repeat(24) },
  })
const sign = (body: string, url = callback.href, secret = face.sandbox.board.credentials.appSecret) =>
  createHmac('sha1', secret).update(body).update(url).digest('base64')
const post = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  fetch(new URL(path, callback), {
    method: 'POST',
    body: body as string,
    headers: { 'content-type': 'application/json', ...headers },
  })
const plain = async (reply: Response) => ({
  status: reply.status,
  text: await reply.text(),
  headers: Object.fromEntries([...reply.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id')),
})

describe('the address of a hook', () => {
  it('lies on this server, and no one can guess it', () => {
    expect(callback.pathname).toMatch(/^\/hooks\/work-board\/[\w-]{32}$/)
  })

  it('takes a signed delivery once, and needs no token for it', async () => {
    const id = randomBytes(12).toString('hex')
    const body = action(id)
    for (const _ of [1, 2])
      expect(await plain(await post(callback.pathname, body, { 'x-trello-webhook': sign(body) }))).toMatchObject({
        status: 200,
        text: '',
      })
    expect((await face.pack.events.list(caller, { limit: 200 })).items.filter((event) => event.id === id)).toHaveLength(
      1,
    )
    expect((await face.pack.starts.list(caller, { limit: 9 }, { event: id })).items).toHaveLength(1)
  })

  it('responds identically to an unknown id and a bad signature', async () => {
    const body = action(randomBytes(12).toString('hex'))
    const unknown = new URL(callback)
    unknown.pathname = `/hooks/work-board/${'x'.repeat(32)}`
    const answers = await Promise.all(
      [
        post(unknown.pathname, body, { 'x-trello-webhook': sign(body, unknown.href) }),
        post(`/hooks/anz-data/${callback.pathname.split('/').at(-1)}`, body, { 'x-trello-webhook': sign(body) }),
        post(callback.pathname, body, { 'x-trello-webhook': sign(body, callback.href, 'another secret') }),
        post(callback.pathname, `${body} `, { 'x-trello-webhook': sign(body) }),
        post(callback.pathname, body),
        post(callback.pathname, '', { 'x-trello-webhook': 'nothing' }),
      ].map(async (reply) => plain(await reply)),
    )
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(answers[0]).toMatchObject({ status: 401, text: '' })
  })

  it('keeps the bytes as they came, in whatever they are sent', async () => {
    const id = randomBytes(12).toString('hex')
    const body = Buffer.from(action(id).replace('"name":"C"', '"name":"Café \\u0000 ☂"').replaceAll(':', ': '))
    expect((await post(callback.pathname, body, { 'x-trello-webhook': sign(body.toString()) })).status).toBe(200)
    expect((await face.pack.events.get(caller, id)).raw).toMatchObject({ data: { card: { name: 'Café \u0000 ☂' } } })
    // Genuine, but not said to be JSON.
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16'])
      expect(
        (await post(callback.pathname, body, { 'x-trello-webhook': sign(body.toString()), 'content-type': type }))
          .status,
      ).toBe(415)
    expect((await post(callback.pathname, body, { 'content-encoding': 'gzip' })).status).toBe(415)
  })

  it('keeps genuine bytes that are no text, for a person to look at', async () => {
    const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe, 0x00]), Buffer.from('"}')])
    const signature = createHmac('sha1', face.sandbox.board.credentials.appSecret)
      .update(body)
      .update(callback.href)
      .digest('base64')
    expect((await post(callback.pathname, body, { 'x-trello-webhook': signature })).status).toBe(200)
    expect((await face.ask('/v1/undecodable')).json.items).toMatchObject([
      { hook: callback.pathname.split('/').at(-1), reason: 'The body is not UTF-8.' },
    ])
  })

  it('is verified by HEAD, and accepts no other method', async () => {
    expect(await plain(await fetch(callback, { method: 'HEAD' }))).toMatchObject({ status: 200, text: '' })
    expect((await fetch(new URL(`/hooks/work-board/${'x'.repeat(32)}`, callback), { method: 'HEAD' })).status).toBe(404)
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const reply = await fetch(callback, { method })
      expect([method, reply.status, reply.headers.get('allow')]).toEqual([method, 405, 'HEAD, POST'])
    }
  })

  it('takes 1 MiB and no byte more', async () => {
    const most = Buffer.alloc(1024 * 1024, ' ')
    expect((await post(callback.pathname, most)).status).toBe(401)
    expect((await post(callback.pathname, Buffer.concat([most, Buffer.from(' ')]))).status).toBe(413)
  })

  it('says 503 and when to come again while it cannot keep a delivery', async () => {
    const body = action(randomBytes(12).toString('hex'))
    const receive = face.pack.receive
    face.pack.receive = async () => ({ status: 503, retryAfterS: 30 })
    try {
      const reply = await post(callback.pathname, body, { 'x-trello-webhook': sign(body) })
      expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '30'])
    } finally {
      face.pack.receive = receive
    }
  })

  /** The address with a query goes by way of the framework. */
  const ways = () => [callback.pathname, `${callback.pathname}?a=b`]
  const requestLines = () =>
    face.lines.filter(({ event, route }) => event === 'request' && route === '/hooks/:integration/:hookId')
  const lastLine = () => {
    const { request, durationMs, ...line } = requestLines().at(-1)!
    expect([typeof request, typeof durationMs]).toEqual(['string', 'number'])
    return line
  }
  const raw = (head: string[], body: string) => {
    const socket = connect(Number(callback.port), '127.0.0.1')
    socket.write(`${[...head, `content-length: ${body.length}`, 'connection: close'].join('\r\n')}\r\n\r\n${body}`)
    return text(socket)
  }

  it('is answered, logged and counted alike, whether the framework saw it or not', async () => {
    const counted = async () =>
      Number(
        /toolyard_http_requests_total\{method="POST",route="\/hooks\/:integration\/:hookId",status="401"\} (\d+)/.exec(
          (await face.ask('/metrics')).text,
        )?.[1],
      )
    const before = await counted()
    const said = []
    for (const path of ways()) {
      const count = requestLines().length
      said.push(await plain(await post(path, '{}')))
      await expect.poll(() => requestLines().length).toBe(count + 1)
      said.push(lastLine())
    }
    expect(said.slice(2)).toEqual(said.slice(0, 2))
    expect(said[0]).toMatchObject({
      status: 401,
      headers: { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
    })
    expect((await counted()) - before).toBe(2)
  })

  it('answers a defect alike, and shows nothing of it', async () => {
    const receive = face.pack.receive
    face.pack.receive = async () => {
      throw new Error('inner')
    }
    try {
      const said = await Promise.all(ways().map(async (path) => plain(await post(path, '{}'))))
      const blank = ({ status, headers, text: body }: (typeof said)[0]) => ({
        status,
        headers,
        text: body.replaceAll(/[\da-f-]{36}/g, 'id'),
      })
      expect(blank(said[0]!)).toEqual(blank(said[1]!))
      expect(said[0]).toMatchObject({ status: 500, headers: { 'content-type': 'application/problem+json' } })
      expect(said[0]!.text).not.toContain('inner')
    } finally {
      face.pack.receive = receive
    }
  })

  it('refuses a second Host header, and a body that is cut off', async () => {
    const head = [`POST ${callback.pathname} HTTP/1.1`, `host: ${callback.host}`, 'content-type: application/json']
    expect(await raw(head, '{}')).toMatch(/^HTTP\/1.1 401/)
    expect(await raw([...head, `host: ${callback.host}`], '{}')).toMatch(/^HTTP\/1.1 400/)
    const [received, count] = [(await face.pack.triggers.counts()).received, requestLines().length]
    const socket = connect(Number(callback.port), '127.0.0.1')
    socket.write(`${head.join('\r\n')}\r\ncontent-length: 9\r\n\r\n{}`, () => socket.destroy())
    await expect.poll(() => requestLines().length).toBe(count + 1)
    expect(lastLine()).toMatchObject({ status: 400 })
    expect((await face.pack.triggers.counts()).received).toBe(received)
  })

  it('is logged without its id', () => {
    const id = callback.pathname.split('/').at(-1)!
    expect(face.lines.filter(({ route }) => route === '/hooks/:integration/:hookId').length).toBeGreaterThan(5)
    expect(JSON.stringify(face.lines.filter(({ event }) => event === 'request'))).not.toContain(id)
  })
})
