import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { failures } from '#kit'
import { charged, emailOf, openJobsWorld } from '../bulk-jobs/world.ts'
import { linesOver, runLine } from '../support/command-line.ts'
import { openHttpWorld } from '../support/http-world.ts'
import { caller } from '../support/world.ts'

const face = await openHttpWorld({ accounts: 'all' })
const cwd = mkdtempSync(join(tmpdir(), 'toolyard-lists-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))
const { command } = linesOver(face, { cwd })

it('looks up the rows of a list, as one job until the list is another', async () => {
  const { pack, sandbox } = await openJobsWorld()
  const enrich = (...words: string[]) =>
    runLine(['bulk', 'enrich', '-i', 'contact-data', '--json', ...words], { pack, cwd })
  const { id: list } = await pack.peopleLists.create(caller, { name: 'Known', rows: [{ Email: emailOf(0) }] })
  const first = await enrich('--list', 'Known', '--max-credits', '10', '--out', 'found.csv')
  expect(JSON.parse(first.out)).toMatchObject({ list, state: 'done', matched: 1 })
  expect(readFileSync(join(cwd, 'found.csv'), 'utf8')).toContain(emailOf(0))
  const paid = charged(sandbox)
  expect(JSON.parse((await enrich('--list', list)).out).id).toBe(JSON.parse(first.out).id)
  expect(charged(sandbox)).toBe(paid)
  await pack.peopleLists.remove(caller, list)
  await pack.peopleLists.create(caller, { name: 'Known', rows: [{ Email: emailOf(1) }] })
  const other = await enrich('--list', 'Known', '--max-credits', '10')
  expect(JSON.parse(other.out).id).not.toBe(JSON.parse(first.out).id)
  for (const words of [[], ['people.csv', '--list', 'Known']]) {
    const refused = await enrich(...words)
    expect([refused.code, refused.err]).toEqual([
      failures.invalid_input.exit,
      expect.stringContaining('Give one of: a file, --list'),
    ])
  }
})

it.each(['embedded', 'remote'] as const)('stores, shows and removes a list: %s', async (place) => {
  writeFileSync(join(cwd, 'people.csv'), 'Email\nada@example.com\nben@example.com\n')
  await face.pack.suppressions.add({ tenant: 'default' }, [{ email: 'ben@example.com' }])
  const added = await command(['lists', 'add', 'people.csv', 'Leads'], place)
  expect(added.out).toMatch(/^plst_[\w-]+\n$/)
  expect(added.err).toContain('on the suppression list: 1.')
  expect((await command(['lists'], place)).out).toContain('Leads')
  const shown = await command(['lists', 'show', 'Leads'], place)
  expect(shown.out).toContain('ada@example.com')
  expect(shown.out).not.toContain('ben@example.com')
  const wrong = await command(['lists', 'add', 'people.csv', 'Dogs', '--kind', 'dog'], place)
  expect(wrong.code).toBe(failures.invalid_input.exit)
  expect((await command(['lists', 'remove', 'Leads'], place)).code).toBe(0)
  expect((await command(['lists', 'show', 'Leads'], place)).code).toBe(failures.not_found.exit)
  expect((await face.pack.files.list({ tenant: 'default' }, { limit: 9 })).items).toEqual([])
})

it.each(['embedded', 'remote'] as const)('stores the companies that a step names: %s', async (place) => {
  const from = ['lists', 'from', 'work-board', 'get-board-cards', `Prospects ${place}`, '--kind', 'company']
  const { boards } = (await face.ask('/v1/steps/work-board/get-boards/run', { body: { input: {} } })).json.output as {
    boards: { id: string }[]
  }
  const added = await command([...from, '-f', `idBoard=${boards[0]!.id}`], place)
  expect(added.out, added.err).toMatch(/^plst_[\w-]+\n$/)
  expect((await command(['lists', 'show', `Prospects ${place}`], place)).out).toMatch(/never$/m)
  expect((await command(from, place)).err).toContain('idBoard')
})
