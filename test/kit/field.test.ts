import { describe, expect, it } from 'vitest'
import { boundedText, completeSets, moment, searchPage, webAddress, words } from '#kit'

const messageOf = (result: { success: boolean; error?: { issues: { message: string }[] } | undefined }) =>
  result.error?.issues[0]?.message

describe('bounded text', () => {
  const field = boundedText('Body', 'The text.', { min: 1, max: 4, by: 'the tracker' })

  it('is sent as it is', () => {
    expect(field.parse(' a ')).toBe(' a ')
  })

  it('names its length, its bound and who sets it', () => {
    expect(messageOf(field.safeParse('abcde'))).toBe('Body is 5 characters long; the tracker takes at most 4.')
    expect(messageOf(field.safeParse('😀😀😀'))).toContain('as the tracker counts them, an emoji as two or more')
    expect(messageOf(field.safeParse(''))).toBe('Body is empty; the tracker wants at least 1 character.')
    expect(messageOf(boundedText('Body', 'The text.', { max: 1 }).safeParse('ab'))).toContain(
      'the provider takes at most 1',
    )
  })
})

it('a moment without a zone or on a day that does not exist is refused with the reason', () => {
  const field = moment('Due', 'When.')
  expect(field.parse('2026-03-31T17:00:00+11:00')).toBe('2026-03-31T17:00:00+11:00')
  expect(messageOf(field.safeParse('2026-03-31T17:00:00'))).toContain('with time and zone')
  expect(messageOf(field.safeParse('2026-02-30T17:00:00Z'))).toContain('February 2026 has no day 30')
})

it('complete sets are in order, and one that lacks a field is left out', () => {
  const sets = [['email'], ['first', 'last'], ['domain']]
  expect(completeSets({ domain: 'd', first: 'f', email: undefined }, sets)).toEqual([{ domain: 'd' }])
  expect(completeSets({ domain: 'd', first: 'f', last: 'l', email: 'e' }, sets)).toEqual([
    { email: 'e' },
    { first: 'f', last: 'l' },
    { domain: 'd' },
  ])
})

it('a search page keeps limit and cursor apart from the filters and leaves out what the provider did not say', async () => {
  const searchCalls: unknown[] = []
  const search = (...searchArguments: unknown[]) => {
    searchCalls.push(searchArguments)
    return Promise.resolve({ records: [], next: 'n' })
  }
  expect(await searchPage({ search }, 'people', { limit: 5, cursor: undefined, name: 'x' })).toEqual({
    results: [],
    count: 0,
    next: 'n',
  })
  expect(searchCalls).toEqual([['people', { name: 'x' }, { limit: 5 }]])
})

describe('an object in place of a text', () => {
  // JSON may hold one that String() cannot make a text of.
  const odd = JSON.parse('{ "toString": "X", "valueOf": 1 }') as unknown
  it.each([
    ['a moment', moment('Due', 'When.')],
    ['a web address', webAddress('Site', 'Where.')],
    ['a text', boundedText('Name', 'What.', { max: 5 })],
    ['words', words('Name', 'What.')],
  ])('is refused by %s', (_, schema) => expect(messageOf(schema.safeParse(odd))).toMatch(/./))
})
