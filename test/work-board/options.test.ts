import { describe, expect, it } from 'vitest'
import type { ProviderRequest } from '#kit'
import { ids, idOf, loadOptions, workBoard } from './fake.ts'

const lists = [
  { id: ids.list, name: 'To order' },
  { id: ids.otherList, name: 'Ordered' },
]
const values = { idBoard: ids.board }

describe('dropdowns', () => {
  it('offers the open boards with their workspace', async () => {
    const { page, sent } = await loadOptions('create-card', 'idBoard', {}, [
      [
        { id: ids.board, name: 'Kitchen', organization: { displayName: 'Harbour Lane' } },
        { id: ids.otherBoard, name: '' },
      ],
    ])
    expect(sent).toEqual([
      {
        method: 'GET',
        path: '/1/members/me/boards',
        query: { filter: 'open', fields: 'name', organization: true, organization_fields: 'displayName' },
      },
    ])
    expect(page).toEqual({
      options: [
        { value: ids.board, label: 'Kitchen', hint: 'Harbour Lane' },
        { value: ids.otherBoard, label: '(no name)' },
      ],
    })
  })

  it('offers the open lists of a board given as id, short link or address', async () => {
    for (const [idBoard, at] of [
      [ids.board, ids.board],
      ['Tb5Hn3Qa', 'Tb5Hn3Qa'],
      ['https://trello.com/b/Tb5Hn3Qa/kitchen', 'Tb5Hn3Qa'],
    ]) {
      const { page, sent } = await loadOptions('get-list-cards', 'idList', { values: { idBoard } }, [lists])
      expect(sent).toEqual([
        { method: 'GET', path: `/1/boards/${at}/lists`, query: { filter: 'open', fields: 'name' } },
      ])
      expect(page.options).toEqual([
        { value: ids.list, label: 'To order' },
        { value: ids.otherList, label: 'Ordered' },
      ])
    }
  })

  it('offers the lists of all boards, each with its board, while no board is chosen', async () => {
    const boards = [
      { id: ids.board, name: 'Kitchen refit', lists },
      { id: ids.otherBoard, name: 'Garden', lists: [{ id: idOf(44), name: 'To order' }] },
    ]
    const { page, sent } = await loadOptions('create-card', 'idList', { values: {}, query: 'garden' }, [boards])
    expect(sent).toEqual([
      { method: 'GET', path: '/1/members/me/boards', query: { filter: 'open', fields: 'name', lists: 'open' } },
    ])
    expect(page.options).toEqual([{ value: idOf(44), label: 'To order', hint: 'Garden' }])
  })

  it('searches names, hints and ids without regard to case', async () => {
    const labels = [
      { id: ids.label, name: 'Urgent', color: 'red' },
      { id: idOf(42), name: '', color: 'sky' },
      { id: idOf(43), name: 'Waiting', color: null },
    ]
    const searchLabels = async (query: string) =>
      (await loadOptions('create-card', 'idLabels', { values, query }, [labels])).page.options.map(({ label }) => label)
    expect(await searchLabels('')).toEqual(['Urgent', 'sky', 'Waiting'])
    expect(await searchLabels(' URG ')).toEqual(['Urgent'])
    expect(await searchLabels('no colour')).toEqual(['Waiting'])
    expect(await searchLabels(idOf(42))).toEqual(['sky'])
    expect(await searchLabels('green')).toEqual([])
  })

  it('asks for all labels, of which the board gives only 50 by itself', async () => {
    const { sent } = await loadOptions('create-card', 'idLabels', { values }, [[]])
    expect(sent).toEqual([
      { method: 'GET', path: `/1/boards/${ids.board}/labels`, query: { limit: 1000, fields: 'name,color' } },
    ])
  })

  it('pages long choices by the last one shown', async () => {
    const many = Array.from({ length: 250 }, (_, n) => ({ id: idOf(500 + n), name: `List ${n}` }))
    const seen: string[] = []
    let cursor: string | undefined
    for (let calls = 0; calls < 3; calls += 1) {
      const { page } = await loadOptions(
        'create-card',
        'idList',
        { values, ...(cursor === undefined ? {} : { cursor }) },
        [many],
      )
      seen.push(...page.options.map(({ value }) => value))
      cursor = page.next
      expect(cursor === undefined).toBe(calls === 2)
    }
    expect(seen).toEqual(many.map(({ id }) => id))
  })

  it('offers the cards of a board with their list, newest first and page by page', async () => {
    const cards = Array.from({ length: 150 }, (_, n) => ({
      id: idOf(1000 + n),
      name: `Card ${n}`,
      idList: ids.otherList,
    }))
    const answer = ({ path, query }: ProviderRequest) => {
      if (path.endsWith('/lists')) return lists
      const { limit, before } = query as { limit: number; before?: string }
      return cards
        .filter((card) => before === undefined || card.id < before)
        .reverse()
        .slice(0, limit)
    }
    const first = await loadOptions('get-card', 'idCard', { values }, answer)
    expect(first.sent.map(({ path, query }) => [path, query])).toEqual([
      [`/1/boards/${ids.board}/lists`, { filter: 'open', fields: 'name' }],
      [`/1/boards/${ids.board}/cards`, { fields: 'name,idList', limit: 101 }],
    ])
    expect(first.page.options).toHaveLength(100)
    expect(first.page.options[0]).toEqual({ value: idOf(1149), label: 'Card 149', hint: 'Ordered' })
    const second = await loadOptions('get-card', 'idCard', { values, cursor: first.page.next! }, answer)
    expect(second.page.options.map(({ label }) => label)).toEqual(
      Array.from({ length: 50 }, (_, n) => `Card ${49 - n}`),
    )
    expect(second.page.next).toBeUndefined()
  })

  it('searches all cards of a board in a few requests, and can go on', async () => {
    const cards = Array.from({ length: 4500 }, (_, n) => ({
      id: idOf(1000 + n),
      name: n % 1500 === 0 ? `Needle ${n}` : `Hay ${n}`,
      idList: ids.list,
    }))
    const answer = ({ path, query }: ProviderRequest) => {
      if (path.endsWith('/lists')) return lists
      const { limit, before } = query as { limit: number; before?: string }
      return cards
        .filter((card) => before === undefined || card.id < before)
        .reverse()
        .slice(0, limit)
    }
    const first = await loadOptions('get-card', 'idCard', { values, query: 'needle' }, answer)
    expect(first.sent).toHaveLength(4)
    expect(first.page.options.map(({ label }) => label)).toEqual(['Needle 3000'])
    const second = await loadOptions(
      'get-card',
      'idCard',
      { values, query: 'needle', cursor: first.page.next! },
      answer,
    )
    expect(second.page).toEqual({
      options: [
        { value: idOf(2500), label: 'Needle 1500', hint: 'To order' },
        { value: idOf(1000), label: 'Needle 0', hint: 'To order' },
      ],
    })
  })

  it('offers the cards of a list alone when one is chosen', async () => {
    const { page, sent } = await loadOptions('archive-card', 'idCard', { values: { ...values, idList: ids.list } }, [
      [{ id: ids.card, name: 'Order tiles', idList: ids.list }],
    ])
    expect(sent).toEqual([
      { method: 'GET', path: `/1/lists/${ids.list}/cards`, query: { fields: 'name,idList', limit: 101 } },
    ])
    expect(page).toEqual({ options: [{ value: ids.card, label: 'Order tiles' }] })
  })

  it('offers the checklists of a card, and those of its board to copy from', async () => {
    const checklists = [{ id: ids.checklist, name: 'Before ordering' }]
    const own = await loadOptions('create-a-checklist-item', 'idChecklist', { values: { idCard: 'mN4tR8wL' } }, [
      checklists,
    ])
    expect(own.sent).toEqual([
      { method: 'GET', path: '/1/cards/mN4tR8wL/checklists', query: { checkItems: 'none', fields: 'name' } },
    ])
    expect(own.page.options).toEqual([{ value: ids.checklist, label: 'Before ordering' }])
    const otherOptions = await loadOptions('add-checklist', 'idChecklistSource', { values: { idCard: ids.card } }, [
      { id: ids.card, idBoard: ids.board },
      checklists,
    ])
    expect(otherOptions.sent.map(({ path, query }) => [path, query])).toEqual([
      [`/1/cards/${ids.card}`, { fields: 'idBoard' }],
      [`/1/boards/${ids.board}/checklists`, undefined],
    ])
  })

  it('offers the members of the board, and whoever is typed from everybody', async () => {
    const mara = { id: ids.member, fullName: 'Mara Quill', username: 'maraquill' }
    const listed = await loadOptions('add-member-to-board', 'idMember', { values }, [[mara]])
    expect(listed.sent).toEqual([{ method: 'GET', path: `/1/boards/${ids.board}/members` }])
    // Found by an e-mail address, which the answer does not show.
    const memberOptions = await loadOptions(
      'add-member-to-board',
      'idMember',
      { values, query: ' mara@mail.example ' },
      [[mara]],
    )
    expect(memberOptions.sent).toEqual([
      { method: 'GET', path: '/1/search/members', query: { query: 'mara@mail.example', limit: 20 } },
    ])
    for (const { page } of [listed, memberOptions])
      expect(page).toEqual({ options: [{ value: ids.member, label: 'Mara Quill', hint: '@maraquill' }] })
  })

  it('offers members by name, and only images as cover', async () => {
    const members = await loadOptions('create-card', 'idMembers', { values }, [
      [{ id: ids.member, fullName: 'Mara Quill', username: 'maraquill' }],
    ])
    expect(members.page.options).toEqual([{ value: ids.member, label: 'Mara Quill', hint: '@maraquill' }])
    const images = await loadOptions('update-card', 'idAttachmentCover', { values: { idCard: ids.card } }, [
      [
        { id: ids.attachment, name: 'wall.png', mimeType: 'image/png' },
        { id: idOf(62), name: 'offer.pdf', mimeType: 'application/pdf' },
        { id: idOf(63), name: 'link', mimeType: null },
      ],
    ])
    expect(images.page.options).toEqual([{ value: ids.attachment, label: 'wall.png', hint: 'image/png' }])
  })

  it('offers labels of the board a card moves to, else of the board it is on', async () => {
    const at = async (form: Record<string, unknown>, answers: unknown[]) =>
      (await loadOptions('update-card', 'idLabels', { values: form }, answers)).sent.map(({ path }) => path)
    expect(await at({ idCard: ids.card, fromBoard: ids.board, idBoard: ids.otherBoard }, [[]])).toEqual([
      `/1/boards/${ids.otherBoard}/labels`,
    ])
    expect(await at({ idCard: ids.card, fromBoard: ids.board }, [[]])).toEqual([`/1/boards/${ids.board}/labels`])
    expect(await at({ idCard: ids.card }, [{ id: ids.card, idBoard: ids.board }, []])).toEqual([
      `/1/cards/${ids.card}`,
      `/1/boards/${ids.board}/labels`,
    ])
  })

  it('names the form field that is wrong and sends nothing', async () => {
    const nothing = { ok: false }
    const wrong = async (id: string, field: string, form: Record<string, unknown>) =>
      loadOptions(id, field, { values: form }, () => nothing).catch((thrown: unknown) => thrown)
    expect(await wrong('create-card', 'idLabels', {})).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('Choose the board (idBoard) first'),
      details: { errors: [{ pointer: '/values/idBoard' }] },
    })
    expect(await wrong('create-card', 'idList', { idBoard: 'no board' })).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('is not a board id'),
      details: { errors: [{ pointer: '/values/idBoard' }] },
    })
    expect(await wrong('create-card', 'idList', { idBoard: 5 })).toMatchObject({
      code: 'invalid_input',
      details: { errors: [{ pointer: '/values/idBoard' }] },
    })
    expect(await wrong('get-card', 'idCard', { idBoard: ids.board, idList: '../x' })).toMatchObject({
      code: 'invalid_input',
      details: { errors: [{ pointer: '/values/idList' }] },
    })
  })

  it('depends on what it needs in every step: board before list and card, card before checklist', () => {
    for (const step of workBoard.steps) {
      const fields = step.fields ?? {}
      for (const [name, spec] of Object.entries(fields)) {
        expect(Object.keys(step.input.shape), `${step.id}.${name}`).toContain(name)
        for (const other of spec.dependsOn ?? [])
          expect(Object.keys(step.input.shape), `${step.id}.${name}`).toContain(other)
        if (spec.scope)
          expect(
            step.input.shape[name]!.safeParse(undefined).success,
            `${step.id}.${name} is a scope and so optional`,
          ).toBe(true)
      }
    }
    expect(workBoard.steps.find(({ id }) => id === 'create-a-checklist-item')!.fields).toMatchObject({
      idBoard: { scope: true },
      idList: { dependsOn: ['idBoard'], scope: true },
      idCard: { dependsOn: ['idBoard'], scope: true },
      idChecklist: { dependsOn: ['idCard'] },
    })
  })
})
