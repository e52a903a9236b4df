import { expect, it } from 'vitest'
import { openHttpWorld } from '../support/http-world.ts'

const face = await openHttpWorld()

const choices = async (query: string, values: object = {}) => {
  const before = face.sandbox.board.control.requests().length
  const reply = await face.ask('/v1/steps/work-board/create-card/options', {
    body: { field: 'idBoard', query, values },
  })
  expect(reply.status).toBe(200)
  return face.sandbox.board.control.requests().length - before
}

it('choices are cached for a moment, by what was asked', async () => {
  expect([await choices('a'), await choices('a'), await choices('b'), await choices('a', { idBoard: 'x' })]).toEqual([
    1, 0, 1, 1,
  ])
})

it('cached choices are bounded by bytes: what callers send along cannot fill the memory', async () => {
  await choices('first')
  expect(await choices('first')).toBe(0)
  for (let at = 0; at < 20; at += 1) await choices(`large ${at}`, { note: 'x'.repeat(900_000) })
  // The oldest made room.
  expect(await choices('first')).toBe(1)
})
