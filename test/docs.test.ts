import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { failures } from '#kit'
import { integrations } from '../integrations/index.ts'
import { buildPages } from '../scripts/docs.ts'
import { profileFields, profileRows } from '../scripts/profile-fields.ts'
import { settings } from '../shared/settings.ts'
import { profileSettings } from '../shared/kit/profile.ts'
import { runLine } from './support/command-line.ts'
import { triggerCount } from './support/shipped.ts'
import { anchorsOf, blocksOf, followedBy, pages, read, root, withoutBlocks } from './docs/pages.ts'

describe('generated parts', () => {
  it('are fresh', async () => {
    const stale = (await buildPages()).filter(({ before, after }) => before !== after)
    expect(
      stale.map(({ page }) => page),
      'stale: run "npm run docs" and commit',
    ).toEqual([])
  })

  it('show every failure code and no other', () => {
    const shown = [...read('docs/steps.md').matchAll(/^\| `([a-z_]+)` \| \d{3} \|/gm)].map((match) => match[1])
    expect(shown.sort()).toEqual(Object.keys(failures).sort())
  })

  it('show every trigger with its delivery', () => {
    const shown = [
      ...read('docs/trigger-list.md').matchAll(
        /^\| \*\*[^|]+\*\* \| `([a-z-]+)` \| (instant, or polling|instant only|polling) \|/gm,
      ),
    ].map((match) => match[1])
    expect(shown.sort()).toEqual(integrations.flatMap(({ triggers = [] }) => triggers.map(({ id }) => id)).sort())
    expect(shown).toHaveLength(triggerCount)
  })

  it('show every field of a wire profile with its meaning', () => {
    const shown = [...read('docs/wire-profile.md').matchAll(/^\| `([^`]+)`(?: \*)? \| [^|]+ \| (.+) \|$/gm)].map(
      ([, path]) => path!,
    )
    for (const part of Object.keys(profileSettings)) expect(shown).toContain(part)
    for (const path of [
      'auth.<type>.place',
      'errors[].failure',
      'endpoints.<endpoint>.bulk.max',
      'records.<kind>.<field>.lists[].at',
      'oauth.v2.scopes',
    ])
      expect(shown).toContain(path)
  })

  it('cannot be written while a field has no description, or a row refers to one that says something else', () => {
    const fields = profileFields()
    expect(() =>
      profileRows([...fields, { path: 'pace.burst', type: 'integer', isRequired: false, meaning: undefined }]),
    ).toThrow('Describe pace.burst')
    expect(() => profileRows(fields.filter(({ path }) => path !== 'pace.remaining[].reset.as'))).toThrow(
      'No row above that of pace.resets[].as',
    )
    expect(() => profileFields({ ...profileSettings, validKey: profileSettings.probes })).toThrow('validKey')
  })
})

describe('the documents', () => {
  it('explain every setting and every command, and no others', async () => {
    const rows = [...read('docs/settings.md').matchAll(/^\| (`(?:TOOLYARD_|OTEL_|DATABASE_URL)[^|]+) \|/gm)].flatMap(
      ([, cell]) =>
        [...cell!.matchAll(/`((?:TOOLYARD|OTEL)_[A-Z_]+|DATABASE_URL(?:_FILE)?)`/g)].map(([, name]) => name!),
    )
    expect([...new Set(rows)].toSorted()).toEqual(Object.keys(settings).toSorted())
    const [, table = ''] = /## Commands\n([^]*?)\n## /.exec(read('docs/command-line.md')) ?? []
    const named = [...table.matchAll(/`toolyard ([a-z]+)`/g)].map(([, name]) => name!)
    const { out: help } = await runLine(['--help'])
    const listed = help.slice(0, help.indexOf('Settings, from the environment'))
    const commands = [...listed.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name!).filter((name) => name !== 'help')
    expect(commands.length).toBeGreaterThan(15)
    expect([...new Set(named)].toSorted()).toEqual([...new Set(commands)].toSorted())
  })

  it('name only npm scripts that exist, and every suite', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const named = pages.flatMap((page) => [...read(page).matchAll(/npm run ([a-z:-]+)/g)].map((match) => match[1]!))
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((name) => !(name in scripts))).toEqual([])
    expect(
      Object.keys(scripts).filter(
        (name) => name.startsWith('test:') && !read('CONTRIBUTING.md').includes(`npm run ${name}\``),
      ),
    ).toEqual([])
  })

  it('name the budgets of the suites that .ci/run has', () => {
    // The first counts: a suite may run again with a part of its files.
    const allowed = new Map(
      [...read('.ci/run').matchAll(/(?:budget|beside) (\d+) (npm (?:run )?test[\w:]*)/g)]
        .map(([, seconds, command]) => [command!, seconds!] as const)
        .toReversed(),
    )
    const said = [...read('CONTRIBUTING.md').matchAll(/^\| `(npm (?:run )?test[\w:]*)` \| (\d+) s \|/gm)].map(
      ([, command, seconds]) => [command!, seconds!] as const,
    )
    expect(said.length).toBeGreaterThan(8)
    for (const [command, seconds] of said)
      if (command !== 'npm run test:browser') expect([command, seconds]).toEqual([command, allowed.get(command)])
  })

  it('are followed by .ci/run first, before it installs anything', () => {
    const run = read('.ci/run')
    const places = ['.ci/readme-lines start', 'budget $((480 - SECONDS)) .ci/readme-lines test'].map((text) =>
      run.indexOf(text),
    )
    const install = run.search(/^.*(npm (ci|install|rebuild)|apt-get)/m)
    expect([...places, install].toSorted((a, b) => a - b)).toEqual([...places, install])
    expect(places[0]).toBeGreaterThan(0)
    expect(read('CONTRIBUTING.md')).toContain('together they have 480 s')
    // It takes them from README, and has none of its own.
    expect(read('.ci/readme-lines')).not.toMatch(/npm (ci|start|test)/)
  })

  it('lead to files and headings that exist', () => {
    const broken = pages.flatMap((page) =>
      [...withoutBlocks(page).matchAll(/\]\(([^)\s]+)\)|<img src="([^"]+)"/g)].flatMap(([, link, picture]) => {
        const target = link ?? picture!
        if (/^https?:/.test(target)) return []
        const [file = '', heading] = target.split('#')
        const path = file === '' ? page : join(dirname(page), file)
        if (!existsSync(join(root, path))) return [`${page}: ${target}`]
        return heading === undefined || anchorsOf(path).includes(heading) ? [] : [`${page}: ${target}`]
      }),
    )
    expect(broken).toEqual([])
  })

  it('are short where they begin', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(251)
  })

  it('map every folder of the code, and only what exists', () => {
    const [, map = ''] = /## The map\n([^]*?)\n## /.exec(read('ARCHITECTURE.md')) ?? []
    const mapped = [...map.matchAll(/^\| `([^`]+)` \|/gm)].map(([, path]) => path!)
    expect(mapped.filter((path) => !existsSync(join(root, path)))).toEqual([])
    const foldersIn = (path: string) =>
      readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? [`${path}/${entry.name}`] : [],
      )
    const rooms = [
      ...foldersIn('shared'),
      ...foldersIn('shared/faces'),
      ...foldersIn('shared/runtime'),
      ...foldersIn('shared/wire'),
    ]
    expect(rooms.filter((room) => !mapped.some((path) => path === `${room}/` || path.startsWith(`${room}/`)))).toEqual(
      [],
    )
  })

  it('have no code block that no test follows', () => {
    const blocks = pages.filter((page) => page !== 'manifests/README.md').flatMap(blocksOf)
    const names = blocks.flatMap(({ mark }) => (mark?.startsWith('try:') ? [mark.slice('try:'.length)] : []))
    expect([...new Set(names)].toSorted()).toEqual(Object.keys(followedBy).toSorted())
    for (const [name, file] of Object.entries(followedBy))
      expect(read(file), name).toMatch(new RegExp(String.raw`\b${name}\b`))
    const followed = read('test/docs/followed.test.ts')
    for (const { page, line, language, mark } of blocks) {
      if (mark !== undefined || language === 'text') continue
      expect(['sh', 'console'], `${page}:${line}`).toContain(language)
      expect(followed, page).toContain(`'${page}'`)
    }
    for (const [at, { page, line, mark }] of blocks.entries())
      if (mark === 'answer')
        expect([page, blocks[at - 1]?.language], `${page}:${line}`).toEqual([blocks[at - 1]?.page, 'sh'])
  })

  it('show files of the project verbatim', () => {
    const shown = pages
      .flatMap(blocksOf)
      .flatMap(({ mark, text }) => (mark?.startsWith('file:') ? [{ file: mark.slice('file:'.length), text }] : []))
    expect(shown.length).toBeGreaterThan(3)
    for (const { file, text } of shown) expect(text, file).toBe(read(file).trimEnd())
    const parts = pages
      .flatMap(blocksOf)
      .flatMap(({ mark, text }) => (mark?.startsWith('part:') ? [{ file: mark.slice('part:'.length), text }] : []))
    // How far a part is indented depends on where it is in its file.
    const unindented = (text: string) => text.replaceAll(/^ +/gm, '').trimEnd()
    for (const { file, text } of parts) expect(unindented(read(file)), file).toContain(unindented(text))
  })
})
