import { describe, expect, it } from 'vitest'
import { allScopes } from '../../shared/api/rules.ts'
import type { Scope } from '../../shared/api/rules.ts'
import { movableClock } from '../support/clock.ts'
import { openHttpWorld } from '../support/http-world.ts'

const clock = movableClock()
const face = await openHttpWorld({ clock })

type Row = { method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'; url: string; scopes: Scope[]; body?: unknown }
/** What each address asks of a token: one of these scopes. */
const guarded: Row[] = [
  { method: 'GET', url: '/v1/integrations', scopes: ['read', 'run'] },
  { method: 'GET', url: '/v1/integrations/work-board', scopes: ['read', 'run'] },
  { method: 'GET', url: '/v1/steps', scopes: ['read', 'run'] },
  { method: 'POST', url: '/v1/steps/work-board/get-boards/run', scopes: ['run'], body: { input: {} } },
  { method: 'POST', url: '/v1/steps/work-board/create-card/options', scopes: ['run'], body: { field: 'idBoard' } },
  { method: 'POST', url: '/v1/steps/work-board/set-custom-fields/fields', scopes: ['run'], body: { values: {} } },
  { method: 'GET', url: '/v1/steps/work-board/get-boards/sample', scopes: ['run', 'read'] },
  { method: 'PUT', url: '/v1/steps/work-board/get-boards/sample', scopes: ['run'], body: { input: {}, output: null } },
  { method: 'DELETE', url: '/v1/steps/work-board/get-boards/sample', scopes: ['run'] },
  { method: 'POST', url: '/v1/tools/work_board_get_boards', scopes: ['run'], body: {} },
  { method: 'GET', url: '/v1/catalogue', scopes: ['read', 'run'] },
  { method: 'GET', url: '/openapi/work-board.json', scopes: ['read', 'run'] },
  { method: 'GET', url: '/v1/connections', scopes: ['connections', 'read'] },
  {
    method: 'POST',
    url: '/v1/connections',
    scopes: ['connections'],
    body: { integration: 'work-board', type: 'none' },
  },
  { method: 'GET', url: '/v1/connections/con_none', scopes: ['connections', 'read'] },
  { method: 'PATCH', url: '/v1/connections/con_none', scopes: ['connections'], body: { name: 'x' } },
  { method: 'DELETE', url: '/v1/connections/con_none', scopes: ['connections'] },
  { method: 'GET', url: '/v1/connections/con_none/limits', scopes: ['connections', 'read'] },
  { method: 'GET', url: '/v1/connections/con_none/names', scopes: ['subscriptions', 'read'] },
  { method: 'GET', url: '/v1/connections/con_none/usage', scopes: ['connections', 'read'] },
  { method: 'POST', url: '/v1/connections/con_none/test', scopes: ['connections'] },
  { method: 'POST', url: '/v1/connections/con_none/wire-check', scopes: ['connections'], body: {} },
  {
    method: 'POST',
    url: '/v1/connections/authorize',
    scopes: ['connections'],
    body: { integration: 'work-board', type: 'key-token' },
  },
  { method: 'GET', url: '/v1/grants', scopes: ['run', 'connections', 'subscriptions', 'approvals', 'read'] },
  { method: 'GET', url: '/v1/grants/none', scopes: ['run', 'connections', 'subscriptions', 'approvals', 'read'] },
  {
    method: 'PATCH',
    url: '/v1/grants/none',
    scopes: ['run', 'connections', 'subscriptions', 'approvals', 'read'],
    body: {},
  },
  { method: 'DELETE', url: '/v1/grants/none', scopes: ['run', 'connections', 'subscriptions', 'approvals', 'read'] },
  { method: 'GET', url: '/v1/people', scopes: ['connections', 'read'] },
  { method: 'GET', url: '/v1/people/none', scopes: ['connections', 'read'] },
  { method: 'GET', url: '/v1/apps/work-board', scopes: ['connections', 'read'] },
  { method: 'PUT', url: '/v1/apps/work-board', scopes: ['connections'], body: { key: 'some-app-key' } },
  {
    method: 'POST',
    url: '/v1/triggers/work-board/card-moved/options',
    scopes: ['subscriptions', 'run'],
    body: { field: 'boards' },
  },
  { method: 'GET', url: '/v1/agents', scopes: ['subscriptions', 'read'] },
  { method: 'GET', url: '/v1/subscriptions', scopes: ['subscriptions', 'read'] },
  {
    method: 'POST',
    url: '/v1/subscriptions',
    scopes: ['subscriptions'],
    body: { integration: 'work-board', trigger: 'none' },
  },
  { method: 'GET', url: '/v1/subscriptions/none', scopes: ['subscriptions', 'read'] },
  { method: 'PATCH', url: '/v1/subscriptions/none', scopes: ['subscriptions'], body: { labels: {} } },
  { method: 'DELETE', url: '/v1/subscriptions/none', scopes: ['subscriptions'] },
  { method: 'POST', url: '/v1/subscriptions/none/pause', scopes: ['subscriptions'] },
  { method: 'POST', url: '/v1/subscriptions/none/rotate-secret', scopes: ['subscriptions'], body: {} },
  { method: 'POST', url: '/v1/subscriptions/none/resume', scopes: ['subscriptions'] },
  { method: 'POST', url: '/v1/subscriptions/none/test', scopes: ['subscriptions'] },
  { method: 'POST', url: '/v1/subscriptions/none/recover', scopes: ['subscriptions'] },
  { method: 'GET', url: '/v1/subscriptions/none/sample', scopes: ['subscriptions'] },
  { method: 'POST', url: '/v1/agents/test', scopes: ['subscriptions'], body: { subscription: 'none' } },
  { method: 'GET', url: '/v1/people-lists', scopes: ['run', 'read'] },
  {
    method: 'POST',
    url: '/v1/people-lists',
    scopes: ['run'],
    body: { name: 'Leads', rows: [{ email: 'nobody@example.com' }] },
  },
  { method: 'GET', url: '/v1/people-lists/none', scopes: ['run', 'read'] },
  { method: 'DELETE', url: '/v1/people-lists/none', scopes: ['run'] },
  { method: 'GET', url: '/v1/files', scopes: ['run', 'read'] },
  { method: 'POST', url: '/v1/files', scopes: ['run'], body: { name: 'a.txt', base64: 'QQ==' } },
  { method: 'GET', url: '/v1/files/none', scopes: ['run', 'read'] },
  { method: 'GET', url: '/v1/files/none/metadata', scopes: ['run', 'read'] },
  { method: 'DELETE', url: '/v1/files/none', scopes: ['run'] },
  { method: 'GET', url: '/v1/hooks', scopes: ['subscriptions', 'read'] },
  { method: 'POST', url: '/v1/hooks/prune', scopes: ['subscriptions'] },
  {
    method: 'POST',
    url: '/v1/deliveries/preview',
    scopes: ['subscriptions', 'read'],
    body: { integration: 'work-board', body: {} },
  },
  { method: 'GET', url: '/v1/gaps', scopes: ['subscriptions', 'read'] },
  { method: 'GET', url: '/v1/events', scopes: ['subscriptions', 'read'] },
  { method: 'GET', url: '/v1/undecodable', scopes: ['subscriptions', 'read'] },
  { method: 'GET', url: '/v1/events/none', scopes: ['subscriptions', 'read'] },
  { method: 'POST', url: '/v1/events/none/replay', scopes: ['subscriptions'] },
  { method: 'GET', url: '/v1/starts', scopes: ['subscriptions', 'read'] },
  { method: 'GET', url: '/v1/starts/none', scopes: ['subscriptions', 'read'] },
  { method: 'POST', url: '/v1/starts/none/replay', scopes: ['subscriptions'] },
  { method: 'POST', url: '/v1/starts/replay', scopes: ['subscriptions'], body: { subscription: 'none' } },
  { method: 'GET', url: '/v1/runs', scopes: ['read'] },
  { method: 'GET', url: '/v1/runs/none', scopes: ['read'] },
  { method: 'POST', url: '/v1/runs/none/cancel', scopes: ['run'] },
  { method: 'GET', url: '/v1/usage', scopes: ['read'] },
  { method: 'GET', url: '/v1/usage/export', scopes: ['read'] },
  { method: 'GET', url: '/v1/budgets', scopes: ['read'] },
  {
    method: 'POST',
    url: '/v1/budgets',
    scopes: ['connections'],
    body: { scope: 'tenant', credits: 1, period: 'never' },
  },
  { method: 'GET', url: '/v1/budgets/none', scopes: ['read'] },
  { method: 'PATCH', url: '/v1/budgets/none', scopes: ['connections'], body: { credits: 1 } },
  { method: 'DELETE', url: '/v1/budgets/none', scopes: ['connections'] },
  { method: 'DELETE', url: '/v1/cache', scopes: ['connections'] },
  { method: 'GET', url: '/v1/ledger', scopes: ['read'] },
  { method: 'POST', url: '/v1/ledger/none/resolve', scopes: ['connections'], body: { credits: 1 } },
  { method: 'GET', url: '/v1/lookups', scopes: ['run', 'read'] },
  {
    method: 'POST',
    url: '/v1/lookups/person',
    scopes: ['run'],
    body: { identifiers: { email: 'nobody@example.com' } },
  },
  { method: 'GET', url: '/v1/jobs', scopes: ['run', 'read'] },
  { method: 'POST', url: '/v1/jobs', scopes: ['run'], body: { file: 'none' } },
  { method: 'GET', url: '/v1/jobs/none', scopes: ['run', 'read'] },
  { method: 'GET', url: '/v1/jobs/none/preview', scopes: ['run'] },
  { method: 'POST', url: '/v1/jobs/none/resume', scopes: ['run'], body: {} },
  { method: 'POST', url: '/v1/jobs/none/pause', scopes: ['run'] },
  { method: 'POST', url: '/v1/jobs/none/cancel', scopes: ['run'] },
  { method: 'GET', url: '/v1/approvals', scopes: ['approvals', 'run', 'read', 'admin'] },
  { method: 'GET', url: '/v1/approvals/none', scopes: ['approvals', 'run', 'read', 'admin'] },
  { method: 'POST', url: '/v1/approvals/none/approve', scopes: ['approvals', 'run', 'admin'], body: {} },
  { method: 'POST', url: '/v1/approvals/none/deny', scopes: ['approvals', 'run', 'admin'], body: {} },
  { method: 'GET', url: '/v1/approval-rules', scopes: ['approvals', 'connections', 'read', 'admin'] },
  { method: 'POST', url: '/v1/approval-rules', scopes: ['connections', 'admin'], body: { when: { tokens: ['none'] } } },
  { method: 'GET', url: '/v1/approval-rules/none', scopes: ['approvals', 'connections', 'read', 'admin'] },
  { method: 'PATCH', url: '/v1/approval-rules/none', scopes: ['connections', 'admin'], body: {} },
  { method: 'DELETE', url: '/v1/approval-rules/none', scopes: ['connections', 'admin'] },
  { method: 'GET', url: '/v1/admin/tenants', scopes: ['admin'] },
  { method: 'POST', url: '/v1/admin/tenants', scopes: ['admin'], body: { id: 'default', name: 'Again' } },
  { method: 'GET', url: '/v1/admin/tokens', scopes: ['admin'] },
  { method: 'POST', url: '/v1/admin/tokens', scopes: ['admin'], body: { name: 'x', tenant: 'none' } },
  { method: 'DELETE', url: '/v1/admin/tokens/none', scopes: ['admin'] },
  { method: 'GET', url: '/v1/admin/keys', scopes: ['admin'] },
  { method: 'GET', url: '/v1/admin/checks', scopes: ['admin'] },
  { method: 'POST', url: '/v1/admin/keys/rotate', scopes: ['admin'] },
  { method: 'GET', url: '/v1/admin/audit', scopes: ['admin'] },
  { method: 'GET', url: '/v1/admin/audit/verify', scopes: ['admin'] },
  { method: 'GET', url: '/v1/admin/audit/head', scopes: ['admin'] },
  { method: 'GET', url: '/v1/admin/policies', scopes: ['admin'] },
  { method: 'PUT', url: '/v1/admin/policies', scopes: ['admin'], body: {} },
  { method: 'POST', url: '/v1/admin/backup', scopes: ['admin'] },
  { method: 'GET', url: '/v1/admin/notifications', scopes: ['admin'] },
  {
    method: 'PUT',
    url: '/v1/admin/notifications',
    scopes: ['admin'],
    body: { url: 'https://platform.example/toolyard' },
  },
  { method: 'POST', url: '/v1/admin/notifications/rotate-secret', scopes: ['admin'], body: {} },
  { method: 'DELETE', url: '/v1/admin/notifications', scopes: ['admin'] },
  { method: 'GET', url: '/v1/suppressions', scopes: ['admin'] },
  { method: 'POST', url: '/v1/suppressions', scopes: ['admin'], body: { entries: [{ email: 'nobody@example.com' }] } },
  {
    method: 'POST',
    url: '/v1/suppressions/remove',
    scopes: ['admin'],
    body: { entries: [{ email: 'nobody@example.com' }] },
  },
  { method: 'DELETE', url: '/v1/suppressions/none', scopes: ['admin'] },
  {
    method: 'POST',
    url: '/v1/privacy/export',
    scopes: ['admin'],
    body: { identifiers: [{ email: 'nobody@example.com' }] },
  },
  {
    method: 'POST',
    url: '/v1/privacy/erase',
    scopes: ['admin'],
    body: { identifiers: [{ email: 'nobody@example.com' }] },
  },
  { method: 'GET', url: '/metrics', scopes: ['metrics', 'admin'] },
]
const all: Scope[] = [...allScopes]
const call = (row: Row, token: string) =>
  face.ask(row.url, { method: row.method, token, ...(row.body === undefined ? {} : { body: row.body }) })

/** Any token opens the document, and these others; the stream never ends, so it has a test of its own. */
const elsewhere = new Set([
  'GET /openapi.json',
  'GET /v1/stream',
  'GET /v1/server',
  'GET /v1/session',
  'DELETE /v1/session',
  'POST /v1/sign-in-codes',
])

describe('bearer tokens', () => {
  it('responds identically to every bad token', async () => {
    const { text: revoked, token } = await face.pack.tokens.create('default', { name: 'Revoked' })
    await face.pack.tokens.revoke('default', token.id)
    const expiresAt = clock.now() + 2_000
    const { text: expired } = await face.pack.tokens.create('default', { name: 'Expired', expiresAt })
    clock.advance(2_000)
    const headers = [
      undefined,
      '',
      'Bearer',
      'Bearer nobody',
      `Bearer ${revoked}`,
      `Bearer ${expired}`,
      `Basic ${face.token}`,
      face.token,
      `Bearer ${face.token}x`,
      `Bearer ${'x'.repeat(4_000)}`,
    ]
    const answers = await Promise.all(
      headers.map((authorization) =>
        face.http.inject({
          url: '/v1/runs',
          headers: { 'x-request-id': 'same', ...(authorization === undefined ? {} : { authorization }) },
        }),
      ),
    )
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(headers.map(() => 401))
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
    expect(answers[0]!.headers['www-authenticate']).toBe('Bearer realm="toolyard"')
    expect(answers[0]!.json()).toMatchObject({ code: 'unauthenticated', retryable: false })
  })

  it('covers every guarded address there is', async () => {
    const { json } = await face.ask('/openapi.json')
    const documented = Object.entries(json.paths as Record<string, Record<string, { security?: unknown[] }>>).flatMap(
      ([path, methods]) =>
        Object.entries(methods).flatMap(([method, { security }]) =>
          security?.length === 0 ? [] : [`${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '*')}`],
        ),
    )
    const tested = guarded.map(
      ({ method, url }) =>
        `${method} ${url
          .replace(
            /(connections|subscriptions|suppressions|events|starts|runs|tokens|files|budgets|ledger|jobs|lookups|people|people-lists|grants|approvals|approval-rules)\/(?!authorize|replay$|remove$)\w+/,
            '$1/*',
          )
          .replace(/tools\/\w+/, 'tools/*')
          .replace(/work-board(\/[\w-]+(?=\/(run|options|fields|sample)\b))?/, (segment) =>
            segment.includes('/') ? '*/*' : '*',
          )}`,
    )
    // Each step has an operation of its own in the document; all of them are the one route to run a step.
    const routes = new Set(
      documented.map((route) => route.replace(/^POST \/v1\/steps\/[\w-]+\/[\w-]+\/run$/, 'POST /v1/steps/*/*/run')),
    )
    expect(tested.toSorted()).toEqual([...routes].filter((route) => !elsewhere.has(route)).toSorted())
  })

  it.each(guarded)('$method $url wants a token with $scopes', async (row) => {
    expect((await face.http.inject({ method: row.method, url: row.url })).statusCode).toBe(401)
    const wrong = await call(row, await face.tokenWith(all.filter((scope) => !row.scopes.includes(scope))))
    expect(wrong.status).toBe(403)
    expect(wrong.json).toMatchObject({ code: 'not_allowed', status: 403 })
    for (const scope of row.scopes)
      expect([401, 403]).not.toContain((await call(row, await face.tokenWith([scope]))).status)
  })

  it('leaves health open, and nothing else', async () => {
    for (const url of ['/livez', '/readyz']) expect((await face.http.inject({ url })).statusCode).toBe(200)
    expect((await face.http.inject({ url: '/openapi.json' })).statusCode).toBe(401)
  })

  it('refuses a token before the body is read', async () => {
    const reply = await face.http.inject({
      method: 'POST',
      url: '/v1/connections',
      headers: { 'content-type': 'application/json' },
      payload: '{not json',
    })
    expect(reply.statusCode).toBe(401)
  })
})

describe('tenants', () => {
  it('sees only what is its own', async () => {
    const made = await face.ask('/v1/admin/tenants', { body: { id: 'other', name: 'Other' } })
    expect(made.status).toBe(201)
    const token = await face.tokenWith(['read', 'run', 'connections'], 'other')
    const [mine] = (await face.ask('/v1/connections')).json.items
    expect((await face.ask('/v1/connections', { token })).json.items).toEqual([])
    expect((await face.ask(`/v1/connections/${mine.id}`, { token })).status).toBe(404)
    expect((await face.ask(`/v1/connections/${mine.id}`, { method: 'DELETE', token })).status).toBe(404)
    const run = await face.ask('/v1/steps/work-board/get-boards/run', { body: { input: {} } })
    expect((await face.ask(`/v1/runs/${run.json.meta.runId}`)).status).toBe(200)
    expect((await face.ask(`/v1/runs/${run.json.meta.runId}`, { token })).status).toBe(404)
    expect((await face.ask('/v1/runs', { token })).json.items).toEqual([])
    const used = await face.ask('/v1/steps/work-board/get-boards/run', {
      token,
      body: { connection: mine.id, input: {} },
    })
    expect(used.json.code).toBe('not_found')
  })

  it('gives the operator scope to the operator only', async () => {
    await face.ask('/v1/admin/tenants', { body: { id: 'third', name: 'Third' } })
    const refused = await face.ask('/v1/admin/tokens', {
      body: { tenant: 'third', name: 'Too much', scopes: ['admin'] },
    })
    expect(refused.json).toMatchObject({ code: 'invalid_input', errors: [{ pointer: '/scopes' }] })
  })

  it('makes, lists and revokes tokens, showing the text once', async () => {
    const made = await face.ask('/v1/admin/tokens', {
      body: { name: 'Agent', scopes: ['run'], expiresAt: '2031-01-01T00:00:00+01:00' },
    })
    expect(made.status).toBe(201)
    expect(made.json.token).toMatchObject({
      name: 'Agent',
      scopes: ['run'],
      expiresAt: '2030-12-31T23:00:00.000Z',
      last4: made.json.text.slice(-4),
    })
    const listed = await face.ask('/v1/admin/tokens?limit=200')
    expect(listed.json.items.map(({ id }: { id: string }) => id)).toContain(made.json.token.id)
    expect(listed.text).not.toContain(made.json.text)
    expect((await face.ask('/v1/steps', { token: made.json.text })).status).toBe(200)
    expect((await face.ask(`/v1/admin/tokens/${made.json.token.id}`, { method: 'DELETE' })).status).toBe(204)
    expect((await face.ask('/v1/steps', { token: made.json.text })).status).toBe(401)
  })
})
