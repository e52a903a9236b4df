import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

/** Design rule "who may import whom". A room lists the rooms and packages it may import; `node:*` unless said. */
const root = fileURLToPath(new URL('../', import.meta.url))

type Rule = { rooms: string[]; packages: (string | RegExp)[]; node?: string[] | true }
const rules: Record<string, Rule> = {
  'shared/kit': { rooms: [], packages: ['zod', 'tldts'], node: [] },
  integrations: { rooms: ['shared/kit'], packages: ['zod'], node: [] },
  'shared/wire': { rooms: ['shared/kit'], packages: [/^undici(\/|$)/, 'p-queue', 'ipaddr.js', 'oauth-1.0a', 'openid-client'], node: true },
  'shared/runtime': { rooms: ['shared/kit', 'shared/wire'], packages: ['lru-cache', 'jose', 'standardwebhooks'], node: ['node:crypto'] },
  'shared/store': { rooms: ['shared/kit', 'shared/runtime'], packages: [], node: true },
  'shared/sandbox': { rooms: [], packages: ['fastify'], node: true },
  'shared/tracing.ts': { rooms: ['shared/kit', 'shared/runtime', 'shared/wire'], packages: ['@opentelemetry/api'], node: [] },
  'shared/examples.ts': { rooms: ['shared/kit', 'shared/runtime'], packages: [], node: ['node:fs/promises'] },
  'shared/pack-types.ts': { rooms: ['shared/kit', 'shared/runtime', 'shared/wire', 'shared/store'], packages: [], node: [] },
  'shared/pack.ts': {
    rooms: [
      'integrations/index.ts',
      'shared/examples.ts',
      'shared/kit',
      'shared/pack-types.ts',
      'shared/runtime',
      'shared/store',
      'shared/tracing.ts',
      'shared/wire',
    ],
    packages: [],
    node: true,
  },
  'shared/faces': {
    rooms: ['shared/kit', 'shared/runtime', 'shared/pack.ts'],
    packages: [
      'fastify',
      /^@fastify\//,
      'fastify-type-provider-zod',
      'zod',
      'pino',
      'prom-client',
      'commander',
      'ky',
      /^@modelcontextprotocol\/(server|client)(\/|$)/,
    ],
    node: true,
  },
  'shared/main.ts': { rooms: ['shared/kit', 'shared/pack.ts', 'shared/faces', 'shared/sandbox'], packages: ['pino'], node: true },
}

const filesIn = (path: string): string[] => {
  const full = join(root, path)
  if (statSync(full).isFile()) return [path]
  return readdirSync(full)
    .flatMap((name) => filesIn(join(path, name)))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
}

const importsOf = (file: string) =>
  [
    ...readFileSync(join(root, file), 'utf8').matchAll(
      /(?:^|\n)\s*(?:import|export)\s[^'"]*?from\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)import\s+['"]([^'"]+)['"]/g,
    ),
  ].map((found) => (found[1] ?? found[2] ?? found[3])!)

const within = (file: string, room: string) => file === room || file.startsWith(`${room}/`)

/** What is wrong with one import, or undefined. */
export const wrongImport = (room: string, file: string, name: string): string | undefined => {
  const rule = rules[room]!
  if (name.startsWith('node:')) return rule.node === true || rule.node?.includes(name) ? undefined : `${file} imports ${name}`
  if (!name.startsWith('.') && !name.startsWith('#')) {
    return rule.packages.some((allowed) => (typeof allowed === 'string' ? allowed === name : allowed.test(name))) ? undefined : `${file} imports ${name}`
  }
  const target =
    name === '#kit' ? 'shared/kit/index.ts' : name.startsWith('#kit/') ? `shared/kit/${name.slice(5)}.ts` : relative(root, resolve(root, dirname(file), name))
  if (room === 'integrations' && file !== 'integrations/index.ts') {
    const folder = file.split('/').slice(0, 2).join('/')
    if (within(target, folder)) return undefined
  } else if (within(target, room)) return undefined
  return rule.rooms.some((allowed) => within(target, allowed)) ? undefined : `${file} imports ${target}`
}

describe('rooms', () => {
  for (const room of Object.keys(rules)) {
    it(`${room} imports only what it may`, () => {
      const files = filesIn(room)
      expect(files.length).toBeGreaterThan(0)
      expect(files.flatMap((file) => importsOf(file).flatMap((name) => wrongImport(room, file, name) ?? []))).toEqual([])
    })
  }

  it('finds a wrong import', () => {
    expect(wrongImport('integrations', 'integrations/a/manifest.ts', 'node:fs')).toBeDefined()
    expect(wrongImport('integrations', 'integrations/a/manifest.ts', '../b/wire.ts')).toBeDefined()
    expect(wrongImport('integrations', 'integrations/a/steps/x.ts', '../wire.ts')).toBeUndefined()
    expect(wrongImport('shared/wire', 'shared/wire/guard/guard.ts', '../../runtime/ports/index.ts')).toBeDefined()
    expect(wrongImport('shared/sandbox', 'shared/sandbox/board/index.ts', '#kit')).toBeDefined()
  })

  it('has one reader of the environment and one door to the network', () => {
    const code = filesIn('shared').map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
    const readers = code.filter(({ text }) => /process\.env/.test(text)).map(({ file }) => file)
    expect(readers.filter((file) => file !== 'shared/main.ts')).toEqual([])
    const undici = code.filter(({ text }) => /from ['"]undici|require\(['"]undici/.test(text)).map(({ file }) => file)
    expect(undici).toEqual(['shared/wire/exchange/transport.ts'])
    const fetchers = code
      .filter(({ file, text }) => /(?<![.\w])fetch\((?!ctx)/.test(text) && !file.startsWith('shared/sandbox/') && !file.startsWith('shared/faces/console/'))
      .map(({ file }) => file)
    expect(fetchers).toEqual([])
  })
})
