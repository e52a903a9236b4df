import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failures } from '../../shared/kit/index.ts'
import { findIds } from '../sandbox/board-client.ts'
import type { Found } from '../sandbox/board-client.ts'
import { startAgent, until } from '../support/agent-world.ts'
import type { AgentServer } from '../support/agent-world.ts'
import { openHttpWorld } from '../support/http-world.ts'
import type { HttpWorld } from '../support/http-world.ts'
import { linesOver } from '../support/command-line.ts'
import type { Place } from '../support/command-line.ts'

let agent: AgentServer
let face: HttpWorld
let ids: Found
let address: string
let lines: ReturnType<typeof linesOver>
beforeAll(async () => {
  agent = await startAgent()
  face = await openHttpWorld({ agentOrigins: [agent.origin], egress: { loopbackAgents: true } })
  const { key, appSecret } = face.sandbox.board.credentials
  await face.pack.apps.put({ tenant: 'default' }, 'work-board', { key, secret: appSecret })
  ids = findIds(face.sandbox.board)
  address = await face.listen()
  lines = linesOver(face)
  await face.pack.start()
})
afterAll(async () => {
  await face.close()
  await agent.close()
})

/** A command line that is still running, over the pack itself or over its server. */
const begin = (argv: string[], place: Place) => lines.begin(argv, place)
const command = (argv: string[], place: Place) => lines.command(argv, place)
const json = (argv: string[], place: Place) => lines.json(argv, place)

const by = 'odettequill'
const tick = () => new Promise((resolve) => setTimeout(resolve, 5))
const attach = async (path: string, ...more: string[]) => {
  const made = await json(
    ['subscribe', 'work-board', 'new-card', '-f', `boards=${ids.board}`, '--agent', agent.origin + path, ...more],
    'remote',
  )
  agent.secrets.set(path, made.agent.secret)
  await tick()
  return made as { id: string }
}
const at = (path: string) => agent.taken.filter((delivery) => delivery.path === path)

describe('subscribe', () => {
  it('attaches, and says what to do with the secret', async () => {
    const { code, out, err } = await command(
      [
        'subscribe',
        'work-board',
        'card-moved',
        `{"boards":["${ids.board}"]}`,
        '-a',
        `${agent.origin}/said`,
        '--settle',
        '60',
        '--label',
        'team:blue',
        '--agent-id',
        'a1',
      ],
      'remote',
    )
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^Card Moved is attached: sub_[\w-]+, instant, by webhook\.$/m)
    expect(out).toMatch(/^ {2}Signed with whsec_\S+ \(shown only once; Standard Webhooks\)$/m)
    const id = /sub_[\w-]+/.exec(out)![0]
    expect(await json(['subscriptions', 'show', id], 'remote')).toMatchObject({
      options: { settleMs: 60_000 },
      labels: { team: 'blue' },
      agent: { id: 'a1', url: `${agent.origin}/said` },
    })
    expect(await command(['subscriptions', 'remove', id], 'remote')).toMatchObject({
      code: 0,
      out: `Subscription ${id} is detached.\n`,
    })
  })

  it('is the agent itself with --watch: prints each start once, and detaches at Ctrl-C', async () => {
    const going = await begin(
      ['subscribe', 'work-board', 'card-moved', '-f', `boards=${ids.board}`, '--watch'],
      'remote',
    )
    await until('it to be attached', () => going.err.includes('Waiting'))
    const id = /sub_[\w-]+/.exec(going.err)![0]
    await tick()
    const { url } = (await json(['subscriptions', 'show', id], 'remote')).agent
    expect(
      (
        await fetch(url, {
          method: 'POST',
          body: '{"type":"forged"}',
          headers: {
            'webhook-id': 'x',
            'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
            'webhook-signature': 'v1,AAAA',
          },
        })
      ).status,
    ).toBe(401)
    face.sandbox.board.control.moveCard({ by, idCard: ids.card('Press kit'), idList: ids.list('Done') })
    await until('a line', () => going.out.includes('\n'))
    const done = async () => (await json(['starts', '-s', id, '--state', 'done'], 'remote')).items
    await until('its end', async () => (await done()).length === 1)
    const [start] = await done()
    // The same start again under its key is answered and not told twice.
    expect((await command(['starts', 'replay', start.id], 'remote')).code).toBe(0)
    await until('the repeat', async () => (await done())[0]?.endedAt > start.endedAt)
    going.interrupt()
    expect(await going.code).toBe(0)
    expect(going.out).toMatch(
      /^\d\d:\d\d:\d\d Odette Quill moved Press kit from \S.* to Done {2}\(Card Moved, webhook, start [0-9a-f]{12}…\)\n$/,
    )
    expect(going.err).toMatch(/not signed[\s\S]*Detached after 1 start\.\n$/)
    expect((await command(['subscriptions', 'show', id], 'remote')).code).toBe(failures.not_found.exit)
  })

  it('ends after --count starts, as JSON where wanted', async () => {
    const going = await begin(
      ['subscribe', 'work-board', 'new-card', '-f', `boards=${ids.board}`, '--watch', '--count', '2', '--json'],
      'remote',
    )
    await until('it to be attached', () => going.err.includes('Waiting'))
    await tick()
    const names = ['One', 'Two'].map(
      (name) => face.sandbox.board.control.createCard({ by, idList: ids.list('Ideas'), name }).name,
    )
    expect(await going.code).toBe(0)
    const starts = going.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(starts.map(({ type, data: { event } }) => [type, event.card.name]).sort()).toEqual(
      names.map((name) => ['work-board.new-card', name]).sort(),
    )
  })

  const boards = () => ['-f', `boards=${ids.board}`]
  const failing: [string, () => string[], keyof typeof failures, RegExp][] = [
    ['no agent', () => ['card-moved', ...boards()], 'invalid_input', /--agent <url>, or --watch/],
    [
      'an agent and --watch',
      () => ['card-moved', ...boards(), '--watch', '--agent', 'https://a.example'],
      'invalid_input',
      /Use either/,
    ],
    ['an unknown trigger', () => ['card-flown', '--watch'], 'not_found', /no trigger "card-flown". It has: new-card,/],
    ['no boards', () => ['card-moved', '--watch'], 'invalid_input', /boards/],
    ['a config given twice', () => ['card-moved', '{}', '--input', '{}', '--watch'], 'invalid_input', /twice/],
    [
      'a quiet period of no length',
      () => ['card-moved', ...boards(), '--watch', '--settle', 'long'],
      'invalid_input',
      /--settle takes a number from 1/,
    ],
    [
      'a port that is none',
      () => ['card-moved', ...boards(), '--watch', '--port', '70000'],
      'invalid_input',
      /--port takes a number from 0 to 65535/,
    ],
    [
      'a port in use',
      () => ['card-moved', ...boards(), '--watch', '--port', new URL(address).port],
      'unavailable',
      /Cannot listen on port \d+/,
    ],
    [
      'a label that is none',
      () => ['card-moved', ...boards(), '--agent', `${agent.origin}/x`, '--label', 'blue'],
      'invalid_input',
      /name:value/,
    ],
    [
      'an agent inside the network',
      () => ['card-moved', ...boards(), '--agent', 'http://10.0.0.1/x'],
      'not_allowed',
      /--agent .*TOOLYARD_AGENT_ORIGINS/,
    ],
    [
      'a delivery that is none',
      () => ['card-moved', ...boards(), '--watch', '--delivery', 'pigeon'],
      'invalid_input',
      /Allowed choices are webhook, poll/,
    ],
    [
      'a board that is not there',
      () => ['card-moved', '-f', `boards=${'f'.repeat(24)}`, '--watch'],
      'not_found',
      /"boards" \("f{24}"\).* options of that field/,
    ],
  ]
  it.each(failing)('refuses %s', async (_what, line, code, said) => {
    const before = (await json(['subscriptions'], 'remote')).items.length
    const done = await command(['subscribe', 'work-board', ...line()], 'remote')
    expect([done.code, done.out], done.err).toEqual([failures[code].exit, ''])
    expect(done.err).toMatch(said)
    expect((await json(['subscriptions'], 'remote')).items).toHaveLength(before)
  })

  it('says that a server is needed where none runs, and which origin to list where it may not send here', async () => {
    expect(
      await command(['subscribe', 'work-board', 'card-moved', ...boards(), '--agent', `${agent.origin}/x`], 'embedded'),
    ).toMatchObject({
      code: failures.unavailable.exit,
      err: expect.stringContaining('needs a running server'),
    })
    const create = face.pack.subscriptions.create
    face.pack.subscriptions.create = async (caller, request) =>
      create(caller, { ...request, agent: { url: 'http://localhost:1/start' } })
    try {
      const { code, err } = await command(['subscribe', 'work-board', 'card-moved', ...boards(), '--watch'], 'remote')
      expect([code, err]).toEqual([
        failures.not_allowed.exit,
        expect.stringMatching(/TOOLYARD_AGENT_ORIGINS=http:\/\/127\.0\.0\.1:(\d+) and give --port \1/),
      ])
    } finally {
      face.pack.subscriptions.create = create
    }
  })
})

describe.each<Place>(['embedded', 'remote'])('%s', (place) => {
  it('tests the address of an agent, before and after it is attached', async () => {
    const { id } = await attach(`/tested-${place}`)
    const there = await command(['agents', 'test', '--subscription', id.slice(0, -2)], place)
    expect([there.code, there.out], there.err).toEqual([
      0,
      expect.stringMatching(/^The agent answered 200 in \d+ ms\..*secret of the subscription/),
    ])
    expect(at(`/tested-${place}`)).toMatchObject([
      { genuine: true, start: { type: 'agent.test', data: { test: true } } },
    ])
    agent.answer.status = ({ path }) => (path === '/strict' ? 401 : 200)
    const refused = await command(['agents', 'test', `${agent.origin}/strict`], place)
    expect([refused.code, refused.out]).toEqual([
      failures.rejected.exit,
      expect.stringMatching(/answered 401.*\n.*secret made for this test/),
    ])
    expect(
      JSON.parse((await command(['agents', 'test', `${agent.origin}/strict`, '--json'], place)).out),
    ).toMatchObject({ ok: false, status: 401 })
    agent.answer.status = () => 200
    expect(await command(['agents', 'test'], place)).toMatchObject({ code: failures.invalid_input.exit, out: '' })
    expect((await command(['agents', 'test', 'https://10.0.0.8/'], place)).code).toBe(failures.not_allowed.exit)
    await command(['subscriptions', 'remove', id], place)
  })

  it('lists subscriptions, events, starts, hooks and gaps as tables that fit, and as JSON', async () => {
    const { id } = await attach(`/${place}`)
    const card = face.sandbox.board.control.createCard({ by, idList: ids.list('Ideas'), name: `By ${place}` })
    await until('the start', () => at(`/${place}`).length === 1)
    await until('its end', async () => (await json(['starts', '-s', id, '--state', 'done'], place)).items.length === 1)
    const [start] = (await json(['starts', '-s', id], place)).items
    const tables: [string[], RegExp][] = [
      [['subscriptions'], new RegExp(`^${id} +new-card +active +instant +\\d{4}-`, 'm')],
      [['subscriptions', '--trigger', 'new-card', '--state', 'active'], new RegExp(`^${id} `, 'm')],
      [
        ['events', '--card', card.id],
        new RegExp(
          `^Odette Quill created the card By ${place} in Ideas +${start.event} +createCard +\\S+ \\S+ +webhook *$`,
          'm',
        ),
      ],
      [['starts', '-s', id], new RegExp(` ${start.id} .*done +1 +`, 'm')],
      [['hooks'], new RegExp(`^board:${ids.board} +active +0 `, 'm')],
    ]
    for (const [line, row] of tables) {
      const { code, out } = await command(line, place)
      expect([code, out]).toEqual([0, expect.stringMatching(row)])
      // Ids and addresses are never cut, so that they can be copied; beside them, what happened has 60 characters.
      for (const text of out.trimEnd().split('\n'))
        expect(text.replace(/http\S+$/, '').length).toBeLessThanOrEqual(line[0] === 'hooks' ? 130 : 190)
    }
    expect(await command(['gaps'], place)).toMatchObject({ code: 0, out: 'There are no gaps.\n' })
    expect(await json(['events', 'show', start.event], place)).toMatchObject({
      id: start.event,
      raw: { type: 'createCard' },
      starts: [{ id: start.id }],
    })
    expect(await json(['starts', 'show', start.id], place)).toMatchObject({
      id: start.id,
      data: { card: { id: card.id } },
    })
    const more = await command(['events', '-n', '1'], place)
    const cursor = /--cursor (\S+)/.exec(more.err)![1]!
    expect((await json(['events', '-n', '1', '--cursor', cursor], place)).items[0].id).not.toBe(
      / ([0-9a-f]{24}) /.exec(more.out.split('\n')[1]!)![1],
    )
    await command(['subscriptions', 'remove', id], place)
  })

  it('pauses, resumes, tries out, recovers and removes', async () => {
    const path = `/verbs-${place}`
    const { id } = await attach(path)
    expect((await command(['subscriptions', 'pause', id], place)).out).toMatch(
      /^state +paused: It was paused by hand\.$/m,
    )
    expect((await command(['subscriptions', 'resume', id], place)).out).toMatch(/^state +active$/m)
    expect(await json(['subscriptions', 'sample', id], place)).toMatchObject({
      from: 'history',
      start: { data: { test: true } },
    })
    const tested = await command(['subscriptions', 'test', id], place)
    expect(tested.out).toMatch(
      place === 'embedded' ? /marked as a test\. It is sent when a server runs\.\n$/ : /marked as a test\.\n$/,
    )
    await until('the test', () => at(path).some(({ start }) => start.data.test === true))
    expect((await command(['subscriptions', 'recover', id], place)).out).toMatch(
      /^New events: \d+, starts: 0, gaps: 0\.\n$/,
    )
    for (const _ of [1, 2]) expect((await command(['subscriptions', 'remove', id], place)).code).toBe(0)
  })

  it('sends dead starts again, one or all of a subscription', async () => {
    const path = `/dead-${place}`
    const { id } = await attach(path)
    agent.answer.status = (taken) => (taken.path === path ? 400 : 200)
    face.sandbox.board.control.createCard({ by, idList: ids.list('Ideas'), name: 'Refused' })
    const dead = async () => (await json(['starts', '--state', 'dead', '-s', id], place)).items
    await until('a dead letter', async () => (await dead()).length === 1)
    agent.answer.status = () => 200
    const [start] = await dead()
    expect((await command(['starts', 'replay', '-s', id], place)).out).toMatch(/^Starts sent again: 1\./)
    await until('it to be done', async () => (await json(['starts', 'show', start.id], place)).state === 'done')
    expect((await command(['starts', 'replay', start.id, '--force'], place)).out).toMatch(
      /is sent again with a new key/,
    )
    await until('the new one', () => new Set(at(path).map((delivery) => delivery.id)).size === 2)
    expect((await command(['events', 'replay', start.event], place)).out).toMatch(/^Starts sent again: \d/)
    await command(['subscriptions', 'remove', id], place)
  })

  it('describes a trigger', async () => {
    const { out } = await command(['describe', 'work-board', 'card-moved'], place)
    for (const said of [
      'Card Moved (work-board card-moved), instant, or polling',
      'boards  ',
      'toolyard subscribe work-board card-moved -f boards=<boards> --watch',
    ])
      expect(out).toContain(said)
    expect((await command(['describe', 'work-board', 'card-moved', '--example'], place)).out).toContain(
      '"acrossBoards"',
    )
    expect((await command(['list'], place)).out).toMatch(/^ {2}new-label-created +instant only +/m)
    expect(await json(['describe', 'work-board', 'new-notification'], place)).toMatchObject({
      id: 'new-notification',
      instant: false,
    })
  })

  const failing: [string[], keyof typeof failures, RegExp][] = [
    [['subscriptions', 'show', 'sub_none'], 'not_found', /no subscription "sub_none"/],
    [['subscriptions', 'remove', 'sub_none'], 'not_found', /sub_none/],
    [['subscriptions', '--limit', '0'], 'invalid_input', /--limit takes a number from 1 to 200/],
    [['subscriptions', '--state', 'asleep'], 'invalid_input', /Allowed choices are pending/],
    [['events', 'show', 'none'], 'not_found', /no event "none"/],
    [['events', '--cursor', 'bm90aGluZw'], 'invalid_input', /cursor/],
    [['starts', 'show', 'none'], 'not_found', /no start "none"/],
    [['starts', '--state', 'asleep'], 'invalid_input', /Allowed choices/],
    [['starts', 'replay'], 'invalid_input', /Give the id of a start, or --subscription/],
    [['starts', 'replay', 'x', '-s', 'y'], 'invalid_input', /Give the id of a start, or --subscription/],
    [['starts', 'replay', '-s', 'sub_none'], 'not_found', /sub_none/],
    [['starts', 'replay', '-s', 'sub_none', '--state', 'done'], 'invalid_input', /dead or missed/],
  ]
  it.each(failing)('%j exits by the table for %s', async (line, code, said) => {
    const done = await command(line, place)
    expect([done.code, done.out], done.err).toEqual([failures[code].exit, ''])
    expect(done.err).toMatch(said)
  })

  it('takes every hook away before it is uninstalled', async () => {
    const { id } = await attach(`/prune-${place}`)
    expect((await command(['hooks', 'prune'], place)).out).toMatch(/^Webhooks removed: 1\. Subscriptions paused: 1;/)
    expect(face.sandbox.board.state.webhooks.size).toBe(0)
    await command(['subscriptions', 'remove', id], place)
  })
})
