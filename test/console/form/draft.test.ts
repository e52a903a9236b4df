import { describe, expect, it } from 'vitest'
import {
  Unreadable,
  excludedBy,
  forgetChoices,
  fromInput,
  missingParents,
  nearestSet,
  sectionsOf,
  setValue,
  toInput,
  valuesOf,
  visibleFields,
} from '../../../shared/faces/console/form/draft.ts'
import type { Draft, Layout, LayoutField } from '../../../shared/faces/console/form/draft.ts'

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
const draft = (values: Draft['values']): Draft => ({ values })
const names = (fields: LayoutField[]) => fields.map(({ name }) => name)

describe('what is shown', () => {
  it('shows a field beside a value of another one, or one of some values', () => {
    const form = layout([
      field('method', { control: 'choice', default: 'GET' }),
      field('body', { showWhen: { field: 'method', is: ['POST', 'PUT'] } }),
      field('params', { showWhen: { field: 'method', is: ['GET'] } }),
      field('note', { showWhen: { field: 'method' } }),
    ])
    // The default counts as the value.
    expect(names(visibleFields(form, draft({})))).toEqual(['method', 'params'])
    expect(names(visibleFields(form, draft({ method: 'POST' })))).toEqual(['method', 'body', 'note'])
    expect(names(visibleFields(form, draft({ method: 'DELETE' })))).toEqual(['method', 'note'])
  })

  it('hides what depends on a hidden field, and survives conditions in a circle', () => {
    const chain = layout([
      field('a'),
      field('b', { showWhen: { field: 'a' } }),
      field('c', { showWhen: { field: 'b' } }),
    ])
    expect(names(visibleFields(chain, draft({ b: 'left over' })))).toEqual(['a'])
    expect(names(visibleFields(chain, draft({ a: '1', b: '2' })))).toEqual(['a', 'b', 'c'])
    const circle = layout([field('a', { showWhen: { field: 'b' } }), field('b', { showWhen: { field: 'a' } })])
    expect(visibleFields(circle, draft({}))).toEqual([])
    expect(names(visibleFields(circle, draft({ a: '1', b: '2' })))).toEqual(['a', 'b'])
  })

  const sets = [
    { title: 'A', fields: ['a'] },
    { title: 'B + C', fields: ['b', 'c'] },
  ]
  const parts = [field('x', { place: 'more' }), field('a'), field('b'), field('c')]

  it('shows the fields of every set, wherever the manifest places them', () => {
    for (const exactlyOne of [true, false]) {
      const form = layout(
        [field('x', { place: 'more' }), ...['a', 'b', 'c'].map((name) => field(name, { place: 'more' }))],
        {
          exactlyOne,
          sets,
        },
      )
      const { main, more } = sectionsOf(form, draft({}))
      expect([names(main), names(more)]).toEqual([['a', 'b', 'c'], ['x']])
    }
  })

  it('says which filled fields exclude another one where exactly one set may be filled', () => {
    const form = layout(parts, { exactlyOne: true, sets })
    const excluded = (values: Draft['values']) =>
      ['x', 'a', 'b', 'c'].map((name) => excludedBy(form, draft(values), name))
    expect(excluded({})).toEqual([[], [], [], []])
    expect(excluded({ a: '1' })).toEqual([[], [], ['A'], ['A']])
    expect(excluded({ b: '1' })).toEqual([[], ['B'], [], []])
    // Of two sets that are both filled, each can be cleared.
    expect(excluded({ a: '1', b: '2' })).toEqual([[], [], [], ['A', 'B']])
    expect(excludedBy(layout(parts, { exactlyOne: false, sets }), draft({ a: '1' }), 'b')).toEqual([])
  })

  it('finds the set that lacks least', () => {
    const form = layout(parts, { exactlyOne: false, sets })
    expect(nearestSet(form, draft({}))?.title).toBe('A')
    expect(nearestSet(form, draft({ c: '1' }))?.title).toBe('B + C')
  })
})

describe('what is sent', () => {
  const form = layout([
    field('board', { control: 'pick', scope: true }),
    field('name'),
    field('labels', { control: 'pick-many' }),
    field('ids', { control: 'list' }),
    field('rows', { control: 'rows', row: layout([field('email'), field('count', { control: 'number' })]) }),
    field('flag', { control: 'switch' }),
    field('zero', { control: 'number' }),
    field('extra', { control: 'json' }),
    field('hidden', { showWhen: { field: 'name', is: ['never'] } }),
  ])

  it('leaves out what is empty, hidden or only narrows choices, and keeps no, nought and null', () => {
    const values = {
      board: 'b1',
      name: '',
      labels: [],
      ids: ['a', '', 'b'],
      rows: [{ email: 'x@example.com', count: '' }, {}],
      flag: false,
      zero: 0,
      extra: null,
      hidden: 'h',
    }
    expect(toInput(form, draft(values))).toEqual({
      ids: ['a', 'b'],
      rows: [{ email: 'x@example.com' }, {}],
      flag: false,
      zero: 0,
      extra: null,
    })
    expect(valuesOf(form, draft(values))).toHaveProperty('board', 'b1')
    expect(toInput(form, draft({ zero: new Unreadable('1,', 'not a number') }))).toEqual({})
  })

  it('holds no hidden field of a row', () => {
    const row = layout([field('kind'), field('size', { showWhen: { field: 'kind', is: ['box'] } })])
    const table = layout([field('rows', { control: 'rows', row })])
    const rows = [
      { kind: 'box', size: '1' },
      { kind: 'bag', size: '2' },
    ]
    expect(toInput(table, draft({ rows }))).toEqual({ rows: [{ kind: 'box', size: '1' }, { kind: 'bag' }] })
  })

  it('becomes a draft again', () => {
    expect(fromInput({ zero: 1, flag: false })).toEqual({ values: { zero: 1, flag: false } })
    expect(fromInput()).toEqual({ values: {} })
  })
})

describe('choices that depend on others', () => {
  const form = layout([
    field('board', { control: 'pick' }),
    field('list', { control: 'pick', dependsOn: ['board'] }),
    field('card', { control: 'pick', dependsOn: ['list'] }),
    field('name'),
  ])
  const full = draft({ board: 'b1', list: 'l1', card: 'c1', name: 'n' })

  it('go with the value that they were chosen under, all the way down', () => {
    expect(setValue(form, full, 'board', 'b2').values).toEqual({ board: 'b2', name: 'n' })
    expect(setValue(form, full, 'board', undefined).values).toEqual({ name: 'n' })
    expect(setValue(form, full, 'list', 'l2').values).toEqual({ board: 'b1', list: 'l2', name: 'n' })
  })

  it('stay while it is the same, and where it was given first by id', () => {
    expect(setValue(form, full, 'board', 'b1')).toEqual(full)
    expect(setValue(form, draft({ card: 'c1' }), 'list', 'l1').values).toEqual({ card: 'c1', list: 'l1' })
  })

  it('say what to choose first', () => {
    expect(missingParents(form, form.fields[1]!, {})).toEqual(['BOARD'])
    expect(missingParents(form, form.fields[1]!, { board: 'b1' })).toEqual([])
    expect(missingParents(form, { dependsOn: ['elsewhere'] }, {})).toEqual(['elsewhere'])
  })

  it('are forgotten with the account', () => {
    expect(forgetChoices(form, full).values).toEqual({ name: 'n' })
  })
})
