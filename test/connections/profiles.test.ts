import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Integration, WireProfile } from '#kit'
import contactData from '../../integrations/contact-data/manifest.ts'
import { createHttp } from '../../shared/faces/http/index.ts'
import { formPage } from '../../shared/faces/http/connect/pages.ts'
import { createPack, openSqliteStore } from '../../shared/pack.ts'
import type { Pack, PackOptions } from '../../shared/pack.ts'
import { newBrowserSecret, profileField } from '../../shared/pack.ts'
import type { Caller } from '../../shared/runtime/ports/index.ts'
import { withClient } from '../support/mcp-world.ts'
import type { McpWorld } from '../support/mcp-world.ts'
import { startProvider } from '../support/provider.ts'

/** Which of three profiles a connection uses decides where its key goes, in which header, and how fields are called. */
const caller: Caller = { tenant: 'default' }
const names = ['documented', 'first', 'second'] as const
type Name = (typeof names)[number]
type Got = { url: string; key: string; body: unknown }

let providers: Record<Name, Awaited<ReturnType<typeof startProvider>>>
let got: Record<Name, Got[]>
let pack: Pack

const profileAt = (name: Name): WireProfile => ({
  ...contactData.wire,
  profile: name,
  baseUrl: providers[name].origin,
  auth: { 'api-key': { place: 'header', fields: { [`key-of-${name}`]: '{apiKey}' } } },
  endpoints: {
    ...contactData.wire.endpoints,
    person: {
      method: 'POST',
      path: `/${name}`,
      place: 'json',
      kind: 'person',
      fields: { email: `mail_${name}`, ...(name === 'first' ? { personId: 'id' } : {}) },
      identifiers: 'one',
      record: [''],
    },
  },
  records: { person: { id: ['id'] } },
  assumed: {},
})
const integration = (): Integration => ({
  ...contactData,
  profiles: { first: () => profileAt('first'), second: () => profileAt('second') },
})
const packWith = (wire: Record<string, unknown> = {}, options: Partial<PackOptions> = {}) =>
  createPack({
    integrations: [integration()],
    wire: { 'contact-data': { ...(profileAt('documented') as object), ...wire } },
    egress: { privateOrigins: names.map((name) => providers[name].origin) },
    ...options,
  })

beforeEach(async () => {
  got = { documented: [], first: [], second: [] }
  const start = (name: Name) =>
    startProvider(({ url, headers }, response, body) => {
      got[name].push({ url: url!, key: String(headers[`key-of-${name}`]), body: JSON.parse(body || 'null') as unknown })
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ id: name }))
    })
  providers = { documented: await start('documented'), first: await start('first'), second: await start('second') }
  pack = await packWith()
})
afterEach(async () => {
  await pack.close()
  for (const name of names) await providers[name].close()
})

const connect = (profile?: string | null, apiKey = 'k-0123456789', name?: string) =>
  pack.connections.create(caller, { integration: 'contact-data', type: 'api-key', secrets: { apiKey }, profile, name })
const find = (connection?: string) =>
  pack.steps.run(caller, {
    integration: 'contact-data',
    step: 'find-contact',
    input: { email: 'a@b.example' },
    connection,
  })

describe('the profile of one connection', () => {
  it('decides where its key goes and how, beside connections with another one', async () => {
    const [ofOperator, first, second] = [
      await connect(),
      await connect('first', 'k-first-000001'),
      await connect('second', 'k-second-00001'),
    ]
    expect([ofOperator.profile, first.profile, second.profile]).toEqual([null, 'first', 'second'])
    for (const { id } of [ofOperator, first, second]) expect(await find(id)).toMatchObject({ ok: true })
    expect(got).toEqual({
      documented: [{ url: '/documented', key: 'k-0123456789', body: { mail_documented: 'a@b.example' } }],
      first: [{ url: '/first', key: 'k-first-000001', body: { mail_first: 'a@b.example' } }],
      second: [{ url: '/second', key: 'k-second-00001', body: { mail_second: 'a@b.example' } }],
    })
  })

  it('holds for API Call and dry runs', async () => {
    const { id } = await connect('first')
    const run = (step: string, input: Record<string, unknown>, dryRun = false) =>
      pack.steps.run(caller, { integration: 'contact-data', step, input, connection: id, dryRun })
    expect(await run('api-call', { method: 'GET', path: '/any' })).toMatchObject({ ok: true })
    expect(got.first.map(({ url, key }) => [url, key])).toEqual([['/any', 'k-0123456789']])
    expect(JSON.stringify(await run('find-contact', { email: 'a@b.example' }, true))).toContain(
      `${providers.first.origin}/first`,
    )
    expect([got.documented.length, got.first.length]).toEqual([0, 1])
  })

  it('is the operator’s own where the operator lays something over it by name', async () => {
    await pack.close()
    pack = await packWith({ profiles: { first: { endpoints: { person: { path: '/elsewhere' } } } } })
    await find((await connect('first')).id)
    expect(got.first.map(({ url }) => url)).toEqual(['/elsewhere'])
  })

  it('is refused where there is none of that name', async () => {
    await expect(connect('third')).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('Its profiles: documented, first, second.') as string,
    })
    const { id } = await connect('first')
    await expect(
      pack.connections.patch(caller, id, { profile: 'third', secrets: { apiKey: 'k-0123456789' } }),
    ).rejects.toMatchObject({ code: 'invalid_input' })
    expect((await pack.connections.list(caller)).map(({ profile }) => profile)).toEqual(['first'])
  })

  it('changes only with the key, which is never sent to the other address without it', async () => {
    const { id } = await connect('first')
    for (const profile of ['second', null, 'documented'])
      await expect(pack.connections.patch(caller, id, { profile })).rejects.toMatchObject({
        code: 'invalid_input',
        details: { errors: [{ pointer: '/secrets' }] },
      })
    await find(id)
    expect([got.first.length, got.second.length]).toEqual([1, 0])
    expect(
      await pack.connections.patch(caller, id, { profile: 'second', secrets: { apiKey: 'k-new-0000001' } }),
    ).toMatchObject({
      profile: 'second',
      state: 'unverified',
    })
    await find(id)
    expect(got.second).toEqual([{ url: '/second', key: 'k-new-0000001', body: { mail_second: 'a@b.example' } }])
    expect(got.first.length).toBe(1)
    expect(
      await pack.connections.patch(caller, id, { profile: null, secrets: { apiKey: 'k-new-0000002' } }),
    ).toMatchObject({ profile: null })
    await find(id)
    expect(got.documented.map(({ key }) => key)).toEqual(['k-new-0000002'])
  })

  it('stays with other changes, and with a new key', async () => {
    const { id } = await connect('first')
    expect(await pack.connections.patch(caller, id, { name: 'Other', profile: 'first' })).toMatchObject({
      name: 'Other',
      profile: 'first',
    })
    expect(await pack.connections.patch(caller, id, { secrets: { apiKey: 'k-new-0000001' } })).toMatchObject({
      profile: 'first',
    })
    await find(id)
    expect(got.first.map(({ key }) => key)).toEqual(['k-new-0000001'])
  })

  it('is stored', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'toolyard-profiles-'))
    const open = async () =>
      packWith({}, { store: await openSqliteStore({ directory, now: Date.now }), masterKey: Buffer.alloc(32, 7) })
    await pack.close()
    pack = await open()
    const { id } = await connect('second')
    await pack.close()
    pack = await open()
    expect(await pack.connections.get(caller, id)).toMatchObject({ profile: 'second' })
    await find(id)
    expect(got.second).toHaveLength(1)
    await rm(directory, { recursive: true, force: true })
  })
})

describe('the connect page', () => {
  const begin = async (request: { profile?: string; connection?: string } = {}) => {
    pack.servedAt('http://127.0.0.1:8750')
    const { state } = await pack.connections.authorize(caller, { integration: 'contact-data', ...request })
    const browser = newBrowserSecret()
    const page = await pack.connect.open(state, browser)
    if (page.kind !== 'form') throw new Error(page.kind)
    return { form: page.form, submit: (fields: Record<string, string>) => pack.connect.submit(state, browser, fields) }
  }
  const titles = async (request?: { profile?: string; connection?: string }) =>
    (await begin(request)).form.profiles.map(({ title, isChosen }) => [title, isChosen])

  it('offers the profiles there are, and connects with the one that is chosen', async () => {
    const { form, submit } = await begin()
    expect(form.profiles.map(({ title, isChosen }) => [title, isChosen])).toEqual([
      ['documented', true],
      ['first', false],
      ['second', false],
    ])
    const html = formPage(form, { root: '' })
    expect(html).toContain(`name="${profileField}"`)
    expect(html.match(/<option [^>]*>/g)).toHaveLength(3)
    expect(await submit({ apiKey: 'k-0123456789', [profileField]: 'second' })).toMatchObject({
      kind: 'done',
      done: { connection: { profile: 'second' } },
    })
    await find()
    expect(got.second.map(({ key }) => key)).toEqual(['k-0123456789'])
  })

  it('preselects what was asked for, or what a connection has', async () => {
    expect(await titles({ profile: 'first' })).toContainEqual(['first', true])
    const { id } = await connect('second')
    expect(await titles({ connection: id })).toContainEqual(['second', true])
    const { submit } = await begin({ connection: id })
    expect(await submit({ apiKey: 'k-new-0000001' })).toMatchObject({
      done: { reconnected: true, connection: { profile: 'second' } },
    })
    const again = await begin({ connection: id })
    expect(await again.submit({ apiKey: 'k-new-0000002', [profileField]: '-' })).toMatchObject({
      done: { connection: { profile: null } },
    })
  })

  it('has no choice of the operator’s profile while that says not where a key goes', async () => {
    await pack.close()
    pack = await packWith({ baseUrl: null })
    expect(await titles()).toEqual([
      ['first', false],
      ['second', false],
    ])
    expect(formPage((await begin()).form, { root: '' })).toContain('Choose…')
  })

  it('refuses a profile that there is not, and keeps the form', async () => {
    const { submit } = await begin()
    const page = await submit({ apiKey: 'k-0123456789', [profileField]: 'third' })
    expect(page).toMatchObject({ kind: 'form', form: { problem: { code: 'invalid_input' } } })
    await expect(begin({ profile: 'third' })).rejects.toMatchObject({ code: 'invalid_input' })
    expect(names.map((name) => got[name].length)).toEqual([0, 0, 0])
  })
})

describe('what an agent is shown', () => {
  const fieldsFor = async (...connections: string[]) => {
    const http = await createHttp({ pack, version: '1', log: () => {} })
    const { text: token } = await pack.tokens.create('default', {
      name: `Test ${performance.now()}`,
      ...(connections.length > 0 ? { connections } : {}),
    })
    const address = await http.listen({ host: '127.0.0.1', port: 0 })
    const { tools } = await withClient({ address, token } as McpWorld, '2025-11-25', (client) => client.listTools())
    await http.close()
    return Object.keys(tools.find(({ name }) => name === 'contact_data_find_contact')!.inputSchema.properties!)
  }

  it('is what the profile of the connection has that it would use', async () => {
    expect(await fieldsFor()).not.toContain('personId')
    const { id } = await connect('first')
    expect(await fieldsFor()).toContain('personId')
    const { id: other } = await connect()
    expect([await fieldsFor(), await fieldsFor(other)].map((fields) => fields.includes('personId'))).toEqual([
      true,
      false,
    ])
    await pack.connections.patch(caller, id, { profile: 'second', secrets: { apiKey: 'k-new-0000001' } })
    expect(await fieldsFor()).not.toContain('personId')
  })

  it('is in the manifest of that profile', async () => {
    const fields = async (profile?: string) =>
      (await pack.integrations.manifest('contact-data', profile)).steps
        .find(({ id }) => id === 'find-contact')!
        .layout.fields.map(({ name }) => name)
    expect(await fields('first')).toContain('personId')
    expect(await fields()).not.toContain('personId')
    await expect(fields('third')).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('documented, first, second') as string,
    })
  })
})
