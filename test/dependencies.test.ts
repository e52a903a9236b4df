import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineStep, path, z } from '#kit'
import { integrations } from '../integrations/index.ts'
import { bundle } from '../scripts/build.ts'
import { buildConsole } from '../scripts/console.ts'
import { bundledFolders, licences, sbom } from '../scripts/third-parties.ts'
import { createPack } from '../shared/pack.ts'
import type { Pack } from '../shared/pack.ts'
import { startSandbox } from '../shared/sandbox/index.ts'
import type { Sandbox } from '../shared/sandbox/index.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const read = (name: string) => readFileSync(join(root, name), 'utf8')
type Package = {
  name?: string
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  devDependencies: Record<string, string>
  scripts: Record<string, string>
  files: string[]
}
type Locked = {
  version: string
  integrity?: string
  dependencies?: Record<string, string>
  hasInstallScript?: boolean
  license?: string
  resolved?: string
}
const own = JSON.parse(read('package.json')) as Package
const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }

const filesBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? filesBelow(join(folder, entry.name))
      : entry.name.endsWith('.ts') || entry.name.endsWith('.tsx')
        ? [join(folder, entry.name)]
        : [],
  )
const packageOf = (name: string) => /^(@[^/]+\/[^/]+|[^/]+)/.exec(name)![1]!

/** Third parties of the code that runs, in Node and in the browser. */
const used = [
  ...new Set(
    filesBelow('shared')
      .flatMap((file) => [...read(file).matchAll(/(?:from|import\()\s*'([a-z@][^']*)'/g)].map(([, name]) => name!))
      .filter((name) => !name.startsWith('node:') && !builtinModules.includes(name))
      .map(packageOf)
      // Code that the console offers to copy names this package.
      .filter((name) => name !== own.name),
  ),
].toSorted()

describe('dependencies', () => {
  it('each has its reason in CONTRIBUTING.md, and no other is listed there', () => {
    const [, table = ''] = /<!-- dependencies -->([^]*?)<!-- \/dependencies -->/.exec(read('CONTRIBUTING.md')) ?? []
    const rows = [...table.matchAll(/^\| `([^`]+)` \| (.{20,}) \|$/gm)]
    expect(rows.map(([, name]) => name)).toEqual(used)
  })

  it('each is used by the code that runs, and what is used is one of them', () => {
    const tools = [
      '@types/node',
      '@types/pg',
      'esbuild',
      'fast-check',
      'nock',
      'node',
      'oauth4webapi',
      'scslre',
      'typescript',
      'vitest',
      'yaml',
    ]
    expect(Object.keys({ ...own.dependencies, ...own.devDependencies }).toSorted()).toEqual(
      [...used, ...tools].toSorted(),
    )
  })
})

describe('what is shipped', () => {
  const installed = Object.keys({ ...own.dependencies, ...own.peerDependencies, ...own.optionalDependencies })
  let folders: string[]
  let imported: string[]
  let builtins: string[]
  beforeAll(async () => {
    const metafiles = [await bundle(false), (await buildConsole()).metafile]
    folders = bundledFolders(metafiles)
    builtins = Object.values(metafiles[0]!.outputs)
      .flatMap(({ imports }) => imports)
      .flatMap(({ path, external, kind }) => (external && kind === 'import-statement' ? [path] : []))
      .filter((path) => path.startsWith('node:'))
    imported = metafiles
      .flatMap(({ outputs }) => Object.values(outputs))
      .flatMap(({ imports }) => imports)
      .flatMap(({ path, external }) =>
        external && !path.startsWith('node:') && !builtinModules.includes(path) ? [packageOf(path)] : [],
      )
  })

  it('has every third party either bundled or as a dependency, not both', () => {
    const bundled = folders.map((folder) => folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length))
    expect(bundled).toEqual(expect.arrayContaining(['zod', 'undici', 'fastify']))
    expect(installed.filter((name) => bundled.includes(name))).toEqual([])
    // debug colours its lines where its host happens to have the first; pg loads the second where its native client is
    // asked for. Neither is.
    const unasked = ['supports-color', 'pg-native']
    expect([...new Set(imported)].filter((name) => !unasked.includes(name)).toSorted()).toEqual(installed.toSorted())
    expect(used.filter((name) => !bundled.includes(name) && !installed.includes(name))).toEqual([])
  })

  it('takes modules of Node without reading all of their members', () => {
    expect(builtins).toEqual([])
  })

  it('is told by the SBOM: each bundled package with version, checksum and licence as locked, and what it needs', () => {
    const bom = sbom(folders)
    expect(bom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' })
    const lockedPackages = folders.map((place) => {
      const { version, integrity, license } = lock.packages[place]!
      const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
      return `${name} ${version} ${license} ${integrity}`
    })
    const bomPackages = bom.components.map(
      ({ name, version, licenses, hashes }) =>
        `${name} ${version} ${licenses[0]!.license.id} sha512-${Buffer.from(hashes[0]!.content, 'hex').toString('base64')}`,
    )
    expect(bomPackages.toSorted()).toEqual([...new Set(lockedPackages)].toSorted())
    const refs = bom.components.map((part) => part['bom-ref'])
    expect(new Set(refs).size).toBe(refs.length)
    for (const { dependsOn } of bom.dependencies) expect(refs).toEqual(expect.arrayContaining(dependsOn))
    expect(bom.dependencies.find(({ ref }) => ref.startsWith('pkg:npm/fastify@'))?.dependsOn.length).toBeGreaterThan(5)
    // The same tree gives the same file.
    expect(JSON.stringify(sbom(folders))).toBe(JSON.stringify(bom))
  })

  it('goes with the licence of each bundled package', () => {
    const text = licences(folders)
    for (const place of folders)
      expect(text, place).toContain(
        `${place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)} ${lock.packages[place]!.version} (`,
      )
  })
})

describe('what is installed with us', () => {
  /** Everything that the code that runs needs, by the rules by which Node finds a package. */
  const reached = new Set<string>()
  const follow = (name: string, from: string) => {
    let at = from
    while (at !== '' && !lock.packages[`${at}/node_modules/${name}`])
      at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))
    const place = `${at === '' ? '' : `${at}/`}node_modules/${name}`
    if (reached.has(place) || !lock.packages[place]) return
    reached.add(place)
    for (const next of Object.keys(lock.packages[place].dependencies ?? {})) follow(next, place)
  }
  for (const name of used) follow(name, '')
  const runtime = [...reached].map((place) => [place, lock.packages[place]!] as const)

  it('is one exact version each, known by its checksum', () => {
    for (const [name, version] of Object.entries({ ...own.dependencies, ...own.devDependencies }))
      expect(version, name).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/)
    const unchecked = Object.entries(lock.packages).filter(
      ([place, { integrity }]) => place !== '' && !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''),
    )
    expect(unchecked.map(([place]) => place)).toEqual([])
    for (const [name, version] of Object.entries({ ...own.dependencies, ...own.devDependencies }))
      expect(lock.packages[`node_modules/${name}`]?.version, name).toBe(version)
    // Where a package comes from is the registry's matter; none comes from elsewhere.
    for (const [place, { resolved }] of Object.entries(lock.packages))
      expect(resolved ?? '', place).toMatch(/^($|https:\/\/registry\.npmjs\.org\/)/)
  })

  it('runs nothing when it is installed', () => {
    expect(runtime.length).toBeGreaterThan(20)
    expect(runtime.filter(([, { hasInstallScript }]) => hasInstallScript).map(([place]) => place)).toEqual([])
    for (const name of ['preinstall', 'install', 'postinstall', 'prepare']) expect(own.scripts).not.toHaveProperty(name)
  })

  it('has a permissive licence', () => {
    const fine = [
      'MIT',
      '(MIT OR CC0-1.0)',
      'ISC',
      'Apache-2.0',
      'BSD-3-Clause',
      'BSD-2-Clause',
      'BlueOak-1.0.0',
      'Unlicense',
      '0BSD',
    ]
    expect(
      runtime
        .filter(([, { license }]) => !fine.includes(license ?? ''))
        .map(([place, { license }]) => `${place}: ${license}`),
    ).toEqual([])
  })
})

describe('an integration', () => {
  let sandbox: Sandbox
  let pack: Pack
  const seen: { names: string[]; text: string }[] = []
  beforeAll(async () => {
    sandbox = await startSandbox()
    const board = integrations.find(({ id }) => id === 'work-board')!
    const look = defineStep({
      id: 'look',
      title: 'Look',
      purpose: 'Shows what a handler can reach.',
      effect: 'read',
      input: z.strictObject({}),
      output: z.looseObject({}),
      async run(ctx) {
        const reached: unknown[] = []
        const walk = (part: unknown, depth: number) => {
          if (
            depth > 5 ||
            reached.includes(part) ||
            (typeof part !== 'object' && typeof part !== 'function') ||
            part === null
          )
            return
          reached.push(part)
          for (const name of Reflect.ownKeys(part)) walk((part as Record<PropertyKey, unknown>)[name], depth + 1)
        }
        await ctx.send({ method: 'GET', path: path`/1/members/me/boards` })
        walk(ctx, 0)
        seen.push({
          names: Object.keys(ctx).toSorted(),
          text: JSON.stringify(reached.filter((part) => typeof part === 'object')),
        })
        return {}
      },
    })
    pack = await createPack({
      integrations: [{ ...board, steps: [...board.steps, look] }],
      wire: { 'work-board': sandbox.wire['work-board']! },
      egress: { ownOrigins: sandbox.places.map(({ origin }) => origin) },
    })
    const { key, token } = sandbox.board.credentials
    await pack.connections.create(
      { tenant: 'default' },
      { integration: 'work-board', type: 'key-token', name: 'Studio', secrets: { key, token } },
    )
  })
  afterAll(async () => {
    await pack.close()
    await sandbox.close()
  })

  it('gets a context of a few verbs, from which no secret can be reached', async () => {
    const outcome = await pack.steps.run({ tenant: 'default' }, { integration: 'work-board', step: 'look', input: {} })
    expect(outcome).toMatchObject({ ok: true })
    expect(seen[0]!.names).toEqual(
      expect.arrayContaining(['ask', 'lookup', 'lookupMany', 'now', 'progress', 'send', 'signal']),
    )
    for (const name of ['secrets', 'account', 'store', 'vault', 'wire', 'fetch', 'connection', 'process'])
      expect(seen[0]!.names).not.toContain(name)
    const { key, token } = sandbox.board.credentials
    for (const secret of [key, token]) expect(seen[0]!.text).not.toContain(secret)
  })

  /** Ways to the machine and the network that need no import. */
  const ways =
    /\b(process|globalThis|global|fetch|require|eval|Function|XMLHttpRequest|WebSocket|EventSource|navigator)\b\s*[.([]|\bimport\s*\(|\bimport\.meta|new Function/
  /** A file of its own folder that an integration loads when it is first needed. */
  const own = /\bimport\('\.\/(?:[\w-]+\/)*[\w-]+\.ts'\)/g
  const code = (text: string) =>
    text
      .replaceAll(own, 'own')
      .replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, '')
      .replaceAll(/'(?:[^'\\\n]|\\.)*'/g, "''")

  it('has no other way to the machine or the network in its files', () => {
    const files = filesBelow('integrations')
    expect(files.length).toBeGreaterThan(30)
    expect(
      files.filter((file) => ways.test(code(read(file)))).map((file) => `${file}: ${ways.exec(code(read(file)))![0]}`),
    ).toEqual([])
  })

  it.each([
    'process.env.KEY',
    'await fetch(url)',
    "await import('node:fs')",
    "await import('../../shared/wire/index.ts')",
    "await import('./../../shared/wire/index.ts')",
    "require('fs')",
    "globalThis['fetch'](url)",
    'eval(text)',
    'new Function(text)',
    'import.meta.url',
    "new WebSocket('wss://x')",
  ])('is refused for %s', (line) => {
    expect(ways.test(code(line))).toBe(true)
  })
})
