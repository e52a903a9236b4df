import { literal, typeOf } from './schema.ts'
import { textOf } from './document.ts'
import type { ApiDocument, Operation, Schema } from './document.ts'

/** How an operation pages, where its parameters and its answer say so. `list`: the field with the items. */
export type Paging = { rule: string; list: string; parameters: string[]; size: string; max: number }

const cursors = ['cursor', 'after', 'page_token', 'pageToken', 'starting_after', 'next_token']
const sizes = ['limit', 'per_page', 'perPage', 'page_size', 'pageSize', 'first', 'count']
const nexts = ['next', 'next_cursor', 'nextCursor', 'next_page_token', 'nextPageToken', 'next_token']

export const pagingOf = (
  document: ApiDocument,
  { method, parameters }: Operation,
  answer: Schema,
): Paging | undefined => {
  if (method !== 'GET') return undefined
  const query = parameters.filter((parameter) => parameter['in'] === 'query')
  const find = (names: string[]) => names.find((name) => query.some((parameter) => parameter['name'] === name))
  const lists = Object.entries(answer.properties ?? {}).filter(
    ([, field]) => typeOf(document.resolve(field)) === 'array',
  )
  const size = find(sizes)
  if (lists.length !== 1 || size === undefined) return undefined
  const sizeSchema = document.resolve(query.find((parameter) => textOf(parameter['name']) === size)!['schema'])
  const max = typeof sizeSchema['maximum'] === 'number' ? sizeSchema['maximum'] : 50
  const [list] = lists[0]!
  const sizeRule = `size: { parameter: ${literal(size)}, max: ${max} }`
  const cursor = find(cursors)
  const at = nexts.find((name) => name in (answer.properties ?? {}))
  if (cursor !== undefined && at !== undefined)
    return {
      rule: `{ style: 'cursor', at: ${literal(at)}, parameter: ${literal(cursor)}, ${sizeRule} }`,
      list,
      parameters: [cursor, size],
      size,
      max,
    }
  const numbered = find(['page', 'offset'])
  return numbered === undefined
    ? undefined
    : {
        rule: `{ style: ${literal(numbered)}, parameter: ${literal(numbered)}, ${sizeRule} }`,
        list,
        parameters: [numbered, size],
        size,
        max,
      }
}
