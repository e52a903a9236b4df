import { expect, it } from 'vitest'
import { interleave, mergeRows } from '../../shared/faces/console/pages/events/live-rows.ts'

type Row = { id: string; createdAt: string; state: string }
const row = (n: number, state = 'new'): Row => ({ id: `r${n}`, createdAt: new Date(1_800_000_000_000 + n * 1000).toISOString(), state })
const rules = { keyOf: ({ id }: Row) => id, accepts: ({ state }: Row) => state !== 'hidden', hasMore: false }
const said = (rows: Row[]) => rows.map(({ id, state }) => `${id} ${state}`)

it('puts new rows on top, newest first, and replaces changed ones where they are', () => {
  const rows = [row(3), row(2), row(1)]
  expect(said(mergeRows(rows, [row(4), row(5), row(2, 'done')], rules))).toEqual(['r5 new', 'r4 new', 'r3 new', 'r2 done', 'r1 new'])
  expect(said(mergeRows([], [row(1), row(2)], rules))).toEqual(['r2 new', 'r1 new'])
  expect(mergeRows(rows, [], rules)).toBe(rows)
})

it('keeps the order of time when a row arrives late, and the last of two changes', () => {
  expect(said(mergeRows([row(5), row(1)], [row(3), row(6), row(3, 'done')], rules))).toEqual(['r6 new', 'r5 new', 'r3 done', 'r1 new'])
})

it('leaves out what no longer fits the filter', () => {
  expect(said(mergeRows([row(2), row(1)], [row(2, 'hidden'), row(3, 'hidden')], rules))).toEqual(['r1 new'])
})

it('leaves rows that are older than what is loaded to their page', () => {
  expect(said(mergeRows([row(5), row(4)], [row(1, 'done'), row(6)], { ...rules, hasMore: true }))).toEqual(['r6 new', 'r5 new', 'r4 new'])
  expect(said(mergeRows([row(5), row(4)], [row(1, 'done')], rules))).toEqual(['r5 new', 'r4 new', 'r1 done'])
})

it('puts rows of another list between them by time', () => {
  const time = (n: number) => row(n).createdAt
  const gaps = [{ gap: 2.5 }, { gap: 9 }, { gap: 0 }]
  const named = (all: (Row | { gap: number })[]) => all.map((one) => ('gap' in one ? one.gap : one.id))
  expect(named(interleave([row(3), row(2), row(1)], gaps, ({ gap }) => time(gap), false))).toEqual([9, 'r3', 2.5, 'r2', 'r1', 0])
  expect(named(interleave([row(3), row(2), row(1)], gaps, ({ gap }) => time(gap), true))).toEqual([9, 'r3', 2.5, 'r2', 'r1'])
  expect(named(interleave<Row, { gap: number }>([], gaps, ({ gap }) => time(gap), false))).toEqual([9, 2.5, 0])
})
