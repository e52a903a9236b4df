/** A vendor's integration in a pack of its own, and a provider on loopback that answers what the test says. */
import type { Json } from '#kit'
import { createPack } from '../../shared/pack.ts'
import { idleClock } from '../profiles/idle-clock.ts'
import { startProvider } from '../support/provider.ts'
import { integrationOf } from './vendor.ts'
import type { Reply, Vendor } from './vendor.ts'

const caller = { tenant: 'default' }

export const play = async (vendor: Vendor, options: { now?: string; wire?: Record<string, unknown> } = {}) => {
  const replies: Reply[] = []
  const provider = await startProvider((_, response) => {
    const { status, headers, body } = replies.shift() ?? { status: 500, body: 'The test has no reply for this.' }
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(body === null ? '' : typeof body === 'string' ? body : JSON.stringify(body))
  })
  const started: Json[] = []
  const clock = idleClock(options.now === undefined ? undefined : Date.parse(options.now))
  const pack = await createPack({
    integrations: [integrationOf(vendor)],
    wire: {
      [vendor.id]: {
        ...(vendor.baseUrl ? { baseUrlPattern: provider.origin } : { baseUrl: provider.origin }),
        ...options.wire,
      },
    },
    egress: { privateOrigins: [provider.origin] },
    publicUrl: 'https://pack.example',
    clock,
    random: () => 0.5,
    onStart: async ({ data }) => void started.push(data as unknown as Json),
  })
  const connect = async () => {
    replies.push(vendor.page.replies[0])
    const connection = await pack.connections.create(caller, {
      integration: vendor.id,
      type: 'token',
      name: 'Example',
      secrets:
        vendor.baseUrl === undefined ? vendor.secrets : { ...vendor.secrets, [vendor.baseUrl.from]: provider.origin },
    })
    provider.seen.length = 0
    return connection
  }
  return {
    provider,
    pack,
    clock,
    started,
    connect,
    willAnswer: (...next: Reply[]) => void replies.push(...next),
    run: (step: string, input: Record<string, unknown> = {}) =>
      pack.steps.run(caller, { integration: vendor.id, step, input }),
    /** Subscribes, and returns the address of the hook. */
    async subscribe(secret?: string) {
      if (secret !== undefined) await pack.apps.put(caller, vendor.id, { key: 'app', secret })
      if (vendor.deliveries.register) replies.push(vendor.deliveries.register.reply)
      await pack.subscriptions.create(caller, { integration: vendor.id, trigger: 'happened', config: {} })
      const [hook] = (await pack.hooks.list(caller, { limit: 2 })).items
      return hook!.callbackUrl
    },
    deliver: (url: string, body: string, headers: Record<string, string>) =>
      pack.receive({
        integration: vendor.id,
        hookId: url.split('/').at(-1)!,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: Buffer.from(body),
      }),
    events: async () => (await pack.events.list(caller, { limit: 10 })).items,
    async close() {
      clock.stop()
      await pack.close()
      await provider.close()
    },
  }
}
export type Played = Awaited<ReturnType<typeof play>>
