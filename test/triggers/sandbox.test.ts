import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findIds } from '../sandbox/board-client.ts'
import type { Found } from '../sandbox/board-client.ts'
import { doings, doOn } from '../work-board/trigger-doings.ts'
import { attach, caller, openStage, until } from './stage.ts'
import type { Stage } from './stage.ts'

let stage: Stage
let ids: Found
beforeEach(async () => {
  stage = await openStage()
  ids = findIds(stage.sandbox)
})
afterEach(() => stage.close())

const by = 'odettequill'
const of = (trigger: string) => stage.agent.taken.filter(({ path }) => path === `/${trigger}`)
const event = (trigger: string, n = 0) => of(trigger)[n]!.start.data.event as Record<string, any>
/** The board's clock has milliseconds; something attached in one must not be told of the same. */
const tick = () => new Promise((resolve) => setTimeout(resolve, 5))

describe('over the board sandbox', () => {
  test('every instant trigger fires once for what it is for, with a signature the public library takes', async () => {
    const expected: { [trigger: string]: number } = { 'new-board': 1 }
    for (const id of doings.flatMap(({ starts }) => starts)) expected[id] = (expected[id] ?? 0) + 1
    const [organization] = stage.sandbox.state.organizations.keys()
    const filters: { [trigger: string]: object } = {
      'new-board-activity': { kinds: ['create'] },
      'custom-webhook-events': { types: ['commentCard'], lists: [ids.list('Review')] },
    }
    for (const trigger of Object.keys(expected))
      await attach(
        stage,
        trigger,
        trigger === 'new-board' ? { idOrganization: organization } : { boards: [ids.board], ...filters[trigger] },
      )
    expect(stage.sandbox.state.webhooks.size).toBe(2)
    await tick()
    const act = doOn(stage.sandbox)
    for (const doing of doings) await act(doing)
    stage.sandbox.control.createBoard({ by, name: 'Fresh', idOrganization: organization! } as never)
    await until('all starts', () => Object.entries(expected).every(([trigger, count]) => of(trigger).length >= count))
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(Object.fromEntries(Object.keys(expected).map((trigger) => [trigger, of(trigger).length]))).toEqual(expected)
    expect(stage.agent.taken.every(({ genuine }) => genuine)).toBe(true)
    expect(new Set(stage.agent.taken.map(({ id }) => id)).size).toBe(stage.agent.taken.length)
    expect(event('new-card')).toMatchObject({ way: 'created', card: { name: 'Fresh' } })
    expect(event('card-moved')).toMatchObject({ to: { list: { id: ids.list('Look again') } } })
    expect((await stage.pack.starts.list(caller, { limit: 100 })).items.every(({ state }) => state === 'done')).toBe(
      true,
    )
  })

  test('duplicates, delays, another order, forgeries, drops: each event once', async () => {
    const { control } = stage.sandbox
    const made = await attach(stage, 'new-card', { boards: [ids.board] })
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
    expect((await stage.pack.triggers.counts()).refused).toBeGreaterThanOrEqual(1)
    await stage.pack.subscriptions.recover(caller, made.id)
    await until('the dropped', () => of('new-card').length >= 11)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(
      of('new-card')
        .map((_, n) => event('new-card', n).card.id as string)
        .sort(),
    ).toEqual(cards.sort())
  })

  test('our own steps do not start agents; with ownEvents a chain ends after three', async () => {
    await attach(stage, 'new-comment-added-to-card', { boards: [ids.board] })
    await attach(stage, 'custom-webhook-events', { boards: [ids.board], types: ['commentCard'] }, { ownEvents: true })
    await tick()
    const idCard = ids.card('Press kit')
    const comment = (startId?: string) =>
      stage.pack.steps.run(
        { ...caller, ...(startId ? { startId } : {}) },
        { integration: 'work-board', step: 'add-comment-to-card', input: { idCard, text: 'From an agent' } },
      )
    stage.agent.answer.status = async ({ path, id }) => {
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
    stage.agent.answer.status = () => 200
    stage.sandbox.control.comment({ idCard, text: 'By hand' })
    await until('the person', () => of('new-comment-added-to-card').length === 1)
    expect(event('new-comment-added-to-card').text).toBe('By hand')
  })

  test('a chain that goes through recovery is known as ours too', async () => {
    const made = await attach(stage, 'new-comment-added-to-card', { boards: [ids.board] })
    await tick()
    stage.sandbox.control.disturb({ how: 'drop', times: 100 })
    const run = await stage.pack.steps.run(caller, {
      integration: 'work-board',
      step: 'add-comment-to-card',
      input: { idCard: ids.card('Press kit'), text: 'Ours' },
    })
    stage.sandbox.control.comment({ idCard: ids.card('Press kit'), text: 'By hand' })
    await stage.pack.subscriptions.recover(caller, made.id)
    // The history is read from a little before, so an older comment is there too.
    const commentEvents = (await stage.pack.events.list(caller, { limit: 9 }, { type: 'commentCard' })).items.filter(
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
    await attach(stage, 'new-notification', {})
    await attach(stage, 'card-due-date-reminder', { boards: [ids.board], leadMinutes: 0 })
    await until('a first look', () =>
      stage.sandbox.control.requests().some(({ path }) => path.endsWith('/notifications')),
    )
    await tick()
    stage.sandbox.control.notify({ type: 'mentionedOnCard', idCard: ids.card('Press kit'), text: 'Look' })
    stage.sandbox.control.updateCard({
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
    const { control, credentials } = stage.sandbox
    const made = await attach(stage, 'new-card', { boards: [ids.board] })
    const [connection] = await stage.pack.connections.list(caller)
    await tick()
    control.revokeToken({ token: credentials.token })
    control.createCard({ by, idList: ids.list('Ideas'), name: 'Missed' })
    await expect(stage.pack.hooks.reconcile({ tenant: 'other' }, connection!.id)).rejects.toMatchObject({
      code: 'not_found',
    })
    await stage.pack.hooks.reconcile(caller, connection!.id)
    await until('paused', async () => (await stage.pack.subscriptions.get(caller, made.id)).state === 'paused_auth')
    const { token } = control.issueToken({ by: 'marlowfenwick', key: credentials.key })
    await stage.pack.connections.patch(caller, connection!.id, { secrets: { key: credentials.key, token } })
    await until('resumed', async () => (await stage.pack.subscriptions.get(caller, made.id)).state === 'active')
    await until('what was missed', () => of('new-card').length === 1)
    expect(event('new-card').card.name).toBe('Missed')
    await until('the hook', () =>
      [...stage.sandbox.state.webhooks.values()].some((hook) => hook.token === token && hook.active),
    )
    // Another member's token is another account.
    await expect(
      stage.pack.connections.patch(caller, connection!.id, {
        secrets: { key: credentials.key, token: credentials.secondToken },
      }),
    ).rejects.toMatchObject({ code: 'conflict' })
  })

  test('choices for the settings are loaded from the account', async () => {
    const request = { integration: 'work-board', trigger: 'card-moved' }
    const boards = await stage.pack.triggers.options(caller, { ...request, field: 'boards' })
    expect(boards.options.map(({ label }) => label)).toEqual(expect.arrayContaining(['Launch plan', 'Support desk']))
    const lists = await stage.pack.triggers.options(caller, {
      ...request,
      field: 'toLists',
      values: { boards: [ids.board] },
    })
    expect(lists.options.map(({ label }) => label)).toEqual(
      expect.arrayContaining([expect.stringContaining('Ideas'), expect.stringContaining('Review')]),
    )
    await expect(stage.pack.triggers.options(caller, { ...request, field: 'toLists' })).rejects.toMatchObject({
      code: 'invalid_input',
    })
    await expect(
      stage.pack.triggers.options(caller, { ...request, trigger: 'nothing', field: 'boards' }),
    ).rejects.toMatchObject({ code: 'not_found' })
  })

  test('an account that is limited to a board cannot have another one watched', async () => {
    const [connection] = await stage.pack.connections.list(caller)
    await stage.pack.connections.patch(caller, connection!.id, { policy: { boards: [ids.board] } })
    await expect(attach(stage, 'new-card', { boards: [ids.other] })).rejects.toMatchObject({ code: 'not_allowed' })
    expect((await attach(stage, 'new-card', { boards: [ids.board] })).state).toBe('active')
    expect(stage.sandbox.state.webhooks.size).toBe(1)
  })

  test('when the account is removed its hooks are taken back and its subscriptions say so', async () => {
    const made = await attach(stage, 'new-card', { boards: [ids.board] })
    const [connection] = await stage.pack.connections.list(caller)
    await stage.pack.connections.remove(caller, connection!.id)
    expect(stage.sandbox.state.webhooks.size).toBe(0)
    expect(await stage.pack.subscriptions.get(caller, made.id)).toMatchObject({ state: 'paused_auth' })
  })
})
