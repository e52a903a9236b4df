import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineStep, path, z } from '#kit'
import type { ApiOperation, ProviderRequest, WireProfile } from '#kit'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { operatorProfile } from '../../shared/runtime/catalogue/choose-profile.ts'
import { apiOperation } from '../../shared/kit/profile/operation.ts'
import { endpoint } from '../../shared/kit/profile/endpoint.ts'
import { isFreeRun } from '../../shared/runtime/catalogue/free-run.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import anzData from '../../integrations/anz-data/manifest.ts'
import fourth from '../fixtures/fourth/manifest.ts'
import { fakeClock } from '../support/clock.ts'
import { startProvider } from '../support/provider.ts'

const source = 'https://docs.provider.example/search'
let request: ProviderRequest

const create = defineStep({
  id: 'create-thing',
  title: 'Create Thing',
  purpose: 'Creates what the test wants.',
  effect: 'create',
  input: z.strictObject({}),
  output: z.looseObject({}),
  run: (ctx) => ctx.send(request),
})

const save = defineStep({
  ...create,
  id: 'save-thing',
  title: 'Save Thing',
  purpose: 'Saves what the test wants.',
  run: async (ctx) => ({ ...(await ctx.save(request)) }),
})

const operations: ApiOperation[] = [
  { method: 'POST', path: '/search', title: 'Search', effect: 'read', effectSource: source, parameters: [] },
  { method: 'POST', path: '/look', title: 'Look', effect: 'read', parameters: [] },
  { method: 'GET', path: '/purge', title: 'Purge', effect: 'delete', parameters: [] },
]
const integration = {
  ...fourth,
  steps: [create, save],
  apiCall: { methods: ['GET' as const, 'POST' as const], under: '/', deny: [] },
  wire: { ...fourth.wire, operations },
}

let provider: Awaited<ReturnType<typeof startProvider>>
let pack: Pack
const caller = { tenant: 'default' }
const run = (step: string, input: Record<string, unknown> = {}) =>
  pack.steps.run(caller, { integration: 'fourth', step, input })
const call = (method: string, at: string) => run('api-call', { method, path: at, throwOnError: true })
const sentTo = (at: string) => provider.seen.filter(({ url }) => url.split('?')[0] === at).length
/** Cuts the first answer to each request off, so that its outcome is unknown. */
let cuts: (response: ServerResponse) => boolean

const openPack = async (wire: Record<string, unknown> = {}) => {
  pack = await createPack({
    integrations: [integration],
    clock: fakeClock(),
    random: () => 0,
    wire: { fourth: { baseUrl: provider.origin, ...wire } },
    egress: { privateOrigins: [provider.origin] },
  })
  await pack.connections.create(caller, {
    integration: 'fourth',
    type: 'api-key',
    name: 'Desk',
    secrets: { apiKey: 'key-of-desk' },
  })
  provider.seen.length = 0
}

beforeEach(async () => {
  const answered = new Set<string>()
  cuts = ({ req }) => !answered.has(req.url!) && answered.add(req.url!) !== undefined
  provider = await startProvider((_, response) => {
    if (cuts(response)) return void response.destroy()
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"ok":true}')
  })
  await openPack()
})
afterEach(async () => {
  await pack.close()
  await provider.close()
})

describe('a request of a step', () => {
  it('is a create by its method, and is sent once', async () => {
    request = { method: 'POST', path: path`/search`, body: {} }
    expect(await run('create-thing')).toMatchObject({ ok: false, failure: { code: 'outcome_unknown' } })
    expect(sentTo('/search')).toBe(1)
  })

  it('that reads by POST is repeated, when it names the documentation that says so', async () => {
    request = { method: 'POST', path: path`/found`, body: {}, effect: 'read', effectSource: source }
    expect(await run('create-thing')).toMatchObject({ ok: true })
    expect(sentTo('/found')).toBe(2)
  })

  it('that claims to read without naming a source is not sent', async () => {
    request = { method: 'POST', path: path`/found`, body: {}, effect: 'read' }
    const outcome = await run('create-thing')
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'internal' } })
    expect(outcome.ok ? '' : outcome.failure.message).toContain('"effectSource"')
    expect(provider.seen).toEqual([])
  })

  it('that changes something by GET is sent once', async () => {
    request = { method: 'GET', path: path`/fire`, effect: 'create' }
    expect(await run('create-thing')).toMatchObject({ ok: false, failure: { code: 'outcome_unknown' } })
    expect(sentTo('/fire')).toBe(1)
  })

  it('that changes something by GET gives no file', async () => {
    request = { method: 'GET', path: path`/fire`, effect: 'create' }
    const outcome = await run('save-thing')
    expect(outcome.ok ? '' : outcome.failure.message).toContain('Only the reply of a request that reads')
    expect(provider.seen).toEqual([])
  })

  it('has the higher effect that the operator gives its operation', async () => {
    await pack.close()
    await openPack({
      operations: [{ method: 'POST', path: '/found', title: 'Found', effect: 'create', parameters: [] }],
    })
    request = { method: 'POST', path: path`/found`, body: {}, effect: 'read', effectSource: source }
    expect(await run('create-thing')).toMatchObject({ ok: false, failure: { code: 'outcome_unknown' } })
    expect(sentTo('/found')).toBe(1)
  })
})

describe('API Call', () => {
  const effectOf = async (method: string, at: string) => {
    const { meta } = await call(method, at)
    return (await pack.runs.get(caller, meta.runId!)).effect
  }

  it('takes the effect from the list of operations', async () => {
    expect(await effectOf('POST', '/search')).toBe('read')
    expect(sentTo('/search')).toBe(2)
    expect(await effectOf('GET', '/purge')).toBe('delete')
  })

  it('goes by the method where the list names no source, and where there is no operation', async () => {
    expect(await effectOf('POST', '/look')).toBe('create')
    expect(sentTo('/look')).toBe(1)
    expect(await effectOf('POST', '/other')).toBe('create')
  })
})

describe('a run is free to repeat', () => {
  const isFree = (of: typeof integration | typeof anzData, method: string, at: string) =>
    isFreeRun(createRegistry([of]).step(of.id, 'api-call'), { method, path: at })

  it('if its operation only reads, whatever the method', async () => {
    expect(await isFree(integration, 'POST', '/search')).toBe(true)
    expect(await isFree(integration, 'GET', '/other')).toBe(true)
  })

  it('not if its operation changes something, or names no source for reading', async () => {
    expect(await isFree(integration, 'GET', '/purge')).toBe(false)
    expect(await isFree(integration, 'POST', '/look')).toBe(false)
    expect(await isFree(integration, 'POST', '/other')).toBe(false)
  })

  it('not if its price is not nothing, or not known', async () => {
    expect(await isFree(anzData, 'POST', '/enrich/person')).toBe(false)
    expect(await isFree(anzData, 'GET', '/other')).toBe(false)
  })
})

describe('an override of the operator', () => {
  const chosen = (over: Record<string, unknown>) => operatorProfile(integration, over as never)
  const refusal = (over: Record<string, unknown>) => {
    try {
      chosen(over)
    } catch (thrown) {
      return (thrown as Error).message
    }
    return undefined
  }
  const listed = (operation: Partial<ApiOperation>) => ({
    operations: [{ method: 'POST', path: '/search', title: 'Search', parameters: [], ...operation }],
  })

  it('raises the effect of an operation', () => {
    expect(chosen(listed({ effect: 'create' })).wire.operations![0]!.effect).toBe('create')
    expect(refusal(listed({}))).toBeUndefined()
    expect(refusal(listed({ effect: 'read', effectSource: source }))).toBeUndefined()
  })

  it('never lowers one, and is told which setting does', () => {
    expect(refusal(listed({ path: '/look', effect: 'read', effectSource: source }))).toContain(
      '"wire.fourth.operations.0.effect" is not usable: it lowers the effect of these requests from "create" to "read"',
    )
    expect(refusal(listed({ method: 'GET', path: '/purge' }))).toContain('from "delete" to "read"')
  })

  it('never lowers that of an endpoint', () => {
    const documented: WireProfile = {
      ...integration.wire,
      endpoints: {
        mark: { method: 'POST', path: '/mark', place: 'json', fields: {}, effect: 'update', effectSource: source },
      },
    }
    const over = (effect: string) => () =>
      operatorProfile({ ...integration, wire: documented }, {
        endpoints: { mark: { effect, effectSource: source } },
      } as never)
    expect(over('read')).toThrow('"wire.fourth.endpoints.mark.effect" is not usable: it lowers')
    expect(over('create')().wire.endpoints!['mark']!.effect).toBe('create')
  })

  it('never gives requests with another method the effect of those that are documented', () => {
    const look = { method: 'POST', path: '/look', place: 'json', fields: {}, effect: 'read', effectSource: source }
    const documented = { ...integration.wire, endpoints: { look } } as unknown as WireProfile
    const over = (endpoint: Record<string, unknown>) => () =>
      operatorProfile({ ...integration, wire: documented }, { endpoints: { look: endpoint } } as never)
    expect(over({ path: '/v2/look' })().wire.endpoints!['look']!.effect).toBe('read')
    expect(over({ method: 'DELETE' })).toThrow('lowers the effect of these requests from "delete" to "read"')
    expect(over({ method: 'DELETE', effect: 'delete' })().wire.endpoints!['look']!.effect).toBe('delete')
  })
})

describe('in a profile', () => {
  it('an endpoint whose effect is lower than that of its method names its source', () => {
    const parts = { method: 'POST', path: '/x', place: 'json', fields: {}, effect: 'read' }
    expect(endpoint().safeParse(parts).error?.issues[0]?.path).toEqual(['effectSource'])
    expect(endpoint().safeParse({ ...parts, effectSource: source }).success).toBe(true)
    expect(endpoint().safeParse({ ...parts, effect: 'create' }).success).toBe(true)
    expect(apiOperation().safeParse({ ...operations[0] }).success).toBe(true)
  })
})
