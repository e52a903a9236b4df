import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './installed.ts'

/** The block of README under `<!-- try:NAME -->`, as it stands there. */
export const blockOf = (name: string): string => {
  const found = new RegExp(`<!-- try:${name} -->\\s+\`\`\`\\w+\\n([^]*?)\\n\`\`\``).exec(readFileSync(join(root, 'README.md'), 'utf8'))
  if (!found) throw new Error(`README has no block "${name}"`)
  return found[1]!
}
