/**
 * `npm run build` builds everything in the package except the manifests:
 * - `dist/index.js`, `kit.js`, `fastify.js`: what Node loads. Each checks Node's version first, then exports what its
 *   module exports
 * - `dist/index-module.js` and so on: the library as ES modules; bundlers read these
 * - `dist/client.js`: the client of the HTTP API, by itself
 * - `dist/toolyard-connect.js`: the script with which a platform opens connect links, as servers serve it
 * - `dist/toolyard.js`: server and command line, started by `shared/toolyard.js`
 * - `dist/pdf-worker.js`: the thread that reads PDFs, started with the first one
 * - `dist/chunk-*.js`: code that these share, and code that not every process needs
 * - `dist/console`: the files of the console
 * - `dist/pages`: the sandbox's own pages
 * - `dist/types`: declarations of the library, including those of zod
 * - `dist/build-id.txt`: a digest of what was bundled, by which two builds of a version are told apart
 * - `dist/THIRD-PARTY-LICENSES.txt`, `dist/sbom.cdx.json`: the third-party packages that are bundled
 */
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { BuildOptions, Metafile, Plugin } from 'esbuild'
import { connectScript } from '../shared/faces/http/connect/embed.ts'
import { writeConsole } from './console.ts'
import { buildDeclarations } from './declarations.ts'
import { bundledFolders, licences, sbom } from './third-parties.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const dist = join(root, 'dist')
const { dependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  dependencies?: Record<string, string>
}

/**
 * Packages that most processes never use, although the code that imports them is always loaded. They are evaluated at
 * the first call of one of the named functions. The public suffix list alone takes 7 MB and 12 ms.
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
 * Leaves Node's HTTP/2 module out of undici, which also works without it: our connection pools refuse HTTP/2, so
 * loading the module would only cost 3 MB and 5 ms.
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

/**
 * Takes Node's modules as `require` would: for `import`, Node reads every member of a module, and so loads whatever some
 * of them load when they are first read, such as all of Web Crypto.
 */
const plainBuiltins: Plugin = {
  name: 'plain-builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'builtin' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => {
      // Those that nobody imports are dropped unread.
      const names = Object.keys(process.getBuiltinModule(path as 'node:fs')).filter((name) => name !== 'default')
      const lines = names.map((name) => `export const ${name} = /* @__PURE__ */ (() => all.${name})()`)
      return {
        contents: [`const all = process.getBuiltinModule('${path}')`, 'export default all', ...lines].join('\n'),
      }
    })
  },
}

const shared: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24.12',
  outdir: dist,
  // The dependencies in package.json are installed next to this package; everything else is bundled. So no package is
  // there twice.
  external: Object.keys(dependencies).flatMap((name) => [name, `${name}/*`]),
  // Identifiers are not shortened, so that stack traces stay readable.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  plugins: [lazyPackages, withoutHttp2, plainBuiltins],
  // As in undici's own build for Node: leaves out its experimental parser, 170 kB that only an environment variable
  // enables.
  define: { esbuildDetection: '1' },
  // CommonJS packages load Node's modules with `require`, and some use the path of their own folder.
  banner: {
    js: "import{createRequire as $createRequire}from'node:module';const require=$createRequire(import.meta.url),__filename=import.meta.filename,__dirname=import.meta.dirname;",
  },
}

/**
 * Third-party packages are bundled into the library too: when they are installed next to it instead, a cold start takes
 * 1.7 times as long as that of bare undici (limit: 1.3), and 1.6 times with only zod installed. Library and server
 * share common code, and a starting server reads half of the whole. Chunks are in the same folder as the entry points,
 * because code finds `../manifests` relative to its own file.
 */
const programs: BuildOptions = {
  ...shared,
  entryPoints: {
    'index-module': 'shared/faces/library/index.ts',
    'kit-module': 'shared/kit/index.ts',
    'fastify-module': 'shared/faces/http/plugin.ts',
    toolyard: 'shared/main.ts',
    'pdf-worker': 'shared/runtime/files/pdf-worker.ts',
  },
  splitting: true,
  chunkNames: 'chunk-[hash]',
}

/** The client runs wherever `fetch` does, also in browsers: it shares no code with the server and loads no built-in. */
export const client: BuildOptions = {
  ...shared,
  platform: 'neutral',
  mainFields: ['module', 'main'],
  target: 'es2022',
  entryPoints: { client: 'shared/faces/client/index.ts' },
  banner: {},
  plugins: [],
}

/**
 * Node links all imports of a module before it runs any of its code, so an older Node would fail on a missing built-in
 * before a version check could run. This entry file imports only what every Node has, checks the version, and then
 * loads the module next to it.
 */
const entryOf = (module: string, names: string[]): string =>
  [
    "import { createRequire } from 'node:module'",
    "const [major, minor] = process.versions.node.split('.').map(Number)",
    'if (major < 24 || (major === 24 && minor < 12)) {',
    '  throw new Error(`toolyard needs Node 24.12 or newer, this is v${process.versions.node}; put a newer one first on the PATH, or bring one along: npx -y -p node@24 node <your file>`)',
    '}',
    `const module = createRequire(import.meta.url)('./${module}')`,
    ...names.filter((name) => name !== 'default').map((name) => `export const ${name} = module.${name}`),
    ...(names.includes('default') ? ['export default module.default'] : []),
    '',
  ].join('\n')

const writeEntries = ({ outputs }: Metafile): void => {
  for (const [file, { exports }] of Object.entries(outputs)) {
    // For the bundler, the chunks of dynamic imports are entry points too.
    if (file.endsWith('-module.js'))
      writeFileSync(join(root, file.replace('-module', '')), entryOf(basename(file), exports.toSorted()))
  }
}

/**
 * Escapes what the bundler leaves unescaped: regular expressions and tagged templates. A single character beyond
 * Latin-1 in them doubles the memory that the file takes for as long as the process runs.
 */
const inAscii = (code: string) =>
  code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The same for the same code, wherever it is built: 12 hexadecimal digits. */
export const buildId = (files: { path: string; text: string }[]): string => {
  const digest = createHash('sha256')
  for (const { path, text } of files.toSorted((a, b) => a.path.localeCompare(b.path, 'en')))
    digest.update(`${basename(path)}\0${text}\0`)
  return digest.digest('hex').slice(0, 12)
}

/** Bundles library and server and returns esbuild's metafile. Writes the files unless `write` is false. */
export const bundle = async (write = true): Promise<Metafile> => {
  const { metafile, outputFiles } = await build({ ...programs, metafile: true, write: false })
  if (write) {
    mkdirSync(dist, { recursive: true })
    for (const { path, text } of outputFiles) writeFileSync(path, inAscii(text))
    writeFileSync(join(dist, 'build-id.txt'), `${buildId(outputFiles)}\n`)
  }
  return metafile
}

/** Builds what runs: everything but the declarations, which take the longest. */
export const buildPrograms = async (): Promise<Metafile[]> => {
  const metafiles = [await bundle(), await writeConsole(), (await build({ ...client, metafile: true })).metafile]
  writeFileSync(join(dist, 'toolyard-connect.js'), connectScript)
  cpSync(join(root, 'shared/faces/http/connect/toolyard-connect.d.ts'), join(dist, 'toolyard-connect.d.ts'))
  cpSync(join(root, 'shared/sandbox/pages'), join(dist, 'pages'), { recursive: true })
  writeEntries(metafiles[0]!)
  const folders = bundledFolders(metafiles)
  writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), licences(folders))
  writeFileSync(join(dist, 'sbom.cdx.json'), `${JSON.stringify(sbom(folders), null, 2)}\n`)
  return metafiles
}

/** Deletes `dist/` and builds everything again. */
export const buildAll = async (): Promise<Metafile[]> => {
  rmSync(dist, { recursive: true, force: true })
  const metafiles = await buildPrograms()
  buildDeclarations(dist)
  return metafiles
}

if (import.meta.main) {
  for (const { outputs } of await buildAll())
    for (const [file, { bytes }] of Object.entries(outputs))
      console.log(`${file.padEnd(28)} ${(bytes / 1024).toFixed(0).padStart(6)} kB`)
}
