import { describe, expect, test } from 'vitest'
import { fail } from '#kit'
import { createDowntime } from '../../shared/runtime/triggers/sync/downtime.ts'
import type { Store } from '../../shared/runtime/ports/index.ts'
import { createMemoryStore, createVault, resealAll } from '../../shared/store/index.ts'
import { publicUrl, tenant } from './world.ts'
import { openTracker } from './tracker.ts'

const minute = 60_000

/** The one budget of the tenant, in credits. */
const putBudget = (store: Store, { now }: { now(): number }, credits: number) =>
  store.budgets.put({
    tenant,
    id: 'small',
    scope: 'tenant',
    subject: null,
    integration: null,
    period: 'total',
    timeZone: 'UTC',
    credits,
    warnAt: null,
    createdAt: now(),
    updatedAt: now(),
  })

describe('a secret for each hook', () => {
  test('is made by us, given to the provider, sealed in the row and shown nowhere', async () => {
    const { subscribe, hookOf, store, triggers, deliver, tracker, called } = await openTracker()
    await subscribe('opened')
    await subscribe('opened', '8')
    const { secret } = hookOf()
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    expect(hookOf('8').secret).not.toBe(secret)
    const row = (await store.hooks.all())[0]!
    expect(Object.keys(row.secrets)).toEqual(['current'])
    expect(JSON.stringify(row)).not.toContain(secret)
    expect(JSON.stringify(await triggers.hooks.list({ tenant }, { limit: 10 }))).not.toContain('secrets')
    expect((await deliver(tracker.happen('opened'))).status).toBe(200)
    expect(called).toHaveLength(1)
    expect((await deliver(tracker.happen('opened'), { secret: hookOf('8').secret! })).status).toBe(401)
  })

  test('a delivery of a kind that is ignored is accepted; without an app no secret of one is asked for', async () => {
    const { subscribe, deliver, store } = await openTracker()
    expect((await subscribe('opened')).delivery).toBe('webhook')
    expect(await deliver({ zen: 'x' }, { headers: { 'x-tracker-event': 'ping' } })).toMatchObject({ status: 200 })
    expect((await store.undecodable.list(tenant, { limit: 10 })).items).toEqual([])
  })

  test('changed at the provider: refused, replaced at once, and what was refused is found', async () => {
    const { subscribe, hookOf, deliver, tracker, called, logged, clock, triggers } = await openTracker()
    await subscribe('opened')
    clock.advance(minute)
    const ours = hookOf().secret!
    hookOf().secret = 'somebody else set this'
    expect((await deliver(tracker.happen('opened'))).status).toBe(401)
    const renewed = hookOf().secret!
    expect(renewed).toMatch(/^[0-9a-f]{64}$/)
    expect(renewed).not.toBe(ours)
    expect(called.map(({ data }) => data.via)).toEqual(['recovery'])
    expect(logged.map(({ event }) => event)).toContain('hook.secret_renewed')
    // What the provider had under way is still signed with the one before.
    expect((await deliver(tracker.happen('opened'), { secret: ours })).status).toBe(200)
    expect((await deliver(tracker.happen('opened'))).status).toBe(200)
    await triggers.ticks.aside()
    expect(called).toHaveLength(3)
    expect((await triggers.hooks.list({ tenant }, { limit: 10 })).items).toMatchObject([
      { state: 'active', refused: 0 },
    ])
  })

  test('whoever forges deliveries cannot make us replace it more than once in ten minutes, nor end the one in use', async () => {
    const { subscribe, hookOf, deliver, tracker, clock, triggers, calls } = await openTracker()
    await subscribe('opened')
    calls()
    for (let n = 0; n < 9; n += 1) {
      expect((await deliver(tracker.happen('opened'), { secret: 'forged' })).status).toBe(401)
      clock.advance(minute)
      await triggers.ticks.alive()
      await triggers.ticks.aside()
    }
    expect(calls().filter((call) => call === 'repair')).toHaveLength(1)
    expect((await deliver(tracker.happen('opened'), { secret: hookOf().secret! })).status).toBe(200)
  })

  test('while the provider cannot be reached the secret in use stays valid, however often it is replaced', async () => {
    const opened = await openTracker((integration) => ({
      ...integration,
      webhooks: { ...integration.webhooks!, repair: async () => Promise.reject(fail('unreachable', 'Away.')) },
    }))
    await opened.subscribe('opened')
    const ours = opened.hookOf().secret!
    for (let n = 0; n < 4; n += 1) {
      expect((await opened.deliver(opened.tracker.happen('opened'), { secret: 'forged' })).status).toBe(401)
      opened.clock.advance(11 * minute)
      await opened.triggers.ticks.alive()
      await opened.triggers.ticks.aside()
    }
    expect(opened.logged.filter(({ event }) => event === 'hook.secret_not_renewed').length).toBeGreaterThan(1)
    expect((await opened.deliver(opened.tracker.happen('opened'), { secret: ours })).status).toBe(200)
  })

  test('is sealed anew with the other secrets when the master key changes', async () => {
    const { subscribe, store, deliver, tracker, vault } = await openTracker()
    await subscribe('opened')
    vault.use(Buffer.alloc(32, 9))
    expect(await resealAll(store, vault, ({ id }) => id)).toMatchObject({ failed: [] })
    const { secrets, id } = (await store.hooks.all())[0]!
    expect(createVault({ masterKey: Buffer.alloc(32, 9) }).open({ tenant, owner: id }, secrets)).toHaveProperty(
      'current',
    )
    expect((await deliver(tracker.happen('opened'))).status).toBe(200)
  })
})

describe('event types', () => {
  test('a hook is registered for what its first subscription wants, and gets more for the next', async () => {
    const { subscribe, hookOf, calls } = await openTracker()
    await subscribe('opened')
    expect(hookOf().types).toEqual(['opened'])
    await subscribe('opened')
    expect(calls().filter((call) => call !== 'list repo:7')).toEqual(['register'])
    await subscribe('closed')
    expect(hookOf().types).toEqual(['closed', 'opened'])
    expect(calls()).toEqual(['list repo:7', 'repair'])
  })

  test('types that somebody took off the hook are put back, and what it left out is looked for', async () => {
    const { subscribe, hookOf, triggers, tracker, called, clock } = await openTracker()
    await subscribe('opened')
    await subscribe('closed')
    hookOf().types = ['closed']
    clock.advance(minute)
    tracker.happen('opened')
    clock.advance(minute)
    expect(await triggers.hooks.reconcile({ tenant }, 'con_1')).toEqual({ repaired: 1 })
    expect(hookOf().types).toEqual(['closed', 'opened'])
    await triggers.ticks.dispatch()
    expect(called).toHaveLength(1)
    expect(await triggers.hooks.reconcile({ tenant }, 'con_1')).toEqual({ repaired: 0 })
  })

  test.each(['lost', 'switched off'])(
    'one that turns out to be %s when it is to get more is set right, and what it missed is a gap',
    async (how) => {
      const { subscribe, tracker, hookOf, clock, triggers, gaps } = await openTracker()
      await subscribe('seen')
      clock.advance(minute)
      if (how === 'lost') tracker.hooks.clear()
      else hookOf().active = false
      clock.advance(10 * minute)
      await subscribe('opened')
      expect(hookOf()).toMatchObject({ active: true, types: ['opened', 'seen'] })
      expect(await triggers.hooks.reconcile({ tenant }, 'con_1')).toEqual({ repaired: 1 })
      expect(await gaps()).toMatchObject([{ kind: 'seen', toAt: clock.now() }])
      expect(await triggers.hooks.reconcile({ tenant }, 'con_1')).toEqual({ repaired: 0 })
    },
  )

  test('a subscription can be changed while its hook cannot be registered', async () => {
    const state = { isDenied: false }
    const { subscribe, tracker, triggers } = await openTracker((integration, { source }) => ({
      ...integration,
      webhooks: {
        ...source,
        register: async (ctx, hookRequest) =>
          state.isDenied ? Promise.reject(fail('access_denied', 'No.')) : source.register!(ctx, hookRequest),
      },
    }))
    const { id } = await subscribe('opened')
    state.isDenied = true
    tracker.hooks.clear()
    await triggers.hooks.reconcile({ tenant }, 'con_1')
    expect((await triggers.hooks.list({ tenant }, { limit: 10 })).items).toMatchObject([{ state: 'broken' }])
    expect(await triggers.subscriptions.patch({ tenant }, id, { config: { repo: '7' } })).toMatchObject({
      config: { repo: '7' },
    })
  })

  test('a provider that names no types is asked once and never repaired for them', async () => {
    const { subscribe, tracker, calls, triggers } = await openTracker()
    tracker.state.namesTypes = false
    await subscribe('opened')
    await subscribe('closed')
    await subscribe('seen')
    expect(calls()).toEqual(['register', 'list repo:7'])
    expect(await triggers.hooks.reconcile({ tenant }, 'con_1')).toEqual({ repaired: 0 })
  })
})

test('the end of a hook leaves what another has taken over at the provider', async () => {
  const state = { isAway: true }
  const { subscribe, tracker, triggers, store } = await openTracker((integration, { source, hooks }) => ({
    ...integration,
    webhooks: {
      ...source,
      // One for each model, as some providers have it.
      async register(ctx, hook) {
        const former = [...hooks.values()].find(({ model }) => model.id === hook.model.id)
        if (former === undefined) return source.register!(ctx, hook)
        await source.repair!(ctx, former.providerId, hook)
        return { providerId: former.providerId }
      },
      unregister: async (ctx, hook) =>
        state.isAway ? Promise.reject(fail('unreachable', 'Away.')) : source.unregister!(ctx, hook),
    },
  }))
  const { id } = await subscribe('opened')
  await triggers.subscriptions.remove({ tenant }, id)
  const { id: next } = await subscribe('opened')
  expect((await store.hooks.all()).map(({ state: of }) => of).sort()).toEqual(['active', 'deleting'])
  state.isAway = false
  await triggers.hooks.reconcile({ tenant }, 'con_1')
  expect((await store.hooks.all()).map(({ state: of }) => of)).toEqual(['active'])
  expect([...tracker.hooks.values()]).toMatchObject([{ active: true }])
  await triggers.subscriptions.remove({ tenant }, next)
  await triggers.hooks.reconcile({ tenant }, 'con_1')
  expect(tracker.hooks.size).toBe(0)
})

test('a hook that cannot be paused for a budget, or is gone, does not keep the others from it', async () => {
  const refusals = new Map<string, 'rejected' | 'not_found'>()
  const { subscribe, hookOf, clock, triggers, store, logged } = await openTracker((integration, { source, hooks }) => ({
    ...integration,
    webhooks: {
      ...source,
      async pause(_ctx, providerId) {
        const code = refusals.get(providerId)
        if (code !== undefined) throw fail(code, 'No.')
        hooks.get(providerId)!.active = false
      },
    },
  }))
  for (const repo of ['7', '8', '9']) await subscribe('opened', repo)
  refusals.set(hookOf('7').providerId, 'rejected').set(hookOf('8').providerId, 'not_found')
  await putBudget(store, clock, 1)
  await triggers.hooks.reconcile({ tenant }, 'con_1')
  expect(hookOf('9').active).toBe(false)
  const states = (await store.hooks.all()).map(({ model, state }) => [model, state])
  expect(Object.fromEntries(states)).toEqual({ 'repo:7': 'active', 'repo:8': 'broken', 'repo:9': 'broken' })
  expect(logged.filter(({ event }) => event === 'hook.not_paused')).toHaveLength(1)
  refusals.clear()
  await triggers.hooks.reconcile({ tenant }, 'con_1')
  expect(hookOf('7').active).toBe(false)
})

test('a hook that the provider switched off before a budget paused it: the gap says so, and begins before both', async () => {
  const { subscribe, hookOf, clock, triggers, store, logged } = await openTracker((integration, { source, hooks }) => ({
    ...integration,
    webhooks: { ...source, pause: async (_ctx, providerId) => void (hooks.get(providerId)!.active = false) },
  }))
  for (const repo of ['7', '8']) await subscribe('opened', repo)
  const workedAt = clock.now()
  clock.advance(3_600_000)
  Object.assign(hookOf('7'), { active: false, blockReason: 'Max retries exceeded' })
  await putBudget(store, clock, 1)
  await triggers.hooks.reconcile({ tenant }, 'con_1')
  const rows = await store.hooks.all()
  expect(rows.map(({ state }) => state)).toEqual(['broken', 'broken'])
  expect(rows.find(({ model }) => model === 'repo:7')!.suspectSince).toBeLessThanOrEqual(workedAt)
  clock.advance(3_600_000)
  await putBudget(store, clock, 1000)
  await triggers.hooks.reconcile({ tenant }, 'con_1')
  const repairs = logged.filter(({ event }) => event === 'hook.repaired')
  expect(repairs.map(({ fields }) => fields?.['why'])).toEqual([
    'The provider had switched the webhook off (Max retries exceeded).',
    'The webhook was paused for a budget.',
  ])
  expect([hookOf('7').active, hookOf('8').active]).toEqual([true, true])
})

describe('hooks listed by model', () => {
  const stray = (repo: string, callbackUrl: string) => ({
    providerId: `9${repo}`,
    callbackUrl,
    model: { kind: 'repo', id: repo },
    description: '',
    active: true,
    failures: 0,
    types: ['opened'],
    secret: undefined,
  })

  test('reconciling asks for what is watched and for what lately was; left-over hooks of ours are removed, others stay', async () => {
    const { subscribe, triggers, tracker, calls } = await openTracker()
    const { id } = await subscribe('opened')
    await subscribe('opened', '8')
    await triggers.subscriptions.remove({ tenant }, id)
    await triggers.ticks.hooks()
    tracker.hooks.set('97', stray('7', `${publicUrl}/hooks/tracker/${'x'.repeat(32)}`))
    tracker.hooks.set('98', stray('8', 'https://elsewhere.example/hooks/tracker/y'))
    calls()
    await triggers.hooks.reconcile({ tenant }, 'con_1')
    expect(calls()).toEqual(['list repo:7 repo:8', 'unregister'])
    expect(tracker.hooks.has('97')).toBe(false)
    expect(tracker.hooks.has('98')).toBe(true)
  })

  test('uninstalling finds hooks of everything that is still known', async () => {
    const { subscribe, triggers, tracker, clock } = await openTracker()
    const { id } = await subscribe('opened')
    await triggers.subscriptions.remove({ tenant }, id)
    await triggers.ticks.hooks()
    clock.advance(5 * 24 * 3_600_000)
    tracker.hooks.set('97', stray('7', `${publicUrl}/hooks/tracker/${'x'.repeat(32)}`))
    expect(await triggers.hooks.prune({ tenant })).toMatchObject({ hooks: 1 })
    expect(tracker.hooks.size).toBe(0)
  })
})

describe('how short a downtime loses nothing', () => {
  const awayFor = async (ms: number, retries: number[], hasHistory = true) => {
    const opened = await openTracker((integration) => ({
      ...integration,
      webhooks: { ...integration.webhooks!, retries },
    }))
    opened.tracker.state.hasHistory = hasHistory
    await opened.subscribe('opened')
    await opened.subscribe('seen')
    await opened.triggers.ticks.returnFrom()
    opened.clock.advance(minute)
    await opened.triggers.ticks.alive()
    opened.clock.advance(1_000)
    opened.tracker.happen('opened')
    opened.clock.advance(ms)
    opened.restart()
    await opened.triggers.ticks.returnFrom()
    await opened.settle()
    return { called: opened.called, gaps: await opened.gaps() }
  }

  test('without repeats none is: what no history lists is a gap, the rest is found', async () => {
    const { called, gaps } = await awayFor(2_000, [])
    expect(called).toHaveLength(1)
    expect(gaps).toMatchObject([{ model: 'repo:7', kind: 'seen', reason: 'This server was down.' }])
  })

  test('with repeats one within their span is; a longer one is not', async () => {
    expect((await awayFor(2_000, [5_000, 5_000])).gaps).toEqual([])
    expect((await awayFor(20_000, [5_000, 5_000])).gaps).toMatchObject([{ kind: 'seen' }])
  })

  test('a history that does not exist makes every kind a gap, and is no failure', async () => {
    const { called, gaps } = await awayFor(2_000, [], false)
    expect(called).toEqual([])
    expect(gaps).toMatchObject([{ model: 'repo:7', kind: '*' }])
  })

  test('each integration goes by its own schedule', async () => {
    const downtime = createDowntime(createMemoryStore())
    const [none, often] = [{ retries: [] }, { retries: [30_000, 60_000, 120_000] }]
    expect(await downtime.note('none', none, 1_000_000, 1_000_500)).toEqual({ from: 940_000, to: 1_000_500 })
    expect(await downtime.note('often', often, 1_000_000, 1_000_500)).toBeUndefined()
    // Short ones that follow each other closely may have met every repeat.
    expect(await downtime.note('often', often, 1_100_000, 1_200_000)).toBeUndefined()
    expect(await downtime.note('often', often, 1_205_000, 1_215_000)).toEqual({ from: 940_000, to: 1_215_000 })
    expect(await downtime.note('none', none, 1_205_000, 1_215_000)).toEqual({ from: 1_145_000, to: 1_215_000 })
  })
})
