import { expect, test } from 'vitest'
import { createLanes } from '../../shared/store/postgres/lanes.ts'

/** Connections that answer when the test says so. */
const openLanes = (usual: number, most = usual) => {
  const opened: { id: number; isUsable: boolean; isFree: boolean }[] = []
  const answers: (() => void)[] = []
  let isDown = false
  const lanes = createLanes(
    async () => {
      if (isDown) throw new Error('no connection')
      const state = { id: opened.length, isUsable: true, isFree: false }
      opened.push(state)
      return {
        connection: state.id,
        isUsable: () => state.isUsable,
        free: () => void (state.isFree = true),
      }
    },
    { usual, most },
  )
  /** Resolves with the connection it was sent on. */
  const send = () =>
    lanes.share(async (id) => {
      await new Promise<void>((resolve) => answers.push(resolve))
      return id
    })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  return { lanes, opened, answers, send, turn, goDown: (down: boolean) => void (isDown = down) }
}

test('each has a connection of its own while there are some; then all share them evenly', async () => {
  const { lanes, opened, answers, send, turn } = openLanes(2)
  const sent = Array.from({ length: 6 }, send)
  await turn()
  expect(opened).toHaveLength(2)
  expect(answers).toHaveLength(6)
  expect(lanes.waiting()).toBe(4)
  for (const answer of answers.splice(0)) answer()
  expect((await Promise.all(sent)).toSorted()).toEqual([0, 0, 0, 1, 1, 1])
  expect(opened.map(({ isFree }) => isFree)).toEqual([true, true])
  expect(lanes.waiting()).toBe(0)
})

test('a connection is free only when the last answer has come, and the next gets another one', async () => {
  const { opened, answers, send, turn } = openLanes(1)
  const sent = [send(), send()]
  await turn()
  answers.shift()!()
  await turn()
  expect(opened[0]!.isFree).toBe(false)
  answers.shift()!()
  await Promise.all(sent)
  expect(opened[0]!.isFree).toBe(true)
  const later = send()
  await turn()
  answers.shift()!()
  expect(await later).toBe(1)
})

test('nothing more is sent on a connection that was lost, and it is free when all have failed', async () => {
  const { opened, answers, send, turn } = openLanes(1)
  const first = send()
  await turn()
  opened[0]!.isUsable = false
  const second = send()
  await turn()
  for (const answer of answers.splice(0)) answer()
  expect(await Promise.all([first, second])).toEqual([0, 1])
  expect(opened.map(({ isFree }) => isFree)).toEqual([true, true])
})

test('whoever waits for a connection that cannot be opened fails, and the next one tries again', async () => {
  const { answers, send, turn, goDown } = openLanes(1)
  goDown(true)
  const failed = await Promise.allSettled([send(), send()])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  goDown(false)
  const later = send()
  await turn()
  answers.shift()!()
  expect(await later).toBe(0)
})

test('more connections are taken while all have slow answers, and never more than there may be', async () => {
  const { opened, answers, send, turn } = openLanes(1, 2)
  const sent = Array.from({ length: 9 }, send)
  await turn()
  expect(opened).toHaveLength(2)
  sent.push(...Array.from({ length: 20 }, send))
  await turn()
  expect(opened).toHaveLength(2)
  for (const answer of answers.splice(0)) answer()
  await Promise.all(sent)
})

test('of two with as many outstanding, the connection that answered last gets the next', async () => {
  const { answers, send, turn } = openLanes(2)
  // On connections 0, 1, 0 and 1.
  const sent = Array.from({ length: 4 }, send)
  await turn()
  answers.splice(1, 1)[0]!()
  await turn()
  sent.push(send(), send())
  await turn()
  for (const answer of answers.splice(0)) answer()
  expect(await Promise.all(sent)).toEqual([0, 1, 0, 1, 1, 1])
})
