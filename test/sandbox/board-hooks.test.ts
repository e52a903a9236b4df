import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startBoardSandbox, type BoardSandbox } from '../../shared/sandbox/board/index.ts'
import { clientOf, findIds, noon, type Ask, type Client, type Found } from './board-client.ts'
import { handTimers, startReceiver, type Receiver, type Timers } from './board-receiver.ts'

let sandbox: BoardSandbox
let ask: Client
let ids: Found
let to: Receiver
let timers: Timers
const clock = { at: noon }

beforeAll(async () => {
  to = await startReceiver()
})
beforeEach(async () => {
  clock.at = noon
  timers = handTimers(clock)
  sandbox = await startBoardSandbox({
    now: () => clock.at,
    schedule: timers.schedule,
    hooks: { timeoutMs: 400_000 },
    limits: { token: 10_000, key: 10_000 },
  })
  ask = clientOf(sandbox)
  ids = findIds(sandbox)
  to.received.splice(0)
  Object.assign(to.answer, { head: 200, post: 200 })
})
afterEach(() => sandbox.close())
afterAll(() => to.close())

const register = (idModel: string, more: object = {}, how: Ask = {}) =>
  ask('POST', '/1/webhooks/', { ...how, body: { callbackURL: `${to.url}/hook?for=${idModel}`, idModel, ...more } })
const rename = (name: string, to_: string, how: Ask = {}) =>
  ask('PUT', `/1/cards/${ids.card(name)}`, { ...how, body: { name: to_ } })
const settle = () => sandbox.control.settle()
const delivered = async (): Promise<string[]> => {
  await settle()
  return to.posts().map((delivery) => delivery.json.action.type)
}

describe('registration', () => {
  test('asks by HEAD, without a signature, and answers the hook', async () => {
    const made = await register(ids.board, { description: 'd' })
    expect(made.json).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      description: 'd',
      idModel: ids.board,
      callbackURL: `${to.url}/hook?for=${ids.board}`,
      active: true,
      consecutiveFailures: 0,
      firstConsecutiveFailDate: null,
    })
    expect(
      to.received.map((delivery) => [delivery.method, delivery.url, delivery.headers['x-trello-webhook']]),
    ).toEqual([['HEAD', `/hook?for=${ids.board}`, undefined]])
    expect((await ask('GET', `/1/webhooks/${made.json.id}/active`)).json).toEqual({ _value: true })
  })

  test('anything but exactly 200 refuses it, and so does an address outside this machine', async () => {
    to.answer.head = 204
    expect(await register(ids.board)).toMatchObject({
      status: 400,
      json: {
        error: 'VALIDATOR_URL_RETURNED_ERROR',
        message: `URL (${to.url}/hook?for=${ids.board}) did not return 200 status code, got 204`,
      },
    })
    expect((await register(ids.board, { callbackURL: 'http://127.0.0.1:9/x' })).json.error).toBe(
      'VALIDATOR_URL_RETURNED_ERROR',
    )
    expect((await register(ids.board, { callbackURL: 'https://outside.example/hook' })).json.message).toMatch(
      /loopback addresses only/,
    )
    expect(await register(ids.board, { callbackURL: 'ftp://127.0.0.1/x' })).toMatchObject({
      status: 400,
      text: 'invalid value for callbackURL',
    })
    to.answer.head = 200
    // Reaches this machine as well, yet is not a loopback address: nothing may be sent there.
    expect((await register(ids.board, { callbackURL: to.url.replace('127.0.0.1', '0.0.0.0') })).json.message).toMatch(
      /loopback addresses only/,
    )
    expect(to.received).toHaveLength(1)
    expect(sandbox.state.webhooks.size).toBe(0)
  })

  test('is unique per address, model and token; models must be known and visible', async () => {
    expect((await register(ids.board)).status).toBe(200)
    expect(await register(ids.board)).toMatchObject({
      status: 400,
      text: 'A webhook with that callback, model, and token already exists',
    })
    expect((await register(ids.board, {}, { token: sandbox.credentials.accountToken })).status).toBe(200)
    expect(await register('a'.repeat(24))).toMatchObject({ status: 404, text: 'model not found' })
    expect(await register('AbCd1234')).toMatchObject({ status: 400, text: 'Invalid objectId' })
    expect((await register(sandbox.credentials.secondMember.id)).status).toBe(401)
    expect((await register(ids.board, {}, { token: sandbox.credentials.readOnlyToken })).json).toEqual({
      message: 'missing scopes',
    })
  })

  test('a hook belongs to its token, which alone lists it', async () => {
    const { id } = (await register(ids.board)).json
    const { token, accountToken } = sandbox.credentials
    expect(await ask('GET', `/1/webhooks/${id}`, { token: accountToken })).toMatchObject({
      status: 401,
      text: 'webhook does not belong to token',
    })
    expect((await ask('GET', `/1/tokens/${token}/webhooks`)).json.map((hook: any) => hook.id)).toEqual([id])
    expect((await ask('GET', `/1/tokens/${token}?webhooks=true`)).json.webhooks).toHaveLength(1)
    expect((await ask('GET', `/1/tokens/${token}/webhooks`, { token: accountToken })).status).toBe(401)
    expect((await ask('GET', `/1/tokens/${accountToken}/webhooks`, { token: accountToken })).json).toEqual([])
    expect((await ask('GET', '/1/webhooks')).status).toBe(404)
    expect((await ask('PUT', `/1/tokens/${token}/webhooks/${id}`, { body: {} })).status).toBe(404)
    expect((await ask('DELETE', `/1/tokens/${token}/webhooks/${id}`)).status).toBe(200)
    expect((await ask('GET', `/1/webhooks/${id}`)).status).toBe(404)
  })

  test('a change asks by HEAD again', async () => {
    const { id } = (await register(ids.board)).json
    to.answer.head = 500
    expect((await ask('PUT', `/1/webhooks/${id}`, { body: { active: false } })).json.error).toBe(
      'VALIDATOR_URL_RETURNED_ERROR',
    )
    to.answer.head = 200
    expect((await ask('PUT', `/1/webhooks/${id}`, { body: { active: false } })).json.active).toBe(false)
    await rename('Press kit', 'Kit')
    expect(await delivered()).toEqual([])
  })
})

describe('deliveries', () => {
  test('carry action, model and hook, signed over the raw body and the registered address', async () => {
    const hook = (await register(ids.board)).json
    await rename('Press kit', 'Prëss kit ✓')
    await settle()
    const [post] = to.posts()
    expect(Object.keys(post?.json).sort()).toEqual(['action', 'model', 'webhook'])
    expect(post?.json).toMatchObject({
      action: { type: 'updateCard', data: { old: { name: 'Press kit' } } },
      model: { id: ids.board, name: 'Launch plan' },
      webhook: hook,
    })
    expect(post?.headers['x-trello-webhook']).toBe(
      createHmac('sha1', sandbox.credentials.appSecret)
        .update((post?.body ?? '') + hook.callbackURL)
        .digest('base64'),
    )
  })

  test('take back the client identifier of the write that caused them, to hooks of the same app only', async () => {
    await register(ids.board)
    const other = { key: sandbox.credentials.otherKey, token: sandbox.credentials.otherToken }
    await register(ids.board, {}, other)
    await rename('Press kit', 'A', { headers: { 'x-trello-client-identifier': 'us-1' } })
    sandbox.control.renameCard({ idCard: ids.card('A'), name: 'B' })
    await settle()
    const marks = to.posts().map((delivery) => delivery.headers['x-trello-client-identifier'])
    expect([marks.filter((mark) => mark === 'us-1').length, marks.length]).toEqual([1, 4])
    const own = to.posts().find((delivery) => delivery.headers['x-trello-client-identifier'] === 'us-1')
    expect(own?.headers['x-trello-webhook']).toBe(
      createHmac('sha1', sandbox.credentials.appSecret)
        .update(`${own?.body}${to.url}/hook?for=${ids.board}`)
        .digest('base64'),
    )
  })

  test('bring the kinds that no read returns, in pairs for labels', async () => {
    await register(ids.board)
    await ask('POST', '/1/labels', { body: { name: 'New', color: null, idBoard: ids.board } })
    await ask('POST', `/1/cards/${ids.card('Press kit')}/idLabels`, { body: { value: ids.label('New') } })
    expect(await delivered()).toEqual(['createLabel', 'addLabelToCard', 'updateCard'])
    expect(to.posts()[0]?.json.action.data.label).not.toHaveProperty('color')
    expect(to.posts()[1]?.json.action.data).not.toHaveProperty('value')
  })

  test.each([
    ['a card', () => ids.card('Press kit'), ['createCheckItem', 'updateCard', 'updateCard']],
    ['a list', () => ids.list('Review'), ['updateCard', 'updateCard', 'updateList']],
    ['the other list', () => ids.list('Done'), ['updateCard']],
    ['another board', () => ids.other, []],
    [
      'the member',
      () => sandbox.credentials.member.id,
      ['createCheckItem', 'addLabelToCard', 'updateCard', 'updateCard'],
    ],
    [
      'the workspace',
      () => [...sandbox.state.organizations.keys()][0] as string,
      ['createBoard', 'addToOrganizationBoard'],
    ],
  ])('%s is told of what concerns it', async (_, model, expectedTypes) => {
    const idCard = ids.card('Press kit')
    const idChecklist = sandbox.control.addChecklist({ idCard, name: 'L' }).id
    await register(model())
    await ask('POST', `/1/checklists/${idChecklist}/checkItems`, { body: { name: 'x' } })
    await ask('POST', `/1/cards/${idCard}/idLabels`, { body: { value: ids.label('Copy') } })
    await ask('PUT', `/1/cards/${idCard}`, { body: { idList: ids.list('Done') } })
    sandbox.control.updateList({ idList: ids.list('Review'), name: 'Reviewed', by: 'odettequill' })
    sandbox.control.createBoard({
      name: 'New',
      idOrganization: [...sandbox.state.organizations.keys()][0] as string,
      by: 'odettequill',
    })
    expect((await delivered()).sort()).toEqual([...expectedTypes].sort())
  })

  test('to a member hook show the whole private record', async () => {
    await register(sandbox.credentials.member.id)
    await rename('Press kit', 'Kit')
    await settle()
    expect(to.posts()[0]?.json.model).toMatchObject({
      id: sandbox.credentials.member.id,
      email: 'marlowfenwick@mail.example',
    })
  })
})

describe('failing receivers', () => {
  const hookNow = () => sandbox.control.webhooks()[0]

  test('three repeats after 30, 60 and 120 seconds, then the delivery is lost', async () => {
    await register(ids.board)
    to.answer.post = 500
    await rename('Press kit', 'Kit')
    const counts: number[] = []
    for (const seconds of [29, 1, 59, 1, 119, 1, 100_000]) {
      await settle()
      timers.advance(seconds * 1000)
      await settle()
      counts.push(to.posts().length)
    }
    expect(counts).toEqual([1, 2, 2, 3, 3, 4, 4])
    expect(sandbox.control.deliveries()).toMatchObject([{ state: 'lost', statuses: [500, 500, 500, 500] }])
    expect(hookNow()).toMatchObject({
      consecutiveFailures: 4,
      firstConsecutiveFailDate: '2026-03-02T12:00:00.000Z',
      active: true,
    })
    expect(new Set(to.posts().map((delivery) => delivery.json.action.id)).size).toBe(1)
  })

  test('201 is a failure, a repeat that succeeds clears the counters', async () => {
    await register(ids.board)
    to.answer.post = 201
    await rename('Press kit', 'Kit')
    await settle()
    expect(hookNow()?.consecutiveFailures).toBe(1)
    to.answer.post = 200
    timers.advance(30_000)
    await settle()
    expect(hookNow()).toMatchObject({ consecutiveFailures: 0, firstConsecutiveFailDate: null })
    expect(sandbox.control.deliveries()[0]).toMatchObject({ state: 'done', statuses: [201, 200] })
  })

  test('no answer in time is a failure', async () => {
    await register(ids.board)
    sandbox.control.hookSettings({ timeoutMs: 30_000 })
    to.answer.post = 'hang'
    await rename('Press kit', 'Kit')
    while (to.posts().length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    timers.advance(30_000)
    await settle()
    expect(sandbox.control.deliveries()[0]).toMatchObject({ state: 'waiting', statuses: [0] })
  })

  test('410 deletes the hook at once', async () => {
    await register(ids.board)
    to.answer.post = 410
    await rename('Press kit', 'Kit')
    await settle()
    expect([sandbox.state.webhooks.size, timers.waiting()]).toEqual([0, []])
  })

  test('30 days and more than 1000 failures in a row switch it off, one of them alone does not', async () => {
    const { id } = (await register(ids.board)).json
    to.answer.post = 500
    const failOnce = async (failures: number, days: number): Promise<boolean | undefined> => {
      sandbox.control.failWebhook({ idWebhook: id, failures, forMs: days * 86_400_000 })
      sandbox.control.comment({ idCard: ids.card('Press kit'), text: 'x' })
      await settle()
      return hookNow()?.active
    }
    expect([await failOnce(5000, 29), await failOnce(999, 31), await failOnce(1000, 30)]).toEqual([true, true, false])
    expect((await ask('PUT', `/1/webhooks/${id}`, { body: { active: true } })).json).toMatchObject({
      active: true,
      consecutiveFailures: 0,
    })
  })
})

describe('the end of a hook', () => {
  test('it dies with its token, revoked through the API, by a person, or expired', async () => {
    await register(ids.board)
    await ask('DELETE', `/1/tokens/${sandbox.credentials.token}`)
    expect(sandbox.control.webhooks()).toEqual([])
    await register(ids.board, {}, { token: sandbox.credentials.accountToken })
    sandbox.control.revokeToken({ token: sandbox.credentials.accountToken })
    const { token } = sandbox.control.issueToken({ expiresInMs: 60_000 })
    await register(ids.board, {}, { token })
    expect(sandbox.control.webhooks()).toHaveLength(1)
    clock.at += 60_000
    sandbox.control.comment({ idCard: ids.card('Press kit'), text: 'x' })
    expect([await delivered(), sandbox.control.webhooks()]).toEqual([[], []])
  })

  test('it is switched off when its member may no longer see the board', async () => {
    const board = sandbox.control.createBoard({ name: 'Private' })
    sandbox.control.boardMember({ idBoard: board.id, member: 'odettequill' })
    await register(board.id, {}, { token: sandbox.credentials.secondToken })
    sandbox.control.boardMember({ idBoard: board.id, member: 'odettequill', on: false })
    expect([await delivered(), sandbox.control.webhooks()[0]?.active]).toEqual([[], false])
  })

  test('a closed board still tells, and closing is told', async () => {
    await register(ids.board)
    sandbox.control.updateBoard({ idBoard: ids.board, closed: true })
    sandbox.control.updateBoard({ idBoard: ids.board, closed: false })
    await settle()
    expect(to.posts().map((delivery) => delivery.json.action.data.old)).toEqual([{ closed: false }, { closed: true }])
  })
})

describe('on demand', () => {
  const say = (text: string) => sandbox.control.comment({ idCard: ids.card('Press kit'), text })
  const heard = (): string[] => to.posts().map((delivery) => delivery.json.action.data.text)

  test('deliveries are dropped, doubled, delayed, held and released backwards, repeated later, forged', async () => {
    const hook = (await register(ids.board)).json
    const { control } = sandbox
    control.disturb({ how: 'drop' })
    say('dropped')
    await settle()
    control.disturb({ how: 'duplicate', copies: 3 })
    say('thrice')
    await settle()
    expect(heard()).toEqual(['thrice', 'thrice', 'thrice'])
    control.disturb({ how: 'delay', delayMs: 5000 })
    say('late')
    say('early')
    await settle()
    timers.advance(5000)
    await settle()
    expect(heard().slice(3)).toEqual(['early', 'late'])
    control.disturb({ how: 'hold', times: 3 })
    for (const text of ['1', '2', '3']) say(text)
    expect(await control.releaseHeld({ order: 'newest' })).toBe(3)
    expect(heard().slice(5)).toEqual(['3', '2', '1'])
    await control.redeliver({ n: 2 })
    expect(heard().slice(8)).toEqual(['thrice'])
    control.disturb({ how: 'forge' })
    say('forged')
    await settle()
    const last = to.posts().at(-1)
    expect(last?.headers['x-trello-webhook']).not.toBe(
      createHmac('sha1', sandbox.credentials.appSecret).update(`${last?.body}${hook.callbackURL}`).digest('base64'),
    )
  })

  test('a rotated secret signs from then on', async () => {
    const hook = (await register(ids.board)).json
    sandbox.control.rotateAppSecret({ key: sandbox.credentials.key, secret: 'a new secret' })
    say('x')
    await settle()
    const [post] = to.posts()
    expect(post?.headers['x-trello-webhook']).toBe(
      createHmac('sha1', 'a new secret').update(`${post?.body}${hook.callbackURL}`).digest('base64'),
    )
  })

  test('the provider can lose a hook and trim its history', async () => {
    const { id } = (await register(ids.board)).json
    sandbox.control.deleteWebhook({ idWebhook: id })
    say('unheard')
    expect(await delivered()).toEqual([])
    sandbox.control.trimHistory({ idBoard: ids.board, keep: 1 })
    expect((await ask('GET', `/1/boards/${ids.board}/actions?limit=1000`)).json).toHaveLength(1)
  })
})

test('an OAuth 2.0 token watches what it may read, signed with the client secret', async () => {
  const { token } = sandbox.control.issueToken({ kind: 'oauth2', scopes: ['write:board:trello', 'read:board:trello'] })
  const bearer: Ask = { auth: 'none', headers: { authorization: `Bearer ${token}` } }
  expect(await register(sandbox.credentials.member.id, {}, bearer)).toMatchObject({
    status: 403,
    json: { message: 'missing scopes' },
  })
  const hook = (await register(ids.board, {}, bearer)).json
  await rename('Press kit', 'Kit')
  await settle()
  const [post] = to.posts()
  expect(post?.headers['x-trello-webhook']).toBe(
    createHmac('sha1', sandbox.credentials.oauth2.clientSecret)
      .update(`${post?.body}${hook.callbackURL}`)
      .digest('base64'),
  )
})
