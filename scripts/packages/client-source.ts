import { readFileSync } from 'node:fs'
import type { Files } from './generator.ts'

const names = ['client.ts', 'failure.ts', 'signature.ts', 'fetch.ts']

/** A source file of this folder's generators for a package in which all shared files are in one folder. */
export const flatSource = (path: string): string =>
  readFileSync(new URL(path, import.meta.url), 'utf8').replace(/(from '\.)\.?(?:\/client)?(\/[\w-]+)\.ts'/g, "$1$2'")

/**
 * The client's source files by name (without folder), to be copied into a package. `ending` is the file ending in their
 * imports ("" for CommonJS, ".ts" to leave them unchanged).
 */
export const clientSource = ({ ending, fetch }: { ending: '' | '.js' | '.ts'; fetch: boolean }): Files =>
  Object.fromEntries(
    names
      .filter((name) => fetch || name !== 'fetch.ts')
      .map((name) => {
        const text = readFileSync(new URL(`client/${name}`, import.meta.url), 'utf8')
        return [name, text.replace(/(from '\.\/[\w-]+)\.ts'/g, `$1${ending}'`)]
      }),
  )
