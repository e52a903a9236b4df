/** Testing the address of an agent before a trigger is attached to it, and after. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { checkedAsk } from '../api/answers.ts'
import type { CheckedAsk } from '../api/answers.ts'
import { findIds } from '../sandbox/board-client.ts'
import { startAgent } from '../support/agent-world.ts'
import type { AgentServer } from '../support/agent-world.ts'
import { openHttpWorld } from '../support/http-world.ts'
import type { Ask, HttpWorld } from '../support/http-world.ts'

const path = '/v1/agents/test'
const own = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
let agent: AgentServer
let face: HttpWorld
let check: CheckedAsk
beforeAll(async () => {
  agent = await startAgent()
  face = await openHttpWorld({ agentOrigins: [agent.origin] })
  check = checkedAsk(face)
})
afterAll(async () => {
  await face.close()
  await agent.close()
})
beforeEach(() => {
  agent.taken.length = 0
  agent.answer.status = () => 200
})

const test = (body: object, more: Ask = {}) => check(path, { body, ...more })
const caller = { tenant: 'default' }
const audited = async () =>
  (await face.pack.audit.list('default', { limit: 200 })).items.filter(({ path: what }) => what === 'agents.test')
/** A trigger that is polled, so that nothing has to reach this process. */
const attach = (url: string) =>
  face.pack.subscriptions.create(caller, {
    integration: 'work-board',
    trigger: 'new-card',
    config: { boards: [findIds(face.sandbox.board).board] },
    agent: { url },
    options: { delivery: 'poll' },
  })

describe('an address that is not attached yet', () => {
  it('gets one signed call without an event, marked as a test; the answer is its status', async () => {
    agent.secrets.set('/new', own)
    const { status, json } = await test({ url: `${agent.origin}/new`, secret: own })
    expect(status).toBe(200)
    expect(json).toMatchObject({
      ok: true,
      status: 200,
      remedy: null,
      signedWith: 'given',
      durationMs: expect.any(Number) as number,
    })
    expect(agent.taken).toHaveLength(1)
    const [taken] = agent.taken
    expect(taken).toMatchObject({ id: json.id, genuine: true, start: { type: 'agent.test' } })
    expect(taken!.start.data).toMatchObject({
      id: json.id,
      start: json.id,
      tenant: 'default',
      test: true,
      event: null,
      subscription: '',
      connection: '',
    })
    expect((await face.pack.starts.list(caller, { limit: 9 })).items).toEqual([])
    expect(await audited()).toMatchObject([{ outcome: 'ok', actor: expect.not.stringMatching(/^library$/) as string }])
    expect(JSON.stringify(await audited())).not.toContain(own)
  })

  it('is signed with a secret of this test alone where none is given, and says so of a refusal', async () => {
    agent.answer.status = () => 401
    const { json } = await test({ url: `${agent.origin}/strict` })
    expect(json).toMatchObject({
      ok: false,
      status: 401,
      signedWith: 'made',
      remedy: expect.stringMatching(/secret made for this test/) as string,
    })
  })

  it('that refuses says with which status and what to do, and nothing that it answered', async () => {
    const server = createServer((_, response) =>
      response.writeHead(404).end(`private words of somebody, ${own}`),
    ).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const other = await openHttpWorld({ agentOrigins: [`http://127.0.0.1:${port}`] })
    try {
      const { json, text } = await other.ask(path, { body: { url: `http://127.0.0.1:${port}/gone`, secret: own } })
      expect(json).toMatchObject({
        ok: false,
        status: 404,
        remedy: expect.stringMatching(/correct the address/) as string,
      })
      expect(json.message).toMatch(/^The answer has \d+ bytes\. This server does not store its text\.$/)
      expect(text).not.toContain('private words')
      expect(text).not.toContain(own.slice(6))
    } finally {
      await other.close()
      server.close()
    }
  })

  it('that nobody listens at says so', async () => {
    const closed = await startAgent()
    await closed.close()
    const other = await openHttpWorld({ agentOrigins: [closed.origin] })
    const { json } = await other.ask(path, { body: { url: `${closed.origin}/x` } })
    expect(json).toMatchObject({
      ok: false,
      status: null,
      message: expect.stringMatching(/could not be reached/) as string,
    })
    expect(json.remedy).toMatch(/running/)
  })
})

describe('a subscription', () => {
  it('is tested at its address with its secret', async () => {
    const { id, agent: made } = await attach(`${agent.origin}/attached`)
    agent.secrets.set('/attached', made.secret!)
    const { json } = await test({ subscription: id })
    expect(json).toMatchObject({ ok: true, signedWith: 'subscription' })
    expect(agent.taken).toMatchObject([
      { genuine: true, start: { data: { subscription: id, trigger: 'new-card', test: true, event: null } } },
    ])
    await face.pack.subscriptions.remove(caller, id)
  })
})

describe('guards', () => {
  it.each([
    ['neither', {}, '/url'],
    ['both', { url: 'https://agents.example/a', subscription: 'sub_x' }, '/subscription'],
    ['a secret for a subscription', { subscription: 'sub_x', secret: own }, '/secret'],
    ['a short secret', { url: 'https://agents.example/a', secret: 'whsec_short' }, '/secret'],
    ['a long address', { url: `https://agents.example/${'a'.repeat(2048)}` }, '/url'],
    ['an unknown field', { url: 'https://agents.example/a', body: {} }, ''],
  ])('%s is refused with the name of the field', async (_, body, pointer) => {
    const { status, json } = await face.ask(path, { body })
    expect([status, json.code]).toEqual([400, 'invalid_input'])
    expect(JSON.stringify(json.errors)).toContain(`"pointer":"${pointer}`)
  })

  it.each([
    'http://127.0.0.1:1/',
    'https://10.0.0.8/start',
    'https://[::1]/',
    'http://agents.example/',
    'https://user:pw@agents.example/',
    'file:///etc/passwd',
    'nothing',
  ])('the address %s is refused as for attaching, and nothing is sent', async (url) => {
    const { status, json } = await face.ask(path, { body: { url } })
    const attaching = await attach(url).catch((thrown: Error & { code: string }) => thrown)
    expect(json).toMatchObject({ code: (attaching as { code?: string }).code, detail: (attaching as Error).message })
    expect(status).toBeGreaterThanOrEqual(400)
  })

  it('a redirect is not followed', async () => {
    agent.answer.status = () => 302
    const { json } = await test({ url: `${agent.origin}/moved` })
    expect(json).toMatchObject({ ok: false, status: 302, remedy: expect.stringMatching(/final address/) as string })
    expect(agent.taken).toHaveLength(1)
  })

  it('a token without the scope, of another tenant, or bound to accounts that cannot attach tests nothing', async () => {
    const { id } = await attach(`${agent.origin}/guarded`)
    const body = { url: `${agent.origin}/guarded` }
    const token = await face.tokenWith(['read', 'run', 'connections'])
    expect((await face.ask(path, { body, token })).json.code).toBe('not_allowed')
    await face.pack.tenants.create({ id: 'north', name: 'North' })
    const north = await face.tokenWith(['subscriptions'], 'north')
    expect((await face.ask(path, { body: { subscription: id }, token: north })).json.code).toBe('not_found')

    const [board] = await face.pack.connections.list(caller)
    const boundTo = async (connections: string[]) =>
      (await face.pack.tokens.create('default', { name: 'Bound', scopes: ['subscriptions'], connections })).text
    const data = await face.pack.connections.create(caller, {
      integration: 'anz-data',
      type: 'api-key',
      name: 'Data',
      secrets: { apiKey: face.sandbox.anz.credentials.apiKey },
    })
    const [mine, foreignToken] = [await boundTo([board!.id]), await boundTo([data.id])]
    expect((await face.ask(path, { body, token: mine })).json.ok).toBe(true)
    expect((await face.ask(path, { body: { subscription: id }, token: mine })).json.ok).toBe(true)
    expect((await face.ask(path, { body: { subscription: id }, token: foreignToken })).json.code).toBe('not_found')
    expect((await face.ask(path, { body, token: foreignToken })).json.code).toBe('not_allowed')
    expect(agent.taken).toHaveLength(2)
    // The same without a face: a host of the library passes the caller on.
    await expect(face.pack.agents.test({ ...caller, scopes: ['run'] }, body)).rejects.toMatchObject({
      code: 'not_allowed',
    })
    await face.pack.subscriptions.remove(caller, id)
  })

  it('a tenant that may attach nothing more tests no new address; refusals are audited', async () => {
    await face.pack.policies.put('default', { limits: { subscriptions: 0 } }, caller)
    const { json } = await face.ask(path, { body: { url: `${agent.origin}/more` } })
    expect(json.code).toBe('not_allowed')
    await face.pack.policies.put('default', {}, caller)
    expect(agent.taken).toEqual([])
    expect((await audited())[0]).toMatchObject({ outcome: 'not_allowed' })
  })

  it('four at once are the most of a tenant', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    agent.answer.status = async () => {
      await held
      return 200
    }
    const body = { url: `${agent.origin}/slow` }
    const tests = [1, 2, 3, 4].map(() => face.ask(path, { body }))
    await expect.poll(() => agent.taken.length).toBe(4)
    expect((await face.ask(path, { body })).json).toMatchObject({ code: 'rate_limited', retryable: true })
    release()
    for (const { json } of await Promise.all(tests)) expect(json.ok).toBe(true)
    expect((await face.ask(path, { body })).json.ok).toBe(true)
  })
})
