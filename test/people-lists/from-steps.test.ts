import { describe, expect, test } from 'vitest'
import { openHttpWorld } from '../support/http-world.ts'

const face = await openHttpWorld({ accounts: 'all' })
const { ask, pack, sandbox } = face
const at = '/v1/people-lists'
const run = async (step: string, input: object) =>
  (await ask(`/v1/steps/work-board/${step}/run`, { body: { input } })).json.output

const { boards } = await run('get-boards', { lists: 'open' })
const board = boards.find(({ name }: { name: string }) => name === 'Launch plan')
const { id: idList } = await run('create-list', { idBoard: board.id, name: 'Prospects' })
const cards: [string, string][] = [
  ['Example Ltd', 'https://www.example.com/ and ada@example.com'],
  ['Quill', 'ben@quill.example'],
  ['Gone', 'gone@example.com'],
]
for (const [name, desc] of cards) await run('create-card', { idList, name, desc })

const stepOf = (over: object = {}) => ({
  integration: 'work-board',
  step: 'get-list-cards',
  input: { idList, limit: 2 },
  ...over,
})
let made = 0
const create = (body: object, token?: string) =>
  ask(at, { body: { name: `List ${(made += 1)}`, step: stepOf(), ...body }, ...(token ? { token } : {}) })
const rowsOf = async (id: string) =>
  (await ask(`${at}/${id}`)).json.items.map(({ values }: { values: object }) => values)

describe('a list from cards', () => {
  test('has their companies, of every page', async () => {
    const { status, json, text } = await create({ kind: 'company' })
    expect(status, text).toBe(201)
    expect(json).toMatchObject({ kind: 'company', source: 'step', rows: 3 })
    const rows = await rowsOf(json.id)
    expect(rows.map(({ name, domain }: Record<string, string>) => [name, domain])).toEqual(
      expect.arrayContaining([
        ['Example Ltd', 'example.com'],
        ['Quill', undefined],
        ['Gone', undefined],
      ]),
    )
  })

  test('has their people: without the suppressed, exported, erased', async () => {
    await ask('/v1/suppressions', { body: { entries: [{ email: 'gone@example.com' }] } })
    const { json } = await create({ kind: 'person' })
    expect(json).toMatchObject({ rows: 2, suppressed: 1 })
    const identifiers = [{ email: 'ben@quill.example' }]
    const { json: exported } = await ask('/v1/privacy/export', { body: { identifiers } })
    expect(exported.records).toContainEqual(
      expect.objectContaining({
        kind: 'people_list_row',
        data: [expect.objectContaining({ fullName: 'Quill', email: 'ben@quill.example' })],
      }),
    )
    await ask('/v1/privacy/erase', { body: { identifiers } })
    expect(await rowsOf(json.id)).toEqual([expect.objectContaining({ email: 'ada@example.com' })])
    await ask('/v1/suppressions/remove', { body: { entries: [...identifiers, { email: 'gone@example.com' }] } })
  })

  test('is priced and looked up by a job, by its name', async () => {
    const { json: list } = await create({ name: 'Prospects', kind: 'company' })
    const job = await ask('/v1/jobs', { body: { list: 'Prospects', kind: 'company', integration: 'contact-data' } })
    expect(job.status, job.text).toBe(201)
    expect(job.json).toMatchObject({ list: list.id, map: { name: 'name', domain: 'domain' } })
  })
})

describe('who may', () => {
  const requests = async () =>
    (await ask('/v1/runs?limit=100')).json.items.reduce((sum: number, { calls }: { calls: number }) => sum + calls, 0)

  test('a token runs the step within its bounds, or makes no list; a run is audited as any other', async () => {
    const { id: connection } = (await ask('/v1/connections')).json.items.find(
      ({ integration }: { integration: string }) => integration === 'work-board',
    )
    const tokenOf = async (bounds: object) =>
      (await pack.tokens.create('default', { name: 'Bound', scopes: ['run'], ...bounds })).text
    const others = [
      { steps: ['contact-data/find-contact'] },
      { toolSet: 'comments' },
      {
        connections: [(await ask('/v1/connections')).json.items.find(({ id }: { id: string }) => id !== connection).id],
      },
    ]
    for (const bounds of others) {
      const before = await requests()
      const { json } = await create({}, await tokenOf(bounds))
      expect(['not_allowed', 'not_found', 'not_connected'], JSON.stringify(json)).toContain(json.code)
      expect(await requests()).toBe(before)
    }
    expect((await create({}, await face.tokenWith(['read']))).json).toMatchObject({ code: 'not_allowed' })
    const own = await create({}, await tokenOf({ steps: ['work-board/get-list-cards'] }))
    expect([own.status, own.json.rows]).toEqual([201, 3])
    await pack.tenants.create({ id: 'other', name: 'Other' })
    expect((await create({}, await face.tokenWith(['run'], 'other'))).json).toMatchObject({ code: 'not_connected' })
  })

  test("a person's call takes no other person's account", async () => {
    const { text: token } = await pack.tokens.create('default', { name: 'ada', scopes: ['run'], person: 'ada' })
    const { id } = await pack.connections.create(
      { tenant: 'default' },
      {
        integration: 'work-board',
        type: 'key-token',
        name: "Ben's",
        person: 'ben',
        secrets: { key: sandbox.board.credentials.key, token: sandbox.board.credentials.token },
      },
    )
    expect((await create({ step: stepOf({ connection: id }) }, token)).json).toMatchObject({ code: 'not_found' })
  })

  test('what is wrong is named, and leaves no list', async () => {
    const { items: before } = (await ask(at)).json
    const refused: [object, number, string, string][] = [
      [{ step: stepOf({ step: 'create-card' }) }, 400, '/step/step', 'work-board/get-board-cards'],
      [{ step: stepOf({ step: 'none' }) }, 404, '/step', 'none'],
      [{ step: stepOf({ input: {} }) }, 400, '/step/input/idList', ''],
      [{ rows: [{ email: 'ada@example.com' }] }, 400, '/rows', 'step'],
      [
        {
          kind: 'company',
          step: stepOf({ input: { idList: (await run('create-list', { idBoard: board.id, name: 'Empty' })).id } }),
        },
        400,
        '/step',
        'no rows',
      ],
    ]
    for (const [body, status, pointer, words] of refused) {
      const { status: answered, json } = await create(body)
      expect([answered, json.errors?.[0]?.pointer ?? ''], JSON.stringify(json)).toEqual([status, pointer])
      expect(json.detail).toContain(words)
    }
    expect((await ask(at)).json.items).toEqual(before)
  })
})
