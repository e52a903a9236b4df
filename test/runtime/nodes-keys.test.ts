/** Idempotency keys, where several processes share a database. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { fail, toFailureJson } from '#kit'
import type { Outcome } from '#kit'
import { createPack, openPostgresStore, systemClock } from '../../shared/pack.ts'
import { createIntents } from '../../shared/runtime/idempotency.ts'
import type { Keyed } from '../../shared/runtime/idempotency.ts'
import { keyIdOf } from '../../shared/store/index.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'

const caller = { tenant: 't' }
const request = { hash: 'h', isFormer: async () => false }
const done = (value: string): Outcome => ({ ok: true, value, meta: { runId: value, durationMs: 0, attempts: 1 } })
const notSent: Outcome = {
  ok: false,
  failure: toFailureJson(fail('unreachable', 'Not there.')),
  meta: { runId: '', durationMs: 0, attempts: 1 },
}
const gate = () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { open, opened }
}

describe.skipIf(postgresIsMissing())('keys over processes', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  const closers: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    server = await startPostgres()
  }, 60_000)
  afterEach(async () => {
    for (const close of closers.splice(0)) await close()
  })
  afterAll(() => server.close())

  const openTwo = async () => {
    const url = await server.createDatabase()
    const open = async () => {
      const store = await openPostgresStore({ url, clock: systemClock, log: () => {} })
      closers.push(() => store.close())
      return { store, intents: createIntents({ store, clock: systemClock, log: () => {} }) }
    }
    return [await open(), await open()] as const
  }

  test('of all that come with one key, one works, and the others are told of it', async () => {
    const nodes = await openTwo()
    for (let race = 0; race < 20; race += 1) {
      let worked = 0
      const all = Array.from({ length: 6 }, (_, n) => {
        const runId = `run-${race}-${n}`
        return nodes[n % 2]!.intents.once(caller, `key-${race}`, request, runId, async ({ sending }) => {
          await sending()
          worked += 1
          return done(runId)
        })
      })
      const values = (await Promise.all(all)).map((outcome) => outcome.ok && outcome.value)
      expect(worked).toBe(1)
      expect(new Set(values).size).toBe(1)
    }
  })

  test('after one that was not sent, one of those that waited works', async () => {
    const [firstProcess, other] = await openTwo()
    const { open, opened } = gate()
    const began = gate()
    const first = firstProcess.intents.once(caller, 'k', request, 'first', async () => {
      began.open()
      await opened
      return notSent
    })
    await began.opened
    let worked = 0
    const work = (runId: string) => async () => {
      worked += 1
      return done(runId)
    }
    const waiting = [
      other.intents.once(caller, 'k', request, 'b', work('b')),
      firstProcess.intents.once(caller, 'k', request, 'c', work('c')),
    ]
    open()
    expect(await first).toEqual(notSent)
    const values = (await Promise.all(waiting)).map((outcome) => outcome.ok && outcome.value)
    expect(worked).toBe(1)
    expect(new Set(values).size).toBe(1)
  })

  test('a process that was taken for dead cannot send with a key that another one has run', async () => {
    const [firstProcess, other] = await openTwo()
    let keyed: Keyed | undefined
    const began = gate()
    const { open, opened } = gate()
    const first = firstProcess.intents.once(caller, 'k', request, 'first', async (keyedRun) => {
      keyed = keyedRun
      began.open()
      await opened
      await keyedRun.sending()
      return done('first')
    })
    await began.opened
    // As the recovery does for processes that are gone.
    await other.store.intents.update('t', 'k', 'not_sent')
    expect(await other.intents.once(caller, 'k', request, 'second', async () => done('second'))).toMatchObject({
      ok: true,
      value: 'second',
    })
    open()
    await expect(first).rejects.toMatchObject({ code: 'conflict' })
    expect(keyed).toBeDefined()
    expect(await firstProcess.intents.once(caller, 'k', request, 'third', async () => done('third'))).toMatchObject({
      value: 'second',
    })
  })

  test('no process makes a master key that the others do not have', async () => {
    const key = Buffer.alloc(32, 9)
    const store = await openPostgresStore({ url: await server.createDatabase(), clock: systemClock, log: () => {} })
    const save = () => Promise.reject(new Error('it was made'))
    const pack = await createPack({ store, masterKey: { keys: [{ id: keyIdOf(key), key }], save } })
    closers.push(() => pack.close())
    await expect(pack.keys.rotate(caller)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('TOOLYARD_OLD_MASTER_KEYS'),
    })
  })

  test('a key whose work failed because of a defect may be used again, in either process', async () => {
    const [firstProcess, other] = await openTwo()
    const defect = () =>
      firstProcess.intents.once(caller, 'k', request, 'first', () => Promise.reject(new Error('a defect')))
    await expect(defect()).rejects.toThrow('a defect')
    expect(await other.intents.once(caller, 'k', request, 'again', async () => done('again'))).toMatchObject({
      value: 'again',
    })
    expect(await firstProcess.intents.once(caller, 'k', request, 'later', async () => done('later'))).toMatchObject({
      value: 'again',
    })
  })
})
