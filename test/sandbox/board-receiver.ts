/** A place on loopback for the sandbox to deliver to, and a clock whose timers run when told. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Schedule } from '../../shared/sandbox/board/index.ts'

export type Received = { method: string; url: string; headers: IncomingMessage['headers']; body: string; json: any }
export type Receiver = {
  url: string
  received: Received[]
  posts: () => Received[]
  answer: { head: number; post: number | 'hang' }
  close: () => Promise<void>
}

export const startReceiver = async (): Promise<Receiver> => {
  const received: Received[] = []
  const answer: Receiver['answer'] = { head: 200, post: 200 }
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts).toString('utf8')
    received.push({
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body,
      json: body ? JSON.parse(body) : undefined,
    })
    const status = request.method === 'HEAD' ? answer.head : answer.post
    if (status !== 'hang') response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    posts: () => received.filter((delivery) => delivery.method === 'POST'),
    answer,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

export type Timers = { schedule: Schedule; waiting: () => number[]; advance: (ms: number) => void }

/** Timers on a clock that only `advance` moves. */
export const handTimers = (clock: { at: number }): Timers => {
  const timers = new Set<{ at: number; run: () => void }>()
  return {
    schedule: (ms, run) => {
      const timer = { at: clock.at + ms, run }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    waiting: () => [...timers].map((timer) => timer.at - clock.at),
    advance: (ms) => {
      clock.at += ms
      for (const timer of [...timers].filter((candidate) => candidate.at <= clock.at)) {
        timers.delete(timer)
        timer.run()
      }
    },
  }
}
