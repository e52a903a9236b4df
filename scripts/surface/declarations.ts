/**
 * Compares the exported types of two builds: do they accept the same values? When a declaration's text differs, as
 * inferred types often do, the compiler decides: each build's type must be assignable to that of the other.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parseAst } from 'vitest/node'

const entries = ['shared/faces/library/index', 'shared/kit/index', 'shared/faces/http/plugin']

/**
 * zod, and the types made from the manifests, are shared by both builds: the compiler would take minutes for two
 * copies. The manifests are compared by value instead.
 */
const onceForBoth = new Set(['third-party', 'manifests'])

/** An exported name, with the text of its declaration without comments. */
type Declared = { isType: boolean; text: string }
type NamedNode = { name: string }
type Statement = {
  type: string
  start: number
  end: number
  exportKind?: 'type' | 'value'
  source?: { value: string } | null
  exported?: NamedNode | null
  specifiers?: { exportKind?: 'type' | 'value'; local: NamedNode; exported: NamedNode }[]
  declaration?: { type: string; id?: NamedNode; declarations?: { id: NamedNode }[] } | null
}

const declaredNames = ({ id, declarations = [] }: NonNullable<Statement['declaration']>) =>
  id ? [id.name] : declarations.map((declared) => declared.id.name)
const withoutComments = (text: string) =>
  text
    .replaceAll(/\/\*.*?\*\/|^\s*\/\/.*$/gms, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

/**
 * The names that a declaration file exports, including those of files that it re-exports as a whole. zod, which is
 * re-exported by name, is not ours.
 */
const namesIn = (file: string): Map<string, Declared> => {
  const names = new Map<string, Declared>()
  const code = readFileSync(file, 'utf8')
  const fileOf = ({ source }: Statement) => join(dirname(file), source!.value.replace(/\.js$/, '.d.ts'))
  const { body } = parseAst(code, { lang: 'dts' }) as unknown as { body: Statement[] }
  for (const statement of body) {
    const { type, exportKind, source, exported, specifiers = [], declaration } = statement
    if (type === 'ExportAllDeclaration' && !exported) {
      for (const [name, declared] of namesIn(fileOf(statement)))
        if (exportKind !== 'type' || declared.isType) names.set(name, declared)
    } else if (type === 'ExportNamedDeclaration' && declaration) {
      const isType = /^TS(TypeAlias|Interface)/.test(declaration.type)
      for (const name of declaredNames(declaration))
        names.set(name, { isType, text: withoutComments(code.slice(statement.start, statement.end)) })
    } else if (type === 'ExportNamedDeclaration' && source) {
      const inner = source.value.startsWith('.') ? namesIn(fileOf(statement)) : new Map<string, Declared>()
      for (const { exportKind: own, local, exported: to } of specifiers)
        names.set(to.name, inner.get(local.name) ?? { isType: exportKind === 'type' || own === 'type', text: '' })
    }
  }
  return names
}

const helpers = `
type Fits<A, B> = [A] extends [B] ? true : false
declare const both: <Left extends true, Right extends true>() => void
`
/**
 * The text of a module that compiles when both builds accept the same values; compiler errors point to the line of each
 * name that differs.
 */
const moduleOf = (
  former: string,
  present: string,
  entry: string,
  names: string[],
  isType: (name: string) => boolean,
  generics: Map<string, number>,
) => {
  const refer = (side: string, name: string) => {
    if (!isType(name)) return `typeof ${side}.${name}`
    const count = generics.get(name) ?? 0
    return `${side}.${name}${count > 0 ? `<${Array.from({ length: count }, () => 'any').join(', ')}>` : ''}`
  }
  const lines = names.map((name) => {
    const [left, right] = [refer('former', name), refer('present', name)]
    return `both<Fits<${left}, ${right}>, Fits<${right}, ${left}>>() // ${name}`
  })
  const imports = [
    `import type * as former from '${former}/${entry}.js'`,
    `import type * as present from '${present}/${entry}.js'`,
  ]
  return [...imports, ...lines, ...helpers.trim().split('\n')].join('\n')
}

/** The names of one entry point whose types differ; undefined when the compiler would take more than two minutes. */
const misfits = (
  folder: string,
  root: string,
  entry: string,
  names: string[],
  isType: (name: string) => boolean,
): string[] | undefined => {
  const file = join(folder, 'compare.ts')
  const generics = new Map<string, number>()
  const compile = () => {
    const text = moduleOf('./former', './present', entry, names, isType, generics)
    writeFileSync(file, text)
    const config = {
      compilerOptions: {
        noEmit: true,
        strict: true,
        skipLibCheck: true,
        module: 'nodenext',
        target: 'esnext',
        types: ['node'],
      },
      files: [file],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const options = { cwd: folder, encoding: 'utf8', maxBuffer: 1e8, timeout: 120_000 } as const
    const { status, stdout } = spawnSync(
      join(root, 'node_modules/.bin/tsc'),
      ['-p', folder, '--pretty', 'false'],
      options,
    )
    if (status === null) return undefined
    return [...stdout.matchAll(/compare\.ts\((\d+),\d+\): error (TS\d+): (.*)/g)].map(([, line, code, message]) => ({
      name: /\/\/ (\S+)$/.exec(text.split('\n')[Number(line) - 1]!)?.[1] ?? `line ${line}`,
      code: code!,
      message: message!,
    }))
  }
  const complaints = compile()
  // The first compiler errors reveal which types take type arguments, and how many.
  for (const { name, code, message } of complaints ?? []) {
    const count =
      code === 'TS2314' ? /requires (\d+) type/.exec(message) : code === 'TS2707' ? /between (\d+)/.exec(message) : null
    if (count) generics.set(name, Number(count[1]))
  }
  const last = generics.size > 0 ? compile() : complaints
  return last && [...new Set(last.map(({ name }) => name))].toSorted()
}

/** The differences between the public declarations in two folders `dist/types`. `scratch`: an empty folder. */
export const compareDeclarations = (former: string, present: string, scratch: string, root: string): string[] => {
  cpSync(former, join(scratch, 'former'), { recursive: true })
  cpSync(present, join(scratch, 'present'), { recursive: true, filter: (path) => !onceForBoth.has(basename(path)) })
  for (const name of onceForBoth) symlinkSync(join(scratch, 'former', name), join(scratch, 'present', name))
  // The mark of a path that has been checked is a symbol, which would fit no other build's.
  for (const side of ['former', 'present']) {
    const file = join(scratch, side, 'shared/kit/path.d.ts')
    writeFileSync(file, readFileSync(file, 'utf8').replace(': unique symbol', ": 'checked'"))
  }
  writeFileSync(join(scratch, 'package.json'), '{"type":"module"}')
  symlinkSync(join(root, 'node_modules'), join(scratch, 'node_modules'))
  return entries.flatMap((entry) => {
    const [was, is] = [namesIn(join(former, `${entry}.d.ts`)), namesIn(join(present, `${entry}.d.ts`))]
    const removed = [...was.keys()].filter((name) => !is.has(name)).map((name) => `${entry}: ${name} is gone`)
    const added = [...is.keys()].filter((name) => !was.has(name)).map((name) => `${entry}: ${name} is new`)
    const rewritten = [...was]
      .filter(([name, { text }]) => is.has(name) && is.get(name)!.text !== text)
      .map(([name]) => name)
    const differing =
      rewritten.length > 0 ? misfits(scratch, root, entry, rewritten, (name) => was.get(name)!.isType) : []
    const changed = differing?.map((name) => `${entry}: ${name} accepts other values`)
    return [
      ...removed,
      ...added,
      ...(changed ?? rewritten.map((name) => `${entry}: ${name} is written in another way, and too large to compare`)),
    ]
  })
}
