import { expect, it } from 'vitest'
import { createChangeFeed } from '../../shared/faces/http/change-feed.ts'
import type { Pack } from '../../shared/pack.ts'

type Row = { id: string; connection: string; state: string; attempts: number; createdAt: string; endedAt?: string }
const row = (n: number, state = 'pending', attempts = 0): Row => ({
  id: `row ${n}`,
  connection: 'con_1',
  state,
  attempts,
  createdAt: new Date(1_800_000_000_000 + n * 1000).toISOString(),
})

/** A list as the store gives it: newest first, a page at a time. */
const listed = (rows: () => Row[]) => {
  const offsets: number[] = []
  return {
    asked: offsets,
    list: async (_caller: unknown, { limit, cursor }: { limit: number; cursor?: string }) => {
      const from = Number(cursor ?? 0)
      offsets.push(from)
      const newestFirst = rows().toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
      return {
        items: newestFirst.slice(from, from + limit),
        ...(newestFirst.length > from + limit ? { next: String(from + limit) } : {}),
      }
    },
  }
}
const over = (before: Row[]) => {
  const starts = { rows: before }
  const list = listed(() => starts.rows)
  const readChanges = createChangeFeed({ events: listed(() => []), starts: list } as unknown as Pack, {
    tenant: 'default',
  })
  return {
    starts,
    offsets: list.asked,
    changes: async () => (await readChanges()).map(({ kind, row: { id, state } }) => `${kind} ${id} ${state}`),
  }
}

it('reports nothing of what existed before the first call', async () => {
  const { changes, offsets } = over(Array.from({ length: 250 }, (_, n) => row(n)))
  expect(await changes()).toEqual([])
  expect(await changes()).toEqual([])
  expect(offsets).toEqual([0, 0])
})

it('reports a new row once, and again whenever its state or attempts change', async () => {
  const { starts, changes } = over([row(1, 'done')])
  await changes()
  starts.rows = [row(1, 'done'), row(2), row(3)]
  expect(await changes()).toEqual(['start row 2 pending', 'start row 3 pending'])
  starts.rows = [row(1, 'done'), row(2, 'leased', 1), row(3)]
  expect(await changes()).toEqual(['start row 2 leased'])
  starts.rows = [row(1, 'done'), row(2, 'pending', 1), row(3, 'done', 1)]
  expect(await changes()).toEqual(['start row 2 pending', 'start row 3 done'])
  starts.rows = [row(1, 'done'), row(2, 'pending', 2), row(3, 'done', 1)]
  expect(await changes()).toEqual(['start row 2 pending'])
  expect(await changes()).toEqual([])
})

it('reports a start that was sent again and has ended since the previous call', async () => {
  const { starts, changes } = over([{ ...row(1, 'done', 1), endedAt: '2027-01-15T08:00:00.000Z' }])
  await changes()
  starts.rows = [{ ...row(1, 'done', 1), endedAt: '2027-01-15T08:00:00.400Z' }]
  expect(await changes()).toEqual(['start row 1 done'])
  expect(await changes()).toEqual([])
})

it('reports all of a burst that fills several pages', async () => {
  const { starts, changes } = over([row(0)])
  await changes()
  starts.rows = Array.from({ length: 351 }, (_, n) => row(n))
  expect(await changes()).toEqual(Array.from({ length: 350 }, (_, n) => `start row ${n + 1} pending`))
})

it('does not report a row that moves onto the page because a newer one was removed', async () => {
  const { starts, changes } = over(Array.from({ length: 150 }, (_, n) => row(n)))
  await changes()
  starts.rows = starts.rows.filter(({ id }) => id !== 'row 140')
  expect(await changes()).toEqual([])
  starts.rows = [...starts.rows, row(200)]
  expect(await changes()).toEqual(['start row 200 pending'])
})

it('reports an event of two connections for each of them', async () => {
  const { starts, changes } = over([row(1)])
  await changes()
  starts.rows = [row(1), { ...row(1), connection: 'con_2' }]
  expect(await changes()).toEqual(['start row 1 pending'])
})
