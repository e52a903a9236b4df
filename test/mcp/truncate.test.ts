import { describe, expect, it } from 'vitest'
import { integrations } from '../../integrations/index.ts'
import { toToolResult } from '../../shared/faces/mcp/tool-result.ts'
import { truncate } from '../../shared/faces/mcp/truncate.ts'
import { makeTools } from '../../shared/faces/mcp/tools.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { sizeOf } from '../support/mcp-world.ts'
import type { Result } from '../support/mcp-world.ts'
import { largeShapes } from './shapes.ts'

const tools = makeTools(createRegistry(integrations))
const run = { runId: '01a1fe07-c67c-716c-ac48-bcf2f7013932', durationMs: 4, attempts: 1 }

/** CPU time of this thread, in ms: what others do at the same time on the machine does not count. */
const cpuOf = (work: () => void) => {
  const began = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(began)
  return (user + system) / 1000
}

/** Counts how often any property or entry of a value is read. */
const counted = <T>(value: T) => {
  const seen = { reads: 0 }
  const wrap = (part: unknown): unknown =>
    typeof part !== 'object' || part === null
      ? part
      : new Proxy(part, {
          get(target, name) {
            if (name !== 'length') seen.reads += 1
            return wrap(Reflect.get(target, name))
          },
        })
  return { value: wrap(value) as T, seen }
}

describe.each(Object.entries(largeShapes))('%s', (name, make) => {
  const body = make()
  const { shape } = tools.get('work_board_api_call')!
  const answer = (value: unknown, maxBytes: number) =>
    toToolResult({ status: 200, headers: {}, body: value }, shape, { maxBytes, from: 0 }, { run, remainder: 'repeat' })
      .result as unknown as Result

  it('costs little to truncate, and fills the size', () => {
    for (const maxBytes of [4000, 25_000]) {
      let result: Result | undefined
      // Some five times what the slowest takes. Cutting one entry after the other and measuring again took up to half a
      // minute.
      expect(cpuOf(() => (result = answer(body, maxBytes)))).toBeLessThan(1000)
      expect(sizeOf(result!)).toBeLessThanOrEqual(maxBytes)
      // A text is cut at 8,000 characters, and nothing is shown below 64 levels.
      expect(sizeOf(result!)).toBeGreaterThan(maxBytes / 4)
      expect(result!.structuredContent!.status).toBe(200)
    }
  })

  // Through a proxy the names alone would cost a second.
  it.skipIf(name.includes('300,000 names'))('is scanned only as far as it could be shown', () => {
    const { value, seen } = counted(body)
    answer(value, 25_000)
    expect(seen.reads).toBeLessThan(100_000)
  })
})

it.each(['1,500,000 numbers', '300 names for long lists', 'a binary tree of 500,000 leaves'])(
  'costs no more than is asked for at the largest: %s',
  (name) => {
    const output = { status: 200, headers: {}, body: largeShapes[name]!() }
    const { shape } = tools.get('work_board_api_call')!
    expect(
      cpuOf(() => toToolResult(output, shape, { maxBytes: 1_000_000, from: 0 }, { run, remainder: 'repeat' })),
    ).toBeLessThan(4000)
  },
)

describe('what stays', () => {
  const show = (value: unknown, bytes: number, schema = {}) => truncate(value, { whole: bytes, cut: bytes }, schema)
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index % 10)

  it('is a fair part of each list', () => {
    const { value, cuts } = show({ a: numbers(5000), b: numbers(5000), c: [1, 2, 3] }, 4000)
    const { a, b, c } = value as Record<string, number[]>
    expect(c).toEqual([1, 2, 3])
    expect(a!.length + b!.length).toBeGreaterThan(1600)
    expect(Math.min(a!.length, b!.length)).toBeGreaterThan(600)
    expect(cuts.lists).toEqual([
      { at: '/a', shown: a!.length, of: 5000 },
      { at: '/b', shown: b!.length, of: 5000 },
    ])
  })

  it('is a record beside a large one, and what the schema requires', () => {
    const { value, cuts } = show(
      {
        large: Object.fromEntries(numbers(3000).map((entry, index) => [`n${index}`, entry])),
        small: { is: 'here' },
        must: 1,
      },
      3000,
      {
        required: ['must'],
      },
    )
    expect(value).toMatchObject({ small: { is: 'here' }, must: 1, large: { n0: 0 } })
    expect(cuts.fields).toEqual([{ at: '/large', left: 3000 - Object.keys((value as { large: object }).large).length }])
    expect(show({ long: numbers(9000), must: [1, 2], last: 'x' }, 10, { required: ['must'] }).value).toEqual({
      must: [],
    })
  })

  it('are whole records of a map, from its front', () => {
    const map = Object.fromEntries(
      numbers(300).map((_, index) => [`card ${index}`, { id: index, name: 'n'.repeat(90) }]),
    )
    const { value, cuts } = show(map, 5000)
    const kept = Object.keys(value as object)
    expect(kept.length).toBeGreaterThan(35)
    expect(value).toEqual(Object.fromEntries(kept.map((name) => [name, map[name]])))
    expect(cuts.fields).toEqual([{ at: '', left: 300 - kept.length }])
  })
})

describe('a small value', () => {
  const room = { whole: 25_000, cut: 24_000 }
  const cut = (value: unknown) => truncate(value, room, {}).value

  it('that shows everything it holds is given as it is', () => {
    for (const text of ['plain', 'two\nlines\tand "quotes" \\ here', 'Größe – “naïve” …']) {
      const value = { text, list: [{ text }] }
      expect(cut(value)).toBe(value)
    }
  })

  it.each([
    '\u0001',
    '\u007f',
    '\u0085',
    '\u00ad',
    '\u034f',
    '\u200b',
    '\u200d',
    '\u2028',
    '\u202e',
    '\ufe0f',
    '\ufeff',
    '\ud800',
    '\u{e0041}',
  ])('loses what nobody sees, %j', (unseen) => {
    expect(cut({ [`${unseen}name`]: [`${unseen}text`] })).toEqual({ name: ['text'] })
  })

  it('that is nested too deeply is cut', () => {
    let value: object = { end: 1 }
    for (let depth = 0; depth < 70; depth += 1) value = { value }
    expect(JSON.stringify(cut(value))).not.toContain('end')
  })
})
