import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../..')

const imported = /(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g

const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(imported)]
    .map(([, path]) => resolve(dirname(file), path!))
    .filter((path) => existsSync(path) && statSync(path).isFile())

/** A file and every file that it imports, itself or through others; absolute paths. */
const closureOf = (file: string, importsByFile: Map<string, string[]>): string[] => {
  const closure = new Set([file])
  for (const member of closure) {
    const imports = importsByFile.get(member) ?? importsOf(member)
    importsByFile.set(member, imports)
    for (const path of imports) closure.add(path)
  }
  return [...closure]
}

/** The test files that need none of these files, where what a file needs is itself and everything that it imports. */
export const testFilesWithout = (isNeeded: (file: string) => boolean): string[] => {
  const importsByFile = new Map<string, string[]>()
  return globSync('test/**/*.test.ts', { cwd: root, exclude: (name) => name.includes('node_modules') })
    .filter((file) => !closureOf(resolve(root, file), importsByFile).some(isNeeded))
    .map((file) => relative(root, resolve(root, file)))
}
