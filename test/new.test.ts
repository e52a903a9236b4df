import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { copyTree } from '../scripts/copy-tree.ts'
import { addToList, idProblem, write } from '../scripts/new.ts'
import type { Kind } from '../scripts/new.ts'
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
  it('writes integrations of each kind that pass the contract test, types, lint and format as they are', () => {
    // The manifests and documents of these are written with those of the last one.
    const others: { [id: string]: Kind } = { 'team-talk': 'chat', 'graph-items': 'graphql', 'change-list': 'poll' }
    for (const [id, kind] of Object.entries(others)) write(copy, id, 'Time Sheets', kind)
    const describeBy = (id: string, file: string, ...operations: string[]) => {
      const given = JSON.stringify([copy, id, 'Time Sheets', `test/fixtures/openapi/${file}`, operations])
      const code = `const { writeFrom } = await import('./scripts/new.ts'); await writeFrom(...${given})`
      const made = node('--input-type=module', '-e', code)
      expect([made.status, made.err]).toEqual([0, ''])
    }
    describeBy('parcel-post', 'parcels.yml', 'listParcels', 'createParcel', 'cancelParcel')
    describeBy('shift-rosters', 'rosters.json', 'shifts.list', 'get /people', 'shifts.change')
    const { status, out, err } = node('scripts/new.ts', 'time-sheets', '--title', 'Time Sheets', '--like', 'rest')
    expect([status, err]).toEqual([0, ''])
    for (const command of [
      'npx toolyard dev integrations/time-sheets',
      'npm test -- test/contract.test.ts',
      'npm run manifests && npm run docs',
    ])
      expect(out).toContain(command)
    const described = ['parcel-post', 'shift-rosters']
    const ids = ['time-sheets', ...Object.keys(others), ...described]
    for (const id of ids) expect(readdirSync(join(copy, 'integrations', id))).toContain('manifest.ts')
    for (const id of ['time-sheets', ...Object.keys(others)]) {
      const folder = join(copy, 'integrations', id)
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      expect(files).toEqual(expect.arrayContaining(['manifest.ts', 'wire.ts', 'records.ts', 'inputs.ts', 'events.ts']))
      const text = files.filter((name) => /\.\w+$/.test(name)).map((name) => readFileSync(join(folder, name), 'utf8'))
      expect(text.join('\n')).not.toMatch(/starter/i)
      expect(text.join('\n')).toContain("title: 'Time Sheets'")
    }

    const vitest = (...args: string[]) =>
      node(
        'node_modules/vitest/vitest.mjs',
        'run',
        '--root',
        copy,
        '--config',
        'test/vitest.config.ts',
        '--reporter=verbose',
        ...args,
      )
    // Of the contract test, only what is new: the rest of it is the same as in the checkout.
    const kept = vitest('test/contract.test.ts', '-t', `${ids.join('|')}|keeps the contract|list of integrations`)
    expect(kept.status, kept.out + kept.err).toBe(0)
    for (const id of ids) expect(kept.out).toContain(`${id} > example api-call`)
    const tested = vitest('test/library/manifests.test.ts', 'test/docs.test.ts', 'test/boundaries.test.ts')
    expect(tested.status, tested.out + tested.err).toBe(0)
    const types = node('node_modules/typescript/bin/tsc', '--noEmit')
    expect(types.status, types.out).toBe(0)
    // They are installed for the checks of a merge.
    if (!existsSync(tool('oxfmt'))) return
    for (const args of [
      [join(tool('oxlint'), 'bin/oxlint'), '--quiet'],
      [join(tool('oxfmt'), 'bin/oxfmt'), '--check'],
    ]) {
      // What a document describes is formatted by its author.
      const folders = args[1] === '--check' ? ids.filter((id) => !described.includes(id)) : ['']
      const checked = node(...args, ...folders.map((id) => join('integrations', id)))
      expect(checked.status, checked.out + checked.err).toBe(0)
    }
  }, 900_000)

  it.each([
    [['new'], 'is a reserved word. Give a longer id'],
    [['pack'], 'is a reserved word'],
    [['TimeSheets'], 'in kebab-case'],
    [['2-sheets'], 'starting with a letter'],
    [['work-board'], 'integrations/work-board exists already. Give another id'],
    [['other', '--title', "It's"], '--title "It\'s" is not usable'],
    [['other', '--name', 'x'], '--name'],
    [['other', '--from', 'none.yml', '--operations', 'x'], '--from none.yml cannot be read'],
    [['other', '--operations', 'x'], '--operations needs --from'],
    [['other', '--like', 'rest', '--from', 'x.yml'], 'Give --like or --from, not both'],
    [
      ['other', '--from', 'test/fixtures/openapi/parcels.yml', '--operations', 'nope'],
      '--operations names "nope", which the document does not have. It has listParcels',
    ],
    [['other', '--like', 'soap'], '--like "soap" is none of the starters. Give one of rest, chat, graphql, poll.'],
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
