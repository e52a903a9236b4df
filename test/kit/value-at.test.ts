import { expect, it } from 'vitest'
import { valueAt } from '#kit'

it('a dotted path leads through objects and lists, and only through what is their own', () => {
  const body = { data: [{ id: 7 }], next: null }
  expect(valueAt(body, 'data.0.id')).toBe(7)
  expect(valueAt(body, 'next')).toBeNull()
  expect(valueAt(body, '')).toBe(body)
  for (const path of ['data.1.id', 'data.0.id.x', 'toString', 'data.length.x', 'next.at'])
    expect(valueAt(body, path)).toBeUndefined()
  expect(valueAt('text', 'length')).toBeUndefined()
})

it('a name that has dots itself is found at the top, unless the path leads somewhere', () => {
  const body = { '@odata.nextLink': 'https://api.example/items?page=2', 'a.b': 1, a: { b: 2 } }
  expect(valueAt(body, '@odata.nextLink')).toBe('https://api.example/items?page=2')
  expect(valueAt(body, 'a.b')).toBe(2)
  expect(valueAt({ inner: body }, '@odata.nextLink')).toBeUndefined()
  expect(valueAt(Object.create({ 'x.y': 1 }), 'x.y')).toBeUndefined()
})
