import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Outcome } from '#kit'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import type { Store } from '../../shared/runtime/ports/index.ts'
import { createMemoryStore, openSqliteStore } from '../../shared/store/index.ts'
import { startProvider } from '../support/provider.ts'
import { integrations } from '../data/harness.ts'

const caller = { tenant: 'default' }
const auth = { 'api-key': { place: 'header', fields: { 'x-api-key': '{apiKey}' } } }
const key = 'a-key-of-the-test-0001'

/** Knows one person; everything else is a 404 without a word about it, wrong addresses too. */
const startPlain = () =>
  startProvider(({ url }, response, body) => {
    const isKnown = (url === '/enrich/person' || url === '/v2/person') && body.includes('aroha@wattle.example')
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' })
    response.end(isKnown ? '{"person":{"full_name":"Aroha Field"}}' : '{"message":"not found"}')
  })

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

type Given = { origin: string; directory?: string; wire?: Record<string, unknown>; memory?: Store }
const open = async ({ origin, directory, wire = {}, memory = createMemoryStore() }: Given) => {
  const store = directory === undefined ? memory : await openSqliteStore({ directory, now: Date.now })
  const masterKey = Buffer.alloc(32, 7)
  const pack = await createPack({
    integrations,
    store,
    masterKey,
    wire: { 'anz-data': { baseUrl: origin, auth, ...wire } },
    egress: { privateOrigins: [origin] },
  })
  closing.push(() => pack.close())
  return pack
}
const connect = (pack: Pack, name = 'Main', apiKey = key) =>
  pack.connections.create(caller, { integration: 'anz-data', type: 'api-key', name, secrets: { apiKey } })
const said = (outcome: Outcome) => (outcome.ok ? (outcome.value as { matched: boolean }).matched : outcome.failure.code)
const look = async (
  pack: Pack,
  email: string,
  { connection = 'Main', ...more }: { connection?: string; refresh?: boolean } = {},
) =>
  said(
    await pack.steps.run(caller, {
      integration: 'anz-data',
      step: 'people-enrichment',
      input: { email },
      connection,
      ...more,
    }),
  )
const knownEmail = 'aroha@wattle.example'
const unknown = 'nobody@wattle.example'

const provider = async () => {
  const started = await startPlain()
  closing.push(() => started.close())
  return started.origin
}
const folder = () => {
  const directory = mkdtempSync(join(tmpdir(), 'toolyard-once-'))
  closing.push(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

describe('a 404 that says nothing', () => {
  it('is a failure with another key also where the former one gave a match while it was replaced', async () => {
    const memory = createMemoryStore()
    const pack = await open({ origin: await provider(), memory })
    const { id } = await connect(pack)
    const patch = memory.connections.patch
    memory.connections.patch = async (tenant, connection, changes) => {
      if (changes.secrets) expect(await look(pack, knownEmail)).toBe(true)
      return patch(tenant, connection, changes)
    }
    await pack.connections.patch(caller, id, { secrets: { apiKey: 'another-of-the-test-0001' } })
    expect(await look(pack, unknown)).toBe('bad_reply')
  })

  it('is a failure that names the address until the endpoint has given a match, and a no match from then on', async () => {
    const pack = await open({ origin: await provider() })
    await connect(pack)
    expect(await look(pack, unknown)).toBe('bad_reply')
    expect(await look(pack, knownEmail)).toBe(true)
    expect(await look(pack, unknown)).toBe(false)
  })

  it('of another endpoint, or of another connection, is still a failure', async () => {
    const pack = await open({ origin: await provider() })
    await connect(pack)
    await connect(pack, 'Second', 'another-key-of-the-test')
    await look(pack, knownEmail)
    expect(
      said(
        await pack.steps.run(caller, {
          integration: 'anz-data',
          step: 'company-enrichment',
          input: { domain: 'a.example' },
          connection: 'Main',
        }),
      ),
    ).toBe('bad_reply')
    expect(await look(pack, unknown, { connection: 'Second' })).toBe('bad_reply')
  })

  it.each<[string, Record<string, unknown>, boolean | string]>([
    ['with the same settings is remembered', {}, false],
    [
      'with another price is remembered',
      { endpoints: { 'enrich-person': { price: [{ per: 'match', credits: 3 }] } } },
      false,
    ],
    ['with another path begins anew', { endpoints: { 'enrich-person': { path: '/v2/person' } } }, 'bad_reply'],
    ['with another profile begins anew', { profile: 'mine' }, 'bad_reply'],
    [
      'with the key in another place begins anew',
      { auth: { 'api-key': { place: 'header', fields: { authorization: 'Bearer {apiKey}' } } } },
      'bad_reply',
    ],
  ])('after a restart %s', async (_, wire, expected) => {
    const [origin, directory] = [await provider(), folder()]
    const first = await open({ origin, directory })
    await connect(first)
    await look(first, knownEmail)
    await first.close()
    closing.pop()
    expect(await look(await open({ origin, directory, wire }), unknown)).toBe(expected)
  })

  it('after a restart at another address begins anew', async () => {
    const directory = folder()
    const first = await open({ origin: await provider(), directory })
    await connect(first)
    await look(first, knownEmail)
    await first.close()
    closing.pop()
    expect(await look(await open({ origin: await provider(), directory }), unknown)).toBe('bad_reply')
  })

  it('begins anew with another key, even one with the same end', async () => {
    const pack = await open({ origin: await provider(), directory: folder() })
    const { id } = await connect(pack)
    await look(pack, knownEmail)
    await pack.connections.patch(caller, id, { secrets: { apiKey: 'other-key-of-the-0001' } })
    expect(await look(pack, unknown)).toBe('bad_reply')
  })

  it('stays a failure where the answer is a web page', async () => {
    let page = false
    const server = await startProvider((_, response, body) => {
      const isKnown = body.includes(knownEmail)
      response.writeHead(isKnown ? 200 : 404, { 'content-type': page ? 'text/html' : 'application/json' })
      response.end(isKnown ? '{"person":{"full_name":"Aroha Field"}}' : page ? '<html>not found</html>' : '')
    })
    closing.push(() => server.close())
    const pack = await open({ origin: server.origin })
    await connect(pack)
    await look(pack, knownEmail)
    expect(await look(pack, unknown)).toBe(false)
    page = true
    // Sent, since the no match before would be used again.
    expect(await look(pack, unknown, { refresh: true })).toBe('bad_reply')
  })
})
