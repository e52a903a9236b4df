import { expect, test, vi } from 'vitest'
import { createBody, createJoinBody } from '../../shared/wire/exchange/take-body.ts'
import { createTransport } from '../../shared/wire/exchange/transport.ts'
import type { TransportPool } from '../../shared/wire/exchange/transport.ts'
import type { Egress } from '../../shared/wire/guard/egress.ts'

const controller = { pause: () => {}, resume: () => {} }
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Bodies in two chunks each, whose ends come in the same turn of the event loop. */
const receive = (sizes: number[], ends = { moved: vi.fn(), complete: vi.fn(), stop: vi.fn() }) => {
  const join = createJoinBody()
  const read: number[] = []
  const bodies = sizes.map((size) => {
    const body = createBody(10_000_000, undefined, ends, join)
    body.begin(200, {})
    body.take(controller, Buffer.alloc(size / 2, 1))
    body.take(controller, Buffer.alloc(size / 2, 2))
    return body
  })
  for (const [at, body] of bodies.entries())
    body.end(({ bytes }) => {
      expect([bytes.length, bytes[0], bytes.at(-1)]).toEqual([sizes[at], 1, 2])
      read.push(at)
    })
  return { read, ends }
}

test('large answers that end together are read in order, four in a turn of the event loop', async () => {
  const { read } = receive(Array.from({ length: 10 }, () => 200_000))
  expect(read).toEqual([0, 1, 2, 3])
  await turn()
  expect(read).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  await turn()
  expect(read).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
})

test('small ones do not wait, nor behind large ones', () => {
  const { read } = receive([200_000, 200_000, 200_000, 200_000, 200_000, 1000, 1000])
  expect(read).toEqual([0, 1, 2, 3, 5, 6])
})

test('an answer that waits for its turn has arrived: no limit of time applies to it', () => {
  const { read, ends } = receive([200_000, 200_000, 200_000, 200_000, 200_000])
  expect([read.length, ends.complete.mock.calls.length]).toEqual([4, 5])
})

test('an answer that waits for its turn is no longer cancelled: what it says is known', async () => {
  const transport = createTransport({} as Egress)
  type Handler = Record<
    'onRequestStart' | 'onResponseStart' | 'onResponseData' | 'onResponseEnd',
    (...values: unknown[]) => void
  >
  const answers = (_: object, handler: Handler) => {
    handler.onRequestStart({ abort: () => {} })
    handler.onResponseStart(controller, 200, {})
    for (let part = 0; part < 2; part += 1) handler.onResponseData(controller, Buffer.alloc(100_000))
    handler.onResponseEnd(controller, {})
  }
  const pool = { dispatch: answers } as unknown as TransportPool
  const limits = { headersMs: 1000, bodyMs: 1000, totalMs: 1000, maxBytes: 1_000_000 }
  const stop = new AbortController()
  const sent = Array.from({ length: 5 }, () =>
    transport.send(pool, { method: 'GET', target: '/', headers: [], body: undefined } as never, limits, stop.signal),
  )
  stop.abort()
  for (const result of await Promise.all(sent)) expect(result).toHaveProperty('bytes.length', 200_000)
  await transport.close()
})
