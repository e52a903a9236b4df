/** Triggers against the sandbox's board, which was written from the vendor's facts and not from them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Event } from '#kit'
import { until } from '../support/agent-world.ts'
import { caller } from '../support/world.ts'
import { needsOf, noneEarlier, start, triggerOf, webhooks } from './starts.ts'
import { checkChoices, choiceTable, doings, doOn, readChoices, startCounts } from './trigger-doings.ts'
import type { LoadChoices } from './trigger-doings.ts'
import { isOpen, openBoard, openPack, pause, startsOf } from './trigger-worlds.ts'
import type { Board } from './trigger-worlds.ts'

const minute = 60_000
let board: Board
let ids: Board['ids']
beforeAll(async () => {
  board = await openBoard()
  ids = board.ids
})
afterAll(() => board.close())

const unseen = (pointer: string) => ({ code: 'not_found', details: { errors: [{ pointer }] } })

describe('attaching', () => {
  it('short links and addresses become ids; what cannot be seen is named', async () => {
    const { ctx, sandbox } = board
    const trigger = triggerOf('custom-webhook-events')
    const { shortLink, url } = await board.get(`/1/boards/${ids.board}?fields=shortLink,url`)
    const [idCard, { shortLink: link }] = [...sandbox.state.cards][0]!
    const config = trigger.config.parse({ boards: [shortLink, url, ids.other], cards: [link, idCard] })
    expect(await trigger.resolve!(ctx, config)).toEqual({ boards: [ids.board, ids.other], cards: [idCard] })
    const other = trigger.config.parse({ boards: [ids.board, 'zZ9zZ9zZ'] })
    await expect(trigger.resolve!(ctx, other)).rejects.toMatchObject(unseen('/boards/1'))
  })

  const load: LoadChoices = async ({ trigger, field, ...request }) =>
    triggerOf(trigger).fields![field]!.options!(board.ctx, request)

  it.each(choiceTable)('$trigger: choices of $field for $query, with $values', (row) =>
    checkChoices(board.sandbox, row, load),
  )

  it('offers the open lists of all chosen boards, a hit on the second at once, not after an empty page', async () => {
    const values = { boards: [ids.board, ids.other] }
    const lists = [...board.sandbox.state.lists.values()]
    const open = lists.filter(({ closed, idBoard }) => !closed && values.boards.includes(idBoard)).map(({ id }) => id)
    const choices = await readChoices({ trigger: 'card-moved', field: 'toLists', values }, load)
    expect(choices.map(({ value }) => value).sort()).toEqual(open.sort())
    const page = await load({ trigger: 'card-moved', field: 'fromLists', values, query: 'waiting' })
    expect(page.options).toHaveLength(1)
  })
})

describe('hooks at the sandbox', () => {
  it('are made once, listed, repaired and removed', async () => {
    const { ctx, to } = board
    const hook = board.hookFor('board', ids.other)
    const { model, callbackUrl } = hook
    const { providerId } = await webhooks.register(ctx, hook)
    expect(await webhooks.register(ctx, hook), 'again').toEqual({ providerId })
    const listed = { providerId, callbackUrl, model, description: 'toolyard', active: true, failures: 0 }
    expect(await webhooks.list(ctx, [model])).toEqual([listed])
    await board.put(`/1/webhooks/${providerId}`, { active: false, callbackURL: `${to.url}/elsewhere` })
    await webhooks.repair(ctx, providerId, hook)
    expect(await webhooks.list(ctx, [model])).toMatchObject([{ providerId, callbackUrl, active: true }])
    await webhooks.unregister(ctx, { providerId, model })
    await webhooks.unregister(ctx, { providerId, model })
    expect(await webhooks.list(ctx, [model])).toEqual([])
    await expect(webhooks.repair(ctx, providerId, hook)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('a receiver that does not answer is said to be the reason', async () => {
    const { ctx, to } = board
    to.answer.head = 404
    const details = { providerMessage: expect.stringContaining('did not return 200') as string }
    await expect(webhooks.register(ctx, board.hookFor('board', ids.board))).rejects.toMatchObject({ details })
    to.answer.head = 200
  })
})

describe('what people do on a board', () => {
  let since: number
  const heard: Event[] = []
  const boards = () => [ids.board, ids.other]
  const hear = async (act: () => unknown, watched = boards()) => {
    const events = await board.during(act)
    heard.push(...events)
    return startsOf(events, watched)
  }
  const describeKit = (desc: string) => board.during(() => board.put(`/1/cards/${ids.card('Press kit')}`, { desc }))

  beforeAll(async () => {
    since = board.clock.at
    for (const id of boards()) await webhooks.register(board.ctx, board.hookFor('board', id))
  })

  it('starts each trigger once', async () => {
    const act = doOn(board.sandbox)
    for (const doing of doings)
      expect([doing, await hear(() => act(doing))]).toEqual([doing, doing.starts.filter((id) => !isOpen(id)).sort()])
  })

  it('a card that moves to another board starts each trigger once, whichever boards are watched', async () => {
    const move = (idBoard: string, list: string) =>
      board.put(`/1/cards/${ids.card('Fresh')}`, { idBoard, idList: ids.list(list) })
    const arrival = ['card-moved', 'card-updated', 'new-card']
    expect(await hear(() => move(ids.other, 'Waiting'))).toEqual(arrival)
    expect(await hear(() => move(ids.board, 'Ideas'), [ids.other])).toEqual(['card-moved', 'card-updated'])
    expect(await hear(() => move(ids.other, 'Waiting'), [ids.other])).toEqual(arrival)
  })

  it('is found again in the histories, but for the kinds they lack, and says the same', async () => {
    const listings = await Promise.all(boards().map((id) => board.historyOf(id, { at: since })))
    const eventsById = new Map(listings.flatMap(({ events }) => events.map((event) => [event.id, event] as const)))
    const lost = heard.filter(({ id }) => !eventsById.has(id)).map(({ type }) => type)
    expect(lost).toEqual(['addLabelToCard', 'removeLabelFromCard', 'createLabel'])
    expect(lost.filter((type) => !webhooks.webhookOnly.includes(type))).toEqual([])
    const listed = heard.filter(({ id }) => eventsById.has(id))
    expect(listed.length).toBeGreaterThan(12)
    for (const event of listed) expect(eventsById.get(event.id)).toEqual({ ...event, via: 'recovery' })
    for (const { reached, undecodable } of listings) expect([reached, undecodable]).toEqual([true, []])
  })

  it('goes on from the mark of the last listing, and sees a history that was cut off', async () => {
    const { ctx, clock } = board
    const first = await board.historyOf(ids.board, { at: since })
    clock.at += 10 * minute
    const [event] = await describeKit('Later')
    const second = await board.historyOf(ids.board, first.newest!)
    expect(second.events.at(-1)!.id).toBe(event!.id)
    expect(second).toMatchObject({ reached: true, newest: { id: event!.id } })
    const { newest } = await webhooks.history(ctx, { kind: 'board', id: ids.board }, { limit: 1, via: 'poll' })
    expect(newest).toEqual(second.newest)
    clock.at += 10 * minute
    await describeKit('Later still')
    board.sandbox.control.trimHistory({ idBoard: ids.board, keep: 1 })
    expect(await board.historyOf(ids.board, second.newest!)).toMatchObject({ reached: false })
  })

  it('the custom fields of a card are read for a subscription that wants them, if it can start', async () => {
    const [list] = [...board.sandbox.state.lists.values()].filter((row) => row.idBoard === ids.board && !row.closed)
    let idCard = ''
    const [event] = await board.during(async () => {
      const { id } = await board.make('/1/cards', { idList: list!.id, name: 'With fields' })
      idCard = id
    })
    const newCard = triggerOf('new-card')
    const boards = [ids.board]
    const needs = (config: object) => needsOf(newCard, { boards, ...config }, event!)
    expect(needs({})).toEqual([])
    expect(needs({ customFields: false })).toEqual([])
    expect(needs({ customFields: true })).toEqual(['customFields'])
    expect(needs({ customFields: true, ways: ['copied'] })).toEqual([])
    expect(needs({ customFields: true, lists: ['f'.repeat(24)] })).toEqual([])
    expect(needs({ customFields: true, lists: [list!.id] })).toEqual(['customFields'])

    const points = [...board.sandbox.state.customFields.values()].find(
      ({ name, idModel }) => name === 'Points' && idModel === ids.board,
    )!
    const path = `/1/cards/${idCard}/customField/${points.id}/item`
    await board.put(path, { value: { number: '5' } })
    const customFields = await webhooks.facts(board.ctx, event!, 'customFields', noneEarlier)
    const wanted = { boards, customFields: true }
    expect(start(newCard, wanted, event!, { customFields })).toMatchObject({
      card: { name: 'With fields' },
      customFields: expect.arrayContaining([{ id: points.id, name: 'Points', type: 'number', value: 5 }]) as unknown,
    })
    await board.ask('DELETE', `/1/cards/${idCard}`)
    const gone = await webhooks.facts(board.ctx, event!, 'customFields', noneEarlier)
    expect(gone).toBeUndefined()
    expect(start(newCard, wanted, event!, { customFields: gone })).not.toHaveProperty('customFields')
  })

  it('the list of a card is read where an event does not include it', async () => {
    const idCard = ids.card('Press kit')
    const [event] = await board.during(() => board.make('/1/checklists', { idCard, name: 'More' }))
    const { id } = await board.get(`/1/cards/${idCard}/list`)
    const list = await webhooks.facts(board.ctx, event!, 'list', noneEarlier)
    expect(list).toMatchObject({ id })
    const started = start(triggerOf('new-checklist'), { boards: [ids.board], lists: [id] }, event!, { list })
    expect(started).toMatchObject({ checklist: { name: 'More' } })
    await board.during(() => board.ask('DELETE', `/1/cards/${idCard}`))
    expect(await webhooks.facts(board.ctx, event!, 'list', noneEarlier)).toBeUndefined()
  })

  it('completes a checklist by the item that is ticked off last, however late that is read', async () => {
    const idCard = ids.card('Choose a launch day')
    const { id } = await board.make('/1/checklists', { idCard, name: 'Before the day' })
    const items: string[] = []
    for (const name of ['Invite', 'Cake']) items.push((await board.make(`/1/checklists/${id}/checkItems`, { name })).id)
    await board.sandbox.control.settle()
    const tick = (item: number, state: string) =>
      board.during(() => board.put(`/1/cards/${idCard}/checkItem/${items[item]}`, { state }))
    const events = [
      ...(await tick(0, 'complete')),
      ...(await tick(0, 'incomplete')),
      ...(await tick(1, 'complete')),
      ...(await tick(0, 'complete')),
    ]
    await tick(1, 'incomplete')
    const [trigger, config] = [triggerOf('checklist-completed'), { boards: [ids.board] }]
    const starts: unknown[] = []
    for (const event of events) {
      const isRead = needsOf(trigger, config, event).includes('completed')
      const completed = isRead ? await webhooks.facts(board.ctx, event, 'completed', noneEarlier) : undefined
      starts.push(start(trigger, config, event, { completed }))
    }
    const [checklist, checkItem] = [
      { id, name: 'Before the day' },
      { id: items[0], name: 'Invite' },
    ]
    expect(starts).toMatchObject([undefined, undefined, undefined, { checklist, checkItem, items: 2 }])
    await board.ask('DELETE', `/1/checklists/${id}`)
    expect(await webhooks.facts(board.ctx, events[3]!, 'completed', noneEarlier)).toBeUndefined()
  })

  it('a board made in a workspace is two events of one key, and its own list says the same', async () => {
    const { ctx, clock } = board
    const [idOrganization] = [...board.sandbox.state.organizations.keys()] as [string]
    await webhooks.register(ctx, board.hookFor('organization', idOrganization))
    const trigger = triggerOf('new-board')
    const config = await trigger.resolve!(ctx, { idOrganization })
    const from = clock.at
    const events = await board.during(() => board.make('/1/boards', { name: 'Third', idOrganization }))
    const started = events.filter((event) => start(trigger, config, event) !== undefined)
    expect(started.length).toBeGreaterThan(0)
    const keys = new Set(started.map((event) => trigger.webhook!.key!(event, config)))
    expect(keys.size).toBe(1)
    for (const resource of [trigger.poll!.resources(config)[0]!, 'boards:mine']) {
      const { items } = await trigger.poll!.fetch(ctx, resource, undefined)
      const polled = trigger.poll!.pick(items, config, { since: from, scanned: undefined, now: clock.at })
      expect(polled.map(({ key }) => key)).toEqual([...keys])
      const data = polled.map((find) => trigger.data.parse(find.data))
      expect(data).toMatchObject([{ board: { name: 'Third' }, way: 'created' }])
    }
    const other = { idOrganization: ids.board }
    await expect(trigger.resolve!(ctx, other)).rejects.toMatchObject(unseen('/idOrganization'))
  })
})

describe('scans at the sandbox', () => {
  it('notifications: a baseline, then what comes', async () => {
    const { ctx, clock, sandbox } = board
    const { data, poll } = triggerOf('new-notification')
    const idCard = ids.card('Write the launch page')
    sandbox.control.notify({ type: 'changeCard', text: 'before' })
    const first = await poll!.fetch(ctx, 'notifications', undefined)
    expect(first.items).toEqual([])
    const since = clock.at
    clock.at += 2 * minute
    sandbox.control.notify({ type: 'mentionedOnCard', text: 'look', idCard })
    const second = await poll!.fetch(ctx, 'notifications', first.cursor)
    const polled = poll!.pick(second.items, {}, { since, scanned: since, now: clock.at })
    const places = { card: { name: 'Write the launch page' }, board: { name: 'Launch plan' } }
    const mention = { type: 'mentionedOnCard', text: 'look', ...places }
    expect(polled.map((find) => data.parse(find.data))).toMatchObject([mention])
  })

  it('due dates: a card dated after the scan before is seen; one in an archived list is not', async () => {
    const { ctx, clock } = board
    const { config, poll } = triggerOf('card-due-date-reminder')
    const idCard = ids.card('Write the launch page')
    const scan = (cursor?: string) => poll!.fetch(ctx, `due:${ids.board}`, cursor)
    const first = await scan()
    const scanned = clock.at
    const due = new Date(clock.at + 30 * minute).toISOString()
    await board.put(`/1/cards/${idCard}`, { due, dueComplete: false })
    const second = await scan(first.cursor)
    const time = { since: scanned - minute, scanned, now: clock.at }
    const polled = poll!.pick(second.items, config.parse({ boards: [ids.board] }), time)
    const reminder = { key: `${idCard}:${due}:60`, late: true, data: { due, card: { name: 'Write the launch page' } } }
    expect(polled.filter(({ key }) => key.startsWith(idCard))).toMatchObject([reminder])
    const { idList } = await board.get(`/1/cards/${idCard}`)
    await board.put(`/1/lists/${idList}`, { closed: true })
    expect((await scan(second.cursor)).items.map(({ id }) => id)).not.toContain(idCard)
  })
})

it('asked for nothing that the board does not know', () => {
  expect(board.sandbox.control.counters().unknownParameters).toEqual([])
})

describe('a pack over the sandbox', () => {
  let world: Awaited<ReturnType<typeof openPack>>
  let ids: Board['ids']
  let control: Board['sandbox']['control']
  beforeEach(async () => {
    world = await openPack()
    ids = world.ids
    control = world.sandbox.control
  })

  it('fires every instant trigger once for what it is for, with a signature the public library takes', async () => {
    const expected: { [trigger: string]: number } = { 'new-board': 1, ...startCounts }
    const idOrganization = [...world.sandbox.state.organizations.keys()][0]!
    const boards = [ids.board]
    const configs: { [trigger: string]: Record<string, unknown> } = {
      'new-board': { idOrganization },
      'new-board-activity': { boards, kinds: ['create'] },
      'custom-webhook-events': { boards, types: ['commentCard'], lists: [ids.list('Review')] },
    }
    for (const trigger of Object.keys(expected)) await world.attach(trigger, configs[trigger])
    expect(world.sandbox.state.webhooks.size).toBe(2)
    const act = doOn(world.sandbox)
    for (const doing of doings) await act(doing)
    control.createBoard({ by: 'odettequill', name: 'Fresh', idOrganization } as never)
    for (const [trigger, wanted] of Object.entries(expected)) await world.untilStarted(trigger, wanted)
    await pause(300)
    const counts = Object.keys(expected).map((trigger) => [trigger, world.startsOn(trigger).length])
    expect(Object.fromEntries(counts)).toEqual(expected)
    expect(world.agent.taken.every(({ genuine }) => genuine)).toBe(true)
    expect(new Set(world.agent.taken.map(({ id }) => id)).size).toBe(world.agent.taken.length)
    expect(world.event('new-card')).toMatchObject({ way: 'created', card: { id: ids.card('Fresh'), name: 'Fresh' } })
    expect(world.event('card-moved')).toMatchObject({ to: { list: { id: ids.list('Look again') } } })
    // An agent has a start before its answer is stored.
    await until('all to be done', async () => {
      const { items } = await world.pack.starts.list(caller, { limit: 100 })
      return items.every(({ state }) => state === 'done')
    })
  })

  it('starts once for each event, duplicated, delayed, held back, forged or dropped', async () => {
    const { id } = await world.attach('new-card')
    control.disturb({ how: 'duplicate', copies: 5, times: 2 })
    control.disturb({ how: 'delay', delayMs: 5000, times: 2 })
    control.disturb({ how: 'hold', times: 3 })
    control.disturb({ how: 'drop', times: 2 })
    const cards = Array.from({ length: 10 }, (_, n) => world.createCard(`Card ${n}`))
    control.disturb({ how: 'forge' })
    cards.push(world.createCard('Forged'))
    await control.settle()
    await control.releaseHeld({ order: 'newest' })
    await world.untilStarted('new-card', 8)
    expect((await world.pack.triggers.counts()).refused).toBeGreaterThanOrEqual(1)
    await world.pack.subscriptions.recover(caller, id)
    await world.untilStarted('new-card', 11)
    await pause(200)
    const started = world.startsOn('new-card').map((_, n) => world.event('new-card', n).card.id as string)
    expect(started.sort()).toEqual(cards.sort())
  })

  it('our own steps do not start agents; with ownEvents a chain ends after three', async () => {
    await world.attach('new-comment-added-to-card')
    const types = ['commentCard']
    await world.attach('custom-webhook-events', { boards: [ids.board], types }, { ownEvents: true })
    world.agent.answer.status = async ({ path, id }) => {
      if (path === '/custom-webhook-events') expect((await world.comment('From an agent', id)).ok).toBe(true)
      return 200
    }
    expect(await world.comment('From an agent')).toMatchObject({ ok: true })
    await world.untilStarted('custom-webhook-events', 3)
    await pause(500)
    const chain = world.startsOn('custom-webhook-events').map((taken) => taken.start.data)
    expect(chain.map(({ causedByUs, depth }) => [causedByUs, depth])).toEqual([0, 1, 2].map((depth) => [true, depth]))
    expect(world.startsOn('new-comment-added-to-card')).toEqual([])
    // A person at the very same account.
    world.agent.answer.status = () => 200
    world.commentByHand()
    await world.untilStarted('new-comment-added-to-card')
    expect(world.event('new-comment-added-to-card').text).toBe('By hand')
  })

  it('a chain that goes through recovery is known as ours too', async () => {
    const { id, createdAt } = await world.attach('new-comment-added-to-card')
    control.disturb({ how: 'drop', times: 100 })
    const { meta } = await world.comment('Ours')
    world.commentByHand()
    await world.pack.subscriptions.recover(caller, id)
    const { items } = await world.pack.events.list(caller, { limit: 9 }, { type: 'commentCard' })
    // The history is read from a little before, so an older comment is there too.
    const recent = items.filter(({ at }) => at >= createdAt)
    const causes = recent.map(({ causedByUs, runId }) => `${String(causedByUs)}, ${runId}`)
    expect(causes.sort()).toEqual(['false, null', `true, ${meta.runId}`])
    await world.untilStarted('new-comment-added-to-card')
  })

  it('scans find notifications and reminders at their interval', async () => {
    const idCard = ids.card('Press kit')
    await world.attach('new-notification', {})
    await world.attach('card-due-date-reminder', { boards: [ids.board], leadMinutes: 0 })
    await until('a first look', () => control.requests().some(({ path }) => path.endsWith('/notifications')))
    await pause(5)
    control.notify({ type: 'mentionedOnCard', idCard, text: 'Look' })
    control.updateCard({ by: 'odettequill', idCard, due: new Date(Date.now() + 2500).toISOString() } as never)
    await world.untilStarted('new-notification')
    await world.untilStarted('card-due-date-reminder')
    expect(world.event('card-due-date-reminder')).toMatchObject({ card: { name: 'Press kit' } })
    // Not long before it is due; how long after, a busy machine decides.
    expect(Date.now() - Date.parse(world.event('card-due-date-reminder').due as string)).toBeGreaterThan(-2500)
  })

  it('a token taken back pauses, connected again it resumes and finds what was missed', async () => {
    const { state, credentials } = world.sandbox
    const { key, secondToken } = credentials
    const { id } = await world.attach('new-card')
    const connection = await world.connectionId()
    control.revokeToken({ token: credentials.token })
    world.createCard('Missed')
    const { connections, hooks } = world.pack
    await expect(hooks.reconcile({ tenant: 'other' }, connection)).rejects.toMatchObject({ code: 'not_found' })
    await hooks.reconcile(caller, connection)
    await until('paused', async () => (await world.stateOf(id)) === 'paused_auth')
    const { token } = control.issueToken({ by: 'marlowfenwick', key })
    await connections.patch(caller, connection, { secrets: { key, token } })
    await until('resumed', async () => (await world.stateOf(id)) === 'active')
    await world.untilStarted('new-card')
    expect(world.event('new-card').card.name).toBe('Missed')
    await until('the hook', () => [...state.webhooks.values()].some((hook) => hook.token === token && hook.active))
    // Another member's token is another account.
    const other = connections.patch(caller, connection, { secrets: { key, token: secondToken } })
    await expect(other).rejects.toMatchObject({ code: 'conflict' })
  })

  it('choices for the settings are loaded from the account', async () => {
    const load: LoadChoices = (request) =>
      world.pack.triggers.options(caller, { integration: 'work-board', ...request })
    const include = [{ label: 'Launch plan' }, { label: 'Support desk' }]
    for (const row of [...choiceTable, { trigger: 'card-moved', field: 'boards', include }])
      await checkChoices(world.sandbox, row, load)
    const unknown = { trigger: 'nothing', field: 'boards', values: {}, query: '' }
    await expect(load(unknown)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('an account that is limited to a board cannot have another one watched', async () => {
    await world.pack.connections.patch(caller, await world.connectionId(), { policy: { boards: [ids.board] } })
    await expect(world.attach('new-card', { boards: [ids.other] })).rejects.toMatchObject({ code: 'not_allowed' })
    expect((await world.attach('new-card')).state).toBe('active')
    expect(world.sandbox.state.webhooks.size).toBe(1)
  })

  it('when the account is removed its hooks are taken back and its subscriptions say so', async () => {
    const { id } = await world.attach('new-card')
    await world.pack.connections.remove(caller, await world.connectionId())
    expect(world.sandbox.state.webhooks.size).toBe(0)
    expect(await world.stateOf(id)).toBe('paused_auth')
  })
})
