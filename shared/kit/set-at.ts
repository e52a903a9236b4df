import type { Json } from './json.ts'

export type JsonTree = { [name: string]: Json }

export const isJsonTree = (value: Json | undefined): value is JsonTree => typeof value === 'object' && value !== null

/** The container of the last name, created where it is missing. A number is an index into a list. */
const containerOf = (tree: JsonTree, names: string[]): JsonTree => {
  let at = tree
  for (let index = 0; index < names.length - 1; index += 1) {
    const below = Object.hasOwn(at, names[index]!) ? at[names[index]!] : undefined
    at = isJsonTree(below) ? below : ((at[names[index]!] = /^\d+$/.test(names[index + 1]!) ? [] : {}) as JsonTree)
  }
  return at
}

/** Sets a dotted name in a tree: `filters.title` → `{ filters: { title } }`. */
export const setAt = (tree: JsonTree, dotted: string, value: Json) => {
  const names = dotted.split('.')
  containerOf(tree, names)[names.at(-1)!] = value
}

/** The object at a dotted name, created where it is missing. */
export const treeAt = (tree: JsonTree, dotted: string): JsonTree => containerOf(tree, [...dotted.split('.'), ''])
