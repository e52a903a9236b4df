import { expect, test } from 'vitest'
import { checkBuilt, scanPath } from '../../shared/wire/paths.ts'
import { callTo, failureOf, listen, profileFor, wireTo } from './setup.ts'

// A million in `npm run test:process`.
const paths = Number(process.env.FUZZ_PATHS ?? 50_000)
const prefix = '/v2/base'
const origin = 'https://api.provider.example'

/** Deterministic: a failure can be repeated. */
const randomFrom = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return (mixed ^ (mixed >>> 14)) >>> 0
}

// Harmless pieces come often, so that many paths are accepted; the others are what has fooled parsers.
const harmless = ['/', '/1', '/cards', '/members', 'a', 'b9', '-', '_', '~', '.x', 'x.', '%41', '%C3%A9', '%20', '/5f0c']
const curious = [
  '.',
  '..',
  '...',
  '/..',
  '/.',
  '/../',
  '/./',
  '//',
  '\\',
  '%2e',
  '%2E',
  '%2f',
  '%5c',
  '%25',
  '%00',
  '%0d%0a',
  '%',
  '%4',
  '%zz',
  '?',
  '#',
  '@',
  ':',
  ';',
  '..;',
  '=',
  '&',
  '+',
  ',',
  '!',
  '$',
  "'",
  '(',
  ')',
  '*',
  '\t',
  '\n',
  '\r',
  '\0',
  ' ',
  '\u007f',
  '\u00a0',
  'é',
  '／',
  '．',
  '。',
  '\ud800',
  '\u202e',
  '{',
  '}',
  '|',
  '^',
  '`',
  '"',
  '<',
  '>',
  '[',
  ']',
  'http:',
  'https://evil.test',
  '@evil.test',
  ':8080',
  'javascript:',
  '\ufeff',
  '%c0%af',
  '%u002e',
  '/%2e%2e',
]

const build = (next: () => number): string => {
  let path = next() % 20 === 0 ? '' : next() % 2 === 0 ? '/1' : '/'
  for (let left = next() % 7; left > 0; left -= 1) {
    const list = next() % 6 === 0 ? curious : harmless
    path += list[next() % list.length]
  }
  return path
}

const accepts = (path: string): boolean | undefined => {
  try {
    return scanPath(path)
  } catch {
    return undefined
  }
}

test(`${paths.toLocaleString('en')} generated paths: none that is accepted leaves the origin or the prefix, or is changed by the URL parser`, () => {
  const next = randomFrom(20_261_120)
  const counts = { accepted: 0, certain: 0, refused: 0, leaving: 0 }
  for (let index = 0; index < paths; index += 1) {
    const path = build(next)
    const certain = accepts(path)
    if (certain === undefined) {
      counts.refused += 1
      continue
    }
    counts.accepted += 1
    if (certain) counts.certain += 1
    // The whole check for each, also where the scan says that it is not needed.
    checkBuilt(origin, prefix + path)
    const url = new URL(origin + prefix + path)
    const joined = new URL(prefix + path, origin)
    if (
      url.origin !== origin ||
      joined.origin !== origin ||
      url.pathname !== prefix + path ||
      joined.pathname !== prefix + path ||
      url.search !== '' ||
      url.hash !== '' ||
      url.username !== ''
    ) {
      counts.leaving += 1
      expect.fail(`accepted, but changed: ${JSON.stringify(path)} → ${url.href}`)
    }
  }
  expect(counts.accepted + counts.refused).toBe(paths)
  // The generator must reach both sides, and the cheap way must be the usual one.
  expect(counts.accepted).toBeGreaterThan(paths * 0.3)
  expect(counts.refused).toBeGreaterThan(paths * 0.2)
  expect(counts.certain).toBeGreaterThan(counts.accepted / 2)
})

test('refused paths send nothing, accepted ones arrive as they were given', async () => {
  const sink = await listen()
  const wire = wireTo([sink.origin])
  const profile = profileFor(`${sink.origin}${prefix}`)
  const next = randomFrom(7)
  let refused = 0
  let sent = 0
  for (let index = 0; index < 4000; index += 1) {
    const path = build(next)
    const call = callTo(profile, { path })
    if (accepts(path) === undefined || !path.startsWith('/1/')) {
      expect((await failureOf(wire.exchange(call))).code).toBe('not_allowed')
      refused += 1
    } else {
      await wire.exchange(call)
      sent += 1
      expect(sink.seen.at(-1)?.url.split('?')[0]).toBe(prefix + path)
    }
    expect(sink.seen.length).toBe(sent)
  }
  expect(refused).toBeGreaterThan(500)
  expect(sent).toBeGreaterThan(200)
})
