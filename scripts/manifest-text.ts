/**
 * The text form of manifests: each schema, layout or example is on one line, so that a change to it shows as one
 * changed line.
 */

const isPlain = (value: unknown) => typeof value !== 'object' || value === null

/**
 * JSON in which everything nested deeper than `levels` is on one line, as are lists of plain values. Items of a list
 * whose name is in `itemPerLine` get one line each, however deep the list is.
 */
const json = (value: unknown, levels: number, itemPerLine: string[] = [], indent = ''): string => {
  if (isPlain(value) || levels === 0 || (Array.isArray(value) && value.every(isPlain))) return JSON.stringify(value)
  const isList = Array.isArray(value)
  const lines = Object.entries(value as object)
    .filter(([, child]) => child !== undefined)
    .map(([name, child]) => {
      const below = itemPerLine.includes(name) ? Math.max(levels - 1, 1) : levels - 1
      return `${indent}  ${isList ? '' : `${JSON.stringify(name)}: `}${json(child, below, itemPerLine, `${indent}  `)}`
    })
  const [open, close] = isList ? '[]' : '{}'
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`
}

/** One line for each property of a step, trigger or connection type, and for each example. */
export const manifestText = (manifest: object): string => `${json(manifest, 3, ['examples'])}\n`

/** One line for each property of a definition. */
export const schemaText = (schema: object): string => `${json(schema, 4)}\n`

/** One line for each property of a summary. */
export const indexText = (index: object): string => `${json(index, 3)}\n`
