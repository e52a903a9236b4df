import { generateKeyPairSync, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { fail } from '#kit'
import type { WebhookSignature } from '#kit'
import { openTracker } from './tracker.ts'

const opened = async (signature: WebhookSignature, options: Parameters<typeof openTracker>[1]) => {
  const world = await openTracker(
    (integration) => ({ ...integration, wire: { ...integration.wire, signature } }),
    options,
  )
  await world.subscribe('opened')
  const send = (body: unknown, headers: Record<string, string>) =>
    world.triggers.receive({
      integration: 'tracker',
      hookId: world.hookOf().callbackUrl.split('/').at(-1)!,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: Buffer.from(JSON.stringify(body)),
    })
  return { ...world, send }
}

test('a delivery whose header holds the secret of the app is taken in', async () => {
  const { send, tracker, called, settle } = await opened(
    { proof: 'token', header: 'x-desk-token' },
    { appSecret: 'the token' },
  )
  expect(await send(tracker.happen('opened'), { 'x-desk-token': 'another' })).toEqual({ status: 401 })
  expect(await send(tracker.happen('opened'), { 'x-desk-token': 'the token' })).toEqual({ status: 200 })
  await settle()
  expect(called.filter(({ data }) => data.via === 'webhook')).toHaveLength(1)
})

test('a token by a key set needs no secret of ours; while the set cannot be read, the delivery has to come again', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'ES256' }]
  const read: string[] = []
  let isAway = true
  const getJson = async (address: string) => {
    read.push(address)
    if (isAway) throw fail('unreachable', 'Nobody answers.')
    return { status: 200, headers: {}, body: { keys } } as never
  }
  const { triggers, send, tracker, called, settle, clock, logged } = await opened(
    {
      proof: 'jwt',
      header: 'authorization',
      prefix: 'Bearer ',
      jwt: { algorithm: 'ES256', toleranceMs: 300_000, keys: 'https://tracker.example/keys', audience: 'us' },
    },
    { getJson },
  )
  // Nothing takes longer than the patience for it.
  Object.assign(clock, { sleep: () => new Promise<void>(() => {}) })
  const bearer = (iat: number) => {
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const text = `${encode({ alg: 'ES256', kid: 'k1' })}.${encode({ iat, aud: 'us' })}`
    const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    return { authorization: `Bearer ${text}.${signature.toString('base64url')}` }
  }
  const seconds = () => Math.floor(clock.now() / 1000)
  const fact = tracker.happen('opened')
  expect(await send(fact, bearer(seconds()))).toEqual({ status: 503, retryAfterS: 30 })
  expect(logged.find(({ event }) => event === 'delivery.not_stored')?.fields?.['reason']).toMatch(
    /^The key set of the provider cannot be read.*Nobody answers\.$/,
  )
  // Nothing was lost, and whoever sent this may be nobody: no history of any account is read for it.
  await triggers.ticks.heal()
  expect(logged.map(({ event }) => event)).not.toContain('intake.healed')
  isAway = false
  expect(await send(fact, bearer(seconds()))).toEqual({ status: 200 })
  expect(await send(tracker.happen('opened'), bearer(seconds() - 301))).toEqual({ status: 401 })
  await settle()
  expect(called.filter(({ data }) => data.via === 'webhook')).toHaveLength(1)
  expect(read).toEqual(['https://tracker.example/keys', 'https://tracker.example/keys'])
})
