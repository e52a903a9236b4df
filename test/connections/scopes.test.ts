import { beforeAll, describe, expect, it } from 'vitest'
import { scopes } from '../../integrations/work-board/scopes.ts'
import type { Json, Outcome } from '../../shared/kit/index.ts'
import type { LoadedIntegration } from '../../shared/runtime/catalogue/registry.ts'
import { createScopeLimit } from '../../shared/runtime/connections/scopes.ts'
import { caller } from '../support/world.ts'
import { openOAuthWorld } from '../support/oauth-world.ts'

let mine: { id: string; shortLink: string; list: string; card: string; checklist: string }
let theirs: typeof mine
const world = await openOAuthWorld()
beforeAll(async () => {
  const { state } = world.sandbox.board
  const [firstBoard, two] = [...state.boards.values()].filter((board) =>
    [...state.cards.values()].some((card) => card.idBoard === board.id),
  )
  const partsOf = ({ id, shortLink }: { id: string; shortLink: string }) => ({
    id,
    shortLink,
    list: [...state.lists.values()].find((list) => list.idBoard === id)!.id,
    card: [...state.cards.values()].find((card) => card.idBoard === id)!.id,
    checklist: [...state.checklists.values()].find((checklist) => checklist.idBoard === id)?.id ?? '',
  })
  mine = partsOf(firstBoard!)
  theirs = partsOf(two!)
  const { key, token } = world.sandbox.board.credentials
  await world.pack.connections.create(caller, {
    integration: 'work-board',
    type: 'key-token',
    name: 'Limited',
    secrets: { key, token },
    policy: { boards: [mine.id] },
  })
})

const run = (step: string, input: object, more: object = {}) =>
  world.pack.steps.run(caller, { integration: 'work-board', step, input, ...more })
const call = (method: string, path: string, more: object = {}) => run('api-call', { method, path, ...more })
const writes = () => world.sandbox.board.control.requests().filter(({ method }) => method !== 'GET').length
const codeOf = (outcome: Outcome) => (outcome.ok ? 'ok' : outcome.failure.code)

describe('an account limited to a board', () => {
  it('does everything there, by id and by short link', async () => {
    expect(codeOf(await run('get-list-cards', { idList: mine.list }))).toBe('ok')
    expect(codeOf(await run('create-card', { idList: mine.list, name: 'Here' }))).toBe('ok')
    expect(codeOf(await run('get-card', { idCard: mine.card }))).toBe('ok')
    expect(codeOf(await run('add-comment-to-card', { idCard: mine.card, text: 'Hello' }))).toBe('ok')
    expect(codeOf(await call('GET', `/1/boards/${mine.shortLink}`))).toBe('ok')
    expect(codeOf(await call('GET', '/1/members/me', { query: { fields: 'username' } }))).toBe('ok')
  })

  it('sees no other board in the list of boards', async () => {
    const outcome = (await run('get-boards', {})) as { value: { boards: { id: string }[] } }
    expect(outcome.value.boards.map(({ id }) => id)).toEqual([mine.id])
  })

  it.each<[string, () => Promise<Outcome>]>([
    ['a list of it', () => run('get-list-cards', { idList: theirs.list })],
    ['a card made in it', () => run('create-card', { idList: theirs.list, name: 'There' })],
    ['a card copied from it', () => run('create-card', { idList: mine.list, name: 'Copy', idCardSource: theirs.card })],
    ['a card of it', () => run('get-card', { idCard: theirs.card })],
    ['a card moved into it', () => run('update-card', { idCard: mine.card, idList: theirs.list })],
    ['a comment in it', () => run('add-comment-to-card', { idCard: theirs.card, text: 'Hello' })],
    ['the board itself', () => call('GET', `/1/boards/${theirs.id}`)],
    ['the board by its short link', () => call('GET', `/1/boards/${theirs.shortLink}`)],
    ['a single property', () => call('PUT', `/1/cards/${mine.card}/idList`, { query: { value: theirs.list } })],
    ['a list moved there', () => call('PUT', `/1/lists/${mine.list}/idBoard`, { body: { value: theirs.id } })],
    [
      'one property in a path of another case',
      () => call('PUT', `/1/cards/${mine.card}/idlist`, { query: { value: theirs.list } }),
    ],
    [
      'a list in the query behind one in the body',
      () => call('PUT', `/1/cards/${mine.card}`, { query: { idList: theirs.list }, body: { idList: mine.list } }),
    ],
    [
      'the same as a single property',
      () => call('PUT', `/1/cards/${mine.card}/idList`, { query: { value: theirs.list }, body: { value: mine.list } }),
    ],
    ['a path that is called like a property of every object', () => call('GET', '/1/constructor/x')],
    ['a search over all', () => call('GET', '/1/search', { query: { query: 'x' } })],
    ['members with their boards', () => call('GET', '/1/members/me', { query: { boards: 'all' } })],
    ['another member', () => call('GET', '/1/members/somebody')],
    ['a new board', () => call('POST', '/1/boards', { body: { name: 'Mine' } })],
    ['organizations', () => call('GET', '/1/organizations/x')],
    ['a path written otherwise', () => call('GET', `/1/Boards/${theirs.id}`)],
    ['a path with parameters', () => call('GET', `/1/cards;x/${theirs.card}`)],
  ])('is refused %s, and nothing is written', async (_, ask) => {
    const before = writes()
    expect(codeOf(await ask())).toBe('not_allowed')
    expect(writes()).toBe(before)
  })

  it('refuses what a policy refuses anyway without asking anything first', async () => {
    const before = world.sandbox.board.control.requests().length
    expect(
      codeOf(await call('POST', '/1/webhooks', { body: { idModel: theirs.id, callbackURL: 'https://evil.example' } })),
    ).toBe('not_allowed')
    expect(codeOf(await call('GET', `/1/cards/../boards/${theirs.id}`))).toBe('not_allowed')
    expect(world.sandbox.board.control.requests().length).toBe(before)
  })

  it('a dry run refuses what the request itself names and sends nothing', async () => {
    const before = world.sandbox.board.control.requests().length
    expect(codeOf(await run('create-list', { idBoard: theirs.id, name: 'x' }, { dryRun: true }))).toBe('not_allowed')
    expect(codeOf(await run('create-list', { idBoard: mine.id, name: 'x' }, { dryRun: true }))).toBe('ok')
    expect(world.sandbox.board.control.requests().length).toBe(before)
  })

  it('a limit at a provider without containers lets nothing through', async () => {
    await world.pack.connections.create(caller, {
      integration: 'anz-data',
      type: 'api-key',
      name: 'A',
      secrets: world.sandbox.anz.credentials,
      policy: { scopes: ['b'] },
    })
    expect(
      codeOf(
        await world.pack.steps.run(caller, {
          integration: 'anz-data',
          step: 'people-enrichment',
          input: { email: 'a@b.example' },
        }),
      ),
    ).toBe('not_allowed')
    expect(world.sandbox.anz.control.state().counters).toMatchObject({ requests: 0 })
  })

  it('each refusal is in the audit log, without ids', async () => {
    const { items } = await world.pack.audit.list('default', { limit: 200 }, { outcome: 'not_allowed' })
    const paths = items.filter(({ method }) => method !== 'verb').map(({ method, path }) => `${method} ${path}`)
    expect(paths).toEqual(
      expect.arrayContaining([
        'PUT /1/cards/{id}',
        'POST /1/cards',
        'GET /1/boards/{id}',
        'POST /1/webhooks',
        'GET /1/members/{id}',
      ]),
    )
    expect(JSON.stringify(paths)).not.toMatch(/[0-9a-f]{24}/)
  })
})

describe('the names of the limit', () => {
  const policyOf = async (policy: object) => {
    const { id } = (await world.pack.connections.list(caller, { integration: 'work-board' })).find(
      ({ name }) => name === 'Limited',
    )!
    return (await world.pack.connections.patch(caller, id, { policy: { ...policy } })).policy
  }
  it('is given and shown by the general name and by that of the integration', async () => {
    const shown = { scopes: [mine.id], boards: [mine.id] }
    expect(await policyOf({ scopes: [mine.id] })).toEqual(shown)
    expect(await policyOf({ boards: [mine.id] })).toEqual(shown)
    expect(await policyOf(shown)).toEqual(shown)
    expect(await policyOf({ methods: ['GET', 'POST', 'PUT', 'DELETE'], boards: [mine.id] })).toMatchObject(shown)
  })
  it.each<[string, object, string]>([
    ['a name that differs between the two', { scopes: ['a'], boards: ['b'] }, '/policy/scopes'],
    ['one that is wider than the other', { scopes: ['a', 'b'], boards: ['a', 'a'] }, '/policy/scopes'],
    ['a name that the integration does not have', { projects: ['a'] }, '/policy/projects'],
  ])('refuses %s', async (_, policy, pointer) => {
    await expect(policyOf(policy)).rejects.toMatchObject({ code: 'invalid_input', details: { errors: [{ pointer }] } })
    expect(codeOf(await run('get-list-cards', { idList: theirs.list }))).toBe('not_allowed')
  })
  it('refuses the name of one integration at another', async () => {
    const request = {
      integration: 'anz-data',
      type: 'api-key',
      name: 'B',
      secrets: world.sandbox.anz.credentials,
      policy: { boards: ['b'] },
    }
    await expect(world.pack.connections.create(caller, request)).rejects.toMatchObject({
      code: 'invalid_input',
      message: /policy\.boards/,
    })
  })
  it('a refusal names the field and the container as the integration calls them', async () => {
    expect(await run('get-list-cards', { idList: theirs.list })).toMatchObject({
      failure: {
        message: expect.stringMatching(/limited by "policy\.boards", and this request reaches another board\./),
      },
    })
  })
})

describe('methods and paths', () => {
  it('a connection narrows, and an operator opens what is denied by name only', async () => {
    const { key, token } = world.sandbox.board.credentials
    const { id } = await world.pack.connections.create(caller, {
      integration: 'work-board',
      type: 'key-token',
      name: 'Reader',
      secrets: { key, token },
      policy: { methods: ['GET'], paths: ['/1/members/**'] },
    })
    const on = (step: string, input: object) => run(step, input, { connection: id })
    expect(codeOf(await on('get-boards', {}))).toBe('ok')
    expect(codeOf(await on('create-card', { idList: mine.list, name: 'x' }))).toBe('not_allowed')
    expect(codeOf(await on('get-card', { idCard: mine.card }))).toBe('not_allowed')
    expect(await world.pack.connections.test(caller, id)).toMatchObject({ state: 'connected' })
    await world.pack.connections.patch(caller, id, { policy: null })
    expect(codeOf(await on('api-call', { method: 'GET', path: '/1/batch', query: { urls: '/members/me' } }))).toBe(
      'not_allowed',
    )
    await expect(
      world.pack.policies.put('default', { apiCallAllow: { 'work-board': ['/1/everything'] } }, caller),
    ).rejects.toMatchObject({
      code: 'invalid_input',
    })
    await world.pack.policies.put('default', { apiCallAllow: { 'work-board': ['/1/batch', '/1/batch/**'] } }, caller)
    expect(codeOf(await on('api-call', { method: 'GET', path: '/1/batch', query: { urls: '/members/me' } }))).toBe('ok')
    expect(codeOf(await on('api-call', { method: 'POST', path: '/1/webhooks', body: {} }))).toBe('not_allowed')
    await world.pack.policies.put('default', {}, caller)
    expect(codeOf(await on('api-call', { method: 'GET', path: '/1/batch', query: { urls: '/members/me' } }))).toBe(
      'not_allowed',
    )
  })
})

describe('a list of containers', () => {
  const loaded = { integration: { scopes, aliases: {} } } as unknown as LoadedIntegration
  const limit = createScopeLimit(['a'], () => 0)
  const narrow = (body: unknown, status = 200) =>
    limit.narrow(
      loaded,
      { method: 'GET', path: '/1/members/me/boards' },
      { status, headers: {}, body: body as Json, json: true, attempts: 1 },
    ).body
  it('is narrowed, and withheld where that cannot be done', () => {
    expect(narrow([{ id: 'a' }, { id: 'b' }, 'b'])).toEqual([{ id: 'a' }])
    for (const body of [{ boards: [{ id: 'b' }] }, '[{"id":"b"}]']) expect(() => narrow(body)).toThrow(/withheld/)
    expect(narrow(null)).toBe(null)
    expect(narrow({ message: 'no' }, 404)).toEqual({ message: 'no' })
  })
})

describe('what a request touches', () => {
  it('a field called like a property of every object names nothing', () => {
    const body = { constructor: 'x', toString: 'y', valueOf: 'z' }
    expect(scopes.of({ method: 'PUT', path: '/1/boards/a', body })).toEqual({ containers: ['a'], through: [] })
  })
  it.each([
    ['GET', '/1/members/me', {}, 'none'],
    ['GET', '/1/members/me/boards', {}, 'lists'],
    ['PUT', '/1/members/me', {}, 'unknown'],
    ['GET', '/1/boards', {}, 'unknown'],
    ['GET', '/1//boards/x', {}, 'unknown'],
    ['GET', '/2/boards/x', {}, 'unknown'],
    ['POST', '/1/cards', { body: { name: 'x' } }, 'unknown'],
    ['POST', '/1/cards', { body: { idList: ['a'] } }, 'unknown'],
  ])('%s %s %j: %s', (method, path, more, expectedScope) =>
    expect(scopes.of({ method, path, ...more })).toEqual(expectedScope),
  )
})
