/**
 * Builds the console's files: `npm run build` writes them to `dist/console/`; a checkout builds them in memory when the
 * console is first opened. Except for the page itself, the bundler puts a hash of the content into each file's name.
 */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Metafile } from 'esbuild'

const root = fileURLToPath(new URL('../', import.meta.url))
const out = join(root, 'dist', 'console')

const page = (script: string, style: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="toolyard-login" content="{login}">
<title>toolyard</title>
<link rel="icon" href="{root}icons/toolyard.svg" type="image/svg+xml">
<link rel="stylesheet" href="{root}${style}">
<script type="module" src="{root}${script}"></script>
</head>
<body>
<div id="app"></div>
<noscript>The console needs JavaScript. The HTTP API and the command line do the same without it.</noscript>
</body>
</html>
`

const iconFiles = () => {
  const folder = join(root, 'manifests', 'icons')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.svg'))
    .map((name) => [`icons/${name.replaceAll('\\', '/')}`, readFileSync(join(folder, name))] as const)
}

/** The worked agents of the documents, which the console shows. They are texts there, whatever they are elsewhere. */
const recipeFiles = () => {
  const folder = join(root, 'docs', 'examples')
  return readdirSync(folder)
    .filter((name) => name.startsWith('agent'))
    .map((name) => [`recipes/${name}.txt`, readFileSync(join(folder, name))] as const)
}

/**
 * Each file of the console by its path below /console/. `index.html` contains `{root}` where the server inserts that
 * path, and `{login}` where it inserts the name of the OpenID provider that signs people in. `tokens.css` holds the
 * values of the design.
 */
export const buildConsole = async (): Promise<{ files: Map<string, Buffer>; metafile: Metafile }> => {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: 'shared/faces/console/main.tsx' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfigRaw: '{}',
    minify: true,
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    assetNames: '[name]-[hash]',
    outdir: out,
    write: false,
    metafile: true,
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  })
  const files = new Map(outputFiles.map(({ path, contents }) => [relative(out, path), Buffer.from(contents)]))
  const named = (extension: string) =>
    [...files.keys()].find((name) => name.startsWith('main-') && name.endsWith(extension))!
  files.set('index.html', Buffer.from(page(named('.js'), named('.css'))))
  for (const [name, bytes] of [...iconFiles(), ...recipeFiles()]) files.set(name, bytes)
  // For pages that the server renders without the console's script.
  files.set('tokens.css', readFileSync(join(root, 'shared/faces/console/styles/tokens.css')))
  return { files, metafile }
}

/** Writes the files to `dist/console/`. */
export const writeConsole = async (): Promise<Metafile> => {
  const { files, metafile } = await buildConsole()
  for (const [name, bytes] of files) {
    mkdirSync(dirname(join(out, name)), { recursive: true })
    writeFileSync(join(out, name), bytes)
  }
  return metafile
}
