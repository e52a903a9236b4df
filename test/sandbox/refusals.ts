/** Requests that each provider refuses, as rows of the tests that send them. */
import { readFileSync } from 'node:fs'

export const refusals = JSON.parse(readFileSync(new URL('refusals.json', import.meta.url), 'utf8')) as {
  [provider: string]: any[][]
}
