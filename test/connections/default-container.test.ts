/** The container of a connection for steps, triggers and forms that are given none. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Failure, Outcome } from '../../shared/kit/index.ts'
import { attach, openAgentWorld, until } from '../support/agent-world.ts'
import type { AgentWorld } from '../support/agent-world.ts'
import { caller } from '../support/world.ts'

let world: AgentWorld
let connection: string
let first: { id: string; shortLink: string }
let second: { id: string; shortLink: string }
beforeAll(async () => {
  world = await openAgentWorld()
  connection = (await world.pack.connections.list(caller))[0]!.id
  const open = [...world.sandbox.state.boards.values()].filter(
    ({ id, closed }) => !closed && [...world.sandbox.state.lists.values()].some(({ idBoard }) => idBoard === id),
  )
  first = open[0]!
  second = open[1]!
})
afterAll(() => world.close())
beforeEach(async () => {
  await world.pack.connections.patch(caller, connection, { policy: null, defaultContainer: null })
})

const change = (changes: object) => world.pack.connections.patch(caller, connection, changes)
const run = (step: string, input: object, more: object = {}) =>
  world.pack.steps.run(caller, { integration: 'work-board', step, input, ...more })
const boardsOf = (outcome: Outcome) => {
  if (!outcome.ok) throw new Error(outcome.failure.message)
  const { lists } = outcome.value as { lists: { idBoard: string }[] }
  return [...new Set(lists.map(({ idBoard }) => idBoard))]
}
const failureOf = async (outcome: Promise<unknown>) =>
  outcome.then(
    () => undefined,
    ({ code, message, details }: Failure) => ({ code, message, pointer: details.errors?.[0]?.pointer }),
  )

describe('the default container of a connection', () => {
  it('is kept by id, however it was named, and can be removed', async () => {
    const { defaultContainer } = await change({ defaultContainer: `https://trello.com/b/${first.shortLink}/name` })
    expect(defaultContainer).toBe(first.id)
    expect((await change({ name: 'Another name' })).defaultContainer).toBe(first.id)
    expect((await change({ defaultContainer: null })).defaultContainer).toBeNull()
  })

  it.each([
    ['is no board', () => ({ defaultContainer: 'x y' }), /"x y"/],
    ['does not exist', () => ({ defaultContainer: 'f'.repeat(24) }), /There is no board/],
    [
      'lies outside the limits',
      () => ({ policy: { boards: [second.id] }, defaultContainer: first.id }),
      /does not allow/,
    ],
  ])('is refused where it %s, and nothing is stored', async (_, changes, message) => {
    const failure = await failureOf(change(changes()))
    expect(failure).toMatchObject({ code: 'invalid_input', pointer: '/defaultContainer' })
    expect(failure!.message).toMatch(message)
    const { defaultContainer, policy } = await world.pack.connections.get(caller, connection)
    expect([defaultContainer, policy]).toEqual([null, null])
  })

  it('leaves everything as it was where it is refused, also for the next run', async () => {
    await change({ policy: { boards: [second.id] } })
    const refused = { policy: null, defaultContainer: 'f'.repeat(24) }
    expect(await failureOf(change(refused))).toMatchObject({ code: 'invalid_input' })
    expect(await run('get-lists', { idBoard: first.id })).toMatchObject({ ok: false, failure: { code: 'not_allowed' } })
    const { key, token } = world.sandbox.credentials
    const withSecrets = { secrets: { key, token }, defaultContainer: 'f'.repeat(24) }
    expect(await failureOf(change(withSecrets))).toMatchObject({ pointer: '/defaultContainer' })
    expect((await world.pack.connections.get(caller, connection)).policy).toMatchObject({ scopes: [second.id] })
  })

  it('is looked up with the secrets that come with it', async () => {
    const { key, token } = world.sandbox.credentials
    expect(await change({ secrets: { key, token }, defaultContainer: first.id })).toMatchObject({
      defaultContainer: first.id,
    })
    const wrong = { secrets: { key, token: '0'.repeat(64) }, defaultContainer: first.id }
    expect((await failureOf(change(wrong)))?.code).not.toBeUndefined()
    expect(boardsOf(await run('get-lists', {}))).toEqual([first.id])
  })

  it('is not changed by a token that is bound to connections', async () => {
    const bound = { ...caller, connections: [connection] }
    const changing = world.pack.connections.patch(bound, connection, { defaultContainer: first.id })
    expect(await failureOf(changing)).toMatchObject({ code: 'not_allowed', pointer: '/defaultContainer' })
  })

  it('is where a step works that is given none', async () => {
    await change({ defaultContainer: first.id })
    expect(boardsOf(await run('get-lists', {}))).toEqual([first.id])
    expect(boardsOf(await run('get-lists', { idBoard: second.id }))).toEqual([second.id])
    const dry = await run('create-list', { name: 'New' }, { dryRun: true })
    expect(dry).toMatchObject({ ok: true })
    expect(JSON.stringify(dry)).toContain(first.id)
  })

  it('is asked for where there is none', async () => {
    const outcome = await run('get-lists', {})
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'invalid_input', errors: [{ pointer: '/idBoard' }] } })
    expect(outcome.ok ? '' : outcome.failure.message).toContain('defaultContainer')
  })

  it('is not used by steps that delete or close', async () => {
    await change({ defaultContainer: first.id })
    for (const step of ['close-board', 'delete-board'])
      expect(await run(step, {})).toMatchObject({ ok: false, failure: { code: 'invalid_input' } })
  })

  it('belongs to a request under a key: under another default the key is refused, and nothing is made twice', async () => {
    await change({ defaultContainer: first.id })
    const once = await run('create-list', { name: 'Once' }, { idempotencyKey: 'default-list' })
    await change({ defaultContainer: second.id })
    const again = await run('create-list', { name: 'Once' }, { idempotencyKey: 'default-list' })
    expect(once).toMatchObject({ ok: true, value: { idBoard: first.id } })
    expect(again).toMatchObject({ ok: false, failure: { code: 'conflict' } })
    const named = [...world.sandbox.state.lists.values()].filter(({ name }) => name === 'Once')
    expect(named).toHaveLength(1)
  })

  it('fills the choices of a form', async () => {
    await change({ defaultContainer: first.id })
    const call = { integration: 'work-board', step: 'create-card', field: 'idLabels' }
    const { options } = await world.pack.steps.options(caller, call)
    const labels = [...world.sandbox.state.labels.values()].filter(({ idBoard }) => idBoard === first.id)
    expect(options.map(({ value }) => value).toSorted()).toEqual(labels.map(({ id }) => id).toSorted())
    // What the form already has decides the board before the default does.
    const list = [...world.sandbox.state.lists.values()].find(
      ({ idBoard, closed }) => idBoard === second.id && !closed,
    )!
    const there = await world.pack.steps.options(caller, { ...call, values: { idList: list.id } })
    const theirs = [...world.sandbox.state.labels.values()].filter(({ idBoard }) => idBoard === second.id)
    expect(there.options.map(({ value }) => value).toSorted()).toEqual(theirs.map(({ id }) => id).toSorted())
    const card = [...world.sandbox.state.cards.values()].find(({ idBoard }) => idBoard === second.id)!
    const values = { fromBoard: second.id, idCard: card.id }
    const moving = { integration: 'work-board', step: 'move-card', field: 'idList', values }
    const { options: places } = await world.pack.steps.options(caller, moving)
    const ofBoard = (id: string) => world.sandbox.state.lists.get(id)!.idBoard
    expect(new Set(places.map(({ value }) => ofBoard(value)))).toEqual(new Set([second.id]))
    await change({ defaultContainer: null })
    expect(await failureOf(world.pack.steps.options(caller, call))).toMatchObject({ pointer: '/values/idBoard' })
  })

  it('is watched by a subscription that is given none, and stays so', async () => {
    expect(await failureOf(attach(world, 'new-list', {}))).toMatchObject({ code: 'invalid_input', pointer: '/boards' })
    await change({ defaultContainer: first.id })
    const { id } = await attach(world, 'new-list', {})
    await change({ defaultContainer: second.id })
    expect((await world.pack.subscriptions.get(caller, id)).config).toMatchObject({ boards: [first.id] })
  })

  it('gives way to the board of the event that started the agent', async () => {
    await change({ defaultContainer: second.id })
    await attach(world, 'new-card', { boards: [first.id] })
    const list = [...world.sandbox.state.lists.values()].find(({ idBoard, closed }) => idBoard === first.id && !closed)!
    const member = [...world.sandbox.state.members.values()][0]!
    world.sandbox.control.createCard({ by: member.username, idList: list.id, name: 'Look here' })
    await until('the start', () => world.agent.taken.length > 0)
    const startId = world.agent.taken[0]!.id
    expect(boardsOf(await run('get-lists', {}, { startId }))).toEqual([first.id])
    expect(boardsOf(await run('get-lists', {}, { startId: 'of-nobody' }))).toEqual([second.id])
  })
})
