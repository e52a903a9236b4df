import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Action, BoardSandbox } from '../../shared/sandbox/board/index.ts'
import { findIds, startFrozen, type Client, type Found } from './board-client.ts'

let sandbox: BoardSandbox
let ask: Client
let ids: Found
let clock: { at: number }
let mark = 0
beforeAll(async () => {
  ;({ sandbox, ask, ids, clock } = await startFrozen({ limits: { token: 10_000, key: 10_000 } }))
})
beforeEach(() => {
  sandbox.control.reset()
  ids = findIds(sandbox)
  mark = sandbox.state.actions.length
})
afterAll(() => sandbox.close())

const fresh = (): Action[] => sandbox.state.actions.slice(mark)
const types = (): string[] => fresh().map((action) => action.type)
const put = (name: string, body: object) => ask('PUT', `/1/cards/${ids.card(name)}`, { body })

describe('what a write leaves in the history', () => {
  test('a card: createCard, then its labels and members one by one', async () => {
    const card = (
      await ask('POST', '/1/cards', {
        body: {
          idList: ids.list('Ideas'),
          name: 'N',
          idLabels: [ids.label('Copy')],
          idMembers: [sandbox.credentials.member.id],
        },
      })
    ).json
    expect(types()).toEqual(['createCard', 'addLabelToCard', 'addMemberToCard'])
    expect(fresh()[0]?.data).toEqual({
      card: { id: card.id, name: 'N', idShort: card.idShort, shortLink: card.shortLink },
      list: { id: ids.list('Ideas'), name: 'Ideas' },
      board: { id: ids.board, name: 'Launch plan', shortLink: expect.stringMatching(/^\w{8}$/) },
    })
  })

  test('a move has both lists and no list; one action for each changed key', async () => {
    await put('Press kit', { idList: ids.list('Done'), name: 'Kit', desc: 'd', pos: 'top' })
    expect(fresh().map((action) => Object.keys(action.data['old'] as object))).toEqual([
      ['idList'],
      ['name'],
      ['desc'],
      ['pos'],
    ])
    expect(fresh()[0]?.data).toMatchObject({
      card: { idList: ids.list('Done') },
      old: { idList: ids.list('Review') },
      listBefore: { name: 'Review' },
      listAfter: { name: 'Done' },
    })
    expect(fresh()[0]?.data).not.toHaveProperty('list')
    expect(fresh()[1]?.data).toMatchObject({
      card: { name: 'Kit' },
      old: { name: 'Press kit' },
      list: { name: 'Done' },
    })
  })

  test('archiving and restoring; the same value again leaves nothing', async () => {
    await put('Press kit', { closed: true })
    await put('Press kit', { closed: true })
    await put('Press kit', { closed: false })
    expect(fresh().map((action) => [(action.data['old'] as any).closed, (action.data['card'] as any).closed])).toEqual([
      [false, true],
      [true, false],
    ])
  })

  test('a label change is two actions, both ways', async () => {
    const path = `/1/cards/${ids.card('Press kit')}/idLabels`
    await ask('POST', path, { body: { value: ids.label('Copy') } })
    await ask('DELETE', `${path}/${ids.label('Copy')}`)
    expect(types()).toEqual(['addLabelToCard', 'updateCard', 'removeLabelFromCard', 'updateCard'])
    expect(fresh()[0]?.data).toMatchObject({ value: 'yellow', text: 'Copy', label: { name: 'Copy', color: 'yellow' } })
    expect(fresh()[1]?.data).toMatchObject({ old: { idLabels: [] }, card: { idLabels: [ids.label('Copy')] } })
  })

  test('to another board: a pair of another type, and no updateCard', async () => {
    await put('Press kit', { idBoard: ids.other, idList: ids.list('Waiting') })
    expect(fresh().map((action) => [action.type, action.refs.idBoard])).toEqual([
      ['moveCardFromBoard', ids.board],
      ['moveCardToBoard', ids.other],
    ])
    expect(fresh()[0]?.data).toMatchObject({ boardTarget: { name: 'Support desk' }, list: { name: 'Review' } })
    expect(fresh()[1]?.data).toMatchObject({ boardSource: { name: 'Launch plan' }, list: { name: 'Waiting' } })
  })

  test('copies, mails and converted items are kinds of their own', async () => {
    const source = ids.card('Write the launch page')
    await ask('POST', '/1/cards', { body: { idList: ids.list('Ideas'), idCardSource: source, name: 'Copy of it' } })
    expect(types()).toEqual(['copyCard', 'copyChecklist', 'copyCommentCard'])
    expect(fresh()[0]?.data).toMatchObject({ card: { name: 'Copy of it' }, cardSource: { id: source } })
    sandbox.control.emailCard({ idList: ids.list('Ideas'), name: 'By mail' })
    const item = [...sandbox.state.checklists.values()][0]?.checkItems[1]
    sandbox.control.convertCheckItem({ idCheckItem: item?.id as string })
    expect(types().slice(3)).toEqual(['emailCard', 'convertToCardFromCheckItem'])
    expect(fresh()[4]?.data).toMatchObject({
      card: { name: item?.name },
      cardSource: { id: source },
      checklist: { name: 'Before publishing' },
    })
  })

  test('a deleted card has no name any more', async () => {
    await ask('DELETE', `/1/cards/${ids.card('Press kit')}`)
    expect(types()).toEqual(['deleteCard'])
    expect(fresh()[0]?.data['card']).not.toHaveProperty('name')
  })

  test('an archived list leaves its cards alone; archiving all cards tells of each', async () => {
    await ask('PUT', `/1/lists/${ids.list('Ideas')}`, { body: { closed: true } })
    expect(types()).toEqual(['updateList'])
    await ask('POST', `/1/lists/${ids.list('Ideas')}/archiveAllCards`)
    expect(types().slice(1)).toEqual(['updateCard', 'updateCard', 'updateCard'])
  })

  test('a new board in a workspace: createBoard, addToOrganizationBoard, and nothing for what it comes with', async () => {
    const organization = [...sandbox.state.organizations.keys()][0]
    await ask('POST', '/1/boards', { body: { name: 'B', idOrganization: organization } })
    expect(types()).toEqual(['createBoard', 'addToOrganizationBoard'])
    expect(fresh()[1]?.data).toMatchObject({ organization: { id: organization, name: 'Harbourlight Works' } })
  })

  test('who did it: the app for a write through the API, none for a person in the pages', async () => {
    await put('Press kit', { name: 'A' })
    sandbox.control.renameCard({ idCard: ids.card('A'), name: 'B', by: 'odettequill' })
    const [second, first] = (await ask('GET', `/1/boards/${ids.board}/actions?limit=2`)).json
    expect([first.appCreator, first.memberCreator.username]).toEqual([
      { id: sandbox.credentials.appId },
      'marlowfenwick',
    ])
    expect([second.appCreator, second.memberCreator.username]).toEqual([null, 'odettequill'])
    expect(first.display.translationKey).toBe('action_renamed_card')
  })
})

describe('reading the history', () => {
  test('the kinds only webhooks carry are not read', async () => {
    await ask('POST', '/1/labels', { body: { name: 'New', color: 'lime', idBoard: ids.board } })
    await ask('POST', `/1/cards/${ids.card('Press kit')}/idLabels`, { body: { value: ids.label('New') } })
    expect(types()).toEqual(['createLabel', 'addLabelToCard', 'updateCard'])
    const read = (await ask('GET', `/1/boards/${ids.board}/actions?filter=all&limit=1000`)).json.map(
      (action: any) => action.type,
    )
    expect(read[0]).toBe('updateCard')
    expect(read).not.toContain('createLabel')
    expect(read).not.toContain('addLabelToCard')
  })

  test('a card answers comments and moves unless asked for more; sub-filters work', async () => {
    const path = `/1/cards/${ids.card('Press kit')}/actions`
    await put('Press kit', { name: 'Kit', idList: ids.list('Done') })
    await ask('POST', `/1/cards/${ids.card('Kit')}/actions/comments`, { body: { text: 'hi' } })
    const read = async (query: string): Promise<string[]> =>
      (await ask('GET', `${path}${query}`)).json.map((action: any) => action.type)
    expect(await read('')).toEqual(['commentCard', 'updateCard'])
    expect(await read('?filter=updateCard:name')).toHaveLength(1)
    expect((await read('?filter=all')).length).toBeGreaterThan(3)
  })
})

describe('paging', () => {
  const fill = (count: number): void => {
    for (let i = 0; i < count; i += 1) {
      clock.at += 1000
      sandbox.control.createCard({ idList: ids.list('Inbox'), name: `n${i}` })
    }
  }
  const actions = async (query: string): Promise<any[]> =>
    (await ask('GET', `/1/boards/${ids.other}/actions?${query}`)).json

  test('newest first, 50 unless told, at most 1000', async () => {
    fill(60)
    const page = await actions('')
    expect([page.length, page[0].data.card.name, page[49].data.card.name]).toEqual([50, 'n59', 'n10'])
    expect((await actions('page=1'))[0].data.card.name).toBe('n9')
    expect((await ask('GET', `/1/boards/${ids.other}/actions?limit=1001`)).text).toBe('invalid value for limit')
    expect(
      (await ask('GET', `/1/boards/${ids.other}/actions?format=count&limit=1000&filter=createCard`)).json._value,
    ).toBe(65)
  })

  test('walking back with before meets every action once; since takes its own item in', async () => {
    fill(25)
    const seen: string[] = []
    for (let before = ''; ;) {
      const page = await actions(`limit=10&fields=id&filter=createCard${before && `&before=${before}`}`)
      seen.push(...page.map((action) => action.id))
      if (page.length < 10) break
      before = page.at(-1).id
    }
    const all = sandbox.state.actions
      .filter((action) => action.type === 'createCard' && action.refs.idBoard === ids.other)
      .map((action) => action.id)
    expect(seen).toEqual([...all].reverse())
    expect((await actions(`since=${all.at(-3)}&fields=id`)).map((action) => action.id)).toEqual(all.slice(-3).reverse())
    sandbox.control.settings({ sinceInclusive: false })
    expect((await actions(`since=${all.at(-3)}&fields=id`)).map((action) => action.id)).toEqual(all.slice(-2).reverse())
    sandbox.control.settings({ sinceInclusive: true })
  })

  test('dates serve as marks; notifications take ids only', async () => {
    const before = new Date(clock.at).toISOString()
    fill(3)
    expect(await actions(`since=${encodeURIComponent(new Date(clock.at - 1500).toISOString())}`)).toHaveLength(2)
    expect((await actions(`before=${before}&limit=1`))[0].data.card?.name).not.toMatch(/^n\d$/)
    expect(await ask('GET', `/1/boards/${ids.other}/actions?since=yesterday`)).toMatchObject({
      status: 400,
      text: 'invalid value for since',
    })
    expect(await ask('GET', `/1/members/me/notifications?since=${before}`)).toMatchObject({
      status: 400,
      text: 'invalid value for since',
    })
    const first = sandbox.control.notify({ type: 'mentionedOnCard', text: 'a' })
    const second = sandbox.control.notify({ type: 'changeCard', text: 'b' })
    expect(
      (await ask('GET', `/1/members/me/notifications?since=${first.id}`)).json.map(
        (notification: any) => notification.id,
      ),
    ).toEqual([second.id, first.id])
  })

  test('cards keep their places until paging is asked for, then come newest first', async () => {
    fill(2)
    const cards = async (query: string): Promise<string[]> =>
      (await ask('GET', `/1/lists/${ids.list('Inbox')}/cards?fields=name${query}`)).json.map((card: any) => card.name)
    expect((await cards('')).slice(-2)).toEqual(['n0', 'n1'])
    expect(await cards('&limit=2')).toEqual(['n1', 'n0'])
    expect(await cards(`&before=${ids.card('Parcel arrived without a lid')}&limit=5`)).toEqual([])
  })

  test('a board shows 50 labels unless told otherwise', async () => {
    for (let i = 0; i < 60; i += 1) sandbox.control.createLabel({ idBoard: ids.board, name: `l${i}`, color: 'sky' })
    expect((await ask('GET', `/1/boards/${ids.board}/labels`)).json).toHaveLength(50)
    expect((await ask('GET', `/1/boards/${ids.board}/labels?limit=1000`)).json).toHaveLength(63)
  })
})

test('others tell a member what concerns them, and nobody tells themselves', async () => {
  sandbox.control.memberOnCard({ idCard: ids.card('Press kit'), member: 'marlowfenwick', by: 'odettequill' })
  sandbox.control.comment({ idCard: ids.card('Press kit'), text: '@marlowfenwick please look', by: 'odettequill' })
  sandbox.control.comment({ idCard: ids.card('Press kit'), text: '@marlowfenwick to myself' })
  const notifications = (await ask('GET', '/1/members/me/notifications?limit=2')).json
  expect(
    notifications.map((notification: any) => [
      notification.type,
      notification.unread,
      notification.memberCreator.username,
    ]),
  ).toEqual([
    ['mentionedOnCard', true, 'odettequill'],
    ['addedToCard', true, 'odettequill'],
  ])
  expect(notifications[0].data.text).toBe('@marlowfenwick please look')
})
