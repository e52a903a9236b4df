import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { tableIn, toCsv } from '../../../shared/faces/console/pages/steps/csv.ts'
import { guardCell } from '../../../shared/runtime/csv-cells.ts'

const rowsOf = (text: string): Record<string, string>[] => parse(text, { columns: true, relax_column_count: false })

describe('records as CSV', () => {
  it('have a column for every field of any record, those of objects by path', () => {
    expect(
      toCsv([
        { name: 'A', place: { city: 'Sydney' } },
        { name: 'B', tags: ['x', 'y'] },
      ]),
    ).toBe('name,place.city,tags\r\nA,Sydney,\r\nB,,"x; y"\r\n')
  })

  it('keep quotes, delimiters, line ends and spaces', () => {
    const texts = ['say "hi"', 'a,b', 'a;b', 'two\nlines', ' spaced ', '', 'é']
    expect(rowsOf(toCsv(texts.map((text) => ({ text, end: 1 })))).map(({ text }) => text)).toEqual(texts)
  })

  it('hold no formula, as in the files of jobs; negative numbers stay numbers', () => {
    const texts = ['=1+1', '+61 2 5550', '-cmd', '@SUM(A1)', '\tx', "'=1", '＝1', 'plain', "it's"]
    expect(rowsOf(toCsv(texts.map((text) => ({ text, end: 1 })))).map(({ text }) => text)).toEqual(texts.map(guardCell))
    expect(toCsv([{ n: -5 }])).toBe('n\r\n-5\r\n')
    expect(toCsv([{ '=name': 1 }])).toBe("'=name\r\n1\r\n")
  })
})

it('the table of an output is its longest list, or itself', () => {
  expect(tableIn([{ a: 1 }])).toEqual([{ a: 1 }])
  expect(tableIn({ few: [{ a: 1 }], many: [{ b: 1 }, { b: 2 }], none: [] })).toEqual([{ b: 1 }, { b: 2 }])
  expect(tableIn({ a: 1 })).toEqual([{ a: 1 }])
  expect(tableIn('text')).toEqual([])
})
