import { describe, expect, it } from 'vitest'
import type { PollFound, ProviderRequest } from '#kit'
import { fakeContext, ids, idOf } from './fake.ts'
import { triggerOf } from './starts.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const noon = Date.parse('2026-03-02T12:00:00.000Z')
const iso = (ms: number) => new Date(ms).toISOString()
/** An id made at that time, as the board makes them. */
const madeAt = (ms: number, n = 0) =>
  Math.floor(ms / 1000)
    .toString(16)
    .padStart(8, '0') + n.toString(16).padStart(16, '0')

const shape = (polledEvents: PollFound<unknown>[]) =>
  polledEvents.map(({ key, fireAt, late, missed }) => ({
    key,
    ...(fireAt === undefined ? {} : { fireAt: iso(fireAt) }),
    ...(late ? { late } : {}),
    ...(missed ? { missed } : {}),
  }))

describe('Card Due Date Reminder', () => {
  const trigger = triggerOf('card-due-date-reminder')
  const poll = trigger.poll!
  const config = (more: Record<string, unknown> = {}) =>
    trigger.config.parse({ boards: [ids.board], leadMinutes: 60, ...more })
  const old = madeAt(noon - 90 * day, 1)
  const item = (due: number, more: Record<string, unknown> = {}) => ({
    id: old,
    at: iso(due),
    name: 'Press kit',
    shortLink: 'mN4tR8wL',
    idList: ids.list,
    idBoard: ids.board,
    fresh: false,
    ...more,
  })
  /** A scan each minute, of a subscription attached ten days ago. */
  const steady = { since: noon - 10 * day, scanned: noon - minute, now: noon }
  const pick = (items: ReturnType<typeof item>[], time = steady, more = {}) =>
    shape(poll.pick(items, config(more), time))
  const key = (due: number, id = old, lead = 60) => `${id}:${iso(due)}:${lead}`

  it('fires when the lead time is reached, and not before', () => {
    const due = noon + hour
    expect(pick([item(due)])).toEqual([{ key: key(due) }])
    expect(
      pick([item(due)], { ...steady, now: noon - 1, scanned: noon - minute }),
      'a moment too early: a timer for it',
    ).toEqual([{ key: key(due), fireAt: iso(noon) }])
    expect(pick([item(noon + hour - 4 * minute)]), 'found by the next scans').toEqual([
      { key: key(noon + hour - 4 * minute) },
    ])
  })

  it('says what is due, when, and where', () => {
    const due = noon + hour
    expect(trigger.data.parse(poll.pick([item(due)], config(), steady)[0]!.data)).toEqual({
      at: iso(noon),
      due: iso(due),
      leadMinutes: 60,
      board: { id: ids.board },
      list: { id: ids.list },
      card: { id: old, name: 'Press kit', shortLink: 'mN4tR8wL' },
    })
  })

  it('gives those of the next two hours to timers; later ones are found by later scans', () => {
    expect(pick([item(noon + 3 * hour), item(noon + 3 * hour + minute, { id: idOf(2) })])).toEqual([
      { key: key(noon + 3 * hour), fireAt: iso(noon + 2 * hour) },
    ])
  })

  it('has a key of card, due time and lead time: re-dated fires anew, found again does not', () => {
    const keys = [
      pick([item(noon + hour)]),
      pick([item(noon + hour - minute)]),
      pick([item(noon + hour)], { ...steady, now: noon + minute }),
      pick([item(noon + hour)], steady, { leadMinutes: 61 }),
    ].map((polledEvents) => polledEvents[0]?.key)
    expect(new Set(keys).size).toBe(3)
    expect(keys[0]).toBe(keys[2])
  })

  it('fires nothing from before it was attached', () => {
    const attached = { since: noon, scanned: noon - minute, now: noon + minute }
    expect(pick([item(noon + 30 * minute)], attached), "due in half an hour, the hour's notice is past").toEqual([])
    expect(pick([item(noon - day)], attached)).toEqual([])
    expect(
      pick([item(noon + 30 * minute)], { ...attached, scanned: undefined as never }),
      'nor at the very first scan',
    ).toEqual([])
  })

  it('a card that comes into the lead time later fires at once, late: made, re-dated, restored', () => {
    const attached = { since: noon, scanned: noon + 9 * minute, now: noon + 10 * minute }
    const made = madeAt(noon + 9.5 * minute, 3)
    expect(pick([item(noon + 30 * minute, { id: made })], attached)).toEqual([
      { key: key(noon + 30 * minute, made), late: true },
    ])
    expect(pick([item(noon + 30 * minute, { fresh: true })], attached)).toEqual([
      { key: key(noon + 30 * minute), late: true },
    ])
    expect(
      pick([item(noon + 3 * day, { fresh: true })], attached, { leadMinutes: 7 * 24 * 60 }),
      'days inside the lead time is not missed while the due time is ahead',
    ).toEqual([{ key: key(noon + 3 * day, old, 10_080), late: true }])
  })

  it('what is new since a scan from before the subscription may be older than it', () => {
    expect(
      pick([item(noon + 30 * minute, { fresh: true })], { since: noon, scanned: noon - day, now: noon + minute }),
    ).toEqual([])
  })

  it('a due time that was past when it was given starts nothing', () => {
    expect(pick([item(noon - hour, { id: madeAt(noon - 30_000, 4) })])).toEqual([])
    expect(pick([item(noon - 2 * hour, { fresh: true })])).toEqual([])
  })

  it('after an outage: late while of use, recorded as missed when the due time is past and a day has gone', () => {
    const back = (downFor: number) => ({ since: noon - 30 * day, scanned: noon - downFor, now: noon })
    const was = (due: number, down: number, more = {}) => pick([item(due)], back(down), more)[0]
    expect(was(noon - 5 * hour, 6 * hour)).toEqual({ key: key(noon - 5 * hour), late: true })
    expect(was(noon - 22 * hour, 3 * day)).toEqual({ key: key(noon - 22 * hour), late: true })
    expect(was(noon - 24 * hour, 3 * day)).toEqual({ key: key(noon - 24 * hour), missed: true })
    expect(was(noon - 9 * day, 10 * day), 'however long it lasted').toEqual({ key: key(noon - 9 * day), missed: true })
    expect(was(noon + day, 3 * day, { leadMinutes: 3 * 24 * 60 }), 'the due time still ahead').toEqual({
      key: key(noon + day, old, 4320),
      late: true,
    })
    expect(was(noon - 11 * day, 10 * day), 'from before the outage').toBeUndefined()
  })

  it('an overdue card is not polled for ever', () => {
    expect(pick([item(noon - 3 * day)])).toEqual([])
  })

  it('a clock that jumped ahead skips nothing, one that jumped back repeats nothing', () => {
    const due = noon + hour
    expect(pick([item(due)], { ...steady, now: noon + 3 * hour })).toEqual([{ key: key(due), late: true }])
    expect(pick([item(due)], { since: steady.since, scanned: noon + 5 * hour, now: noon }), 'the same key').toEqual([
      { key: key(due) },
    ])
  })

  it('filters by list and board', () => {
    const due = noon + hour
    expect(pick([item(due)], steady, { lists: [ids.list] })).toHaveLength(1)
    expect(pick([item(due)], steady, { lists: [ids.otherList] })).toEqual([])
    expect(pick([item(due, { idBoard: ids.otherBoard })])).toEqual([])
  })

  const fetch = async (cards: unknown[], cursor?: string) => {
    const { ctx, sent } = fakeContext([cards])
    return { ...(await poll.fetch(ctx, `due:${ids.board}`, cursor)), sent }
  }
  const card = (id: string, more: Record<string, unknown> = {}) => ({
    id,
    name: 'x',
    due: iso(noon),
    dueComplete: false,
    closed: false,
    idList: ids.list,
    shortLink: 'mN4tR8wL',
    ...more,
  })

  it('reads the visible cards of a board, and leaves out the undated, complete and archived', async () => {
    const { items, sent } = await fetch([
      card(idOf(1)),
      card(idOf(2), { due: null }),
      card(idOf(3), { dueComplete: true }),
      card(idOf(4), { closed: true }),
      card(idOf(5), { due: 'soon' }),
      card(idOf(6), { dueComplete: undefined }),
    ])
    expect(items.map(({ id }) => id)).toEqual([idOf(1), idOf(6)])
    expect(sent).toEqual([
      {
        method: 'GET',
        path: `/1/boards/${ids.board}/cards`,
        query: { filter: 'visible', fields: 'name,due,dueComplete,closed,idList,shortLink', limit: 1000 },
      },
    ])
  })

  it('marks what was not there at the scan before: new, re-dated, restored or reopened cards', async () => {
    const first = await fetch([
      card(idOf(1)),
      card(idOf(2)),
      card(idOf(3), { closed: true }),
      card(idOf(4), { dueComplete: true }),
    ])
    expect(first.items.map(({ fresh }) => fresh)).toEqual([false, false])
    const second = await fetch(
      [card(idOf(1)), card(idOf(2), { due: iso(noon + hour) }), card(idOf(3)), card(idOf(4)), card(idOf(5))],
      first.cursor,
    )
    expect(second.items.map(({ fresh }) => fresh)).toEqual([false, true, true, true, true])
    const third = await fetch(
      [card(idOf(1)), card(idOf(2), { due: iso(noon + hour) }), card(idOf(3)), card(idOf(4)), card(idOf(5))],
      second.cursor,
    )
    expect(third.items.map(({ fresh }) => fresh)).toEqual([false, false, false, false, false])
  })

  it('an empty board is a scan too: the first dated card after it is new', async () => {
    const { cursor } = await fetch([])
    expect(cursor, 'a cursor nobody takes for none').toMatch(/./)
    expect((await fetch([card(idOf(1))], cursor)).items).toMatchObject([{ fresh: true }])
  })

  it('names one scan per board, shared by whoever asks', () => {
    expect(poll.resources(config({ boards: [ids.board, ids.otherBoard] }))).toEqual([
      `due:${ids.board}`,
      `due:${ids.otherBoard}`,
    ])
    expect(poll.resources(config({ leadMinutes: 5 }))).toEqual([`due:${ids.board}`])
  })
})

describe('New Notification', () => {
  const trigger = triggerOf('new-notification')
  const poll = trigger.poll!
  const notification = (ms: number, n: number, more: Record<string, unknown> = {}) => ({
    id: madeAt(ms, n),
    date: iso(ms),
    type: 'mentionedOnCard',
    unread: true,
    data: { text: `n${n}` },
    ...more,
  })
  /** Plays the provider: newest first, `since` with its own item, `before` without. */
  const provider = (all: { id: string }[]) => (request: ProviderRequest) => {
    const { since = '', before = 'z', limit } = request.query as { since?: string; before?: string; limit: number }
    return all
      .filter(({ id }) => id >= since && id < before)
      .sort((a, b) => (a.id < b.id ? 1 : -1))
      .slice(0, limit)
  }
  const fetch = async (all: { id: string }[], cursor?: string) => {
    const { ctx, sent } = fakeContext(provider(all))
    return { ...(await poll.fetch(ctx, 'notifications', cursor)), sent }
  }

  it('the first poll sets a baseline: the newest id, not the last of the list', async () => {
    const all = [notification(noon - hour, 1), notification(noon, 2)]
    const { items, cursor, sent } = await fetch(all)
    expect([items, cursor]).toEqual([[], all[1]!.id])
    expect(sent).toHaveLength(1)
    const backwards = await poll.fetch(fakeContext([[...all]]).ctx, 'notifications', undefined)
    expect(backwards.cursor, 'whichever way round they come').toBe(all[1]!.id)
  })

  it('an account without any: the first one that comes is new', async () => {
    const { cursor } = await fetch([])
    expect(cursor).toBeDefined()
    const { items, sent } = await fetch([notification(noon, 1)], cursor)
    expect(items.map(({ data }) => data)).toEqual([{ text: 'n1' }])
    expect(sent[0]!.query).not.toHaveProperty('since')
  })

  it('gives what came since, oldest first, and moves on by ids the board gave', async () => {
    const all = [notification(noon, 1), notification(noon + hour, 2), notification(noon + 2 * hour, 3)]
    const { items, cursor, sent } = await fetch(all, all[0]!.id)
    expect(items.map(({ id }) => id)).toEqual(all.map(({ id }) => id))
    expect(cursor, 'old enough for nothing to come to lie before it').toBe(all[1]!.id)
    expect(sent[0]!.query).toMatchObject({ since: all[0]!.id, limit: 1000 })
  })

  it('reads the last minute again: ids of one moment may come out of order', async () => {
    const early = [notification(noon, 9)]
    const first = await fetch(early, madeAt(noon - hour, 0))
    const second = await fetch([...early, notification(noon, 3)], first.cursor)
    expect(second.items.map(({ data }) => data)).toEqual([{ text: 'n3' }, { text: 'n9' }])
    const keys = poll.pick(second.items, {}, { since: noon - day, scanned: undefined, now: noon }).map(({ key }) => key)
    expect(keys, 'what is found again has the same key').toContain(
      poll.pick(first.items, {}, { since: noon - day, scanned: undefined, now: noon })[0]!.key,
    )
  })

  it('walks back page by page when more came than one answer holds', async () => {
    const all = Array.from({ length: 2500 }, (_, n) => notification(noon + n * 1000, n))
    const { items, sent } = await fetch(all, all[0]!.id)
    expect(items.map(({ id }) => id)).toEqual(all.map(({ id }) => id))
    expect(sent.map(({ query }) => query?.before !== undefined)).toEqual([false, true, true])
  })

  it('says so when the board gives the same page again', async () => {
    const same = Array.from({ length: 1000 }, (_, n) => notification(noon, n))
    const { ctx } = fakeContext(() => same)
    await expect(poll.fetch(ctx, 'notifications', same[0]!.id)).rejects.toMatchObject({ code: 'bad_reply' })
  })

  it('starts only for what came after it was attached, and for the types chosen', () => {
    const items = [
      notification(noon - 1, 1),
      notification(noon, 2),
      notification(noon + 1, 3, { type: 'addedToCard' }),
    ].map((row) => ({
      ...row,
      at: row.date,
    }))
    const picked = (config: Record<string, unknown>) =>
      poll.pick(items, config, { since: noon, scanned: undefined, now: noon }).map(({ key }) => key)
    expect(picked({})).toEqual([items[1]!.id, items[2]!.id])
    expect(picked({ types: ['addedToCard'] })).toEqual([items[2]!.id])
  })

  it('says what, who and where; one without a card, or odd, is found too', () => {
    const by = {
      idMemberCreator: ids.member,
      memberCreator: { id: ids.member, fullName: 'Mara Quill', username: 'maraquill' },
    }
    const data = {
      text: 'look',
      card: { id: ids.card, name: 'Press kit', shortLink: 'mN4tR8wL' },
      board: { id: ids.board, name: 'Launch' },
    }
    const rows = [
      notification(noon, 1, { ...by, data, idAction: idOf(7) }),
      notification(noon, 2, { type: 'memberJoinedTrello', data: {}, unread: false }),
      notification(noon, 3, { type: 7, data: null, memberCreator: 'x', unread: 'yes' }),
    ]
    const eventData = poll
      .pick(
        rows.map((row) => ({ ...row, at: row.date })),
        {},
        { since: 0, scanned: undefined, now: noon },
      )
      .map((polledEvent) => JSON.parse(JSON.stringify(trigger.data.parse(polledEvent.data))) as unknown)
    expect(eventData[0]).toEqual({
      notificationId: rows[0]!.id,
      type: 'mentionedOnCard',
      at: iso(noon),
      unread: true,
      actionId: idOf(7),
      text: 'look',
      by: { id: ids.member, name: 'Mara Quill', username: 'maraquill' },
      board: { id: ids.board, name: 'Launch' },
      card: { id: ids.card, name: 'Press kit', shortLink: 'mN4tR8wL' },
    })
    expect(eventData[1]).toEqual({
      notificationId: rows[1]!.id,
      type: 'memberJoinedTrello',
      at: iso(noon),
      unread: false,
    })
    expect(eventData[2]).toEqual({ notificationId: rows[2]!.id, type: 'unknown', at: iso(noon), unread: false })
  })
})

describe('New Board, polled', () => {
  const trigger = triggerOf('new-board')
  const poll = trigger.poll!
  const board = (ms: number, n: number) => ({
    id: madeAt(ms, n),
    name: `b${n}`,
    shortLink: 'Tb5Hn3Qa',
    idOrganization: null,
  })
  const fetch = async (resource: string, boards: unknown[]) => {
    const { ctx, sent } = fakeContext([boards])
    return { ...(await poll.fetch(ctx, resource, undefined)), sent }
  }

  it("reads the account's boards, or those of the workspace", async () => {
    expect((await fetch('boards:mine', [])).sent).toEqual([
      {
        method: 'GET',
        path: '/1/members/me/boards',
        query: { filter: 'all', fields: 'name,shortLink,idOrganization,idMemberCreator' },
      },
    ])
    expect((await fetch(`boards:organization:${ids.label}`, [])).sent[0]!.path).toBe(
      `/1/organizations/${ids.label}/boards`,
    )
  })

  it('starts for boards made since it was attached, also when they come into sight later, but not for ever', async () => {
    const { items } = await fetch('boards:mine', [
      board(noon - hour, 1),
      board(noon + 500, 2),
      board(noon + 20 * day, 3),
      { id: 'odd', name: 'x' },
    ])
    const keys = (since: number, scanned: number | undefined) =>
      poll.pick(items, {}, { since, scanned, now: noon + 20 * day }).map(({ key }) => key.slice(-1))
    expect(keys(noon, undefined)).toEqual(['2', '3'])
    expect(keys(noon, noon + 2 * day)).toEqual(['2', '3'])
    expect(keys(noon, noon + 19 * day)).toEqual(['3'])
    expect(keys(noon + 400, noon + 400), 'ids tell whole seconds only').toEqual(['2', '3'])
  })

  it("has the key that the workspace's webhook gives for the same board", async () => {
    const { items } = await fetch('boards:mine', [board(noon, 1)])
    const [polledEvent] = poll.pick(items, {}, { since: noon, scanned: undefined, now: noon })
    expect(polledEvent).toEqual({
      key: `board:${madeAt(noon, 1)}`,
      at: iso(noon),
      data: { at: iso(noon), board: { id: madeAt(noon, 1), name: 'b1', shortLink: 'Tb5Hn3Qa' }, way: 'created' },
      container: { kind: 'board', id: madeAt(noon, 1) },
      objects: [{ kind: 'board', id: madeAt(noon, 1) }],
    })
    expect(trigger.data.safeParse(polledEvent!.data).success).toBe(true)
  })
})
