/**
 * `npm run build`: what the package holds beside the manifests.
 * - `dist/index.js`, `kit.js`, `fastify.js`: what Node loads. Each checks the version of Node first, then gives what
 *   its module holds
 * - `dist/index-module.js` and so on: the library, ES modules; bundlers read these
 * - `dist/toolyard.js`: server and command line, started by `shared/toolyard.js`
 * - `dist/chunk-*.js`: what they share, and what not every process needs
 * - `dist/console`: the files of the console
 * - `dist/pages`: the sandbox's own pages
 * - `dist/types`: declarations of the library, with those of zod
 * - `dist/THIRD-PARTY-LICENSES.txt`, `dist/sbom.cdx.json`: what is bundled from third parties
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { BuildOptions, Metafile, Plugin } from 'esbuild'
import { writeConsole } from './console.ts'
import { buildDeclarations } from './declarations.ts'
import { bundledFolders, licences, sbom } from './third-parties.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const dist = join(root, 'dist')
const { dependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  dependencies?: Record<string, string>
}

/**
 * Packages that most processes never use, though what needs them is always loaded: evaluated at the first call of one
 * of the named functions. The public suffix list alone takes 7 MB and 12 ms.
 */
const lazily: Record<string, string[]> = { tldts: ['parse'] }

const lazyPackages: Plugin = {
  name: 'lazy-packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^(${Object.keys(lazily).join('|')})$`) }, ({ path, namespace }) =>
      namespace === 'lazy' ? undefined : { path, namespace: 'lazy' },
    )
    onLoad({ filter: /.*/, namespace: 'lazy' }, ({ path }) => ({
      contents: lazily[path]!.map(
        (name) => `export const ${name} = (...given) => require('${path}').${name}(...given)`,
      ).join('\n'),
      resolveDir: root,
    }))
  },
}

/**
 * undici takes a Node without HTTP/2 for granted, and our pools refuse HTTP/2: Node's module for it would only cost 3
 * MB and 5 ms.
 */
const withoutHttp2: Plugin = {
  name: 'without-http2',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:http2$/ }, ({ path, importer }) =>
      /[\\/]undici[\\/]/.test(importer) ? { path, namespace: 'left-out' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({
      contents: `throw new Error('${path} is left out')`,
    }))
  },
}

const shared: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24.12',
  outdir: dist,
  // What package.json lists as a dependency is installed beside us; everything else is bundled. So no package is there
  // twice.
  external: Object.keys(dependencies).flatMap((name) => [name, `${name}/*`]),
  // Whole names stay, so that a stack trace can be read.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  plugins: [lazyPackages, withoutHttp2],
  // As in undici's own build for Node: without its experimental parser, 170 kB that only a variable of the environment
  // turns on.
  define: { esbuildDetection: '1' },
  // CommonJS packages ask for Node's modules by require, and some for their own folder.
  banner: {
    js: "import{createRequire as $createRequire}from'node:module';const require=$createRequire(import.meta.url),__filename=import.meta.filename,__dirname=import.meta.dirname;",
  },
}

/**
 * Third parties are bundled into the library too: with them installed beside it a cold start is 1.7 times that of bare
 * undici (bound 1.3), with zod alone 1.6. Server and library share what both hold, and a server that starts reads half
 * of the whole. Chunks stand beside the entry points, since code finds `../manifests` from where it is.
 */
const programs: BuildOptions = {
  ...shared,
  entryPoints: {
    'index-module': 'shared/faces/library/index.ts',
    'kit-module': 'shared/kit/index.ts',
    'fastify-module': 'shared/faces/http/plugin.ts',
    toolyard: 'shared/main.ts',
  },
  splitting: true,
  chunkNames: 'chunk-[hash]',
}

/**
 * Node links every import of a module before it runs a line of it, so an older Node fails on a missing built-in before
 * any check could speak. This file imports nothing but what every Node has, checks, and only then loads the module
 * beside it.
 */
const entryOf = (module: string, names: string[]): string =>
  [
    "import { createRequire } from 'node:module'",
    "const [major, minor] = process.versions.node.split('.').map(Number)",
    'if (major < 24 || (major === 24 && minor < 12)) {',
    '  throw new Error(`toolyard needs Node 24.12 or newer, this is v${process.versions.node}; put a newer one first on the PATH`)',
    '}',
    `const module = createRequire(import.meta.url)('./${module}')`,
    ...names.filter((name) => name !== 'default').map((name) => `export const ${name} = module.${name}`),
    ...(names.includes('default') ? ['export default module.default'] : []),
    '',
  ].join('\n')

const writeEntries = ({ outputs }: Metafile): void => {
  for (const [file, { exports }] of Object.entries(outputs)) {
    // Chunks of dynamic imports are entry points of the bundler too.
    if (file.endsWith('-module.js'))
      writeFileSync(join(root, file.replace('-module', '')), entryOf(basename(file), exports.toSorted()))
  }
}

/**
 * The bundler leaves regular expressions and tagged templates as they are. A single character beyond Latin-1 in them
 * doubles what the file takes in memory, for as long as the process runs.
 */
const inAscii = (code: string) =>
  code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** What esbuild says of library and server, which are written unless `write` is false. */
export const bundle = async (write = true): Promise<Metafile> => {
  const { metafile, outputFiles } = await build({ ...programs, metafile: true, write: false })
  if (write) {
    mkdirSync(dist, { recursive: true })
    for (const { path, text } of outputFiles) writeFileSync(path, inAscii(text))
  }
  return metafile
}

/** Builds everything into `dist/` anew. */
export const buildAll = async (): Promise<Metafile[]> => {
  rmSync(dist, { recursive: true, force: true })
  const metafiles = [await bundle(), await writeConsole()]
  cpSync(join(root, 'shared/sandbox/pages'), join(dist, 'pages'), { recursive: true })
  writeEntries(metafiles[0]!)
  buildDeclarations(dist)
  const folders = bundledFolders(metafiles)
  writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), licences(folders))
  writeFileSync(join(dist, 'sbom.cdx.json'), `${JSON.stringify(sbom(folders), null, 2)}\n`)
  return metafiles
}

if (import.meta.main) {
  for (const { outputs } of await buildAll())
    for (const [file, { bytes }] of Object.entries(outputs))
      console.log(`${file.padEnd(28)} ${(bytes / 1024).toFixed(0).padStart(6)} kB`)
}
