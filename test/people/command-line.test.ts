import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { failures } from '../../shared/kit/index.ts'
import { linesOver } from '../support/command-line.ts'
import type { Place } from '../support/command-line.ts'
import { openHttpWorld } from '../support/http-world.ts'
import { knownEmails } from '../support/people.ts'

const world = await openHttpWorld({ accounts: 'all' })
world.pack.servedAt('https://tools.example')
for (const integration of ['work-board', 'contact-data'])
  await world.connect(integration, { name: `Ann's ${integration}`, person: 'ann' })
const { command, json } = linesOver(world)
const readBoards = ['run', 'work-board', 'get-boards']

describe.each<Place>(['embedded', 'remote'])('%s', (place) => {
  it('a command acts for the person whom --person names', async () => {
    const used = async (...more: string[]) => (await json([...readBoards, ...more], place)).meta.connection.name
    expect(await used('--person', 'ann')).toBe("Ann's work-board")
    expect(await used('--person', 'bea')).toBe('Sandbox board')
    expect(await used()).toBe('Sandbox board')
    const denied = await command([...readBoards, '--person', 'bea', '-c', "Ann's work-board"], place)
    expect(denied.code).toBe(failures.not_found.exit)
    expect((await command([...readBoards, '--person', ''], place)).code).toBe(failures.invalid_input.exit)

    const chosen = await json(['options', 'work-board', 'create-card', 'idBoard', '--person', 'ann'], place)
    expect(chosen.options.length).toBeGreaterThan(0)
    const lookUp = ['lookup', 'person', '-f', `email=${knownEmails[0]}`, '-w', 'fullName', '-p', 'contact-data']
    const { output } = await json([...lookUp, '--person', 'ann'], place)
    const ofAnn = (await json(['connections', '--person', 'ann'], place)).items as { id: string }[]
    expect(ofAnn.map(({ id }) => id)).toContain(output.providers[0].connection)
    expect(ofAnn).toHaveLength(2)
  })

  it('lists show people where a row has one, and are narrowed to them', async () => {
    await command([...readBoards, '--person', 'ann'], place)
    await command(readBoards, place)
    const runs = (await json(['runs', '--person', 'ann'], place)).items as { person: string }[]
    expect(new Set(runs.map(({ person }) => person))).toEqual(new Set(['ann']))
    expect((await command(['runs', '--person', 'ann'], place)).out).toMatch(/^what was done +run .* person +outcome/)
    expect((await command(['runs', '--person', 'nobody'], place)).out).toMatch(/^No runs/)
    expect((await command(['connections'], place)).out).toMatch(/Ann's work-board/)
    const usage = await json(['usage', '--person', 'ann'], place)
    expect(usage.items.length).toBeGreaterThan(0)
    expect((await json(['usage', '--person', 'nobody'], place)).items).toEqual([])
    expect((await command(['people'], place)).out).toMatch(/^person +connections +runs .*\n(.*\n)*ann +2 /)
    expect(await json(['people', 'show', 'ann'], place)).toMatchObject({ id: 'ann', usage: { days: 30 } })
    expect((await command(['people', 'show', 'nobody'], place)).code).toBe(failures.not_found.exit)
  })

  it('a token, a link, a budget and a file are made for a person', async () => {
    const made = await json(['tokens', 'add', `Ann, ${place}`, '-s', 'run', '--person', 'ann'], place)
    expect(made.token.person).toBe('ann')
    expect((await json(['tokens', '--person', 'ann'], place)).map(({ id }: { id: string }) => id)).toContain(
      made.token.id,
    )
    expect((await command(['tokens', '--person', 'ann'], place)).out).toContain('person ann')
    if (place === 'remote') {
      const bound = { env: { TOOLYARD_TOKEN: made.text } }
      expect((await command([...readBoards, '--person', 'bea'], place, bound)).code).toBe(failures.not_allowed.exit)
      const link = await json(['connect', 'work-board', '--type', 'key-token', '--person', 'bea', '--no-wait'], place)
      expect(link.url).toMatch(/\/connect\//)
    }
    const budget = ['budgets', 'add', '100', '--person', 'ann']
    expect(await json(budget, place)).toMatchObject({ scope: 'person', subject: 'ann' })
    expect((await command([...budget, '--token', 'tok_1'], place)).code).toBe(failures.invalid_input.exit)
    const folder = await mkdtemp(join(tmpdir(), 'toolyard-people-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, 'a.txt'), 'a')
    const file = await json(['files', 'add', join(folder, 'a.txt'), '--person', 'ann'], place)
    expect(file.person).toBe('ann')
    expect((await json(['files', '--person', 'bea'], place)).items).toEqual([])
  })
})
