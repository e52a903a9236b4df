import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decoded, eventOf, startedBy, triggers, webhooks } from './starts.ts'
import { ids } from './fake.ts'

const board = { id: ids.board, name: 'Launch', shortLink: 'Tb5Hn3Qa' }
const card = { id: ids.card, name: 'Press kit', idShort: 4, shortLink: 'mN4tR8wL' }
const list = { id: ids.list, name: 'Doing' }
const action = (type: string, data: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  action: {
    id: '698c3000aaaaaaaaaaaaaaaa',
    idMemberCreator: ids.member,
    type,
    date: '2026-02-11T07:29:36.120Z',
    data: { board, ...data },
    ...more,
  },
  model: { id: ids.board, name: 'Launch', prefs: {}, labelNames: {} },
})
const decode = (delivery: unknown) => decoded(delivery)

describe('what a delivery holds', () => {
  it('who made the change, and with which app', () => {
    expect(
      eventOf(
        action(
          'createCard',
          { card, list },
          {
            appCreator: { id: ids.label },
            memberCreator: { id: ids.member, fullName: 'Mara Quill', username: 'maraquill' },
          },
        ),
      ),
    ).toMatchObject({
      app: ids.label,
      actor: { id: ids.member, name: 'Mara Quill', username: 'maraquill' },
      causedByUs: 'unknown',
    })
    expect(eventOf(action('createCard', { card, list })).actor).toEqual({ id: ids.member })
    expect(eventOf(action('createCard', { card, list }, { idMemberCreator: undefined })).actor).toBeUndefined()
  })

  it('the place of a card, however it is reported', () => {
    expect(eventOf(action('createCard', { card, list }))).toMatchObject({
      card: { id: ids.card, name: 'Press kit', shortLink: 'mN4tR8wL' },
      list,
    })
    expect(eventOf(action('commentCard', { idCard: ids.card, text: 'x' })).card).toEqual({ id: ids.card })
    expect(
      eventOf(action('deleteCard', { card: { id: ids.card, idShort: 4, shortLink: 'mN4tR8wL' }, list })),
    ).toMatchObject({
      card: { id: ids.card, shortLink: 'mN4tR8wL' },
      list,
    })
    const ids2 = { card: { ...card, idList: ids.otherList }, old: { idList: ids.list } }
    expect(eventOf(action('updateCard', ids2)), 'a move told without the lists themselves').toMatchObject({
      list: { id: ids.otherList },
      from: { list: { id: ids.list } },
      to: { list: { id: ids.otherList } },
    })
  })

  it('both sides of a move to another board', () => {
    const arrived = eventOf(action('moveCardToBoard', { card, list, boardSource: { id: ids.otherBoard, name: 'Old' } }))
    expect(arrived).toMatchObject({ list, from: { board: { id: ids.otherBoard, name: 'Old' } }, to: { board, list } })
    expect(arrived.from).not.toHaveProperty('list')
    const left = eventOf(
      action('moveCardFromBoard', {
        card: { id: ids.card, name: 'Press kit' },
        list,
        boardTarget: { id: ids.otherBoard },
        member: { id: ids.member, name: 'Mara Quill' },
      }),
    )
    expect(left).toMatchObject({ from: { board, list }, to: { board: { id: ids.otherBoard } } })
    expect(left, 'it is in that list no more').not.toHaveProperty('list')
    expect(eventOf(action('moveListToBoard', { list, boardSource: { id: ids.otherBoard } }))).toMatchObject({
      list,
      from: { board: { id: ids.otherBoard } },
      to: { board, list },
    })
  })

  it.each([
    ['updateCard', { card: { ...card, desc: 'new' }, old: { desc: 'old' }, list }, { desc: 'old' }, { desc: 'new' }],
    [
      'updateCard',
      { card: { ...card, due: null }, old: { due: '2026-03-01T00:00:00.000Z' }, list },
      { due: '2026-03-01T00:00:00.000Z' },
      { due: null },
    ],
    ['updateList', { list: { ...list, closed: true }, old: { closed: false } }, { closed: false }, { closed: true }],
    [
      'updateBoard',
      { board: { ...board, prefs: { voting: 'members' } }, old: { prefs: { voting: 'disabled' } } },
      { prefs: { voting: 'disabled' } },
      { prefs: { voting: 'members' } },
    ],
    ['updateBoard', { old: {} }, {}, {}],
    [
      'updateChecklist',
      { checklist: { id: ids.checklist, name: 'B' }, old: { name: 'A' }, card },
      { name: 'A' },
      { name: 'B' },
    ],
    [
      'updateCheckItem',
      {
        checkItem: { id: ids.attachment, name: 'B', state: 'incomplete' },
        old: { name: 'A' },
        checklist: { id: ids.checklist, name: 'L' },
        card,
      },
      { name: 'A' },
      { name: 'B' },
    ],
    [
      'updateLabel',
      { label: { id: ids.label, name: 'Hot', color: 'red' }, old: { color: 'blue' } },
      { color: 'blue' },
      { color: 'red' },
    ],
    [
      'updateComment',
      { action: { id: ids.attachment, text: 'B' }, old: { text: 'A' }, card },
      { text: 'A' },
      { text: 'B' },
    ],
    [
      'updateCustomFieldItem',
      { customFieldItem: { id: ids.attachment, value: { number: '2' } }, old: { value: null }, card },
      { value: null },
      { value: { number: '2' } },
    ],
    ['updateSomethingNew', { gadget: { id: ids.label, speed: 2 }, old: { speed: 1 } }, { speed: 1 }, { speed: 2 }],
  ])('%s: before and after', (type, data, before, after) => {
    expect(eventOf(action(type, data))).toMatchObject({ before, after })
  })

  it('comments, edited comments and labels: text is what somebody wrote', () => {
    expect(eventOf(action('commentCard', { card, list, text: 'Hello' })).text).toBe('Hello')
    expect(
      eventOf(action('updateComment', { card, action: { id: ids.attachment, text: 'B' }, old: { text: 'A' } })),
    ).toMatchObject({
      text: 'B',
      about: { comment: { id: ids.attachment } },
    })
    expect(
      eventOf(action('addLabelToCard', { card, label: { id: ids.label, name: 'Hot' }, text: 'Hot', value: 'red' })),
    ).not.toHaveProperty('text')
    expect(
      eventOf(action('addLabelToCard', { card, label: { id: ids.label, name: 'Hot' }, text: 'Hot', value: 'red' }))
        .about.label,
    ).toEqual({
      id: ids.label,
      name: 'Hot',
      color: 'red',
    })
    expect(
      eventOf(action('createLabel', { label: { id: ids.label, name: 'Plain' } })).about.label,
      'a label without colour',
    ).toEqual({
      id: ids.label,
      name: 'Plain',
    })
  })

  it('the member an action is about, named wherever the board names them', () => {
    const member = {
      id: ids.member,
      fullName: 'Mara Quill',
      username: 'maraquill',
      nonPublic: { email: 'm@q.example' },
    }
    expect(
      eventOf(action('addMemberToBoard', { idMemberAdded: ids.member, memberType: 'normal' }, { member })).about.member,
    ).toEqual({
      id: ids.member,
      name: 'Mara Quill',
      username: 'maraquill',
    })
    expect(eventOf(action('addMemberToCard', { idMember: ids.member, card })).about.member).toEqual({ id: ids.member })
    expect(JSON.stringify(eventOf(action('addMemberToCard', { card }, { member })))).not.toContain('m@q.example')
  })

  it('what a write that caused it would name: nothing wider than necessary', () => {
    const own = { kind: 'action', id: '698c3000aaaaaaaaaaaaaaaa' }
    expect(
      eventOf(
        action('createCheckItem', { card, list, checklist: { id: ids.checklist }, checkItem: { id: ids.attachment } }),
      ).objects,
    ).toEqual([
      own,
      { kind: 'checklist', id: ids.checklist },
      { kind: 'checkItem', id: ids.attachment },
      { kind: 'card', id: ids.card },
    ])
    expect(eventOf(action('createList', { list })).objects).toEqual([own, { kind: 'list', id: ids.list }])
    expect(eventOf(action('updateBoard', {})).objects).toEqual([own, { kind: 'board', id: ids.board }])
  })

  it("what can be watched to hear of it: the hook's model, the board, the workspace", () => {
    const joined = {
      ...action('addToOrganizationBoard', { organization: { id: ids.label, name: 'Works' } }),
      model: { id: ids.label, displayName: 'Works' },
    }
    expect(eventOf(joined)).toMatchObject({
      model: { kind: 'organization', id: ids.label },
      models: [
        { kind: 'organization', id: ids.label },
        { kind: 'board', id: ids.board },
      ],
    })
    expect(eventOf({ ...joined, model: undefined }).model).toEqual({ kind: 'board', id: ids.board })
  })

  it('is decoded again from what is stored of it', () => {
    const joined = {
      ...action('createBoard', { creationMethod: null }),
      model: { id: ids.label, displayName: 'Works' },
    }
    const event = eventOf(joined)
    expect(event.models).toEqual([
      { kind: 'organization', id: ids.label },
      { kind: 'board', id: ids.board },
    ])
    expect(eventOf({ action: event.raw, model: event.model })).toEqual(event)
  })

  it('a board that closes or opens again', () => {
    const standing = (type: string, data: Record<string, unknown>) => webhooks.availability(eventOf(action(type, data)))
    expect(standing('updateBoard', { board: { ...board, closed: true }, old: { closed: false } })).toEqual({
      model: { kind: 'board', id: ids.board },
      open: false,
    })
    expect(standing('updateBoard', { board: { ...board, closed: false }, old: { closed: true } })).toEqual({
      model: { kind: 'board', id: ids.board },
      open: true,
    })
    expect(standing('updateBoard', { old: { name: 'A' } })).toBeUndefined()
    expect(standing('updateCard', { card: { ...card, closed: true }, old: { closed: false } })).toBeUndefined()
  })
})

describe('odd shapes', () => {
  const fine = action('createCard', { card, list })

  it.each([
    ['null', null],
    ['a list', [fine]],
    ['a text', 'x'],
    ['no action', { model: fine.model }],
    ['an action that is a list', { ...fine, action: [] }],
    ['no id', { ...fine, action: { ...fine.action, id: undefined } }],
    ['an empty id', { ...fine, action: { ...fine.action, id: '' } }],
    [
      'an id that is a number',
      { ...fine, action: { ...fine.action, id: JSON.parse('12345678901234567890') as number } },
    ],
    ['an endless id', { ...fine, action: { ...fine.action, id: 'a'.repeat(65) } }],
    ['neither a date nor a dated id', { ...fine, action: { ...fine.action, id: 'x1', date: 'soon' } }],
  ])('%s: no event, and why', (_, delivery) => {
    expect(decode(delivery)).toEqual({ events: [], undecodable: expect.stringMatching(/^The .+\.$/) as string })
  })

  it('an unknown type is stored and starts what takes any activity', () => {
    const event = eventOf(action('paintCard', { card, list }))
    expect(event).toMatchObject({ type: 'paintCard', card: { id: ids.card } })
    expect(startedBy(event, { boards: [ids.board] }).sort()).toEqual(['custom-webhook-events', 'new-board-activity'])
  })

  it('what is missing is absent, and the rest is there', () => {
    const bare = eventOf({ action: { id: '698c3000aaaaaaaaaaaaaaaa' } })
    expect(bare).toMatchObject({
      id: '698c3000aaaaaaaaaaaaaaaa',
      type: 'unknown',
      at: '2026-02-11T07:30:08.000Z',
      actor: undefined,
      models: [],
      about: {},
    })
    expect(eventOf(action('createCard', { card: { name: 'no id' }, list: 'x' }))).not.toHaveProperty('card')
    expect(eventOf(action('updateCard', { card, old: 'x' }))).not.toHaveProperty('before')
  })

  it('names that change prototypes are dropped, at any depth', () => {
    const text = JSON.stringify(action('updateCard', { card: { ...card, DEEP: 1 }, old: { DEEP: 0 } }))
    const evil = text
      .replaceAll('"DEEP"', '"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"prototype":{},"x"')
      .replace('"action":{', '"action":{"__proto__":{"id":"evil"},')
    const event = eventOf(JSON.parse(evil))
    expect(JSON.stringify(event)).not.toMatch(/__proto__|constructor|prototype|admin|evil/)
    expect(event).toMatchObject({ before: { x: 0 }, after: { x: 1 } })
    expect(({} as Record<string, unknown>).admin).toBeUndefined()
  })

  it('numbers beyond JSON and bottomless nesting become null', () => {
    const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) as unknown
    const event = eventOf(action('updateCard', { card: { ...card, pos: Infinity, deep }, old: { pos: 1, deep: 1 } }))
    expect(event.after?.pos).toBeNull()
    expect(JSON.stringify(event.after?.deep).length).toBeLessThan(200)
  })

  it('nothing makes it throw, and what it gives is JSON that every trigger can read', () => {
    const word = fc.constantFrom(
      'id',
      'type',
      'date',
      'data',
      'card',
      'list',
      'board',
      'old',
      'model',
      'action',
      'webhook',
      'idModel',
      'listBefore',
      'listAfter',
      'boardSource',
      'label',
      'member',
      'text',
      'organization',
      '__proto__',
      'appCreator',
      'name',
      'url',
      'checklist',
      'attachment',
      'boardTarget',
      'idList',
    )
    const leaf = fc.oneof(
      fc.string(),
      fc.constantFrom(ids.board, ids.card, 'updateCard', 'moveCardFromBoard', 'createCard', '2026-01-01T00:00:00Z'),
      fc.double().map((n) => (n === 0 ? 0 : n)),
      fc.boolean(),
      fc.constant(null),
      fc.constant(undefined),
    )
    const value = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 5 },
        leaf,
        fc.array(tie('any'), { maxLength: 4 }),
        fc.dictionary(word, tie('any'), { maxKeys: 8 }),
      ),
    })).any
    const delivery = fc.record({
      action: fc.record({
        id: fc.oneof(fc.constant('698c3000aaaaaaaaaaaaaaaa'), leaf),
        type: fc.oneof(
          fc.constantFrom(
            'updateCard',
            'moveCardFromBoard',
            'addLabelToCard',
            'createBoard',
            'addAttachmentToCard',
            'addChecklistToCard',
            'addMemberToCard',
            'createLabel',
          ),
          leaf,
        ),
        data: fc.record(
          {
            board: fc.oneof(fc.constant({ id: ids.board }), value),
            attachment: value,
            checklist: value,
            label: value,
            member: value,
            card: value,
            list: value,
            old: value,
          },
          { requiredKeys: [] },
        ),
        date: leaf,
        memberCreator: value,
        member: value,
      }),
      model: value,
      webhook: value,
    })
    let read = 0
    fc.assert(
      fc.property(fc.oneof(delivery, value), (input) => {
        const { events, undecodable } = decode(input)
        expect(events.length === 1).toBe(undecodable === undefined)
        for (const event of events) {
          read += 1
          expect(JSON.parse(JSON.stringify(event))).toEqual(event)
          startedBy(event, { boards: [ids.board] })
          expect(decode({ action: event.raw, model: event.model }).events, 'kept and read again').toEqual([event])
        }
      }),
      { numRuns: 1500, seed: 5 },
    )
    expect(read).toBeGreaterThan(300)
    expect(triggers).toHaveLength(28)
  })
})
