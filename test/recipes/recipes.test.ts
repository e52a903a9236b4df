import { createHmac } from 'node:crypto'
import { afterEach, expect, it } from 'vitest'
import type { ProviderRequest, WatchContext } from '#kit'
import accountAddress from './account-address.ts'
import clientCredentials from './client-credentials.ts'
import type { Seen } from '../support/provider.ts'
import { startProvider } from '../support/provider.ts'
import { cook } from './cook.ts'
import type { Cooked } from './cook.ts'
import errorsAt200 from './errors-at-200.ts'
import graphql from './graphql.ts'
import oneAddress from './one-address.ts'
import pollingOnly from './polling-only.ts'
import restWithCursor from './rest-with-cursor.ts'
import twoStepUpload from './two-step-upload.ts'
import unsignedWebhooks from './unsigned-webhooks.ts'

let cooked: Cooked
afterEach(() => cooked.close())

const me = { body: { id: 'acc_1', name: 'Ada' } }

it('REST with a cursor: what a page returns as next leads to the page after it', async () => {
  cooked = await cook(restWithCursor, {
    'GET /me': me,
    'GET /orders': ({ url }) => ({
      body: url.includes('cursor=c2')
        ? { orders: [{ id: 'o2' }], meta: { next_cursor: null } }
        : { orders: [{ id: 'o1' }], meta: { next_cursor: 'c2' } },
    }),
  })
  await cooked.connect()
  const page = await cooked.run('list-orders')
  expect(page).toMatchObject({ ok: true, value: { orders: [{ id: 'o1' }] } })
  const rest = await cooked.run('list-orders', { cursor: (page as { value: { next: string } }).value.next })
  expect(rest).toMatchObject({ ok: true, value: { orders: [{ id: 'o2' }] } })
  expect((rest as { value: { next?: string } }).value.next).toBeUndefined()
  expect(cooked.provider.seen.at(-1)!.url).toBe('/orders?limit=100&cursor=c2')
})

it('errors at 200: they are failures with the code of the rule, and a write is not sent again', async () => {
  let error = 'channel_not_found'
  cooked = await cook(errorsAt200, { 'GET /me': me, 'POST /messages.send': () => ({ body: { ok: false, error } }) })
  await cooked.connect()
  cooked.provider.seen.length = 0
  expect(await cooked.run('send-message', { text: 'Hi' })).toMatchObject({ failure: { code: 'not_found' } })
  error = 'is_archived'
  expect(await cooked.run('send-message', { text: 'Hi' })).toMatchObject({
    failure: { code: 'rejected', providerMessage: 'is_archived' },
  })
  expect(cooked.provider.seen).toHaveLength(2)
})

it('one address for the whole app: the challenge is answered, and an event goes to the team that it names', async () => {
  cooked = await cook(
    oneAddress,
    { 'GET /auth.test': { body: { team: 'T1', team_name: 'Orchard', bot: 'B1' } } },
    { now: '2026-03-02T10:00:00Z' },
  )
  await cooked.connect()
  await cooked.setApp('the secret of the app')
  await cooked.subscribe('new-message')
  const address = await cooked.hookAddress()
  const at = String(Date.parse('2026-03-02T10:00:00Z') / 1000)
  const send = (delivery: object, secret = 'the secret of the app') => {
    const body = JSON.stringify(delivery)
    const signature = createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex')
    return cooked.deliver(address, body, { 'x-timestamp': at, 'x-signature': `v0=${signature}` })
  }
  expect(await send({ challenge: 'abc' })).toMatchObject({ status: 200, body: 'abc' })
  const event = { type: 'message', id: 'm1', at: Date.parse('2026-03-02T10:00:00Z'), user: 'U1', text: 'Frost' }
  expect(await send({ team: 'T1', event }, 'another secret')).toMatchObject({ status: 401 })
  expect(await send({ team: 'T1', event })).toMatchObject({ status: 200 })
  // Nobody here has connected this team.
  expect(await send({ team: 'T2', event: { ...event, id: 'm2' } })).toMatchObject({ status: 200 })
  expect(await cooked.events()).toMatchObject([{ id: 'm1', type: 'message' }])
})

it('client credentials: the token is fetched, used and kept', async () => {
  let tokens = 0
  cooked = await cook(
    clientCredentials,
    {
      'POST /oauth/token': () => ({
        body: { access_token: `tok_${(tokens += 1)}`, token_type: 'Bearer', expires_in: 3600 },
      }),
      'GET /me': ({ headers }) =>
        headers.authorization === `Bearer tok_${tokens}` ? me : { status: 401, body: { message: 'who?' } },
    },
    { wire: (origin) => ({ oauth: { client: { tokenUrl: `${origin}/oauth/token` } } }) },
  )
  await cooked.connect({ clientId: 'robot', clientSecret: 'secretOfRobot' })
  expect(await cooked.run('read-account')).toMatchObject({ ok: true, value: { id: 'acc_1' } })
  const requested = () => cooked.provider.seen.filter(({ url }) => url === '/oauth/token')
  const before = requested().length
  expect(await cooked.run('read-account')).toMatchObject({ ok: true })
  expect(requested()).toHaveLength(before)
  const [{ body, headers }] = requested() as [Seen]
  expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
    grant_type: 'client_credentials',
    scope: 'orders.read',
    audience: 'orders',
  })
  expect(headers.authorization).toBe(`Basic ${Buffer.from('robot:secretOfRobot').toString('base64')}`)
})

it('an address of each account: it is called there, and only where the pattern allows', async () => {
  cooked = await cook(
    accountAddress,
    { 'GET /me': me },
    { wire: (origin) => ({ baseUrl: null, baseUrlPattern: origin }) },
  )
  await cooked.connect({ site: cooked.provider.origin, token: 'tok_1' })
  expect(await cooked.run('read-account')).toMatchObject({ ok: true, value: { id: 'acc_1' } })
  await expect(cooked.connect({ site: 'https://desk.evil.example', token: 'tok_1' })).rejects.toMatchObject({
    code: 'invalid_input',
  })
})

it('polling only: a poll finds what is new, and costs nothing while nothing changes', async () => {
  cooked = await cook(pollingOnly, {})
  const { poll, config } = pollingOnly.triggers![0]!
  const requests: ProviderRequest[] = []
  const oats = { id: 'i2', created_at: '2026-03-02T10:05:00Z', created_by: 'acc_2', total: 12 }
  const milk = { id: 'i1', created_at: '2026-03-02T09:00:00Z', created_by: 'acc_2', total: 3 }
  const ctx: WatchContext = {
    async exchange(request) {
      requests.push(request)
      return request.ifNoneMatch === '"v1"'
        ? { status: 304, headers: {}, body: null }
        : { status: 200, headers: { etag: '"v1"' }, body: { invoices: [oats, milk], next: null } }
    },
    send: () => Promise.reject(new Error('not used')),
    signal: new AbortController().signal,
    now: () => Date.parse('2026-03-02T10:06:00Z'),
  }
  const choice = config.parse({})
  const [resource] = poll!.resources(choice)
  const first = await poll!.fetch(ctx, resource!, undefined)
  const time = { since: Date.parse('2026-03-02T10:00:00Z'), scanned: undefined, now: ctx.now() }
  expect(poll!.pick(first.items, choice, time)).toMatchObject([
    { key: 'i2', actor: { id: 'acc_2' }, data: { total: 12 }, subject: { kind: 'invoice', id: 'i2' } },
  ])
  const second = await poll!.fetch(ctx, resource!, first.cursor)
  expect(second.items).toEqual([])
  expect(requests.map(({ ifNoneMatch }) => ifNoneMatch)).toEqual([undefined, '"v1"'])
})

it('GraphQL: a query is a read that is repeated, its errors are failures, and pages go on in its variables', async () => {
  let fails = true
  cooked = await cook(graphql, {
    'GET /me': me,
    'POST /graphql': ({ body }) => {
      if (fails) {
        fails = false
        return { status: 503, body: { message: 'later' } }
      }
      const { variables } = JSON.parse(body) as { variables: { after?: string } }
      if (variables.after === 'gone')
        return { body: { errors: [{ message: 'No such cursor', extensions: { code: 'INPUT_ERROR' } }] } }
      const pageInfo =
        variables.after === 'c1' ? { endCursor: 'c2', hasNextPage: false } : { endCursor: 'c1', hasNextPage: true }
      return { body: { data: { issues: { nodes: [{ id: variables.after ?? 'first' }], pageInfo } } } }
    },
  })
  await cooked.connect()
  cooked.provider.seen.length = 0
  const page = await cooked.run('list-issues')
  expect(page).toMatchObject({ ok: true, value: { issues: [{ id: 'first' }] } })
  expect(cooked.provider.seen).toHaveLength(2)
  const rest = await cooked.run('list-issues', { cursor: (page as { value: { next: string } }).value.next })
  expect(rest).toMatchObject({ ok: true, value: { issues: [{ id: 'c1' }] } })
  expect((rest as { value: { next?: string } }).value.next).toBeUndefined()
  expect(JSON.parse(cooked.provider.seen.at(-1)!.body)).toMatchObject({ variables: { first: 50, after: 'c1' } })
  const cursor = Buffer.from(JSON.stringify({ at: 'gone', size: 50 })).toString('base64url')
  expect(await cooked.run('list-issues', { cursor })).toMatchObject({
    failure: { code: 'rejected', providerMessage: 'No such cursor' },
  })
})

it('webhooks without a signature: what is delivered is read from the provider, and counts by that alone', async () => {
  cooked = await cook(unsignedWebhooks, {
    'GET /me': me,
    'POST /hooks': { body: { id: 'hook_1' } },
    'GET /payments/tr_1': { body: { id: 'tr_1', status: 'paid', changed_at: '2026-11-20T09:00:00Z' } },
  })
  await cooked.connect()
  await cooked.subscribe('payment-changed')
  const address = await cooked.hookAddress()
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  expect((await cooked.deliver(address, 'id=tr_1&status=refunded', form)).status).toBe(200)
  await cooked.deliver(address, 'id=tr_1', form)
  await cooked.deliver(address, 'id=tr_unknown', form)
  expect(await cooked.events()).toMatchObject([{ id: 'tr_1:paid', type: 'payment.changed' }])
})

it('upload in two steps: the bytes go to the address that was given, without the credential', async () => {
  const files = await startProvider((_, response) => void response.writeHead(200).end('OK'))
  cooked = await cook(
    twoStepUpload,
    {
      'GET /me': me,
      'POST /uploads': () => ({ body: { id: 'up_1', upload_url: `${uploadOrigin}/put/abc?signature=xyz` } }),
      'POST /uploads/up_1/complete': { body: { id: 'file_1' } },
    },
    { wire: () => ({ uploadOrigins: [files.origin] }), origins: [files.origin] },
  )
  let uploadOrigin = files.origin
  await cooked.connect()
  const file = await cooked.storeFile('press-kit.txt', 'A press kit')
  expect(await cooked.run('upload-file', { file: { file } })).toMatchObject({ ok: true, value: { id: 'file_1' } })
  expect(files.seen).toMatchObject([{ method: 'PUT', url: '/put/abc?signature=xyz', body: 'A press kit' }])
  expect(JSON.stringify(files.seen[0]!.headers)).not.toContain('tok_1')
  uploadOrigin = 'https://files.evil.example'
  expect(await cooked.run('upload-file', { file: { file } })).toMatchObject({
    ok: false,
    failure: { code: 'not_allowed' },
  })
  await files.close()
})
