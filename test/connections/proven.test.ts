import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Json, Outcome } from '#kit'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { integrations } from '../data/harness.ts'
import { startProvider } from '../support/provider.ts'

const caller = { tenant: 'default' }
const auth = { 'api-key': { place: 'header', fields: { 'x-api-key': '{apiKey}' } } }
let provider: Awaited<ReturnType<typeof startProvider>>
let answer: { status: number; body: Json; type?: string }
let pack: Pack
let id: string
/** What the provider waits for before it answers. */
let held: Promise<void> | undefined

const open = async (wire: Record<string, unknown> = {}) => {
  pack = await createPack({
    integrations,
    wire: { 'anz-data': { baseUrl: provider.origin, auth, ...wire } },
    egress: { privateOrigins: [provider.origin] },
  })
  ;({ id } = await pack.connections.create(caller, {
    integration: 'anz-data',
    type: 'api-key',
    name: 'Main',
    secrets: { apiKey: 'a-key-of-the-test-0001' },
  }))
}
beforeEach(async () => {
  held = undefined
  provider = await startProvider(async (_, response) => {
    await held
    response
      .writeHead(answer.status, { 'content-type': answer.type ?? 'application/json' })
      .end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body))
  })
})
afterEach(async () => {
  await pack.close()
  await provider.close()
})

const run = (step: string, input: unknown, over: { refresh?: true } = {}) =>
  pack.steps.run(caller, { integration: 'anz-data', step, input, ...over })
const state = async () => (await pack.connections.get(caller, id)).state
const find = (over?: { refresh?: true }) => run('people-enrichment', { email: 'aroha@wattle.example' }, over)
const search = () => run('people-search', { company: 'Wattle' })
const call = (): Promise<Outcome> => run('api-call', { method: 'GET', path: '/health' })

describe('a connection without a free test', () => {
  it.each<[string, typeof answer, () => Promise<Outcome>]>([
    ['a match', { status: 200, body: { person: { full_name: 'Aroha Field' } } }, find],
    ['a row of a search', { status: 200, body: { results: [{ full_name: 'Aroha Field' }] } }, search],
  ])('is connected by %s', async (_, nextAnswer, use) => {
    await open()
    answer = nextAnswer
    expect(await use()).toMatchObject({ ok: true })
    expect(await state()).toBe('connected')
  })

  it.each<[string, typeof answer, () => Promise<Outcome>]>([
    ['a no match', { status: 404, body: { error: 'Person not found' } }, find],
    ['an empty answer', { status: 200, body: {} }, find],
    ['an empty search', { status: 200, body: { results: [] } }, search],
    ['a rejected request', { status: 422, body: { message: 'email is not valid' } }, find],
    ['an answer that is not understood', { status: 200, body: { service: 'billing' } }, find],
    ['a web page', { status: 200, body: '<!doctype html><title>Log in</title>', type: 'text/html' }, find],
    [
      'a refusal for want of credits, which other servers send too',
      { status: 402, body: { error: 'no credits' } },
      find,
    ],
    ['a JSON answer to API Call', { status: 200, body: { status: 'ok' } }, call],
  ])('stays unverified after %s', async (_, nextAnswer, use) => {
    await open()
    answer = nextAnswer
    await use()
    expect(await state()).toBe('unverified')
  })

  it('is connected by a refusal that the profile says only a valid key gets', async () => {
    await open({ validKey: [{ status: 402, path: 'code', equals: 'no_credits' }] })
    answer = { status: 402, body: { code: 'other' } }
    expect(await find()).toMatchObject({ ok: false })
    expect(await state()).toBe('unverified')
    answer = { status: 402, body: { code: 'no_credits' } }
    expect(await find()).toMatchObject({ ok: false, failure: { code: 'credits_exhausted' } })
    expect(await state()).toBe('connected')
  })

  it('is not connected by an answer that its former key got', async () => {
    await open({ validKey: [{ status: 404, path: 'error', contains: 'person' }] })
    answer = { status: 404, body: { error: 'Person not found' } }
    const { promise, resolve } = Promise.withResolvers<void>()
    held = promise
    const lookup = find()
    await expect.poll(() => provider.seen).toHaveLength(1)
    await pack.connections.patch(caller, id, { secrets: { apiKey: 'another-key-of-the-test' } })
    resolve()
    expect(await lookup).toMatchObject({ ok: true, value: { matched: false } })
    expect(await state()).toBe('unverified')
    await find({ refresh: true })
    expect(await state()).toBe('connected')
  })

  it('that was connected once is not doubted by a no match', async () => {
    await open()
    answer = { status: 200, body: { person: { full_name: 'Aroha Field' } } }
    await find()
    answer = { status: 200, body: {} }
    expect(await find({ refresh: true })).toMatchObject({ ok: true, value: { matched: false } })
    expect(await state()).toBe('connected')
  })
})

describe('a failure of an endpoint that never gave a match', () => {
  it.each<[number, RegExp]>([
    [401, /wire\.anz-data\.auth\.api-key.*wire\.anz-data\.baseUrl/],
    [403, /wire\.anz-data\.auth\.api-key/],
    [400, /wire\.anz-data\.baseUrl" and "wire\.anz-data\.endpoints\.enrich-person"/],
    [503, /wire\.anz-data\.endpoints\.enrich-person/],
  ])('names the settings that may be wrong for %i, and no longer afterwards', async (status, settings) => {
    await open()
    answer = { status, body: { message: 'no' } }
    const before = await find()
    expect(before.ok ? '' : before.failure.message).toMatch(settings)
    await pack.connections.test(caller, id)
    answer = { status: 200, body: { person: { full_name: 'Aroha Field' } } }
    expect(await find()).toMatchObject({ ok: true })
    answer = { status, body: { message: 'no' } }
    const after = await find()
    expect(after.ok ? '' : after.failure.message).not.toContain('wire.anz-data')
  })
})
