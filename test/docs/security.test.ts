import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { read, root } from './pages.ts'

const attacks = [...read('docs/security.md').matchAll(/^\| (.+?) \| (.+?) \| (`test\/.+|not built yet) \|$/gm)].map(
  ([, attack, , by]) => ({
    attack: attack!,
    by: by!,
  }),
)

/** The file contains the title as a string, in any of the quotes. */
const hasTitle = (file: string, title: string) => {
  const text = read(file)
  return ["'", '"', '`'].some(
    (quote) => text.includes(quote + title + quote) || text.includes(quote + title.replaceAll("'", "\\'") + quote),
  )
}

it('the threat model has a row for each attack, once, and names a test that exists for each that is built', () => {
  expect(attacks.length).toBeGreaterThan(100)
  expect(new Set(attacks.map(({ attack }) => attack)).size).toBe(attacks.length)
  const missing: string[] = []
  for (const { attack, by } of attacks) {
    if (by === 'not built yet') continue
    for (const cell of by.split('<br>')) {
      const [, file, title] = /^`(test\/[\w./-]+\.ts)`: (.+)$/.exec(cell) ?? []
      if (!file || !title || !existsSync(join(root, file)) || !hasTitle(file, title)) missing.push(`${attack}: ${cell}`)
    }
  }
  expect(missing, 'no such test; change docs/security.md with the test').toEqual([])
})

it('the threat model says which attacks are not held yet', () => {
  expect(attacks.filter(({ by }) => by === 'not built yet').map(({ attack }) => attack)).toEqual([])
})

it('the threat model is found from README and SECURITY.md', () => {
  for (const file of ['README.md', 'SECURITY.md']) expect(read(file)).toContain('(docs/security.md)')
})
