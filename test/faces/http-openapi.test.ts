import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttp } from '../../shared/faces/http/index.ts'
import { failures } from '../../shared/kit/index.ts'
import { readDocument } from './documented.ts'
import type { Document } from './documented.ts'
import { firstList, openFace } from './setup.ts'
import type { Face } from './setup.ts'

let face: Face
let document: Document
let operations: Awaited<ReturnType<typeof readDocument>>['operations']
let checker: Awaited<ReturnType<typeof readDocument>>['checker']
let check: Awaited<ReturnType<typeof readDocument>>['check']
beforeAll(async () => {
  face = await openFace()
  ;({ document, operations, checker, check } = await readDocument(face))
})
afterAll(() => face.close())

describe('the document', () => {
  it('is OpenAPI 3.1 with whole references and no leftovers', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'toolyard', version: '0.0.0' },
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    })
    const text = JSON.stringify(document)
    const refs = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref!)
    expect(refs.length).toBeGreaterThan(50)
    for (const ref of refs) {
      const [, kind, name] = /^#\/components\/(schemas|responses)\/([^/]+)$/.exec(ref) as unknown as [
        string,
        'schemas' | 'responses',
        string,
      ]
      expect(document.components[kind][name], ref).toBeDefined()
    }
    expect(/"\$schema":"|PLACEHOLDER|\$defs/.exec(text)).toBeNull()
  })

  it('names the address of the request as its server, so that an importer has one', async () => {
    const serversFor = async (host: string) => (await face.ask('/openapi.json', { headers: { host } })).json.servers
    expect(await serversFor('pack.example:8750')).toEqual([{ url: 'http://pack.example:8750' }])
    expect(await serversFor('[::1]:8750')).toEqual([{ url: 'http://[::1]:8750' }])
    // What is no host is not repeated.
    for (const host of ['evil"><script>', 'a b', 'pack.example/path', 'user@pack.example'])
      expect(await serversFor(host), host).toEqual([{ url: '/' }])
    const http = await createHttp({ pack: face.pack, version: '0.0.0', publicUrl: 'https://tools.example/base' })
    const reply = await http.inject({
      url: '/openapi.json',
      headers: { host: 'other.example', authorization: `Bearer ${face.token}` },
    })
    expect(reply.json().servers).toEqual([{ url: 'https://tools.example/base' }])
    await http.close()
  })

  it('shows names that integrations have for a field of ours, in what is sent and in what comes back', () => {
    type Schema = { properties: { [name: string]: unknown } }
    const { schemas } = document.components as unknown as { schemas: { [name: string]: Schema } }
    for (const name of ['Event', 'EventDetail'])
      expect(Object.keys(schemas[name]!.properties)).toEqual(expect.arrayContaining(['card', 'board']))
    const text = JSON.stringify(document)
    for (const boards of [{ maxItems: 500 }, { type: 'array' }])
      expect(text).toContain(`"boards":${JSON.stringify(boards).slice(0, -1)}`)
  })
  it('describes every operation beyond its summary, in whole sentences', () => {
    for (const { operation } of operations) {
      expect(operation.description, operation.operationId).toMatch(/^[A-Z`].{30,}\.$/s)
      expect(operation.description).not.toBe(operation.summary)
    }
  })

  it('names every operation once and says what it does', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { operation } of operations) {
      expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/)
      expect(operation.summary.length).toBeGreaterThan(3)
      expect(operation.tags).toHaveLength(1)
    }
  })

  it('lists every route of design and server, each with its path parameters', () => {
    const routes = face.http.printRoutes({ commonPrefix: false, includeHooks: false })
    expect(operations.length).toBe(108)
    for (const { path, operation } of operations) {
      const pathParameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(
        (operation.parameters ?? []).filter((parameter) => parameter.in === 'path').map(({ name }) => name),
      ).toEqual(pathParameters)
      for (const part of path.split('/').filter((piece) => piece !== '' && !piece.startsWith('{')))
        expect(routes).toContain(part)
    }
    for (const { path, method } of operations)
      expect(
        face.http.hasRoute({ method: method as 'GET', url: path.replaceAll(/\{(\w+)\}/g, ':$1') }),
        `${method} ${path}`,
      ).toBe(true)
  })

  it('documents failures as problem+json with the codes of the table', () => {
    for (const { operation } of operations) {
      for (const [status, { description, content }] of Object.entries(operation.responses)) {
        expect(description.length).toBeGreaterThan(1)
        if (Number(status) < 400) continue
        expect(Object.keys(content ?? {})).toEqual(['application/problem+json'])
        const codes = [
          ...description.matchAll(
            /\b([a-z]+_[a-z_]+|internal|conflict|rejected|cancelled|suppressed|unavailable|unreachable|unauthenticated): /g,
          ),
        ].map(([, code]) => code as keyof typeof failures)
        if (status === '415') continue
        expect(codes.length).toBeGreaterThan(0)
        for (const code of codes) expect(failures[code].status).toBe(Number(status))
      }
    }
    const run = operations.find(({ operation }) => operation.operationId === 'runStep')!.operation
    expect(Object.keys(run.responses).map(Number)).toEqual([
      200, 202, 400, 401, 402, 403, 404, 409, 413, 415, 422, 424, 429, 451, 499, 500, 501, 502, 503, 504,
    ])
  })
})

describe('responses match the document', () => {
  it('can fail', () => {
    const { schema } = operations.find(({ operation }) => operation.operationId === 'getRun')!.operation.responses[
      '200'
    ]!.content!['application/json']!
    expect(checker(schema).safeParse({ id: 'x' }).success).toBe(false)
    const { schema: tenant } = operations.find(({ operation }) => operation.operationId === 'createTenant')!.operation
      .responses['201']!.content!['application/json']!
    const tenantView = { id: 'x', name: 'X', createdAt: '2026-01-01T00:00:00.000Z' }
    expect([
      checker(tenant).safeParse(tenantView).success,
      checker(tenant).safeParse({ ...tenantView, hash: 'x' }).success,
    ]).toEqual([true, false])
  })

  it('over a whole life of an account', async () => {
    const { list } = await firstList(face)
    await check('/v1/integrations', '/v1/integrations')
    await check('/v1/integrations/{id}', '/v1/integrations/work-board')
    await check('/v1/steps', '/v1/steps?query=card%20checklist')
    await check('/v1/steps', '/v1/steps?integration=nothing')
    const { key, token } = face.sandbox.board.credentials
    const made = await check('/v1/connections', '/v1/connections', {
      body: {
        integration: 'work-board',
        type: 'key-token',
        name: 'Second',
        secrets: { key, token: face.sandbox.board.credentials.secondToken },
        labels: { team: 'blue' },
        externalId: 'acc-2',
        policy: { methods: ['GET'] },
      },
    })
    expect([made.status, made.headers.location]).toEqual([201, `/v1/connections/${made.json.id}`])
    expect(made.text).not.toContain(token)
    await check('/v1/connections', '/v1/connections', {
      body: { integration: 'work-board', type: 'key-token', name: 'Second', secrets: { key, token } },
    })
    const wrong = await check('/v1/connections', '/v1/connections', {
      body: {
        integration: 'work-board',
        type: 'key-token',
        secrets: { key, token: 'ATTAnot-a-real-token-1234567890' },
      },
    })
    expect(wrong.json.code).toBe('not_connected')
    expect(wrong.text).not.toContain('not-a-real-token')
    expect(
      (await check('/v1/connections', '/v1/connections?label=team:blue&limit=1')).json.items.map(
        ({ name }: { name: string }) => name,
      ),
    ).toEqual(['Second'])
    expect((await check('/v1/connections', '/v1/connections?externalId=acc-3')).json.items).toEqual([])
    await check('/v1/connections/{id}', `/v1/connections/${made.json.id}`)
    await check('/v1/connections/{id}/limits', `/v1/connections/${made.json.id}/limits`)
    await check('/v1/connections/{id}/usage', `/v1/connections/${made.json.id}/usage`)
    const limits = (policy: object) =>
      check('/v1/connections/{id}', `/v1/connections/${made.json.id}`, { method: 'PATCH', body: { policy } })
    expect((await limits({ boards: ['b'] })).json.policy).toEqual({ boards: ['b'], scopes: ['b'] })
    expect((await limits({ scopes: ['c'] })).json.policy).toEqual({ boards: ['c'], scopes: ['c'] })
    expect((await limits({ other: ['d'] })).json).toMatchObject({
      code: 'invalid_input',
      errors: [{ pointer: '/policy/other' }],
    })
    await check('/v1/connections/{id}', `/v1/connections/${made.json.id}`, {
      method: 'PATCH',
      body: { disabled: true, labels: {} },
    })
    const disabled = await check('/v1/steps/{integration}/{step}/run', '/v1/steps/work-board/get-boards/run', {
      body: { connection: 'Second', input: {} },
    })
    expect([disabled.status, disabled.json.code]).toEqual([424, 'not_connected'])
    await check('/v1/connections/{id}', `/v1/connections/${made.json.id}`, {
      method: 'PATCH',
      body: { disabled: false, policy: null },
    })
    await check('/v1/connections/{id}/test', `/v1/connections/${made.json.id}/test`, { method: 'POST' })
    await check('/v1/steps/{integration}/{step}/run', '/v1/steps/work-board/get-boards/run', { body: { input: {} } })
    const card = await check('/v1/steps/{integration}/{step}/run', '/v1/steps/work-board/create-card/run', {
      body: { connection: 'Second', input: { idList: list.id, name: 'By HTTP' } },
      headers: { 'start-id': 'start-7' },
    })
    expect(card.status, card.text).toBe(200)
    await check('/v1/steps/{integration}/{step}/options', '/v1/steps/work-board/create-card/options', {
      body: { connection: 'Second', field: 'idList', values: { idBoard: card.json.output.idBoard } },
    })
    await check('/v1/apps/{integration}', '/v1/apps/work-board')
    await check('/v1/apps/{integration}', '/v1/apps/work-board', {
      method: 'PUT',
      body: { key, secret: 'a-secret-that-is-long' },
    })
    await check('/v1/runs', '/v1/runs?startId=start-7')
    await check('/v1/runs/{id}', `/v1/runs/${card.json.meta.runId}`)
    await check('/v1/usage', '/v1/usage?days=2')
    await check('/v1/connections/{id}', `/v1/connections/${made.json.id}`, { method: 'DELETE' })
    await check('/v1/connections/{id}', `/v1/connections/${made.json.id}`)
    await check('/v1/admin/tenants', '/v1/admin/tenants', { body: { name: 'Fresh' } })
    await check('/v1/admin/tenants', '/v1/admin/tenants')
    const token2 = await check('/v1/admin/tokens', '/v1/admin/tokens', { body: { name: 'x' } })
    await check('/v1/admin/tokens', '/v1/admin/tokens')
    await check('/v1/admin/checks', '/v1/admin/checks')
    await check('/v1/admin/tokens/{id}', `/v1/admin/tokens/${token2.json.token.id}`, { method: 'DELETE' })
    await check('/v1/admin/tokens/{id}', '/v1/admin/tokens/none', { method: 'DELETE' })
    const target = { url: 'https://platform.example/toolyard', types: ['connection.created'] }
    await check('/v1/admin/notifications', '/v1/admin/notifications')
    const set = await check('/v1/admin/notifications', '/v1/admin/notifications', { method: 'PUT', body: target })
    expect(set.json).toMatchObject({
      ...target,
      tenant: 'default',
      secret: expect.stringMatching(/^whsec_/) as string,
      previousSecretUntil: null,
    })
    expect((await check('/v1/admin/notifications', '/v1/admin/notifications')).text).not.toContain('whsec_')
    const rotated = await check('/v1/admin/notifications/rotate-secret', '/v1/admin/notifications/rotate-secret', {
      body: { overlapMs: 60_000 },
    })
    expect(rotated.json.secret).not.toBe(set.json.secret)
    await check('/v1/admin/notifications', '/v1/admin/notifications?tenant=default', { method: 'DELETE' })
    await check('/v1/admin/notifications', '/v1/admin/notifications?tenant=default', { method: 'DELETE' })
    const entries = [{ email: 'nobody@example.com' }, { linkedin: 'nobody-1' }]
    await check('/v1/suppressions', '/v1/suppressions', { body: { entries } })
    const suppressed = await check('/v1/suppressions', '/v1/suppressions?limit=1')
    expect(suppressed.json).toMatchObject({ items: [{ source: 'manual' }], next: expect.any(String) as string })
    await check('/v1/suppressions/{id}', `/v1/suppressions/${suppressed.json.items[0].id}`, { method: 'DELETE' })
    await check('/v1/suppressions/{id}', '/v1/suppressions/none', { method: 'DELETE' })
    await check('/v1/suppressions/remove', '/v1/suppressions/remove', { body: { entries } })
    await check('/v1/privacy/export', '/v1/privacy/export', { body: { identifiers: entries } })
    await check('/v1/privacy/erase', '/v1/privacy/erase', { body: { identifiers: entries, suppress: true } })
    await check('/v1/runs', '/v1/runs?externalId=acc-2&label=team:blue')
    await check('/livez', '/livez')
    await check('/readyz', '/readyz')
    await check('/metrics', '/metrics')
  })
})
