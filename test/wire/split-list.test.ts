import { describe, expect, test, vi } from 'vitest'
import { jsonLimits } from '#kit'
import type { Json } from '#kit'
import { readReply } from '../../shared/wire/exchange/reply.ts'
import { createSpareBuffer } from '../../shared/wire/exchange/spare-buffer.ts'
import { splitList } from '../../shared/wire/exchange/split-list.ts'
import { createScrubber } from '../../shared/wire/guard/scrub.ts'
import { failureOf } from './setup.ts'

const secret = 'b41f7e0c95d2483aa6f1c0e7d39b5528'
const read = (text: string) =>
  readReply(
    { status: 200, headers: { 'content-type': 'application/json' }, bytes: Buffer.from(text) },
    { maxBytes: 10 * 1024 * 1024, scrubber: createScrubber([secret]), attempts: 1, random: () => 0.5 },
  )
/** More than what is read as a whole. */
const listOf = (record: (index: number) => Json, count = 4000) =>
  JSON.stringify(Array.from({ length: count }, (_, index) => record(index)))
const filler = 'x'.repeat(200)

const piecesOf = (text: string) => {
  const next = splitList(Buffer.from(text))
  if (!next) return undefined
  const pieces: string[] = []
  for (let piece = next(); piece !== undefined; piece = next()) pieces.push(piece)
  return pieces
}

const shapes: Record<string, (index: number) => Json> = {
  'flat records': (index) => ({ id: `${index}`, text: filler, closed: false }),
  'lists of objects within': (index) => ({
    id: `${index}`,
    labels: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
    text: filler,
    uses: 3,
  }),
  'a list of objects as last field': (index) => ({
    id: `${index}`,
    text: filler,
    labels: [{ id: 'a' }, { id: 'b' }],
  }),
  'texts that look like the end of a record': (index) => ({ id: `${index}`, text: `"},{"id":"${filler}`, uses: 1 }),
  'a last field that is the name of others': (index) => ({
    id: `${index}`,
    parts: [
      { id: 'p', name: 'n' },
      { id: 'q', name: 'n' },
    ],
    text: filler,
    name: 'n',
  }),
  'other scripts': (index) => ({ id: `${index}`, text: `Zürich 東京 🏔 ${filler}` }),
  'records that share no field': (index) => ({ [`k${index % 50}`]: filler, [`l${index % 7}`]: index }),
  'no objects': () => filler,
}

describe('a long list', () => {
  test.each(Object.entries(shapes))('of %s is read as JSON.parse reads it', async (_, record) => {
    const text = listOf(record)
    expect(text.length).toBeGreaterThan(600_000)
    const reply = await read(text)
    expect(reply.json).toBe(true)
    expect(reply.body).toEqual(JSON.parse(text))
  })

  test('is cut into pieces that together hold its entries', () => {
    const text = listOf(shapes['lists of objects within']!)
    const pieces = piecesOf(text)!
    expect(pieces.length).toBeGreaterThan(8)
    expect(pieces.flatMap((piece) => JSON.parse(piece) as Json[])).toEqual(JSON.parse(text))
  })

  test.each([
    ['a mark before it', (text: string) => `\uFEFF${text}`],
    ['space after it', (text: string) => `${text}\r\n`],
  ])('with %s', async (_, change) => {
    const text = listOf(shapes['flat records']!)
    expect((await read(change(text))).body).toEqual(JSON.parse(text))
  })

  test.each([
    ['cut off', (text: string) => text.slice(0, -300)],
    ['broken in the middle', (text: string) => text.replace('"id":"2000"', '"id":2000"')],
    ['ended by a byte that is no space', (text: string) => `${text}\u0000`],
    ['two lists', (text: string) => `${text},${text}`],
    ['an object that only ends like a list', (text: string) => `{"a":1,"b":${text.slice(1)}`],
  ])('that is %s is no JSON', async (_, damage) => {
    const text = damage(listOf(shapes['flat records']!))
    const reply = await read(text)
    expect(reply).toMatchObject({ json: false, body: text })
  })

  test('is searched for secrets to its end, also where letters are escaped', async () => {
    const hidden = `\\u0062${secret.slice(1)}`
    const text = listOf((index) => ({ id: `${index}`, text: filler, note: index === 3999 ? 'HERE' : '' }))
    for (const form of [secret, hidden]) {
      const { body } = await read(text.replace('HERE', form))
      expect((body as { note: string }[]).at(-1)!.note).toBe('***')
    }
  })

  test('loses names that change a prototype, in every piece', async () => {
    const text = listOf((index) => ({ id: `${index}`, text: filler })).replaceAll(
      '"text":',
      '"__proto__":{"a":1},"text":',
    )
    const { body } = await read(text)
    expect((body as object[]).some((row) => Object.hasOwn(row, '__proto__'))).toBe(false)
  })

  test('is bounded as a whole', async () => {
    const text = listOf((index) => ({ id: index, values: Array.from({ length: 80 }, () => 1) }))
    expect(text.length / 2).toBeGreaterThan(jsonLimits.values)
    expect((await failureOf(read(text))).code).toBe('too_large')
  })
})

describe('memory for large bodies', () => {
  const half = 400 * 1024
  const chunksOf = (byte: number) => [Buffer.alloc(half, byte), Buffer.alloc(half, byte)]

  test('is used again once it was given back, never before', () => {
    const { join } = createSpareBuffer()
    const first = join(chunksOf(1), 2 * half)
    const second = join(chunksOf(2), 2 * half)
    expect(first.bytes.every((byte) => byte === 1) && first.bytes.length).toBe(2 * half)
    first.giveBack!()
    const third = join(chunksOf(3), 2 * half)
    const fourth = join(chunksOf(4), 2 * half)
    expect(third.bytes.buffer).toBe(first.bytes.buffer)
    expect(fourth.bytes.buffer).not.toBe(third.bytes.buffer)
    expect(second.bytes.every((byte) => byte === 2)).toBe(true)
  })

  test('is given back when its reply was read, and when it could not be', async () => {
    const giveBack = vi.fn()
    const reply = (text: string) =>
      readReply(
        { status: 200, headers: { 'content-type': 'application/json' }, bytes: Buffer.from(text), giveBack },
        { maxBytes: 10 * 1024 * 1024, scrubber: createScrubber([]), attempts: 1, random: () => 0.5 },
      )
    const { body } = await reply(listOf(shapes['flat records']!))
    expect([giveBack.mock.calls.length, (body as Json[]).length]).toEqual([1, 4000])
    await failureOf(reply(listOf(() => Array.from({ length: 100 }, () => 1))))
    expect(giveBack).toHaveBeenCalledTimes(2)
  })
})
