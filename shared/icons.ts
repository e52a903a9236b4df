import { readFileSync } from 'node:fs'

const folder = new URL('../manifests/', import.meta.url)

/**
 * An SVG by its path in a manifest, such as `icons/steps/search.svg`; undefined when the pack does not ship it, as for
 * an integration of the operator.
 */
export const readIcon = (path: string): string | undefined => {
  try {
    return readFileSync(new URL(path, folder), 'utf8')
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw thrown
  }
}
