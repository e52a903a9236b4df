/** Regular expressions in the source code: literals, and the arguments of `RegExp(…)`. */
import { relative } from 'node:path'
import { nodesOf } from './source.ts'
import type { Node } from './source.ts'

/**
 * `source`: the pattern's text. `unknown`: the parts that cannot be determined from the file alone, as written;
 * `source` contains `x` for each of them.
 */
export type Expression = { file: string; line: number; source: string; flags: string; unknown: string[] }

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string'
const calls = ['NewExpression', 'CallExpression']
const isConstructor = ({ type, callee }: Node) => calls.includes(type) && isNode(callee) && callee.name === 'RegExp'

/** The values of a file's constants, by name: only texts, and expressions built from texts alone. */
type Constants = ReadonlyMap<string, Node>

type Part = { text: string } | { unknown: Node }

const isRaw = (tag: unknown) => {
  const { object, property } = tag as { object?: { name?: string }; property?: { name?: string } }
  return object?.name === 'String' && property?.name === 'raw'
}

/** The parts of a text or of another expression, in order. */
const partsOf = (node: Node, constants: Constants, depth = 0): Part[] => {
  const regex = node.regex as Regex | undefined | null
  if (node.type === 'Literal' && regex) return [{ text: regex.pattern }]
  if (node.type === 'Literal' && typeof node.value === 'string') return [{ text: node.value }]
  const sides = [node.left, node.right] as Node[]
  if (node.type === 'BinaryExpression' && node.operator === '+')
    return sides.flatMap((side) => partsOf(side, constants, depth))
  const constant = node.type === 'Identifier' ? constants.get(node.name as string) : undefined
  if (constant && depth < 8) return partsOf(constant, constants, depth + 1)
  const raw = node.type === 'TaggedTemplateExpression' && isRaw(node.tag)
  if (node.type !== 'TemplateLiteral' && !raw) return [{ unknown: node }]
  const { quasis, expressions } = (raw ? node.quasi : node) as unknown as { quasis: Quasi[]; expressions: Node[] }
  return quasis.flatMap(({ value }, index) => {
    const text = { text: raw ? value.raw : value.cooked }
    const next = expressions[index]
    return next ? [text, ...partsOf(next, constants, depth)] : [text]
  })
}
type Regex = { pattern: string; flags: string }
type Quasi = { value: { raw: string; cooked: string } }

type Pattern = { properties?: unknown[]; elements?: unknown[] }
/** The names that a variable or a parameter binds, including those inside a pattern. */
const boundBy = (node: unknown): string[] => {
  if (!isNode(node)) return []
  if (node.type === 'Identifier') return [node.name as string]
  const { properties = [], elements = [], value, left, argument } = node as Pattern & Node
  return [...properties, ...elements, value, left, argument].flatMap(boundBy)
}

/** The module's own constants, without those whose names are bound again inside a function. */
const constantsOf = (nodes: readonly Node[]): Constants => {
  const names = nodes.flatMap(({ type, id, params }) =>
    [type === 'VariableDeclarator' ? id : null, params].flat().flatMap(boundBy),
  )
  const bound = new Map<string, number>()
  for (const name of names) bound.set(name, (bound.get(name) ?? 0) + 1)
  return new Map(
    (nodes[0]!.body as Node[])
      .map((node) => (node.type === 'ExportNamedDeclaration' && isNode(node.declaration) ? node.declaration : node))
      .filter(({ type, kind }) => type === 'VariableDeclaration' && kind === 'const')
      .flatMap(({ declarations }) => declarations as Node[])
      .flatMap(({ id, init }) => (isNode(id) && isNode(init) ? [[id.name as string, init] as const] : []))
      .filter(([name]) => bound.get(name) === 1),
  )
}

/** Every regular expression of a file. @throws Error when flags are not a literal text */
export const expressionsIn = (file: string, text?: string): Expression[] => {
  const source = nodesOf(file, text)
  const constants = constantsOf(source.nodes)
  const written = ({ start, end }: Node) => source.text.slice(start, end).replace(/\s+/g, ' ')
  return source.nodes.flatMap((node): Expression[] => {
    const at = { file: relative('.', file), line: source.lineOf(node.start) }
    const regex = node.regex as Regex | undefined | null
    if (node.type === 'Literal' && regex) return [{ ...at, source: regex.pattern, flags: regex.flags, unknown: [] }]
    if (!isConstructor(node)) return []
    const [pattern, flags] = node.arguments as Node[]
    if (!pattern) return []
    const parts = partsOf(pattern, constants)
    const said = flags ? partsOf(flags, constants) : []
    if (said.some((part) => 'unknown' in part)) throw new Error(`${file}:${at.line}: flags that are no literal text`)
    const shown = parts.map((part) => ('text' in part ? part.text : 'x')).join('')
    const unknown = parts.flatMap((part) => ('unknown' in part ? [written(part.unknown)] : []))
    return [{ ...at, source: shown, flags: said.map((part) => ('text' in part ? part.text : '')).join(''), unknown }]
  })
}
