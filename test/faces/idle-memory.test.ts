import { expect, it } from 'vitest'
import { createIdleCheck } from '../../shared/faces/cli/start-memory.ts'

const mb = 2 ** 20

/** A process whose heap shrinks to `used` when it is collected. */
const openProcess = (used: number) => {
  const state = { heap: used, busy: 0, collections: 0 }
  const check = createIdleCheck({
    heapBytes: () => state.heap,
    busyShare: () => state.busy,
    collect() {
      state.heap = used
      state.collections += 1
    },
  })
  return { state, check }
}

it('collects what a burst has left behind, once the server is idle, and once', () => {
  const { state, check } = openProcess(30 * mb)
  Object.assign(state, { heap: 250 * mb, busy: 0.9 })
  check()
  expect(state.collections).toBe(0)
  state.busy = 0.002
  check()
  check()
  expect([state.collections, state.heap]).toEqual([1, 30 * mb])
})

it('does not block a server with steady work, nor an idle one for little', () => {
  const { state, check } = openProcess(30 * mb)
  Object.assign(state, { heap: 250 * mb, busy: 0.04 })
  check()
  Object.assign(state, { heap: 60 * mb, busy: 0 })
  check()
  expect(state.collections).toBe(0)
})

it('takes what stays after a collection as needed', () => {
  const { state, check } = openProcess(60 * mb)
  state.heap = 100 * mb
  check()
  expect(state.collections).toBe(0)
  state.heap = 120 * mb
  check()
  expect(state.collections).toBe(1)
})

it('leaves a large heap to the engine: to collect it at once would block the server for long', () => {
  const { state, check } = openProcess(200 * mb)
  state.heap = 400 * mb
  check()
  expect(state.collections).toBe(0)
})
