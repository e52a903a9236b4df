import { expect, test } from 'vitest'
import { createKeyedMutex } from '../../shared/runtime/triggers/keyed-mutex.ts'

const turns = async (count = 5) => {
  for (let n = 0; n < count; n += 1) await new Promise((done) => setImmediate(done))
}

test('work under one name is done one after the other, also what comes as the last one ends, and after a failure', async () => {
  const inTurn = createKeyedMutex()
  let running = 0
  let most = 0
  const order: number[] = []
  const work = (n: number) => async () => {
    running += 1
    most = Math.max(most, running)
    await turns()
    order.push(n)
    running -= 1
    if (n === 2) throw new Error('two')
    return n
  }
  const results = [1, 2, 3].map((n) => inTurn('a', work(n)))
  const late = results[2]!.then(() => inTurn('a', work(4)))
  expect(await Promise.allSettled([...results, late])).toMatchObject([
    { value: 1 },
    { status: 'rejected' },
    { value: 3 },
    { value: 4 },
  ])
  expect([order, most]).toEqual([[1, 2, 3, 4], 1])
})

test('different names go beside each other', async () => {
  const inTurn = createKeyedMutex()
  let free = () => {}
  const held = inTurn('a', () => new Promise<void>((done) => (free = done)))
  expect(await inTurn('b', () => Promise.resolve('b'))).toBe('b')
  free()
  await held
})
