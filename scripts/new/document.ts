import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

export type Node = { [name: string]: unknown }
export type Schema = Node & { type?: string; description?: string; properties?: { [name: string]: Node } }

/** An operation of an OpenAPI document, with its references resolved where they are needed. */
export type Operation = { id: string; method: string; path: string; node: Node; parameters: Node[] }

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)
export const nodeOf = (value: unknown): Node => (isNode(value) ? value : {})
export const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const methods = ['get', 'post', 'put', 'patch', 'delete']
/** A chain of references that is longer leads to itself. */
const maxReferences = 20

/** An OpenAPI 3.0 or 3.1 document. */
export type ApiDocument = {
  root: Node
  operations: Operation[]
  /** Follows `$ref` inside the document, and joins the parts of `allOf`. */
  resolve(value: unknown): Schema
}

const resolveIn = (root: Node, value: unknown, depth = 0): Schema => {
  const node = nodeOf(value)
  const reference = textOf(node['$ref'])
  if (depth > maxReferences) return {}
  if (reference.startsWith('#/')) {
    const names = reference.slice(2).split('/')
    const target = names.reduce<unknown>(
      (at, name) => nodeOf(at)[name.replaceAll('~1', '/').replaceAll('~0', '~')],
      root,
    )
    return resolveIn(root, target, depth + 1)
  }
  if (!Array.isArray(node['allOf'])) return node as Schema
  const parts = [...listOf(node['allOf']), { ...node, allOf: undefined }].map((part) =>
    resolveIn(root, part, depth + 1),
  )
  return {
    ...(Object.assign({}, ...parts) as Schema),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties ?? {})) as { [name: string]: Node },
    required: parts.flatMap(({ required }) => listOf(required)),
  }
}

const operationsOf = (root: Node): Operation[] =>
  Object.entries(nodeOf(root['paths'])).flatMap(([path, item]) => {
    const shared = listOf(nodeOf(item)['parameters'])
    return methods
      .filter((method) => isNode(nodeOf(item)[method]))
      .map((method) => {
        const node = nodeOf(nodeOf(item)[method])
        const all = [...shared, ...listOf(node['parameters'])].map((parameter) => resolveIn(root, parameter))
        // A parameter of the operation replaces the one of the path.
        const unique = new Map(all.map((each) => [`${textOf(each['in'])} ${textOf(each['name'])}`, each]))
        const id = textOf(node['operationId']) || `${method} ${path}`
        return { id, method: method.toUpperCase(), path, node, parameters: [...unique.values()] }
      })
  })

/** @throws Error that names --from and the remedy */
export const readDocument = (file: string): ApiDocument => {
  let root: unknown
  try {
    root = parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(
      `--from ${file} cannot be read: ${(error as Error).message.split('\n')[0]}. Give an OpenAPI document as YAML or JSON.`,
    )
  }
  const version = textOf(nodeOf(root)['openapi'])
  if (!/^3\.[01]\./.test(version))
    throw new Error(
      `--from ${file} is not an OpenAPI 3.0 or 3.1 document${version && ` but ${version}`}. Convert it, or write the steps by hand.`,
    )
  const whole = nodeOf(root)
  return { root: whole, operations: operationsOf(whole), resolve: (value) => resolveIn(whole, value) }
}

/** @throws Error that names --operations and what there is */
export const pickOperations = (document: ApiDocument, ids: string[]): Operation[] => {
  const all = document.operations
  const allIds = all.map(({ id }) => id)
  if (ids.length === 0)
    throw new Error(
      `--operations names no operation. Give operationIds, separated by commas: ${allIds.slice(0, 12).join(', ')}${allIds.length > 12 ? ', …' : ''}.`,
    )
  return ids.map((id) => {
    const operation = all.find((candidate) => candidate.id === id)
    if (operation) return operation
    throw new Error(
      `--operations names "${id}", which the document does not have. It has ${allIds.slice(0, 12).join(', ')}${allIds.length > 12 ? ', …' : ''}.`,
    )
  })
}
