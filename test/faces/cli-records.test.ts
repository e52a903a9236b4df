import { describe, expect, it } from 'vitest'
import { printPairs, table } from '../../shared/faces/cli/table.ts'
import { failures } from '../../shared/kit/index.ts'
import { firstList, openHttpWorld } from '../support/http-world.ts'
import { secretsOf } from '../support/world.ts'
import { linesOver } from '../support/command-line.ts'
import type { Place } from '../support/command-line.ts'
import { integrationIds } from '../support/shipped.ts'

const face = await openHttpWorld({
  runContentsMs: 3_600_000,
  creditPrices: { 'work-board': { amount: 0.5, currency: 'EUR' } },
})

const { command, json } = linesOver(face, { self: 'npx toolyard' })

describe.each<Place>(['embedded', 'remote'])('%s', (place) => {
  it('runs lists what was run with the whole failure, and shows one by the beginning of its id', async () => {
    const failed = await command(['run', 'work-board', 'get-card', '-f', 'idCard=507f1f77bcf86cd799439011'], place)
    const id = /run ([0-9a-f-]{36})/.exec(failed.err)![1]!
    await command(['run', 'work-board', 'get-boards'], place)
    const { out } = await command(['runs', '--step', 'get-card', '-n', '1'], place)
    const [run] = (await json(['runs', '--step', 'get-card', '-n', '1'], place)).items
    expect(run).toMatchObject({ id, step: 'get-card', state: 'failed' })
    expect(out.replaceAll(/\s+/g, ' ')).toContain(run.failure.message)
    for (const line of out.trimEnd().split('\n')) expect(line.length).toBeLessThanOrEqual(130)
    expect(await json(['runs', 'show', id.slice(0, 13)], place)).toMatchObject({ id, code: 'not_found' })
    expect((await json(['runs', '-c', 'Board', '--state', 'done'], place)).items[0]).toMatchObject({
      step: 'get-boards',
    })
  })

  it('runs show prints the requests of a run, and what it took and returned', async () => {
    const { list } = await firstList(face)
    const input = JSON.stringify({ idList: list.id, name: 'Two\nlines \u001b[31m' })
    const { meta } = await json(['run', 'work-board', 'create-card', '--json', input], place)
    const { out, code } = await command(['runs', 'show', meta.runId], place)
    expect(code).toBe(0)
    expect(out).toMatch(/^step +work-board create-card$/m)
    expect(out).toMatch(/^outcome +done$/m)
    expect(out).toMatch(/ \d+ ms +200 +POST \/1\/cards$/m)
    expect(out).toContain(`Input:\n{\n  "idList": "${list.id}",`)
    expect(out).toMatch(/^Output:$/m)
    expect(out).toMatch(/^Input and output are removed at \d{4}-\d\d-\d\d /m)
    expect(out).not.toContain('\u001b')
    const failed = await command(['run', 'work-board', 'get-card', '-f', 'idCard=507f1f77bcf86cd799439011'], place)
    const id = /run ([0-9a-f-]{36})/.exec(failed.err)![1]!
    const shown = await command(['runs', 'show', id], place)
    expect(shown.out).toMatch(/^outcome +failed: not_found: /m)
    expect(shown.out).toMatch(/ 404 +GET \/1\/cards\/\{id\}$/m)
    expect(shown.out).not.toMatch(/^Output:/m)
  })

  it('usage adds up by step, person and connection, and prints CSV', async () => {
    await command(['run', 'work-board', 'get-boards'], place)
    expect((await command(['usage', '--by', 'step'], place)).out).toMatch(
      /^Get Boards +work-board +\d+ +0 +\d+ +0 +0 EUR$/m,
    )
    expect((await command(['usage', '--by', 'person'], place)).out).toMatch(/^nobody +work-board +\d+ /m)
    expect((await command(['usage', '--by', 'connection'], place)).out).toMatch(/^Board +work-board +\d+ /m)
    const today = new Date().toISOString().slice(0, 10)
    const csv = await command(['usage', '--by', 'connection', '--since', today, '--csv'], place)
    expect(csv.out.split('\r\n')[0]).toContain('"integration","connection","name","runs"')
    expect(csv.out).toMatch(/^"work-board","con_[^"]+","Board",\d+,/m)
    expect((await json(['usage', '--by', 'step', '--days', '1'], place)).totals).not.toEqual([])
    expect(await command(['usage', '--until', today], place)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--until needs --since'),
    })
    expect((await command(['usage', '--since', 'May'], place)).code).toBe(2)
  })

  it('usage counts runs, requests and credits by day', async () => {
    expect((await command(['usage'], place)).out).toMatch(
      /^\d{4}-\d\d-\d\d +work-board get-boards +\d+ +0 +\d+ +0 +0 EUR +con_/m,
    )
    expect((await json(['usage', '--days', '1'], place)).items[0]).toMatchObject({ integration: 'work-board' })
    expect(await command(['usage', '--days', '0'], place)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--days takes a number from 1 to 366'),
    })
  })

  it('connections lists them, shows and tests one by name or by a prefix of its id', async () => {
    const [account] = (await json(['connections'], place)).items
    expect((await command(['connections', '-i', 'work-board'], place)).out).toMatch(
      new RegExp(`^${account.id} +work-board \\(key-token\\) +connected`, 'm'),
    )
    expect((await command(['connections', 'show', 'Board'], place)).out).toMatch(
      new RegExp(`^connection +Board \\(${account.id}\\)$`, 'm'),
    )
    expect(await json(['connections', 'test', account.id.slice(0, 10)], place)).toMatchObject({
      id: account.id,
      state: 'connected',
    })
    expect(await command(['connections', '-i', 'anz-data'], place)).toMatchObject({
      out: 'No connections yet. Connect an account with: npx toolyard connect anz-data\n',
    })
    expect((await command(['connections', 'show', 'Nobody'], place)).code).toBe(failures.not_found.exit)
  })

  it('connections makes one the default and removes one, by name', async () => {
    const secrets = { ...secretsOf(face.sandbox), token: face.sandbox.board.credentials.secondToken }
    await face.pack.connections.create(
      { tenant: 'default' },
      { integration: 'work-board', type: 'key-token', name: 'Second', secrets },
    )
    const defaults = async () =>
      (await json(['connections'], place)).items.filter((connection: { isDefault: boolean }) => connection.isDefault)
    expect((await command(['connections', 'default', 'Second'], place)).out).toMatch(/^default +yes$/m)
    expect(await defaults()).toMatchObject([{ name: 'Second' }])
    expect(await json(['connections', 'default', 'Board'], place)).toMatchObject({ name: 'Board', isDefault: true })
    expect((await command(['connections', 'remove', 'Second'], place)).out).toMatch(
      /^Connection "Second" \(con_\S+\) is removed; its subscriptions are paused\.\n$/,
    )
    expect((await json(['connections'], place)).items.map(({ name }: { name: string }) => name)).toEqual(['Board'])
    expect((await command(['connections', 'remove', 'Second'], place)).code).toBe(failures.not_found.exit)
  })

  it('options lists the choices of a field of a step and of a trigger', async () => {
    const { board, list } = await firstList(face)
    const ofStep = await command(['options', 'work-board', 'create-card', 'idList', '-f', `idBoard=${board.id}`], place)
    expect([ofStep.code, ofStep.out], ofStep.err).toEqual([
      0,
      expect.stringMatching(new RegExp(`^${list.id} +${list.name}$`, 'm')),
    ])
    const ofTrigger = await json(['options', 'work-board', 'card-moved', 'boards', '-c', 'Board'], place)
    expect(ofTrigger.options.map(({ value }: { value: string }) => value)).toContain(board.id)
    const fields = await command(['fields', 'work-board', 'set-custom-fields', '-f', `idBoard=${board.id}`], place)
    expect([fields.code, fields.out], fields.err).toEqual([
      0,
      expect.stringMatching(/^[0-9a-f]{24} +Priority +choice: High, Normal, Low$/m),
    ])
    expect(
      (await json(['fields', 'work-board', 'set-custom-fields', '-c', 'Board', '-f', `idBoard=${board.id}`], place))
        .layout.fields,
    ).toHaveLength(5)
    expect((await command(['fields', 'work-board', 'get-boards'], place)).err).toContain(
      'has no fields that the account defines',
    )
    expect((await command(['fields', 'work-board', 'fly'], place)).code).toBe(failures.not_found.exit)
    expect(await command(['options', 'work-board', 'fly', 'x'], place)).toMatchObject({
      code: failures.not_found.exit,
      err: expect.stringContaining('npx toolyard list -i work-board'),
    })
  })

  it('a prefix of an id is enough when it matches one thing; otherwise the message says how many it matches', async () => {
    for (let n = 0; n < 2; n += 1) await command(['run', 'work-board', 'get-boards'], place)
    const { items } = await json(['runs'], place)
    // Ids of runs that began in the same minute begin alike.
    const common = items[0].id.slice(0, 2)
    const matching = items.filter(({ id }: { id: string }) => id.startsWith(common)).length
    expect(await command(['runs', 'show', common], place)).toMatchObject({
      code: failures.invalid_input.exit,
      err: expect.stringContaining(`"${common}" matches ${matching} runs; give more characters.`),
    })
    const [account] = (await json(['connections'], place)).items
    expect((await command(['run', 'work-board', 'get-boards', '-c', account.id.slice(0, 9)], place)).code).toBe(0)
    const added = await json(['tokens', 'add', 'Agent'], place)
    expect((await command(['tokens', 'revoke', added.token.id.slice(0, -4)], place)).out).toBe(
      `Token ${added.token.id.slice(0, -4)} is revoked.\n`,
    )
  })

  it('list shows triggers beside steps, and finds both by words', async () => {
    expect((await command(['list', '-i', 'work-board'], place)).out).toMatch(/^ {2}card-moved +instant, or polling +/m)
    expect(await json(['list', 'label', 'created'], place)).toMatchObject({
      triggers: [{ id: 'new-label-created', integration: 'work-board' }],
    })
  })

  it('describe is one screen for every integration, step and trigger; samples come by --example', async () => {
    for (const { id, steps, triggers } of await Promise.all(
      integrationIds.map((integrationId) => json(['describe', integrationId], place)),
    )) {
      for (const what of [[], ...[...steps, ...triggers].map((definition: { id: string }) => [definition.id])]) {
        const { out } = await command(['describe', id, ...what], place)
        expect(out.trimEnd().split('\n').length, `lines of describe ${id} ${what}`).toBeLessThanOrEqual(48)
        expect(out).not.toContain('{\n')
      }
    }
    expect((await command(['describe', 'work-board', 'create-card', '--example'], place)).out).toMatch(
      /with the input\n {2}\{\n/,
    )
    expect((await command(['describe', 'work-board', '--example'], place)).code).toBe(2)
  })
})

it('a reason goes on below itself instead of being cut', () => {
  const reason =
    'The provider gave it up after 30 failures; the newest was answered with 500 Internal Server Error by the proxy.'
  const lines = table(['hook', 'reason'], [['board:1', reason]], 50, '', { whole: true }).split('\n')
  expect(
    lines
      .slice(1)
      .map((line) => line.slice(9))
      .join(' '),
  ).toBe(reason)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(50)
})

it('puts a space after the longest name of a record', () => {
  const lines: string[] = []
  const print = (pairs: { [name: string]: string }) => printPairs({ out: (text) => lines.push(text) }, 17, pairs)
  print({ 'default container': 'board', state: 'connected' })
  print({ state: 'connected' })
  expect(lines).toEqual(['default container board\n', 'state             connected\n', 'state            connected\n'])
})
