/** The network between the provider and a server that is killed now and then. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { isReceipt } from '../support/signal-deliveries.ts'
import type { DeliveryReply } from '../support/signal-deliveries.ts'

export type Delivery = { path: string; headers: Record<string, string>; body: string }

/** What happens to a delivery: a `late` one is overtaken by others, the answer to an `unheard` one is lost. */
export type Passage = { how: 'straight' | 'twice' | 'unheard' } | { how: 'late'; ms: number }
export type Signal = { id: string; type: string; entityType: string; entityId: string }

const noReply: DeliveryReply = { status: 0, contentType: '', body: '' }
const keptRecent = 100

const carriedHeaders = ['content-type', 'x-lusha-signature', 'x-lusha-timestamp']

/** `passageOf` is asked for each attempt of the provider. */
export const startRoad = async (server: string, passageOf: (signal: Signal) => Passage) => {
  const state = {
    /** Signals by id, as the provider sent them. */
    signals: new Map<string, Signal>(),
    /** Ids of the signals that the server has acknowledged. */
    acknowledged: new Set<string>(),
    /** Deliveries of the last signals. */
    recent: [] as Delivery[],
    /** Answers by status; 0: there was none. */
    answers: {} as Record<number, number>,
    wrong: [] as string[],
  }

  const forward = async ({ path, headers, body }: Delivery): Promise<DeliveryReply> => {
    try {
      const reply = await fetch(server + path, { method: 'POST', headers, body })
      const contentType = reply.headers.get('content-type') ?? ''
      return { status: reply.status, contentType, body: await reply.text() }
    } catch {
      // It is down, or was killed before it answered.
      return noReply
    }
  }
  /** `required`: whether the answer is the required one. A server that is killed may give none, one that ends 503. */
  const send = async (delivery: Delivery, required: (reply: DeliveryReply) => boolean) => {
    const reply = await forward(delivery)
    state.answers[reply.status] = (state.answers[reply.status] ?? 0) + 1
    const isMissing = reply.status === 0 || reply.status === 503
    if (!isMissing && !required(reply)) state.wrong.push(`${delivery.body}: ${reply.status} ${reply.body}`)
    return isMissing ? undefined : reply
  }

  const carry = async (delivery: Delivery): Promise<DeliveryReply | undefined> => {
    const signal = JSON.parse(delivery.body) as Signal
    state.signals.set(signal.id, signal)
    state.recent = [...state.recent, delivery].slice(-keptRecent)
    const pass = () => send(delivery, (reply) => isReceipt(reply, signal.id))
    const passage = passageOf(signal)
    if (passage.how === 'late') await wait(passage.ms)
    const [reply] = await Promise.all(passage.how === 'twice' ? [pass(), pass()] : [pass()])
    if (reply !== undefined) state.acknowledged.add(signal.id)
    return passage.how === 'unheard' ? undefined : reply
  }

  const listener = createServer(async (request, response) => {
    const headers = Object.fromEntries(carriedHeaders.map((name) => [name, String(request.headers[name])]))
    const reply = await carry({ path: request.url ?? '', headers, body: await text(request) })
    if (reply === undefined) return void request.socket.destroy()
    response.writeHead(reply.status, { 'content-type': reply.contentType }).end(reply.body)
  })
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
  return {
    state,
    send,
    origin: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    close: () => (listener.closeAllConnections(), listener.close()),
  }
}
export type Road = Awaited<ReturnType<typeof startRoad>>
