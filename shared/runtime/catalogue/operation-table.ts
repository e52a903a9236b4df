import type { ApiOperation } from '#kit'

/** Finds the operation that a request calls; built once per list. */
export type OperationTable = {
  find(method: string, path: string): ApiOperation | undefined
  /** Methods documented for a path. */
  methodsOf(path: string): string[]
}

type Row = { operation: ApiOperation; parts: ({ literal: string } | { among: string[] | undefined })[] }

/** Routers ignore a trailing slash. */
const partsOf = (path: string): string[] => (path.endsWith('/') ? path.slice(1, -1) : path.slice(1)).split('/')

const rowOf = (operation: ApiOperation): Row => ({
  operation,
  parts: partsOf(operation.path).map((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    return name === undefined
      ? { literal: part }
      : { among: operation.parameters.find((parameter) => parameter.in === 'path' && parameter.name === name)?.choices }
  }),
})

const decoded = (part: string) => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const fits = ({ parts }: Row, pathParts: string[]) =>
  parts.every((part, at) =>
    'literal' in part
      ? part.literal === pathParts[at]
      : pathParts[at] !== '' && (part.among?.includes(pathParts[at]!) ?? true),
  )

/** Of two matching templates, the one with the earlier fixed part wins: `/things/all` before `/things/{id}`. */
const byFixedParts = (row: Row, other: Row) => {
  const at = row.parts.findIndex((part, index) => 'literal' in part !== 'literal' in (other.parts[index] ?? part))
  if (at === -1) return 0
  return 'literal' in row.parts[at]! ? -1 : 1
}

const createTable = (operations: ApiOperation[]): OperationTable => {
  const byLength = new Map<number, Row[]>()
  for (const operation of operations) {
    const row = rowOf(operation)
    const rows = byLength.get(row.parts.length) ?? []
    byLength.set(row.parts.length, [...rows, row])
  }
  for (const rows of byLength.values()) rows.sort(byFixedParts)
  const fitting = (path: string) => {
    const pathParts = partsOf(path).map(decoded)
    return (byLength.get(pathParts.length) ?? [])
      .filter((row) => fits(row, pathParts))
      .map(({ operation }) => operation)
  }
  return {
    find: (method, path) => fitting(path).find((operation) => operation.method === method),
    methodsOf: (path) => [...new Set(fitting(path).map(({ method }) => method))],
  }
}

const made = new WeakMap<ApiOperation[], OperationTable>()

export const tableOf = (operations: ApiOperation[]): OperationTable => {
  const cachedTable = made.get(operations)
  if (cachedTable) return cachedTable
  const table = createTable(operations)
  made.set(operations, table)
  return table
}
