/**
 * Attacks on the served interface as a caller with a valid token tries them: what is refused sends nothing to any
 * provider.
 */
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from '#kit'
import { growth } from '../support/growth.ts'
import { openHttpWorld } from '../support/http-world.ts'
import { stepCount } from '../support/shipped.ts'

const face = await openHttpWorld()
beforeAll(async () => {
  for (const { integration, type, secrets } of face.sandbox.accounts.filter(
    ({ integration: id }) => id !== 'work-board',
  ))
    await face.pack.connections.create({ tenant: 'default' }, { integration, type, name: integration, secrets })
  await face.http.listen({ host: '127.0.0.1', port: 0 })
})

const sent = () => {
  const { board, anz, contact } = face.sandbox
  return [board, anz, contact].reduce((sum, { control }) => sum + control.requests().length, 0)
}

const under: Record<string, string> = { 'work-board': '/1', 'anz-data': '', 'contact-data': '' }

const paths = (base: string) => [
  'https://evil.test/x',
  '//evil.test/x',
  '///evil.test/x',
  '\\\\evil.test\\x',
  '/\\evil.test/x',
  '/\t/evil.test',
  '/\n/evil.test',
  ' \0//evil.test',
  '@evil.test/x',
  ':8080/x',
  '.evil.test/x',
  '../../admin',
  `${base}/cards/../../2/secret`,
  `${base}/cards/%2e%2e/%2e%2e/2`,
  `${base}/cards/.%2E/x`,
  `${base}/cards/..%2f..%2f2`,
  `${base}/cards/%5c..`,
  `${base}/%252e%252e/x`,
  `${base}/cards/..;/x`,
  `${base}/cards/%2e%2e;/x`,
  `${base}/cards/..%3b/x`,
  `${base}/cards/.%3Ba=b/x`,
  `${base}/cards\r\nX-A: b`,
  `${base}/cards%0d%0aX-A:b`,
  `${base}/cards%00`,
  `${base}/cards#?key=1`,
  `${base}/cards?key=X&token=Y`,
  `${base}/\ud800`,
  `${base}/${'a'.repeat(2050)}`,
  `${base}${'/a'.repeat(10_000)}`,
]
const methods = ['get ', 'GET\r\nX: y', '', ['GET'], {}, 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT']
const ofBoard = [
  '%6bey',
  '%256bey',
  'key\0',
  'key%00',
  'ke\u200by',
  'key',
  'KEY',
  'token',
  'api_key',
  'API-KEY',
  'oauth_token',
  'token[]',
  'ｋey',
  ' key',
]
const ofData = [
  'api_key',
  'API-KEY',
  'apikey',
  'x-api-key',
  'X.Api.Key',
  'authorization',
  'access_token[0]',
  'ａpi_key',
]
const ofMethod = ['_method', 'X-HTTP-Method-Override']

describe.each(Object.keys(under))('API Call of %s refuses and sends nothing for', (integration) => {
  const call = async (input: object) => {
    const before = sent()
    const { status, json } = await face.ask(`/v1/steps/${integration}/api-call/run`, { body: { input } })
    return { refused: status >= 400 && status < 500, code: json.code as string, sent: sent() - before }
  }
  const refused = { refused: true, code: expect.stringMatching(/^(not_allowed|invalid_input|too_large)$/), sent: 0 }

  it('paths that lead elsewhere', async () => {
    for (const path of paths(under[integration]!))
      expect([path.slice(0, 60), await call({ method: 'GET', path })]).toEqual([path.slice(0, 60), refused])
  })

  it('methods that are none, or not this provider’s', async () => {
    const all = integration === 'work-board' ? methods : [...methods, 'PUT', 'DELETE']
    for (const method of all)
      expect([method, await call({ method, path: `${under[integration]}/cards` })]).toEqual([method, refused])
  })

  it('names of credentials in every spelling, in query and body', async () => {
    const path = `${under[integration]}/cards`
    for (const name of [...(integration === 'work-board' ? ofBoard : ofData), ...ofMethod]) {
      expect([name, await call({ method: 'GET', path, query: { [name]: 'EVIL' } })]).toEqual([name, refused])
      expect([name, await call({ method: 'POST', path, body: { deep: [{ [name]: 'EVIL' }] } })]).toEqual([
        name,
        refused,
      ])
    }
  })
})

describe('requests that two servers could read differently', () => {
  const raw = (head: string, body = '') =>
    new Promise<number[]>((resolve) => {
      let said = ''
      const socket = connect((face.http.server.address() as AddressInfo).port, '127.0.0.1', () =>
        socket.end(`${head}\r\n\r\n${body}`),
      )
      socket.on('data', (part) => (said += part.toString()))
      socket.on('error', () => undefined)
      socket.on('close', () => resolve([...said.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))))
    })
  const hidden = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'
  const post = (headers: string) =>
    `POST /v1/connections HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${face.token}\r\nContent-Type: application/json\r\n${headers}`

  it('are refused, and nothing that hides behind them is answered', async () => {
    expect(await raw(post('Content-Length: 4\r\nTransfer-Encoding: chunked'), `0\r\n\r\n${hidden}`)).toEqual([400])
    expect(await raw(post('Content-Length: 2\r\nContent-Length: 40'), `{}${hidden}`)).toEqual([400])
    expect(await raw(post('Transfer-Encoding: xchunked'), `0\r\n\r\n${hidden}`)).toEqual([400])
    expect(await raw(post('Transfer-Encoding : chunked'), `0\r\n\r\n${hidden}`)).toEqual([400])
    expect(await raw(post('Content-Length: +2'), `{}${hidden}`)).toEqual([400])
    expect(await raw('GET /livez HTTP/1.1\r\nHost: x\r\nX: a\r\n b')).toEqual([400])
    expect(await raw('GET /livez HTTP/1.1\r\nHost: x\r\nHost: y')).toEqual([400])
  })

  it('carry a token in the first header only, never in a trailer', async () => {
    const authorization = `Authorization: Bearer ${face.token}`
    expect(
      await raw(`GET /v1/connections HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\n${authorization}`),
    ).toEqual([401])
    expect(
      await raw(
        'GET /v1/connections HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked',
        `0\r\n${authorization}\r\n\r\n`,
      ),
    ).toEqual([401])
  })
})

describe('names that every object has', () => {
  it('are no integration, step, account or tenant, and reach no prototype', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      for (const url of [
        `/v1/integrations/${name}`,
        `/v1/apps/${name}`,
        `/v1/connections/${name}`,
        `/v1/runs/${name}`,
        `/v1/admin/policies?tenant=${name}`,
      ])
        expect([url, (await face.ask(url)).status]).toEqual([url, 404])
      for (const url of [`/v1/steps/${name}/get-boards/run`, `/v1/steps/work-board/${name}/run`])
        expect([url, (await face.ask(url, { body: { input: {} } })).status]).toEqual([url, 404])
      expect(
        (await face.ask('/v1/steps/work-board/get-boards/run', { body: { input: {}, connection: name } })).status,
      ).toBe(404)
    }
    for (const raw of [
      '{"input":{"__proto__":{"admin":true}}}',
      '{"__proto__":{"input":{}}}',
      '{"input":{"constructor":{"prototype":{"admin":true}}}}',
    ])
      expect(
        (
          await face.ask('/v1/steps/work-board/get-boards/run', {
            raw,
            headers: { 'content-type': 'application/json' },
          })
        ).status,
      ).toBe(400)
    expect(({} as { admin?: unknown }).admin).toBe(undefined)
  })
})

describe('cursors of another list, of nobody, or broken', () => {
  const lists = [
    'connections',
    'runs',
    'events',
    'starts',
    'subscriptions',
    'hooks',
    'gaps',
    'admin/audit',
    'admin/tenants',
    'admin/tokens',
  ]
  const code = (text: string) => Buffer.from(text).toString('base64url')
  const cursors = [
    'a',
    code('null'),
    code('[1,2]'),
    code('{"a":1}'),
    code('9e999 x'),
    code('2026-01-01T00:00:00Z x'),
    "' or 1=1 --",
    'A'.repeat(5000),
  ]

  it.each(lists)('of %s are refused with a reason or return nothing', async (list) => {
    for (const cursor of cursors) {
      const { status, json } = await face.ask(`/v1/${list}?cursor=${encodeURIComponent(cursor)}`)
      expect([200, 400]).toContain(status)
      if (status === 400) expect(json.code).toBe('invalid_input')
    }
  })
})

describe('texts made to be slow to check', () => {
  const nasty = ['a', '%41', 'a@', 'a.', '-', ' ', '<', 'https://www.linkedin.com/in/', '1 ', '\ud800', 'ａ'].map(
    (piece) => (size: number) => `${piece.repeat(Math.ceil(size / piece.length))}!`,
  )
  const steps = () => face.pack.registry.all.flatMap(({ steps: all }) => [...all.values()])

  it('cost no input of any step more than their length', async () => {
    expect(steps()).toHaveLength(stepCount)
    for (const { tool, step } of steps()) {
      const fields = Object.keys((step.input as z.ZodObject).shape)
      for (const textOf of nasty) {
        const check = (size: number) => {
          const text = textOf(size)
          step.input.safeParse(Object.fromEntries(fields.map((name) => [name, text])))
        }
        expect(await growth(50_000, check), `${tool}: ${textOf(8)}`).toBeLessThan(9)
      }
    }
  })
})
