import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createCausation } from '../../shared/runtime/triggers/index.ts'
import { writtenKeys } from '../../shared/runtime/triggers/inbound/object-keys.ts'
import { caller, me, openTriggerWorld, ourApp, settle, someoneElse, subscribe, tenant } from './world.ts'
import type { TriggerWorld } from './world.ts'

let world: TriggerWorld
let board: string
let list: string
let card: string
let instance: string
beforeEach(async () => {
  world = await openTriggerWorld()
  board = world.board.addBoard('Launch plan')
  list = world.board.addList('Ideas')
  card = world.board.addCard(board, list, 'One', { member: someoneElse }).data.card.id as string
  instance = await world.store.instance()
  world.clock.advance(60_000)
})
afterEach(() => world.close())

const own = () => world.own
const starts = async () => (await world.store.starts.list(tenant, { limit: 100 })).items
/** What a run of ours does: it says that it begins, writes, is answered, and the board tells of it. */
const write = (runId: string, startId: string | null, text = 'done') => {
  own().began(tenant, runId, startId)
  const action = world.board.comment(card, text, { member: me, app: ourApp, mark: own().correlationIdOf(runId) })
  own().wrote({
    tenant,
    integration: 'work-board',
    method: 'POST',
    connection: 'con_1',
    runId,
    step: 'add-comment-to-card',
    startId,
    path: `/1/cards/${card}/actions/comments`,
    body: { text },
    reply: { id: action.id },
  })
  return action
}
const comments = (options: Record<string, unknown> = {}) =>
  subscribe(world, 'new-comment-added-to-card', { boards: [board] }, { options })

describe('our own events', () => {
  test('start nothing by default; those of a person at the same account do', async () => {
    await comments()
    world.clock.advance(1000)
    write('run-1', null)
    const byHand = world.board.comment(card, 'by hand', { member: me })
    await settle(world)
    expect(world.called.map(({ data }) => data.id)).toEqual([byHand.id])
    expect(
      (await world.triggers.events.list(caller, { limit: 9 })).items.map(({ causedByUs, runId }) => [
        causedByUs,
        runId,
      ]),
    ).toEqual(
      expect.arrayContaining([
        [true, 'run-1'],
        [false, null],
      ]),
    )
  })

  test('an agent that answers every comment with a comment is stopped after three starts', async () => {
    await comments({ ownEvents: true })
    world.clock.advance(1000)
    world.agent.answer = ({ body }) => {
      write(`run-${world.called.length}`, (JSON.parse(body) as { data: { start: string } }).data.start)
      return { status: 200, headers: {}, message: '' }
    }
    world.board.comment(card, 'begin', { member: someoneElse })
    for (let n = 0; n < 20; n += 1) {
      await settle(world)
      world.clock.advance(1000)
    }
    expect(world.called.map(({ data }) => data.depth)).toEqual([0, 1, 2])
    expect(world.called.map(({ data }) => data.causedByUs)).toEqual([false, true, true])
  })

  test('also when the agent does not say which start its runs belong to', async () => {
    await comments({ ownEvents: true })
    world.clock.advance(1000)
    world.agent.answer = () => {
      write(`run-${world.called.length}`, null)
      return { status: 200, headers: {}, message: '' }
    }
    world.board.comment(card, 'begin', { member: someoneElse })
    for (let n = 0; n < 20; n += 1) {
      await settle(world)
      world.clock.advance(1000)
    }
    expect(world.called).toHaveLength(3)
  })

  test('the depth is known after a restart too', async () => {
    await comments({ ownEvents: true })
    world.clock.advance(1000)
    world.board.comment(card, 'begin', { member: someoneElse })
    await settle(world)
    const [start] = await starts()
    await world.store.runs.record({
      id: 'run-9',
      tenant,
      integration: 'work-board',
      step: 'add-comment-to-card',
      connection: 'con_1',
      token: null,
      startId: start!.id,
      parentId: null,
      jobId: null,
      effect: 'create',
      state: 'done',
      code: null,
      failure: null,
      attempts: 1,
      calls: 1,
      credits: 0,
      creditsEstimated: false,
      waitedMs: 0,
      refused: 0,
      exchanges: null,
      summary: null,
      createdAt: world.clock.now(),
      durationMs: 1,
    })
    world.restart()
    world.board.comment(card, 'again', { member: me, app: ourApp, mark: `toolyard-${instance}.run-9` })
    await settle(world)
    expect(world.called.at(-1)?.data).toMatchObject({ causedByUs: true, depth: 1 })
  })
})

describe('found in the history, without a mark', () => {
  const recover = async (id: string) => {
    await world.triggers.subscriptions.recover(caller, id)
    return Object.fromEntries(
      (await world.triggers.events.list(caller, { limit: 99 })).items.map((event) => [
        event.id,
        [event.causedByUs, event.runId],
      ]),
    )
  }

  test("our own are known by what our runs wrote, a person's by the missing app, others' stay open", async () => {
    const { id } = await comments()
    world.clock.advance(1000)
    const ours = write('run-1', null)
    const person = world.board.comment(card, 'by hand', { member: me })
    const otherMember = world.board.comment(card, 'another member through our app', {
      member: someoneElse,
      app: ourApp,
    })
    world.clock.advance(10 * 60_000)
    const tool = world.board.comment(card, 'another tool', { member: me, app: 'd'.repeat(24) })
    world.board.deliveries.splice(0)
    const causesById = await recover(id)
    expect(causesById).toMatchObject({
      [ours.id]: [true, 'run-1'],
      [person.id]: [false, null],
      [otherMember.id]: [false, null],
      [tool.id]: ['unknown', null],
    })
    await settle(world)
    expect(world.called.map(({ data }) => data.id).sort()).toEqual([person.id, otherMember.id, tool.id].sort())
  })

  test('what a delivery said of the cause is not forgotten when it is listed', async () => {
    const { id } = await comments({ ownEvents: true })
    world.clock.advance(1000)
    const action = world.board.comment(card, 'x', { member: me, app: ourApp, mark: own().correlationIdOf('run-5') })
    await settle(world)
    expect((await recover(id))[action.id]).toEqual([true, 'run-5'])
  })
})

describe('where no mark comes back', () => {
  /** A write of ours that the provider tells of without our mark. */
  const unmarked = (runId: string, startId: string | null = null) => {
    own().began(tenant, runId, startId)
    const action = world.board.comment(card, runId, { member: me, app: ourApp })
    const path = `/1/cards/${card}/actions/comments`
    own().wrote({
      integration: 'work-board',
      method: 'POST',
      tenant,
      connection: 'con_1',
      runId,
      step: 'add-comment-to-card',
      startId,
      path,
      body: { text: runId },
      reply: { id: action.id },
    })
    return action
  }
  const causes = async () =>
    Object.fromEntries(
      (await world.triggers.events.list(caller, { limit: 99 })).items.map((event) => [
        event.id,
        [event.causedByUs, event.runId],
      ]),
    )

  test('our own are known by account, object and time; what another tool did with the same account stays open and starts', async () => {
    await comments()
    world.clock.advance(1000)
    const ours = unmarked('run-1')
    const person = world.board.comment(card, 'by hand', { member: me })
    const stranger = world.board.comment(card, 'with an app', { member: someoneElse, app: 'd'.repeat(24) })
    world.clock.advance(10 * 60_000)
    const tool = world.board.comment(card, 'another tool', { member: me, app: 'd'.repeat(24) })
    await settle(world)
    expect(await causes()).toMatchObject({
      [ours.id]: [true, 'run-1'],
      [person.id]: [false, null],
      [stranger.id]: [false, null],
      [tool.id]: ['unknown', null],
    })
    expect(world.called.map(({ data }) => data.id).sort()).toEqual([person.id, stranger.id, tool.id].sort())
  })

  test('also by the process that comes after', async () => {
    await comments()
    world.clock.advance(1000)
    const ours = unmarked('run-1')
    await world.store.flush()
    world.restart()
    await settle(world)
    expect(await causes()).toMatchObject({ [ours.id]: [true, 'run-1'] })
    expect(world.called).toEqual([])
  })

  test('an agent that answers every comment with one is stopped all the same', async () => {
    await comments({ ownEvents: true })
    world.clock.advance(1000)
    world.agent.answer = ({ body }) => {
      unmarked(`run-${world.called.length}`, (JSON.parse(body) as { data: { start: string } }).data.start)
      return { status: 200, headers: {}, message: '' }
    }
    world.board.comment(card, 'begin', { member: someoneElse })
    for (let n = 0; n < 20; n += 1) {
      await settle(world)
      world.clock.advance(1000)
    }
    expect(world.called.map(({ data }) => data.depth)).toEqual([0, 1, 2])
  })

  test.each([
    ['start nothing by default', {}, 1],
    ['are stopped after three starts where they are asked for', { ownEvents: true }, 3],
  ])('boards that a poll finds and our runs made %s', async (_, options, started) => {
    const made: { id: string; name: string; idMemberCreator: string }[] = []
    const { answer } = world.board
    world.board.answer = async (request) =>
      request.path === '/1/members/me/boards' ? { status: 200, body: [...made] } : answer(request)
    const happen = (idMemberCreator: string) => {
      made.push({ id: world.board.newId(), name: 'A board', idMemberCreator })
      return made.at(-1)!
    }
    await subscribe(world, 'new-board', {}, { options })
    world.agent.answer = () => {
      const runId = `run-${world.called.length}`
      own().began(tenant, runId, null)
      own().wrote({
        integration: 'work-board',
        method: 'POST',
        tenant,
        connection: 'con_1',
        runId,
        step: 'api-call',
        startId: null,
        path: '/1/boards',
        body: { name: 'A board' },
        reply: happen(me),
      })
      return { status: 200, headers: {}, message: '' }
    }
    const scan = async () => {
      world.clock.advance(70_000)
      await world.triggers.ticks.scans()
      await settle(world)
    }
    await scan()
    const first = happen(someoneElse)
    for (let n = 0; n < 8; n += 1) await scan()
    expect(world.called[0]!.data).toMatchObject({ event: { board: { id: first.id } }, causedByUs: false, depth: 0 })
    expect(world.called).toHaveLength(started)
    expect(await causes()).toMatchObject({ [`board:${made[1]!.id}`]: [true, 'run-1'] })
  })
})

describe('ids that are short or numbers', () => {
  const at = () => new Date(world.clock.now()).toISOString()
  const buildQuery = (event: object) => ({
    tenant,
    connection: 'con_1',
    account: me,
    event: { at: at(), objects: [], actor: { id: me }, app: ourApp, ...event },
  })
  const commented = () =>
    own().wrote({
      tenant,
      integration: 'work-board',
      method: 'POST',
      connection: 'con_1',
      runId: 'run-7',
      step: 'comment',
      startId: null,
      path: '/v3/issues/7/comments',
      body: { projectId: 12, label_id: 'ab', text: 'x' },
      reply: { id: 345_678_901 },
    })

  test('are known with their kind, and not by a part of either', async () => {
    await comments()
    commented()
    const caused = async (event: object) => (await own().ofDelivery(buildQuery(event), undefined)).causedByUs
    const refs = (...names: string[]) => names.map((name) => ({ kind: name.split(':')[0]!, id: name.split(':')[1]! }))
    for (const objects of [refs('comment:345678901'), refs('thing:x', 'issue:7'), refs('project:12'), refs('label:ab')])
      expect([objects, await caused({ objects })]).toEqual([objects, true])
    for (const objects of [
      refs('thing:7'),
      refs('comment:7'),
      refs('issue:77'),
      refs('issue:1'),
      refs('comment:34567890'),
      refs('issue:345678901'),
    ])
      expect([objects, await caused({ objects })]).toEqual([objects, 'unknown'])
  })

  test('likewise in what was listed', async () => {
    await comments()
    commented()
    await world.store.flush()
    expect(await own().ofListed(buildQuery({ objects: [{ kind: 'issue', id: '7' }] }))).toEqual({
      causedByUs: true,
      runId: 'run-7',
    })
    expect(
      await own().ofListed(
        buildQuery({
          objects: [
            { kind: 'comment', id: '7' },
            { kind: 'thing', id: '7' },
          ],
        }),
      ),
    ).toMatchObject({ causedByUs: 'unknown' })
  })
})

test('objects of a write: its path, its ids and its answer', () => {
  expect(
    writtenKeys({
      path: '/1/cards/68e4c1a0000000000000001f/idLabels',
      body: { value: 'x', idMember: '68e4c1a0000000000000002f', name: 'abc123def' },
      reply: { id: '68e4c1a0000000000000003f' },
    }).sort(),
  ).toEqual(['68e4c1a0000000000000001f', '68e4c1a0000000000000002f', '68e4c1a0000000000000003f', 'idLabels'].sort())
  expect(writtenKeys({ path: '/1/cards', body: undefined, reply: null })).toEqual([])
})

test('a mark of another installation is not ours', async () => {
  const other = createCausation({ store: world.store, clock: world.clock, log: () => {}, instance: 'abc' })
  const query = {
    tenant: 't',
    connection: 'c',
    event: { at: new Date(world.clock.now()).toISOString(), objects: [], app: ourApp },
    account: me,
  }
  for (const mark of ['toolyard-abcd.run', 'toolyard-ab', 'toolyard', 'x toolyard-abc.run'])
    expect(await other.ofDelivery(query, mark)).toMatchObject({ causedByUs: false })
  // Without any it cannot be told, until it is known that marks come back.
  for (const mark of ['', undefined])
    expect(await other.ofDelivery(query, mark)).toMatchObject({ causedByUs: 'unknown' })
  expect(await other.ofDelivery(query, 'toolyard-abc.run')).toEqual({ causedByUs: true, runId: 'run' })
  expect(await other.ofDelivery(query, undefined)).toMatchObject({ causedByUs: false })
})
