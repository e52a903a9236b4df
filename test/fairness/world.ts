import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHttp } from '../../shared/faces/http/index.ts'
import type { PackOptions } from '../../shared/pack.ts'
import { createCloser } from '../support/closing.ts'
import { openWorld } from '../support/world.ts'

/** What the provider does with the calls of one tenant; everybody else is answered after `answerMs`. */
export type Mood = 'well' | 'fails' | 'hangs'

/** A provider that knows its accounts by their token and may treat each of them otherwise. */
const startProvider = async (answerMs: number) => {
  const moods = new Map<string, Mood>()
  const waiting = new Set<ServerResponse>()
  const calls = new Map<string, number>()
  const tenantOf = (text: string) => /token-of-(\w+)/.exec(text)?.[1] ?? ''
  const server = createServer((request, response) => {
    const tenant = tenantOf(`${request.url} ${request.headers.authorization ?? ''}`)
    calls.set(tenant, (calls.get(tenant) ?? 0) + 1)
    const mood = moods.get(tenant) ?? 'well'
    request.resume()
    if (mood === 'hangs') return void waiting.add(response)
    const body = mood === 'fails' ? '{"message":"no"}' : '[]'
    const answer = () =>
      void response.writeHead(mood === 'fails' ? 500 : 200, { 'content-type': 'application/json' }).end(body)
    if (answerMs > 0) setTimeout(answer, answerMs)
    else answer()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    moods,
    calls: (tenant: string) => calls.get(tenant) ?? 0,
    /** Answers what hangs. */
    release() {
      for (const response of waiting) response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
      waiting.clear()
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** A served pack with a hostile tenant and a quiet one, each with an account of its own at the same provider. */
export const openTenantsWorld = async (options: PackOptions & { answerMs?: number } = {}) => {
  const { answerMs = 0, ...packOptions } = options
  const { close, add } = createCloser()
  const provider = await startProvider(answerMs)
  add(() => provider.close())
  const world = await openWorld({
    providers: { 'work-board': provider },
    wire: { 'work-board': { pace: { limits: [], concurrency: 10 } } },
    ...packOptions,
  })
  add(world.close)
  const { pack, connect } = world
  const http = await createHttp({ pack, version: '9.9.9', log: () => {} })
  const address = await http.listen({ host: '127.0.0.1', port: 0 })
  add(async () => {
    provider.release()
    const closing = http.close()
    // Answers that were not read hold their connections.
    http.server.closeAllConnections()
    await closing
  })
  const join = async (tenant: string) => {
    await pack.tenants.create({ id: tenant, name: tenant })
    const secrets = { key: `key0of0${tenant}`.padEnd(32, '0'), token: `token-of-${tenant}` }
    const { id } = await connect('work-board', { name: tenant, secrets }, { tenant })
    const { text: token } = await pack.tokens.create(tenant, { name: tenant })
    return { tenant, connection: id, token }
  }
  const [hostile, quiet] = [await join('hostile'), await join('quiet')]
  type Member = typeof hostile
  const ask = (who: Member, path: string, init: RequestInit = {}) =>
    fetch(address + path, {
      ...init,
      headers: {
        authorization: `Bearer ${who.token}`,
        ...(init.body ? { 'content-type': 'application/json' } : {}),
        ...(init.headers as Record<string, string>),
      },
    })
  return {
    provider,
    pack,
    hostile,
    quiet,
    ask,
    run: (who: Member, step: string, input: object, headers: Record<string, string> = {}) =>
      ask(who, `/v1/steps/work-board/${step}/run`, { method: 'POST', body: JSON.stringify({ input }), headers }),
    close,
  }
}
export type TenantsWorld = Awaited<ReturnType<typeof openTenantsWorld>>
