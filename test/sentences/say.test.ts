import { expect, test } from 'vitest'
import { namePart, say } from '#kit'

const card = namePart('what', { kind: 'card', id: 'c1', name: 'Order  tiles' }, 'a card')

test('words of ours that follow each other are one part, whatever they are put in as', () => {
  expect(say`${'Moved'} ${card} to ${say`the ${'list'}`}${''}${undefined}!`).toEqual([
    { text: 'Moved ' },
    { text: 'Order tiles', role: 'what', ref: { kind: 'card', id: 'c1' }, otherwise: 'a card' },
    { text: ' to the list!' },
  ])
})

test('a sentence that is put into others stays as it was', () => {
  const place = say`on ${card} here`
  const before = structuredClone(place)
  expect(say`${place}, and${place} too`.map(({ text }) => text)).toEqual([
    'on ',
    'Order tiles',
    ' here, andon ',
    'Order tiles',
    ' here too',
  ])
  expect(place).toEqual(before)
})

test('a thing without a name is marked as such, and one without an id is words of ours', () => {
  expect(namePart('where', { kind: 'list', id: 'l1', url: 'https://a.example' }, 'a list')).toEqual({
    text: 'a list',
    role: 'where',
    ref: { kind: 'list', id: 'l1', url: 'https://a.example' },
    unnamed: true,
  })
  expect(namePart('where', undefined, 'a list')).toEqual({ text: 'a list' })
})
