import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readInput } from '../../shared/faces/cli/input.ts'
import { noteMeta } from '../../shared/faces/cli/topics/steps.ts'
import { plain, table, wrap } from '../../shared/faces/cli/table.ts'
import { failures } from '../../shared/kit/index.ts'
import { firstList, openHttpWorld } from '../support/http-world.ts'
import { linesOver } from '../support/command-line.ts'
import type { Place } from '../support/command-line.ts'

let address: string
let data: string
const face = await openHttpWorld({ egress: { loopbackAgents: true } })
beforeAll(async () => {
  address = await face.listen()
  data = await mkdtemp(join(tmpdir(), 'toolyard-cli-'))
})
afterAll(async () => {
  await rm(data, { recursive: true })
})

const { command } = linesOver(face)

describe.each<Place>(['embedded', 'remote'])('%s', (place) => {
  it('lists integrations and steps', async () => {
    const { code, out } = await command(['list'], place)
    expect(code).toBe(0)
    expect(out).toMatch(/^Work board \(work-board\): /m)
    expect(out).toMatch(/^ {2}create-card +create +/m)
    expect(out).toMatch(/^ {2}add-comment +create +legacy +/m)
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(120)
    const json = JSON.parse((await command(['list', 'create', 'checklist', 'item', '--json'], place)).out)
    expect(json.steps[0].id).toBe('create-a-checklist-item')
  })

  it('describes an integration and a step', async () => {
    const whole = await command(['describe', 'work-board'], place)
    expect([whole.code, whole.out]).toEqual([0, expect.stringContaining('facts are assumptions')])
    const step = await command(['describe', 'work-board', 'get-list-cards'], place)
    expect(step.out).toMatch(/idList \* {2}/)
    const json = JSON.parse((await command(['describe', 'work-board', 'get-list-cards', '--json'], place)).out)
    expect(json).toMatchObject({ id: 'get-list-cards', tool: 'work_board_get_list_cards' })
  })

  it('runs a step: output to standard output, the rest to standard error', async () => {
    const { list } = await firstList(face)
    const { code, out, err } = await command(
      ['run', 'work-board', 'create-card', '-f', `idList=${list.id}`, '-f', 'name=By hand', '-f', 'dueComplete=false'],
      place,
    )
    expect([code, JSON.parse(out)]).toMatchObject([0, { name: 'By hand', dueComplete: false }])
    expect(err).toMatch(/^run [0-9a-f-]{36}: \d+ ms, 1 request, connection "\w+"\n$/)
    const json = await command(['run', 'work-board', 'get-boards', '-f', 'limit=1', '--json'], place)
    expect(JSON.parse(json.out)).toMatchObject({ output: { count: 1, more: true }, meta: { attempts: 1 } })
  })

  it('takes JSON, a file and standard input', async () => {
    await writeFile(join(data, 'in.json'), '{"limit":1}')
    for (const [argument, stdin] of [['{"limit":1}'], [`@${join(data, 'in.json')}`], ['-', '{"limit":1}']] as [
      string,
      string?,
    ][]) {
      const { code, out } = await command(['run', 'work-board', 'get-boards', argument], place, { stdin: stdin ?? '' })
      expect([code, JSON.parse(out).count]).toEqual([0, 1])
    }
    expect((await command(['run', 'work-board', 'get-boards', '--input', '{"limit":2}'], place)).code).toBe(0)
  })

  it('shows a dry run', async () => {
    const { code, out, err } = await command(['run', 'work-board', 'get-boards', '--dry-run'], place)
    expect([code, JSON.parse(out), err]).toMatchObject([
      0,
      { complete: true, requests: [{ method: 'GET', headers: { authorization: '***' } }] },
      '',
    ])
  })

  it('does a keyed run once', async () => {
    const { list } = await firstList(face)
    const line = [
      'run',
      'work-board',
      'create-card',
      '-f',
      `idList=${list.id}`,
      '-f',
      'name=Once',
      '--idempotency-key',
      `cli-${place}`,
      '--json',
    ]
    const [first, again] = [JSON.parse((await command(line, place)).out), JSON.parse((await command(line, place)).out)]
    expect([again.output.id, again.meta.cached]).toEqual([first.output.id, true])
  })

  const failing: [line: string[], code: keyof typeof failures, said: RegExp][] = [
    [['run', 'work-board', 'get-boards', '-f', 'limit=0'], 'invalid_input', /limit/],
    [['run', 'work-board', 'get-boards', '-f', 'limit=many'], 'invalid_input', /limit/],
    [['run', 'work-board', 'fly'], 'not_found', /no step "fly"/],
    [['run', 'nothing', 'fly'], 'not_found', /no integration "nothing"/],
    [['describe', 'work-board', 'fly'], 'not_found', /no step or trigger "fly"/],
    [['list', '-i', 'nothing'], 'not_found', /no integration/],
    [['run', 'work-board', 'get-card', '-f', 'idCard=507f1f77bcf86cd799439011'], 'not_found', /404/],
    [['run', 'work-board', 'get-boards', '-c', 'Nobody'], 'not_found', /Connected: "Board"/],
    [['run', 'work-board', 'api-call', '{"method":"POST","path":"/1/webhooks"}'], 'not_allowed', /Nothing was sent/],
    [['run', 'work-board', 'get-boards', '{"limit":'], 'invalid_input', /not JSON/],
    [['run', 'work-board', 'get-boards', '[1]'], 'invalid_input', /JSON object/],
    [['run', 'work-board', 'get-boards', '@/nowhere.json'], 'invalid_input', /ENOENT/],
    [['run', 'work-board', 'get-boards', '{}', '-f', 'limit=1'], 'invalid_input', /not both/],
    [['run', 'work-board', 'get-boards', '-f', 'limit'], 'invalid_input', /name=value/],
  ]
  it.each(failing)('%j exits by the table for %s', async (line, code, said) => {
    const plainly = await command(line, place)
    expect(plainly.code, plainly.err).toBe(failures[code].exit)
    expect([plainly.out, plainly.err]).toEqual(['', expect.stringMatching(said)])
    expect(plainly.err).toMatch(new RegExp(`\\(${code}`))
    const json = await command([...line, '--json'], place)
    expect([json.code, JSON.parse(json.err)]).toMatchObject([
      failures[code].exit,
      { code, retryable: failures[code].retryable },
    ])
  })
})

describe('the command line', () => {
  it('explains itself', async () => {
    const help = await command(['--help'])
    expect(help.code).toBe(0)
    for (const word of ['serve', 'list', 'describe', 'run', 'demo', 'TOOLYARD_DATA', 'rate_limited'])
      expect(help.out).toContain(word)
    for (const { exit } of Object.values(failures)) expect(help.out).toMatch(new RegExp(`^ +${exit}  `, 'm'))
    expect((await command(['run', '--help'])).out).toContain('--dry-run')
    expect(await command(['--version'])).toMatchObject({ code: 0, out: '1.2.3\n' })
  })

  it('shows every command below a heading', async () => {
    const { out } = await command(['--help'])
    const commands = out.slice(out.indexOf('display help for command'), out.indexOf('Settings, from the environment:'))
    expect(commands.match(/^ {2}[a-z]/gm)!.length).toBeGreaterThan(40)
    expect([...commands.matchAll(/^(\S.*):$/gm)].map(([, heading]) => heading)).toEqual([
      'Start',
      'Steps',
      'Accounts',
      'Triggers and agents',
      'History and credits',
      'Own integrations',
      'Operation',
      'Data',
    ])
    expect(out).not.toMatch(/^Commands:|^ {2}complete /m)
    // A command without a heading would come first.
    expect(commands).toMatch(/^display help for command\n\nStart:\n/)
  })

  it('without a command names those to begin with, in a few lines', async () => {
    const { code, out, err } = await command([])
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain('toolyard serve --sandbox')
    expect(err).toContain('--help')
    expect(err.split('\n').length).toBeLessThan(12)
  })

  it.each([
    [['conections'], 'Did you mean connections?'],
    [['run', 'work-bord', 'create-card'], 'Did you mean "work-board"?'],
    [['run', 'work-board', 'create-crad'], 'Did you mean "create-card"?'],
    [['describe', 'work-board', 'card-movd'], 'Did you mean "card-moved"?'],
    [['fields', 'work-board', 'create-crad'], 'Did you mean "create-card"?'],
    [['run', 'work-board', 'create-card', '{"idLst":"x","name":"y"}'], 'Did you mean "idList"?'],
  ])('names what was probably meant by %j', async (line, remedy) => {
    for (const place of ['embedded', 'remote'] as const) expect((await command(line, place)).err).toContain(remedy)
  })

  it.each([
    [['fly']],
    [['run', 'work-board']],
    [['list', '--wat']],
    [['run', 'work-board', 'get-boards', '{}', 'more']],
  ])('refuses %j with exit 2', async (line) => {
    const { code, err } = await command(line)
    expect([code, err]).toEqual([2, expect.stringMatching(/error: /)])
  })

  it('refuses a wrong setting before anything else', async () => {
    expect(await command(['list'], 'embedded', { env: { TOOLYARD_PORT: 'x' } })).toMatchObject({
      code: 2,
      err: expect.stringContaining('TOOLYARD_PORT'),
    })
  })

  it('says that a server is not there, or is not one of ours, or wants another token', async () => {
    const away = { TOOLYARD_URL: 'http://127.0.0.1:9', TOOLYARD_TOKEN: 'x'.repeat(20) }
    expect(await command(['list'], 'embedded', { env: away })).toMatchObject({
      code: failures.unreachable.exit,
      err: expect.stringContaining('cannot be reached'),
    })
    const foreign = { TOOLYARD_URL: face.sandbox.board.origin, TOOLYARD_TOKEN: 'x'.repeat(20) }
    expect(await command(['list'], 'embedded', { env: foreign })).toMatchObject({
      code: failures.bad_reply.exit,
      err: expect.stringContaining('not as a toolyard server does'),
    })
    const stranger = { TOOLYARD_URL: address, TOOLYARD_TOKEN: 'x'.repeat(20) }
    expect(await command(['list'], 'embedded', { env: stranger })).toMatchObject({
      code: failures.unauthenticated.exit,
    })
    expect(await command(['list'], 'embedded', { env: { TOOLYARD_URL: address } })).toMatchObject({
      code: failures.unauthenticated.exit,
      err: expect.stringContaining('TOOLYARD_TOKEN'),
    })
  })
})

describe('input fields', () => {
  const form = {
    properties: {
      name: { type: 'string' },
      limit: { type: 'integer' },
      flag: { type: 'boolean' },
      ids: { type: 'array', items: { type: 'string' } },
      body: {},
      query: { type: 'object' },
    },
  }
  const fields = (...assignments: string[]) =>
    readInput({ whole: undefined, fields: assignments }, form, async () => '')

  it('are typed by the schema of the step', async () => {
    expect(await fields('name=5', 'limit=5', 'flag=true', 'ids=a', 'ids=b', 'body={"a":1}', 'query={"b":2}')).toEqual({
      name: '5',
      limit: 5,
      flag: true,
      ids: ['a', 'b'],
      body: { a: 1 },
      query: { b: 2 },
    })
    expect(await fields('ids=["a","b"]', 'body=text', 'name=a=b')).toEqual({
      ids: ['a', 'b'],
      body: 'text',
      name: 'a=b',
    })
    expect(await fields('ids=')).toEqual({ ids: [] })
  })

  it('leave to the step what does not fit', async () => {
    expect(await fields('limit=many', 'flag=perhaps', 'unknown=1')).toEqual({
      limit: 'many',
      flag: 'perhaps',
      unknown: '1',
    })
  })

  it('cannot be given twice, and change no prototype', async () => {
    await expect(fields('name=a', 'name=b')).rejects.toThrow(/given twice/)
    await expect(fields('query={')).rejects.toThrow(/takes JSON/)
    const input = await fields('__proto__=x')
    expect([Object.keys(input), ({} as Record<string, unknown>).x]).toEqual([['__proto__'], undefined])
  })
})

describe('text for a terminal', () => {
  it('fits the width and cannot move the cursor', () => {
    expect(plain('a\u001b[2Jb\r\nc\u202ed')).toBe('a [2Jb cd')
    const lines = table(['a', 'b'], [['x', 'word '.repeat(40)]], 40).split('\n')
    expect(lines.every((line) => line.length <= 40)).toBe(true)
    expect(lines[1]).toMatch(/…$/)
    expect(wrap('one two three', 8, '  ')).toBe('  one\n  two\n  three')
  })
})

it('an account whose name would be obeyed by a terminal is named on one line, without what nobody sees', () => {
  const lines: string[] = []
  const meta = {
    runId: 'r1',
    durationMs: 1,
    attempts: 1,
    connection: { id: 'con_1', name: 'Stu\u001b[2Jdio\nrun r2: done' },
  }
  noteMeta({ note: (line) => void lines.push(line) }, meta)
  expect(lines).toEqual(['run r1: 1 ms, 1 request, connection "Stu [2Jdio run r2: done"'])
})
