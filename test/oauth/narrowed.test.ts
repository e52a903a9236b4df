import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { lookupTools } from '../../shared/pack.ts'
import type { GrantView } from '../../shared/runtime/oauth/grants.ts'
import { movableClock } from '../support/clock.ts'
import { call, connect } from '../support/mcp-world.ts'
import { letIn, openSignInWorld, signedInClient } from './world.ts'

const clock = movableClock()
const world = await openSignInWorld({ clock })
const { address, pack, ask } = world
afterAll(() => world.close())
// One address may register only so many clients in an hour.
beforeEach(() => clock.advance(3_600_000))

const tenant = 'default'
const newest = async (): Promise<GrantView> => (await pack.grants.list({ tenant }, { limit: 1 })).items[0]!
const narrow = (id: string, scopes: string[]) => pack.grants.patch({ tenant }, id, { scopes })
const spent = async () => (await pack.ledger.list({ tenant }, { limit: 100 })).items.length
const lookup = { identifiers: { email: 'nobody@unknown.example' }, want: ['workEmail'] }

describe('a whole grant whose scopes are narrowed to reading', () => {
  it('changes and spends nothing at the API, nor through jobs and lookups', async () => {
    const { access: token } = await signedInClient(world, { scope: 'run run:read read', resource: `${address}/v1` })
    const { id, steps } = await newest()
    expect(steps).toBeNull()
    const run = (step: string, input: object) => ask(`/v1/steps/${step}/run`, { token, body: { input, dryRun: true } })
    const card = { idList: '6afd8f840000000000000008', name: 'A card' }
    const email = { email: 'nobody@unknown.example' }
    expect((await run('work-board/create-card', card)).status).toBe(200)
    const upload = await ask('/v1/files', {
      token,
      body: { name: 'a.csv', base64: Buffer.from('email\nnobody@unknown.example\n').toString('base64') },
    })
    const order = { file: upload.json.id, integration: 'contact-data' }
    const waiting = await ask('/v1/jobs', { token, body: order })
    expect(waiting.status).toBeLessThan(300)
    const before = await spent()

    await narrow(id, ['run:read', 'read'])
    expect((await newest()).steps).toContain('work-board/get-boards')
    expect((await run('work-board/create-card', card)).status).toBe(403)
    expect((await run('contact-data/find-contact', email)).status).toBe(403)
    expect((await ask('/v1/jobs', { token, body: order })).status).toBe(403)
    expect((await ask(`/v1/jobs/${waiting.json.id}/resume`, { token, body: { confirm: true } })).status).toBe(404)
    expect((await ask('/v1/lookups/person', { token, body: lookup })).status).toBeGreaterThanOrEqual(400)
    expect((await run('work-board/get-boards', {})).status).toBe(200)
    expect(await spent()).toBe(before)
  })
  it('has no tool that costs at /mcp, merged lookups among them', async () => {
    const { access } = await signedInClient(world, { scope: 'run run:read read' })
    const { id } = await newest()
    const [tool] = lookupTools(pack.registry)
    const client = await connect(world, '2026-07-28', { token: access })
    const look = () =>
      call(client, tool!.name, { email: 'nobody@unknown.example', want: ['workEmail'] }).catch(() => 'none')
    expect(await look()).not.toBe('none')
    const before = await spent()
    await narrow(id, ['run:read', 'read'])
    expect(await look()).toBe('none')
    expect(await spent()).toBe(before)
    await client.close()
  })
  it('gives up running where no tool is left', async () => {
    const { access: token } = await signedInClient(world, { scope: 'run run:read read', resource: `${address}/v1` })
    const { id } = await newest()
    await narrow(id, ['read'])
    expect((await ask('/v1/files', { token, body: { name: 'a.txt', base64: '' } })).status).toBe(403)
    expect((await ask('/v1/runs', { token })).status).toBe(200)
  })
})

describe('the page that asks', () => {
  const opens = async (options: object) => {
    const { page } = await letIn(world, options)
    return [.../<ul id="opens">(.*?)<\/ul>/s.exec(page.html)![1]!.matchAll(/<li>(.*?)<\/li>/g)].map(([, text]) => text!)
  }
  it('says what each scope opens, where it is used, and none that who signs does not have', async () => {
    const token = await world.tokenWith(['run', 'read', 'connections'])
    const scope = 'run read connections subscriptions'
    const atApi = await opens({ token, scope, resource: `${address}/v1` })
    expect(atApi).toHaveLength(3)
    expect(atApi.join()).toMatch(
      /jobs.*contents of files, texts of events, .*started with.*Budgets, apps and other pro/,
    )
    const atMcp = await opens({ token, scope })
    expect(atMcp).toEqual([expect.stringContaining('tools below'), expect.stringContaining('texts of events')])
    expect(await opens({ token: await world.tokenWith(['run']), scope })).toHaveLength(1)
  })
})

describe('a program that acts for nobody in particular', () => {
  it('cannot lift the limit of credits that the person set for it, nor reach for other programs', async () => {
    await signedInClient(world)
    const other = await newest()
    const { access: token } = await signedInClient(world, {
      scope: 'run read connections',
      resource: `${address}/v1`,
      credits: '10',
    })
    const { id, steps, connections, person } = await newest()
    expect([steps, connections, person]).toEqual([null, null, null])
    const [budget] = (await pack.budgets.list({ tenant })).items
    const status = async (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object) =>
      (await ask(`/v1/${path}`, { token, method, body })).status
    expect(await status('DELETE', `budgets/${budget!.id}`)).toBe(403)
    expect(await status('PATCH', `budgets/${budget!.id}`, { credits: 1000 })).toBe(403)
    expect(await status('PATCH', `grants/${id}`, { monthlyCredits: 1000 })).toBe(400)
    expect(await status('PUT', 'apps/work-board', { key: 'app-key' })).toBe(403)
    expect(await status('DELETE', 'cache?all=true')).toBe(403)
    expect((await ask('/v1/grants', { token })).json.items.map((grant: GrantView) => grant.id)).toEqual([id])
    for (const method of ['GET', 'DELETE'] as const) expect(await status(method, `grants/${other.id}`)).toBe(404)
    expect(await newest()).toMatchObject({ id, monthlyCredits: 10 })
    expect(await status('DELETE', `grants/${id}`)).toBe(204)
    expect(await status('GET', 'runs')).toBe(401)
  })
})

describe('a grant of tool sets', () => {
  it('loses the tools of a set that is taken away, and keeps what the person left of the others', async () => {
    await signedInClient(world, { scope: 'set:read set:people read', without: ['anz-data/core'] })
    const { id, steps } = await newest()
    expect(steps).toContain('contact-data/find-contact')
    const left = (await narrow(id, ['set:read'])).steps!
    expect(left).toContain('work-board/get-boards')
    expect(left).not.toContain('contact-data/find-contact')
    expect(steps).toEqual(expect.arrayContaining(left))
  })
  it('and of every tool stays one of every tool when only others of its scopes go', async () => {
    await signedInClient(world)
    const { id } = await newest()
    expect(await narrow(id, ['run'])).toMatchObject({ scopes: ['run'], steps: null })
  })
})
