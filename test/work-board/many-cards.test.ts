import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPack, systemClock } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { startSandbox } from '../../shared/sandbox/index.ts'
import type { Sandbox } from '../../shared/sandbox/index.ts'
import { findIds } from '../sandbox/board-client.ts'

/** The steps that change many cards, over the sandbox's board. */
const caller = { tenant: 'default' }
let sandbox: Sandbox
let pack: Pack
let ids: ReturnType<typeof findIds>
/** How long a run slept between its requests. */
let slept: number[]
/** How far the board's clock is before ours, in ms. */
let ahead = 0

const open = async (wire: Record<string, unknown> = {}) => {
  slept = []
  pack = await createPack({
    random: () => 0,
    clock: {
      ...systemClock,
      sleep: (ms, signal) => {
        slept.push(ms)
        return systemClock.sleep(ms > 1000 ? ms : 0, signal)
      },
    },
    wire: { ...sandbox.wire, 'work-board': { ...sandbox.wire['work-board'], ...wire } },
    egress: { privateOrigins: sandbox.places.map(({ origin }) => origin) },
  })
  for (const { integration, type, name, secrets } of sandbox.accounts)
    await pack.connections.create(caller, { integration, type, name, secrets })
}
beforeEach(async () => {
  sandbox = await startSandbox({
    board: { now: () => Date.now() + ahead, limits: { token: 100_000, key: 100_000, memberRoute: 100_000 } },
  })
  ids = findIds(sandbox.board)
  await open({ pace: { limits: [], concurrency: 8 } })
})
afterEach(async () => {
  await pack.close()
  await sandbox.close()
})

const run = async (step: string, input: Record<string, unknown>, more: Record<string, unknown> = {}) => {
  const outcome = await pack.steps.run(caller, { integration: 'work-board', step, input, ...more })
  return outcome as { ok: boolean; value?: any; failure?: any; meta: any }
}
const cardsMade = (count: number) =>
  Array.from(
    { length: count },
    (_, n) => sandbox.board.control.createCard({ idList: ids.list('Ideas'), name: `Card ${n}` }).id,
  )
const writes = () => sandbox.board.control.requests().filter(({ method }) => method !== 'GET').length
const cardOf = (id: string) => sandbox.board.state.cards.get(id)!

describe('many cards', () => {
  it('are moved, labelled, assigned and archived, each with what became of it', async () => {
    const cards = cardsMade(6)
    const shortLink = cardOf(cards[0]!).shortLink
    const moved = await run('move-cards', { idCards: [shortLink, ...cards.slice(1)], idList: ids.list('Done') })
    expect(moved.value).toMatchObject({ total: 6, changed: 6, unchanged: 0, problems: [] })
    expect(moved.value.results[0]).toEqual({ id: shortLink, state: 'changed' })
    for (const id of cards) expect(cardOf(id).idList).toBe(ids.list('Done'))
    expect((await run('label-cards', { idCards: cards, idLabel: ids.label('Copy') })).value).toMatchObject({
      changed: 6,
    })
    expect((await run('label-cards', { idCards: cards, idLabel: ids.label('Copy') })).value).toMatchObject({
      changed: 0,
      unchanged: 6,
    })
    expect(
      (await run('label-cards', { idCards: cards, idLabel: ids.label('Copy'), remove: true })).value,
    ).toMatchObject({ changed: 6 })
    const idMember = sandbox.board.credentials.secondMember.id
    expect((await run('assign-cards', { idCards: cards, idMember })).value).toMatchObject({ changed: 6 })
    for (const id of cards) expect([cardOf(id).idLabels, cardOf(id).idMembers]).toEqual([[], [idMember]])
    expect((await run('archive-cards', { idCards: cards })).value).toMatchObject({ changed: 6 })
    expect((await run('archive-cards', { idCards: cards })).value).toMatchObject({ changed: 0, unchanged: 6 })
  })

  it('come from a search of a board', async () => {
    const outcome = await run('archive-cards', { idBoard: ids.board, query: 'launch' })
    expect(outcome.value).toMatchObject({ changed: 2, problems: [] })
    cardsMade(201)
    // The search lags behind.
    ahead += 60_000
    expect((await run('archive-cards', { idBoard: ids.board, query: 'Card' })).failure).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('more than 200') as string,
    })
    expect((await run('archive-cards', {})).failure).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('idCards') as string,
    })
    expect(
      (await run('archive-cards', { idCards: [ids.card('Press kit')], idBoard: ids.board, query: 'x' })).failure,
    ).toMatchObject({ code: 'invalid_input' })
  })

  it('one that fails is said so, and the others go on', async () => {
    const cards = cardsMade(4)
    const gone = cards[1]!
    sandbox.board.control.deleteCard({ idCard: gone })
    const done: number[] = []
    const moved = await run(
      'move-cards',
      { idCards: cards, idList: ids.list('Done') },
      { onProgress: (count: number) => done.push(count) },
    )
    expect(moved.value).toMatchObject({
      total: 4,
      changed: 3,
      problems: [{ id: gone, state: 'failed', reason: expect.any(String) as string }],
    })
    expect(done.at(-1)).toBe(4)
  })

  it('a lost answer of a write that is not repeated is unknown, for that card alone', async () => {
    const cards = cardsMade(3)
    sandbox.board.control.fault({
      match: { method: 'POST', path: `/1/cards/${cards[1]}/idLabels` },
      cut: 'reset',
      when: 'after',
    })
    const labelled = await run('label-cards', { idCards: cards, idLabel: ids.label('Copy') })
    expect(labelled.value).toMatchObject({ changed: 2, problems: [{ id: cards[1], state: 'unknown' }] })
    for (const id of cards) expect(cardOf(id).idLabels).toEqual([ids.label('Copy')])
  })

  it('what stops the whole run says how far it came, and the same key goes on', async () => {
    const cards = cardsMade(12)
    sandbox.board.control.fault({ match: { method: 'PUT' }, skip: 5, times: 100, answer: 'invalid token' })
    const first = await run('move-cards', { idCards: cards, idList: ids.list('Done') }, { idempotencyKey: 'k-1' })
    expect(first.failure).toMatchObject({
      code: 'not_connected',
      message: expect.stringMatching(/^\d+ of 12 cards are done\./) as string,
    })
    sandbox.board.control.clearFaults()
    await pack.close()
    await open({ pace: { limits: [], concurrency: 8 } })
    const before = writes()
    const second = await run('move-cards', { idCards: cards, idList: ids.list('Done') }, { idempotencyKey: 'k-1' })
    expect(second.value).toMatchObject({ total: 12, problems: [] })
    expect(second.value.unchanged).toBeGreaterThanOrEqual(5)
    expect(writes() - before).toBe(second.value.changed)
  })

  it('go out evenly, at half of what the account may send', async () => {
    await pack.close()
    await open()
    const cards = cardsMade(10)
    await run('archive-cards', { idCards: cards })
    // 100 in 10 s are one in 100 ms; half of that is one in 200 ms.
    const waits = slept.filter((ms) => ms > 0)
    expect(waits.length).toBeGreaterThan(10)
    expect(Math.max(...waits)).toBeGreaterThan(500)
  })
})
