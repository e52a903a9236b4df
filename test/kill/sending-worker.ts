/**
 * Child of the kill test: a pack over an embedded store that stops for ever at one moment of sending, so that the
 * parent can kill it there. The moments are planted around the store's port; the shipped code has no switch for them.
 */
import { flushCompileCache } from 'node:module'
import { createPack, openSqliteStore } from '../../shared/pack.ts'
import type { Store } from '../../shared/pack.ts'

export type Phase = 'begun' | 'sending' | 'answered' | 'recorded'
export type Told =
  | { key: string; ok: boolean; code?: string; id?: string; cached?: boolean }
  | { stopped: Phase; key: string }
  | { ready: true }

const [directory, origin] = process.argv.slice(2) as [string, string]
const caller = { tenant: 'default' }
const tell = (message: Told) => process.send!(message)
let phase: Phase | undefined

/** Never resolves: here the process is killed. */
const stopHere = (at: Phase, key: string) => {
  tell({ stopped: at, key })
  return new Promise<never>(() => {})
}

const plant = (store: Store): Store => ({
  ...store,
  intents: {
    ...store.intents,
    async get(tenant, key) {
      const present = await store.intents.get(tenant, key)
      return phase === 'begun' ? stopHere('begun', key) : present
    },
    async insert(intent, evictable) {
      const bytes = await store.intents.insert(intent, evictable)
      return intent.state === 'sending' && phase === 'sending' ? stopHere('sending', intent.key) : bytes
    },
    async update(tenant, key, state, outcome, evictable) {
      if (state === 'done' && phase === 'answered') return stopHere('answered', key)
      const bytes = await store.intents.update(tenant, key, state, outcome, evictable)
      if (state === 'done' && phase === 'recorded') return stopHere('recorded', key)
      return bytes
    },
  },
})

const pack = await createPack({
  store: plant(await openSqliteStore({ directory, now: Date.now })),
  masterKey: Buffer.alloc(32, 5),
  wire: { 'work-board': { baseUrl: origin, pace: { limits: [], concurrency: 4 } } },
  egress: { privateOrigins: [origin] },
})
if ((await pack.connections.list(caller)).length === 0) {
  await pack.connections.create(caller, {
    integration: 'work-board',
    type: 'key-token',
    name: 'Board',
    secrets: { key: 'key-0123456789abcdef', token: 'token-0123456789abcdef' },
  })
}

// Written when a process ends, which a killed one does not.
flushCompileCache()

const run = async (key: string) => {
  const outcome = await pack.steps.run(caller, {
    integration: 'work-board',
    step: 'create-card',
    input: { idList: '0'.repeat(24), name: key },
    idempotencyKey: key,
  })
  if (outcome.ok)
    tell({ key, ok: true, id: (outcome.value as { id: string }).id, cached: outcome.meta.cached ?? false })
  else tell({ key, ok: false, code: outcome.failure.code, cached: outcome.meta.cached ?? false })
}

process.on('message', ({ key, at }: { key: string; at?: Phase }) => {
  phase = at
  void run(key)
})
tell({ ready: true })
