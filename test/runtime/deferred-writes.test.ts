import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { immediateWrites, createDeferredWrites } from '../../shared/runtime/deferred-writes.ts'

it('is done a moment later, in order, each thing once', async () => {
  const writes = createDeferredWrites()
  const done: string[] = []
  const note = (what: string) => void done.push(what)
  writes.add(note, 'a')
  writes.add(note, 'b')
  expect(done).toEqual([])
  while (done.length === 0) await wait(1)
  expect(done).toEqual(['a', 'b'])
  writes.add(note, 'c')
  writes.flush()
  expect(done).toEqual(['a', 'b', 'c'])
  await wait(30)
  expect(done).toEqual(['a', 'b', 'c'])
})

it('what is added meanwhile is done, too', async () => {
  const writes = createDeferredWrites()
  const done: number[] = []
  const count = (left: number): void => {
    done.push(left)
    if (left > 0) writes.add(count, left - 1)
  }
  writes.add(count, 3)
  while (done.length < 4) await wait(1)
  expect(done).toEqual([3, 2, 1, 0])
})

it('many are not put off', () => {
  const writes = createDeferredWrites()
  const done: number[] = []
  for (let n = 0; n < 250; n += 1) writes.add((value: number) => void done.push(value), n)
  expect(done.length).toBeGreaterThanOrEqual(200)
  writes.flush()
  expect(done).toEqual(Array.from({ length: 250 }, (_, n) => n))
})

it('at once puts nothing off', () => {
  const done: string[] = []
  immediateWrites.add((what: string) => void done.push(what), 'a')
  expect(done).toEqual(['a'])
})
