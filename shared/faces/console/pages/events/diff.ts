/** What differs between two JSON values, field by field. */

export type Difference = { field: string; before?: unknown; after?: unknown }

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const maxDepth = 8

/**
 * One row for each field that was added, removed or changed; nested fields are named by their path. A list counts as
 * one value, because its items have no names.
 */
export const differences = (before: unknown, after: unknown, path: string[] = []): Difference[] => {
  if (isObject(before) && isObject(after) && path.length < maxDepth)
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
      const [had, has] = [Object.hasOwn(before, name), Object.hasOwn(after, name)]
      if (had && has) return differences(before[name], after[name], [...path, name])
      return [{ field: [...path, name].join('.'), ...(had ? { before: before[name] } : { after: after[name] }) }]
    })
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ field: path.join('.'), before, after }]
}
