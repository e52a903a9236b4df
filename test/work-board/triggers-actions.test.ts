import { describe, expect, it } from 'vitest'
import { actionTypes, kindOf, onlyByWebhook, webhookOnly } from '../../integrations/work-board/action-types.ts'
import {
  actionTable,
  board,
  card,
  deliveryOf,
  list,
  organization,
  otherBoard,
  otherList,
  toldByWebhookOnly,
} from './action-table.ts'
import { ids, idOf, workBoard } from './fake.ts'
import { eventOf, needsOf, start, startedBy, triggerOf, triggers, webhooks } from './starts.ts'

const onBoard = { boards: [ids.board] }
const event = (type: string, data: Record<string, unknown> = {}, more: Record<string, unknown> = {}) =>
  eventOf(deliveryOf(type, { board, ...data }, more))
const run = (trigger: string, config: Record<string, unknown>, boardEvent: ReturnType<typeof event>, facts = {}) =>
  start(triggerOf(trigger), { ...onBoard, ...config }, boardEvent, facts) as any

describe('every type of action', () => {
  it('has a row in the table', () => {
    expect(Object.keys(actionTypes).filter((type) => !actionTable.some((row) => row.type === type))).toEqual([])
    expect(actionTable.filter((row) => !(row.type in actionTypes))).toEqual([])
  })

  it.each(actionTable.map((row) => [`${row.type}${row.of === undefined ? '' : `, ${row.of}`}`, row] as const))(
    '%s starts what it should, and nothing else',
    (_, row) => {
      const boardEvent = eventOf(deliveryOf(row.type, row.data))
      expect(boardEvent.type).toBe(row.type)
      expect(startedBy(boardEvent, { boards: [ids.board], idOrganization: idOf(72) }).sort()).toEqual(
        [...row.starts].sort(),
      )
    },
  )

  it('is started by no trigger whose types leave it out', () => {
    for (const row of actionTable) {
      for (const id of row.starts) {
        const types = triggerOf(id).webhook!.types(triggerOf(id).config.parse(onBoard))
        expect(types.includes('*') || types.includes(row.type), `${id} is not asked for ${row.type}`).toBe(true)
      }
    }
  })

  it('gives the same data however the action reached us', () => {
    for (const row of actionTable) {
      const delivery = deliveryOf(row.type, row.data)
      const recovered = eventOf({ action: delivery.action, model: { kind: 'board', id: ids.board } }, 'recovery')
      const deliveredEvent = eventOf(delivery)
      expect({ ...recovered, via: deliveredEvent.via }).toEqual(deliveredEvent)
      for (const id of row.starts)
        expect(start(triggerOf(id), onBoard, recovered), `${id}, ${row.type}`).toEqual(
          start(triggerOf(id), onBoard, deliveredEvent),
        )
    }
  })
})

describe('kinds of activity', () => {
  it("follow from a type's first word where the type is unknown", () => {
    expect(
      ['createGadget', 'copyGadget', 'updateGadget', 'deleteGadget', 'addGadget', 'toString', 'Create', ''].map(kindOf),
    ).toEqual(['create', 'create', 'update', 'delete', 'other', 'other', 'other', 'other'])
  })

  it.each([
    [['create'], ['createCard', 'copyCard', 'commentCard', 'createList', 'addChecklistToCard']],
    [['update'], ['updateCard', 'updateList', 'updateComment', 'updateCheckItemStateOnCard']],
    [['delete'], ['deleteCard', 'deleteComment', 'removeChecklistFromCard', 'deleteLabel']],
    [['other'], ['addMemberToCard', 'moveCardToBoard', 'enablePlugin', 'voteOnCard']],
  ])('%j takes %j and nothing of the others', (kinds, mine) => {
    const all = [
      'createCard',
      'copyCard',
      'commentCard',
      'createList',
      'addChecklistToCard',
      'updateCard',
      'updateList',
      'updateComment',
      'updateCheckItemStateOnCard',
      'deleteCard',
      'deleteComment',
      'removeChecklistFromCard',
      'deleteLabel',
      'addMemberToCard',
      'moveCardToBoard',
      'enablePlugin',
      'voteOnCard',
    ]
    for (const trigger of ['new-board-activity', 'custom-webhook-events']) {
      expect(
        all.filter((type) => run(trigger, { kinds }, event(type, { card, list })) !== undefined),
        trigger,
      ).toEqual(all.filter((type) => mine.includes(type)))
      expect(run(trigger, { kinds }, event(mine[0]!, { card, list })).kind).toBe(kinds[0])
    }
  })

  it('come beside types by name', () => {
    const config = { kinds: ['delete'], types: ['commentCard', 'addLabelToCard'] }
    const taken = (type: string) =>
      run('new-board-activity', config, event(type, { card, list, label: { id: ids.label } })) !== undefined
    expect([
      taken('deleteCard'),
      taken('commentCard'),
      taken('addLabelToCard'),
      taken('createCard'),
      taken('removeLabelFromCard'),
    ]).toEqual([true, true, true, false, false])
    expect(run('new-board-activity', { types: ['commentCard'] }, event('deleteCard', { card, list }))).toBeUndefined()
    expect(
      triggerOf('new-board-activity').webhook!.types({ types: ['commentCard'] }),
      'the index can leave out all else',
    ).toEqual(['commentCard'])
  })

  it('count a label change once, by the update that recovery finds too', () => {
    const added = event('addLabelToCard', { card, label: { id: ids.label, name: 'Copy' }, text: 'Copy' })
    const echo = event('updateCard', { card: { ...card, idLabels: [ids.label] }, old: { idLabels: [] }, list })
    for (const trigger of ['new-board-activity', 'custom-webhook-events']) {
      for (const config of [{}, { kinds: ['update'] }, { kinds: ['create', 'update', 'delete', 'other'] }]) {
        expect(
          [added, echo].map((boardEvent) => run(trigger, config, boardEvent) !== undefined),
          JSON.stringify(config),
        ).toEqual([false, true])
      }
      expect(run(trigger, { types: ['addLabelToCard'] }, added)).toMatchObject({
        type: 'addLabelToCard',
        about: { label: { name: 'Copy' } },
      })
    }
    expect(webhookOnly).toContain('addLabelToCard')
    expect(webhookOnly).not.toContain('updateCard')
  })
})

describe('a move between boards is reported twice and happened once', () => {
  const left = event('moveCardFromBoard', { card, list, boardTarget: otherBoard })
  const arrived = event(
    'moveCardToBoard',
    { board: { ...otherBoard, shortLink: 'zZ9yY8xX' }, card, list: otherList, boardSource: board },
    { model: { id: ids.otherBoard, prefs: {} } },
  )
  const both = { boards: [ids.board, ids.otherBoard] }
  const taken = (trigger: string, config: Record<string, unknown>, facts = {}) =>
    [left, arrived].map((boardEvent) => run(trigger, config, boardEvent, facts) !== undefined)

  it.each(['card-moved', 'card-updated', 'new-board-activity', 'custom-webhook-events'])(
    '%s: one start, whichever boards are watched',
    (trigger) => {
      expect(taken(trigger, both)).toEqual([false, true])
      expect(taken(trigger, { boards: [ids.board] })).toEqual([true, false])
      expect(taken(trigger, { boards: [ids.otherBoard] })).toEqual([false, true])
    },
  )

  it('Card Moved says so and gives what is known of either side', () => {
    expect(run('card-moved', both, arrived)).toMatchObject({
      acrossBoards: true,
      from: { board: { id: ids.board } },
      to: { board: { id: ids.otherBoard }, list: otherList },
      list: otherList,
    })
    expect(run('card-moved', {}, left)).toMatchObject({
      acrossBoards: true,
      from: { board: { id: ids.board }, list },
      to: { board: otherBoard },
    })
    expect(run('card-moved', {}, left)).not.toHaveProperty('list')
    expect(run('card-updated', both, arrived)).toMatchObject({
      changed: ['idBoard', 'idList'],
      before: { idBoard: ids.board },
      after: { idBoard: ids.otherBoard, idList: ids.otherList },
    })
  })

  it('Card Moved with a filter by the list left: the departure counts, which alone includes it', () => {
    expect(taken('card-moved', { ...both, fromLists: [ids.list] })).toEqual([true, false])
    expect(taken('card-moved', { ...both, fromLists: [ids.otherList] })).toEqual([false, false])
  })

  it('Card Moved with a filter by the list entered', () => {
    expect(taken('card-moved', { ...both, toLists: [ids.otherList] })).toEqual([false, true])
    expect(taken('card-moved', { ...both, toLists: [ids.list] })).toEqual([false, false])
  })

  it('Card Moved with both filters: the list entered is read', () => {
    const config = { ...both, fromLists: [ids.list], toLists: [ids.otherList] }
    expect(needsOf(triggerOf('card-moved'), config, left)).toEqual(['list'])
    expect(needsOf(triggerOf('card-moved'), config, arrived)).toEqual([])
    expect(taken('card-moved', config, { list: otherList })).toEqual([true, false])
    expect(taken('card-moved', config, { list })).toEqual([false, false])
    expect(taken('card-moved', config), 'a card that cannot be read any more').toEqual([false, false])
  })

  it('New Card says that it was moved in; the other side has no new card', () => {
    expect(run('new-card', both, arrived)).toMatchObject({ way: 'moved', from: { board: { id: ids.board } } })
    expect(run('new-card', both, left)).toBeUndefined()
  })

  it('types asked for by name come as they are', () => {
    expect(taken('new-board-activity', { ...both, types: ['moveCardFromBoard'] })).toEqual([true, false])
  })
})

describe('filters', () => {
  const moved = event('updateCard', {
    card: { ...card, idList: otherList.id },
    old: { idList: list.id },
    listBefore: list,
    listAfter: otherList,
  })
  const renamed = event('updateCard', { card: { ...card, name: 'Kit' }, old: { name: 'Press kit' }, list })

  it('Card Moved by the lists left and entered; a change of place within a list is no move', () => {
    const taken = (config: Record<string, unknown>) => run('card-moved', config, moved) !== undefined
    expect(
      [
        { fromLists: [ids.list] },
        { fromLists: [ids.otherList] },
        { toLists: [ids.otherList] },
        { toLists: [ids.list] },
        { fromLists: [ids.list], toLists: [ids.otherList] },
        { fromLists: [], toLists: [] },
      ].map(taken),
    ).toEqual([true, false, true, false, true, true])
    const place = event('updateCard', { card: { ...card, pos: 2 }, old: { pos: 1 }, list })
    expect(run('card-moved', {}, place)).toBeUndefined()
    expect(
      run(
        'card-moved',
        {},
        event('updateCard', {
          card: { ...card, idList: list.id },
          old: { idList: list.id },
          listBefore: list,
          listAfter: list,
        }),
      ),
    ).toBeUndefined()
  })

  it("by board: what is reported for another board than the hook's own starts nothing", () => {
    const stray = event('createCard', { board: otherBoard, card, list })
    expect(stray.models).toContainEqual({ kind: 'board', id: ids.board })
    expect(startedBy(stray, onBoard)).toEqual([])
  })

  it('Card Archived: from not archived to archived, both given', () => {
    const taken = (old: object, now: object) =>
      run('card-archived', {}, event('updateCard', { card: { ...card, ...now }, old, list })) !== undefined
    expect([
      taken({ closed: false }, { closed: true }),
      taken({ closed: false }, {}),
      taken({ closed: null }, { closed: true }),
      taken({}, { closed: true }),
    ]).toEqual([true, false, false, false])
  })

  it('by list: where the card is, and for a move also where it was', () => {
    expect(run('card-updated', { lists: [ids.list] }, renamed)).toBeDefined()
    expect(run('card-updated', { lists: [ids.otherList] }, renamed)).toBeUndefined()
    expect(
      [[ids.list], [ids.otherList], [idOf(99)]].map(
        (lists) => run('custom-webhook-events', { lists }, moved) !== undefined,
      ),
    ).toEqual([true, true, false])
  })

  it.each(['card-updated', 'new-label-added-to-card', 'new-checklist', 'new-member-on-card', 'custom-webhook-events'])(
    '%s by list, where the event does not tell it: the list is read',
    (trigger) => {
      const type =
        { 'new-label-added-to-card': 'addLabelToCard', 'new-checklist': 'addChecklistToCard' }[trigger] ??
        'addMemberToCard'
      const boardEvent = event(type, {
        card,
        label: { id: ids.label },
        checklist: { id: ids.checklist },
        idMember: ids.member,
      })
      const config = { ...onBoard, lists: [ids.list] }
      expect(needsOf(triggerOf(trigger), config, boardEvent)).toEqual(['list'])
      expect(needsOf(triggerOf(trigger), onBoard, boardEvent)).toEqual([])
      expect(run(trigger, config, boardEvent, { list })).toMatchObject({ list })
      expect(run(trigger, config, boardEvent, { list: otherList })).toBeUndefined()
      expect(run(trigger, config, boardEvent), 'of a deleted card whose list nobody knows').toBeUndefined()
    },
  )

  it('by card', () => {
    for (const trigger of ['card-updated', 'custom-webhook-events']) {
      expect(run(trigger, { cards: [ids.card] }, renamed)).toBeDefined()
      expect(run(trigger, { cards: [ids.otherCard] }, renamed)).toBeUndefined()
      expect(
        run(trigger, { cards: [ids.card], lists: [ids.otherList] }, renamed),
        'all filters hold together',
      ).toBeUndefined()
    }
    expect(
      run('custom-webhook-events', { cards: [ids.card] }, event('createList', { list })),
      'what is on no card',
    ).toBeUndefined()
  })

  it('Card Updated by property', () => {
    const taken = (properties: string[], boardEvent: ReturnType<typeof event>) =>
      run('card-updated', { properties }, boardEvent) !== undefined
    expect([
      taken(['name'], renamed),
      taken(['due', 'name'], renamed),
      taken(['due'], renamed),
      taken(['idList'], moved),
      taken(['other'], renamed),
    ]).toEqual([true, true, false, true, false])
    expect(
      taken(['other'], event('updateCard', { card: { ...card, mood: 'fine' }, old: { mood: 'bad' }, list })),
      'a property that is new at the board',
    ).toBe(true)
    expect(taken(['idMembers'], event('addMemberToCard', { card, idMember: ids.member }))).toBe(true)
    expect(
      taken(
        ['checkItems'],
        event('updateCheckItemStateOnCard', { card, checkItem: { id: idOf(32), state: 'complete' } }),
      ),
    ).toBe(true)
    expect(taken(['idBoard'], event('moveCardToBoard', { card, list, boardSource: otherBoard }))).toBe(true)
  })

  it('New Card by way', () => {
    const rows = actionTable.filter((row) => row.starts.includes('new-card'))
    const waysOf = (ways?: string[]) =>
      rows.map((row) => run('new-card', ways ? { ways } : {}, eventOf(deliveryOf(row.type, row.data)))?.way)
    expect(waysOf()).toEqual(['created', 'emailed', 'copied', 'converted', 'moved'])
    expect(waysOf(['copied', 'moved'])).toEqual([undefined, undefined, 'copied', undefined, 'moved'])
    expect(triggerOf('new-card').webhook!.types({ ways: ['copied'] })).toEqual(['copyCard'])
    const copy = rows.find(({ type }) => type === 'copyCard')!
    expect(run('new-card', {}, eventOf(deliveryOf(copy.type, copy.data)))).toMatchObject({
      source: { id: ids.otherCard, name: 'Old kit' },
    })
  })

  it('New Label Added To Card by label', () => {
    const boardEvent = event('addLabelToCard', { card, label: { id: ids.label, name: 'Copy' } })
    expect(run('new-label-added-to-card', { labels: [ids.label] }, boardEvent)).toBeDefined()
    expect(run('new-label-added-to-card', { labels: [idOf(42)] }, boardEvent)).toBeUndefined()
  })

  it('New Member on Card: only me', () => {
    const boardEvent = event('addMemberToCard', {
      card,
      idMember: ids.member,
      member: { id: ids.member, name: 'Mara Quill' },
    })
    const me = { ...onBoard, onlyMe: true }
    expect(needsOf(triggerOf('new-member-on-card'), me, boardEvent)).toEqual(['me'])
    expect(needsOf(triggerOf('new-member-on-card'), { ...me, lists: [ids.list] }, boardEvent)).toEqual(['list', 'me'])
    expect(needsOf(triggerOf('new-member-on-card'), onBoard, boardEvent)).toEqual([])
    expect(run('new-member-on-card', me, boardEvent, { me: ids.member })).toMatchObject({
      member: { id: ids.member },
      joined: false,
    })
    expect(run('new-member-on-card', me, boardEvent, { me: idOf(52) })).toBeUndefined()
    expect(run('new-member-on-card', me, boardEvent), 'whose account it is must be known').toBeUndefined()
  })

  it('New Attachment distinguishes files from links', () => {
    const kind = (url?: string) =>
      run(
        'new-attachment',
        {},
        event('addAttachmentToCard', { card, list, attachment: { id: ids.attachment, name: 'x', url } }),
      ).kind
    expect([
      kind(`https://boards.example/1/cards/${ids.card}/attachments/${ids.attachment}/download/x.pdf`),
      kind('https://notes.example/attachments/1'),
      kind(),
    ]).toEqual(['file', 'link', 'link'])
    expect(
      run(
        'new-attachment',
        {},
        event('addAttachmentToCard', { card, list, attachment: { id: ids.attachment, name: null, url: 7 } }),
      ),
      'an odd field loses no event',
    ).toMatchObject({ kind: 'link', attachment: { id: ids.attachment } })
  })
})

describe('New Board in a workspace', () => {
  const hook = { model: { id: organization.id, displayName: organization.name } }
  const made = Number.parseInt(ids.board.slice(0, 8), 16) * 1000
  const at = (ms: number, type: string, data: Record<string, unknown> = {}) => {
    const delivery = deliveryOf(type, { board, ...data }, hook)
    return eventOf({ ...delivery, action: { ...delivery.action, date: new Date(made + ms).toISOString() } })
  }
  const config = { idOrganization: organization.id }
  const trigger = triggerOf('new-board')
  const keyOf = (boardEvent: ReturnType<typeof at>) => trigger.webhook!.key!(boardEvent, config)

  it('is reported as two actions and has one key', () => {
    const [created, added] = [
      at(0, 'createBoard', { creationMethod: null }),
      at(50, 'addToOrganizationBoard', { organization }),
    ]
    for (const boardEvent of [created, added])
      expect(start(trigger, config, boardEvent)).toMatchObject({
        way: 'created',
        board: { id: ids.board, name: 'Launch plan' },
        idOrganization: organization.id,
      })
    expect(keyOf(created)).toBe(keyOf(added))
    expect(keyOf(at(0, 'createBoard', { board: otherBoard }))).not.toBe(keyOf(created))
  })

  it('an older board that comes in says so; one of another workspace starts nothing', () => {
    expect(start(trigger, config, at(86_400_000, 'addToOrganizationBoard', { organization }))).toMatchObject({
      way: 'added',
    })
    expect(
      start(trigger, { idOrganization: idOf(72) }, at(0, 'addToOrganizationBoard', { organization })),
    ).toBeUndefined()
    expect(start(trigger, config, at(0, 'updateBoard', { old: { name: 'x' } }))).toBeUndefined()
  })

  it('without a workspace there is nothing to watch: it is polled', () => {
    expect(trigger.webhook!.watch({})).toEqual([])
    expect(trigger.poll!.resources({})).toEqual(['boards:mine'])
    expect(trigger.poll!.resources(config)).toEqual([`boards:organization:${organization.id}`])
  })
})

describe('what triggers say of themselves', () => {
  const titles = [
    'New Card',
    'Card Updated',
    'Card Moved',
    'Card Archived',
    'Card Due Date Reminder',
    'New Comment Added to Card',
    'New Member on Card',
    'New Label Created',
    'New Label Added To Card',
    'New Checklist',
    'New Board',
    'New Board Activity',
    'New Notification',
    'New Attachment',
    'Custom Webhook Events',
  ]

  it('has the 15 of the document, in its order, with its titles, and others between them', () => {
    const all = triggers.map(({ title }) => title)
    expect(all.filter((title) => titles.includes(title))).toEqual(titles)
    expect(all).toHaveLength(28)
  })

  it('says of each what is assumed', () => {
    for (const { id } of triggers) expect(workBoard.wire.assumed[`triggers.${id}`]?.length ?? 0, id).toBeGreaterThan(30)
  })

  it('is instant but for the two, and New Board without a workspace', () => {
    const instant = triggers.filter(
      (trigger) =>
        trigger.webhook &&
        trigger.webhook.watch(trigger.config.parse(trigger.id === 'new-board' ? {} : onBoard)).length > 0,
    )
    expect(
      triggers.flatMap(({ title }) => (instant.some((candidate) => candidate.title === title) ? [] : [title])),
    ).toEqual(['Card Due Date Reminder', 'New Board', 'New Notification'])
  })

  it('what can be found again follows from which types histories hold', () => {
    for (const trigger of triggers) {
      if (!trigger.webhook) continue
      const types = trigger.webhook.types(trigger.config.parse(trigger.id === 'new-board' ? {} : onBoard))
      const all = types.includes('*') ? Object.keys(actionTypes) : types
      const lost = onlyByWebhook(all)
      expect(trigger.webhookOnly ?? [], trigger.id).toEqual(lost)
      expect(trigger.recoverable, trigger.id).toBe(
        lost.length === 0 ? 'all' : lost.length === all.length ? 'none' : 'some',
      )
      if (lost.length > 0) expect(trigger.caveat, trigger.id).toMatch(/webhook only/i)
    }
    expect(webhooks.webhookOnly).toBe(webhookOnly)
    expect([...webhookOnly].sort()).toEqual([...toldByWebhookOnly].sort())
  })

  it('refuses more boards than an account could watch, naming the field', () => {
    const boards = Array.from({ length: 10_000 }, (_, n) => idOf(n))
    const refused = triggerOf('custom-webhook-events').config.safeParse({ boards })
    expect(refused.error?.issues.map(({ path: at }) => at.join('.'))).toEqual(['boards'])
    expect(triggerOf('custom-webhook-events').config.safeParse({ boards: boards.slice(0, 200) }).success).toBe(true)
    expect(triggerOf('card-moved').config.safeParse({ boards: [] }).success).toBe(false)
  })
})
