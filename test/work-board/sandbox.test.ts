import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import type { BoardSandbox } from '../../shared/sandbox/board/index.ts'
import type { ProviderRequest, StepContext } from '#kit'
import { stepOf, workBoard } from './fake.ts'

/** The steps against the strict board of the sandbox, which was written from the vendor's facts and not from them. */
let sandbox: BoardSandbox
let at = Date.parse('2026-03-02T12:00:00Z')

beforeAll(async () => {
  // Every look at the clock is a second later, so that no rate limit is met.
  sandbox = await startBoardSandbox({ now: () => (at += 1000) })
})
afterAll(() => sandbox.close())

type Row = { id: string; name: string; [field: string]: unknown }

const send = async ({ method, path, query, body }: ProviderRequest): Promise<unknown> => {
  const text = new URLSearchParams(
    Object.entries(query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  const response = await fetch(`${sandbox.origin}${path}${text === '' ? '' : `?${text}`}`, {
    method,
    headers: {
      authorization: `OAuth oauth_consumer_key="${sandbox.credentials.key}", oauth_token="${sandbox.credentials.token}"`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer}`)
  return JSON.parse(answer)
}
const ctx = { send, signal: new AbortController().signal, now: () => at, progress: () => {} } as unknown as StepContext

const run = async (id: string, input: Record<string, unknown>) => {
  const step = stepOf(id)
  return step.output.parse(await step.run(ctx, step.input.parse(input), [])) as Row
}
const choices = async (id: string, field: string, values: Record<string, unknown>, query = '') =>
  (await stepOf(id).fields![field]!.options!(ctx, { values, query })).options

describe('work-board against the sandbox', () => {
  it('goes from boards to a card by choices and pasted addresses, and back', async () => {
    const { boards } = (await run('get-boards', { lists: 'open' })) as unknown as {
      boards: (Row & { url: string; lists: Row[] })[]
    }
    const board = boards.find(({ name }) => name === 'Launch plan')!
    expect(board.lists.length).toBeGreaterThan(0)
    const list = await run('create-list', { idBoard: board.url, name: 'Fresh', pos: 'bottom' })
    expect(await choices('create-card', 'idList', { idBoard: board.url }, 'fresh')).toEqual([
      { value: list.id, label: 'Fresh' },
    ])
    const [label] = await choices('create-card', 'idLabels', { idBoard: board.id })
    const [member] = await choices('create-card', 'idMembers', { idBoard: board.url })

    const card = await run('create-card', {
      idBoard: board.url,
      idList: list.id,
      name: 'Order tiles',
      desc: 'Grey',
      pos: 'top',
      due: '2026-03-31T17:00:00+11:00',
      start: '2026-03-01T00:00:00Z',
      dueComplete: true,
      idLabels: [label!.value],
      idMembers: [member!.value],
      urlSource: 'https://tiles.example/offer',
      address: '1 Harbour Lane',
      locationName: 'Shop',
      coordinates: '-33.8568,151.2153',
    })
    expect(card).toMatchObject({
      idList: list.id,
      due: '2026-03-31T06:00:00.000Z',
      dueComplete: true,
      idLabels: [label!.value],
      idMembers: [member!.value],
    })
    expect(await choices('get-card', 'idCard', { idBoard: board.id }, 'order tiles')).toEqual([
      { value: card.id, label: 'Order tiles', hint: 'Fresh' },
    ])

    const checklist = await run('add-checklist', {
      idBoard: board.url,
      idCard: card.url,
      name: 'Measuring',
      pos: 'top',
    })
    const item = await run('create-a-checklist-item', {
      idCard: card.url,
      idChecklist: checklist.id,
      name: 'Measure',
      checked: true,
      pos: '5',
    })
    expect(item).toMatchObject({ state: 'complete', pos: 5 })
    expect(await choices('create-a-checklist-item', 'idChecklist', { idCard: card.url })).toEqual([
      { value: checklist.id, label: 'Measuring' },
    ])
    expect(await choices('add-checklist', 'idChecklistSource', { idCard: card.url }, 'measuring')).toEqual([
      { value: checklist.id, label: 'Measuring' },
    ])
    await run('add-checklist', { idCard: card.shortLink, idChecklistSource: checklist.id })
    await run('add-comment-to-card', { idCard: card.url, text: 'Hello' })
    await run('add-comment', { idCard: card.id, text: 'Hello again' })

    const whole = await run('get-card', {
      idCard: card.url,
      checklists: true,
      comments: true,
      attachments: true,
      members: true,
      board: true,
      list: true,
      customFieldItems: true,
      limit: 1,
    })
    expect(whole).toMatchObject({ name: 'Order tiles', omitted: { checklists: 1, actions: 1 } })
    expect((whole.actions as Row[])[0]).toMatchObject({ type: 'commentCard', data: { text: 'Hello again' } })
  })

  it('changes, clears, archives and takes back', async () => {
    const [board] = await choices('create-card', 'idBoard', {})
    const [from, to] = await choices('create-card', 'idList', { idBoard: board!.value })
    const labels = await choices('create-card', 'idLabels', { idBoard: board!.value })
    const card = await run('create-card', {
      idList: from!.value,
      name: 'Change me',
      due: '2026-03-31T17:00:00Z',
      start: '2026-03-01T00:00:00Z',
      idLabels: labels.slice(0, 2).map(({ value }) => value),
    })
    expect(await run('archive-card', { idCard: card.id, idBoard: board!.value, idList: from!.value })).toMatchObject({
      closed: true,
    })
    const changed = await run('update-card', {
      fromBoard: board!.value,
      fromList: from!.value,
      idCard: card.url,
      closed: false,
      clear: ['due', 'start'],
      dueComplete: false,
      desc: '',
      idLabels: [labels[1]!.value],
      idList: to!.value,
      pos: 'top',
      subscribed: true,
      name: 'Changed',
    })
    expect(changed).toMatchObject({
      closed: false,
      due: null,
      start: null,
      dueComplete: false,
      idLabels: [labels[1]!.value],
      idList: to!.value,
      name: 'Changed',
      subscribed: true,
    })
    expect(await run('update-card', { idCard: card.id, idLabels: [], idMembers: [] })).toMatchObject({
      idLabels: [],
      idMembers: [],
    })
  })

  it('lists cards in the order of the list, and page by page each once', async () => {
    const [board] = await choices('create-card', 'idBoard', {})
    const list = await run('create-list', { idBoard: board!.value, name: 'Long' })
    const made: string[] = []
    for (let n = 0; n < 12; n += 1) made.push((await run('create-card', { idList: list.id, name: `Card ${n}` })).id)
    const whole = (await run('get-list-cards', { idList: list.id, fields: 'name' })) as unknown as {
      cards: Row[]
      count: number
      more: boolean
    }
    expect(whole).toMatchObject({ count: 12, more: false })
    expect(whole.cards.map(({ id }) => id)).toEqual(made)
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = (await run('get-list-cards', {
        idList: list.id,
        fields: 'name',
        filter: 'open',
        limit: 5,
        ...(cursor === undefined ? {} : { cursor }),
      })) as unknown as { cards: Row[]; next?: string }
      seen.push(...page.cards.map(({ id }) => id))
      cursor = page.next
    } while (cursor !== undefined)
    expect(seen).toEqual([...made].reverse())
  })

  it('knows whose credential it is', async () => {
    const type = workBoard.connections[1]!
    expect(type.identify!(await send(type.test!))).toEqual({
      accountId: sandbox.credentials.member.id,
      accountName: `${sandbox.credentials.member.fullName} (@${sandbox.credentials.member.username})`,
    })
  })
})
