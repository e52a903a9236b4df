import { expect, it } from 'vitest'
import { isId, withoutIds } from '../../../shared/faces/console/ui/words.ts'

it('an id is long and has no word in it', () => {
  for (const text of [
    '507f1f77bcf86cd799439011',
    '01a21e4b-fe27-7000-af10-ee7e462fb309',
    'con_01a21e4b-e487-73da-8923-28bc4c1a1da5',
  ])
    expect(isId(text)).toBe(true)
  for (const text of ['Ideas', 'pe-113', '12345678', 'first_name', 'https://desk.example/507f1f77bcf86cd799439011'])
    expect(isId(text)).toBe(false)
})

it('a message loses the ids that it quotes, and nothing else', () => {
  expect(withoutIds('The value of "idCard" ("507f1f77bcf86cd799439011") is not known. (It answered 404.)')).toBe(
    'The value of "idCard" is not known. (It answered 404.)',
  )
  expect(withoutIds('The value of "email" ("somebody@example.com") is wrong.')).toBe(
    'The value of "email" ("somebody@example.com") is wrong.',
  )
})
