import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { GrantView } from '../../shared/runtime/oauth/grants.ts'
import { movableClock } from '../support/clock.ts'
import { linesOver } from '../support/command-line.ts'
import { call, connect, failureOf } from '../support/mcp-world.ts'
import { askToken, openSignInWorld, signedInClient, statusAt } from './world.ts'

const clock = movableClock()
const world = await openSignInWorld({ clock })
const { address, pack, ask } = world
afterAll(() => world.close())
// One address may register only so many clients in an hour.
beforeEach(() => clock.advance(3_600_000))

const tenant = 'default'
const { command: run } = linesOver(world)
const newest = async (): Promise<GrantView> => (await pack.grants.list({ tenant }, { limit: 1 })).items[0]!
const namesFor = async (token: string, path = '/mcp') => {
  const client = await connect(world, '2026-07-28', { token, path })
  const { tools } = await client.listTools()
  await client.close()
  return tools.map(({ name }) => name)
}
const callTool = async (token: string, name: string, args: object = {}) => {
  const reply = await fetch(`${address}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  })
  await reply.text()
  return { status: reply.status, challenge: reply.headers.get('www-authenticate') }
}

describe('scopes', () => {
  it('for reading alone list tools that neither change nor cost anything', async () => {
    const { access, json } = await signedInClient(world, { scope: 'run:read unknown' })
    expect(json['scope']).toBe('run:read')
    const names = await namesFor(access)
    expect(names).toContain('work_board_get_boards')
    expect(names).not.toContain('work_board_create_card')
    expect(names.filter((name) => name.startsWith('anz_data_company'))).toEqual([])
  })
  it('that are too few for a tool are asked for by name, with those that are there', async () => {
    const { access } = await signedInClient(world, { scope: 'run:read' })
    expect(await callTool(access, 'work_board_create_card')).toEqual({
      status: 403,
      challenge: expect.stringMatching(/error="insufficient_scope", scope="run:read run:write", resource_metadata="/),
    })
    expect((await callTool(access, 'anz_data_company_enrichment')).challenge).toContain('scope="run:read run:spend"')
    expect((await callTool(access, 'work_board_get_boards')).status).toBe(200)
    expect((await callTool(access, 'no_such_tool')).status).not.toBe(403)
  })
  it('of a set mean its tools alone', async () => {
    const { access } = await signedInClient(world, { scope: 'set:read' })
    const names = await namesFor(access)
    expect(names).toContain('work_board_get_boards')
    expect(names).not.toContain('work_board_create_card')
  })
  it('of the operator are never given', async () => {
    const { access, json } = await signedInClient(world, { scope: 'admin metrics read', resource: `${address}/v1` })
    expect(json['scope']).toBe('read')
    expect((await ask('/v1/admin/tenants', { token: access })).status).toBe(403)
  })
  it('of approvals are never given', async () => {
    const resource = `${address}/v1`
    const { access, json } = await signedInClient(world, { scope: 'approvals run read', resource })
    expect(json['scope']).toBe('run read')
    const rule = { body: { when: { effects: ['delete'] } }, token: access }
    expect((await ask('/v1/approval-rules', rule)).status).toBe(403)
  })
  it('are not more than those of who signs', async () => {
    const reader = await world.tokenWith(['read'])
    const { access } = await signedInClient(world, {
      token: reader,
      resource: `${address}/v1`,
      scope: 'run read connections',
    })
    expect((await ask('/v1/runs', { token: access })).status).toBe(200)
    expect((await ask('/v1/connections', { token: access, body: {} })).status).toBe(403)
    const run = await ask('/v1/steps/work-board/get-boards/run', { token: access, body: { input: {} } })
    expect(run.status).toBe(403)
  })
})

describe('a person', () => {
  it('takes sets and connections away, and limits what is spent', async () => {
    const [board] = await pack.connections.list({ tenant }, { integration: 'work-board' })
    const { access } = await signedInClient(world, {
      without: ['anz-data/core', 'anz-data/more', board!.id],
      credits: '12.5',
    })
    const grant = await newest()
    expect(grant).toMatchObject({ monthlyCredits: 12.5, client: { name: 'Host', host: null }, who: 'All' })
    expect(grant.steps!.some((step) => step.startsWith('anz-data/'))).toBe(false)
    expect(grant.connections).not.toContain(board!.id)
    expect((await namesFor(access)).some((name) => name.startsWith('anz_data'))).toBe(false)
    const client = await connect(world, '2026-07-28', { token: access })
    expect(failureOf(await call(client, 'work_board_get_boards', { connection: board!.id })).code).toBe('not_found')
    await client.close()
    expect((await pack.budgets.list({ tenant })).items).toMatchObject([
      { scope: 'token', subject: grant.id, credits: 12.5 },
    ])
    await pack.grants.remove({ tenant }, grant.id)
    expect((await pack.budgets.list({ tenant })).items).toEqual([])
  })
  it('limits what programs spend, beside the budgets of the workspace and not in their place', async () => {
    for (let n = 0; n < 200; n += 1)
      await pack.budgets.create({ tenant }, { scope: 'person', subject: `p${n}`, credits: 1, period: 'day' })
    await expect(
      pack.budgets.create({ tenant }, { scope: 'person', subject: 'more', credits: 1, period: 'day' }),
    ).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('There are 200 budgets') })
    await signedInClient(world, { credits: '3' })
    const grant = await newest()
    expect(grant.monthlyCredits).toBe(3)
    await pack.grants.remove({ tenant }, grant.id)
    for (const { id } of (await pack.budgets.list({ tenant })).items) await pack.budgets.remove({ tenant }, id)
  })
  it('lets a client act for themselves alone, and sees what they let in', async () => {
    const tokens: Record<string, string> = {}
    for (const person of ['ann', 'bea']) {
      const scopes = ['run' as const, 'read' as const, 'connections' as const]
      tokens[person] = (await pack.tokens.create(tenant, { name: person, person, scopes })).text
    }
    const { access } = await signedInClient(world, { token: tokens['ann']! })
    const grant = await newest()
    expect(grant.person).toBe('ann')
    const client = await connect(world, '2026-07-28', { token: access })
    const forBea = await call(client, 'work_board_get_boards', {}, { 'toolyard/person': 'bea' })
    expect(failureOf(forBea).code).toBe('not_allowed')
    await client.close()
    const listFor = async (person: string) =>
      (await ask('/v1/grants', { token: tokens[person]! })).json.items.map(({ id }: GrantView) => id)
    expect(await listFor('ann')).toEqual([grant.id])
    expect(await listFor('bea')).toEqual([])
    expect((await ask(`/v1/grants/${grant.id}`, { token: tokens['bea']!, method: 'DELETE' })).status).toBe(404)
    expect((await ask(`/v1/grants/${grant.id}`, { token: tokens['ann']!, method: 'DELETE' })).status).toBe(204)
    expect(await statusAt(address, '/mcp', access)).toBe(401)
  })
})

describe('whoever let a program in', () => {
  const status = async (token: string, method: 'GET' | 'PATCH' | 'DELETE', id: string) =>
    (await ask(`/v1/grants/${id}`, { token, method, ...(method === 'PATCH' ? { body: { scopes: ['run'] } } : {}) }))
      .status
  const listed = async (token: string) =>
    (await ask('/v1/grants', { token })).json.items.map(({ id }: GrantView) => id) as string[]
  const bounds: [string, object][] = [
    ['reads and runs', { scopes: ['run', 'read'] }],
    ['only runs', { scopes: ['run'] }],
    ['is bound to steps', { scopes: ['run', 'read'], steps: ['work-board/get-boards'] }],
    ['is bound to steps and acts for a person', { scopes: ['run'], steps: ['work-board/get-boards'], person: 'dee' }],
  ]
  it.each(bounds)('and %s sees, narrows and ends it', async (_, given) => {
    const { text: token } = await pack.tokens.create(tenant, { name: 'Signer', ...given })
    const { access } = await signedInClient(world, { token })
    const { id } = await newest()
    expect(await listed(token)).toContain(id)
    for (const method of ['GET', 'PATCH'] as const) expect(await status(token, method, id)).toBe(200)
    expect(await status(token, 'DELETE', id)).toBe(204)
    expect(await statusAt(address, '/mcp', access)).toBe(401)
  })
  it('is who ends it: others need the scope for it, and no bounds', async () => {
    const dee = { scopes: ['run' as const], person: 'dee' }
    const { text: token } = await pack.tokens.create(tenant, { name: 'Dee', ...dee })
    await signedInClient(world, { token })
    const { id } = await newest()
    const steps = ['work-board/get-boards']
    const others: [object, boolean, number][] = [
      [{ scopes: ['run'] }, false, 404],
      [{ scopes: ['read'] }, true, 403],
      [{ scopes: ['read', 'connections'], person: 'eve' }, false, 404],
      [{ scopes: ['read', 'connections'], steps }, false, 404],
      [dee, true, 200],
    ]
    for (const [given, sees, changes] of others) {
      const { text: other } = await pack.tokens.create(tenant, { name: 'Other', ...given })
      expect((await listed(other)).includes(id)).toBe(sees)
      expect(await status(other, 'GET', id)).toBe(sees ? 200 : 404)
      expect(await status(other, 'PATCH', id)).toBe(changes)
      if (changes !== 200) expect(await status(other, 'DELETE', id)).toBe(changes)
    }
    expect(await status(await world.tokenWith(['connections']), 'DELETE', id)).toBe(204)
  })
})

describe('a grant of many tools', () => {
  it('lists those of the core, and has the others found, as an ordinary token does', async () => {
    const core = (await namesFor(world.token)).filter((name) => name !== 'find_tools')
    const { access } = await signedInClient(world, { without: ['anz-data/core', 'anz-data/more'] })
    const { id, steps } = await newest()
    expect(steps!.length).toBeGreaterThan(core.length)
    const names = await namesFor(access)
    expect(names.filter((name) => !core.includes(name))).toEqual(['find_tools'])
    expect(names.length).toBeGreaterThan(5)
    const client = await connect(world, '2026-07-28', { token: access })
    const size = async () => JSON.stringify((await client.listTools()).tools).length
    const whole = await connect(world, '2026-07-28')
    expect(await size()).toBeLessThanOrEqual(JSON.stringify((await whole.listTools()).tools).length)
    await whole.close()
    await client.close()
    // Those that are few are listed, whatever set they are in.
    await pack.grants.patch({ tenant }, id, {
      steps: steps!.filter((step) => step.startsWith('work-board/')).slice(-3),
    })
    expect(await namesFor(access)).toHaveLength(3)
  })
})

describe('a grant', () => {
  it('is narrowed at once, and never widened', async () => {
    const { access, client, refresh } = await signedInClient(world)
    const { id } = await newest()
    const patch = (body: object) => ask(`/v1/grants/${id}`, { method: 'PATCH', body })
    expect(
      (await patch({ steps: ['work-board/get-boards', 'work-board/get-card'], monthlyCredits: 5 })).json,
    ).toMatchObject({
      steps: ['work-board/get-boards', 'work-board/get-card'],
      monthlyCredits: 5,
    })
    expect((await namesFor(access)).toSorted()).toEqual(['work_board_get_boards', 'work_board_get_card'])
    expect((await patch({ steps: ['work-board/create-card'] })).status).toBe(400)
    expect((await patch({ scopes: ['connections'] })).status).toBe(400)
    expect((await patch({ monthlyCredits: 6 })).status).toBe(400)
    expect((await patch({ scopes: ['read'] })).status).toBe(200)
    expect(await namesFor(access)).toEqual([])
    const refreshed = await askToken(address, {
      grant_type: 'refresh_token',
      refresh_token: refresh,
      client_id: client,
    })
    expect(refreshed.json['scope']).toBe('read')
  })
  it('loses the tools of the scopes that are taken away, and those alone', async () => {
    const { access } = await signedInClient(world, { scope: 'run:read run:write read' })
    const { id } = await newest()
    expect(await namesFor(access)).toContain('work_board_create_card')
    const patch = (body: object) => ask(`/v1/grants/${id}`, { method: 'PATCH', body })
    const steps = ['work-board/get-boards', 'work-board/get-card', 'work-board/create-card']
    expect((await patch({ scopes: ['run:read', 'run:write'], steps })).json).toMatchObject({ steps })
    expect((await patch({ scopes: ['run:read'] })).json).toMatchObject({ steps: steps.slice(0, 2) })
    expect((await namesFor(access)).toSorted()).toEqual(['work_board_get_boards', 'work_board_get_card'])
    expect((await callTool(access, 'work_board_create_card')).status).toBe(403)
  })
  it('that is narrowed by several at once has at most what each of them leaves', async () => {
    const boards = ['work-board/get-boards', 'work-board/get-card']
    await signedInClient(world, { credits: '10' })
    const { id } = await newest()
    const patch = (changes: object) => pack.grants.patch({ tenant }, id, changes)
    await Promise.allSettled([patch({ steps: boards.slice(0, 1) }), patch({ steps: boards })])
    expect((await newest()).steps).toEqual(boards.slice(0, 1))
    await Promise.allSettled([patch({ monthlyCredits: 3 }), patch({ monthlyCredits: 5 })])
    expect((await newest()).monthlyCredits).toBe(3)
    await Promise.allSettled([patch({ scopes: ['run'] }), patch({ scopes: ['run', 'read'] })])
    expect((await newest()).scopes).toEqual(['run'])
    expect(await pack.budgets.list({ tenant })).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ subject: id, credits: 3 })]),
    })
  })
  it('is listed, narrowed and ended from the command line', async () => {
    const { access } = await signedInClient(world)
    const { id } = await newest()
    const line = async (...words: string[]) => run(['grants', ...words], 'remote')
    expect((await line()).out).toContain(id)
    const narrowed = await line('narrow', id, '--step', 'work-board/get-boards', '--scope', 'run', '--credits', '7')
    expect([narrowed.code, narrowed.out]).toEqual([
      0,
      expect.stringContaining('1 steps, all connections and 7 credits'),
    ])
    expect(await newest()).toMatchObject({ scopes: ['run'], steps: ['work-board/get-boards'], monthlyCredits: 7 })
    expect((await line('narrow', id, '--step', 'work-board/get-card')).code).not.toBe(0)
    expect((await line('narrow', id, '--connection', 'con_none')).code).toBe(0)
    expect(await newest()).toMatchObject({ steps: ['work-board/get-boards'], connections: ['con_none'] })
    expect((await line('end', id)).code).toBe(0)
    expect(await statusAt(address, '/mcp', access)).toBe(401)
  })
  it('that has ended is refused at once, and its refresh too', async () => {
    const { access, client, refresh } = await signedInClient(world)
    const { id } = await newest()
    expect((await ask(`/v1/grants/${id}`, { method: 'DELETE' })).status).toBe(204)
    expect(await statusAt(address, '/mcp', access)).toBe(401)
    const form = { grant_type: 'refresh_token', refresh_token: refresh, client_id: client }
    expect((await askToken(address, form)).json['error']).toBe('invalid_grant')
    expect((await ask(`/v1/grants/${id}`)).status).toBe(404)
  })
  it('ends with the token that signed it', async () => {
    const { text, token } = await pack.tokens.create(tenant, { name: 'Signer', scopes: ['run', 'read'] })
    const { access, client, refresh } = await signedInClient(world, { token: text, credits: '4' })
    const { id } = await newest()
    await pack.tokens.revoke(tenant, token.id)
    expect((await newest()).id).not.toBe(id)
    expect((await pack.budgets.list({ tenant })).items.filter(({ subject }) => subject === id)).toEqual([])
    expect((await pack.audit.list(tenant, { limit: 1 })).items).toMatchObject([
      { path: 'grants.end', actor: id, decision: `${id}: the token that signed it was revoked` },
    ])
    expect(await statusAt(address, '/mcp', access)).toBe(401)
    const form = { grant_type: 'refresh_token', refresh_token: refresh, client_id: client }
    expect((await askToken(address, form)).json['error']).toBe('invalid_grant')
  })
  it('of the token in the settings ends with it, and does not come back when that does', async () => {
    const [former, later] = ['the former token of it', 'the later token of it']
    await pack.tokens.useOwn(former)
    const { access } = await signedInClient(world, { token: former })
    expect(await statusAt(address, '/mcp', access)).not.toBe(401)
    const { id } = await newest()
    await pack.tokens.useOwn(later)
    expect((await newest()).id).not.toBe(id)
    await pack.tokens.useOwn(former)
    expect(await statusAt(address, '/mcp', access)).toBe(401)
    await expect(pack.grants.get({ tenant }, id)).rejects.toMatchObject({ code: 'not_found' })
    await pack.tokens.useOwn(undefined)
  })
  it('that nobody uses for a month ends; a use keeps it and is noted', async () => {
    const { client, refresh } = await signedInClient(world)
    clock.advance(29 * 86_400_000)
    const form = { grant_type: 'refresh_token', client_id: client }
    const second = await askToken(address, { ...form, refresh_token: refresh })
    expect(await statusAt(address, '/mcp', second.json['access_token'])).not.toBe(401)
    expect((await newest()).lastUsedAt).not.toBeNull()
    clock.advance(31 * 86_400_000)
    const third = await askToken(address, { ...form, refresh_token: second.json['refresh_token'] })
    expect(third.json['error']).toBe('invalid_grant')
  })
  it('ends 180 days after it was made, however much it is used', async () => {
    const { client, refresh } = await signedInClient(world)
    const form = { grant_type: 'refresh_token', client_id: client }
    let newestRefresh = refresh
    for (let days = 0; days < 175; days += 25) {
      clock.advance(25 * 86_400_000)
      newestRefresh = (await askToken(address, { ...form, refresh_token: newestRefresh })).json['refresh_token']
    }
    const last = await askToken(address, { ...form, refresh_token: newestRefresh })
    expect(last.status).toBe(200)
    clock.advance(6 * 86_400_000)
    const over = await askToken(address, { ...form, refresh_token: last.json['refresh_token'] })
    expect(over.json['error']).toBe('invalid_grant')
  })
  it('is ended by its client, and by no other', async () => {
    const one = await signedInClient(world)
    const two = await signedInClient(world)
    const revoke = (token: string, client: string) =>
      fetch(`${address}/oauth/revoke`, { method: 'POST', body: new URLSearchParams({ token, client_id: client }) })
    expect((await revoke(one.refresh, two.client)).status).toBe(200)
    expect(await statusAt(address, '/mcp', one.access)).not.toBe(401)
    expect((await revoke(one.access, one.client)).status).toBe(200)
    expect(await statusAt(address, '/mcp', one.access)).toBe(401)
    expect((await revoke(two.refresh, two.client)).status).toBe(200)
    expect(await statusAt(address, '/mcp', two.access)).toBe(401)
  })
  it('is not among the tokens of the tenant', async () => {
    await signedInClient(world)
    const { json } = await ask('/v1/admin/tokens')
    expect(json.items.filter(({ id }: { id: string }) => id.startsWith('grant_'))).toEqual([])
  })
})

describe('a client that the operator knows', () => {
  it('need not register', async () => {
    const known = [{ client_id: 'our-app', client_name: 'Our app', redirect_uris: ['http://127.0.0.1:7777/callback'] }]
    const other = await openSignInWorld({ oauthClients: known })
    const { access } = await signedInClient(other, { client: 'our-app' })
    expect(await statusAt(other.address, '/mcp', access)).not.toBe(401)
    await other.close()
    await expect(
      openSignInWorld({ oauthClients: [{ ...known[0]!, redirect_uris: ['javascript:alert(1)'] }] }),
    ).rejects.toMatchObject({ code: 'invalid_input', message: expect.stringContaining('oauthClients') })
  })
})

describe('a server that people cannot sign in at', () => {
  it('has neither the pages nor the tokens', async () => {
    const other = await openSignInWorld({ oauthServer: 'off' })
    const paths = [
      '/oauth/authorize',
      '/.well-known/oauth-authorization-server',
      '/.well-known/oauth-protected-resource/v1',
    ]
    for (const path of paths) expect((await fetch(other.address + path)).status).toBe(404)
    const reply = await fetch(`${other.address}/.well-known/oauth-protected-resource/mcp`)
    expect(await reply.json()).not.toHaveProperty('authorization_servers')
    expect(await statusAt(other.address, '/mcp', `tya_${'x'.repeat(43)}`)).toBe(401)
    await other.close()
  })
})
