/** An agent that takes what is signed within the last minutes, and keeps every call of every start. */
import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'

export const agentSecret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`

const read = (body: string, headers: IncomingHttpHeaders) => {
  try {
    return (new Webhook(agentSecret).verify(body, headers as Record<string, string>) as { data: { id: string } }).data
  } catch {
    return undefined
  }
}

export const startAgent = async (random: () => number, slowestMs: number) => {
  /** Path and event → start keys. */
  const keys = new Map<string, Set<string>>()
  /** Start key → when it was called (ms since 1970). */
  const calls = new Map<string, number[]>()
  /** How far the signed time of each call was ahead of the time at which it came, in s. */
  const aheadS: number[] = []
  const repeats = new Set<Promise<void>>()
  let isRefusing = false
  const refused = new Set<string>()
  const listeners: { repeated?: (key: string, at: number) => Promise<void> } = {}
  const server = createServer(async (request, response) => {
    const at = Date.now()
    const body = await text(request).catch(() => undefined)
    // Its sender died.
    if (body === undefined) return
    aheadS.push(Number(request.headers['webhook-timestamp']) - at / 1000)
    const data = read(body, request.headers)
    if (!data) return void response.writeHead(401).end()
    const key = String(request.headers['webhook-id'])
    if (isRefusing && !refused.has(key)) {
      refused.add(key)
      return void response.writeHead(503).end()
    }
    const name = `${request.url} ${data.id}`
    keys.set(name, (keys.get(name) ?? new Set()).add(key))
    const before = calls.get(key)
    calls.set(key, [...(before ?? []), at])
    // Before the answer, which would change what is recorded of it.
    if (before && listeners.repeated) {
      const repeat = listeners.repeated(key, at).finally(() => repeats.delete(repeat))
      repeats.add(repeat)
      await repeat
    }
    await wait(random() * slowestMs)
    response.writeHead(200).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    calls,
    aheadS,
    /** Is told of a start that is called again, before it is answered. */
    onRepeat: (tell: (key: string, at: number) => Promise<void>) => void (listeners.repeated = tell),
    /** Whether it answers 503 to the first call of each start, as if it had not come. */
    refuseFirst: (isOn: boolean) => void (isRefusing = isOn),
    /** Resolves when nobody is being told. */
    settled: () => Promise.all(repeats),
    close: () => (server.closeAllConnections(), server.close()),
  }
}
