import { describe, expect, test } from 'vitest'
import { jsonExcess, jsonLimits, startOf } from '#kit'
import { readReply } from '../../shared/wire/exchange/reply.ts'
import { mayExceed } from '../../shared/wire/guard/reply-cost.ts'
import { createScrubber } from '../../shared/wire/guard/scrub.ts'
import { failureOf } from './setup.ts'

const bytesOf = (body: unknown) => Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
const read = (body: unknown, random: () => number = () => 0.5) =>
  readReply(
    { status: 200, headers: { 'content-type': 'application/json' }, bytes: bytesOf(body) },
    { maxBytes: 10 * 1024 * 1024, scrubber: createScrubber([]), attempts: 1, random },
  )
const many = <T>(length: number, of: (index: number) => T) => Array.from({ length }, (_, index) => of(index))
const namesTo = (count: number) => Object.fromEntries(many(count, (index) => [`k${index}`, index]))
const nested = (levels: number, inner = '1') => `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`

describe('a reply beyond the limits', () => {
  test('7 MB, 40,000 levels deep with 1 % brackets, is a bad reply and no defect of ours', async () => {
    const level = `{"text":"${'x'.repeat(160)}","next":`
    const body = `${level.repeat(40_000)}1${'}'.repeat(40_000)}`
    expect(body.length).toBeGreaterThan(6_900_000)
    expect(await failureOf(read(body))).toMatchObject({
      code: 'bad_reply',
      message: expect.stringContaining('200 levels') as string,
    })
  })

  test('depth counts up to the limit, brackets in texts not at all', async () => {
    expect((await read(nested(200))).json).toBe(true)
    expect((await failureOf(read(nested(201)))).code).toBe('bad_reply')
    expect((await read({ text: '['.repeat(5000), other: '\\"[[' })).json).toBe(true)
  })

  test.each([
    ['a wide object', namesTo(300_000), 'field names'],
    ['objects that share no name', many(30_000, (index) => ({ [`a${index}`]: 1, [`b${index}`]: 2 })), 'field names'],
    [
      'names of 300 characters',
      Object.fromEntries(many(20_000, (index) => [`${'n'.repeat(300)}${index}`, 0])),
      'field names',
    ],
    ['many tiny lists', many(400_000, () => []), 'JSON values'],
    ['numbers', many(400_000, (index) => index), 'JSON values'],
    ['objects of one field', many(200_000, () => ({ a: 1 })), 'JSON values'],
    [
      'new names among old ones',
      many(20_000, (index) => ({ a: 1, b: 2, c: 3, d: 4, [`k${index}`]: 5 })),
      'field names',
    ],
    [
      'long new names among old ones',
      many(20_000, (index) => ({ a: 1, b: 2, c: 3, d: 4, [`${'n'.repeat(300)}${index}`]: 5 })),
      'field names',
    ],
    ['each name twice in a row', many(60_000, (index) => ({ [`k${index >> 1}`]: 1 })), 'field names'],
    [
      'names that end alike after a quote',
      many(20_000, (index) => ({ a: 1, b: 2, c: 3, [`k${index}"x`]: 5 })),
      'field names',
    ],
    [
      'names that end in a backslash',
      many(20_000, (index) => ({ a: 1, b: 2, c: 3, [`k${index}\\`]: 5 })),
      'field names',
    ],
    [
      'spaces before the colons',
      `[${many(20_000, (index) => `{"a":1,"b":2,"c":3,"k${index}"  \n:5}`).join(',')}]`,
      'field names',
    ],
    [
      'far more spaces',
      `[${many(20_000, (index) => `{"a":1,"b":2,"c":3,"k${index}"${' '.repeat(300)}:5}`).join(',')}]`,
      'field names',
    ],
  ])('%s: too large, with the limit named', async (_, body, limit) => {
    for (const random of [() => 0, () => 0.5, () => 0.999])
      expect(await failureOf(read(body, random))).toMatchObject({
        code: 'too_large',
        message: expect.stringContaining(limit) as string,
      })
  })

  test.each([
    [
      '1,000 whole records',
      many(1000, (index) => ({
        id: `i${index}`,
        name: 'N',
        tags: many(8, () => ({ id: 't', color: 'red' })),
        ...namesTo(40),
      })),
    ],
    ['9,000 different names', namesTo(9000)],
    ['one text of 9 MB', 'x'.repeat(9_000_000)],
    ['texts full of quotes', many(500, () => '"}{][,:'.repeat(500))],
  ])('%s: read whole', async (_, body) => {
    expect((await read(body)).body).toEqual(body)
  })

  test('names are told apart with spaces before the colon, and in nested objects', () => {
    const text = many(20_000, (index) => `"k${index}" : {"same":1}`).join(', ')
    expect(jsonExcess(bytesOf(`{${text}}`), jsonLimits)).toBe('names')
    expect(
      jsonExcess(bytesOf(many(20_000, () => ({ same: { again: 1 } }))), { ...jsonLimits, values: 1_000_000 }),
    ).toBeUndefined()
  })
})

describe('a reply as lists are', () => {
  const desc = 'The second proof has the old address on it. Ask for a corrected one before Friday at 09:00.\n'.repeat(
    12,
  )
  test.each([
    [
      'long texts',
      many(2000, (index) => ({
        id: `i${index}`,
        name: `Card ${index}`,
        desc,
        due: '2026-12-01T09:00:00.000Z',
        tags: [{ id: 't', color: 'red' }],
      })),
    ],
    [
      'no texts',
      many(2000, (index) => ({
        id: `i${index}`,
        count: index,
        open: true,
        tags: many(12, (tag) => ({ id: tag, color: 'red', of: null })),
      })),
    ],
    [
      'JSON in texts',
      many(2000, (index) => ({
        id: `i${index}`,
        raw: JSON.stringify({ [`k${index}`]: index, url: 'https://boards.example/', desc: 'x'.repeat(400) }),
      })),
    ],
  ])('%s: the search of all of it for too many names is spared', (_, rows) => {
    for (const random of [() => 0, () => 0.5, () => 0.999])
      expect(mayExceed(bytesOf(rows), jsonLimits, random)).toBe(false)
  })
})

describe('names that change a prototype', () => {
  test.each(['__proto__', '\\u005f_proto__', '_\\u005Fproto__'])('%s is dropped at any depth', async (name) => {
    const { body } = await read(`{"a":[{"${name}":{"admin":true},"ok":2}]}`)
    expect(body).toEqual({ a: [{ ok: 2 }] })
    expect(Object.hasOwn((body as { a: object[] }).a[0]!, '__proto__')).toBe(false)
  })
  test('so is a constructor with a prototype, however it is written; a field that is only called so stays', async () => {
    expect((await read('{"a":{"constructor":{"prototype":{"admin":true}},"ok":2}}')).body).toEqual({ a: { ok: 2 } })
    expect((await read('{"c\\u006fnstructor":{"prot\\u006ftype":{"admin":true}},"ok":2}')).body).toEqual({ ok: 2 })
    expect((await read('{"constructor":"Harbour Build Ltd","prototype":true}')).body).toEqual({
      constructor: 'Harbour Build Ltd',
      prototype: true,
    })
  })
})

test('the beginning of a value is its JSON text, and costs what is asked for', () => {
  const value = { a: [1, 'two', null, { b: true }], c: 'x'.repeat(50) }
  expect(startOf(value, 1000)).toBe(JSON.stringify(value))
  expect(JSON.stringify(value).startsWith(startOf(value, 8).slice(0, 8))).toBe(true)
  expect(
    startOf(
      many(100_000, (index) => ({ index })),
      200,
    ).length,
  ).toBeLessThan(300)
})
