import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { failures } from '../../shared/kit/index.ts'
import type { FailureCode } from '../../shared/kit/index.ts'
import { problemOf, refusalOf } from '../../shared/faces/http/problem.ts'
import { openHttpWorld } from '../support/http-world.ts'
import type { Ask } from '../support/http-world.ts'

const face = await openHttpWorld()

const run = '/v1/steps/work-board/get-boards/run'

describe('problem+json', () => {
  const rows: [what: string, url: string, asked: Ask, status: number, code: FailureCode, pointer?: string][] = [
    ['an unknown address', '/v2/nothing', {}, 404, 'not_found'],
    ['a wrong method', '/v1/steps', { method: 'DELETE' }, 405, 'not_allowed'],
    ['a wrong method without a token', '/v1/steps', { method: 'PUT', token: 'x' }, 405, 'not_allowed'],
    ['a body that is not JSON', run, { raw: '{"input":' }, 400, 'invalid_input'],
    ['a body that would change prototypes', run, { raw: '{"input":{"__proto__":{"a":1}}}' }, 400, 'invalid_input'],
    ['an empty body', run, { raw: '' }, 400, 'invalid_input', ''],
    ['a body that is a list', run, { raw: '[]' }, 400, 'invalid_input', ''],
    [
      'another media type',
      run,
      { raw: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      415,
      'invalid_input',
    ],
    ['a body over 1 MiB', run, { raw: JSON.stringify({ input: { fields: 'x'.repeat(1_048_576) } }) }, 413, 'too_large'],
    [
      'a body nested 5,000 deep',
      run,
      { raw: `{"input":${'['.repeat(5000)}${']'.repeat(5000)}}` },
      400,
      'invalid_input',
    ],
    [
      'a body of 12,000 different names',
      run,
      { body: { input: Object.fromEntries(Array.from({ length: 12_000 }, (_, n) => [`k${n}`, 0])) } },
      413,
      'too_large',
    ],
    ['a body of 300,000 values', run, { raw: `{"input":[${'0,'.repeat(300_000)}0]}` }, 413, 'too_large'],
    ['an unknown field of the body', run, { body: { inputs: {} } }, 400, 'invalid_input', '/inputs'],
    ['a field of the wrong type', run, { body: { input: {}, dryRun: 'yes' } }, 400, 'invalid_input', '/dryRun'],
    ['a wrong query', '/v1/runs?limit=0', {}, 400, 'invalid_input', '/query/limit'],
    ['an unknown query', '/v1/runs?order=up', {}, 400, 'invalid_input', '/query/order'],
    [
      'a query where none is known',
      '/v1/admin/tokens?tenant=acme',
      { body: { name: 'x', scopes: ['run'] } },
      400,
      'invalid_input',
      '/query/tenant',
    ],
    ['a wrong cursor', '/v1/connections?cursor=!!', {}, 400, 'invalid_input', '/query/cursor'],
    ['a wrong label', '/v1/connections?label=team', {}, 400, 'invalid_input', '/query/label'],
    [
      'a wrong header',
      run,
      { body: { input: {} }, headers: { 'start-id': 'two words' } },
      400,
      'invalid_input',
      '/headers/start-id',
    ],
    [
      'a wrong idempotency key',
      run,
      { body: { input: {} }, headers: { 'idempotency-key': 'two words' } },
      400,
      'invalid_input',
    ],
    ['an address that is not one', '/v1/runs/%zz', {}, 400, 'invalid_input'],
    ['a wrong step input', run, { body: { input: { limit: 0 } } }, 400, 'invalid_input', '/limit'],
    ['an unknown step input', run, { body: { input: { fielsd: 'name' } } }, 400, 'invalid_input', '/fielsd'],
    ['an unknown step', '/v1/steps/work-board/fly/run', { body: { input: {} } }, 404, 'not_found', '/step'],
    ['an unknown integration', '/v1/integrations/nothing', {}, 404, 'not_found', '/integration'],
    ['an unknown account', run, { body: { connection: 'Nobody', input: {} } }, 404, 'not_found', '/connection'],
    [
      'a field without choices',
      '/v1/steps/work-board/create-card/options',
      { body: { field: 'name' } },
      400,
      'invalid_input',
      '/field',
    ],
    [
      'choices that depend on another field',
      '/v1/steps/work-board/create-card/options',
      { body: { field: 'idLabels' } },
      400,
      'invalid_input',
      '/values/idBoard',
    ],
    [
      'a path the policy denies',
      '/v1/steps/work-board/api-call/run',
      { body: { input: { method: 'POST', path: '/1/webhooks' } } },
      403,
      'not_allowed',
    ],
    [
      'a tenant that is there already',
      '/v1/admin/tenants',
      { body: { id: 'default', name: 'x' } },
      409,
      'conflict',
      '/id',
    ],
  ]
  it.each(rows)('responds to %s', async (_what, url, request, status, code, pointer) => {
    const reply = await face.ask(url, request)
    expect(reply.json).toMatchObject({
      status,
      code,
      type: `urn:toolyard:failure:${code}`,
      title: failures[code].meaning,
      retryable: failures[code].retryable,
    })
    expect(reply.status).toBe(status)
    expect(reply.headers['content-type']).toBe('application/problem+json')
    expect(reply.json.detail.length).toBeGreaterThan(10)
    if (pointer !== undefined)
      expect(reply.json.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer)
  })

  it('lists the methods of an address', async () => {
    const reply = await face.ask('/v1/connections/x', { method: 'POST' })
    expect([reply.status, reply.headers.allow]).toEqual([405, 'DELETE, GET, HEAD, PATCH'])
  })

  it('gives the run id, and where the run can be read', async () => {
    const { json } = await face.ask(run, { body: { input: { limit: 0 } } })
    expect(json.instance).toBe(`/v1/runs/${json.runId}`)
    expect((await face.ask(json.instance)).json).toMatchObject({
      id: json.runId,
      state: 'failed',
      code: 'invalid_input',
    })
  })

  it('passes on what the provider said', async () => {
    const missing = await face.ask('/v1/steps/work-board/get-card/run', {
      body: { input: { idCard: '507f1f77bcf86cd799439011' } },
    })
    expect(missing.json).toMatchObject({ status: 404, code: 'not_found', providerStatus: 404 })
  })

  it.each([429, 503])('says when to come again (%i)', (status) => {
    const code = status === 429 ? 'rate_limited' : 'unavailable'
    const failure = { code, message: 'Wait.', retryable: true, actor: 'us' } as const
    expect(problemOf({ ...failure, retryAfterMs: 2_300 }).headers['retry-after']).toBe('3')
    expect(problemOf({ ...failure, retryAfterMs: 2_300 }).body).toMatchObject({ retryAfterMs: 2_300, status })
    expect(problemOf(failure).headers['retry-after']).toBe('1')
  })

  it.each(Object.keys(failures) as FailureCode[])('has the status of the table for %s', (code) => {
    expect(problemOf({ code, message: 'x', retryable: false, actor: 'us' })).toMatchObject({
      status: failures[code].status,
      body: { code, detail: 'x' },
    })
  })

  it('never responds with the message of a defect, which is logged with its stack and without secrets', async () => {
    expect(refusalOf(new Error('secret inside'))).toBeUndefined()
    const broken = await openHttpWorld()
    broken.pack.integrations.list = () => {
      throw new TypeError('secret inside: token=abcdef0123456789')
    }
    const reply = await broken.ask('/v1/integrations')
    expect(reply.json).toMatchObject({ status: 500, code: 'internal', actor: 'us' })
    expect(reply.text).not.toContain('secret inside')
    expect(JSON.stringify(broken.lines)).not.toContain('abcdef0123456789')
    expect(broken.lines).toContainEqual(
      expect.objectContaining({
        event: 'http.defect',
        error: 'TypeError',
        message: 'secret inside: token=***',
        stack: expect.stringMatching(/^\s+at .*\n\s+at /),
      }),
    )
    await broken.close()
  })

  it('is not ready once it is to stop, and answers everything else as before', async () => {
    const leaving = await openHttpWorld()
    await leaving.pack.leave()
    expect((await leaving.ask('/readyz')).json).toMatchObject({
      status: 503,
      code: 'unavailable',
      detail: 'This process is stopping; another one answers.',
    })
    expect((await leaving.ask('/livez')).status).toBe(200)
    expect((await leaving.ask('/v1/integrations')).status).toBe(200)
    await leaving.close()
  })

  it('is not ready while the store cannot take work', async () => {
    const broken = await openHttpWorld()
    const { fail } = await import('../../shared/kit/index.ts')
    broken.pack.ready = async () => {
      throw fail('unavailable', 'The disk is full.')
    }
    expect((await broken.ask('/readyz')).json).toMatchObject({
      status: 503,
      code: 'unavailable',
      detail: 'The disk is full.',
    })
    await broken.close()
  })
})

describe('responses', () => {
  it.each(['/livez', '/v1/runs', '/v2/nothing', '/openapi.json', '/v1/runs/%zz'])(
    'have headers that keep browsers out (%s)',
    async (url) => {
      const { headers } = await face.ask(url)
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      })
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    },
  )

  it('responds to what is not HTTP with a problem too, and closes', async () => {
    const address = new URL(await face.http.listen({ host: '127.0.0.1', port: 0 }))
    const talk = (text: string) =>
      new Promise<string>((done) => {
        const socket = connect(Number(address.port), '127.0.0.1', () => socket.write(text))
        let answer = ''
        socket.on('data', (part) => (answer += String(part))).on('close', () => done(answer))
      })
    const garbage = await talk('this is not http\r\n\r\n')
    expect(garbage).toMatch(/^HTTP\/1\.1 400 .*\r\ncontent-type: application\/problem\+json/s)
    expect(JSON.parse(garbage.split('\r\n\r\n')[1]!)).toMatchObject({ code: 'invalid_input', status: 400 })
    expect(await talk(`GET /livez HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /)
    expect({ headers: face.http.server.headersTimeout, request: face.http.server.requestTimeout }).toEqual({
      headers: 10_000,
      request: 600_000,
    })
  })
})
