import { describe, expect, it } from 'vitest'
import { ids, idOf, refusals, runStep } from './fake.ts'

const other = idOf(90)
/** The newest first, with ids that fall: of every ten actions, the person did the last. */
const history = Array.from({ length: 7_000 }, (_, n) => ({
  id: idOf(20_000 - n),
  type: 'updateCard',
  idMemberCreator: n % 10 === 9 ? ids.member : other,
}))
const board = ({ query }: { query?: Record<string, unknown> | undefined }) => {
  const { before, limit } = query as { before?: string; limit: number }
  const from = before === undefined ? 0 : history.findIndex(({ id }) => id === before) + 1
  return history.slice(from, from + Number(limit))
}
const theirs = history.filter(({ idMemberCreator }) => idMemberCreator === ids.member)

describe('the activity of a board', () => {
  it('is read in one request, which says what and since when', async () => {
    const types = ['commentCard', 'updateCard:idList']
    const since = '2026-03-01T00:00:00Z'
    const { sent, output } = await runStep(
      'get-board-activity',
      { idBoard: ids.board, types, since, limit: 2, cursor: idOf(33) },
      board,
    )
    expect(sent).toEqual([
      {
        method: 'GET',
        path: `/1/boards/${ids.board}/actions`,
        query: { filter: types.join(','), since, limit: 2, before: idOf(33) },
      },
    ])
    expect(output).toEqual({ actions: history.slice(0, 2), count: 2, next: history[1]!.id })
  })

  it('ends where a page is short', async () => {
    const { output } = await runStep('get-board-activity', { idBoard: ids.board, limit: 3 }, [history.slice(0, 2)])
    expect(output).toEqual({ actions: history.slice(0, 2), count: 2 })
  })

  it('of one person is picked from whole pages, once each, until the end', async () => {
    const seen: unknown[] = []
    let cursor: string | undefined
    for (let calls = 0; calls < 20; calls += 1) {
      const input = { idBoard: ids.board, idMember: ids.member, limit: 90, ...(cursor ? { cursor } : {}) }
      const { output, sent } = await runStep('get-board-activity', input, board)
      expect(sent.every(({ query }) => query?.['limit'] === 1000)).toBe(true)
      seen.push(...(output['actions'] as unknown[]))
      cursor = output['next'] as string | undefined
      if (cursor === undefined) break
    }
    expect(seen).toEqual(theirs)
  })

  it('of somebody who did nothing stops after five pages, and says where', async () => {
    const input = { idBoard: ids.board, idMember: idOf(91) }
    const { output, sent } = await runStep('get-board-activity', input, board)
    expect(sent).toHaveLength(5)
    expect(output).toEqual({ actions: [], count: 0, next: history[4_999]!.id })
    const rest = await runStep('get-board-activity', { ...input, cursor: output['next'] }, board)
    expect(rest.output).toEqual({ actions: [], count: 0 })
  })
})

describe('a person', () => {
  it('is named by id, username or me', async () => {
    const paths: string[] = []
    for (const idMember of ['me', '@OdetteQuill', ` ${ids.member.toUpperCase()} `]) {
      const { sent } = await runStep('get-member', { idMember }, [{ id: ids.member }])
      paths.push(sent[0]!.path)
    }
    expect(paths).toEqual(['/1/members/me', '/1/members/odettequill', `/1/members/${ids.member}`])
  })

  it('is nobody else', () => {
    for (const idMember of ['', 'x', 'a/b', 'me/boards', 'odette quill'])
      expect(refusals('get-member', { idMember }).idMember).toContain('Give an id of 24 characters, a username, or me.')
  })
})
