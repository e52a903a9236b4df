/**
 * Child of the kill test of triggers: a served process over an embedded store. What makes the store faulty is planted
 * here; the shipped code has no switch for it.
 */
import { createHttp } from '../../shared/faces/http/index.ts'
import { createPack, openSqliteStore } from '../../shared/pack.ts'
import type { Store } from '../../shared/pack.ts'
import { attached } from '../support/board-events.ts'
import { agentSecret } from './triggers-plan.ts'
import type { Ask, Plan, Told } from './triggers-plan.ts'

const { directory, port, origin, agent, credentials, boards, isFaulty } = JSON.parse(process.argv[2]!) as Plan
const caller = { tenant: 'default' }
const lateMs = 1000

const acknowledgingTooEarly = (store: Store): Store => ({
  ...store,
  ingest: async (arrival) => {
    if (!arrival.events?.some(({ via }) => via === 'webhook')) return store.ingest(arrival)
    setTimeout(() => void store.ingest(arrival), lateMs)
    return { events: arrival.events.map(({ id }) => id), starts: (arrival.starts ?? []).map(({ id }) => id) }
  },
})

const store = await openSqliteStore({ directory, now: Date.now })
const pack = await createPack({
  store: isFaulty ? acknowledgingTooEarly(store) : store,
  masterKey: Buffer.alloc(32, 5),
  wire: { 'work-board': { baseUrl: origin, pace: { limits: [], concurrency: 4 } } },
  egress: { privateOrigins: [origin] },
  agentOrigins: [agent],
  publicUrl: `http://127.0.0.1:${port}`,
})
const http = await createHttp({ pack, version: '0.0.0' })
await http.listen({ host: '127.0.0.1', port })
await pack.start()

if ((await pack.connections.list(caller)).length === 0) {
  const { key, token, appSecret } = credentials
  await pack.apps.put(caller, 'work-board', { key, secret: appSecret })
  await pack.connections.create(caller, {
    integration: 'work-board',
    type: 'key-token',
    name: 'Board',
    secrets: { key, token },
  })
  for (const { path, trigger } of attached) {
    await pack.subscriptions.create(caller, {
      integration: 'work-board',
      trigger,
      config: { boards },
      agent: { url: agent + path, secret: agentSecret },
    })
  }
}

const tell = (message: Told) => void process.send!(message)
const answer = async (request: Ask): Promise<void> => {
  if (request === 'hooks') return tell({ hooks: (await pack.hooks.list(caller, { limit: 100 })).items })
  const { openStarts, pendingEvents } = await pack.triggers.counts()
  tell({ open: openStarts + pendingEvents })
}
process.on('message', (request: Ask) => void answer(request))
tell({ ready: true })
