import { expect, test } from 'vitest'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'

const day = 86_400_000
const seedAt = async (now: number) => {
  const sandbox = await startBoardSandbox({ now: () => now })
  const { state, credentials } = sandbox
  await sandbox.close()
  const ids = (rows: Map<string, { id: string }>) => [...rows.values()].map(({ id }) => id)
  return {
    credentials,
    things: [state.members, state.organizations, state.boards, state.lists, state.labels, state.cards].map((rows) =>
      ids(rows as Map<string, { id: string }>),
    ),
    actions: state.actions.map(({ id, date }) => [id, date]),
    due: [...state.cards.values()].flatMap(({ due }) => (due === null ? [] : [Date.parse(due) - now])),
  }
}

test('people, boards, cards and history are the same at each start, so that what refers to them outlives a restart', async () => {
  const now = Date.parse('2027-04-01T10:00:00Z')
  const [first, later] = [await seedAt(now), await seedAt(now + 9 * day)]
  expect(later.things).toEqual(first.things)
  expect(later.actions).toEqual(first.actions)
  expect(later.credentials).toEqual(first.credentials)
  expect(first.things.every((ids) => ids.length > 0)).toBe(true)
  // What is due is due around today all the same.
  for (const offset of [...first.due, ...later.due]) expect(Math.abs(offset)).toBeLessThan(4 * day)
  expect(first.due.some((offset) => offset > 0) && first.due.some((offset) => offset < 0)).toBe(true)
})

test('a clock before that day has a past too', async () => {
  const now = Date.parse('2020-01-01T00:00:00Z')
  for (const [, date] of (await seedAt(now)).actions) expect(Date.parse(date!)).toBeLessThan(now)
})
