import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Caller } from '../../shared/pack.ts'
import { createStoredResults } from '../../shared/runtime/lookups/stored-results.ts'
import { migrations } from '../../shared/store/migrations.ts'
import { openHttpWorld } from '../support/http-world.ts'
import type { HttpWorld } from '../support/http-world.ts'
import { secretsOf } from '../support/world.ts'

const tenant = 'default'
const boards = { integration: 'work-board', step: 'get-boards', input: {}, dryRun: true }
let world: HttpWorld
beforeAll(async () => {
  world = await openHttpWorld()
  world.pack.servedAt('https://tools.example')
})
afterAll(() => world.close())

const connect = (name: string, person?: string) =>
  world.pack.connections.create(
    { tenant },
    {
      integration: 'work-board',
      type: 'key-token',
      name,
      secrets: secretsOf(world.sandbox),
      ...(person === undefined ? {} : { person }),
    },
  )
const used = async (by: Partial<Caller>, call: { person?: string; connection?: string } = {}) => {
  const outcome = await world.pack.steps.run({ tenant, ...by }, { ...boards, ...call })
  return outcome.ok ? outcome.meta.connection?.name : outcome.failure
}

describe('giving an account to somebody else', () => {
  it('changes nothing where it cannot be given', async () => {
    const { id } = await connect('Given', 'gil')
    await connect('Taken', 'hal')
    const before = await world.pack.connections.get({ tenant }, id)
    const change = (changes: object) => world.pack.connections.patch({ tenant }, id, { name: 'Taken', ...changes })
    await expect(change({ person: 'hal' })).rejects.toMatchObject({ code: 'conflict' })
    await expect(change({ name: 'Other', person: 'a\nb' })).rejects.toMatchObject({ code: 'invalid_input' })
    expect(await world.pack.connections.get({ tenant }, id)).toEqual(before)
  })

  it('may rename it to what its owner before has already', async () => {
    await connect('Same', 'ida')
    const { id } = await connect('To move', 'ida')
    expect(await world.pack.connections.patch({ tenant }, id, { name: 'Same', person: 'jon' })).toMatchObject({
      name: 'Same',
      person: 'jon',
    })
  })
})

it('a person clears what is stored for their own accounts, and not for those of the workspace', async () => {
  const own = await connect('Own', 'kim')
  const removed: unknown[] = []
  const cache = createStoredResults({
    store: {
      connections: {
        list: async () => [{ id: own.id }],
        get: async (_: string, id: string) => ({ id, person: id === own.id ? 'kim' : null, name: id }),
      },
      lookups: { remove: async (_: string, chosen: unknown) => removed.push(chosen) },
    } as unknown as Parameters<typeof createStoredResults>[0]['store'],
    requireIntegration: () => undefined,
  })
  const kim = { tenant, person: 'kim', usable: [own.id, 'shared'] }
  await cache.clear(kim, { all: true })
  expect(removed).toEqual([{ connections: [own.id] }])
  await expect(cache.clear(kim, { connection: 'shared' })).rejects.toMatchObject({ code: 'not_allowed' })
})

describe('the account of a call without a name', () => {
  it("is the person's, else the workspace's, as the policy says", async () => {
    await connect("Ann's", 'ann')
    expect(await used({ person: 'ann' })).toBe("Ann's")
    expect(await used({}, { person: 'ann' })).toBe("Ann's")
    expect(await used({ person: 'bea' })).toBe('Board')
    expect(await used({})).toBe('Board')
    const admin = { tenant }
    await world.pack.policies.put(tenant, { defaultAccount: 'personal' }, admin)
    expect(await used({ person: 'ann' })).toBe("Ann's")
    expect(await used({ person: 'bea' })).toMatchObject({ code: 'not_connected' })
    await world.pack.policies.put(tenant, { defaultAccount: 'shared' }, admin)
    expect(await used({ person: 'ann' })).toBe('Board')
    await world.pack.policies.put(tenant, {}, admin)
  })

  it('where there is none: a link with which this person connects an account of their own', async () => {
    await world.pack.policies.put(tenant, { defaultAccount: 'personal' }, { tenant })
    const { text } = await world.pack.tokens.create(tenant, { name: 'Cem', scopes: ['run', 'read'], person: 'cem' })
    const { status, json } = await world.ask('/v1/steps/work-board/get-boards/run', {
      body: { input: {} },
      token: text,
    })
    expect([status, json.code]).toEqual([424, 'not_connected'])
    const page = await world.http.inject({ url: new URL(json.connectUrl).pathname })
    expect(page.statusCode).toBe(200)
    // The link is for the caller alone: the history does not have it.
    const runs = await world.pack.runs.list({ tenant }, { limit: 1 }, { person: 'cem' })
    expect(JSON.stringify(runs)).not.toContain('/connect/')
    await world.pack.policies.put(tenant, {}, { tenant })
  })

  it('a lookup at several providers too, which fails with a link for the person', async () => {
    const { text } = await world.pack.tokens.create(tenant, { name: 'Eli', scopes: ['run', 'read'], person: 'eli' })
    const body = { identifiers: { email: 'nobody@unknown.example' }, want: ['workEmail'] }
    const lookUp = (more: object = {}, token = text) =>
      world.ask('/v1/lookups/person', { body: { ...body, ...more }, token })
    for (const more of [{}, { dryRun: true }, { providers: [{ integration: 'contact-data' }] }]) {
      const { status, json } = await lookUp(more)
      expect([status, json.code]).toEqual([424, 'not_connected'])
      expect((await world.http.inject({ url: new URL(json.connectUrl).pathname })).statusCode).toBe(200)
    }
    expect((await lookUp({ person: 'eli' }, world.token)).json.connectUrl).toMatch(/\/connect\//)
    // Nobody is named, so nobody could use what the link connects.
    expect((await lookUp({}, world.token)).json).toMatchObject({ code: 'not_connected' })
    expect((await lookUp({}, world.token)).json).not.toHaveProperty('connectUrl')
    await world.pack.policies.put(tenant, { defaultAccount: 'shared' }, { tenant })
    expect((await lookUp()).json).not.toHaveProperty('connectUrl')
    await world.pack.policies.put(tenant, {}, { tenant })
  })

  it('a caller that is bound to one person cannot name another', async () => {
    expect(await used({ person: 'ann' }, { person: 'bea' })).toMatchObject({ code: 'not_allowed' })
    expect(await used({ person: 'ann' }, { person: 'ann' })).toBe("Ann's")
    expect(await used({ person: 'bea' }, { connection: "Ann's" })).toMatchObject({ code: 'not_found' })
    expect(await used({}, { connection: "Ann's" })).toBe("Ann's")
  })

  it('a tool of an agent acts for the person of a header, which no model fills', async () => {
    const tool = async (headers: Record<string, string>, body: object = {}, token = world.token) => {
      const { status, json } = await world.ask('/v1/tools/work_board_get_boards', { body, headers, token })
      const [last] = (await world.pack.runs.list({ tenant }, { limit: 1 })).items
      return { status, code: json.code, person: last!.person }
    }
    await connect("Rémi's", 'rémi')
    expect(await tool({ person: encodeURIComponent('rémi') })).toEqual({ status: 200, code: undefined, person: 'rémi' })
    expect(await tool({})).toMatchObject({ status: 200, person: null })
    expect(await tool({ person: 'bea' }, { connection: "Ann's" })).toMatchObject({ status: 404, code: 'not_found' })
    const { text } = await world.pack.tokens.create(tenant, { name: 'Ann', scopes: ['run'], person: 'ann' })
    expect(await tool({ person: 'bea' }, {}, text)).toMatchObject({ status: 403, code: 'not_allowed' })
    expect(await tool({ person: 'ann' }, {}, text)).toMatchObject({ status: 200, person: 'ann' })
    for (const wrong of ['%', '%0A', 'x'.repeat(257), 'x'.repeat(2_400)])
      expect(await tool({ person: wrong })).toMatchObject({ status: 400, code: 'invalid_input' })
    expect(await tool({}, { person: 'ann' })).toMatchObject({ status: 400, code: 'invalid_input' })
  })

  it('a token that acts for a person names no secrets of the vault: they may be somebody else’s', async () => {
    const secrets = secretsOf(world.sandbox)
    const vault = await openHttpWorld({
      sandbox: world.sandbox,
      accounts: 'none',
      credentials: { resolve: async () => secrets },
    })
    const { connections } = vault.pack
    const ann: Caller = { tenant, person: 'ann' }
    const account = { integration: 'work-board', type: 'key-token', name: 'Vault', externalId: 'vault/bea' }
    await expect(connections.create(ann, account)).rejects.toMatchObject({ code: 'not_allowed' })
    const { id } = await connections.create({ tenant }, { ...account, person: 'ann', externalId: 'vault/ann' })
    await expect(connections.patch(ann, id, { externalId: 'vault/bea' })).rejects.toMatchObject({ code: 'not_allowed' })
    expect(await connections.patch(ann, id, { name: 'Mine' })).toMatchObject({ name: 'Mine', externalId: 'vault/ann' })
    // Beside secrets of their own too, in whose place those of the vault would come once they are revoked.
    await expect(connections.create(ann, { ...account, secrets })).rejects.toMatchObject({ code: 'not_allowed' })
    await expect(
      connections.authorize(ann, { integration: 'work-board', type: 'key-token', externalId: 'vault/bea' }),
    ).rejects.toMatchObject({ code: 'not_allowed' })
    const { externalId: _, ...own } = account
    expect(await connections.create(ann, { ...own, secrets })).toMatchObject({ person: 'ann', externalId: null })
  })

  it('an account of the workspace is not changed by a token that acts for a person', async () => {
    const [board] = (await world.pack.connections.list({ tenant })).filter(({ name }) => name === 'Board')
    const ann: Caller = { tenant, person: 'ann' }
    await expect(world.pack.connections.patch(ann, board!.id, { name: 'Mine' })).rejects.toMatchObject({
      code: 'not_allowed',
    })
    await expect(world.pack.connections.remove(ann, board!.id)).rejects.toMatchObject({ code: 'not_allowed' })
    const [own] = (await world.pack.connections.list(ann)).filter(({ person }) => person === 'ann')
    await expect(world.pack.connections.patch(ann, own!.id, { person: 'bea' })).rejects.toMatchObject({
      code: 'not_allowed',
    })
  })
})

it('an account that names its person as before there were people is said to be for everybody', async () => {
  const warned: unknown[] = []
  const other = await openHttpWorld({
    log: (level, event, fields) => {
      if (event === 'connection.of_the_workspace') warned.push([level, fields?.['connection']])
    },
  })
  try {
    const secrets = secretsOf(other.sandbox)
    const add = (name: string, of: object) =>
      other.pack.connections.create({ tenant }, { integration: 'work-board', type: 'key-token', name, secrets, ...of })
    await add('Named', { externalId: 'con-7', person: 'ann' })
    await add('Shared', {})
    const { id } = await add('As before', { externalId: 'ann' })
    expect(warned).toEqual([['warn', id]])
  } finally {
    await other.close()
  }
})

it('with the former choice, doctor names the callers that rely on it', async () => {
  const other = await openHttpWorld({ defaultAccount: 'any' })
  try {
    const [board] = await other.pack.connections.list({ tenant })
    await other.pack.connections.patch({ tenant }, board!.id, { person: 'ann' })
    const { text } = await other.pack.tokens.create(tenant, { name: 'Nightly', scopes: ['run'] })
    const run = { body: { input: {}, dryRun: true }, token: text }
    expect((await other.ask('/v1/steps/work-board/get-boards/run', run)).status).toBe(200)
    expect(await other.pack.checks()).toContainEqual(
      expect.objectContaining({ level: 'warning', detail: expect.stringMatching(/The token "Nightly" relied on/) }),
    )
  } finally {
    await other.close()
  }
})

it('people are listed with their accounts, limits and use, and a token sees its own', async () => {
  await world.pack.budgets.create({ tenant }, { scope: 'person', subject: 'ann', credits: 5, period: 'month' })
  const { text } = await world.pack.tokens.create(tenant, { name: 'Ann', scopes: ['read'], person: 'ann' })
  const own = await world.ask('/v1/people', { token: text })
  expect(own.json.items).toMatchObject([
    { id: 'ann', connections: [{ name: "Ann's", isDefault: true }], budgets: [{ credits: 5 }] },
  ])
  expect((await world.ask('/v1/people/bea', { token: text })).status).toBe(404)
  const all = await world.ask('/v1/people')
  expect(all.json.items.map(({ id }: { id: string }) => id)).toContain('cem')
})

it('an upgrade makes people of external ids, except where the host resolves the secrets', () => {
  const db = new DatabaseSync(':memory:')
  for (const { id, sql } of migrations) if (id < 36) db.exec(sql)
  const add = db.prepare(`insert into connections (tenant, id, integration, type, name, state, state_at, secrets, hints,
    external_id, labels, is_default, created_at, updated_at) values ('t', ?, 'i', 'k', ?, ?, 1, ?, '{}', ?, '{}', 0, 1, 1)`)
  add.run('c1', 'Own', 'connected', '{"key":"sealed"}', 'ann')
  add.run('c2', 'In the vault', 'connected', '{}', 'vault/7')
  add.run('c3', 'Shared', 'connected', '{"key":"sealed"}', null)
  add.run('c4', 'Revoked', 'revoked', '{}', 'bea')
  db.exec(migrations.find(({ id }) => id === 36)!.sql)
  const rows = db.prepare('select id, person from connections order by id').all()
  expect(rows.map((row) => ({ ...row }))).toEqual([
    { id: 'c1', person: 'ann' },
    { id: 'c2', person: null },
    { id: 'c3', person: null },
    { id: 'c4', person: 'bea' },
  ])
  expect(
    db
      .prepare('select id from people order by id')
      .all()
      .map(({ id }) => id),
  ).toEqual(['ann', 'bea'])
  db.close()
})
