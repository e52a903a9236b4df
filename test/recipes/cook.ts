/** A recipe in a pack of its own, with a provider on loopback that answers by `method path`. */
import { createPack } from '../../shared/pack.ts'
import type { Integration, Json } from '#kit'
import { fakeClock } from '../support/clock.ts'
import { startProvider } from '../support/provider.ts'
import type { Seen } from '../support/provider.ts'

const caller = { tenant: 'default' }
export type Answer = { status?: number; headers?: Record<string, string>; body: Json }
export type Answers = { [request: string]: Answer | ((seen: Seen) => Answer) }

export const cook = async (
  integration: Integration,
  answers: Answers,
  {
    wire,
    now,
    origins = [],
  }: { wire?: (origin: string) => Record<string, unknown>; now?: string; origins?: string[] } = {},
) => {
  const provider = await startProvider((request, response, body) => {
    const { method = '', url = '', headers } = request
    const answer: Answers[string] = answers[`${method} ${url.split('?')[0]}`] ?? {
      status: 404,
      body: { message: 'no route' },
    }
    const {
      status = 200,
      headers: extra,
      body: reply,
    } = typeof answer === 'function' ? answer({ method, url, headers, body }) : answer
    response.writeHead(status, { 'content-type': 'application/json', ...extra })
    response.end(reply === null ? '' : JSON.stringify(reply))
  })
  const clock = fakeClock(now === undefined ? undefined : Date.parse(now))
  let connections = 0
  const started: { [name: string]: Json }[] = []
  const pack = await createPack({
    integrations: [integration],
    wire: { [integration.id]: { baseUrl: provider.origin, ...wire?.(provider.origin) } },
    egress: { privateOrigins: [provider.origin, ...origins] },
    publicUrl: 'https://pack.example',
    clock,
    random: () => 0.5,
    onStart: async ({ data }) => void started.push(data as never),
  })
  return {
    provider,
    pack,
    clock,
    started,
    connect: (secrets: Record<string, string> = { token: 'tok_1' }, type = integration.connections[0]!.id) =>
      pack.connections.create(caller, {
        integration: integration.id,
        type,
        name: `Recipe ${(connections += 1)}`,
        secrets,
      }),
    run: (step: string, input: Record<string, unknown> = {}) =>
      pack.steps.run(caller, { integration: integration.id, step, input }),
    subscribe: (trigger: string, config: Record<string, unknown> = {}) =>
      pack.subscriptions.create(caller, { integration: integration.id, trigger, config }),
    async hookAddress() {
      return (await pack.hooks.list(caller, { limit: 2 })).items[0]!.callbackUrl
    },
    deliver: (url: string, body: string, headers: Record<string, string> = {}) =>
      pack.receive({
        integration: integration.id,
        hookId: url.split('/').at(-1)!,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: Buffer.from(body),
      }),
    events: async () => (await pack.events.list(caller, { limit: 10 })).items,
    async storeFile(name: string, text: string) {
      const base64 = Buffer.from(text).toString('base64')
      return (await pack.files.create(caller, { name, mediaType: 'text/plain', base64 })).id
    },
    setApp: (secret: string) => pack.apps.put(caller, integration.id, { key: 'app', secret }),
    async close() {
      await pack.close()
      await provider.close()
    },
  }
}
export type Cooked = Awaited<ReturnType<typeof cook>>
