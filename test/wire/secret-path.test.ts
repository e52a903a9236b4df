import { afterEach, expect, it } from 'vitest'
import { createWire } from '../../shared/wire/index.ts'
import type { Call, Wire } from '../../shared/wire/index.ts'
import fourth from '../fixtures/fourth/manifest.ts'
import { fakeClock } from '../support/clock.ts'
import { startProvider } from '../support/provider.ts'

let close: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of close) await end()
  close = []
})

const open = async () => {
  const provider = await startProvider(
    (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"path":"seen"}'),
  )
  const clock = fakeClock()
  const wire: Wire = createWire({
    ...clock,
    random: () => 0,
    egress: { privateOrigins: [provider.origin], production: false },
  })
  close.push(() => wire.close(), provider.close)
  const call = (path: string, secretsInPath?: boolean): Call => ({
    integration: 'fourth',
    profile: { ...fourth.wire, baseUrl: provider.origin },
    account: { key: 'a', tenant: 't', appKey: 'a', type: 'api-key', secrets: { apiKey: 'top/secret value' } },
    method: 'GET',
    path,
    effect: 'read',
    policy: { methods: ['GET'], under: '/v1', deny: [] },
    ...(secretsInPath === undefined ? {} : { secretsInPath }),
  })
  return { provider, wire, call }
}

it('a handler may name a secret in a path: it goes in encoded, with the credential, and is masked in previews', async () => {
  const { provider, wire, call } = await open()
  await wire.exchange(call('/v1/tokens/{secret:apiKey}/hooks', true))
  expect(provider.seen[0]!.url).toMatch(/^\/v1\/tokens\/top%2Fsecret%20value\/hooks\?/)
  const preview = wire.preview(call('/v1/tokens/{secret:apiKey}/hooks', true))
  expect(preview.url).toContain('/v1/tokens/***/hooks')
  expect(JSON.stringify(preview)).not.toContain('top')
})

it('a caller may not, and a secret the account lacks is said', async () => {
  const { provider, wire, call } = await open()
  await expect(wire.exchange(call('/v1/tokens/{secret:apiKey}/hooks'))).rejects.toMatchObject({ code: 'not_allowed' })
  await expect(wire.exchange(call('/v1/tokens/{secret:other}/hooks', true))).rejects.toMatchObject({
    code: 'not_connected',
  })
  await expect(wire.exchange(call('/v1/../{secret:apiKey}', true))).rejects.toMatchObject({ code: 'not_allowed' })
  expect(provider.seen).toEqual([])
})
