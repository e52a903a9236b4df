import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
/** Whoever makes a secret, an answer or a log line that could leak one goes through these. */
const sources = [
  'pack.ts',
  'store/memory-store.ts',
  'store/sqlite-store.ts',
  'store/postgres/store.ts',
  'store/envelope.ts',
].map((file) => resolve(root, 'shared', file))

const imported = /(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g

const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(imported)]
    .map(([, path]) => resolve(dirname(file), path!))
    .filter((path) => existsSync(path) && statSync(path).isFile())

/** Whether a file imports one of these, itself or through others. */
const reaches = (file: string, importsByFile: Map<string, string[]>): boolean => {
  const seen = new Set([file])
  for (const at of seen) {
    if (sources.includes(at)) return true
    const next = importsByFile.get(at) ?? importsOf(at)
    importsByFile.set(at, next)
    for (const path of next) seen.add(path)
  }
  return false
}

/** Test files that import neither a pack nor a store, so that nothing in their process could leak. */
export const withoutSecrets = (): string[] => {
  const importsByFile = new Map<string, string[]>()
  const files = globSync('test/**/*.test.ts', { cwd: root, exclude: (name) => name.includes('node_modules') })
  return files
    .map((file) => resolve(root, file))
    .filter((file) => !reaches(file, importsByFile))
    .map((file) => relative(root, file))
}
