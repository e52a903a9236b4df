import { afterEach, beforeEach, expect, it } from 'vitest'
import { defineStep, path, z } from '#kit'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { buildManifest } from '../../shared/runtime/catalogue/manifest.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import fourth from '../fixtures/fourth/manifest.ts'
import { fakeClock } from '../support/clock.ts'
import { startProvider } from '../support/provider.ts'

const whoAmI = defineStep({
  id: 'who-am-i',
  title: 'Who Am I',
  purpose: 'Reads the connected account.',
  effect: 'read',
  input: z.strictObject({}),
  output: z.looseObject({}),
  run: (ctx) => ctx.send({ method: 'GET', path: path`/user` }),
})
const integration = {
  ...fourth,
  steps: [...fourth.steps, whoAmI],
  connections: fourth.connections.map((type) => ({
    ...type,
    test: { method: 'GET' as const, path: path`/user` },
    identify: () => ({ accountId: '7', accountName: 'Desk' }),
  })),
  apiCall: {
    ...fourth.apiCall,
    methods: ['GET' as const, 'PATCH' as const],
    under: '/repos',
    allow: [{ path: '/repos/*/*', methods: ['GET' as const] }],
  },
}

let provider: Awaited<ReturnType<typeof startProvider>>
let pack: Pack
let connection = ''
const caller = { tenant: 'default' }
const run = (step: string, input: Record<string, unknown>) =>
  pack.steps.run(caller, { integration: 'fourth', step, input })

beforeEach(async () => {
  provider = await startProvider((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"id":7}')
  })
  pack = await createPack({
    integrations: [integration],
    clock: fakeClock(),
    wire: { fourth: { baseUrl: provider.origin } },
    egress: { privateOrigins: [provider.origin] },
  })
  ;({ id: connection } = await pack.connections.create(caller, {
    integration: 'fourth',
    type: 'api-key',
    name: 'Desk',
    secrets: { apiKey: 'key-of-desk' },
  }))
  provider.seen.length = 0
})
afterEach(async () => {
  await pack.close()
  await provider.close()
})

it('bounds API Call by prefix and allowlist, but neither built steps nor the test of a connection', async () => {
  const paths = () => provider.seen.map(({ url }) => url.split('?')[0])
  await pack.connections.test(caller, connection)
  expect(paths()).toEqual(['/user'])
  expect(await run('who-am-i', {})).toMatchObject({ ok: true, value: { id: 7 } })
  expect(await run('api-call', { method: 'GET', path: '/repos/north/harbour' })).toMatchObject({ ok: true })
  expect(paths()).toEqual(['/user', '/user', '/repos/north/harbour'])
  for (const input of [
    { method: 'GET', path: '/user' },
    { method: 'GET', path: '/repos/north' },
    { method: 'PATCH', path: '/repos/north/harbour', body: { name: 'x' } },
  ])
    expect(await run('api-call', input)).toMatchObject({ ok: false, failure: { code: 'not_allowed' } })
  expect(provider.seen).toHaveLength(3)
})

it('shows the allowlist in the manifest and in the description of the path', () => {
  const manifest = buildManifest(createRegistry([integration]).integration('fourth'), [])
  expect(manifest.apiCall.allow).toEqual(integration.apiCall.allow)
  const step = manifest.steps.find(({ id }) => id === 'api-call')!
  expect(JSON.stringify(step.input)).toContain('Allowed: GET /repos/*/*.')
})
