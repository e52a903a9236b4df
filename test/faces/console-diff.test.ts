import { expect, it } from 'vitest'
import { differences } from '../../shared/faces/console/pages/events/diff.ts'

it('names each field that was added, removed or changed, and no other', () => {
  const before = { name: 'Ask', due: null, list: { id: 'a', name: 'Ideas' }, labels: ['x'], same: { deep: [1] } }
  const after = {
    name: 'Ask early',
    due: '2026-01-01',
    list: { id: 'b', name: 'Ideas' },
    labels: ['x', 'y'],
    same: { deep: [1] },
    closed: false,
  }
  expect(differences(before, after)).toEqual([
    { field: 'name', before: 'Ask', after: 'Ask early' },
    { field: 'due', before: null, after: '2026-01-01' },
    { field: 'list.id', before: 'a', after: 'b' },
    { field: 'labels', before: ['x'], after: ['x', 'y'] },
    { field: 'closed', after: false },
  ])
  expect(differences(after, before).at(-1)).toEqual({ field: 'closed', before: false })
  expect(differences(before, before)).toEqual([])
})

it('takes a value of another kind as changed as a whole', () => {
  expect(differences({ list: { id: 'a' } }, { list: null })).toEqual([
    { field: 'list', before: { id: 'a' }, after: null },
  ])
  expect(differences({ n: 1 }, { n: '1' })).toEqual([{ field: 'n', before: 1, after: '1' }])
})

it('compares what is deeply nested, and names like those of every object', () => {
  const nest = (value: unknown, depth: number): unknown => (depth === 0 ? value : { inner: nest(value, depth - 1) })
  expect(differences(nest(1, 500), nest(2, 500))).toHaveLength(1)
  expect(differences({}, JSON.parse('{"__proto__":1,"toString":2}'))).toEqual([
    { field: '__proto__', after: 1 },
    { field: 'toString', after: 2 },
  ])
})
