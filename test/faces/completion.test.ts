import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openHttpWorld } from '../support/http-world.ts'
import { secretsOf } from '../support/world.ts'
import { entry } from './process.ts'
import { linesOver } from '../support/command-line.ts'
import { integrations } from '../../integrations/index.ts'
import { integrationIds } from '../support/shipped.ts'

let data: string
const face = await openHttpWorld()
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'toolyard-completion-'))
  const secrets = { ...secretsOf(face.sandbox), token: face.sandbox.board.credentials.secondToken }
  await face.pack.connections.create(
    { tenant: 'default' },
    { integration: 'work-board', type: 'key-token', name: 'Paper mill', secrets },
  )
})
afterAll(async () => {
  await rm(data, { recursive: true })
})

const lines = linesOver(face)
/** Words offered after a line, without what they are. */
const offered = async (...words: string[]): Promise<string[]> => {
  const { code, out } = await lines.command(['complete', '--', ...words], 'remote', { pack: undefined })
  expect(code).toBe(0)
  return out
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t')[0]!)
}

const board = integrations.find(({ id }) => id === 'work-board')!
const beginning = (start: string, all: { id: string }[]) => all.map(({ id }) => id).filter((id) => id.startsWith(start))
const stepsBeginning = (start: string) => beginning(start, board.steps)
const triggersBeginning = (start: string) => beginning(start, board.triggers!)

describe('completion offers', () => {
  it('commands and their commands', async () => {
    expect(await offered('')).toEqual(
      expect.arrayContaining(['serve', 'list', 'run', 'doctor', 'backup', 'completion']),
    )
    expect(await offered('')).not.toContain('complete')
    expect(await offered('')).toEqual(expect.arrayContaining(['dev', 'record']))
    expect(await offered('des')).toEqual(['describe'])
    expect(await offered('record', 'work-board', 'get-')).toEqual(stepsBeginning('get-'))
    expect(await offered('dev', '--')).toEqual(['--wire', '--data'])
    expect(await offered('tokens', '')).toEqual(expect.arrayContaining(['add', 'revoke']))
  })

  it('integrations, steps, fields and account names', async () => {
    expect(await offered('run', '')).toEqual(integrationIds)
    expect(await offered('run', 'work-board', 'get-')).toEqual(stepsBeginning('get-'))
    expect(await offered('describe', 'anz-data', 'comp')).toEqual(['company-enrichment'])
    expect(await offered('run', 'work-board', 'create-card', '-f', 'idL')).toEqual(['idList=', 'idLabels='])
    expect(await offered('run', '-c', '')).toEqual(expect.arrayContaining(['Board', 'Paper mill']))
    expect(await offered('run', '-c', 'Paper mill', 'work-board', 'get-card-a')).toEqual(['get-card-activity'])
    expect(await offered('run', 'anz-data', 'people-search', '--connection', '')).toEqual([])
    expect(await offered('tokens', 'add', 'x', '--scope', 'me')).toEqual(['metrics'])
    expect(await offered('mcp', '--tools', 'work_board_create_a')).toEqual(['work_board_create_a_checklist_item'])
  })

  it('triggers, fields of their config, and the words an option takes', async () => {
    expect(await offered('subscribe', 'work-board', 'card-')).toEqual(triggersBeginning('card-'))
    expect(await offered('subscribe', 'work-board', 'card-moved', '-f', '')).toEqual([
      'boards=',
      'fromLists=',
      'toLists=',
      'customFields=',
    ])
    expect(await offered('subscribe', 'work-board', 'card-moved', '--delivery', '')).toEqual(['webhook', 'poll'])
    expect(await offered('starts', '--state', 'de')).toEqual(['dead'])
    expect(await offered('subscriptions', 're')).toEqual(['resume', 'remove', 'recover'])
  })

  it('options', async () => {
    expect(await offered('run', '--dr')).toEqual(['--dry-run'])
    expect(await offered('backup', '--')).toEqual(['--json'])
  })

  it('nothing where it cannot know, without a word', async () => {
    expect(await offered('run', 'nothing', '')).toEqual([])
    expect(await offered('fly', '')).toEqual([])
    expect(await offered('backup', '')).toEqual([])
  })
})

describe('the scripts', () => {
  /** What bash offers at the Tab key, with this program as toolyard. */
  const tab = async (program: string, ...words: string[]) => {
    const folder = await mkdtemp(join(data, 'bin-'))
    await writeFile(join(folder, 'toolyard'), `#!/bin/sh\n${program}\n`)
    await chmod(join(folder, 'toolyard'), 0o755)
    const quoted = words.map((word) => `'${word}'`).join(' ')
    const load = `source <("${process.execPath}" "${entry}" completion bash); compopt() { :; }`
    const script = `${load}; COMP_WORDS=(toolyard ${quoted}); COMP_CWORD=${words.length}; _toolyard; printf '%s\\n' "\${COMPREPLY[@]}"`
    return spawnSync('bash', ['-c', script], {
      env: { PATH: `${folder}:${process.env.PATH}`, TOOLYARD_DATA: data },
      encoding: 'utf8',
    }).stdout
  }

  it('of bash completes for real', async () => {
    const real = `exec "${process.execPath}" "${entry}" "$@"`
    expect(await tab(real, 'desc')).toBe('describe\n')
    expect(await tab(real, 'run', 'work-board', 'create-card', '--field', 'idL')).toBe('idList=\nidLabels=\n')
    expect(await tab(real, 'run', '--js')).toBe('--json\n')
  })

  it('of bash passes the words on as they are, and quotes what it gets', async () => {
    expect(await tab(`printf 'Paper mill\\tan account\\n'`, 'run', '-c', 'Pa')).toBe('Paper\\ mill\n')
    expect(await tab(`printf '%s|' "$@"`, 'run', '-c', 'a b', '')).toBe('complete\\|--\\|run\\|-c\\|a\\ b\\|\\|\n')
  })

  it.each(['bash', 'zsh', 'fish'])('of %s is printed', async (shell) => {
    const printed = spawnSync(process.execPath, [entry, 'completion', shell], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    })
    expect([printed.status, printed.stdout]).toEqual([0, expect.stringContaining('toolyard complete --')])
  })

  it('is refused for a shell that has none', () => {
    expect(
      spawnSync(process.execPath, [entry, 'completion', 'tcsh'], { encoding: 'utf8', env: { PATH: process.env.PATH } }),
    ).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Choose one of: bash, zsh, fish.'),
    })
  })
})
