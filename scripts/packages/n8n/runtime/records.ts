type Values = Record<string, unknown>

type Tree = Map<string, Tree>

const treeOf = (paths: string[]): Tree => {
  const tree: Tree = new Map()
  for (const path of paths) {
    let branch = tree
    for (const name of path.split('.')) {
      const next: Tree = branch.get(name) ?? new Map<string, Tree>()
      branch.set(name, next)
      branch = next
    }
  }
  return tree
}

const prune = (value: unknown, tree: Tree): unknown => {
  if (tree.size === 0) return value
  if (Array.isArray(value)) return value.map((entry) => prune(entry, tree))
  if (typeof value !== 'object' || value === null) return value
  const record = value as Values
  return Object.fromEntries(
    [...tree].flatMap(([name, inner]) => (Object.hasOwn(record, name) ? [[name, prune(record[name], inner)]] : [])),
  )
}

/** The record with the fields of the given paths, which lead into objects and into the entries of lists. */
export const simplify = <T extends Values>(record: T, paths: string[]): T => prune(record, treeOf(paths)) as T

/** Reads page after page until there are `limit` records (undefined: all of them). */
export const readPages = async <T extends Values>(
  run: (input: Values) => Promise<Values>,
  input: Values,
  { list, page }: { list: string; page: number },
  limit: number | undefined,
): Promise<T[]> => {
  const records: T[] = []
  let cursor: unknown
  do {
    const left = limit === undefined ? page : limit - records.length
    const output = await run({
      ...input,
      limit: Math.min(page, left),
      ...(cursor === undefined ? {} : { cursor }),
    })
    records.push(...((output[list] ?? []) as T[]))
    cursor = output['next'] ?? undefined
  } while (cursor !== undefined && (limit === undefined || records.length < limit))
  return records.slice(0, limit)
}
