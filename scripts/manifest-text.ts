/**
 * How manifests are written: a schema, a layout or an example on each line, so that a change of one is one line of a
 * diff.
 */

const isPlain = (value: unknown) => typeof value !== 'object' || value === null

/**
 * JSON in which what is nested deeper than `levels` is on one line, as are lists of texts and numbers. The items of a
 * list under a name in `itemPerLine` have a line each, however deep the list is.
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

/** Each property of a step, trigger or connection type has a line, and so has each example. */
export const manifestText = (manifest: object): string => `${json(manifest, 3, ['examples'])}\n`

/** Each property of a definition has a line. */
export const schemaText = (schema: object): string => `${json(schema, 4)}\n`

/** Each property of a summary has a line. */
export const indexText = (index: object): string => `${json(index, 3)}\n`
