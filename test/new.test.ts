import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { copyTree } from '../scripts/copy-tree.ts'
import { addToList, idProblem } from '../scripts/new.ts'

const copy = copyTree()
afterAll(() => rmSync(copy, { recursive: true, force: true }))

const node = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  })
  return { status, out: stdout, err: stderr }
}
const tool = (name: string) => join(copy, 'test/tools/node_modules', name)

describe('npm run new', () => {
  it('writes an integration that passes the contract test, types, lint and format as it is', () => {
    const { status, out, err } = node('scripts/new.ts', 'time-sheets', '--title', 'Time Sheets')
    expect([status, err]).toEqual([0, ''])
    for (const command of [
      'npx toolyard dev integrations/time-sheets',
      'npm test -- test/contract.test.ts',
      'npm run manifests && npm run docs',
    ])
      expect(out).toContain(command)
    const folder = join(copy, 'integrations/time-sheets')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    expect(files).toEqual(
      expect.arrayContaining(['manifest.ts', 'wire.ts', 'records.ts', 'inputs.ts', join('triggers', 'new-item.ts')]),
    )
    const text = files.filter((name) => /\.\w+$/.test(name)).map((name) => readFileSync(join(folder, name), 'utf8'))
    expect(text.join('\n')).not.toMatch(/starter/i)
    expect(text.join('\n')).toContain("title: 'Time Sheets'")

    const suites = [
      'test/contract.test.ts',
      'test/library/manifests.test.ts',
      'test/docs.test.ts',
      'test/boundaries.test.ts',
    ]
    const tested = node(
      'node_modules/vitest/vitest.mjs',
      'run',
      '--root',
      copy,
      '--config',
      'test/vitest.config.ts',
      '--reporter=verbose',
      ...suites,
    )
    expect(tested.status, tested.out + tested.err).toBe(0)
    expect(tested.out).toContain('time-sheets > example create-item')
    const types = node('node_modules/typescript/bin/tsc', '--noEmit')
    expect(types.status, types.out).toBe(0)
    // They are installed for the checks of a merge.
    if (!existsSync(tool('oxfmt'))) return
    for (const args of [
      [join(tool('oxlint'), 'bin/oxlint'), '--quiet'],
      [join(tool('oxfmt'), 'bin/oxfmt'), '--check'],
    ]) {
      const checked = node(...args, 'integrations')
      expect(checked.status, checked.out + checked.err).toBe(0)
    }
  })

  it.each([
    [['new'], 'is a reserved word. Give a longer id'],
    [['pack'], 'is a reserved word'],
    [['TimeSheets'], 'in kebab-case'],
    [['2-sheets'], 'starting with a letter'],
    [['work-board'], 'integrations/work-board exists already. Give another id'],
    [['other', '--title', "It's"], '--title "It\'s" is not usable'],
    [['other', '--name', 'x'], '--name'],
    [[], 'Usage: npm run new -- <id>'],
  ])('refuses %j and writes nothing', (args, message) => {
    const before = readdirSync(join(copy, 'integrations'))
    const { status, err } = node('scripts/new.ts', ...args)
    expect(status).toBe(2)
    expect(err).toContain(message)
    expect(readdirSync(join(copy, 'integrations'))).toEqual(before)
  })

  it('keeps the list sorted and on lines that fit, and refuses ids that give the same import', () => {
    const source = readFileSync(join(copy, 'integrations/index.ts'), 'utf8')
    const many = Array.from({ length: 12 }, (_, n) => `provider-number-${n + 10}`)
    const listed = many.toReversed().reduce(addToList, source)
    const imported = [...listed.matchAll(/from '\.\/(.+)\/manifest/g)].map(([, id]) => id)
    expect(imported).toEqual(imported.toSorted())
    expect(imported).toEqual(expect.arrayContaining(many))
    expect(Math.max(...listed.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(160)
    expect(listed).toContain('  providerNumber10,\n  providerNumber11,\n')
    expect(idProblem('a1-b', ['a1b', 'a1B'])).toContain('exists already')
  })
})
