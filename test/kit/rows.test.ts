import { describe, expect, it } from 'vitest'
import { given, isFailure, readRow, readRows, textOf } from '#kit'

const refusal = (work: () => unknown): string => {
  try {
    work()
  } catch (thrown) {
    if (isFailure(thrown) && thrown.code === 'bad_reply') return thrown.message
  }
  return 'not refused'
}

describe('rows of a reply', () => {
  it('are records with ids, of text unless numbers are asked for', () => {
    expect(readRow({ id: 'a', name: 'A' }, 'a card')).toEqual({ id: 'a', name: 'A' })
    expect(readRows([{ id: 7 }], 'issues', 'number')).toEqual([{ id: 7 }])
    expect(readRows([], 'cards')).toEqual([])
  })

  it('are refused with what was expected in their place', () => {
    for (const reply of [null, 'text', {}, { id: 7 }, []])
      expect(refusal(() => readRow(reply, 'a card'))).toContain('other than a card with an id')
    for (const reply of [null, {}, [{}], [{ id: 'a' }, { id: 7 }]])
      expect(refusal(() => readRows(reply, 'cards'))).toContain('a list of cards with ids')
    expect(refusal(() => readRows([{ id: '7' }], 'issues', 'number'))).toContain('a list of issues')
  })

  it('give a field as text only where it is text', () => {
    expect([textOf({ a: 'x' }, 'a'), textOf({ a: 7 }, 'a'), textOf({}, 'a')]).toEqual(['x', '', ''])
  })
})

it('given leaves out what has no value, and only that', () => {
  expect(given({ a: undefined, b: false, c: 0, d: '', e: null, f: [] })).toEqual({
    b: false,
    c: 0,
    d: '',
    e: null,
    f: [],
  })
})
