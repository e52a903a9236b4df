import { expect, it } from 'vitest'
import { createRows, interleave } from '../../shared/faces/console/pages/events/live-rows.ts'

type Row = { id: string; createdAt: string; state: string }
const row = (n: number, state = 'new'): Row => ({
  id: `r${n}`,
  createdAt: new Date(1_800_000_000_000 + n * 1000).toISOString(),
  state,
})
const listOf = (...rows: Row[]) => {
  const list = createRows<Row>({ keyOf: ({ id }) => id, accepts: ({ state }) => state !== 'hidden' })
  list.replace(rows)
  const said = () => list.all().map(({ id, state }) => `${id} ${state}`)
  return {
    ...list,
    said,
    merged(incoming: Row[], hasMore = false) {
      list.merge(incoming, hasMore)
      return said()
    },
  }
}

it('puts new rows on top, newest first, and replaces changed ones where they are', () => {
  const list = listOf(row(3), row(2), row(1))
  expect(list.merged([row(4), row(5), row(2, 'done')])).toEqual(['r5 new', 'r4 new', 'r3 new', 'r2 done', 'r1 new'])
  expect(list.get('r2')).toEqual(row(2, 'done'))
  expect(list.merged([row(5, 'done')])[0]).toBe('r5 done')
  expect(listOf().merged([row(1), row(2)])).toEqual(['r2 new', 'r1 new'])
})

it('keeps the order of time when a row arrives late, and the last of two changes', () => {
  expect(listOf(row(5), row(1)).merged([row(3), row(6), row(3, 'done')])).toEqual([
    'r6 new',
    'r5 new',
    'r3 done',
    'r1 new',
  ])
})

it('leaves out what no longer fits the filter, until it fits again', () => {
  const list = listOf(row(2), row(1))
  expect(list.merged([row(2, 'hidden'), row(3, 'hidden')])).toEqual(['r1 new'])
  expect(list.get('r2')).toBeUndefined()
  expect(list.merged([row(2, 'done')])).toEqual(['r2 done', 'r1 new'])
})

it('leaves rows that are older than what is loaded to their page', () => {
  const list = listOf(row(5), row(4))
  expect(list.merged([row(1, 'done'), row(6)], true)).toEqual(['r6 new', 'r5 new', 'r4 new'])
  expect(list.merged([row(1, 'done')])).toEqual(['r6 new', 'r5 new', 'r4 new', 'r1 done'])
})

it('takes older pages at the end, no row twice, and drops the oldest', () => {
  const list = listOf(row(5), row(4))
  list.append([row(4), row(3), row(2)])
  expect(list.said()).toEqual(['r5 new', 'r4 new', 'r3 new', 'r2 new'])
  list.cut(2)
  expect([list.said(), list.get('r3')]).toEqual([['r5 new', 'r4 new'], undefined])
})

it('puts rows of another list between them by time', () => {
  const time = (n: number) => row(n).createdAt
  const gaps = [{ gap: 2.5 }, { gap: 9 }, { gap: 0 }]
  const named = (all: (Row | { gap: number })[]) => all.map((entry) => ('gap' in entry ? entry.gap : entry.id))
  expect(named(interleave([row(3), row(2), row(1)], gaps, ({ gap }) => time(gap), false))).toEqual([
    9,
    'r3',
    2.5,
    'r2',
    'r1',
    0,
  ])
  expect(named(interleave([row(3), row(2), row(1)], gaps, ({ gap }) => time(gap), true))).toEqual([
    9,
    'r3',
    2.5,
    'r2',
    'r1',
  ])
  expect(named(interleave<Row, { gap: number }>([], gaps, ({ gap }) => time(gap), false))).toEqual([9, 2.5, 0])
})
