import { expect, it } from 'vitest'
import { failureOf, fakeContext, ids, runStep, stepOf } from './fake.ts'

const board = { id: ids.board, name: 'Launch plan' }

it('deletes a board whose name was given, by its id', async () => {
  const { sent, output } = await runStep('delete-board', { idBoard: 'Tb5Hn3Qa', confirmName: 'Launch plan' }, [
    board,
    {},
  ])
  expect(sent.map(({ method, path }) => [method, path])).toEqual([
    ['GET', '/1/boards/Tb5Hn3Qa'],
    ['DELETE', `/1/boards/${ids.board}`],
  ])
  expect(output).toEqual({ id: ids.board, deleted: true })
})

it.each(['launch plan', 'Launch plan ', 'Launch'])('refuses "%s" before anything is deleted', async (confirmName) => {
  const { ctx, sent } = fakeContext([board])
  const step = stepOf('delete-board')
  const run = step.run(ctx, step.input.parse({ idBoard: ids.board, confirmName }), [])
  expect(await failureOf(run)).toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining('nothing was deleted. Give its exact name.') as string,
  })
  expect(sent.map(({ method }) => method)).toEqual(['GET'])
})
