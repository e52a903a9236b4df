import { expect, test } from 'vitest'
import { createGuard } from '../../shared/wire/guard/guard.ts'
import { canonicalPath, checkBuilt } from '../../shared/wire/guard/paths.ts'
import { callTo, failureOf, listen, open, profileFor, wireTo } from './setup.ts'

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
const harmless = [
  '/',
  '/1',
  '/cards',
  '/members',
  'a',
  'b9',
  '-',
  '_',
  '~',
  '.x',
  'x.',
  '%41',
  '%C3%A9',
  '%20',
  '/5f0c',
]
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

const accepts = (path: string): string | undefined => {
  try {
    return canonicalPath(path)
  } catch {
    return undefined
  }
}

test(`${paths.toLocaleString('en')} generated paths: none that is accepted leaves the origin or the prefix, or is changed by the URL parser`, () => {
  const next = randomFrom(20_261_120)
  const counts = { accepted: 0, unchanged: 0, refused: 0, leaving: 0 }
  for (let index = 0; index < paths; index += 1) {
    const rawPath = build(next)
    const path = accepts(rawPath)
    if (path === undefined) {
      counts.refused += 1
      continue
    }
    counts.accepted += 1
    if (path === rawPath) counts.unchanged += 1
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
      url.username !== '' ||
      canonicalPath(path) !== path ||
      path.split('/').some((part) => /[;%/\\\p{Cc}\p{Cf}]|[.\s]$|^\s/u.test(decodeURIComponent(part)))
    ) {
      counts.leaving += 1
      expect.fail(`accepted, but changed: ${JSON.stringify(path)} → ${url.href}`)
    }
  }
  expect(counts.accepted + counts.refused).toBe(paths)
  // The generator must reach both sides, and the cheap way must be the usual one.
  expect(counts.accepted).toBeGreaterThan(paths * 0.3)
  expect(counts.refused).toBeGreaterThan(paths * 0.2)
  expect(counts.unchanged).toBeGreaterThan(counts.accepted / 2)
})

test('refused paths send nothing, accepted ones arrive in their canonical form', async () => {
  const sink = await listen()
  const wire = wireTo([sink.origin])
  const profile = profileFor(`${sink.origin}${prefix}`)
  const next = randomFrom(7)
  let refused = 0
  let sent = 0
  for (let index = 0; index < 4000; index += 1) {
    const path = build(next)
    const call = callTo(profile, { path })
    const canonical = accepts(path)
    if (canonical === undefined || !canonical.startsWith('/1/')) {
      expect((await failureOf(wire.exchange(call))).code).toBe('not_allowed')
      refused += 1
    } else {
      await wire.exchange(call)
      sent += 1
      expect(sink.seen.at(-1)?.url.split('?')[0]).toBe(prefix + canonical)
    }
    expect(sink.seen.length).toBe(sent)
  }
  expect(refused).toBeGreaterThan(500)
  expect(sent).toBeGreaterThan(200)
})

/**
 * What the most lenient server would make of a path: decoded until nothing changes, parameters, dots, spaces and case
 * gone.
 */
const leniently = (path: string): string[] => {
  let text = path
  for (let turn = 0; turn < 4; turn += 1)
    text = text.replace(/%[0-9a-f]{2}/gi, (byte) => String.fromCharCode(Number.parseInt(byte.slice(1), 16)))
  return text
    .split(/[/\\]/)
    .map((part) =>
      part
        .replace(/[;?#].*$/s, '')
        // oxlint-disable-next-line no-control-regex -- some servers cut control characters off the end of a segment
        .replace(/[\s.\u0000-\u001f\u007f]+$/, '')
        .trim()
        .toLowerCase(),
    )
    .filter((part) => part !== '')
}
const isSecret = (path: string) => {
  const [version, first, second, third] = leniently(path)
  return version === '1' && (first === 'tokens' || (first === 'members' && second === 'me' && third === 'tokens'))
}

test('no writing of a denied path passes, however lenient the server behind would be', () => {
  const guard = createGuard()
  const facts = { origin, prefix: '', reserved: new Set<string>(), harmless: new Set<string>() }
  const deny = ['/1/tokens', '/1/tokens/**', '/1/members/*/tokens', '/1/members/*/tokens/**'].map((path) => ({
    path,
    reason: 'Not for agents.',
  }))
  const policy = { ...open, deny }
  const next = randomFrom(14)
  const tails = [
    '',
    '',
    '/',
    '.',
    '%20',
    '%00',
    ';',
    ';a=b',
    '%3b',
    '%2e',
    '/.',
    '/;',
    '%09',
    '%e2%80%8b',
    '%c2%a0',
    '..;',
    '%3f',
    '%23',
    '/x',
    '%E2%80%AE',
  ]
  const middles = ['', '', '', '', '/;', '/.', '/%2e', ';x', '%3bx', '%00']
  const disguise = (text: string) =>
    [...text]
      .map((character) => {
        const hex = character.charCodeAt(0).toString(16)
        return [
          character,
          character,
          character,
          character.toUpperCase(),
          `%${hex}`,
          `%${hex.toUpperCase()}`,
          `%25${hex}`,
        ][next() % (next() % 3 === 0 ? 7 : 3)]
      })
      .join('')
  const denied = [['tokens'], ['tokens', 'abc'], ['members', 'me', 'tokens']]
  const counts = { passed: 0, refused: 0 }
  for (let index = 0; index < 60_000; index += 1) {
    const parts = denied[next() % denied.length]!
    const path = `/1${parts.map((part) => `${middles[next() % middles.length]}/${disguise(part)}`).join('')}${tails[next() % tails.length]}`
    let sent: string | undefined
    try {
      sent = guard.request(facts, callTo(profileFor(origin), { path, policy })).path
    } catch {
      counts.refused += 1
    }
    if (sent === undefined) continue
    counts.passed += 1
    if (isSecret(sent)) expect.fail(`passed: ${JSON.stringify(path)} → ${sent}`)
  }
  expect(counts.refused).toBeGreaterThan(50_000)
})
