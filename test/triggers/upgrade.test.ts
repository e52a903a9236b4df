import { describe, expect, test } from 'vitest'
import type { Integration, Trigger } from '#kit'
import { integrations } from '../../integrations/index.ts'
import { caller, live, openHouse, settle, someoneElse, subscribe } from './house.ts'
import type { House } from './house.ts'

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
  const house = await openHouse({ integrations: integrations.map(withReplaced) })
  const board = house.board.addBoard('Launch plan')
  const list = house.board.addList('Ideas')
  const add = (name: string) => house.board.addCard(board, list, name, person).id
  const listStartedIds = () => house.called.map(({ data }) => data.id)
  const upgrade = (id: string) => house.triggers.subscriptions.patch(caller, id, { upgrade: true })
  const hooks = () => [...house.board.hooks.values()].map(({ id }) => id)
  return { house, board, add, told: listStartedIds, upgrade, hooks }
}
const refusal = async (attempt: Promise<unknown>) =>
  (await attempt.catch((thrown: unknown) => thrown)) as { code: string; message: string; details: unknown }

describe('a subscription to a deprecated trigger', () => {
  test('is moved to what replaces it: what came before, what waits and what comes after starts the agent once', async () => {
    const { house, board, add, told: listStartedIds, upgrade, hooks } = await openAll()
    const { id } = await subscribe(house, 'new-card', { boards: [board] })
    const before = hooks()
    house.clock.advance(1000)
    const ids = [add('before')]
    await settle(house)
    // At the provider, not yet delivered to us.
    ids.push(add('waits'))
    const changed = await upgrade(id)
    expect(changed).toMatchObject({
      id,
      trigger: 'new-board-activity',
      config: { boards: [board], types: ['createCard'] },
      state: 'active',
    })
    expect(await house.triggers.subscriptions.get(caller, id)).toMatchObject({ trigger: 'new-board-activity' })
    await settle(house)
    house.clock.advance(1000)
    ids.push(add('after'))
    await live(house, 3_600_000)
    expect(listStartedIds()).toEqual(ids)
    expect(house.called.map(({ type }) => type)).toEqual([
      'work-board.new-card',
      'work-board.new-board-activity',
      'work-board.new-board-activity',
    ])
    // The board was watched all the while by the same webhook.
    expect(hooks()).toEqual(before)
    await house.close()
  })

  test('keeps its place where it is polled, and after a restart', async () => {
    const { house, board, add, told: listStartedIds, upgrade } = await openAll()
    const { id } = await subscribe(house, 'new-card', { boards: [board] }, { options: { delivery: 'poll' } })
    house.clock.advance(1000)
    const ids = [add('unread')]
    expect(await upgrade(id)).toMatchObject({ trigger: 'new-board-activity', delivery: 'poll' })
    house.restart()
    await house.triggers.ticks.accounts()
    await live(house, 600_000)
    ids.push(add('later'))
    await live(house, 600_000)
    expect(listStartedIds()).toEqual(ids)
    await house.close()
  })

  test('keeps the cursor of its poll', async () => {
    const { house, told: listStartedIds, upgrade } = await openAll()
    const notifications: { id: string }[] = []
    const notify = () => {
      const [id, date] = [house.board.newId(), new Date(house.clock.now()).toISOString()]
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
    const { answer } = house.board
    house.board.answer = async (request) =>
      request.path.endsWith('/notifications')
        ? {
            status: 200,
            body: notifications.filter(({ id }) => id >= String(request.query?.['since'] ?? '')).toReversed(),
          }
        : answer(request)
    const { id } = await subscribe(house, 'new-notification', {})
    await live(house, 120_000)
    const ids = [notify()]
    await live(house, 600_000)
    ids.push(notify())
    expect(await upgrade(id)).toMatchObject({ trigger: 'alert', config: {} })
    ids.push(notify())
    await live(house, 600_000)
    expect(listStartedIds().toSorted()).toEqual(ids)
    expect(house.called.map(({ type }) => type)).toEqual([
      'work-board.new-notification',
      'work-board.alert',
      'work-board.alert',
    ])
    await house.close()
  })

  test('that is paused stays paused', async () => {
    const { house, board, add, told: listStartedIds, upgrade } = await openAll()
    const { id } = await subscribe(house, 'new-card', { boards: [board] })
    await house.triggers.subscriptions.patch(caller, id, { paused: true })
    expect(await upgrade(id)).toMatchObject({ trigger: 'new-board-activity', state: 'paused' })
    add('while paused')
    await live(house, 600_000)
    expect(listStartedIds()).toEqual([])
    await house.triggers.subscriptions.patch(caller, id, { paused: false })
    house.clock.advance(1000)
    const ids = [add('after')]
    await live(house, 600_000)
    expect(listStartedIds()).toEqual(ids)
    await house.close()
  })
})

describe('is refused, and all stays as it was', () => {
  const same = async (house: House, id: string, trigger: string) =>
    expect(await house.triggers.subscriptions.get(caller, id)).toMatchObject({ trigger })

  test('where the trigger is not deprecated', async () => {
    const { house, board, upgrade } = await openAll()
    const { id } = await subscribe(house, 'new-checklist', { boards: [board] })
    expect(await refusal(upgrade(id))).toMatchObject({
      code: 'invalid_input',
      details: { errors: [{ pointer: '/upgrade' }] },
    })
    await same(house, id, 'new-checklist')
    await house.close()
  })

  test('where its config cannot be turned into the other', async () => {
    const { house, board, upgrade } = await openAll()
    const { id } = await subscribe(house, 'card-moved', { boards: [board] })
    const { code, message } = await refusal(upgrade(id))
    expect([code, message]).toEqual([
      'invalid_input',
      expect.stringContaining(
        'The config of "card-moved" cannot be turned into one of "new-board-activity". Make a subscription to "new-board-activity", then delete',
      ),
    ])
    await same(house, id, 'card-moved')
    await house.close()
  })

  test('where the other has no such delivery', async () => {
    const { house, board, upgrade } = await openAll()
    const { id } = await subscribe(house, 'card-archived', { boards: [board] }, { options: { delivery: 'poll' } })
    expect((await refusal(upgrade(id))).message).toContain('"new-label-created" has no delivery by poll')
    await same(house, id, 'card-archived')
    await house.close()
  })

  test('where the other polls something else', async () => {
    const { house, board, upgrade } = await openAll()
    const { id } = await subscribe(house, 'card-due-date-reminder', { boards: [board], leadMinutes: 60 })
    const { message } = await refusal(upgrade(id))
    expect(message).toContain('"alert" polls something else than "card-due-date-reminder"')
    expect(message).toContain('Make a subscription to "alert", then delete this one.')
    await same(house, id, 'card-due-date-reminder')
    await house.close()
  })

  test('where the config that it gives is refused', async () => {
    const { house, upgrade } = await openAll()
    const { id } = await subscribe(house, 'new-board', {})
    expect((await refusal(upgrade(id))).code).toBe('invalid_input')
    await same(house, id, 'new-board')
    await house.close()
  })
})
