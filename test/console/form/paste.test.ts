import { describe, expect, it } from 'vitest'
import { Unreadable } from '../../../shared/faces/console/form/draft.ts'
import type { LayoutField } from '../../../shared/faces/console/form/draft.ts'
import { fillRows, readCells, readRows } from '../../../shared/faces/console/form/paste.ts'

const column = (name: string, extras: Partial<LayoutField> = {}): LayoutField => ({
  name,
  title: name,
  description: '',
  control: 'text',
  required: false,
  place: 'main',
  ...extras,
})
const columns = [
  column('email', { title: 'E-mail' }),
  column('firstName', { title: 'First name' }),
  column('age', { control: 'number' }),
]

describe('pasted cells', () => {
  it.each([
    [
      'tabs, as a spreadsheet copies them',
      'a\tb\r\nc, d\te\r\n',
      [
        ['a', 'b'],
        ['c, d', 'e'],
      ],
    ],
    [
      'commas, with quotes',
      'a,"b, ""c"""\n"two\nlines",d',
      [
        ['a', 'b, "c"'],
        ['two\nlines', 'd'],
      ],
    ],
    [
      'semicolons',
      'a;b\n1,5;c',
      [
        ['a', 'b'],
        ['1,5', 'c'],
      ],
    ],
    ['empty lines and guarded cells', "\n'=1+1\n\n'plain\n", [['=1+1'], ["'plain"]]],
    ['a quote inside a word', 'a\t5" pipe', [['a', '5" pipe']]],
  ])('%s', (_, text, cells) => expect(readCells(text)).toEqual(cells))
})

describe('pasted rows', () => {
  it('are in the order of the table, from the first column that is given', () => {
    expect(readRows(columns, 'a@x.example\tAda\t36\n\tGrace')).toEqual([
      { email: 'a@x.example', firstName: 'Ada', age: 36 },
      { firstName: 'Grace' },
    ])
    expect(readRows(columns, 'Ada\t36\tbeyond', 1)).toEqual([{ firstName: 'Ada', age: 36 }])
  })

  it('follow a header by title or name, in any order; unknown columns are left out', () => {
    expect(readRows(columns, 'Age,Notes,E-Mail,first_name\n36,x,a@x.example,Ada', 2)).toEqual([
      { age: 36, email: 'a@x.example', firstName: 'Ada' },
    ])
  })

  it('hold values as the controls read them', () => {
    const kinds = [
      column('flag', { control: 'switch' }),
      column('colour', { control: 'choice', choices: ['red'], labels: { red: 'Warm red' } }),
      column('tags', { control: 'list' }),
      column('count', { control: 'number' }),
    ]
    const [row] = readRows(kinds, 'Yes\tWARM RED\ta; b\tmany')
    expect(row).toEqual({ flag: true, colour: 'red', tags: ['a', 'b'], count: expect.any(Unreadable) })
  })

  it('replace what is there from a place on, and add rows below', () => {
    expect(fillRows([{ a: 1, b: 1 }, { a: 2 }], [{ a: 3 }, { a: 4 }], 1)).toEqual([{ a: 1, b: 1 }, { a: 3 }, { a: 4 }])
    expect(fillRows([{ a: 1, b: 1 }], [{ a: 3 }], 0)).toEqual([{ a: 3, b: 1 }])
  })
})
