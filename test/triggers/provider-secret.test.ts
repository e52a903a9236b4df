/** Webhooks whose secret the provider makes, and which it wants acknowledged by JSON of its own. */
import { describe, expect, test } from 'vitest'
import type { WebhookSource, WireProfile } from '#kit'
import { openTracker } from './tracker.ts'
import { tenant } from './world.ts'

const minute = 60_000

/** A tracker that signs every hook with one secret of the account, which registering and repairing a hook tell. */
const openAccount = async (deliveries?: WireProfile['deliveries']) => {
  const account: { secret: string | undefined } = { secret: 'made by the provider' }
  const given: (string | undefined)[] = []
  const told = () => (account.secret === undefined ? {} : { secret: account.secret })
  const world = await openTracker((integration, { source, hooks }) => {
    const webhooks: WebhookSource = {
      ...source,
      async register(ctx, hook) {
        given.push(hook.secret)
        const made = await source.register!(ctx, hook)
        hooks.get(made.providerId)!.secret = account.secret
        return { ...made, ...told() }
      },
      async repair(ctx, providerId, hook) {
        given.push(hook.secret)
        await source.repair!(ctx, providerId, hook)
        hooks.get(providerId)!.secret = account.secret
        return told()
      },
    }
    const { wire } = integration
    const signature = { ...wire.signature!, secret: 'provider' as const }
    return { ...integration, webhooks, wire: { ...wire, signature, ...(deliveries ? { deliveries } : {}) } }
  })
  return { ...world, account, given }
}

describe('a secret that the provider makes', () => {
  test('is taken when a hook is registered, sealed in its row, and verifies its deliveries', async () => {
    const { subscribe, store, deliver, tracker, called, given } = await openAccount()
    expect((await subscribe('opened')).delivery).toBe('webhook')
    const row = (await store.hooks.all())[0]!
    expect(Object.keys(row.secrets)).toEqual(['current'])
    expect(JSON.stringify(row)).not.toContain('made by the provider')
    expect((await deliver(tracker.happen('opened'))).status).toBe(200)
    expect((await deliver(tracker.happen('opened'), { secret: 'forged' })).status).toBe(401)
    expect(called.filter(({ data }) => data.via === 'webhook')).toHaveLength(1)
    expect(given.every((secret) => secret === undefined)).toBe(true)
  })

  test('that was replaced is read again when deliveries stop matching; the one before stays valid until the next', async () => {
    const { subscribe, account, deliver, tracker, triggers, logged, called, clock } = await openAccount()
    await subscribe('opened')
    account.secret = 'another one'
    expect((await deliver(tracker.happen('opened'), { secret: 'another one' })).status).toBe(401)
    await triggers.ticks.aside()
    expect(logged.map(({ event }) => event)).toContain('hook.secret_renewed')
    expect((await deliver(tracker.happen('opened'), { secret: 'another one' })).status).toBe(200)
    expect((await deliver(tracker.happen('opened'), { secret: 'made by the provider' })).status).toBe(200)
    clock.advance(10 * minute)
    account.secret = 'a third one'
    expect((await deliver(tracker.happen('opened'), { secret: 'a third one' })).status).toBe(401)
    await triggers.ticks.aside()
    expect((await deliver(tracker.happen('opened'), { secret: 'another one' })).status).toBe(200)
    expect((await deliver(tracker.happen('opened'), { secret: 'made by the provider' })).status).toBe(401)
    expect(called.map(({ data }) => data.via)).toContain('recovery')
  })

  test('that was replaced is not accepted any more once its deliveries and their repeats have arrived', async () => {
    const { subscribe, account, deliver, tracker, triggers, clock } = await openAccount()
    await subscribe('opened')
    account.secret = 'another one'
    expect((await deliver(tracker.happen('opened'), { secret: 'another one' })).status).toBe(401)
    await triggers.ticks.aside()
    clock.advance(minute - 1)
    expect((await deliver(tracker.happen('opened'), { secret: 'made by the provider' })).status).toBe(200)
    clock.advance(1)
    expect((await deliver(tracker.happen('opened'), { secret: 'made by the provider' })).status).toBe(401)
    expect((await deliver(tracker.happen('opened'), { secret: 'another one' })).status).toBe(200)
  })

  test('is not read more than once in ten minutes, whoever forges deliveries', async () => {
    const { subscribe, deliver, tracker, clock, triggers, calls } = await openAccount()
    await subscribe('opened')
    calls()
    for (let count = 0; count < 9; count += 1) {
      expect((await deliver(tracker.happen('opened'), { secret: 'forged' })).status).toBe(401)
      clock.advance(minute)
      await triggers.ticks.alive()
      await triggers.ticks.aside()
    }
    expect(calls().filter((call) => call === 'repair')).toHaveLength(1)
    expect((await deliver(tracker.happen('opened'), { secret: 'made by the provider' })).status).toBe(200)
  })

  test('that is not given is an error: nothing could be verified', async () => {
    const { subscribe, account } = await openAccount()
    account.secret = undefined
    await expect(subscribe('opened')).rejects.toMatchObject({ code: 'bad_reply' })
  })

  test('that a repair does not give leaves the hook to be repaired again', async () => {
    const { subscribe, account, deliver, tracker, triggers, logged } = await openAccount()
    await subscribe('opened')
    account.secret = undefined
    expect((await deliver(tracker.happen('opened'), { secret: 'unknown to us' })).status).toBe(401)
    await triggers.ticks.aside()
    expect(logged.map(({ event }) => event)).toContain('hook.secret_not_renewed')
    expect(logged.map(({ event }) => event)).not.toContain('hook.secret_renewed')
  })
})

describe('an acknowledgement', () => {
  const acknowledge = {
    constants: { received: true },
    time: 'timestamp',
    echo: { webhookId: ['missing', 'id'] },
  }
  const opened = async () => {
    const world = await openAccount({ bodies: ['json'], acknowledge })
    const subscription = await world.subscribe('opened')
    const expected = (id: unknown) => ({
      status: 200,
      contentType: 'application/json',
      body: JSON.stringify({ received: true, timestamp: new Date(world.clock.now()).toISOString(), webhookId: id }),
    })
    return { ...world, subscription, expected }
  }

  test('answers what is stored, what is repeated, and what cannot be read', async () => {
    const { deliver, tracker, expected, store, called } = await opened()
    const fact = tracker.happen('opened')
    expect(await deliver(fact)).toEqual(expected(String(fact.id)))
    expect(await deliver(fact)).toEqual(expected(String(fact.id)))
    expect(called).toHaveLength(1)
    expect(await deliver({ id: 'not a number' })).toEqual(expected('not a number'))
    expect((await store.undecodable.list(tenant, { limit: 10 })).items).toHaveLength(1)
  })

  test('is not given to what is forged', async () => {
    const { deliver, tracker } = await opened()
    expect(await deliver(tracker.happen('opened'), { secret: 'forged' })).toEqual({ status: 401 })
  })

  test('answers what was under way when the subscription ended', async () => {
    const { deliver, tracker, expected, triggers, subscription, hookOf } = await opened()
    const hook = hookOf()
    await triggers.subscriptions.remove({ tenant }, subscription.id)
    // Gone at the provider by now.
    tracker.hooks.set(hook.providerId, hook)
    const fact = tracker.happen('opened')
    expect(await deliver(fact)).toEqual(expected(String(fact.id)))
  })
})
