import { describe, expect, it } from 'vitest'
import { z } from '#kit'
import { filterRows, joinRows } from '../../shared/kit/filter-rows.ts'

const fields = { city: z.string(), title: z.string().max(20) }
const read = (values: string) => joinRows(fields, [{ field: 'city', values }], {}).values.city

describe('the values of a row', () => {
  it.each([
    ['Sydney', 'Sydney'],
    ['Sydney, Perth\nHobart', ['Sydney', 'Perth', 'Hobart']],
    ['"Portland, Maine", Perth', ['Portland, Maine', 'Perth']],
    ['"The ""Big"" Smoke"', 'The "Big" Smoke'],
    ['5" pipe, 6" pipe', ['5" pipe', '6" pipe']],
    [' , Perth ,, ', 'Perth'],
    ['Perth, Perth', 'Perth'],
  ])('%j are %j', (text, values) => expect(read(text)).toEqual(values))

  it('join those of the field itself, and of rows that exclude get a name of their own', () => {
    const rows = [
      { field: 'city', values: 'Perth' },
      { field: 'city', match: 'exclude' as const, values: 'Hobart' },
    ]
    const { values, places } = joinRows(fields, rows, { city: 'Sydney' })
    expect(values).toEqual({ city: ['Sydney', 'Perth'], excludeCity: 'Hobart' })
    expect(places.get('excludeCity')).toBe('/filters/1')
  })

  it.each<[unknown, string | string[]]>([
    [
      ['Sydney', 'Portland, Maine', '5" pipe', '"quoted"'],
      ['Sydney', 'Portland, Maine', '5" pipe', '"quoted"'],
    ],
    [['Perth'], 'Perth'],
    [
      [11, 'Perth\nHobart'],
      ['11', 'Perth\nHobart'],
    ],
    [2016, '2016'],
    ['Sydney, Perth', ['Sydney', 'Perth']],
  ])('may be a list, as agents write them: %j', (given, values) => {
    const rows = filterRows(fields).parse([{ field: 'city', values: given }])
    expect(joinRows(fields, rows, {}).values.city).toEqual(values)
  })

  it.each([[[]], [[{}]], [[['Perth']]], [{ 0: 'Perth' }], [null], [true]])('are no %j', (given) => {
    const { error } = filterRows(fields).safeParse([{ field: 'city', values: given }])
    expect(error?.issues[0]?.path).toEqual([0, 'values'])
  })

  it('are refused with the place of their row', () => {
    expect(() => joinRows(fields, [{ field: 'title', values: 'x'.repeat(21) }], {})).toThrow(
      expect.objectContaining({ details: { errors: [expect.objectContaining({ pointer: '/filters/0/values' })] } }),
    )
    expect(() => joinRows(fields, [{ field: 'title', values: '"", ,' }], {})).toThrow('"title" has no value.')
  })
})
