import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../shared/store/index.ts'
import { movableClock } from '../support/clock.ts'
import { openHttpWorld } from '../support/http-world.ts'

const day = 86_400_000
const store = createMemoryStore()
const clock = movableClock()
const masterKey = { keys: [{ id: 'first', key: Buffer.alloc(32, 7) }], save: async () => {} }
const face = await openHttpWorld({ store, clock, masterKey, accounts: 'all', runContentsMs: day })
const { ask, pack } = face
const at = '/v1/people-lists'
let made = 0
const name = () => `List ${(made += 1)}`
const rows = [{ email: 'ada@example.com' }, { email: 'ben@example.com', phones: [{ number: '+64 21 555 0100' }] }]

const upload = async (text: string, fileName = 'people.csv', token?: string) => {
  const body = { name: fileName, base64: Buffer.from(text).toString('base64') }
  return (await ask('/v1/files', { body, ...(token === undefined ? {} : { token }) })).json.id as string
}
const create = (body: object = {}, token?: string) =>
  ask(at, {
    body: { name: name(), ...('file' in body || 'run' in body ? {} : { rows }), ...body },
    ...(token ? { token } : {}),
  })

describe('a list', () => {
  test('from rows: stored under its name, read page by page, deleted', async () => {
    const { status, json, headers } = await create({ name: 'Leads' })
    expect([status, headers['location']]).toEqual([201, `${at}/${json.id}`])
    expect(json).toMatchObject({
      name: 'Leads',
      kind: 'person',
      columns: ['email', 'phones.0.number'],
      rows: 2,
      source: 'rows',
      suppressed: 0,
      person: null,
    })
    expect(Date.parse(json.expiresAt) - Date.parse(json.createdAt)).toBe(365 * day)
    const first = await ask(`${at}/Leads?limit=1`)
    expect(first.json.items).toEqual([{ row: 1, values: { email: 'ada@example.com' }, checkedAt: null }])
    const second = await ask(`${at}/${json.id}?limit=1&cursor=${first.json.next}`)
    expect(second.json.items[0].values).toEqual({ email: 'ben@example.com', 'phones.0.number': '+64 21 555 0100' })
    expect(second.json.next).toBeUndefined()
    expect((await ask(at)).json.items).toMatchObject([{ id: json.id, rows: 2 }])
    expect((await ask(`${at}/Leads`, { method: 'DELETE' })).status).toBe(204)
    expect((await ask(`${at}/Leads`)).json).toMatchObject({ code: 'not_found' })
    expect((await ask(`${at}/Leads`, { method: 'DELETE' })).status).toBe(404)
  })

  test('from a file, CSV or JSONL, with columns of the same name told apart', async () => {
    const csv = await create({ file: await upload('Email;Email;Note\nada@example.com;a@b.example;"x; y"\n;;\n') })
    expect(csv.json).toMatchObject({ rows: 1, source: 'file', columns: ['Email', 'Email[2]', 'Note'] })
    expect((await ask(`${at}/${csv.json.id}`)).json.items[0].values).toEqual({
      Email: 'ada@example.com',
      'Email[2]': 'a@b.example',
      Note: 'x; y',
    })
    const lines = `${JSON.stringify({ domain: 'example.com', size: { from: 5 } })}\n`
    const jsonl = await create({ kind: 'company', file: await upload(lines, 'companies.jsonl') })
    expect(jsonl.json).toMatchObject({ kind: 'company', columns: ['domain', 'size.from'] })
  })

  test('from the run of a search whose output is there, by who may read runs', async () => {
    const search = async (input: object) => {
      const { json } = await ask('/v1/steps/contact-data/search-contacts/run', { body: { input } })
      const kept = async () => (await ask(`/v1/runs/${json.meta.runId}`)).json
      await expect.poll(async () => (await kept()).contents).not.toBeNull()
      return kept()
    }
    const run = await search({ jobTitle: 'manager', limit: 3 })
    const list = await create({ run: run.id })
    expect(list.status, list.text).toBe(201)
    const { results } = run.contents.output
    expect(list.json.rows).toBe(results.length)
    const { items } = (await ask(`${at}/${list.json.id}`)).json
    expect(items[0].values.fullName).toBe(results[0].record.fullName)
    expect(items[0].checkedAt).toBe(run.createdAt)
    const runsOnly = await face.tokenWith(['run'])
    expect((await create({ run: run.id }, runsOnly)).json).toMatchObject({ code: 'not_allowed' })
    const none = await search({ jobTitle: 'nobody has this title' })
    expect((await create({ run: none.id })).json.errors).toEqual([
      { pointer: '/run', message: 'This run found no records.' },
    ])
  })

  test('is refused where it is wrong, names the field, and leaves nothing', async () => {
    const { items: before } = (await ask(at)).json
    const wide = Object.fromEntries(Array.from({ length: 101 }, (_, place) => [`c${place}`, 'x']))
    const refused: [object, number, string][] = [
      [{ rows: [] }, 400, '/rows'],
      [{ rows: [{ a: null }] }, 400, '/rows'],
      [{ rows: [wide] }, 400, '/rows'],
      [{ rows: [{ note: 'x'.repeat(20_001) }] }, 413, '/rows'],
      [{ rows, file: 'fil_none' }, 400, '/rows'],
      [{ name: ' ' }, 400, '/name'],
      [{ name: 'plst_mine' }, 400, '/name'],
      [{ expiresInDays: 0 }, 400, '/expiresInDays'],
      [{ kind: 'dog' }, 400, '/kind'],
      [{ file: await upload('a'.repeat(300)) }, 400, '/file'],
    ]
    for (const [body, status, pointer] of refused) {
      const reply = await create(body)
      expect([reply.status, reply.json.errors?.[0]?.pointer], JSON.stringify(body).slice(0, 80)).toEqual([
        status,
        pointer,
      ])
    }
    expect((await create({ file: 'fil_none' })).json).toMatchObject({ code: 'not_found' })
    expect((await create({ run: 'run_none' })).json).toMatchObject({ code: 'not_found' })
    expect((await ask(at)).json.items).toEqual(before)
    expect((await ask(`${at}/none?cursor=x`)).status).toBe(404)
  })

  test('has at most 10,000 rows', async () => {
    const text = (count: number) =>
      `email\n${Array.from({ length: count }, (_, row) => `p${row}@example.com`).join('\n')}\n`
    expect((await create({ file: await upload(text(10_001)) })).json).toMatchObject({
      code: 'too_large',
      errors: [{ pointer: '/file' }],
    })
    const full = await create({ file: await upload(text(10_000)) })
    expect(full.json).toMatchObject({ rows: 10_000 })
    const last = (await ask(`${at}/${full.json.id}?cursor=9998`)).json.items
    expect(last).toMatchObject([{ row: 10_000, values: { email: 'p9999@example.com' } }])
    expect((await ask(`${at}/${full.json.id}?cursor=x`)).json).toMatchObject({ code: 'invalid_input' })
    expect((await ask(`${at}/${full.json.id}`, { method: 'DELETE' })).status).toBe(204)
    expect(await store.peopleLists.count('default', full.json.id)).toBe(0)
  })

  test('has a name of its own until it is deleted or has expired', async () => {
    const first = await create({ name: 'Once', expiresInDays: 1 })
    expect((await create({ name: 'Once' })).json).toMatchObject({ code: 'conflict', errors: [{ pointer: '/name' }] })
    clock.advance(day)
    expect((await ask(`${at}/${first.json.id}`)).status).toBe(404)
    expect((await create({ name: 'Once' })).status).toBe(201)
  })
})

describe('an Idempotency-Key', () => {
  const send = (key: string, body: object, token?: string) =>
    ask(at, { body, headers: { 'idempotency-key': key }, ...(token === undefined ? {} : { token }) })

  test('returns the list of the first request, also while that is under way, and refuses another list', async () => {
    await ask('/v1/suppressions', { body: { entries: [{ email: 'gone@example.com' }] } })
    const body = { name: name(), rows: [...rows, { email: 'gone@example.com' }] }
    const [first, other] = await Promise.all([send('key-1', body), send('key-1', body)])
    expect(first.json).toMatchObject({ rows: 2, suppressed: 1 })
    expect(other.json).toEqual(first.json)
    expect((await send('key-1', { rows: body.rows, name: body.name })).json).toEqual(first.json)
    for (const change of [{ rows }, { name: name() }, { kind: 'company' }])
      expect((await send('key-1', { ...body, ...change })).json).toMatchObject({
        code: 'conflict',
        detail: expect.stringContaining('Idempotency-Key') as string,
      })
    expect((await ask(at)).json.items.filter((list: { name: string }) => list.name === body.name)).toHaveLength(1)
    await ask('/v1/suppressions/remove', { body: { entries: [{ email: 'gone@example.com' }] } })
  })

  test('reads nothing anew: what the list was made from may be gone; an expired list is made again', async () => {
    const body = { name: name(), file: await upload('email\nada@example.com\n'), expiresInDays: 1 }
    const { json: list } = await send('key-2', body)
    await ask(`/v1/files/${body.file}`, { method: 'DELETE' })
    expect((await send('key-2', body)).json).toEqual(list)
    clock.advance(day)
    expect((await send('key-2', body)).json).toMatchObject({ code: 'not_found' })
    expect((await send('key-2', { name: body.name, rows })).status).toBe(201)
  })

  test('is one of its token, person and tenant, has a form, and is stored as a digest', async () => {
    const bound = await pack.tokens.create('default', {
      name: 'Bound',
      scopes: ['run'],
      steps: ['contact-data/find-contact'],
    })
    const ofEve = await pack.tokens.create('default', { name: 'eve', scopes: ['run'], person: 'eve' })
    const body = { name: name(), rows }
    const ids = new Set<string>()
    for (const token of [undefined, bound.text, ofEve.text]) ids.add((await send('key-3', body, token)).json.id)
    expect(ids.size).toBe(3)
    expect((await send('two words', body)).json).toMatchObject({
      code: 'invalid_input',
      errors: [{ pointer: '/headers/idempotency-key' }],
    })
    const [id] = ids
    const { key, requestHash } = (await store.peopleLists.get('default', id!, clock.now()))!
    expect([key, requestHash].map((text) => text?.slice(0, 4))).toEqual(['dig_', 'dig_'])
  })
})

describe('who may', () => {
  test('a bound token sees, reads and deletes its own lists alone; of other tenants nobody does', async () => {
    const { json: list } = await create({ name: 'Of the workspace' })
    const steps = ['contact-data/find-contact']
    const bound = (await pack.tokens.create('default', { name: 'Bound', scopes: ['run'], steps })).text
    await pack.tenants.create({ id: 'other', name: 'Other' })
    const foreign = await face.tokenWith(['run', 'read'], 'other')
    for (const token of [bound, foreign]) {
      expect((await ask(at, { token })).json.items).toEqual([])
      for (const id of [list.id, 'Of%20the%20workspace'])
        for (const method of ['GET', 'DELETE'] as const)
          expect((await ask(`${at}/${id}`, { token, method })).json).toMatchObject({ code: 'not_found' })
      // Not even that the name is taken is told.
      const own = await create({ name: 'Of the workspace' }, token)
      expect(own.status).toBe(201)
      expect((await ask(`${at}/Of%20the%20workspace`, { token })).json.id).toBe(own.json.id)
    }
    const both = await ask(`${at}/Of%20the%20workspace`)
    expect(both.json).toMatchObject({ code: 'conflict', detail: expect.stringContaining(list.id) as string })
    const file = await upload('email\nada@example.com\n')
    expect((await create({ file }, bound)).json).toMatchObject({ code: 'not_found' })
  })

  test('a token for a person has the lists of that person, and names no other', async () => {
    const of = (person: string) => pack.tokens.create('default', { name: person, scopes: ['run'], person })
    const [ada, ben] = [(await of('ada')).text, (await of('ben')).text]
    const { json: hers } = await create({ name: 'Hers' }, ada)
    expect(hers.person).toBe('ada')
    expect((await ask(`${at}/Hers`, { token: ben })).status).toBe(404)
    expect((await ask(`${at}?person=ada`, { token: ben })).json.items).toEqual([])
    expect((await ask(`${at}?person=ada`)).json.items).toMatchObject([{ id: hers.id }])
    expect((await create({ person: 'ada' }, ben)).json).toMatchObject({ code: 'not_allowed' })
    expect((await create({ person: 'ben' })).json.person).toBe('ben')
    expect((await ask(`${at}/Hers`, { token: ada, method: 'DELETE' })).status).toBe(204)
  })

  test('a token that only reads makes and deletes none; what is made and deleted is audited', async () => {
    const reader = await face.tokenWith(['read'])
    const { json: list } = await create()
    expect((await ask(`${at}/${list.id}`, { token: reader })).status).toBe(200)
    expect((await create({}, reader)).json).toMatchObject({ code: 'not_allowed' })
    expect((await ask(`${at}/${list.id}`, { token: reader, method: 'DELETE' })).status).toBe(403)
    await ask(`${at}/${list.id}`, { method: 'DELETE' })
    const { items } = await pack.audit.list('default', { limit: 4 })
    expect(items.map(({ path, outcome }) => [path, outcome])).toEqual([
      ['peopleLists.remove', 'ok'],
      ['DELETE /v1/people-lists/:id', 'not_allowed'],
      ['POST /v1/people-lists', 'not_allowed'],
      ['peopleLists.create', 'ok'],
    ])
    expect(JSON.stringify(items)).not.toContain('ada@example.com')
  })
})

describe('people in it', () => {
  test('on the suppression list are left out when it is made, and hidden from then on', async () => {
    const entries = [{ email: 'gone@example.com' }]
    await ask('/v1/suppressions', { body: { entries } })
    const { json } = await create({ rows: [...rows, { mail: ' GONE@example.com ' }] })
    expect(json).toMatchObject({ rows: 2, suppressed: 1 })
    await ask('/v1/suppressions', { body: { entries: [{ email: 'ben@example.com' }] } })
    expect((await ask(`${at}/${json.id}`)).json.items).toMatchObject([{ row: 1 }])
    await ask('/v1/suppressions/remove', { body: { entries: [...entries, { email: 'ben@example.com' }] } })
  })

  test('are sealed, exported, and erased row by row; a list named after one goes whole', async () => {
    const email = 'cleo@example.com'
    const { json: list } = await create({ rows: [...rows, { Mail: 'Cleo@Example.com' }] })
    const { json: named } = await create({ name: `Friends of ${email}` })
    const stored = await store.peopleLists.rows('default', list.id, 9)
    expect(stored.map(({ content }) => Buffer.from(content).toString('latin1')).join()).not.toContain('xample')
    const identifiers = [{ email }]
    const { json: exported } = await ask('/v1/privacy/export', { body: { identifiers } })
    expect(exported.records).toEqual([
      expect.objectContaining({ kind: 'people_list', id: named.id }),
      expect.objectContaining({ kind: 'people_list_row', id: `${list.id} 2`, data: [{ Mail: 'Cleo@Example.com' }] }),
    ])
    const { json: receipt } = await ask('/v1/privacy/erase', { body: { identifiers } })
    expect(receipt.removed).toEqual({ people_list: 1, people_list_row: 1 })
    expect((await ask(`${at}/${list.id}`)).json).toMatchObject({ rows: 2, items: [{ row: 1 }, { row: 2 }] })
    expect((await ask(`${at}/${named.id}`)).status).toBe(404)
    expect((await ask('/v1/privacy/export', { body: { identifiers } })).json.records).toEqual([])
  })

  test('stay readable when the master key is replaced', async () => {
    const { json: list } = await create()
    const keyOf = async () => (await store.peopleLists.get('default', list.id, clock.now()))!.secrets['key']
    const before = await keyOf()
    expect((await ask('/v1/admin/keys/rotate', { method: 'POST' })).status).toBe(200)
    expect(await keyOf()).not.toBe(before)
    expect((await ask(`${at}/${list.id}`)).json.items).toHaveLength(2)
  })
})
