import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Scope } from '../../shared/api/rules.ts'
import { maxContentBytes } from '../../shared/runtime/steps/run-contents.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import { firstList, openHttpWorld } from '../support/http-world.ts'
import { caller, secretsOf } from '../support/world.ts'

const hour = 3_600_000
const store = createMemoryStore()
/** Moves the clock of the pack. */
let later = 0
const clock = {
  now: () => Date.now() + later,
  monotonic: () => performance.now(),
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
}
const masterKey = { keys: [{ id: 'first', key: Buffer.alloc(32, 7) }], save: async () => {} }
const face = await openHttpWorld({ store, clock, masterKey, accounts: 'all', runContentsMs: 24 * hour })
const { list } = await firstList(face)

type Answered = { status: number; json: any }
const runIdOf = ({ json }: Answered): string => json.meta?.runId ?? json.runId
const ran = async (step: string, body: object, integration = 'work-board') =>
  runIdOf(await face.ask(`/v1/steps/${integration}/${step}/run`, { body }))
const show = async (id: string, token?: string) =>
  (await face.ask(`/v1/runs/${id}`, token === undefined ? {} : { token })).json
const contentsOf = async (id: string, token?: string) => (await show(id, token)).contents
const tokenWith = async (options: object, tenant = 'default') =>
  (await face.pack.tokens.create(tenant, { name: 'Bound', scopes: ['read'] as Scope[], ...options })).text
const stored = async () => {
  // A list waits for everything that is still to be written.
  await face.pack.runs.list(caller, { limit: 1 })
  return (await store.personal.rows('default', 'run_contents', 1000)).map(({ key: [id] }) => id)
}
const contactEmail = 'priya.nakamura@example.com'

describe('contents of runs', () => {
  test('are the input as the step read it and the output, for the time that is set', async () => {
    const input = { idList: list.id, name: 'Call the printer' }
    const answer = await face.ask('/v1/steps/work-board/create-card/run', { body: { input } })
    const { contents, ...run } = await show(runIdOf(answer))
    expect(contents).toMatchObject({ input, output: answer.json.output })
    const age = Date.parse(contents.until) - Date.parse(run.createdAt)
    expect(age).toBeGreaterThanOrEqual(24 * hour)
    expect(age).toBeLessThan(24 * hour + 60_000)
    expect((await face.ask('/v1/server')).json.contentsKept).toBe(true)
    // The list stays light.
    expect((await face.ask('/v1/runs?limit=1')).json.items[0]).not.toHaveProperty('contents')
  })

  test('of a run that failed are its input; what did not fit the schema is not stored', async () => {
    const failed = await ran('get-card', { input: { idCard: '507f1f77bcf86cd799439011' } })
    const contents = await contentsOf(failed)
    expect(contents).toMatchObject({ input: { idCard: '507f1f77bcf86cd799439011' } })
    expect(contents).not.toHaveProperty('output')
    const { key } = secretsOf(face.sandbox)
    const unread = await ran('get-card', { input: { idCard: 'abc', key } })
    expect(await contentsOf(unread)).toBeNull()
    const dry = await face.ask('/v1/steps/work-board/get-boards/run', { body: { input: {}, dryRun: true } })
    expect(await stored()).not.toContain(runIdOf(dry))
  })

  test('never have a credential: API Call refuses one, and elsewhere it is replaced', async () => {
    const { key, token } = secretsOf(face.sandbox)
    const refused = await ran('api-call', { input: { method: 'GET', path: '/1/members/me', query: { token } } })
    expect(await show(refused)).toMatchObject({ state: 'failed', contents: null })
    const written = await ran('create-card', { input: { idList: list.id, name: `Use ${key}`, desc: token } })
    const text = JSON.stringify(await show(written))
    expect(text).toContain('Use ***')
    expect(text).not.toContain(key)
    expect(text).not.toContain(token)
    const called = await ran('api-call', { input: { method: 'GET', path: '/1/members/me' } })
    expect((await contentsOf(called)).input).toMatchObject({ path: '/1/members/me' })
  })

  test('that are too large say so, and what is as large as may be is stored', async () => {
    const desc = 'x'.repeat(15_000)
    for (let n = 0; n < 6; n += 1) face.sandbox.board.control.createCard({ idList: list.id, name: `Long ${n}`, desc })
    const contents = await contentsOf(await ran('get-list-cards', { input: { idList: list.id } }))
    expect(contents).toMatchObject({ input: { idList: list.id }, outputTooLarge: true })
    expect(contents).not.toHaveProperty('output')
    const body = (length: number) => ({ method: 'POST', path: '/1/search/none', body: { text: 'é'.repeat(length) } })
    const fits = body((maxContentBytes - 60) / 2)
    expect(Buffer.byteLength(JSON.stringify(fits))).toBeLessThanOrEqual(maxContentBytes + 60)
    const sent = async (input: object) => contentsOf(await ran('api-call', { input: { ...input, strict: false } }))
    expect(await sent(body(30_000))).toMatchObject({ input: { path: '/1/search/none' } })
    expect(await sent(body(40_000))).toMatchObject({ inputTooLarge: true })
  })

  test('are sealed', async () => {
    const secret = randomBytes(12).toString('hex')
    const id = await ran('create-card', { input: { idList: list.id, name: secret } })
    expect(await stored()).toContain(id)
    const row = (await store.runContents.get('default', id))!
    expect(JSON.stringify(row)).not.toContain(secret)
    expect(row.sealedUnder).toBe('first')
  })

  test('are seen by whoever may see the run, and by nobody else', async () => {
    const id = await ran('get-boards', { input: {} })
    expect(await contentsOf(id)).not.toBeNull()
    await face.pack.tenants.create({ id: 'blue', name: 'Blue' })
    const other = await face.connect('work-board', { name: 'Other' })
    for (const token of [
      await tokenWith({}, 'blue'),
      await tokenWith({ steps: ['work-board/create-card'] }),
      await tokenWith({ connections: [other.id] }),
      await tokenWith({ person: 'somebody-else' }),
    ])
      expect(await face.ask(`/v1/runs/${id}`, { token })).toMatchObject({ status: 404 })
    const [mine] = await face.pack.connections.list(caller, { integration: 'work-board' })
    const may = await tokenWith({ steps: ['work-board/get-boards'], connections: [mine!.id, other.id] })
    expect(await contentsOf(id, may)).not.toBeNull()
  })
})

describe('people in contents of runs', () => {
  const look = (input: object) => ran('find-contact', { input }, 'contact-data')

  test('who are suppressed are not stored, nor shown when they are suppressed afterwards', async () => {
    const [before, unrelated] = [await look({ email: contactEmail }), await look({ email: 'sam@example.org' })]
    expect(await contentsOf(before)).toMatchObject({ input: { email: contactEmail } })
    await face.pack.suppressions.add(caller, [{ email: contactEmail }])
    expect(await contentsOf(before)).toBeNull()
    expect(await contentsOf(unrelated)).not.toBeNull()
    const after = await look({ email: contactEmail })
    const named = await ran('create-card', { input: { idList: list.id, name: `Call ${contactEmail.toUpperCase()}` } })
    const ids = await stored()
    expect(ids).not.toContain(after)
    expect(ids).not.toContain(named)
    await face.pack.suppressions.remove(caller, [{ email: contactEmail }])
    expect(await contentsOf(after)).toBeNull()
  })

  test('are exported and erased with everything else about them', async () => {
    const person = [{ email: 'jo.smith@example.com' }]
    const [about, unrelated] = [await look(person[0]!), await look({ email: 'lee@example.org' })]
    const { records } = await face.pack.privacy.export(caller, person)
    const found = records.find(({ kind }) => kind === 'run_contents')
    expect(found).toMatchObject({ id: about })
    expect(JSON.stringify(found!.data)).toContain('jo.smith@example.com')
    expect((await face.pack.privacy.erase(caller, person)).removed).toMatchObject({ run_contents: 1 })
    expect(await contentsOf(about)).toBeNull()
    expect(await contentsOf(unrelated)).not.toBeNull()
  })
})

test('contents are sealed again by a rotation of the master key, also behind a page of them', async () => {
  const ids: string[] = []
  for (let n = 0; n < 25; n += 1) ids.push(await ran('get-boards', { input: {} }))
  expect((await stored()).length).toBeGreaterThan(25)
  const { keyId, failed } = await face.pack.keys.rotate(caller)
  expect(failed).toEqual([])
  expect(keyId).not.toBe('first')
  expect(await store.sealed.paged('run_contents', keyId, 5)).toEqual([])
  expect((await store.runContents.get('default', ids[0]!))!.sealedUnder).toBe(keyId)
  expect(await contentsOf(ids[0]!)).toMatchObject({ input: {} })
})

test('contents are gone once their time is over, and retention removes them', async () => {
  const id = await ran('get-boards', { input: {} })
  expect(await contentsOf(id)).not.toBeNull()
  later = 24 * hour + 1000
  expect(await contentsOf(id)).toBeNull()
  expect(await stored()).toContain(id)
  const ages = { payloads: 0, starts: 0, deleted: 0, runs: 0, ownWrites: 0, audit: 0, gaps: 0 }
  const pruned = await store.prune({ now: clock.now(), ...ages, limit: 1000 })
  expect(pruned.runContents).toBeGreaterThan(0)
  expect(await stored()).toEqual([])
  later = 0
})

test('without the setting nothing is stored', async () => {
  const other = createMemoryStore()
  const plain = await openHttpWorld({ store: other })
  const answer = await plain.ask('/v1/steps/work-board/get-boards/run', { body: { input: {} } })
  expect((await plain.ask(`/v1/runs/${runIdOf(answer)}`)).json.contents).toBeNull()
  expect((await plain.ask('/v1/server')).json.contentsKept).toBe(false)
  expect(await other.personal.rows('default', 'run_contents', 10)).toEqual([])
  await plain.close()
})

test('a store that takes no contents does not fail the run', async () => {
  const failing = createMemoryStore()
  failing.runContents.put = () => Promise.reject(new Error('The disk is full'))
  const world = await openHttpWorld({ store: failing, runContentsMs: hour })
  const answer = await world.ask('/v1/steps/work-board/get-boards/run', { body: { input: {} } })
  expect(answer.status).toBe(200)
  expect((await world.ask(`/v1/runs/${runIdOf(answer)}`)).json).toMatchObject({ state: 'done', contents: null })
  expect(world.lines.map(({ event }) => event)).toContain('run.contents_not_stored')
  await world.close()
})
