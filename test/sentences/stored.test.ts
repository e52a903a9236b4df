import { expect, test } from 'vitest'
import type { Sentence } from '#kit'
import { storedSentence } from '../../shared/runtime/sentences/describe.ts'

const read = (sentence: Sentence) => JSON.parse(storedSentence(sentence)!) as Sentence

test('a sentence is stored as JSON with what can be shown of each part', () => {
  const sentence: Sentence = [
    { text: 'Moved "the" \\ card ' },
    {
      text: 'Bücher\u200b\nund "mehr"',
      role: 'what',
      ref: { kind: 'card', id: 'c"1', url: 'https://a.example/"x' },
      otherwise: 'a card',
    },
    { text: ' to ' },
    { text: 'a list', role: 'where', ref: { kind: 'li\u00e9', id: 'l1', url: 'javascript:alert(1)' }, unnamed: true },
    { text: 'x'.repeat(400), role: 'quote', ref: { kind: 'card', id: 'c'.repeat(301) } },
  ]
  expect(read(sentence)).toEqual([
    { text: 'Moved "the" \\ card ' },
    { text: 'Bücher und "mehr"', role: 'what', ref: { kind: 'card', id: 'c"1', url: 'https://a.example/"x' } },
    { text: ' to ' },
    { text: 'a list', role: 'where', ref: { kind: 'li\u00e9', id: 'l1' }, unnamed: true },
    { text: `${'x'.repeat(199)}…`, role: 'quote' },
  ])
})

test('an empty sentence is none, and a long one is cut', () => {
  expect(storedSentence([])).toBeNull()
  expect(read(Array.from({ length: 60 }, (_, index) => ({ text: `${index}`, role: 'value' as const })))).toHaveLength(
    40,
  )
})
