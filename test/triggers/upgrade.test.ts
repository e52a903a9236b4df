import { describe, expect, test } from 'vitest'
import type { Integration, Trigger } from '#kit'
import { integrations } from '../../integrations/index.ts'
import { caller, live, openTriggerWorld, settle, someoneElse, subscribe } from './world.ts'
import type { TriggerWorld } from './world.ts'

const person = { member: someoneElse }
const since = '0.2.0'
/** The board as it would be if New Board Activity had replaced other triggers. */
const replaced: Record<string, Trigger['deprecated']> = {
  'new-card': { since, use: 'new-board-activity', migrate: ({ boards }) => ({ boards, types: ['createCard'] }) },
  'card-moved': { since, use: 'new-board-activity' },
  'card-archived': { since, use: 'new-label-created', migrate: ({ boards }) => ({ boards }) },
  'new-notification': { since, use: 'alert', migrate: (config) => config },
  'card-due-date-reminder': { since, use: 'alert', migrate: () => ({}) },
  'new-board': { since, use: 'new-board-activity', migrate: () => ({ boards: [], types: ['notAType'] }) },
}
const withReplaced = (integration: Integration): Integration => {
  const { triggers = [] } = integration
  return {
    ...integration,
    triggers: [
      ...triggers.map((trigger) => ({
        ...trigger,
        ...(replaced[trigger.id] ? { deprecated: replaced[trigger.id]! } : {}),
      })),
      ...triggers
        .filter(({ id }) => id === 'new-notification')
        .map((trigger) => ({ ...trigger, id: 'alert', title: 'Alert' })),
    ],
  }
}

const openAll = async () => {
  const world = await openTriggerWorld({ integrations: integrations.map(withReplaced) })
  const board = world.board.addBoard('Launch plan')
  const list = world.board.addList('Ideas')
  const add = (name: string) => world.board.addCard(board, list, name, person).id
  const listStartedIds = () => world.called.map(({ data }) => data.id)
  const upgrade = (id: string) => world.triggers.subscriptions.patch(caller, id, { upgrade: true })
  const hooks = () => [...world.board.hooks.values()].map(({ id }) => id)
  return { world, board, add, told: listStartedIds, upgrade, hooks }
}
const refusal = async (attempt: Promise<unknown>) =>
  (await attempt.catch((thrown: unknown) => thrown)) as { code: string; message: string; details: unknown }

describe('a subscription to a deprecated trigger', () => {
  test('is moved to what replaces it: what came before, what waits and what comes after starts the agent once', async () => {
    const { world, board, add, told: listStartedIds, upgrade, hooks } = await openAll()
    const { id } = await subscribe(world, 'new-card', { boards: [board] })
    const before = hooks()
    world.clock.advance(1000)
    const ids = [add('before')]
    await settle(world)
    // At the provider, not yet delivered to us.
    ids.push(add('waits'))
    const changed = await upgrade(id)
    expect(changed).toMatchObject({
      id,
      trigger: 'new-board-activity',
      config: { boards: [board], types: ['createCard'] },
      state: 'active',
    })
    expect(await world.triggers.subscriptions.get(caller, id)).toMatchObject({ trigger: 'new-board-activity' })
    await settle(world)
    world.clock.advance(1000)
    ids.push(add('after'))
    await live(world, 3_600_000)
    expect(listStartedIds()).toEqual(ids)
    expect(world.called.map(({ type }) => type)).toEqual([
      'work-board.new-card',
      'work-board.new-board-activity',
      'work-board.new-board-activity',
    ])
    // The board was watched all the while by the same webhook.
    expect(hooks()).toEqual(before)
    await world.close()
  })

  test('keeps its place where it is polled, and after a restart', async () => {
    const { world, board, add, told: listStartedIds, upgrade } = await openAll()
    const { id } = await subscribe(world, 'new-card', { boards: [board] }, { options: { delivery: 'poll' } })
    world.clock.advance(1000)
    const ids = [add('unread')]
    expect(await upgrade(id)).toMatchObject({ trigger: 'new-board-activity', delivery: 'poll' })
    world.restart()
    await world.triggers.ticks.accounts()
    await live(world, 600_000)
    ids.push(add('later'))
    await live(world, 600_000)
    expect(listStartedIds()).toEqual(ids)
    await world.close()
  })

  test('keeps the cursor of its poll', async () => {
    const { world, told: listStartedIds, upgrade } = await openAll()
    const notifications: { id: string }[] = []
    const notify = () => {
      const [id, date] = [world.board.newId(), new Date(world.clock.now()).toISOString()]
      notifications.push({
        id,
        type: 'mentionedOnCard',
        date,
        unread: true,
        data: { text: 'Hi' },
        idMemberCreator: someoneElse,
      } as { id: string })
      return id
    }
    const { answer } = world.board
    world.board.answer = async (request) =>
      request.path.endsWith('/notifications')
        ? {
            status: 200,
            body: notifications.filter(({ id }) => id >= String(request.query?.['since'] ?? '')).toReversed(),
          }
        : answer(request)
    const { id } = await subscribe(world, 'new-notification', {})
    await live(world, 120_000)
    const ids = [notify()]
    await live(world, 600_000)
    ids.push(notify())
    expect(await upgrade(id)).toMatchObject({ trigger: 'alert', config: {} })
    ids.push(notify())
    await live(world, 600_000)
    expect(listStartedIds().toSorted()).toEqual(ids)
    expect(world.called.map(({ type }) => type)).toEqual([
      'work-board.new-notification',
      'work-board.alert',
      'work-board.alert',
    ])
    await world.close()
  })

  test('that is paused stays paused', async () => {
    const { world, board, add, told: listStartedIds, upgrade } = await openAll()
    const { id } = await subscribe(world, 'new-card', { boards: [board] })
    await world.triggers.subscriptions.patch(caller, id, { paused: true })
    expect(await upgrade(id)).toMatchObject({ trigger: 'new-board-activity', state: 'paused' })
    add('while paused')
    await live(world, 600_000)
    expect(listStartedIds()).toEqual([])
    await world.triggers.subscriptions.patch(caller, id, { paused: false })
    world.clock.advance(1000)
    const ids = [add('after')]
    await live(world, 600_000)
    expect(listStartedIds()).toEqual(ids)
    await world.close()
  })
})

describe('is refused, and all stays as it was', () => {
  const same = async (world: TriggerWorld, id: string, trigger: string) =>
    expect(await world.triggers.subscriptions.get(caller, id)).toMatchObject({ trigger })

  test('where the trigger is not deprecated', async () => {
    const { world, board, upgrade } = await openAll()
    const { id } = await subscribe(world, 'new-checklist', { boards: [board] })
    expect(await refusal(upgrade(id))).toMatchObject({
      code: 'invalid_input',
      details: { errors: [{ pointer: '/upgrade' }] },
    })
    await same(world, id, 'new-checklist')
    await world.close()
  })

  test('where its config cannot be turned into the other', async () => {
    const { world, board, upgrade } = await openAll()
    const { id } = await subscribe(world, 'card-moved', { boards: [board] })
    const { code, message } = await refusal(upgrade(id))
    expect([code, message]).toEqual([
      'invalid_input',
      expect.stringContaining(
        'The config of "card-moved" cannot be turned into one of "new-board-activity". Make a subscription to "new-board-activity", then delete',
      ),
    ])
    await same(world, id, 'card-moved')
    await world.close()
  })

  test('where the other has no such delivery', async () => {
    const { world, board, upgrade } = await openAll()
    const { id } = await subscribe(world, 'card-archived', { boards: [board] }, { options: { delivery: 'poll' } })
    expect((await refusal(upgrade(id))).message).toContain('"new-label-created" has no delivery by poll')
    await same(world, id, 'card-archived')
    await world.close()
  })

  test('where the other polls something else', async () => {
    const { world, board, upgrade } = await openAll()
    const { id } = await subscribe(world, 'card-due-date-reminder', { boards: [board], leadMinutes: 60 })
    const { message } = await refusal(upgrade(id))
    expect(message).toContain('"alert" polls something else than "card-due-date-reminder"')
    expect(message).toContain('Make a subscription to "alert", then delete this one.')
    await same(world, id, 'card-due-date-reminder')
    await world.close()
  })

  test('where the config that it gives is refused', async () => {
    const { world, upgrade } = await openAll()
    const { id } = await subscribe(world, 'new-board', {})
    expect((await refusal(upgrade(id))).code).toBe('invalid_input')
    await same(world, id, 'new-board')
    await world.close()
  })
})
