import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findIds, read, startFrozen, type Client, type Found } from './board-client.ts'
import type { BoardSandbox } from '../../shared/sandbox/board/index.ts'

let sandbox: BoardSandbox
let ask: Client
let ids: Found
beforeAll(async () => {
  ;({ sandbox, ask, ids } = await startFrozen({ limits: { token: 10_000, key: 10_000, memberRoute: 10_000 } }))
})
beforeEach(() => {
  sandbox.control.reset()
  ids = findIds(sandbox)
})
afterAll(() => sandbox.close())

describe('credentials', () => {
  const me = '/1/members/me?fields=username'

  test('are taken from the query, the header, and the body of a write', async () => {
    const { key, token } = sandbox.credentials
    expect((await ask('GET', me, { auth: 'query' })).json.username).toBe('marlowfenwick')
    expect((await ask('GET', me, { auth: 'header' })).json.username).toBe('marlowfenwick')
    const written = await ask('POST', '/1/cards', {
      auth: 'none',
      body: { key, token, idList: ids.list('Ideas'), name: 'By body' },
    })
    expect([written.status, written.json.name]).toEqual([200, 'By body'])
    expect(sandbox.control.requests().map((request) => request.auth.place)).toEqual(['query', 'header', 'body'])
  })

  test('a bearer opens only with an OAuth 2.0 token, and an OAuth 2.0 token only as a bearer', async () => {
    const { token } = sandbox.control.issueToken({ kind: 'oauth2', scopes: ['read:member:trello'] })
    const bearer = { auth: 'none' as const, headers: { authorization: `Bearer ${token}` } }
    expect((await ask('GET', me, bearer)).json.username).toBe('marlowfenwick')
    expect(await ask('GET', me, { token })).toMatchObject({ status: 401, text: 'invalid token' })
    expect(
      await ask('GET', me, { auth: 'none', headers: { authorization: `Bearer ${sandbox.credentials.token}` } }),
    ).toMatchObject({
      status: 401,
      text: 'invalid token',
    })
    expect(await ask('GET', `/1/boards/${ids.board}`, bearer)).toMatchObject({
      status: 401,
      json: { message: 'missing scopes' },
    })
    expect((await ask('GET', '/1/batch?urls=/members/me', bearer)).status).toBe(401)
  })

  test('each mistake has its own words', async () => {
    const card = `/1/cards/${ids.card('Press kit')}`
    expect(await ask('GET', card, { auth: 'none' })).toMatchObject({
      status: 401,
      text: 'unauthorized card permission requested',
      type: expect.stringContaining('text/plain'),
    })
    expect(await ask('GET', `/1/boards/${ids.board}`, { auth: 'none' })).toMatchObject({
      status: 401,
      text: 'unauthorized board permission requested',
    })
    expect(await ask('GET', card, { key: 'f'.repeat(32) })).toMatchObject({ status: 401, text: 'invalid key' })
    expect(await ask('GET', card, { token: 'wrong' })).toMatchObject({ status: 401, text: 'invalid token' })
    expect(await ask('GET', card, { key: sandbox.credentials.otherKey })).toMatchObject({
      status: 401,
      text: 'invalid token',
    })
    expect(await ask('PUT', card, { token: sandbox.credentials.readOnlyToken, body: { name: 'x' } })).toMatchObject({
      status: 401,
      json: { message: 'missing scopes' },
    })
    expect(await ask('PUT', card, { auth: 'none', body: { name: 'x' } })).toMatchObject({
      status: 401,
      json: { message: 'missing scopes' },
    })
    expect(await ask('GET', '/1/cards/not-an-id', { token: 'wrong' })).toMatchObject({
      status: 400,
      text: 'invalid id',
    })
  })

  test('an expired token is an invalid one', async () => {
    const { token } = sandbox.control.issueToken({ expiresInMs: 0 })
    expect(await ask('GET', me, { token })).toMatchObject({ status: 401, text: 'invalid token' })
  })

  test('what a member cannot see is 401, what is not there is 404', async () => {
    const hidden = sandbox.control.createBoard({ by: 'odettequill', name: 'Private' })
    expect(await ask('GET', `/1/boards/${hidden.id}`)).toMatchObject({
      status: 401,
      text: 'unauthorized board permission requested',
    })
    expect(await ask('GET', `/1/boards/${'a'.repeat(24)}`)).toMatchObject({
      status: 404,
      text: 'The requested resource was not found.',
    })
    expect((await ask('GET', `/1/boards/${hidden.id}`, { token: sandbox.credentials.secondToken })).status).toBe(200)
  })

  test('the e-mail address and marking notifications read need the scope account', async () => {
    const account = { token: sandbox.credentials.accountToken }
    expect((await ask('GET', '/1/members/me')).json.email).toBeNull()
    expect((await ask('GET', '/1/members/me', account)).json.email).toBe('marlowfenwick@mail.example')
    const { id } = sandbox.control.notify({ type: 'mentionedOnCard', text: 'look' })
    expect((await ask('PUT', `/1/notifications/${id}`, { body: { unread: false } })).status).toBe(401)
    expect((await ask('PUT', `/1/notifications/${id}`, { ...account, body: { unread: false } })).json).toMatchObject({
      unread: false,
      dateRead: '2026-03-02T12:00:00.000Z',
    })
  })
})

describe('what a write carries', () => {
  test('JSON, a form and the query say the same', async () => {
    const idList = ids.list('Ideas')
    const label = ids.label('Copy')
    const cardFields = { name: 'Same', desc: 'd', idLabels: [label], due: '2026-04-01T09:00:00.000Z' }
    const flat = { ...cardFields, idLabels: label, idList }
    const answers = [
      await ask('POST', '/1/cards', { body: { ...cardFields, idList } }),
      await ask('POST', '/1/cards', { form: flat }),
      await ask('POST', `/1/cards?${new URLSearchParams(flat)}`),
    ]
    for (const answer of answers)
      expect([answer.status, answer.json]).toEqual([200, expect.objectContaining(cardFields)])
  })

  test.each([
    ['a name that is a number', { name: 5 }, 'invalid value for name'],
    ['a description that is null', { desc: null }, 'invalid value for desc'],
    ['no list', { idList: undefined }, 'invalid value for idList'],
    ['a list that is a word', { idList: 'to-do' }, 'invalid value for idList'],
    ['a short link as list', { idList: 'AbCd1234' }, 'Invalid objectId'],
    ['a number as text for pos', { pos: '5' }, 'invalid value for pos'],
    ['a negative pos', { pos: -1 }, 'invalid value for pos'],
    ['a flag as text', { dueComplete: 'true' }, 'invalid value for dueComplete'],
    ['a date that is none', { due: 'soonish' }, 'invalid value for due'],
    ['a label that is not on the board', { idLabels: ['a'.repeat(24)] }, 'invalid value for idLabels'],
    ['a link that is no web address', { urlSource: 'file:///etc' }, 'invalid value for urlSource'],
    ['text of more than 16384 characters', { desc: 'x'.repeat(16_385) }, 'invalid value for desc'],
  ])('%s is refused', async (_, change, text) => {
    const answer = await ask('POST', '/1/cards', { body: { idList: ids.list('Ideas'), name: 'Strict', ...change } })
    expect(answer).toMatchObject({ status: 400, text, type: 'text/plain; charset=utf-8' })
    expect([...sandbox.state.cards.values()].some((card) => card.name === 'Strict')).toBe(false)
  })

  test('16384 characters pass, an unknown list has its own sentence, broken JSON too', async () => {
    expect(
      (await ask('POST', '/1/cards', { body: { idList: ids.list('Ideas'), desc: 'x'.repeat(16_384) } })).status,
    ).toBe(200)
    expect(await ask('POST', '/1/cards', { body: { idList: 'a'.repeat(24), name: 'x' } })).toMatchObject({
      status: 404,
      text: 'could not find the board that the card belongs to',
    })
    const broken = await read(
      await fetch(`${sandbox.origin}/1/cards`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"name":',
      }),
    )
    expect([broken.status, broken.text]).toEqual([400, expect.stringMatching(/^Error parsing body/)])
  })

  test('unknown parameters pass and are remembered; a date without a zone is misread and remembered', async () => {
    const answer = await ask('POST', '/1/cards', {
      body: { idList: ids.list('Ideas'), name: 'x', labels: 'red', due: '2026-04-01T09:00:00' },
    })
    expect([answer.status, answer.json.due]).toEqual([200, '2026-04-01T18:30:00.000Z'])
    expect(sandbox.control.requests()[0]).toMatchObject({
      unknown: ['labels'],
      oddities: ['due: date without a zone'],
      route: 'POST /cards',
    })
  })

  test('null clears a due date in JSON, the word null in a query', async () => {
    const path = `/1/cards/${ids.card('Write the launch page')}`
    expect((await ask('PUT', path, { body: { due: null } })).json.due).toBeNull()
    await ask('PUT', path, { body: { due: '2026-04-01T09:00:00Z' } })
    expect((await ask('PUT', `${path}?due=null`)).json.due).toBeNull()
  })

  test('an address over 8 KB is 414 even without credentials', async () => {
    expect((await ask('GET', `/1/cards/${'a'.repeat(24)}?x=${'y'.repeat(8200)}`, { auth: 'none' })).status).toBe(414)
  })

  test('a body over the limit is 413 and an unknown route names itself', async () => {
    expect(await ask('GET', '/1/webhooksx')).toMatchObject({ status: 404, text: 'Cannot GET /1/webhooksx' })
    const large = await ask('POST', '/1/cards', {
      body: { idList: ids.list('Ideas'), desc: 'x'.repeat(13 * 1024 * 1024) },
    })
    expect([large.status, large.type]).toEqual([413, 'text/html'])
  })
})

describe('the routes of the seed', () => {
  test('a card is made, read by id and short link, changed, archived, deleted', async () => {
    const made = await ask('POST', '/1/cards', { body: { idList: ids.list('Ideas'), name: 'One', pos: 'top' } })
    expect(made.json).toMatchObject({ closed: false, idBoard: ids.board, attachments: [], stickers: [], limits: {} })
    expect(made.json.id.slice(0, 8)).toBe(Math.floor(Date.parse('2026-03-02T12:00:00Z') / 1000).toString(16))
    expect(made.json.url).toBe(`${sandbox.origin}/c/${made.json.shortLink}/${made.json.idShort}-one`)
    expect((await ask('GET', `/1/cards/${made.json.shortLink}?fields=name,pos`)).json).toEqual({
      id: made.json.id,
      name: 'One',
      pos: made.json.pos,
    })
    expect((await ask('GET', `/1/lists/${ids.list('Ideas')}/cards?fields=name`)).json[0].id).toBe(made.json.id)
    expect((await ask('PUT', `/1/cards/${made.json.id}`, { body: { name: 'Two', closed: true } })).json).toMatchObject({
      name: 'Two',
      closed: true,
    })
    expect((await ask('DELETE', `/1/cards/${made.json.id}`)).json).toEqual({ limits: {} })
    expect((await ask('GET', `/1/cards/${made.json.id}`)).status).toBe(404)
  })

  test('boards and lists are made, read and changed', async () => {
    const board = (await ask('POST', '/1/boards/', { body: { name: 'New', prefs_permissionLevel: 'private' } })).json
    const lists = (await ask('GET', `/1/boards/${board.id}/lists`)).json
    expect(lists.map((boardList: any) => boardList.name)).toEqual(['To Do', 'Doing', 'Done'])
    expect((await ask('GET', `/1/boards/${board.id}/labels`)).json.length).toBe(6)
    const list = (await ask('POST', '/1/lists', { body: { name: 'First', idBoard: board.id } })).json
    expect(list.pos).toBeLessThan(lists[0].pos)
    expect(await ask('POST', '/1/lists', { body: { name: 'First', idBoard: board.shortLink } })).toMatchObject({
      status: 400,
      text: 'Invalid objectId',
    })
    expect((await ask('PUT', `/1/lists/${list.id}`, { body: { name: 'Renamed' } })).json.name).toBe('Renamed')
    expect((await ask('PUT', `/1/lists/${list.id}/closed`, { body: { value: true } })).json.closed).toBe(true)
    expect(await ask('PUT', `/1/lists/${list.id}/closed`, { body: { value: 'yes' } })).toMatchObject({
      status: 400,
      text: 'invalid value for value',
    })
    expect(Object.keys((await ask('GET', `/1/lists/${list.id}`)).json).sort()).toEqual([
      'closed',
      'id',
      'idBoard',
      'name',
      'pos',
    ])
    expect((await ask('DELETE', `/1/boards/${board.id}`)).json).toEqual({ _value: null })
  })

  test('checklists and items are made, read, ticked and deleted', async () => {
    const idCard = ids.card('Press kit')
    const list = (await ask('POST', '/1/checklists', { body: { idCard, name: 'Steps' } })).json
    const item = (
      await ask('POST', `/1/checklists/${list.id}/checkItems`, { body: { name: 'A', checked: false, pos: 'bottom' } })
    ).json
    expect(item).toMatchObject({ state: 'incomplete', idChecklist: list.id, limits: {} })
    expect(
      (await ask('PUT', `/1/cards/${idCard}/checkItem/${item.id}`, { body: { state: 'complete' } })).json.state,
    ).toBe('complete')
    expect(await ask('PUT', `/1/cards/${idCard}/checkItem/${item.id}`, { body: { state: 'done' } })).toMatchObject({
      status: 400,
      text: 'invalid value for state',
    })
    expect(
      (await ask('GET', `/1/checklists/${list.id}`)).json.checkItems.map((checkItem: any) => checkItem.state),
    ).toEqual(['complete'])
    expect((await ask('GET', `/1/cards/${idCard}`)).json.badges).toMatchObject({ checkItems: 1, checkItemsChecked: 1 })
    expect((await ask('DELETE', `/1/checklists/${list.id}`)).json).toEqual({ limits: {} })
  })

  test('labels are made, put on, refused twice, taken off; the whole set is replaced by PUT', async () => {
    const label = (await ask('POST', '/1/labels', { body: { name: '', color: null, idBoard: ids.board } })).json
    expect(label).toMatchObject({ name: '', color: null })
    expect(await ask('POST', '/1/labels', { body: { name: 'x', idBoard: ids.board } })).toMatchObject({
      status: 400,
      text: 'invalid value for color',
    })
    expect(await ask('POST', '/1/labels', { body: { name: 'x', color: 'beige', idBoard: ids.board } })).toMatchObject({
      status: 400,
      text: 'invalid value for color',
    })
    const path = `/1/cards/${ids.card('Press kit')}`
    expect((await ask('POST', `${path}/idLabels`, { body: { value: label.id } })).json).toEqual([label.id])
    expect(await ask('POST', `${path}/idLabels`, { body: { value: label.id } })).toMatchObject({
      status: 400,
      text: 'that label is already on the card',
    })
    expect((await ask('GET', `/1/labels/${label.id}`)).json.uses).toBe(1)
    expect((await ask('DELETE', `${path}/idLabels/${label.id}`)).status).toBe(200)
    expect(
      (await ask('PUT', path, { body: { idLabels: [ids.label('Copy'), ids.label('Design')] } })).json.idLabels,
    ).toHaveLength(2)
    expect((await ask('PUT', `${path}?idLabels=${ids.label('Design')}`)).json.idLabels).toEqual([ids.label('Design')])
    expect((await ask('PUT', path, { body: { idLabels: '' } })).json.idLabels).toEqual([])
  })

  test('comments belong to their author', async () => {
    const path = `/1/cards/${ids.card('Press kit')}/actions`
    const comment = (await ask('POST', `${path}/comments`, { body: { text: 'Mine' } })).json
    expect(comment).toMatchObject({
      type: 'commentCard',
      data: { text: 'Mine' },
      appCreator: { id: sandbox.credentials.appId },
    })
    expect(
      (
        await ask('PUT', `${path}/${comment.id}/comments`, {
          token: sandbox.credentials.secondToken,
          body: { text: 'Not' },
        })
      ).status,
    ).toBe(401)
    expect((await ask('PUT', `${path}/${comment.id}/comments`, { body: { text: 'Changed' } })).json.data).toMatchObject(
      {
        text: 'Changed',
        dateLastEdited: '2026-03-02T12:00:00.000Z',
      },
    )
    expect((await ask('DELETE', `${path}/${comment.id}/comments`)).json).toEqual({ _value: null })
    expect(await ask('POST', `${path}/comments`, { body: { text: '' } })).toMatchObject({
      status: 400,
      text: 'invalid value for text',
    })
  })

  test('a link has no bytes; an upload opens with the header only', async () => {
    const path = `/1/cards/${ids.card('Press kit')}/attachments`
    expect(
      (await ask('POST', path, { body: { url: 'https://files.harbourlight.example/a.png', name: 'A' } })).json,
    ).toMatchObject({
      bytes: null,
      isUpload: false,
    })
    const form = new FormData()
    form.set('file', new Blob(['hello'], { type: 'text/plain' }), 'note.txt')
    const { key, token } = sandbox.credentials
    const header = { authorization: `OAuth oauth_consumer_key="${key}", oauth_token="${token}"` }
    const upload = await read(await fetch(sandbox.origin + path, { method: 'POST', headers: header, body: form }))
    expect(upload.json).toMatchObject({ bytes: 5, isUpload: true, name: 'note.txt' })
    expect((await fetch(`${upload.json.url}?key=${key}&token=${token}`)).status).toBe(401)
    expect(await (await fetch(upload.json.url, { headers: header })).text()).toBe('hello')
  })

  test('visible hides the cards of an archived list, open does not', async () => {
    await ask('PUT', `/1/lists/${ids.list('Review')}`, { body: { closed: true } })
    const names = async (filter: string): Promise<string[]> =>
      (await ask('GET', `/1/boards/${ids.board}/cards${filter}?fields=name`)).json.map((card: any) => card.name)
    expect(await names('')).not.toContain('Press kit')
    expect(await names('/open')).toContain('Press kit')
    expect((await ask('GET', `/1/cards/${ids.card('Press kit')}`)).json.closed).toBe(false)
  })

  test('boards are listed with closed ones; search lags behind', async () => {
    expect((await ask('GET', '/1/members/me/boards?fields=name')).json.map((board: any) => board.name)).toEqual([
      'Launch plan',
      'Support desk',
      'Last year',
    ])
    expect((await ask('GET', '/1/members/me/boards?fields=name&filter=open')).json).toHaveLength(2)
    sandbox.control.createCard({ idList: ids.list('Ideas'), name: 'Quince' })
    expect((await ask('GET', '/1/search?query=quince')).json.cards).toEqual([])
    sandbox.control.settings({ searchLagMs: 0 })
    expect((await ask('GET', '/1/search?query=quince')).json.cards).toHaveLength(1)
    sandbox.control.settings({ searchLagMs: 2000 })
  })

  test('a batch answers each route with its own status', async () => {
    const answer = await ask('GET', `/1/batch?urls=/members/me?fields=id,username,/cards/zz,/boards/${'a'.repeat(24)}`)
    expect(answer.json).toEqual([
      { 200: { id: sandbox.credentials.member.id, username: 'marlowfenwick' } },
      { 400: 'invalid id' },
      { 404: 'The requested resource was not found.' },
    ])
  })

  test('a token shows what it may do and can end itself', async () => {
    const { token } = sandbox.control.issueToken({ write: false })
    const shown = (await ask('GET', `/1/tokens/${token}`, { token })).json
    expect(shown).toMatchObject({ identifier: 'Sandbox app', dateExpires: null, appKey: sandbox.credentials.key })
    expect(shown.permissions).toContainEqual({ idModel: '*', modelType: 'Board', read: true, write: false })
    expect((await ask('DELETE', `/1/tokens/${token}/`, { token })).status).toBe(200)
    expect(await ask('GET', '/1/members/me', { token })).toMatchObject({ status: 401, text: 'invalid token' })
  })
})

test('pages show boards and cards without trusting their names', async () => {
  const card = sandbox.control.createCard({ idList: ids.list('Ideas'), name: '<script>x</script>' })
  const answer = await read(await fetch(`${sandbox.origin}/c/${card.shortLink}`))
  expect([answer.status, answer.text.includes('<script>'), answer.text.includes('&#60;script')]).toEqual([
    200,
    false,
    true,
  ])
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
})

test('ids and credentials are the same on every start', async () => {
  const again = await startFrozen()
  try {
    expect([...again.sandbox.state.cards.keys()]).toEqual([...sandbox.state.cards.keys()])
    expect(again.sandbox.credentials).toEqual(sandbox.credentials)
  } finally {
    await again.sandbox.close()
  }
})
