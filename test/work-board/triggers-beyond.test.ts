import { describe, expect, it } from 'vitest'
import { board, card, deliveryOf, list } from './action-table.ts'
import { ids, idOf } from './fake.ts'
import { eventOf, needsOf, start, triggerOf, webhooks } from './starts.ts'

/** The triggers that the document does not have. */
const onBoard = { boards: [ids.board] }
const event = (type: string, data: Record<string, unknown> = {}) => eventOf(deliveryOf(type, { board, ...data }))
const run = (trigger: string, config: Record<string, unknown>, boardEvent: ReturnType<typeof event>, facts = {}) =>
  start(triggerOf(trigger), { ...onBoard, ...config }, boardEvent, facts) as any

describe('Mentioned in a Comment', () => {
  const taken = (text: string) =>
    run('mentioned-in-a-comment', { member: 'tamsinreed' }, event('commentCard', { card, list, text }))

  it('takes the user name as a word of its own, in any case', () => {
    for (const text of [
      '@tamsinreed',
      'Hello @TamsinReed, please',
      '(@tamsinreed)',
      'ask\n@tamsinreed.',
      '@odette @tamsinreed',
    ])
      expect(taken(text), text).toBeDefined()
    for (const text of ['tamsinreed', '@tamsinreed2', 'mail@tamsinreed.example', '@tamsin reed', '', '@board'])
      expect(taken(text), text).toBeUndefined()
    expect(taken('Hi @TamsinReed')).toMatchObject({ text: 'Hi @TamsinReed', mentioned: 'tamsinreed' })
  })

  it('"me" and ids become the user name when the subscription is made', async () => {
    const requestedPaths: string[] = []
    const send = ({ path }: { path: string }) => {
      requestedPaths.push(path)
      return Promise.resolve({ id: ids.board, username: 'tamsinreed' })
    }
    for (const member of ['me', ids.member, '@tamsinreed']) {
      const config = await triggerOf('mentioned-in-a-comment').resolve!({ send } as never, {
        boards: [ids.board],
        member,
      })
      expect(config).toMatchObject({ boards: [ids.board], member: 'tamsinreed' })
    }
    expect(requestedPaths).toEqual(['/1/members/me', `/1/members/${ids.member}`, '/1/members/tamsinreed'])
  })
})

describe('Card Due Date Changed', () => {
  const [first, second] = ['2026-03-01T05:00:00.000Z', '2026-03-04T05:00:00.000Z']
  const changed = (before: string | null, due: string | null, config = {}) =>
    run('card-due-date-changed', config, event('updateCard', { card: { ...card, due }, old: { due: before }, list }))

  it('says whether it was set, moved or removed', () => {
    expect(changed(null, first)).toMatchObject({ change: 'set', due: first, dueBefore: null })
    expect(changed(first, second)).toMatchObject({ change: 'moved', due: second, dueBefore: first })
    expect(changed(first, null)).toMatchObject({ change: 'removed', due: null, dueBefore: first })
  })

  it('takes only the chosen changes, and no others of the card', () => {
    expect(changed(first, null, { changes: ['set', 'moved'] })).toBeUndefined()
    expect(changed(first, null, { changes: ['removed'] })).toBeDefined()
    expect(
      run(
        'card-due-date-changed',
        {},
        event('updateCard', { card: { ...card, dueComplete: true }, old: { dueComplete: false }, list }),
      ),
    ).toBeUndefined()
  })
})

it('List Updated takes only the chosen lists and properties', () => {
  const renamed = event('updateList', { list: { ...list, name: 'Now' }, old: { name: 'Doing' } })
  expect(run('list-updated', {}, renamed)).toMatchObject({
    changed: ['name'],
    before: { name: 'Doing' },
    after: { name: 'Now' },
    list: { name: 'Now' },
  })
  expect(run('list-updated', { properties: ['closed'] }, renamed)).toBeUndefined()
  expect(run('list-updated', { lists: [ids.otherList] }, renamed)).toBeUndefined()
  expect(
    run('list-updated', { properties: ['other'] }, event('updateList', { list, old: { softLimit: 5 } })),
  ).toMatchObject({ changed: ['softLimit'] })
})

it('New List says whether it was created or came from another board', () => {
  expect(run('new-list', {}, event('createList', { list }))).toMatchObject({ way: 'created', list })
  expect(run('new-list', {}, event('moveListToBoard', { list, boardSource: { id: ids.otherBoard } }))).toMatchObject({
    way: 'moved',
    from: { board: { id: ids.otherBoard } },
  })
})

it('Comment Edited gives the text before and after', () => {
  expect(
    run(
      'comment-edited',
      {},
      event('updateComment', { card, action: { id: idOf(91), text: 'B' }, old: { text: 'A' } }),
    ),
  ).toMatchObject({
    commentId: idOf(91),
    text: 'B',
    textBefore: 'A',
  })
})

it('Custom Field Changed gives the value, of lists the option', () => {
  const customField = { id: idOf(81), name: 'Effort', type: 'number' }
  const buildEvent = (item: Record<string, unknown>, old?: Record<string, unknown>) =>
    event('updateCustomFieldItem', {
      card,
      customField,
      customFieldItem: { id: idOf(82), ...item },
      ...(old ? { old } : {}),
    })
  expect(run('custom-field-changed', {}, buildEvent({ value: { number: '3' } }, { value: null }))).toMatchObject({
    customField,
    value: { number: '3' },
    valueBefore: null,
  })
  expect(run('custom-field-changed', {}, buildEvent({ value: null, idValue: idOf(83) }))).toMatchObject({
    value: null,
    idOption: idOf(83),
  })
  expect(run('custom-field-changed', { customFields: [idOf(84)] }, buildEvent({ value: null }))).toBeUndefined()
  expect(run('custom-field-changed', { customFields: [idOf(81)] }, buildEvent({ value: null }))).toBeDefined()
})

it('Member Removed from Card says whether they left, and can be for the own account only', () => {
  const removed = event('removeMemberFromCard', {
    card,
    idMember: ids.member,
    member: { id: ids.member, name: 'Mara Quill' },
  })
  expect(run('member-removed-from-card', {}, removed)).toMatchObject({
    member: { id: ids.member, name: 'Mara Quill' },
    left: false,
  })
  expect(run('member-removed-from-card', { onlyMe: true }, removed, { me: idOf(52) })).toBeUndefined()
  expect(run('member-removed-from-card', { onlyMe: true }, removed, { me: ids.member })).toBeDefined()
})

it('Label Removed from Card takes only the chosen labels', () => {
  const removed = event('removeLabelFromCard', {
    card,
    label: { id: ids.label, name: 'Copy', color: 'yellow' },
    text: 'Copy',
    value: 'yellow',
  })
  expect(run('label-removed-from-card', { labels: [ids.label] }, removed)).toMatchObject({ label: { id: ids.label } })
  expect(run('label-removed-from-card', { labels: [idOf(42)] }, removed)).toBeUndefined()
})

it('Board Closed starts neither when the board is opened again nor by other changes', () => {
  const closed = (to: boolean) => event('updateBoard', { board: { ...board, closed: to }, old: { closed: !to } })
  expect(run('board-closed', {}, closed(true))).toMatchObject({ board: { id: ids.board } })
  expect(run('board-closed', {}, closed(false))).toBeUndefined()
})

describe('Checklist Completed', () => {
  const tick = (n: number, item: number, state: string, second = n) => ({
    id: `698c3001${n.toString(16).padStart(16, '0')}`,
    type: 'updateCheckItemStateOnCard',
    date: new Date(Date.parse('2026-02-11T07:30:00.000Z') + second * 1000).toISOString(),
    data: {
      board,
      card,
      checklist: { id: ids.checklist, name: 'Steps' },
      checkItem: { id: idOf(item), name: `Item ${item}`, state },
    },
  })
  type Action = ReturnType<typeof tick>

  /** Which of these ticks start it, whenever they are looked at. */
  const startsOf = async (ticks: Action[], items: { id: string; state: string }[]) => {
    const send = ({ path }: { path: string }) =>
      Promise.resolve(path.endsWith('/actions') ? ticks.toReversed() : { id: ids.checklist, checkItems: items })
    const starts: boolean[] = []
    for (const action of ticks) {
      const tickEvent = eventOf({ action, model: { id: ids.board, prefs: {} } })
      const isRead = needsOf(triggerOf('checklist-completed'), onBoard, tickEvent).includes('completed')
      const completed = isRead
        ? await webhooks.facts({ send } as never, tickEvent, 'completed', () => Promise.resolve([]))
        : undefined
      starts.push(run('checklist-completed', {}, tickEvent, { completed }) !== undefined)
    }
    return starts
  }

  it('starts with the tick that left nothing open, told from what the items were then', async () => {
    // Item 34 was done from the beginning; one more was added later and is open.
    const items = [
      { id: idOf(32), state: 'complete' },
      { id: idOf(33), state: 'incomplete' },
      { id: idOf(34), state: 'complete' },
      { id: `698c4000${'0'.repeat(16)}`, state: 'incomplete' },
    ]
    const ticks = [
      tick(1, 32, 'complete'),
      tick(2, 32, 'incomplete'),
      tick(3, 33, 'complete'),
      tick(4, 32, 'complete'),
      tick(6, 33, 'incomplete'),
    ]
    expect(await startsOf(ticks, items)).toEqual([false, false, false, true, false])
  })

  it('starts once when two items are ticked off in the same second', async () => {
    const items = [32, 33].map((n) => ({ id: idOf(n), state: 'complete' }))
    expect(await startsOf([tick(1, 32, 'complete', 1), tick(2, 33, 'complete', 1)], items)).toEqual([false, true])
  })

  it('starts again when it is completed again, and with a single item', async () => {
    const items = [{ id: idOf(32), state: 'complete' }]
    expect(
      await startsOf([tick(1, 32, 'complete'), tick(2, 32, 'incomplete'), tick(3, 32, 'complete')], items),
    ).toEqual([true, false, true])
  })

  it('starts nothing where the history does not reach back to the event', async () => {
    const tickEvent = eventOf({ action: tick(1, 32, 'complete'), model: { id: ids.board, prefs: {} } })
    const later = [tick(2, 33, 'complete')]
    const items = [32, 33].map((n) => ({ id: idOf(n), state: 'complete' }))
    const send = ({ path }: { path: string }) =>
      Promise.resolve(path.endsWith('/actions') ? later : { id: ids.checklist, checkItems: items })
    expect(await webhooks.facts({ send } as never, tickEvent, 'completed', () => Promise.resolve([]))).toBeUndefined()
  })

  it('starts nothing for a checklist that is gone', () => {
    const tickEvent = eventOf({ action: tick(1, 32, 'complete'), model: { id: ids.board, prefs: {} } })
    expect(run('checklist-completed', {}, tickEvent, { completed: undefined })).toBeUndefined()
  })
})
