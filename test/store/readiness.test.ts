import { expect, test } from 'vitest'
import { fail } from '#kit'
import { createReadiness } from '../../shared/store/postgres/readiness.ts'
import { failsWith } from './fails.ts'

const failed = (code: string, message = 'The database cannot be used.') =>
  fail('unavailable', message, { cause: Object.assign(new Error('broken'), { code }) })
const full = () => failed('53100', 'The database cannot be used: the disk of the database is full; free some space.')

/** A database that answers a test commit when and as a test of ours says. */
const open = () => {
  let now = 0
  let tests = 0
  let answer: () => Promise<void> = async () => {}
  const { check, committed } = createReadiness({ monotonic: () => now, testCommit: () => ((tests += 1), answer()) })
  return {
    check,
    committed,
    pass: (ms: number) => void (now += ms),
    answers: (next: () => Promise<void>) => void (answer = next),
    tests: () => tests,
  }
}

test('probes share one test commit every five seconds, however many come', async () => {
  const { check, pass, tests } = open()
  await Promise.all(Array.from({ length: 100 }, check))
  for (let turn = 0; turn < 49; turn += 1) {
    pass(100)
    await check()
  }
  expect(tests()).toBe(1)
  pass(200)
  await Promise.all(Array.from({ length: 100 }, check))
  expect(tests()).toBe(2)
})

test('a real commit that found no space is believed at once; one that needed none does not disprove it, only a test commit that needs some', async () => {
  const { check, committed, pass, answers, tests } = open()
  await check()
  committed(full())
  expect(await failsWith(check(), 'unavailable')).toContain('disk of the database is full')
  committed()
  expect(await failsWith(check(), 'unavailable')).toContain('disk of the database is full')
  expect(tests()).toBe(1)
  answers(() => Promise.reject(full()))
  pass(5_000)
  await failsWith(check(), 'unavailable')
  answers(async () => {})
  pass(5_000)
  await check()
  expect(tests()).toBe(3)
})

test('a lost connection is believed until something is committed again', async () => {
  const { check, committed } = open()
  await check()
  committed(failed('ECONNRESET', 'The connection to the database was lost.'))
  expect(await failsWith(check(), 'unavailable')).toContain('connection to the database was lost')
  committed()
  await check()
})

test('what says nothing about the database changes nothing', async () => {
  const { check, committed } = open()
  await check()
  committed(fail('conflict', 'A row with this id exists already.', { cause: { code: '23505' } }))
  committed(fail('unavailable', 'A subscription was changed by another process.', { cause: { code: 'TY002' } }))
  committed(fail('unavailable', 'A lock was not given in time.', { cause: { code: '55P03' } }))
  await check()
})

test('a database that does not answer keeps no probe waiting: ready while it answered lately, then not', async () => {
  const { check, pass, answers, tests } = open()
  await check()
  answers(() => new Promise(() => {}))
  pass(5_000)
  const began = performance.now()
  await check()
  pass(6_000)
  expect(await failsWith(check(), 'unavailable')).toMatch(/has not answered for 11 s/)
  expect(await failsWith(check(), 'unavailable')).toMatch(/has not answered/)
  expect(performance.now() - began).toBeLessThan(5_000)
  expect(tests()).toBe(2)
})

test('nor one that never did', async () => {
  const { check, answers } = open()
  answers(() => new Promise(() => {}))
  expect(await failsWith(check(), 'unavailable')).toMatch(/has not answered yet/)
})
