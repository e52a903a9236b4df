import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { createHttp } from '../../shared/faces/http/index.ts'
import { failures } from '../../shared/kit/index.ts'
import { checkedAsk } from '../api/answers.ts'
import type { CheckedAsk } from '../api/answers.ts'
import { readDocument } from './documented.ts'
import type { Document } from './documented.ts'
import { firstList, openHttpWorld } from '../support/http-world.ts'

let document: Document
let operations: Awaited<ReturnType<typeof readDocument>>['operations']
let check: CheckedAsk
const face = await openHttpWorld()
beforeAll(async () => {
  ;({ document, operations } = await readDocument(face))
  check = checkedAsk(face)
})

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

  it('marks fields that another one replaces, and docs/upgrading.md lists them', async () => {
    const deprecated = new Set<string>()
    const walk = (value: unknown) => {
      if (value === null || typeof value !== 'object') return
      const { name, properties = {} } = value as { name?: unknown; properties?: Record<string, unknown> }
      const isDeprecated = (part: any) => part?.deprecated === true
      if (typeof name === 'string' && isDeprecated(value)) deprecated.add(name)
      for (const [key, property] of Object.entries(properties)) if (isDeprecated(property)) deprecated.add(key)
      for (const part of Object.values(value)) walk(part)
    }
    walk(document)
    expect([...deprecated].toSorted()).toEqual(['board', 'boards', 'card', 'complete', 'price', 'requests'])
    const page = await readFile(new URL('../../docs/upgrading.md', import.meta.url), 'utf8')
    const [, list = ''] = page.split('\n## Deprecated\n')
    for (const name of deprecated) expect(list).toContain(`\`${name}\``)
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
    expect(operations.length).toBe(131)
    for (const { path, operation } of operations) {
      const pathParameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(
        (operation.parameters ?? []).filter((parameter) => parameter.in === 'path').map(({ name }) => name),
      ).toEqual(pathParameters)
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

describe('a connection over HTTP', () => {
  it('is made once, shown without its secrets, found by label and external id, limited, turned off and on', async () => {
    const { key, token, secondToken } = face.sandbox.board.credentials
    const account = { integration: 'work-board', type: 'key-token', name: 'Second' }
    const made = await check('/v1/connections', {
      body: {
        ...account,
        secrets: { key, token: secondToken },
        labels: { team: 'blue' },
        externalId: 'acc-2',
        policy: { methods: ['GET'] },
      },
    })
    expect([made.status, made.headers.location]).toEqual([201, `/v1/connections/${made.json.id}`])
    expect(made.text).not.toContain(secondToken)
    expect((await check('/v1/connections', { body: { ...account, secrets: { key, token } } })).status).toBe(409)
    const wrong = await check('/v1/connections', {
      body: { ...account, name: 'Third', secrets: { key, token: 'ATTAnot-a-real-token-1234567890' } },
    })
    expect(wrong.json.code).toBe('not_connected')
    expect(wrong.text).not.toContain('not-a-real-token')
    const namesIn = async (query: string) =>
      (await check(`/v1/connections?${query}`)).json.items.map(({ name }: { name: string }) => name)
    expect([await namesIn('label=team:blue&limit=1'), await namesIn('externalId=acc-3')]).toEqual([['Second'], []])
    const change = (body: object) => check(`/v1/connections/${made.json.id}`, { method: 'PATCH', body })
    const limits = async (policy: object) => (await change({ policy })).json
    expect((await limits({ boards: ['b'] })).policy).toEqual({ boards: ['b'], scopes: ['b'] })
    expect((await limits({ scopes: ['c'] })).policy).toEqual({ boards: ['c'], scopes: ['c'] })
    expect(await limits({ other: ['d'] })).toMatchObject({
      code: 'invalid_input',
      errors: [{ pointer: '/policy/other' }],
    })
    await change({ disabled: true, labels: {} })
    const run = (step: string, input: object) =>
      check(`/v1/steps/work-board/${step}/run`, { body: { connection: 'Second', input } })
    const disabled = await run('get-boards', {})
    expect([disabled.status, disabled.json.code]).toEqual([424, 'not_connected'])
    expect(await namesIn('label=team:blue')).toEqual([])

    expect((await change({ disabled: false, policy: null })).json.policy).toBe(null)
    const { list } = await firstList(face)
    // Both what a disabled account and what the former limits refuse.
    for (const answer of [await run('get-boards', {}), await run('create-card', { idList: list.id, name: 'Free' })])
      expect(answer.status, answer.text).toBe(200)
  })
})

describe('the secret of notifications over HTTP', () => {
  it('is shown when it is made and rotated, and never again', async () => {
    const path = '/v1/admin/notifications'
    const target = { url: 'https://platform.example/toolyard', types: ['connection.created'] }
    const made = await check(path, { method: 'PUT', body: target })
    expect(made.json).toMatchObject({ ...target, tenant: 'default', previousSecretUntil: null })
    expect(made.json.secret).toMatch(/^whsec_/)
    expect((await check(path)).text).not.toContain('whsec_')
    const rotated = await check(`${path}/rotate-secret`, { body: { overlapMs: 60_000 } })
    expect(rotated.json.secret).not.toBe(made.json.secret)
    await check(`${path}?tenant=default`, { method: 'DELETE' })
  })
})

describe('the suppression list over HTTP', () => {
  it('comes in pages, and says where each entry is from', async () => {
    const path = '/v1/suppressions'
    const entries = [{ email: 'nobody@example.com' }, { linkedin: 'nobody-1' }]
    expect((await check(path, { body: { entries } })).json).toEqual({ added: 2, present: 0 })
    const first = (await check(`${path}?limit=1`)).json
    expect(first).toMatchObject({ items: [{ source: 'manual' }], next: expect.any(String) })
    const second = (await check(`${path}?limit=1&cursor=${first.next}`)).json
    expect(second.items).toMatchObject([{ source: 'manual' }])
    expect(second.items[0].id).not.toBe(first.items[0].id)
    expect((await check(`${path}/remove`, { body: { entries } })).json).toEqual({ removed: 2 })
  })
})
