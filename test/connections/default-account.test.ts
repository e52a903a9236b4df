import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHttp } from '../../shared/faces/http/index.ts'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import type { Caller } from '../../shared/runtime/ports/index.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import fourth from '../fixtures/fourth/manifest.ts'
import { fakeClock } from '../support/clock.ts'
import { startProvider } from '../support/provider.ts'

const caller: Caller = { tenant: 'default' }
const note = { integration: 'fourth', step: 'add-note', input: { notebook: 'nb1', text: 'a' } }
let provider: Awaited<ReturnType<typeof startProvider>>
let store: ReturnType<typeof createMemoryStore>
let pack: Pack
let clock: ReturnType<typeof fakeClock>

beforeEach(async () => {
  provider = await startProvider((_request, response, body) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...(JSON.parse(body) as object), id: 'n1' }))
  })
  clock = fakeClock()
  store = createMemoryStore()
  const options = {
    integrations: [fourth],
    store,
    clock,
    wire: { fourth: { baseUrl: provider.origin } },
    egress: { privateOrigins: [provider.origin] },
  }
  pack = await createPack(options)
})
afterEach(async () => {
  await pack.close()
  await provider.close()
})
const connect = (name: string) => {
  clock.advance(1_000)
  return pack.connections.create(caller, {
    integration: 'fourth',
    type: 'api-key',
    name,
    secrets: { apiKey: `key-of-${name}` },
  })
}
const used = async (by: Caller = caller) => {
  const outcome = await pack.steps.run(by, note)
  return outcome.ok ? outcome.meta.connection?.name : outcome.failure
}

describe('a run that names no account', () => {
  it('goes to the first one connected, however many follow, until somebody chooses', async () => {
    const first = await connect('First')
    expect(await used()).toBe('First')
    const second = await connect('Second')
    await connect('Third')
    expect(await used()).toBe('First')
    expect(await pack.connections.get(caller, first.id)).toMatchObject({ isDefault: true })
    await pack.connections.patch(caller, second.id, { isDefault: true })
    expect(await used()).toBe('Second')
    expect(provider.seen.map(({ url }) => new URL(url, provider.origin).searchParams.get('api_key'))).toEqual([
      'key-of-First',
      'key-of-First',
      'key-of-Second',
    ])
  })

  it('is refused with the names to choose from where the default was deleted', async () => {
    const first = await connect('First')
    await connect('Second')
    await connect('Third')
    await pack.connections.remove(caller, first.id)
    const refusal = await used()
    expect(refusal).toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(/"Third", "Second"/) as string,
    })
    expect(provider.seen).toEqual([])
  })

  it('goes on with the one that was the only one before defaults were noted', async () => {
    const first = await connect('First')
    await store.connections.patch('default', first.id, { isDefault: false })
    await connect('Second')
    expect(await used()).toBe('First')
  })

  it('stays within the accounts its token is bound to', async () => {
    const [first, second, third] = [await connect('First'), await connect('Second'), await connect('Third')]
    const bound = (...rows: { id: string }[]): Caller => ({
      tenant: 'default',
      token: 't',
      connections: rows.map(({ id }) => id),
    })
    expect(await used(bound(third, second))).toBe('Second')
    expect(await used(bound(third, first))).toBe('First')
    expect(await used(bound(third))).toBe('Third')
    await pack.connections.remove(caller, first.id)
    expect(await used(bound(third, second))).toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(/"Third", "Second"/) as string,
    })
  })

  it('says over HTTP which account it was', async () => {
    const { id } = await connect('First')
    await connect('Second')
    const http = await createHttp({ pack, version: '0.0.0', log: () => {} })
    const { text } = await pack.tokens.create('default', { name: 'T', scopes: ['run'] })
    const reply = await http.inject({
      method: 'POST',
      url: '/v1/steps/fourth/add-note/run',
      headers: { authorization: `Bearer ${text}` },
      payload: { input: note.input },
    })
    expect(reply.json()).toMatchObject({ meta: { connection: { id, name: 'First' } } })
    await http.close()
  })
})

describe('a token bound to connections', () => {
  it('may rename them, and changes neither what limits them nor which one is the default', async () => {
    await connect('First')
    const second = await connect('Second')
    const bound: Caller = { ...caller, connections: [second.id] }
    await pack.connections.patch(caller, second.id, { policy: { methods: ['GET'] } })
    for (const [field, changes] of Object.entries({
      policy: { policy: null },
      isDefault: { isDefault: true as const },
    }))
      await expect(pack.connections.patch(bound, second.id, { name: 'Renamed', ...changes })).rejects.toMatchObject({
        code: 'not_allowed',
        details: { errors: [{ pointer: `/${field}` }] },
      })
    expect(await pack.connections.get(caller, second.id)).toMatchObject({
      name: 'Second',
      policy: { methods: ['GET'] },
      isDefault: false,
    })
    expect(await pack.connections.patch(bound, second.id, { name: 'Renamed' })).toMatchObject({ name: 'Renamed' })
  })
})
