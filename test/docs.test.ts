import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { failures } from '#kit'
import { integrations } from '../integrations/index.ts'
import { buildReadme } from '../scripts/docs.ts'
import { settings } from '../shared/faces/cli/configuration.ts'

const read = (name: string) => readFileSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), 'utf8')

it('README has fresh generated parts', async () => {
  const { before, after } = await buildReadme()
  expect(before === after, 'stale: run "npm run docs" and commit').toBe(true)
})

it('README shows every failure code and no other', () => {
  const shown = [...read('README.md').matchAll(/^\| `([a-z_]+)` \| \d{3} \|/gm)].map((found) => found[1])
  expect(shown.sort()).toEqual(Object.keys(failures).sort())
})

it('README shows every trigger with how it is told', () => {
  const shown = [...read('README.md').matchAll(/^\| \*\*[^|]+\*\* \| `([a-z-]+)` \| (instant, or polling|instant only|polling) \|/gm)].map((found) => found[1])
  expect(shown.sort()).toEqual(integrations.flatMap(({ triggers = [] }) => triggers.map(({ id }) => id)).sort())
  expect(shown).toHaveLength(15)
})

it('README explains every setting and every command, and no others', () => {
  const readme = read('README.md')
  const rows = [...readme.matchAll(/^\| (`TOOLYARD_[^|]+) \|/gm)].flatMap(([, cell]) => [...cell!.matchAll(/`(TOOLYARD_[A-Z_]+)`/g)].map(([, name]) => name!))
  expect([...new Set(rows)].toSorted()).toEqual(Object.keys(settings).toSorted())
  const [, table = ''] = /## Command line\n([^]*?)\n## /.exec(readme) ?? []
  const named = [...table.matchAll(/`toolyard ([a-z]+)`/g)].map(([, name]) => name!)
  const program = ['command.ts', 'desk-commands.ts', 'operator-commands.ts', 'record-commands.ts', 'trigger-commands.ts']
    .map((file) => read(`shared/faces/cli/${file}`))
    .join('\n')
  const commands = [...program.matchAll(/program\s*\.command\('([a-z]+)'\)/g)].map(([, name]) => name!)
  expect(commands.length).toBeGreaterThan(15)
  expect([...new Set(named)].toSorted()).toEqual([...new Set(commands)].toSorted())
})

it('README names only npm scripts that exist', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const named = [...read('README.md').matchAll(/npm run ([a-z:-]+)/g)].map((found) => found[1]!)
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter((name) => !(name in scripts))).toEqual([])
  expect(Object.keys(scripts).filter((name) => name.startsWith('test:') && !named.includes(name))).toEqual([])
})

const threats = read('docs/security.md')
const attacks = [...threats.matchAll(/^\| ([A-Z]\d+) \| (.+?) \| (.+?) \| (.+) \|$/gm)].map(([, id, attack, holds, by]) => ({
  id: id!,
  attack: attack!,
  holds: holds!,
  by: by!,
}))

/** A title stands in the file as a text, written with any of the quotes. */
const hasTitle = (file: string, title: string) => {
  const text = read(file)
  return ["'", '"', '`'].some((quote) => text.includes(quote + title + quote) || text.includes(quote + title.replaceAll("'", "\\'") + quote))
}

describe('the threat model', () => {
  it('has a row for each attack, once, and names a test that exists for each that is built', () => {
    expect(attacks.length).toBeGreaterThan(100)
    expect(new Set(attacks.map(({ id }) => id)).size).toBe(attacks.length)
    const missing: string[] = []
    for (const { id, by } of attacks) {
      if (by === 'not built yet') continue
      for (const cell of by.split('<br>')) {
        const [, file, title] = /^`(test\/[\w./-]+\.ts)`: (.+)$/.exec(cell) ?? []
        if (!file || !title || !existsSync(fileURLToPath(new URL(`../${file}`, import.meta.url))) || !hasTitle(file, title)) missing.push(`${id}: ${cell}`)
      }
    }
    expect(missing, 'no such test; change docs/security.md with the test').toEqual([])
  })

  it('says plainly which attacks are not held yet', () => {
    expect(attacks.filter(({ by }) => by === 'not built yet').map(({ id }) => id)).toEqual(['A93', 'A106'])
  })

  it('is found from README and SECURITY.md', () => {
    for (const file of ['README.md', 'SECURITY.md']) expect(read(file)).toContain('(docs/security.md)')
  })
})
