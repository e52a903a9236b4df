import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'vitest/node'

const root = fileURLToPath(new URL('../../', import.meta.url))

export type Import = { name: string; isType: boolean }
/** A function, with the lines from its first to its last. */
export type Extent = { line: number; lines: number }
export type Source = { file: string; text: string; imports: Import[]; functions: Extent[] }

export type Node = { type: string; start: number; end: number } & Record<string, unknown>
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

const walk = (node: Node, visit: (node: Node) => void): void => {
  visit(node)
  for (const value of Object.values(node)) for (const part of [value].flat()) if (isNode(part)) walk(part, visit)
}

const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

/** The module that a node names: in `import`, `export … from`, `import()` with a text, and the type `import('…')`. */
const importOf = (node: Node): Import | undefined => {
  const from = (isNode(node.source) ? node.source : undefined) as { value?: unknown } | undefined
  if (typeof from?.value !== 'string') return undefined
  return {
    name: from.value,
    isType: node.importKind === 'type' || node.exportKind === 'type' || node.type === 'TSImportType',
  }
}

/** Every node of a file's syntax tree, parents first. `lineOf`: the line number of an offset. */
export const nodesOf = (file: string, text = readFileSync(join(root, file), 'utf8')) => {
  const nodes: Node[] = []
  walk(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node, (node) => nodes.push(node))
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index)
  return { text, nodes, lineOf: (offset: number) => ends.findLastIndex((end) => end < offset) + 2 }
}

export const readSource = (file: string, givenText?: string): Source => {
  const { text, nodes, lineOf } = nodesOf(file, givenText)
  const source: Source = { file, text, imports: [], functions: [] }
  for (const node of nodes) {
    const imported = importOf(node)
    if (imported) source.imports.push(imported)
    if (functions.has(node.type))
      source.functions.push({ line: lineOf(node.start), lines: lineOf(node.end) - lineOf(node.start) + 1 })
  }
  return source
}

/** Every TypeScript file of the project at or below a path, except declaration files. */
export const filesIn = (path: string): string[] => {
  const full = join(root, path)
  if (statSync(full).isFile()) return [path]
  return readdirSync(full)
    .filter((name) => name !== 'node_modules')
    .flatMap((name) => filesIn(join(path, name)))
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))
}

/** The project file that an import refers to; undefined for a package and for `node:` modules. */
export const targetOf = (file: string, name: string): string | undefined => {
  if (name === '#kit') return 'shared/kit/index.ts'
  return name.startsWith('.') ? relative(root, resolve(root, dirname(file), name)) : undefined
}

/** Groups of files that import each other in a cycle, each sorted. Imports of files outside `sources` are ignored. */
export const circlesOf = (sources: Source[], { types }: { types: boolean }): string[][] => {
  const files = new Set(sources.map(({ file }) => file))
  const graph = new Map(
    sources.map(({ file, imports }) => [
      file,
      imports.flatMap(({ name, isType }) => {
        const target = targetOf(file, name)
        return target !== undefined && files.has(target) && (types || !isType) ? [target] : []
      }),
    ]),
  )
  const reached = (from: string): Set<string> => {
    const seen = new Set<string>()
    const open = [...graph.get(from)!]
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      if (seen.has(file)) continue
      seen.add(file)
      open.push(...graph.get(file)!)
    }
    return seen
  }
  const reach = new Map([...files].map((file) => [file, reached(file)]))
  const inCircles = [...files].filter((file) => reach.get(file)!.has(file)).toSorted()
  const groups = inCircles.map((file) =>
    inCircles.filter((other) => other === file || (reach.get(file)!.has(other) && reach.get(other)!.has(file))),
  )
  return [...new Map(groups.map((group) => [group[0], group])).values()]
}
