/** The provider's limits hold for all nodes together, and what they allow is used. */
import { describe, expect, it } from 'vitest'
import { postgresIsMissing } from '../support/postgres.ts'
import { figure } from './figures.ts'
import { addToken, ask, must, openPlace } from './place.ts'
import type { OpenPlace } from './place.ts'

/** As the vendor documents them: so many calls in any ten seconds. */
const windowMs = 10_000
const perToken = 100
const perKey = 300
/**
 * Of each tenant at once. More than a tenant's share of a window, which comes in one burst: whoever has no call that
 * waits leaves their share to the others, and a new call takes a while to arrive on a busy machine.
 */
const waitingCalls = 90
/** At least two windows, since what is spent in one shows in the next. */
const lastsMs = figure(60_000, 20_000)

/** `field` tells the calls of one caller from those of another at the board, which keeps no credentials. */
type Caller = { connection: string; token?: string; field: string }

/**
 * Calls without a pause, `width` at once, turn by turn at every node. Gives a function that ends them: calls that still
 * wait are served first, or abandoned.
 */
const keepCalling = (place: OpenPlace, caller: Caller, width: number) => {
  let isOver = false
  const abandoned = new AbortController()
  const answers = new Map<number, number>()
  const [board] = place.board.control.overview()
  const call = async (turn: number): Promise<void> => {
    for (let n = turn; !isOver; n += 1) {
      const { status } = await ask(place.nodes[n % place.nodes.length]!.origin, '/v1/steps/work-board/api-call/run', {
        ...(caller.token === undefined ? {} : { token: caller.token }),
        body: {
          connection: caller.connection,
          input: { method: 'GET', path: `/1/boards/${board!.id}`, query: { fields: caller.field } },
        },
        signal: abandoned.signal,
      }).catch((error: unknown) => {
        if (abandoned.signal.aborted) return { status: undefined }
        throw error
      })
      if (status !== undefined) answers.set(status, (answers.get(status) ?? 0) + 1)
    }
  }
  const calls = Array.from({ length: width }, (_, turn) => call(turn))
  return async (waiting: 'serve' | 'abandon') => {
    isOver = true
    if (waiting === 'abandon') abandoned.abort()
    await Promise.all(calls)
    return answers
  }
}

/** Calls of a caller that the provider took in a span. */
const seenBetween = ({ board }: OpenPlace, { field }: Caller, from: number, to: number) =>
  board.control
    .requests()
    .filter(({ at, values, status }) => status === 200 && at >= from && at < to && values['fields'] === field).length

/** For shares: six windows, so that one in which a busy machine was late with somebody's calls is not half of all. */
const sharedMs = 60_000

/**
 * The same in a span of `sharedMs`, as the mean over spans that begin at any moment of one window: calls come in
 * bursts, once a window, and a single span would count a burst at its edge whole or not at all.
 */
const seenOnAverage = (place: OpenPlace, caller: Caller, from: number) => {
  const starts = Array.from({ length: windowMs / 250 }, (_, n) => from + n * 250)
  return starts.reduce((sum, start) => sum + seenBetween(place, caller, start, start + sharedMs), 0) / starts.length
}
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe.skipIf(postgresIsMissing())('pacing across nodes', () => {
  it('4 nodes on one token: no 429, at least 90 % of the allowed rate', async () => {
    const place = await openPlace({ board: { keepRequests: 100_000 } })
    const caller = { connection: await place.connect(), field: 'name' }
    const began = Date.now()
    const stop = keepCalling(place, caller, 60)
    await wait(lastsMs)
    const ended = Date.now()
    const answers = await stop('serve')
    const seen = seenBetween(place, caller, began, ended)
    const allowed = Math.floor((ended - began) / windowMs) * perToken
    console.log(
      `one token: ${seen} of ${allowed} calls in ${ended - began} ms, ${place.board.control.counters().rateLimited} refused, answers`,
      answers,
    )
    expect(place.board.control.counters().rateLimited).toBe(0)
    expect(seen).toBeGreaterThanOrEqual(0.9 * allowed)
    // Whoever waited was served.
    expect([...answers.keys()]).toEqual([200])
  })

  it('one app key with 5 tenants, one of them with five times the callers: none is more than 10 % under its share', async () => {
    const place = await openPlace({ board: { keepRequests: 100_000 } })
    const fields = ['name', 'desc', 'url', 'shortUrl', 'closed']
    const callers = await Promise.all(
      fields.map(async (field, n) => {
        const tenant = `tenant-${n}`
        await must(place.origin, '/v1/admin/tenants', { body: { id: tenant, name: tenant } })
        const { text } = await must(place.origin, '/v1/admin/tokens', { body: { tenant, name: 'All' } })
        return { token: text as string, field, connection: await place.connect(addToken(place.board), { token: text }) }
      }),
    )
    const stops = callers.map((caller, n) => keepCalling(place, caller, n === 0 ? 5 * waitingCalls : waitingCalls))
    // Whoever came first may have taken more of the first window.
    await wait(windowMs)
    const began = Date.now()
    await wait(sharedMs + windowMs)
    const answers = await Promise.all(stops.map((stop) => stop('abandon')))
    const counts = callers.map((caller) => seenOnAverage(place, caller, began))
    const all = counts.reduce((sum, count) => sum + count, 0)
    const allowed = (sharedMs / windowMs) * perKey
    console.log(
      `one key: ${all.toFixed(1)} of ${allowed} calls in ${sharedMs} ms, by tenant ${counts.map((count) => count.toFixed(1)).join(', ')}, ${place.board.control.counters().rateLimited} refused`,
      answers,
    )
    expect(place.board.control.counters().rateLimited).toBe(0)
    expect(all).toBeGreaterThanOrEqual(0.9 * allowed)
    for (const count of counts) expect(count).toBeGreaterThanOrEqual((0.9 * all) / counts.length)
    for (const each of answers) expect([...each.keys()]).toEqual([200])
  })
})
