import { expect, it } from 'vitest'
import { commandsOf, hasAsWritten, isAsWritten, replaceEach } from './reader.ts'

it('printed text is compared as a whole; … is anything, white space is white space', () => {
  expect(isAsWritten('a  [b]\n', 'a [b]')).toBe(true)
  expect(isAsWritten('a [b] c d', 'a … d')).toBe(true)
  for (const [actual, shown] of [
    ['a [b]', 'a [c]'],
    ['a b', 'a'],
    ['x a', 'a'],
    ['ab', 'a b'],
    ['a d', 'a … c'],
  ] as const)
    expect(isAsWritten(actual, shown), `${actual} is not ${shown}`).toBe(false)
})

it('a JSON answer has all that is written, and more only where … says so', () => {
  expect(hasAsWritten({ a: { b: 'long text' }, c: [1] }, { a: { b: 'long …' }, c: [1] })).toBe(true)
  expect(hasAsWritten({ a: 1, b: 2 }, { a: 1, '…': '…' })).toBe(true)
  for (const [actual, shown] of [
    [{ a: 1, b: 2 }, { a: 1 }],
    [{ a: 1 }, { a: 2 }],
    [{}, { a: 1, '…': '…' }],
    [{ a: [1, 2] }, { a: [1] }],
    [{ a: 1 }, { a: '…' }],
    [null, {}],
  ] as const)
    expect(hasAsWritten(actual, shown), `${JSON.stringify(actual)} is not ${JSON.stringify(shown)}`).toBe(false)
})

it('a console block is its commands, each with what it prints', () => {
  expect(commandsOf('$ one\nprinted\nmore\n$ two')).toEqual([
    { command: 'one', shown: 'printed\nmore' },
    { command: 'two', shown: '' },
  ])
})

it('an address that a server has and the documents write for another is replaced once', () => {
  const at = (port: number) => `http://127.0.0.1:${port}`
  const addresses = new Map([
    [at(40657), at(43533)],
    [at(43533), at(37017)],
    [at(4353), at(8750)],
  ])
  expect(replaceEach(`${at(40657)}/a ${at(43533)}, ${at(4353)}`, addresses)).toBe(
    `${at(43533)}/a ${at(37017)}, ${at(8750)}`,
  )
})
