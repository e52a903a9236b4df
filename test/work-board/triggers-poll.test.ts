import { describe, expect, it } from 'vitest'
import type { ProviderRequest } from '#kit'
import { fakeContext, ids, idOf } from './fake.ts'
import { triggerOf } from './starts.ts'
import { cases } from './trigger-tables.ts'

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
  const minutes = (count: number | undefined, otherwise: number) =>
    count === undefined ? otherwise : noon + count * minute

  it.each(cases.reminders)('fires $what: $picks', (row) => {
    const id =
      row.made === undefined ? ((row.item?.id as string | undefined) ?? old) : madeAt(noon + row.made * minute, 3)
    const time = {
      since: minutes(row.since, steady.since),
      scanned: row.scanned === null ? (undefined as never) : minutes(row.scanned, steady.scanned),
      now: minutes(row.now, noon),
    }
    const settings = config(row.config)
    const due = noon + row.due * minute
    const { picks } = row
    expect(
      poll.pick([item(due, { ...row.item, id })], settings, time).map(({ key, fireAt, late, missed }) => ({
        // Of card, due time and lead time: re-dated fires anew, found again does not.
        key,
        ...(fireAt === undefined ? {} : { fireAt: (fireAt - noon) / minute }),
        ...(late ? { late } : {}),
        ...(missed ? { missed } : {}),
      })),
    ).toEqual(picks ? [{ key: `${id}:${iso(due)}:${String(settings.leadMinutes)}`, ...picks }] : [])
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
