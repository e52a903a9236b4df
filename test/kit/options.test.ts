import { describe, expect, it } from 'vitest'
import { formValue, optionPageSize, pageOptions } from '#kit'

const all = Array.from({ length: optionPageSize + 5 }, (_, index) => ({
  value: `v${index}`,
  label: `Label ${index}`,
  hint: index === 3 ? 'Special' : 'usual',
}))

describe('a page of options', () => {
  it('goes on after the last value shown, whatever was added before it', () => {
    const first = pageOptions(all, { query: '' })
    expect(first.options).toHaveLength(optionPageSize)
    expect(first.next).toBe(`v${optionPageSize - 1}`)
    const second = pageOptions([{ value: 'new', label: 'New' }, ...all], { query: '', cursor: first.next! })
    expect(second.options.map(({ value }) => value)).toEqual(all.slice(optionPageSize).map(({ value }) => value))
    expect(second.next).toBeUndefined()
  })

  it('holds what fits the query in label, hint or value, in any case', () => {
    expect(pageOptions(all, { query: ' special ' }).options.map(({ value }) => value)).toEqual(['v3'])
    expect(pageOptions(all, { query: 'LABEL 104' }).options.map(({ value }) => value)).toEqual(['v104'])
    expect(pageOptions(all, { query: 'nothing' })).toEqual({ options: [] })
  })
})

it('a form value is text, or absent while the field is empty', () => {
  expect([
    formValue({ a: 'x' }, 'a'),
    formValue({ a: '' }, 'a'),
    formValue({ a: null }, 'a'),
    formValue({}, 'a'),
  ]).toEqual(['x', undefined, undefined, undefined])
  expect(() => formValue({ a: 7 }, 'a')).toThrow('a has to be text')
})
