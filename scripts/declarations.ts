/**
 * Builds the library's declarations so that they are self-contained: a consumer's compiler finds no reference to a
 * package that is bundled.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const tsc = join(root, 'node_modules', '.bin', 'tsc')
const entries = ['faces/library/index.d.ts', 'kit/index.d.ts', 'faces/http/plugin.d.ts', 'faces/client/index.d.ts'].map(
  (file) => join('shared', file),
)

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)],
  )

/** `from '…'` and `import('…')`, with the specifier as the second group. */
const imports = /((?:from |import\()['"])([^'"]+)(?=['"])/g
const wayTo = (file: string, other: string) => {
  const way = relative(dirname(file), other).replaceAll('\\', '/')
  return way.startsWith('.') ? way : `./${way}`
}

/**
 * Rewrites imports so that a consumer's compiler can resolve them: without `#kit`, which is defined only in this
 * package, without `.ts` endings, and without types of bundled packages other than zod.
 */
const mend = (folder: string) => {
  const own: Record<string, string> = {
    '#kit': join(folder, 'shared', 'kit', 'index.js'),
    zod: join(folder, 'third-party', 'zod', 'index.js'),
  }
  for (const file of filesIn(join(folder, 'shared'))) {
    const text = readFileSync(file, 'utf8')
      // Users of the library only pass a pool around and never access its members.
      .replace(/import (?:\{ Pool \}|Pool) from 'undici[^']*';/, 'declare class Pool {\n}')
      .replaceAll('import("undici").Pool', 'Pool')
      .replaceAll(imports, (_, before: string, name: string) =>
        own[name]
          ? before + wayTo(file, own[name])
          : before + (name.startsWith('.') ? name.replace(/\.ts$/, '.js') : name),
      )
    writeFileSync(file, text)
  }
}

/** A name that `host-types.d.ts` defines, outside comments. */
const hostNames = /\b(?:AbortSignal|Blob|Buffer|ReadableStream|Response|URL)\b/g
const comments = /\/\*[\s\S]*?\*\/|\/\/.*/g

/**
 * Makes the declarations independent of `@types/node` and of the library `DOM`: global names come from one file, and a
 * module of Node is `any` where the consumer has no types of Node.
 */
const standAlone = (folder: string) => {
  const home = join(folder, 'host-types.d.ts')
  for (const file of filesIn(folder)) {
    const text = readFileSync(file, 'utf8').replaceAll(
      /^import type .* from 'node:[\w/]+';$/gm,
      '// @ts-ignore -- there may be no types of Node\n$&',
    )
    const names = [...new Set(text.replaceAll(comments, '').match(hostNames))].toSorted()
    const line = `import type { ${names.join(', ')} } from '${wayTo(file, home).replace(/\.d\.ts$/, '.js')}';\n`
    writeFileSync(file, names.length > 0 ? line + text : text)
  }
  copyFileSync(join(root, 'scripts', 'host-types.d.ts'), home)
}

/** The files that can be reached from `files` through relative imports. */
const reachedFrom = (files: string[]): Set<string> => {
  const reached = new Set<string>()
  const follow = (file: string) => {
    if (reached.has(file)) return
    reached.add(file)
    for (const [, , name] of readFileSync(file, 'utf8').matchAll(imports))
      if (name!.startsWith('.')) follow(join(dirname(file), name!.replace(/\.js$/, '.d.ts')))
  }
  for (const file of files) follow(file)
  return reached
}

/** zod is bundled, and its types are part of ours, so its declarations are copied: they match the version that runs. */
const takeZodAlong = (folder: string) => {
  const home = join(root, 'node_modules', 'zod')
  for (const file of reachedFrom([join(home, 'index.d.ts')])) {
    const place = join(folder, 'third-party', 'zod', relative(home, file))
    mkdirSync(dirname(place), { recursive: true })
    copyFileSync(file, place)
  }
}

/** Writes `types/` below `dist`. */
export const buildDeclarations = (dist: string) => {
  const folder = join(dist, 'types')
  const { status } = spawnSync(tsc, ['-p', join(root, 'scripts', 'tsconfig.types.json')], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error('The declarations could not be made; see above.')
  takeZodAlong(folder)
  mend(folder)
  standAlone(folder)
  const neededFiles = reachedFrom(entries.map((file) => join(folder, file)))
  for (const file of filesIn(folder)) if (!neededFiles.has(file)) rmSync(file)
}
