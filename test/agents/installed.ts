import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const folder = fileURLToPath(new URL('./node_modules/', import.meta.url))

/**
 * A file of the tools of this suite. Throws with the remedy where they are not installed: the suite must not pass
 * without them.
 */
export const installed = (path: string): string => {
  const file = join(folder, path)
  if (existsSync(file)) return file
  throw new Error(`${path} is not installed. Run: npm ci --ignore-scripts --prefix test/agents`)
}

type Encoding = { countTokens(text: string): number }

/** Counts tokens as the models of OpenAI do (o200k). */
export const openTokenizer = async (): Promise<(text: string) => number> => {
  const { countTokens } = (await import(
    pathToFileURL(installed('gpt-tokenizer/esm/encoding/o200k_base.js')).href
  )) as Encoding
  return (text) => countTokens(text)
}
