import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { filesIn, readSource, targetOf } from './support/source.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
type Package = { devDependencies: Record<string, string> }
const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Package

/** The files that a tsconfig of the project names, without what they import. */
const filesOf = (project: string): string[] => {
  const tsc = join(root, 'node_modules/.bin/tsc')
  const shown = execFileSync(tsc, ['--showConfig', '-p', project], { cwd: root, encoding: 'utf8' })
  return (JSON.parse(shown) as { files: string[] }).files.map((file) => relative(root, join(root, project, file)))
}
const [own, browser, console] = ['.', 'test/e2e', 'shared/faces/console'].map(filesOf) as [string[], string[], string[]]

const sources = ['integrations', 'shared', 'scripts', 'test'].flatMap(filesIn)

const packageOf = (name: string) => /^(@[^/]+\/[^/]+|[^/]+)/.exec(name)![1]!
const isOfFirstInstall = (name: string) => {
  if (name.startsWith('.')) return !name.includes('/node_modules/')
  return name === '#kit' || isBuiltin(name) || packageOf(name) in devDependencies
}

/** What the text seems to import: code that tests write into files is among it. */
const mentioned = new Map(
  sources.map((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    return [file, [...text.matchAll(/(?:from|import\(?) *'([^'\n]+)'/g)].map(([, name]) => name!)]
  }),
)
const needsMore = sources
  .filter((file) => !mentioned.get(file)!.every(isOfFirstInstall))
  .filter((file) => !readSource(file).imports.every(({ name }) => isOfFirstInstall(name)))

/** Those files, and all that import them. */
const withImporters = (files: string[]): Set<string> => {
  const reached = new Set(files)
  for (let before = -1; before !== reached.size;) {
    before = reached.size
    for (const [file, names] of mentioned)
      if (names.some((name) => reached.has(targetOf(file, name) ?? ''))) reached.add(file)
  }
  return reached
}

describe('the type check', () => {
  it('of npm test needs nothing beyond the first npm ci', () => {
    expect(needsMore).toContain('test/e2e/browser.ts')
    const beyond = withImporters(needsMore)
    expect(own.filter((file) => beyond.has(file))).toEqual([])
  })

  it('reaches every file, once its tools are installed', () => {
    // The first is compiled by test/package, in an empty folder; the second by n8n's builder.
    const elsewhere = ['test/package/consumer/', 'scripts/packages/n8n/runtime/']
    const checked = new Set([...own, ...browser, ...console])
    const ours = sources.filter((file) => !elsewhere.some((folder) => file.startsWith(folder)))
    expect(ours.filter((file) => !checked.has(file))).toEqual([])
  })
})
