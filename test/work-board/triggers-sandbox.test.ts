import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fail } from '#kit'
import type { Event, ProviderRequest, WatchContext } from '#kit'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import type { BoardSandbox } from '../../shared/sandbox/board/index.ts'
import { clientOf, findIds } from '../sandbox/board-client.ts'
import type { Client, Found } from '../sandbox/board-client.ts'
import { startReceiver } from '../sandbox/board-receiver.ts'
import type { Receiver } from '../sandbox/board-receiver.ts'
import { eventOf, needsOf, start, startedBy, triggerOf, noneEarlier, webhooks } from './starts.ts'
import { doings, doOn } from './trigger-doings.ts'

/** Triggers against the sandbox's board, which was written from the vendor's facts and not from them. */
let sandbox: BoardSandbox
let to: Receiver
let ask: Client
let ids: Found
let at = Date.parse('2026-03-02T12:00:00Z')
const minute = 60_000

beforeAll(async () => {
  to = await startReceiver()
  // Every look at the clock is a second later, so that no rate limit is met.
  sandbox = await startBoardSandbox({ now: () => (at += 1000) })
  ask = clientOf(sandbox)
  ids = findIds(sandbox)
})
afterAll(async () => {
  await sandbox.close()
  await to.close()
})

const codes: { [status: number]: Parameters<typeof fail>[0] } = {
  400: 'rejected',
  401: 'access_denied',
  404: 'not_found',
}
/** Sends as the wire does, the token in the path included. */
const send = async ({ method, path, query, body }: ProviderRequest): Promise<unknown> => {
  const text = new URLSearchParams(
    Object.entries(query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  const filled = path.replaceAll('{secret:token}', encodeURIComponent(sandbox.credentials.token))
  const answer = await ask(method, `${filled}${text === '' ? '' : `?${text}`}`, body === undefined ? {} : { body })
  if (answer.status !== 200)
    throw fail(codes[answer.status] ?? 'provider_failed', `${answer.status}`, { providerMessage: answer.text })
  return answer.json
}
const exchange = () => Promise.reject(new Error('no trigger of this integration pages'))
const ctx: WatchContext = { send, exchange, signal: new AbortController().signal, now: () => at }
const hookFor = (kind: string, id: string) => ({
  model: { kind, id },
  callbackUrl: `${to.url}/hooks/${id}`,
  description: 'toolyard',
  types: ['*'],
})

/** What arrives while something is done. */
const during = async (act: () => unknown): Promise<Event[]> => {
  const from = to.posts().length
  await act()
  await sandbox.control.settle()
  return to
    .posts()
    .slice(from)
    .map(({ json }) => eventOf(json))
}
/** Without filters, these two start with nearly everything. */
const isOpen = (id: string) => id === 'custom-webhook-events' || id === 'new-board-activity'
const startsOf = (events: Event[], boards: string[]) =>
  events
    .flatMap((event) => startedBy(event, { boards }))
    .filter((id) => !isOpen(id))
    .sort()

describe('hooks at the sandbox', () => {
  it('are made once, listed, repaired and removed', async () => {
    const hook = hookFor('board', ids.other)
    const { providerId } = await webhooks.register(ctx, hook)
    expect(await webhooks.register(ctx, hook), 'again').toEqual({ providerId })
    expect(await webhooks.list(ctx, [hook.model])).toEqual([
      {
        providerId,
        callbackUrl: hook.callbackUrl,
        model: { kind: 'board', id: ids.other },
        description: 'toolyard',
        active: true,
        failures: 0,
      },
    ])
    await ask('PUT', `/1/webhooks/${providerId}`, { body: { active: false, callbackURL: `${to.url}/elsewhere` } })
    await webhooks.repair(ctx, providerId, hook)
    expect(await webhooks.list(ctx, [hook.model])).toMatchObject([
      { providerId, callbackUrl: hook.callbackUrl, active: true },
    ])
    await webhooks.unregister(ctx, { providerId, model: hook.model })
    await webhooks.unregister(ctx, { providerId, model: hook.model })
    expect(await webhooks.list(ctx, [hook.model])).toEqual([])
    await expect(webhooks.repair(ctx, providerId, hook)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('a receiver that does not answer is said to be the reason', async () => {
    to.answer.head = 404
    await expect(webhooks.register(ctx, hookFor('board', ids.board))).rejects.toMatchObject({
      details: { providerMessage: expect.stringContaining('did not return 200') as string },
    })
    to.answer.head = 200
  })
})

describe('what people do on a board', () => {
  let since: number
  const heard: Event[] = []
  const boards = () => [ids.board, ids.other]
  const hear = async (act: () => unknown, watched = boards()) => {
    const events = await during(act)
    heard.push(...events)
    return startsOf(events, watched)
  }
  const card = (name: string) => ids.card(name)

  beforeAll(async () => {
    since = at
    for (const id of boards()) await webhooks.register(ctx, hookFor('board', id))
  })

  it('starts each trigger once', async () => {
    const act = doOn(sandbox)
    for (const doing of doings)
      expect([doing, await hear(() => act(doing))]).toEqual([doing, doing.starts.filter((id) => !isOpen(id)).sort()])
  })

  it('a card that moves to another board starts each trigger once, whichever boards are watched', async () => {
    const move = (board: string, list: string) =>
      ask('PUT', `/1/cards/${card('Fresh')}`, { body: { idBoard: board, idList: ids.list(list) } })
    expect(await hear(() => move(ids.other, 'Waiting'))).toEqual(['card-moved', 'card-updated', 'new-card'])
    expect(await hear(() => move(ids.board, 'Ideas'), [ids.other])).toEqual(['card-moved', 'card-updated'])
    expect(await hear(() => move(ids.other, 'Waiting'), [ids.other])).toEqual([
      'card-moved',
      'card-updated',
      'new-card',
    ])
  })

  it('is found again in the histories, but for the kinds they lack, and says the same', async () => {
    const listings = await Promise.all(
      boards().map((id) => webhooks.history(ctx, { kind: 'board', id }, { since: { at: since }, via: 'recovery' })),
    )
    const eventsById = new Map(
      listings.flatMap(({ events }) => events.map((event): [string, Event] => [event.id, event])),
    )
    const lost = heard.filter(({ id }) => !eventsById.has(id)).map(({ type }) => type)
    expect(lost).toEqual(['addLabelToCard', 'removeLabelFromCard', 'createLabel'])
    expect(lost.filter((type) => !webhooks.webhookOnly.includes(type))).toEqual([])
    const listed = heard.filter(({ id }) => eventsById.has(id))
    expect(listed.length).toBeGreaterThan(12)
    for (const event of listed) expect(eventsById.get(event.id)).toEqual({ ...event, via: 'recovery' })
    expect(listings.map(({ reached, undecodable }) => [reached, undecodable])).toEqual([
      [true, []],
      [true, []],
    ])
  })

  it('goes on from the mark of the last listing, and sees a history that was cut off', async () => {
    const model = { kind: 'board', id: ids.board }
    const first = await webhooks.history(ctx, model, { since: { at: since }, via: 'recovery' })
    at += 10 * minute
    const events = await during(() => ask('PUT', `/1/cards/${card('Press kit')}`, { body: { desc: 'Later' } }))
    const second = await webhooks.history(ctx, model, { since: first.newest!, via: 'recovery' })
    expect(second.events.at(-1)!.id).toBe(events[0]!.id)
    expect(second).toMatchObject({ reached: true, newest: { id: events[0]!.id } })
    expect(await webhooks.history(ctx, model, { limit: 1, via: 'poll' })).toMatchObject({ newest: second.newest })
    at += 10 * minute
    await during(() => ask('PUT', `/1/cards/${card('Press kit')}`, { body: { desc: 'Later still' } }))
    sandbox.control.trimHistory({ idBoard: ids.board, keep: 1 })
    expect(await webhooks.history(ctx, model, { since: second.newest!, via: 'recovery' })).toMatchObject({
      reached: false,
    })
  })

  it('the list of a card is read where an event does not include it', async () => {
    const [event] = await during(() =>
      ask('POST', '/1/checklists', { body: { idCard: card('Press kit'), name: 'More' } }),
    )
    const home = (await ask('GET', `/1/cards/${card('Press kit')}/list`)).json as { id: string }
    const list = await webhooks.facts(ctx, event!, 'list', noneEarlier)
    expect(list).toMatchObject({ id: home.id })
    expect(
      start(triggerOf('new-checklist'), { boards: [ids.board], lists: [home.id] }, event!, { list }),
    ).toMatchObject({ checklist: { name: 'More' } })
    await during(() => ask('DELETE', `/1/cards/${card('Press kit')}`))
    expect(await webhooks.facts(ctx, event!, 'list', noneEarlier)).toBeUndefined()
  })
})

describe('a checklist', () => {
  it('is completed by the item that is ticked off last, however late that is read', async () => {
    const idCard = ids.card('Choose a launch day')
    const { id } = (await ask('POST', '/1/checklists', { body: { idCard, name: 'Before the day' } })).json as {
      id: string
    }
    const items: string[] = []
    for (const name of ['Invite', 'Cake'])
      items.push(((await ask('POST', `/1/checklists/${id}/checkItems`, { body: { name } })).json as { id: string }).id)
    const tick = (item: number, state: string) =>
      during(() => ask('PUT', `/1/cards/${idCard}/checkItem/${items[item]}`, { body: { state } }))
    await sandbox.control.settle()
    const events = [
      ...(await tick(0, 'complete')),
      ...(await tick(0, 'incomplete')),
      ...(await tick(1, 'complete')),
      ...(await tick(0, 'complete')),
    ]
    await tick(1, 'incomplete')
    const config = { boards: [ids.board] }
    const trigger = triggerOf('checklist-completed')
    const starts: unknown[] = []
    for (const event of events) {
      const completed = needsOf(trigger, config, event).includes('completed')
        ? await webhooks.facts(ctx, event, 'completed', noneEarlier)
        : undefined
      starts.push(start(trigger, config, event, { completed }))
    }
    expect(starts.map((startData) => startData !== undefined)).toEqual([false, false, false, true])
    expect(starts[3]).toMatchObject({
      checklist: { id, name: 'Before the day' },
      checkItem: { id: items[0], name: 'Invite' },
      items: 2,
    })
    await ask('DELETE', `/1/checklists/${id}`)
    expect(await webhooks.facts(ctx, events[3]!, 'completed', noneEarlier)).toBeUndefined()
  })
})

describe('a board made in a workspace', () => {
  it('is reported as two events of one key, and its own list says the same', async () => {
    const [organization] = [...sandbox.state.organizations.keys()] as [string]
    await webhooks.register(ctx, hookFor('organization', organization))
    const trigger = triggerOf('new-board')
    const config = await trigger.resolve!(ctx, { idOrganization: organization })
    const since = at
    const events = await during(() =>
      ask('POST', '/1/boards', { body: { name: 'Third', idOrganization: organization } }),
    )
    const started = events.filter((event) => start(trigger, config, event) !== undefined)
    expect(started.length).toBeGreaterThan(0)
    const keys = new Set(started.map((event) => trigger.webhook!.key!(event, config)))
    expect(keys.size).toBe(1)
    for (const resource of [trigger.poll!.resources(config)[0]!, 'boards:mine']) {
      const { items } = await trigger.poll!.fetch(ctx, resource, undefined)
      const polledEvents = trigger.poll!.pick(items, config, { since, scanned: undefined, now: at })
      expect(polledEvents.map(({ key }) => key)).toEqual([...keys])
      expect(polledEvents.map(({ data }) => trigger.data.parse(data))).toMatchObject([
        { board: { name: 'Third' }, way: 'created' },
      ])
    }
    await expect(trigger.resolve!(ctx, { idOrganization: ids.board })).rejects.toMatchObject({
      code: 'not_found',
      details: { errors: [{ pointer: '/idOrganization' }] },
    })
  })
})

describe('scans at the sandbox', () => {
  it('notifications: a baseline, then what comes', async () => {
    const poll = triggerOf('new-notification').poll!
    sandbox.control.notify({ type: 'changeCard', text: 'before' })
    const first = await poll.fetch(ctx, 'notifications', undefined)
    expect(first.items).toEqual([])
    const since = at
    at += 2 * minute
    sandbox.control.notify({ type: 'mentionedOnCard', text: 'look', idCard: ids.card('Write the launch page') })
    const second = await poll.fetch(ctx, 'notifications', first.cursor)
    const polledEvents = poll.pick(second.items, {}, { since, scanned: since, now: at })
    expect(polledEvents.map(({ data }) => triggerOf('new-notification').data.parse(data))).toMatchObject([
      {
        type: 'mentionedOnCard',
        text: 'look',
        card: { name: 'Write the launch page' },
        board: { name: 'Launch plan' },
      },
    ])
  })

  it('due dates: a card dated after the scan before is seen; one in an archived list is not', async () => {
    const trigger = triggerOf('card-due-date-reminder')
    const resource = `due:${ids.board}`
    const idCard = ids.card('Write the launch page')
    const first = await trigger.poll!.fetch(ctx, resource, undefined)
    const scanned = at
    const due = new Date(at + 30 * minute).toISOString()
    await ask('PUT', `/1/cards/${idCard}`, { body: { due, dueComplete: false } })
    const second = await trigger.poll!.fetch(ctx, resource, first.cursor)
    const config = trigger.config.parse({ boards: [ids.board] })
    const polledEvents = trigger.poll!.pick(second.items, config, { since: scanned - minute, scanned, now: at })
    expect(polledEvents.filter(({ key }) => key.startsWith(idCard))).toMatchObject([
      { key: `${idCard}:${due}:60`, late: true, data: { due, card: { name: 'Write the launch page' } } },
    ])
    const { idList } = (await ask('GET', `/1/cards/${idCard}`)).json as { idList: string }
    await ask('PUT', `/1/lists/${idList}`, { body: { closed: true } })
    expect((await trigger.poll!.fetch(ctx, resource, second.cursor)).items.map(({ id }) => id)).not.toContain(idCard)
  })
})

describe('attaching', () => {
  it('short links and addresses become ids; what cannot be seen is named', async () => {
    const trigger = triggerOf('custom-webhook-events')
    const { shortLink, url } = (await ask('GET', `/1/boards/${ids.board}?fields=shortLink,url`)).json as {
      shortLink: string
      url: string
    }
    const [idCard] = [...sandbox.state.cards.keys()] as [string]
    const link = sandbox.state.cards.get(idCard)!.shortLink
    const config = trigger.config.parse({ boards: [shortLink, url, ids.other], cards: [link, idCard] })
    expect(await trigger.resolve!(ctx, config)).toEqual({ boards: [ids.board, ids.other], cards: [idCard] })
    await expect(
      trigger.resolve!(ctx, trigger.config.parse({ boards: [ids.board, 'zZ9zZ9zZ'] })),
    ).rejects.toMatchObject({
      code: 'not_found',
      details: { errors: [{ pointer: '/boards/1' }] },
    })
  })

  it('offers the lists, cards and labels of all chosen boards, and the workspaces', async () => {
    const choices = async (id: string, field: string, values: Record<string, unknown>, query = '') => {
      const all = []
      for (let cursor: string | undefined; ;) {
        const page = await triggerOf(id).fields![field]!.options!(ctx, {
          values,
          query,
          ...(cursor === undefined ? {} : { cursor }),
        })
        all.push(...page.options)
        if ((cursor = page.next) === undefined) return all
      }
    }
    const boards = { boards: [ids.board, ids.other] }
    const open = (idBoard: string) =>
      [...sandbox.state.lists.values()].filter((list) => list.idBoard === idBoard && !list.closed).map(({ id }) => id)
    expect((await choices('card-moved', 'toLists', boards)).map(({ value }) => value).sort()).toEqual(
      [...open(ids.board), ...open(ids.other)].sort(),
    )
    expect(await choices('card-moved', 'fromLists', boards, 'waiting')).toEqual([
      { value: ids.list('Waiting'), label: 'Waiting', hint: 'Support desk' },
    ])
    const page = await triggerOf('card-moved').fields!.fromLists!.options!(ctx, { values: boards, query: 'waiting' })
    expect(page.options, 'a hit on the second board comes at once, not after an empty page').toHaveLength(1)
    expect(await choices('card-moved', 'fromLists', { boards: [ids.other] }, 'waiting')).toEqual([
      { value: ids.list('Waiting'), label: 'Waiting' },
    ])
    expect(await choices('card-updated', 'cards', boards, 'parcel arrived')).toMatchObject([
      { value: ids.card('Parcel arrived without a lid'), hint: expect.stringContaining('Support desk') as string },
    ])
    expect((await choices('new-label-added-to-card', 'labels', boards, 'copy')).map(({ value }) => value)).toContain(
      ids.label('Copy'),
    )
    expect((await choices('new-board', 'idOrganization', {})).map(({ label }) => label)).toEqual(['Harbourlight Works'])
    expect((await choices('new-board-activity', 'types', {}, 'label')).map(({ value }) => value)).toContain(
      'addLabelToCard',
    )
    const mention = { value: 'mentionedOnCard', label: 'Mentioned on card', hint: 'mentionedOnCard' }
    for (const query of ['mention', 'on card', 'mentionedOn'])
      expect(await choices('new-notification', 'types', {}, query)).toContainEqual(mention)
    expect(await choices('new-board-activity', 'types', {}, 'createLabel')).toEqual([
      { value: 'createLabel', label: 'Create label', hint: 'createLabel · create · by webhook only' },
    ])
    await expect(choices('card-moved', 'toLists', { boards: [] })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { errors: [{ pointer: '/values/boards' }] },
    })
    await expect(choices('card-moved', 'toLists', { boards: ['?'] })).rejects.toMatchObject({ code: 'invalid_input' })
  })
})

it('asked for nothing that the board does not know', () => {
  expect(sandbox.control.counters().unknownParameters).toEqual([])
})
