/**
 * `npm run build`: what the package holds beside the manifests.
 * - `dist/index.js`, `kit.js`, `fastify.js`: the library, ES modules with the code they share in `chunk-*.js`
 * - `dist/toolyard.js`: server and command line in one file, started by `shared/toolyard.js`
 * - `dist/types`: declarations of the library
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { BuildOptions, Metafile, Plugin } from 'esbuild'

const root = fileURLToPath(new URL('../', import.meta.url))
const dist = join(root, 'dist')
const tsc = join(root, 'node_modules', '.bin', 'tsc')

/**
 * Packages that most processes never use, though what needs them is always loaded: evaluated at the first call of one of the named functions.
 * The public suffix list alone takes 7 MB and 12 ms.
 */
const lazily: Record<string, string[]> = { tldts: ['parse'] }

const lazyPackages: Plugin = {
  name: 'lazy-packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^(${Object.keys(lazily).join('|')})$`) }, ({ path, namespace }) =>
      namespace === 'lazy' ? undefined : { path, namespace: 'lazy' },
    )
    onLoad({ filter: /.*/, namespace: 'lazy' }, ({ path }) => ({
      contents: lazily[path]!.map((name) => `export const ${name} = (...given) => require('${path}').${name}(...given)`).join('\n'),
      resolveDir: root,
    }))
  },
}

/** undici takes a Node without HTTP/2 for granted, and our pools refuse HTTP/2: Node's module for it would only cost 3 MB and 5 ms. */
const withoutHttp2: Plugin = {
  name: 'without-http2',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:http2$/ }, ({ path, importer }) => (/[\\/]undici[\\/]/.test(importer) ? { path, namespace: 'left-out' } : undefined))
    onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({ contents: `throw new Error('${path} is left out')` }))
  },
}

const shared: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24.12',
  outdir: dist,
  // Whole names stay, so that a stack trace can be read.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  plugins: [lazyPackages, withoutHttp2],
  // CommonJS packages ask for Node's modules by require, and some for their own folder.
  banner: {
    js: "import{createRequire as $createRequire}from'node:module';const require=$createRequire(import.meta.url),__filename=import.meta.filename,__dirname=import.meta.dirname;",
  },
}

/**
 * Third parties are bundled into the library too: loading them file by file would double a cold start, and half of what they hold is never used.
 * Chunks stand beside the entry points, since code finds `../manifests` from where it is.
 */
const buildLibrary = () =>
  build({
    ...shared,
    entryPoints: { index: 'shared/faces/library/index.ts', kit: 'shared/kit/index.ts', fastify: 'shared/faces/library/fastify.ts' },
    splitting: true,
    chunkNames: 'chunk-[hash]',
  })

const buildServer = () => build({ ...shared, entryPoints: { toolyard: 'shared/main.ts' } })

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)]))

/** Declarations as a consumer's compiler resolves them: no `#kit`, which means something only in this package, no `.ts` endings, no private files. */
const mendDeclarations = (folder: string) => {
  const kit = join(folder, 'shared', 'kit', 'index.js')
  for (const file of filesIn(folder)) {
    const way = relative(dirname(file), kit)
    const text = readFileSync(file, 'utf8')
      .replaceAll(/(from |import\()(['"])#kit\2/g, (_, before: string) => `${before}'${way.startsWith('.') ? way : `./${way}`}'`)
      .replaceAll(/((?:from |import\()['"]\.{1,2}\/[^'"]+)\.ts(['"])/g, '$1.js$2')
      // The one file of undici that is loaded has no declarations of its own.
      .replace("import Pool from 'undici/lib/dispatcher/pool.js'", "import { Pool } from 'undici'")
    writeFileSync(file, text)
  }
}

const buildTypes = () => {
  const { status } = spawnSync(tsc, ['-p', join(root, 'scripts', 'tsconfig.types.json')], { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error('The declarations could not be made; see above.')
  mendDeclarations(join(dist, 'types'))
}

const packageOf = (input: string) => /(.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(input)?.[1]

/** The licences of what is bundled ask that their text goes with it. */
const licences = (metafiles: Metafile[]): string => {
  const folders = new Set(metafiles.flatMap(({ inputs }) => Object.keys(inputs)).flatMap((input) => packageOf(input) ?? []))
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
      name: string
      version: string
      license: string
    }
    const file = readdirSync(join(root, folder)).find((candidate) => /^licen[cs]e/i.test(candidate))
    const text = file ? readFileSync(join(root, folder, file), 'utf8').trim() : `Licence: ${license}`
    return `${name} ${version} (${license})\n\n${text}\n`
  })
  return `The files beside this one contain code of these packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`
}

export type Built = { library: Metafile; server: Metafile }

/** Builds everything into `dist/` anew. */
export const buildAll = async (): Promise<Built> => {
  rmSync(dist, { recursive: true, force: true })
  const [library, server] = await Promise.all([buildLibrary(), buildServer()])
  buildTypes()
  const built = { library: library.metafile!, server: server.metafile! }
  writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), licences([built.library, built.server]))
  return built
}

if (import.meta.main) {
  const { library, server } = await buildAll()
  for (const [file, { bytes }] of Object.entries({ ...library.outputs, ...server.outputs }))
    console.log(`${file.padEnd(28)} ${(bytes / 1024).toFixed(0).padStart(6)} kB`)
}
