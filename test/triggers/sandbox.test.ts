import { beforeEach, describe, expect, test } from 'vitest'
import { findIds } from '../sandbox/board-client.ts'
import type { Found } from '../sandbox/board-client.ts'
import { doings, doOn } from '../work-board/trigger-doings.ts'
import { attach, openAgentWorld, until } from '../support/agent-world.ts'
import type { AgentWorld } from '../support/agent-world.ts'
import { caller } from '../support/world.ts'

let world: AgentWorld
let ids: Found
beforeEach(async () => {
  world = await openAgentWorld()
  ids = findIds(world.sandbox)
})

const by = 'odettequill'
const of = (trigger: string) => world.agent.taken.filter(({ path }) => path === `/${trigger}`)
const event = (trigger: string, n = 0) => of(trigger)[n]!.start.data.event as Record<string, any>
/** The board's clock has milliseconds; something attached in one must not be told of the same. */
const tick = () => new Promise((resolve) => setTimeout(resolve, 5))

describe('over the board sandbox', () => {
  test('every instant trigger fires once for what it is for, with a signature the public library takes', async () => {
    const expected: { [trigger: string]: number } = { 'new-board': 1 }
    for (const id of doings.flatMap(({ starts }) => starts)) expected[id] = (expected[id] ?? 0) + 1
    const [organization] = world.sandbox.state.organizations.keys()
    const filters: { [trigger: string]: object } = {
      'new-board-activity': { kinds: ['create'] },
      'custom-webhook-events': { types: ['commentCard'], lists: [ids.list('Review')] },
    }
    for (const trigger of Object.keys(expected))
      await attach(
        world,
        trigger,
        trigger === 'new-board' ? { idOrganization: organization } : { boards: [ids.board], ...filters[trigger] },
      )
    expect(world.sandbox.state.webhooks.size).toBe(2)
    await tick()
    const act = doOn(world.sandbox)
    for (const doing of doings) await act(doing)
    world.sandbox.control.createBoard({ by, name: 'Fresh', idOrganization: organization! } as never)
    await until('all starts', () => Object.entries(expected).every(([trigger, count]) => of(trigger).length >= count))
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(Object.fromEntries(Object.keys(expected).map((trigger) => [trigger, of(trigger).length]))).toEqual(expected)
    expect(world.agent.taken.every(({ genuine }) => genuine)).toBe(true)
    expect(new Set(world.agent.taken.map(({ id }) => id)).size).toBe(world.agent.taken.length)
    expect(event('new-card')).toMatchObject({ way: 'created', card: { id: ids.card('Fresh'), name: 'Fresh' } })
    expect(event('card-moved')).toMatchObject({ to: { list: { id: ids.list('Look again') } } })
    expect((await world.pack.starts.list(caller, { limit: 100 })).items.every(({ state }) => state === 'done')).toBe(
      true,
    )
  })

  test('duplicates, delays, another order, forgeries, drops: each event once', async () => {
    const { control } = world.sandbox
    const made = await attach(world, 'new-card', { boards: [ids.board] })
    await tick()
    control.disturb({ how: 'duplicate', copies: 5, times: 2 })
    control.disturb({ how: 'delay', delayMs: 5000, times: 2 })
    control.disturb({ how: 'hold', times: 3 })
    control.disturb({ how: 'drop', times: 2 })
    const cards = Array.from(
      { length: 10 },
      (_, n) => control.createCard({ by, idList: ids.list('Ideas'), name: `Card ${n}` }).id,
    )
    control.disturb({ how: 'forge' })
    cards.push(control.createCard({ by, idList: ids.list('Ideas'), name: 'Forged' }).id)
    await control.settle()
    await control.releaseHeld({ order: 'newest' })
    await until('the delayed', () => of('new-card').length >= 8)
    expect((await world.pack.triggers.counts()).refused).toBeGreaterThanOrEqual(1)
    await world.pack.subscriptions.recover(caller, made.id)
    await until('the dropped', () => of('new-card').length >= 11)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(
      of('new-card')
        .map((_, n) => event('new-card', n).card.id as string)
        .sort(),
    ).toEqual(cards.sort())
  })

  test('our own steps do not start agents; with ownEvents a chain ends after three', async () => {
    await attach(world, 'new-comment-added-to-card', { boards: [ids.board] })
    await attach(world, 'custom-webhook-events', { boards: [ids.board], types: ['commentCard'] }, { ownEvents: true })
    await tick()
    const idCard = ids.card('Press kit')
    const comment = (startId?: string) =>
      world.pack.steps.run(
        { ...caller, ...(startId ? { startId } : {}) },
        { integration: 'work-board', step: 'add-comment-to-card', input: { idCard, text: 'From an agent' } },
      )
    world.agent.answer.status = async ({ path, id }) => {
      if (path === '/custom-webhook-events') expect((await comment(id)).ok).toBe(true)
      return 200
    }
    const first = await comment()
    expect(first).toMatchObject({ ok: true })
    await until('the chain', () => of('custom-webhook-events').length >= 3)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(of('custom-webhook-events').map(({ start }) => [start.data.causedByUs, start.data.depth])).toEqual([
      [true, 0],
      [true, 1],
      [true, 2],
    ])
    expect(of('new-comment-added-to-card')).toEqual([])
    // A person at the very same account.
    world.agent.answer.status = () => 200
    world.sandbox.control.comment({ idCard, text: 'By hand' })
    await until('the person', () => of('new-comment-added-to-card').length === 1)
    expect(event('new-comment-added-to-card').text).toBe('By hand')
  })

  test('a chain that goes through recovery is known as ours too', async () => {
    const made = await attach(world, 'new-comment-added-to-card', { boards: [ids.board] })
    await tick()
    world.sandbox.control.disturb({ how: 'drop', times: 100 })
    const run = await world.pack.steps.run(caller, {
      integration: 'work-board',
      step: 'add-comment-to-card',
      input: { idCard: ids.card('Press kit'), text: 'Ours' },
    })
    world.sandbox.control.comment({ idCard: ids.card('Press kit'), text: 'By hand' })
    await world.pack.subscriptions.recover(caller, made.id)
    // The history is read from a little before, so an older comment is there too.
    const commentEvents = (await world.pack.events.list(caller, { limit: 9 }, { type: 'commentCard' })).items.filter(
      ({ at }) => at >= made.createdAt,
    )
    expect(commentEvents.map(({ causedByUs, runId }) => [causedByUs, runId]).sort()).toEqual(
      [
        [false, null],
        [true, run.meta.runId],
      ].sort(),
    )
    await until('the person', () => of('new-comment-added-to-card').length === 1)
  })

  test('scans find notifications and reminders at their interval', async () => {
    await attach(world, 'new-notification', {})
    await attach(world, 'card-due-date-reminder', { boards: [ids.board], leadMinutes: 0 })
    await until('a first look', () =>
      world.sandbox.control.requests().some(({ path }) => path.endsWith('/notifications')),
    )
    await tick()
    world.sandbox.control.notify({ type: 'mentionedOnCard', idCard: ids.card('Press kit'), text: 'Look' })
    world.sandbox.control.updateCard({
      by,
      idCard: ids.card('Press kit'),
      due: new Date(Date.now() + 2500).toISOString(),
    } as never)
    await until('the notification', () => of('new-notification').length === 1)
    await until('the reminder', () => of('card-due-date-reminder').length === 1)
    expect(event('card-due-date-reminder')).toMatchObject({ card: { name: 'Press kit' } })
    // Not long before it is due; how long after, a busy machine decides.
    expect(Date.now() - Date.parse(event('card-due-date-reminder').due as string)).toBeGreaterThan(-2500)
  })

  test('a token taken back pauses, connected again it resumes and finds what was missed', async () => {
    const { control, credentials } = world.sandbox
    const made = await attach(world, 'new-card', { boards: [ids.board] })
    const [connection] = await world.pack.connections.list(caller)
    await tick()
    control.revokeToken({ token: credentials.token })
    control.createCard({ by, idList: ids.list('Ideas'), name: 'Missed' })
    await expect(world.pack.hooks.reconcile({ tenant: 'other' }, connection!.id)).rejects.toMatchObject({
      code: 'not_found',
    })
    await world.pack.hooks.reconcile(caller, connection!.id)
    await until('paused', async () => (await world.pack.subscriptions.get(caller, made.id)).state === 'paused_auth')
    const { token } = control.issueToken({ by: 'marlowfenwick', key: credentials.key })
    await world.pack.connections.patch(caller, connection!.id, { secrets: { key: credentials.key, token } })
    await until('resumed', async () => (await world.pack.subscriptions.get(caller, made.id)).state === 'active')
    await until('what was missed', () => of('new-card').length === 1)
    expect(event('new-card').card.name).toBe('Missed')
    await until('the hook', () =>
      [...world.sandbox.state.webhooks.values()].some((hook) => hook.token === token && hook.active),
    )
    // Another member's token is another account.
    await expect(
      world.pack.connections.patch(caller, connection!.id, {
        secrets: { key: credentials.key, token: credentials.secondToken },
      }),
    ).rejects.toMatchObject({ code: 'conflict' })
  })

  test('choices for the settings are loaded from the account', async () => {
    const request = { integration: 'work-board', trigger: 'card-moved' }
    const boards = await world.pack.triggers.options(caller, { ...request, field: 'boards' })
    expect(boards.options.map(({ label }) => label)).toEqual(expect.arrayContaining(['Launch plan', 'Support desk']))
    const lists = await world.pack.triggers.options(caller, {
      ...request,
      field: 'toLists',
      values: { boards: [ids.board] },
    })
    expect(lists.options.map(({ label }) => label)).toEqual(
      expect.arrayContaining([expect.stringContaining('Ideas'), expect.stringContaining('Review')]),
    )
    await expect(world.pack.triggers.options(caller, { ...request, field: 'toLists' })).rejects.toMatchObject({
      code: 'invalid_input',
    })
    await expect(
      world.pack.triggers.options(caller, { ...request, trigger: 'nothing', field: 'boards' }),
    ).rejects.toMatchObject({ code: 'not_found' })
  })

  test('an account that is limited to a board cannot have another one watched', async () => {
    const [connection] = await world.pack.connections.list(caller)
    await world.pack.connections.patch(caller, connection!.id, { policy: { boards: [ids.board] } })
    await expect(attach(world, 'new-card', { boards: [ids.other] })).rejects.toMatchObject({ code: 'not_allowed' })
    expect((await attach(world, 'new-card', { boards: [ids.board] })).state).toBe('active')
    expect(world.sandbox.state.webhooks.size).toBe(1)
  })

  test('when the account is removed its hooks are taken back and its subscriptions say so', async () => {
    const made = await attach(world, 'new-card', { boards: [ids.board] })
    const [connection] = await world.pack.connections.list(caller)
    await world.pack.connections.remove(caller, connection!.id)
    expect(world.sandbox.state.webhooks.size).toBe(0)
    expect(await world.pack.subscriptions.get(caller, made.id)).toMatchObject({ state: 'paused_auth' })
  })
})
