import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Json } from '#kit'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { hashRequest } from '../../shared/runtime/idempotency.ts'
import type { Caller } from '../../shared/runtime/ports/index.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import fourth from '../fixtures/fourth/manifest.ts'
import { fakeClock } from '../support/clock.ts'
import { startProvider } from '../support/provider.ts'

let provider: Awaited<ReturnType<typeof startProvider>>
let pack: Pack
let store: ReturnType<typeof createMemoryStore>
let isBroken = false
let north = ''
let south = ''

const everyone: Caller = { tenant: 'default' }
const northOnly = (): Caller => ({ tenant: 'default', token: 'north', connections: [north] })
const southOnly = (): Caller => ({ tenant: 'default', token: 'south', connections: [south] })
const note = (text = 'a', connection?: string) => ({
  integration: 'fourth',
  step: 'add-note',
  connection,
  input: { notebook: 'nb1', text },
})
const keys = () => provider.seen.map(({ url }) => new URL(url, provider.origin).searchParams.get('api_key'))

beforeEach(async () => {
  isBroken = false
  provider = await startProvider((request, response, body) => {
    response.writeHead(isBroken ? 500 : 200, { 'content-type': 'application/json' })
    const owner = new URL(request.url!, provider.origin).searchParams.get('api_key')?.slice('key-of-'.length)
    response.end(
      JSON.stringify({ ...(body === '' ? {} : (JSON.parse(body) as object)), id: `${owner}-${provider.seen.length}` }),
    )
  })
  const clock = fakeClock()
  store = createMemoryStore()
  pack = await createPack({
    integrations: [fourth],
    store,
    clock,
    random: () => 0,
    wire: { fourth: { baseUrl: provider.origin } },
    egress: { privateOrigins: [provider.origin] },
  })
  const connect = async (name: string) =>
    (
      await pack.connections.create(everyone, {
        integration: 'fourth',
        type: 'api-key',
        name,
        secrets: { apiKey: `key-of-${name}` },
      })
    ).id
  north = await connect('north')
  south = await connect('south')
})
afterEach(async () => {
  await pack.close()
  await provider.close()
})

describe('an idempotency key and tokens bound to accounts', () => {
  it("never gives one account's outcome to a token of another, and never takes its write for done", async () => {
    expect(await pack.steps.run(northOnly(), { ...note(), idempotencyKey: 'k1' })).toMatchObject({
      ok: true,
      value: { id: 'north-1' },
    })
    const other = await pack.steps.run(southOnly(), { ...note(), idempotencyKey: 'k1' })
    expect(other).toMatchObject({ ok: false, failure: { code: 'conflict' } })
    expect(JSON.stringify(other)).not.toContain('north-1')
    expect(await pack.steps.run(northOnly(), { ...note(), idempotencyKey: 'k1' })).toMatchObject({
      ok: true,
      meta: { cached: true },
    })
    expect(await pack.steps.run(northOnly(), { ...note('a', 'north'), idempotencyKey: 'k1' })).toMatchObject({
      ok: true,
      meta: { cached: true },
    })
    expect(await pack.steps.run(southOnly(), { ...note(), idempotencyKey: 'k2' })).toMatchObject({
      ok: true,
      value: { id: 'south-2' },
    })
    expect(keys()).toEqual(['key-of-north', 'key-of-south'])
  })

  it('does not show what a foreign account was asked, though the same words are used', async () => {
    await pack.steps.run(everyone, { ...note('a', north), idempotencyKey: 'k1' })
    expect(await pack.steps.run(southOnly(), { ...note('a', north), idempotencyKey: 'k1' })).toMatchObject({
      ok: false,
      failure: { code: 'not_found' },
    })
    expect(await pack.steps.run(southOnly(), { ...note('a', 'north'), idempotencyKey: 'k1' })).toMatchObject({
      ok: false,
      failure: { code: 'not_found' },
    })
  })

  it('holds for runs that are not waited for too', async () => {
    await pack.steps.begin(northOnly(), { ...note(), idempotencyKey: 'k1' }).coming
    const { runId, coming } = pack.steps.begin(southOnly(), { ...note(), idempotencyKey: 'k1' })
    await coming
    expect(await pack.runs.get(southOnly(), runId)).toMatchObject({ state: 'failed', code: 'conflict' })
    await expect(pack.runs.get(northOnly(), runId)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('keeps a create of unknown outcome of one account apart from another, and finds it however the account is named', async () => {
    isBroken = true
    await pack.steps.run(northOnly(), note())
    isBroken = false
    expect(await pack.steps.run(everyone, note('a', 'north'))).toMatchObject({
      ok: false,
      failure: { code: 'conflict' },
    })
    expect(await pack.steps.run(southOnly(), note())).toMatchObject({ ok: true })
  })
})

describe('a key stored before the account was part of its hash', () => {
  /** As an earlier version left it: the hash held what the caller had named the account by. */
  const former = async (
    call: ReturnType<typeof note>,
    connection: string | null,
    { ok = true, isRunKnown = true } = {},
  ) => {
    const runId = '0193-former'
    const outcome = ok
      ? { ok: true, value: { id: 'n-former' }, meta: { runId, durationMs: 1, attempts: 1 } }
      : {
          ok: false,
          failure: { code: 'outcome_unknown', message: 'Unknown.', retryable: false },
          meta: { runId, durationMs: 1, attempts: 1 },
        }
    const requestHash = hashRequest([call.integration, call.step, call.connection ?? null, call.input])
    const at = Date.parse('2026-11-20T08:00:00Z')
    await store.intents.plan({
      tenant: 'default',
      key: 'old',
      requestHash,
      runId,
      state: 'planned',
      outcome: null,
      createdAt: at,
      expiresAt: at + 86_400_000,
    })
    await store.intents.update('default', 'old', 'done', outcome as unknown as Json)
    if (!isRunKnown) return
    await store.runs.record({
      id: runId,
      tenant: 'default',
      integration: call.integration,
      step: call.step,
      connection,
      token: null,
      startId: null,
      parentId: null,
      jobId: null,
      effect: 'create',
      state: 'done',
      code: null,
      failure: null,
      attempts: 1,
      calls: 1,
      credits: 0,
      creditsEstimated: false,
      waitedMs: 0,
      refused: 0,
      exchanges: null,
      summary: null,
      createdAt: at,
      durationMs: 1,
    })
  }
  const again = (caller: Caller, call = note()) => pack.steps.run(caller, { ...call, idempotencyKey: 'old' })

  it('replays for the same caller and request, and sends nothing', async () => {
    await former(note(), north)
    expect(await again(northOnly())).toMatchObject({ ok: true, value: { id: 'n-former' }, meta: { cached: true } })
    expect(keys()).toEqual([])
  })

  it('replays where the account was named', async () => {
    await former(note('a', 'north'), north)
    expect(await again(everyone, note('a', 'north'))).toMatchObject({ ok: true, value: { id: 'n-former' } })
    expect(keys()).toEqual([])
  })

  it('does not replay for another account', async () => {
    await former(note(), north)
    const other = await again(southOnly())
    expect(other).toMatchObject({ ok: false, failure: { code: 'conflict' } })
    expect(JSON.stringify(other)).not.toContain('n-former')
    expect(keys()).toEqual([])
  })

  it('says that it cannot tell the account where the history does not know the run, and sends nothing', async () => {
    await former(note(), null, { isRunKnown: false })
    const unclear = await again(northOnly())
    expect(unclear).toMatchObject({
      ok: false,
      failure: { code: 'conflict', message: expect.stringMatching(/earlier version/) as string },
    })
    expect(keys()).toEqual([])
  })

  it('goes on saying that an outcome is unknown', async () => {
    await former(note(), null, { ok: false, isRunKnown: false })
    expect(await again(northOnly())).toMatchObject({ ok: false, failure: { code: 'outcome_unknown' } })
    expect(keys()).toEqual([])
  })
})
