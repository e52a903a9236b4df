import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import toolyard from '../../shared/faces/http/plugin.ts'
import { createPack } from '../../shared/faces/library/index.ts'
import type { Pack } from '../../shared/faces/library/index.ts'
import { startSandbox } from '../../shared/sandbox/index.ts'
import type { Sandbox } from '../../shared/sandbox/index.ts'
import { integrationIds } from '../support/shipped.ts'

let sandbox: Sandbox
let pack: Pack
let token: string
let origin: string
const seen: string[] = []
const host = Fastify()

beforeAll(async () => {
  sandbox = await startSandbox()
  pack = await createPack({ wire: sandbox.wire, egress: { ownOrigins: sandbox.places.map((place) => place.origin) } })
  const { key, token: secret } = sandbox.board.credentials
  await pack.connections.create(
    { tenant: 'default' },
    { integration: 'work-board', type: 'key-token', name: 'Studio', secrets: { key, token: secret } },
  )
  token = (await pack.tokens.create('default', { name: 'Host', scopes: ['run', 'read', 'connections'] })).text
  host.addHook('preHandler', async (request) => void seen.push(request.url))
  host.get('/own', async () => ({ own: true }))
  await host.register(toolyard, { prefix: '/toolyard', pack })
  origin = await host.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await host.close()
  await pack.close()
  await sandbox.close()
})

const ask = async (path: string, init: { method?: string; body?: string; type?: string; token?: string } = {}) => {
  const reply = await fetch(`${origin}${path}`, {
    method: init.method ?? (init.body === undefined ? 'GET' : 'POST'),
    headers: {
      authorization: `Bearer ${init.token ?? token}`,
      ...(init.body === undefined ? {} : { 'content-type': init.type ?? 'application/json' }),
    },
    ...(init.body === undefined ? {} : { body: init.body }),
  })
  return {
    status: reply.status,
    type: reply.headers.get('content-type') ?? '',
    json: JSON.parse(await reply.text()) as Record<string, any>,
  }
}

describe('the plugin', () => {
  it('serves the API under the prefix and leaves the host alone', async () => {
    expect(await ask('/own')).toMatchObject({ status: 200, json: { own: true } })
    expect(await ask('/toolyard/v1/integrations')).toMatchObject({
      status: 200,
      json: { items: integrationIds.map((id) => ({ id })) },
    })
    expect(await ask('/v1/integrations')).toMatchObject({ status: 404 })
    expect((await ask('/toolyard/livez')).status).toBe(200)
  })

  it('reads bodies itself and runs a step', async () => {
    const reply = await ask('/toolyard/v1/steps/work-board/get-boards/run', { body: '{"input":{"fields":"name"}}' })
    expect(reply.status).toBe(200)
    expect(reply.json.output.boards.length).toBeGreaterThan(0)
    expect(await ask('/toolyard/v1/steps/work-board/get-boards/run', { body: '{"input":' })).toMatchObject({
      status: 400,
      type: expect.stringContaining('application/problem+json'),
      json: { code: 'invalid_input' },
    })
    expect(
      await ask('/toolyard/v1/steps/work-board/get-boards/run', { body: 'input', type: 'text/plain' }),
    ).toMatchObject({ status: 415 })
  })

  it('checks its own tokens and responds with its own problems', async () => {
    expect(await ask('/toolyard/v1/integrations', { token: 'ty_wrong' })).toMatchObject({
      status: 401,
      json: { code: 'unauthenticated' },
    })
    expect(await ask('/toolyard/nowhere')).toMatchObject({
      status: 404,
      type: expect.stringContaining('application/problem+json'),
      json: { code: 'not_found' },
    })
    expect((await ask('/toolyard')).status).toBe(404)
  })
})
