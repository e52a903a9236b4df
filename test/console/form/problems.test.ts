import { describe, expect, it } from 'vitest'
import { Unreadable } from '../../../shared/faces/console/form/draft.ts'
import type { Layout, LayoutField } from '../../../shared/faces/console/form/draft.ts'
import { errorsOf, fieldOf, pointerTo, problemsOf } from '../../../shared/faces/console/form/problems.ts'

const field = (name: string, extras: Partial<LayoutField> = {}): LayoutField => ({
  name,
  title: name.toUpperCase(),
  description: '',
  control: 'text',
  required: false,
  place: 'main',
  ...extras,
})
const layout = (fields: LayoutField[], oneOf: Layout['oneOf'] = null): Layout => ({ fields, oneOf })
const look = (form: Layout, values: Record<string, unknown>) =>
  problemsOf(form, { values }).map(({ pointer, message }) => [pointer, message])

describe('the field of a pointer', () => {
  const form = layout([field('name'), field('input'), field('a/b~c'), field('contacts', { control: 'rows' })])
  it.each([
    ['/name', 'name', ''],
    ['/input/name', 'input', '/name'],
    ['/config/name', 'name', ''],
    ['/config/contacts/0/email', 'contacts', '/0/email'],
    ['/a~1b~0c', 'a/b~c', ''],
  ])('%s', (pointer, name, remainingPath) => {
    const result = fieldOf(form, pointer)
    expect([result?.field.name, result?.remainingPointer]).toEqual([name, remainingPath])
  })
  it('is none where the pointer names none', () => {
    expect(fieldOf(form, '')).toBeUndefined()
    expect(fieldOf(form, '/query/limit')).toBeUndefined()
    expect(errorsOf(form, [{ pointer: '/query/limit', message: 'm' }])).toEqual([{ pointer: '', message: 'm' }])
    expect(errorsOf(form, [{ pointer: '/config/contacts/0/email', message: 'm' }])).toEqual([
      { pointer: '/contacts/0/email', message: 'm' },
    ])
    expect(errorsOf(form)).toEqual([])
    expect(pointerTo('a/b~c', 0)).toBe('/a~1b~0c/0')
  })
})

describe('what is wrong before a form is sent', () => {
  it('is a required field that is empty, unless it is hidden', () => {
    const form = layout([
      field('name', { required: true }),
      field('list', { control: 'pick', required: true }),
      field('more', { required: true, showWhen: { field: 'name' } }),
    ])
    expect(look(form, {})).toEqual([
      ['/name', 'Enter “NAME”: it is required.'],
      ['/list', 'Choose “LIST”: it is required.'],
    ])
    expect(look(form, { name: 'n', list: 'l', more: 'm' })).toEqual([])
    expect(look(layout([field('flag', { control: 'switch', required: true })]), { flag: false })).toEqual([])
  })

  it('is a value that is no number, outside its bounds, no address', () => {
    const form = layout([
      field('count', { control: 'number', min: 1, max: 5, unit: 'people' }),
      field('url', { control: 'url' }),
      field('email', { control: 'email' }),
    ])
    expect(look(form, { count: 0, url: 'javascript:alert(1)', email: 'nobody' })).toEqual([
      ['/count', 'COUNT must be at least 1 people.'],
      ['/url', 'URL is not an address that starts with http:// or https://.'],
      ['/email', 'EMAIL is not an e-mail address, such as ada@example.com.'],
    ])
    expect(look(form, { count: 6, url: 'nothing' })).toEqual([
      ['/count', 'COUNT must be at most 5 people.'],
      ['/url', 'URL is not an address that starts with http:// or https://.'],
    ])
    expect(look(form, { count: 5, url: 'https://example.com/', email: 'ada@example.com' })).toEqual([])
    expect(look(form, { count: new Unreadable('1,', 'that is no number.') })).toEqual([
      ['/count', 'COUNT: that is no number.'],
    ])
  })

  it('names the cell of a table, and the row that fills no set', () => {
    const row = layout([field('email'), field('count', { control: 'number', max: 1 })], {
      exactlyOne: false,
      sets: [{ title: 'E-mail', fields: ['email'] }],
    })
    expect(
      look(layout([field('people', { control: 'rows', row })]), { people: [{ email: 'x' }, { count: 2 }] }),
    ).toEqual([
      ['/people/1/count', 'PEOPLE 2: COUNT must be at most 1.'],
      ['/people/1', 'PEOPLE 2: Fill in at least one of “E-mail”.'],
    ])
  })

  it('is a value of the account that cannot be read', () => {
    expect(
      look(layout([field('custom', { control: 'json' })]), {
        custom: { c1: new Unreadable('1,', 'that is no number.'), c2: 2 },
      }),
    ).toEqual([['/custom/c1', 'CUSTOM: that is no number.']])
  })

  it('is no row of a table that fills a set other than the first', () => {
    const row = layout([field('a'), field('b')], {
      exactlyOne: true,
      sets: ['a', 'b'].map((name) => ({ title: name, fields: [name] })),
    })
    expect(look(layout([field('rows', { control: 'rows', row })]), { rows: [{ b: '1' }] })).toEqual([])
  })

  it('is a form that fills no set: it leads to what lacks least', () => {
    const sets = [
      { title: 'A', fields: ['a'] },
      { title: 'B + C', fields: ['b', 'c'] },
    ]
    const any = layout([field('a'), field('b'), field('c')], { exactlyOne: false, sets })
    const exactly = layout(any.fields, { exactlyOne: true, sets })
    const atLeast = 'Fill in at least one of “A”, “B + C”.'
    expect(look(any, {})).toEqual([['/a', atLeast]])
    expect(look(any, { b: '1' })).toEqual([['/c', atLeast]])
    expect(look(any, { a: '1', b: '1' })).toEqual([])
    const one = 'Fill in exactly one of “A”, “B + C”.'
    expect(look(exactly, {})).toEqual([['/a', one]])
    expect(look(exactly, { b: '2', c: '3' })).toEqual([])
    expect(look(exactly, { a: '1', b: '2' })).toEqual([['/a', one]])
    expect(look(exactly, { a: '1', b: '2', c: '3' })).toEqual([['/a', one]])
  })
})
