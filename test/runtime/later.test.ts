import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { atOnce, createLater } from '../../shared/runtime/steps/deferred-writes.ts'

it('is done a moment later, in order, each thing once', async () => {
  const later = createLater()
  const done: string[] = []
  const note = (what: string) => void done.push(what)
  later.add(note, 'a')
  later.add(note, 'b')
  expect(done).toEqual([])
  await turn()
  expect(done).toEqual(['a', 'b'])
  later.add(note, 'c')
  later.flush()
  expect(done).toEqual(['a', 'b', 'c'])
  await turn()
  expect(done).toEqual(['a', 'b', 'c'])
})

it('what is added meanwhile is done, too', async () => {
  const later = createLater()
  const done: number[] = []
  const count = (left: number): void => {
    done.push(left)
    if (left > 0) later.add(count, left - 1)
  }
  later.add(count, 3)
  while (done.length < 4) await turn()
  expect(done).toEqual([3, 2, 1, 0])
})

it('at once puts nothing off', () => {
  const done: string[] = []
  atOnce.add((what: string) => void done.push(what), 'a')
  expect(done).toEqual(['a'])
})
