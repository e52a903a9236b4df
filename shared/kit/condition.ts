import { startOf } from './json-start.ts'
import type { ReplyCondition } from './profile/reply.ts'

const atWholeName = (tree: unknown, name: string): unknown =>
  typeof tree === 'object' && tree !== null && Object.hasOwn(tree, name)
    ? (tree as Record<string, unknown>)[name]
    : undefined

/**
 * The value at a dotted path, or undefined when there is none. '' is the whole value; list items are named by index. A
 * property whose own name has dots, such as `@odata.nextLink`, is found at the top. Reads own properties only.
 */
export const valueAt = (tree: unknown, dotted: string): unknown => {
  if (dotted === '') return tree
  let at: unknown = tree
  for (const name of dotted.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return atWholeName(tree, dotted)
    at = (at as Record<string, unknown>)[name]
  }
  return at
}

const isEmpty = (value: unknown) =>
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0)

const holds: Record<NonNullable<ReplyCondition['is']>, (value: unknown) => boolean> = {
  null: (value) => value === null,
  absent: (value) => value === undefined,
  empty: (value) => value === null || value === undefined || isEmpty(value),
  present: (value) => value !== null && value !== undefined,
}

/** How many characters of a text `begins` and `contains` look at: an error states its cause at the beginning. */
const lookedAt = 16_384
const textOf = (value: unknown) => (typeof value === 'string' ? value : startOf(value, lookedAt)).slice(0, lookedAt)

const headerHolds = (
  { name, equals, present = true }: NonNullable<ReplyCondition['header']>,
  headers: Record<string, string> | undefined,
): boolean => {
  const value = headers?.[name.toLowerCase()]
  return equals === undefined ? (value !== undefined) === present : value === equals
}

/** Whether a reply, or one item of a bulk reply (which has no status), meets every part of a condition. */
export const meets = (
  condition: ReplyCondition,
  reply: { status?: number | undefined; headers?: Record<string, string>; body: unknown },
): boolean => {
  const { status, header, path, is, equals, contains, begins } = condition
  if (status !== undefined) {
    const [from, to] = typeof status === 'number' ? [status, status] : status
    if (reply.status === undefined || reply.status < from || reply.status > to) return false
  }
  if (header !== undefined && !headerHolds(header, reply.headers)) return false
  const value = valueAt(reply.body, path ?? '')
  if (is !== undefined && !holds[is](value)) return false
  if (equals !== undefined && value !== equals) return false
  if (begins !== undefined && !textOf(value).trimStart().toLowerCase().startsWith(begins.toLowerCase())) return false
  return contains === undefined || textOf(value).toLowerCase().includes(contains.toLowerCase())
}
