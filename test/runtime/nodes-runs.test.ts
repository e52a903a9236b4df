/** Background runs and our own events, where several processes share a database. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Outcome } from '#kit'
import { createVault } from '../../shared/store/index.ts'
import { systemClock } from '../../shared/pack.ts'
import { openPostgresStore } from '../../shared/store/postgres/store.ts'
import { createBackground } from '../../shared/runtime/steps/background.ts'
import type { StepCall } from '../../shared/runtime/steps/step-call.ts'
import { createPricing } from '../../shared/runtime/credits/prices.ts'
import { createRuns } from '../../shared/runtime/steps/runs.ts'
import { createSharedRuns } from '../../shared/runtime/steps/shared-runs.ts'
import { createCausation } from '../../shared/runtime/triggers/index.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { connection } from '../store/make.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'
import { noNames } from '../support/no-names.ts'

const caller = { tenant: 't' }
const call = { integration: 'work-board', step: 'get-boards', input: {} }

describe.skipIf(postgresIsMissing())('two processes on one database', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  const closers: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    server = await startPostgres()
  }, 60_000)
  afterEach(async () => {
    for (const close of closers.splice(0)) await close()
  })
  afterAll(() => server.close())

  const openNode = async (url: string, run: (stepCall: StepCall) => Promise<Outcome>) => {
    const store = await openPostgresStore({ url, clock: systemClock, log: () => {} })
    closers.push(() => store.close())
    const shared = createSharedRuns({
      store,
      registry: createRegistry([]),
      cluster: store.cluster,
      vault: createVault({ masterKey: Buffer.alloc(32, 3) }),
      clock: systemClock,
    })
    const runs = createRuns({
      store,
      registry: createRegistry([]),
      clock: systemClock,
      pricing: createPricing({}, new Set()),
      flush: () => store.flush(),
      log: () => {},
      names: noNames,
    })
    const background = createBackground({
      run: (_, stepCall) => run(stepCall),
      runs,
      registry: createRegistry([]),
      clock: systemClock,
      shared,
    })
    store.cluster.follow((changes) => {
      for (const { kind, tenant, id } of changes) if (kind === 'cancel') background.cancelHere(tenant, id)
    })
    return { store, background }
  }

  test('a run that goes on in one process is found by the other one, and ended through it', async () => {
    const url = await server.createDatabase()
    const wait = ({ signal, runId }: StepCall) =>
      new Promise<Outcome>((resolve) =>
        signal!.addEventListener('abort', () =>
          resolve({ ok: true, value: 'ended', meta: { runId: runId!, durationMs: 1, attempts: 0 } }),
        ),
      )
    const firstNode = await openNode(url, wait)
    const other = await openNode(url, wait)
    const { runId, coming, announcement } = firstNode.background.begin(caller, call)
    await announcement
    expect(await other.background.get(caller, runId)).toMatchObject({ id: runId, state: 'running', step: 'get-boards' })
    await expect(other.background.get({ tenant: 'another' }, runId)).rejects.toMatchObject({ code: 'not_found' })
    expect(await other.background.outcome(caller, runId)).toMatchObject({ view: { id: runId }, outcome: undefined })
    await expect(other.background.outcome({ ...caller, token: 'tok_2' }, runId)).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(await other.background.cancel(caller, runId)).toEqual({ id: runId })
    expect(await coming).toMatchObject({ value: 'ended' })
    const ended = () =>
      other.background.cancel(caller, runId).then(
        () => undefined,
        ({ code }: { code: string }) => code,
      )
    while ((await ended()) === undefined) await new Promise((resolve) => setTimeout(resolve, 10))
    expect(await ended()).toBe('conflict')
    expect(await other.background.outcome(caller, runId)).toMatchObject({ outcome: { ok: true, value: 'ended' } })
  })

  test('a write of one process is recognised by the other one, through the same and through another connection', async () => {
    const url = await server.createDatabase()
    const never = async (): Promise<Outcome> => {
      throw new Error('nothing runs here')
    }
    const [firstNode, other] = [await openNode(url, never), await openNode(url, never)]
    for (const id of ['con', 'sibling'])
      await firstNode.store.connections.add(connection('t', id, { name: id, isDefault: false }))
    const ownOf = ({ store }: typeof firstNode) =>
      createCausation({ store, clock: systemClock, log: () => {}, instance: 'i' })
    const at = systemClock.now()
    const row = { tenant: 't', connection: 'con', object: 'card c1', runId: 'run-1', step: 's', startId: null, at }
    await firstNode.store.ownWrites.add([row])
    expect(await other.store.ownWrites.findOfOthers('t', 'sibling', ['card c1'], at - 5, at + 5)).toEqual([row])
    expect(await other.store.ownWrites.findOfOthers('t', 'con', ['card c1'], at - 5, at + 5)).toEqual([])
    const event = { at: new Date(at).toISOString(), objects: [] }
    expect(
      await ownOf(other).ofDelivery({ tenant: 't', connection: 'con', event, account: null }, 'toolyard-i.run-2'),
    ).toEqual({
      causedByUs: true,
      runId: 'run-2',
    })
  })
})
