import { describe, expect, it } from 'vitest'
import { createSharedWork, shareCalls, waitForShared } from '../../shared/runtime/shared-work.ts'

/** Sleeps until `wake` is called or the sleep is given up. */
const createClock = () => {
  const waiting: (() => void)[] = []
  return {
    now: () => 0,
    monotonic: () => 0,
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((wake, fail) => {
        waiting.push(wake)
        signal?.addEventListener('abort', () => fail(new Error('given up')))
      }),
    wake: () => waiting.forEach((wake) => wake()),
  }
}

describe('work that several callers want', () => {
  it('is under way until it has ended, whichever way, for its key alone', async () => {
    const shared = createSharedWork<string>()
    const { promise, resolve } = Promise.withResolvers<string>()
    const work = shared.start('a', () => promise)
    expect(shared.find('a')).toBe(work)
    expect(shared.find('b')).toBeUndefined()
    resolve('done')
    expect(await work).toBe('done')
    expect(shared.find('a')).toBeUndefined()
    await expect(shared.start('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    expect(shared.find('a')).toBeUndefined()
  })

  it('is started once by all calls until it has ended', async () => {
    let started = 0
    const call = shareCalls(async () => (started += 1))
    expect(await Promise.all([call(), call()])).toEqual([1, 1])
    expect(await call()).toBe(2)
  })
})

describe('waiting for it', () => {
  const never = new Promise<string>(() => {})
  const patient = { signal: undefined, deadlineAt: 1000 }

  it('gives its result or its failure', async () => {
    expect(await waitForShared(createClock(), Promise.resolve('done'), patient)).toBe('done')
    await expect(waitForShared(createClock(), Promise.reject(new Error('broken')), patient)).rejects.toThrow('broken')
  })

  it('ends with the call that waits', async () => {
    const cancelled = expect.objectContaining({ code: 'cancelled' })
    await expect(waitForShared(createClock(), never, { ...patient, signal: AbortSignal.abort() })).rejects.toEqual(
      cancelled,
    )
    const caller = new AbortController()
    const waiting = waitForShared(createClock(), never, { ...patient, signal: caller.signal })
    caller.abort()
    await expect(waiting).rejects.toEqual(cancelled)
  })

  it('ends with the time of that call, where that is limited', async () => {
    const clock = createClock()
    const waiting = waitForShared(clock, never, patient)
    clock.wake()
    await expect(waiting).rejects.toEqual(expect.objectContaining({ code: 'unreachable' }))
    expect(await Promise.race([waitForShared(clock, never, { signal: undefined }), Promise.resolve('waits')])).toBe(
      'waits',
    )
  })
})
