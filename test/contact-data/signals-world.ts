/** A pack with the sandbox of the provider that delivers signals, and an address that the sandbox reaches. */
import { createHttp } from '../../shared/faces/http/app.ts'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import type { Clock, Hook } from '../../shared/runtime/ports/index.ts'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import { clientOf } from '../sandbox/lusha-client.ts'
import { freePort } from '../support/free-port.ts'
import { signedHeaders } from '../support/signal-deliveries.ts'

export const caller = { tenant: 'default' }
export const integration = 'contact-data'

export type StartedSignal = { trigger: string; event: Record<string, unknown> }

/** `clock`: that of the pack and of the sandbox. `perMinute`: how many requests manage subscriptions. */
type Time = { clock?: Clock; perMinute?: number }

/** `wire`: overrides of the operator; default: the profile lusha-v3 for everybody. */
export const openSignals = async (
  wire: Record<string, unknown> = { profile: 'lusha-v3' },
  { clock, perMinute = 1000 }: Time = {},
) => {
  const started: StartedSignal[] = []
  const sandbox = await startContactSandbox({
    profile: 'lusha-v3',
    limits: { requests: 100_000 },
    windows: { usage: 1000, webhooks: perMinute },
    ...(clock ? { now: () => clock.now() } : {}),
  })
  const port = await freePort()
  const store = createMemoryStore()
  const openPack = () =>
    createPack({
      store: { ...store, close: async () => {} },
      masterKey: Buffer.alloc(32, 7),
      ...(clock ? { clock } : {}),
      wire: {
        [integration]: { baseUrl: sandbox.origin, profiles: { 'lusha-v3': { baseUrl: sandbox.origin } }, ...wire },
      },
      egress: { privateOrigins: [sandbox.origin] },
      publicUrl: `http://127.0.0.1:${port}`,
      onStart: async ({ data }) => void started.push(data as unknown as StartedSignal),
    })
  const pack = await openPack()
  const http = await createHttp({ pack, version: '0.0.0' })
  await http.listen({ host: '127.0.0.1', port })
  const client = clientOf(() => sandbox)
  return {
    ...client,
    pack,
    sandbox,
    started,
    connect: (name: string, profile?: string) =>
      pack.connections.create(caller, {
        integration,
        type: 'api-key',
        name,
        secrets: { apiKey: sandbox.credentials.apiKey },
        ...(profile === undefined ? {} : { profile }),
      }),
    subscribe: (trigger: string, config: Record<string, unknown>, connection?: string) =>
      pack.subscriptions.create(caller, { integration, trigger, config, ...(connection ? { connection } : {}) }),
    signal: (entityType: string, entityId: string, type: string) =>
      sandbox.tell('signal', { entityType, entityId, type }),
    /** The subscriptions at the provider. */
    watched: async () => (await client.get('/api/subscriptions?limit=100')).body.data as Record<string, unknown>[],
    /** Sends a delivery as the provider does, or one that it would not send. */
    async deliver(body: Record<string, unknown>, { secret, ageMs = 0 }: { secret?: string; ageMs?: number } = {}) {
      const [{ url } = { url: '' }] = (await client.get('/api/subscriptions?limit=1')).body.data as { url: string }[]
      const signing = secret ?? ((await client.get('/api/account/secret')).body.secret as string)
      const text = JSON.stringify(body)
      const headers = signedHeaders(signing, text, Date.now() - ageMs)
      const reply = await fetch(url, { method: 'POST', headers, body: text })
      return { status: reply.status, body: await reply.text() }
    },
    /** Changes rows of hooks, as a process leaves them that dies. */
    async storedHooks(changesOf: (hook: Hook) => Partial<Hook> | undefined) {
      for (const hook of await store.hooks.all()) await store.hooks.patch(hook.tenant, hook.id, changesOf(hook) ?? {})
    },
    /** Credits that the ledger has for signals. */
    async spent() {
      const { items } = await pack.ledger.list(caller, { limit: 200 }, { kind: 'settled' })
      return items.reduce((sum, { credits }) => sum + credits, 0)
    },
    logs: async () => (await client.get('/api/audit-logs')).body.data as { status: string; error: string | null }[],
    /** Starts another process on the same data, which looks after the subscriptions at once, and ends it again. */
    async restart(until: () => Promise<unknown>, prepare: (next: Pack) => Promise<unknown> = async () => {}) {
      const next = await openPack()
      await prepare(next)
      await next.start()
      await until()
      await next.close()
    },
    async close() {
      await http.close()
      await Promise.all([pack.close(), sandbox.close()])
      await store.close()
    },
  }
}
export type SignalsWorld = Awaited<ReturnType<typeof openSignals>>
