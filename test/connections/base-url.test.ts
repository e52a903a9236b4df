import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineIntegration, path, z } from '#kit'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { startProvider } from '../support/provider.ts'
import { caller } from '../support/world.ts'

/**
 * A provider that gives every customer an address of its own: the connection brings it, the operator's pattern bounds
 * it.
 */
type Provider = Awaited<ReturnType<typeof startProvider>>
let north: Provider
let other: Provider
const packs: Pack[] = []
const answer: Parameters<typeof startProvider>[0] = (_, response) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"me"}')
beforeAll(async () => {
  north = await startProvider(answer)
  other = await startProvider(answer)
})
afterAll(async () => {
  await Promise.all(packs.map((pack) => pack.close()))
  await Promise.all([north.close(), other.close()])
})

const text = (title: string) =>
  z
    .string()
    .trim()
    .min(1)
    .meta({ title, description: `${title} of the provider.` })
const desk = defineIntegration({
  id: 'desk',
  title: 'Desk',
  summary: 'A desk.',
  version: '0.0.1',
  maturity: 'beta',
  connections: [
    {
      id: 'own-server',
      scheme: 'secrets',
      title: 'Server and key',
      purpose: 'A server of your own.',
      secrets: z.strictObject({ address: text('Address'), key: text('Key') }),
      baseUrl: { from: 'address' },
      test: { method: 'GET', path: path`/me` },
    },
  ],
  steps: [],
  apiCall: { methods: ['GET'], under: '/', deny: [] },
  wire: {
    profile: 'test',
    baseUrl: null,
    auth: { 'own-server': { place: 'header', fields: { Authorization: 'Bearer {key}' } } },
    reserved: [],
    pace: { limits: [], concurrency: 4 },
    timeouts: { connectMs: 500, headersMs: 2000, bodyMs: 2000, totalMs: 5000, deadlineMs: 10_000 },
    maxReplyBytes: 100_000,
    errors: [],
    assumed: {},
  },
})

const open = async (pattern: string | null, privateOrigins = [north.origin, other.origin], more: object = {}) => {
  const pack = await createPack({
    integrations: [desk],
    wire: { desk: { baseUrlPattern: pattern } },
    egress: { privateOrigins },
    ...more,
  })
  packs.push(pack)
  const create = (address: string) =>
    pack.connections.create(caller, {
      integration: 'desk',
      type: 'own-server',
      secrets: { address, key: 'key-marker-0123' },
    })
  const call = (step = {}) =>
    pack.steps.run(caller, {
      integration: 'desk',
      step: 'api-call',
      input: { method: 'GET', path: '/things' },
      ...step,
    })
  return { pack, create, call }
}

describe('a connection with an address of its own', () => {
  it('is tested and used there', async () => {
    const { create, call } = await open(north.origin)
    expect(await create(north.origin)).toMatchObject({ state: 'connected' })
    expect((await call()).ok).toBe(true)
    expect(north.seen.map(({ url }) => url)).toEqual(['/me', '/things'])
    expect(other.seen).toEqual([])
  })

  it.each([
    ['another host', () => other.origin],
    ['a host behind a user name', () => `http://${new URL(north.origin).host}@evil.test`],
    ['what fits at its beginning only', () => `${north.origin}.evil.test`],
    ['no address', () => 'north'],
  ])('%s is refused with the name of the field, and nothing is sent', async (_, address) => {
    const { pack, create } = await open(north.origin)
    const before = [north.seen.length, other.seen.length]
    await expect(create(address())).rejects.toMatchObject({
      code: 'invalid_input',
      details: { errors: [{ pointer: '/secrets/address' }] },
      message: /"address" is not an address that is allowed here/,
    })
    expect([north.seen.length, other.seen.length]).toEqual(before)
    expect(await pack.connections.list(caller)).toEqual([])
  })

  it('cannot be made before the operator allows any', async () => {
    const { create } = await open(null)
    await expect(create(north.origin)).rejects.toMatchObject({
      code: 'wire_unset',
      message: /wire\.desk\.baseUrlPattern/,
    })
  })

  it('does not reach a private network that the operator did not list, whatever the pattern says', async () => {
    const { create } = await open(north.origin, [])
    const before = north.seen.length
    await expect(create(north.origin)).rejects.toMatchObject({ code: 'not_allowed' })
    expect(north.seen.length).toBe(before)
  })

  it('is held to the pattern again when it is used: secrets of a platform’s own vault may have changed', async () => {
    let held: Record<string, string> = { address: north.origin, key: 'key-marker-0123' }
    const { pack, call } = await open(north.origin, undefined, { credentials: { resolve: async () => held } })
    const { id } = await pack.connections.create(caller, {
      integration: 'desk',
      type: 'own-server',
      externalId: 'vault/1',
    })
    expect((await call()).ok).toBe(true)
    const change = (name: string) => pack.connections.patch(caller, id, { name })
    held = { ...held, address: other.origin }
    await change('moved')
    const before = other.seen.length
    expect(await call()).toMatchObject({ ok: false, failure: { code: 'not_allowed' } })
    held = { key: 'key-marker-0123' }
    await change('lost')
    expect(await call()).toMatchObject({ ok: false, failure: { code: 'not_connected' } })
    expect(other.seen.length).toBe(before)
  })
})
