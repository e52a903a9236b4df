import { beforeAll, describe, expect, it } from 'vitest'
import { signedHeaders } from '../../shared/runtime/triggers/starts/agent-call.ts'
import { createClient } from '../../scripts/packages/client/client.ts'
import type { Client, HttpRequest, Send } from '../../scripts/packages/client/client.ts'
import type { ToolyardError } from '../../scripts/packages/client/failure.ts'
import { sendByFetch } from '../../scripts/packages/client/fetch.ts'
import { isSigned } from '../../scripts/packages/client/signature.ts'
import { findIds } from '../sandbox/board-client.ts'
import { openHttpWorld } from '../support/http-world.ts'

let url: string
let client: Client
const face = await openHttpWorld({ agentOrigins: ['http://127.0.0.1:9'] })
beforeAll(async () => {
  url = await face.http.listen({ host: '127.0.0.1', port: 0 })
  const { key, appSecret } = face.sandbox.board.credentials
  await face.ask('/v1/apps/work-board', { method: 'PUT', body: { key, secret: appSecret } })
  client = createClient({ url: `${url}/`, token: face.token, send: sendByFetch })
})

const failureOf = async (promise: Promise<unknown>) =>
  (await promise.then(
    () => expect.fail('it was answered'),
    (error: unknown) => error,
  )) as ToolyardError

describe('the client of generated packages', () => {
  it('runs steps, once per idempotency key, and loads choices with what is filled so far', async () => {
    await client.check()
    const [connection] = await client.connections('work-board')
    expect(connection).toMatchObject({ name: 'Board', isDefault: true })
    const form = { kind: 'step', integration: 'work-board', id: 'create-card' } as const
    const boards = await client.options(form, { field: 'idBoard', connection: connection!.id, query: 'launch' })
    expect(boards.options.map(({ label }) => label)).toEqual(['Launch plan'])
    const lists = await client.options(form, { field: 'idList', values: { idBoard: boards.options[0]!.value } })
    const call = {
      input: { idList: lists.options[0]!.value, name: 'By the client' },
      connection: connection!.id,
      idempotencyKey: 'client-1',
    }
    const made = await client.run('work-board', 'create-card', call)
    expect(made.output).toMatchObject({ name: 'By the client' })
    expect((await client.run('work-board', 'create-card', call)).meta).toMatchObject({ cached: true })
  })

  it('turns problems into errors with code, sentence and remedy', async () => {
    const wrong = await failureOf(client.run('work-board', 'create-card', { input: { name: 'No list' } }))
    expect(wrong).toMatchObject({ code: 'invalid_input', status: 400, retryable: false })
    expect(wrong.errors.map(({ pointer }) => pointer)).toEqual(['/idList'])
    const missing = await failureOf(
      client.run('work-board', 'get-card', { input: { idCard: '5f0000000000000000000000' } }),
    )
    expect(missing).toMatchObject({ code: 'not_found', status: 404 })
    expect(missing.remedy).toMatch(/\.$|\)$/)
    const unknown = await failureOf(createClient({ url, token: 'tyd_wrong', send: sendByFetch }).check())
    expect(unknown).toMatchObject({ code: 'unauthenticated', status: 401 })
    expect(unknown.message).toBe(`${unknown.sentence} ${unknown.remedy}`)
  })

  it.each([
    ['another server', async () => ({ status: 200, headers: {}, body: '<html>' }), { code: 'bad_reply', status: 200 }],
    [
      'a page of errors',
      async () => ({ status: 404, headers: {}, body: '<html>' }),
      { code: 'bad_reply', status: 404 },
    ],
    ['nobody', () => Promise.reject(new Error('ECONNREFUSED')), { code: 'unreachable', status: 0, retryable: true }],
  ] as [string, Send, object][])('says what to check where %s answers', async (_, send, expected) => {
    const failure = await failureOf(createClient({ url: 'http://toolyard.test', token: 'x', send }).check())
    expect(failure).toMatchObject(expected)
    expect(failure.message).toMatch(/(?:Check|Give) the address/)
  })

  it.each([
    [
      { code: 'rate_limited', detail: 'The limit is used up.', retryable: true, retryAfterMs: 1200 },
      'Try again after 2 seconds.',
    ],
    [
      { code: 'not_connected', detail: 'No account. Connect one.', connectUrl: 'https://x.test/connect/1' },
      'Connect one. Connect the account: https://x.test/connect/1',
    ],
    [
      {
        code: 'approval_pending',
        detail: 'It waits. Ask them.',
        approval: { url: 'https://x.test/a', expiresAt: '2027-01-01T00:00:00Z' },
      },
      'Ask them. It waits for a decision at https://x.test/a until 2027-01-01T00:00:00Z; run it again with the same input to learn the outcome.',
    ],
    [
      {
        code: 'approval_pending',
        detail: 'It waits. Decide it at https://x.test/a',
        approval: { url: 'https://x.test/a' },
      },
      'Decide it at https://x.test/a',
    ],
    [
      { code: 'internal', detail: 'A defect.', actor: 'us' },
      'Ask the operator of the toolyard server; the run id helps to find the cause.',
    ],
    [{ code: 'rejected', detail: 'It said "No. Never" to 1.5. Change it.', actor: 'caller' }, 'Change it.'],
  ])('always has a remedy: %o', async (problem, remedy) => {
    const send: Send = async () => ({ status: 424, headers: {}, body: JSON.stringify(problem) })
    expect((await failureOf(createClient({ url: 'http://toolyard.test', token: 'x', send }).check())).remedy).toBe(
      remedy,
    )
  })

  it.each([
    ['text/csv', 'text/csv'],
    ['application/json; charset=utf-8', 'application/octet-stream'],
    ['multipart/mixed', 'application/octet-stream'],
  ])('uploads content of %s as it is', async (type, sentType) => {
    const sent: HttpRequest[] = []
    const send: Send = async (request) => (sent.push(request), { status: 201, headers: {}, body: '{"id":"file_1"}' })
    const made = await createClient({ url: 'http://toolyard.test', token: 'x', send }).files.upload({
      bytes: Buffer.from('a'),
      name: 'a ü.csv',
      type,
    })
    expect(made.id).toBe('file_1')
    expect(sent[0]).toMatchObject({
      url: 'http://toolyard.test/v1/files',
      headers: { 'content-type': sentType, 'file-name': 'a%20%C3%BC.csv' },
    })
  })

  it('stores a file and reads it again, whatever its name', async () => {
    const bytes = Buffer.from('Größe,Menge\nA4,3\n')
    const { id } = await client.files.upload({ bytes, name: 'Größe; "neu".csv', type: 'text/csv' })
    const read = await client.files.download(id)
    expect(Buffer.from(read.bytes).equals(bytes)).toBe(true)
    expect(read.name).toMatch(/^Größe/)
    expect(await failureOf(client.files.download('fil_nothing'))).toMatchObject({ code: 'not_found' })
  })

  it('keeps ids in their place of the path', async () => {
    const sent: HttpRequest[] = []
    const send: Send = async (request) => (sent.push(request), { status: 200, headers: {}, body: '{}' })
    await createClient({ url: 'http://toolyard.test', token: 'x', send }).subscriptions.get('../runs?x')
    expect(sent[0]).toMatchObject({
      url: 'http://toolyard.test/v1/subscriptions/..%2Fruns%3Fx',
      headers: { authorization: 'Bearer x' },
    })
  })

  it('creates, samples and removes subscriptions; a missing one is null, and its removal no error', async () => {
    const config = { boards: [findIds(face.sandbox.board).board] }
    const request = {
      integration: 'work-board',
      trigger: 'card-moved',
      config,
      url: 'http://127.0.0.1:9/webhook',
      externalId: 'flow-1',
    }
    const made = await client.subscriptions.create(request)
    expect(made.agent).toMatchObject({ url: request.url, secret: expect.stringMatching(/^whsec_/) })
    expect(await client.subscriptions.get(made.id)).toMatchObject({ state: 'active', externalId: 'flow-1' })
    expect((await client.subscriptions.sample(made.id)).start.type).toBe('work-board.card-moved')
    await client.subscriptions.remove(made.id)
    await client.subscriptions.remove(made.id)
    expect(await client.subscriptions.get(made.id)).toBe(null)
  })
})

describe('signatures', () => {
  const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`
  const body = '{"type":"work-board.card-moved","data":{"name":"Größe 💡"}}'
  const now = 1_790_000_000_000
  const headers = signedHeaders([secret], 'st_1', now, body)
  const signed = { secret, headers, body, now }

  it('are accepted as the server makes them, over text and bytes, beside another one, with names in any case', () => {
    expect(isSigned(signed)).toBe(true)
    expect(isSigned({ ...signed, body: Buffer.from(body) })).toBe(true)
    const other = signedHeaders([`whsec_${Buffer.alloc(32, 7).toString('base64')}`], 'st_1', now, body)[
      'webhook-signature'
    ]
    expect(
      isSigned({ ...signed, headers: { ...headers, 'webhook-signature': `${other} ${headers['webhook-signature']}` } }),
    ).toBe(true)
    expect(
      isSigned({
        ...signed,
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
      }),
    ).toBe(true)
  })
  it.each([
    ['another body', { body: body.replace('moved', 'added') }],
    ['another id', { headers: { ...headers, 'webhook-id': 'st_2' } }],
    ['another secret', { secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` }],
    ['an old time', { now: now + 301_000 }],
    ['a time ahead', { now: now - 301_000 }],
    ['no signature', { headers: { ...headers, 'webhook-signature': '' } }],
    ['half a signature', { headers: { ...headers, 'webhook-signature': headers['webhook-signature']!.slice(0, 20) } }],
    ['a time that is none', { headers: { ...headers, 'webhook-timestamp': 'NaN' } }],
  ])('are refused with %s', (_, change) => {
    expect(isSigned({ ...signed, ...change })).toBe(false)
  })
})
