import { describe, expect, it } from 'vitest'
import { failureOf, ids, idOf, runStep, stepOf, workBoard } from './fake.ts'

const record = { id: ids.card, name: 'Order tiles' }
describe('Create Card', () => {
  it('sends what was given as one JSON body, falsy values too, and nothing else', async () => {
    const { sent, output } = await runStep(
      'create-card',
      {
        idList: ids.list,
        name: 'Order tiles',
        desc: '',
        dueComplete: false,
        idLabels: [],
        idMembers: [ids.member],
        pos: '1.5',
      },
      [record],
    )
    expect(sent).toEqual([
      {
        method: 'POST',
        path: '/1/cards',
        body: {
          idList: ids.list,
          name: 'Order tiles',
          desc: '',
          dueComplete: false,
          idLabels: [],
          idMembers: [ids.member],
          pos: 1.5,
        },
      },
    ])
    expect(output).toEqual(record)
  })

  it('never sends the board, which only narrows the choice, but checks it', async () => {
    const { sent } = await runStep('create-card', { idBoard: ids.board, idList: ids.list, name: 'x' }, [
      { id: ids.list, idBoard: ids.board },
      record,
    ])
    expect(sent).toEqual([
      { method: 'GET', path: `/1/lists/${ids.list}`, query: { fields: 'idBoard' } },
      { method: 'POST', path: '/1/cards', body: { idList: ids.list, name: 'x' } },
    ])
  })

  it('takes the board as a pasted address', async () => {
    const { sent } = await runStep(
      'create-card',
      { idBoard: 'https://trello.com/b/Tb5Hn3Qa/kitchen', idList: ids.list, name: 'x' },
      [{ id: ids.list, idBoard: ids.board }, { id: ids.board }, record],
    )
    expect(sent.map(({ path, query }) => [path, query])).toEqual([
      [`/1/lists/${ids.list}`, { fields: 'idBoard' }],
      ['/1/boards/Tb5Hn3Qa', { fields: 'id' }],
      ['/1/cards', undefined],
    ])
  })

  it('creates nothing when the list is on another board', async () => {
    const sent: string[] = []
    const failure = await failureOf(
      runStep('create-card', { idBoard: ids.otherBoard, idList: ids.list, name: 'x' }, ({ method }) => {
        sent.push(method)
        return { id: ids.list, idBoard: ids.board }
      }),
    )
    expect(failure).toMatchObject({ code: 'invalid_input', details: { errors: [{ pointer: '/idBoard' }] } })
    expect(failure.message).toBe(
      `The list ${ids.list} is on the board ${ids.board}, not on ${ids.otherBoard} as idBoard says. Leave idBoard out, or choose a list of that board.`,
    )
    expect(sent).toEqual(['GET'])
  })

  it('resolves the card to copy to the long id a body wants', async () => {
    const byLink = await runStep(
      'create-card',
      { idList: ids.list, idCardSource: 'https://trello.com/c/mN4tR8wL/7-x', keepFromSource: ['checklists', 'due'] },
      [{ id: ids.otherCard }, record],
    )
    expect(byLink.sent).toEqual([
      { method: 'GET', path: '/1/cards/mN4tR8wL', query: { fields: 'id' } },
      {
        method: 'POST',
        path: '/1/cards',
        body: { idList: ids.list, idCardSource: ids.otherCard, keepFromSource: 'checklists,due' },
      },
    ])
    const byId = await runStep('create-card', { idList: ids.list, idCardSource: ids.otherCard }, [record])
    expect(byId.sent).toHaveLength(1)
  })

  it('refuses keepFromSource without a card to copy, before anything is sent', async () => {
    const failure = await failureOf(
      runStep('create-card', { idBoard: ids.board, idList: ids.list, name: 'x', keepFromSource: ['due'] }, []),
    )
    expect(failure).toMatchObject({ code: 'invalid_input', details: { errors: [{ pointer: '/keepFromSource' }] } })
  })
})

describe('Update Card', () => {
  const bodyOf = async (changes: Record<string, unknown>) =>
    (await runStep('update-card', { idCard: 'mN4tR8wL', ...changes }, [record])).sent

  it.each([
    [{ clear: ['due'] }, { due: null }],
    [{ clear: ['start', 'idAttachmentCover'] }, { start: null, idAttachmentCover: null }],
    [{ closed: false }, { closed: false }],
    [{ closed: true }, { closed: true }],
    [{ dueComplete: false }, { dueComplete: false }],
    [{ subscribed: false }, { subscribed: false }],
    [{ desc: '' }, { desc: '' }],
    [{ idLabels: [] }, { idLabels: [] }],
    [{ idMembers: [] }, { idMembers: [] }],
    [
      { address: '', locationName: '' },
      { address: '', locationName: '' },
    ],
    [{ pos: '7' }, { pos: 7 }],
    [
      { pos: 'top', idList: ids.otherList },
      { pos: 'top', idList: ids.otherList },
    ],
    [
      { due: '2026-03-31T17:00:00+11:00', clear: ['start'] },
      { due: '2026-03-31T17:00:00+11:00', start: null },
    ],
  ])('sends %j as %j and nothing else', async (changes, body) => {
    expect(await bodyOf(changes)).toEqual([{ method: 'PUT', path: '/1/cards/mN4tR8wL', body }])
  })

  it('moves to a board given by address, whose long id a body wants', async () => {
    const { sent } = await runStep('update-card', { idCard: ids.card, idBoard: 'Tb5Hn3Qa', idList: ids.otherList }, [
      { id: ids.otherBoard },
      record,
    ])
    expect(sent).toEqual([
      { method: 'GET', path: '/1/boards/Tb5Hn3Qa', query: { fields: 'id' } },
      { method: 'PUT', path: `/1/cards/${ids.card}`, body: { idList: ids.otherList, idBoard: ids.otherBoard } },
    ])
  })

  it('does not send where the card is now, but checks it', async () => {
    const { sent } = await runStep(
      'update-card',
      { idCard: ids.card, fromBoard: ids.board, fromList: ids.list, name: 'x' },
      [{ id: ids.card, idBoard: ids.board, idList: ids.list }, record],
    )
    expect(sent).toEqual([
      { method: 'GET', path: `/1/cards/${ids.card}`, query: { fields: 'idBoard,idList' } },
      { method: 'PUT', path: `/1/cards/${ids.card}`, body: { name: 'x' } },
    ])
    const failure = await failureOf(
      runStep('update-card', { idCard: ids.card, fromList: ids.otherList, name: 'x' }, [
        { id: ids.card, idBoard: ids.board, idList: ids.list },
      ]),
    )
    expect(failure).toMatchObject({ code: 'invalid_input', details: { errors: [{ pointer: '/fromList' }] } })
  })

  it('refuses a property that is set and cleared, and a change of nothing, before anything is sent', async () => {
    const both = await failureOf(
      runStep('update-card', { idCard: ids.card, due: '2026-03-31T17:00:00Z', clear: ['due'] }, []),
    )
    expect(both).toMatchObject({
      code: 'invalid_input',
      message: 'due is given and also named in clear. Give one of the two.',
    })
    for (const nothing of [{}, { clear: [] }, { fromBoard: ids.board }]) {
      const failure = await failureOf(runStep('update-card', { idCard: ids.card, ...nothing }, []))
      expect(failure).toMatchObject({
        code: 'invalid_input',
        message: expect.stringContaining('Give at least one property of the card to change'),
      })
    }
  })
})

describe('Get Card', () => {
  it('asks for the whole card unless fields are named', async () => {
    expect((await runStep('get-card', { idCard: ids.card }, [record])).sent).toEqual([
      { method: 'GET', path: `/1/cards/${ids.card}`, query: {} },
    ])
    expect((await runStep('get-card', { idCard: ids.card, fields: 'name' }, [record])).sent[0]!.query).toEqual({
      fields: 'name',
    })
  })

  it('asks for each part only when wanted', async () => {
    const on = {
      members: true,
      checklists: true,
      attachments: true,
      comments: true,
      customFieldItems: true,
      board: true,
      list: true,
    }
    const off = Object.fromEntries(Object.keys(on).map((name) => [name, false]))
    expect((await runStep('get-card', { idCard: ids.card, ...on }, [record])).sent[0]!.query).toEqual({
      members: true,
      checklists: 'all',
      attachments: true,
      actions: 'commentCard',
      customFieldItems: true,
      board: true,
      list: true,
    })
    expect((await runStep('get-card', { idCard: ids.card, ...off }, [record])).sent[0]!.query).toEqual({})
  })

  it('cuts the lists that come along and says what was left out', async () => {
    const item = (n: number) => ({ id: idOf(100 + n) })
    const reply = {
      ...record,
      idLabels: ['a', 'b', 'c'],
      members: [item(1), item(2), item(3)],
      checklists: [
        { id: ids.checklist, checkItems: [item(4), item(5), item(6)] },
        { id: idOf(32), checkItems: [item(7)] },
      ],
    }
    const { output } = await runStep('get-card', { idCard: ids.card, members: true, checklists: true, limit: 2 }, [
      reply,
    ])
    expect(output).toEqual({
      ...reply,
      members: [item(1), item(2)],
      checklists: [
        { id: ids.checklist, checkItems: [item(4), item(5)] },
        { id: idOf(32), checkItems: [item(7)] },
      ],
      omitted: { members: 1, checkItems: 1 },
    })
    const whole = await runStep('get-card', { idCard: ids.card, members: true, checklists: true, limit: 3 }, [reply])
    expect(whole.output).toEqual(reply)
  })

  it('refuses an answer without an id', async () => {
    for (const reply of [null, 'text', [], { name: 'x' }])
      expect(await failureOf(runStep('get-card', { idCard: ids.card }, [reply]))).toMatchObject({ code: 'bad_reply' })
  })
})

describe('Archive Card and comments', () => {
  it('archives by a pasted address without looking anything up', async () => {
    expect((await runStep('archive-card', { idCard: 'https://trello.com/c/mN4tR8wL/7-x' }, [record])).sent).toEqual([
      { method: 'PUT', path: '/1/cards/mN4tR8wL', body: { closed: true } },
    ])
  })

  it.each(['archive-card', 'add-comment-to-card', 'add-comment', 'get-card', 'add-checklist'])(
    '%s refuses a board or list the card is not on, and writes nothing',
    async (id) => {
      const more: Record<string, unknown> = {
        'add-comment-to-card': { text: 'x' },
        'add-comment': { text: 'x' },
        'add-checklist': { name: 'x' },
      }
      for (const [field, otherId] of [
        ['idBoard', ids.otherBoard],
        ['idList', ids.otherList],
      ] as const) {
        const failure = await failureOf(
          runStep(id, { idCard: ids.card, [field]: otherId, ...(more[id] as object) }, [
            { id: ids.card, idBoard: ids.board, idList: ids.list },
          ]),
        )
        expect(failure).toMatchObject({ code: 'invalid_input', details: { errors: [{ pointer: `/${field}` }] } })
      }
    },
  )

  it('does the same under the legacy name', async () => {
    const comment = { id: idOf(71), type: 'commentCard', data: { text: 'Hello' } }
    const [now, legacy] = await Promise.all(
      ['add-comment-to-card', 'add-comment'].map((id) => runStep(id, { idCard: ids.card, text: 'Hello' }, [comment])),
    )
    expect(now!.sent).toEqual([
      { method: 'POST', path: `/1/cards/${ids.card}/actions/comments`, body: { text: 'Hello' } },
    ])
    expect(legacy!.sent).toEqual(now!.sent)
    expect(legacy!.output).toEqual(comment)
    expect(stepOf('add-comment').legacy).toEqual({ use: 'add-comment-to-card' })
    expect(stepOf('add-comment').run).toBe(stepOf('add-comment-to-card').run)
  })
})

describe('Lists and checklists', () => {
  it('creates a list with the long id of the board', async () => {
    const list = { id: ids.list, name: 'Doing' }
    expect(
      (
        await runStep(
          'create-list',
          { idBoard: ids.board, name: 'Doing', pos: 'bottom', idListSource: ids.otherList },
          [list],
        )
      ).sent,
    ).toEqual([
      {
        method: 'POST',
        path: '/1/lists',
        body: { name: 'Doing', idListSource: ids.otherList, idBoard: ids.board, pos: 'bottom' },
      },
    ])
    const { sent } = await runStep('create-list', { idBoard: 'Tb5Hn3Qa', name: 'Doing' }, [{ id: ids.board }, list])
    expect(sent).toEqual([
      { method: 'GET', path: '/1/boards/Tb5Hn3Qa', query: { fields: 'id' } },
      { method: 'POST', path: '/1/lists', body: { name: 'Doing', idBoard: ids.board } },
    ])
  })

  it('adds a checklist with the long id of the card, looked up once at most', async () => {
    const checklist = { id: ids.checklist, name: 'Before' }
    const byId = await runStep('add-checklist', { idCard: ids.card, name: 'Before' }, [checklist])
    expect(byId.sent).toEqual([{ method: 'POST', path: '/1/checklists', body: { idCard: ids.card, name: 'Before' } }])
    const byLink = await runStep('add-checklist', { idCard: 'mN4tR8wL', idChecklistSource: idOf(32), pos: '2' }, [
      { id: ids.card },
      checklist,
    ])
    expect(byLink.sent[1]).toEqual({
      method: 'POST',
      path: '/1/checklists',
      body: { idCard: ids.card, idChecklistSource: idOf(32), pos: 2 },
    })
    const scoped = await runStep('add-checklist', { idCard: 'mN4tR8wL', idBoard: ids.board }, [
      { id: ids.card, idBoard: ids.board, idList: ids.list },
      checklist,
    ])
    expect(scoped.sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /1/cards/mN4tR8wL',
      'POST /1/checklists',
    ])
    expect(scoped.sent[1]!.body).toEqual({ idCard: ids.card })
  })

  it('adds a checklist item, unchecked and zero values too', async () => {
    const item = { id: idOf(81), name: 'Measure', state: 'incomplete' }
    const input = {
      idChecklist: ids.checklist,
      name: 'Measure',
      checked: false,
      dueReminder: 0,
      due: '2026-03-31T17:00:00Z',
      idMember: ids.member,
      pos: 'bottom',
    }
    expect((await runStep('create-a-checklist-item', input, [item])).sent).toEqual([
      {
        method: 'POST',
        path: `/1/checklists/${ids.checklist}/checkItems`,
        body: {
          name: 'Measure',
          checked: false,
          dueReminder: 0,
          due: '2026-03-31T17:00:00Z',
          idMember: ids.member,
          pos: 'bottom',
        },
      },
    ])
  })

  it('refuses a checklist of another card or board', async () => {
    const where = { id: ids.checklist, idBoard: ids.board, idCard: ids.card }
    for (const [field, otherId] of [
      ['idBoard', ids.otherBoard],
      ['idCard', ids.otherCard],
    ] as const) {
      const failure = await failureOf(
        runStep('create-a-checklist-item', { idChecklist: ids.checklist, name: 'x', [field]: otherId }, [where]),
      )
      expect(failure).toMatchObject({ code: 'invalid_input', details: { errors: [{ pointer: `/${field}` }] } })
    }
  })
})

describe('Get Boards', () => {
  const boards = [1, 2, 3, 4, 5].map((n) => ({ id: idOf(n), name: `Board ${n}` }))

  it('asks for open boards with the usual fields', async () => {
    const { sent, output } = await runStep('get-boards', {}, [boards])
    expect(sent).toEqual([
      {
        method: 'GET',
        path: '/1/members/me/boards',
        query: { filter: 'open', fields: 'name,desc,closed,idOrganization,url,shortLink,dateLastActivity' },
      },
    ])
    expect(output).toEqual({ boards, count: 5, more: false })
  })

  it('walks over all boards exactly once with limit and cursor', async () => {
    const seen: unknown[] = []
    let cursor: string | undefined
    for (let calls = 0; calls < 3; calls += 1) {
      const { output } = await runStep(
        'get-boards',
        { limit: 2, fields: 'name', filter: 'all', lists: 'open', ...(cursor ? { cursor } : {}) },
        ({ query }) => {
          expect(query).toEqual({ filter: 'all', fields: 'name', lists: 'open' })
          return boards
        },
      )
      seen.push(...(output.boards as unknown[]))
      expect(output.more).toBe(calls < 2)
      cursor = output.next as string | undefined
    }
    expect(seen).toEqual(boards)
    expect(cursor).toBeUndefined()
  })

  it('has nothing more after exactly limit boards', async () => {
    expect((await runStep('get-boards', { limit: 5 }, [boards])).output).toEqual({ boards, count: 5, more: false })
  })

  it('says so when the board it stopped at is gone', async () => {
    expect(await failureOf(runStep('get-boards', { cursor: idOf(99) }, [boards]))).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('Start again without cursor'),
    })
  })

  it('refuses an answer that is not a list', async () => {
    for (const reply of [null, {}, [{ name: 'x' }], ['x']])
      expect(await failureOf(runStep('get-boards', {}, [reply]))).toMatchObject({ code: 'bad_reply' })
  })
})

describe('records', () => {
  it('stay open but are checked where others build on them', () => {
    const card = stepOf('archive-card').output
    const whole = { id: ids.card, name: 'x', due: null, dueComplete: true, agent: { future: 1 } }
    expect(card.parse(whole)).toBe(whole)
    const problems = card
      .safeParse({ id: 5, name: null, due: 7, closed: 'no', idList: [] })
      .error?.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`)
    expect(problems).toEqual([
      'id should be a string',
      'name should be a string',
      'closed should be a boolean',
      'idList should be a string',
      'due should be a string or null',
    ])
    expect(card.safeParse(null).success).toBe(false)
    expect(card.safeParse({ name: 'x' }).success).toBe(false)
  })

  it('say which entry of a list is wrong', () => {
    const problem = stepOf('get-list-cards').output.safeParse({
      cards: [{ id: ids.card }, { id: ids.card, due: 5 }],
      count: 2,
      more: false,
    }).error?.issues[0]
    expect(problem?.path).toEqual(['cards', 1, 'due'])
  })
})

it('has the steps of the document in its order, and others between them', () => {
  const documented = [
    'Create Card',
    'Update Card',
    'Get Card',
    'Archive Card',
    'Get Boards',
    'Get List Cards',
    'Create List',
    'Add Comment to Card',
    'Add Comment',
    'Add Checklist',
    'Create a Checklist Item',
  ]
  const titles = workBoard.steps.map(({ title }) => title)
  expect(titles.filter((title) => documented.includes(title))).toEqual(documented)
  expect(titles).toHaveLength(78)
})
