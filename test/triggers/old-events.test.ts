/** Ids of events and starts are removed after a time; what is older than that starts nothing a second time. */
import { describe, expect, test } from 'vitest'
import { integrations } from '../../integrations/index.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { createAdmit, foundEvent } from '../../shared/runtime/triggers/admit.ts'
import { toActive } from '../../shared/runtime/triggers/subscriptions/registry.ts'
import { createMatchIndex } from '../../shared/runtime/triggers/match-index.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import { subscription } from '../store/make.ts'
import { noNames } from '../support/no-names.ts'

const hour = 3_600_000
const keepIdsMs = 10 * hour
const now = 100 * hour
const registry = createRegistry(integrations)

const open = (createdAt: number) => {
  const store = createMemoryStore()
  const active = toActive(
    registry,
    subscription('a', 's1', { trigger: 'new-board', config: {}, createdAt, startMark: 0 }),
  )!
  const admit = createAdmit({
    registry,
    store,
    log: () => {},
    now: () => now,
    keepIdsMs,
    own: { ofListed: async () => ({ causedByUs: false, runId: null }), depthOf: async () => 0 } as never,
    names: noNames,
    index: createMatchIndex(),
    connections: { get: () => undefined, count: () => 1 } as never,
    onStarts: () => {},
    onPending: () => {},
    onAvailability: () => {},
  })
  return async (at: number) => {
    const polledEvent = { key: `board:${at}`, at: new Date(at).toISOString(), data: {} }
    const { arrived } = await admit({
      tenant: 'a',
      integration: 'work-board',
      connection: 'c1',
      observations: [
        { event: foundEvent('new-board', polledEvent), finds: [{ subscription: active, find: polledEvent }] },
      ],
    })
    return arrived.starts.length
  }
}

describe('an event older than the ids that are stored', () => {
  test('starts nothing of a subscription that is older too', async () => {
    const take = open(now - 50 * hour)
    expect(await take(now - keepIdsMs - 1)).toBe(0)
    expect(await take(now - keepIdsMs)).toBe(1)
    expect(await take(now)).toBe(1)
  })

  test('starts a younger subscription, whose ids are all there', async () => {
    const take = open(now - 9 * hour)
    expect(await take(now - 60 * hour)).toBe(1)
    expect(await take(now - 60 * hour)).toBe(0)
  })
})
