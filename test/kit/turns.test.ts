import { expect, test, vi } from 'vitest'
import { createTurns } from '../../shared/kit/turns.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('what comes together is begun in order, so many in each turn of the event loop', async () => {
  const begun: number[] = []
  const begin = createTurns(4, (n: number) => void begun.push(n))
  for (let n = 0; n < 10; n += 1) begin(n)
  expect(begun).toEqual([0, 1, 2, 3])
  await turn()
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  // Whoever comes later does not overtake.
  begin(10)
  expect(begun).toHaveLength(8)
  await turn()
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  await turn()
  begin(11)
  expect(begun).toHaveLength(12)
})

test('work that throws does not leave what follows behind', async () => {
  const begun: string[] = []
  const begin = createTurns(1, (name: string) => {
    if (name === 'broken') throw new Error(name)
    begun.push(name)
  })
  const thrown = vi.fn()
  process.once('uncaughtException', thrown)
  const others = process.listeners('uncaughtException').filter((listener) => listener !== thrown)
  for (const listener of others) process.off('uncaughtException', listener)
  try {
    for (const name of ['first', 'broken', 'last']) begin(name)
    for (let count = 0; count < 3; count += 1) await turn()
  } finally {
    for (const listener of others) process.on('uncaughtException', listener)
  }
  expect(thrown).toHaveBeenCalledTimes(1)
  expect(begun).toEqual(['first', 'last'])
})
