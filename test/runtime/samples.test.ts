import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../shared/store/index.ts'
import { openHttpWorld } from '../support/http-world.ts'
import { secretsOf } from '../support/world.ts'

const day = 86_400_000
const store = createMemoryStore()
/** Moves the clock of the pack. */
let later = 0
const clock = {
  now: () => Date.now() + later,
  monotonic: () => performance.now(),
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
}
const masterKey = { keys: [{ id: 'first', key: Buffer.alloc(32, 7) }], save: async () => {} }
const face = await openHttpWorld({ store, clock, masterKey })

const url = '/v1/steps/work-board/create-list/sample'
const sample = {
  input: { name: 'Next', idBoard: 'board-1' },
  output: { id: 'list-1', name: 'Next', about: 'Ada Example' },
}
const put = (body: unknown, token?: string, at = url) =>
  face.ask(at, { method: 'PUT', body, ...(token === undefined ? {} : { token }) })
const get = (token?: string, at = url) => face.ask(at, token === undefined ? {} : { token })

describe('samples of steps', () => {
  test('saved, read, replaced and deleted', async () => {
    expect(await get()).toMatchObject({
      status: 404,
      json: { code: 'not_found', detail: expect.stringContaining(`PUT ${url}`) as string },
    })
    const saved = await put(sample)
    expect(saved).toMatchObject({ status: 200, json: sample })
    expect(Date.parse(saved.json.expiresAt) - Date.parse(saved.json.savedAt)).toBe(90 * day)
    expect((await get()).json).toEqual(saved.json)
    await put({ input: {}, output: null })
    expect((await get()).json).toMatchObject({ input: {}, output: null })
    expect((await face.ask(url, { method: 'DELETE' })).status).toBe(204)
    expect((await get()).status).toBe(404)
    expect((await face.ask(url, { method: 'DELETE' })).status).toBe(404)
  })

  test('of a step that does not exist, too large, or not an object', async () => {
    expect(await put(sample, undefined, '/v1/steps/work-board/none/sample')).toMatchObject({ status: 404 })
    expect(await put({ input: {}, output: 'x'.repeat(256 * 1024) })).toMatchObject({
      status: 413,
      json: { code: 'too_large' },
    })
    expect(await put({ input: [], output: 1 })).toMatchObject({
      status: 400,
      json: { errors: [{ pointer: '/input' }] },
    })
    expect((await get()).status).toBe(404)
  })

  test('another tenant has its own', async () => {
    await face.pack.tenants.create({ id: 'blue', name: 'Blue' })
    const { text: theirs } = await face.pack.tokens.create('blue', { name: 'Theirs' })
    await put(sample)
    expect((await get(theirs)).status).toBe(404)
    expect((await face.ask(url, { method: 'DELETE', token: theirs })).status).toBe(404)
    await put({ input: { name: 'Blue' }, output: 1 }, theirs)
    expect((await get()).json).toMatchObject(sample)
  })

  test('a token that is bound to connections sees what was saved with the same binding only', async () => {
    await put(sample)
    const bound = async (connections: string[]) =>
      (await face.pack.tokens.create('default', { name: 'Bound', connections })).text
    const connect = (name: string) =>
      face.pack.connections.create(
        { tenant: 'default' },
        { integration: 'work-board', type: 'key-token', name, secrets: secretsOf(face.sandbox) },
      )
    const [{ id: a }, { id: b }] = [await connect('A'), await connect('B')]
    const [firstToken, same, other] = [await bound([a, b]), await bound([b, a]), await bound([a])]
    expect((await get(firstToken)).status).toBe(404)
    await put({ input: {}, output: 'of two' }, firstToken)
    expect((await get(same)).json).toMatchObject({ output: 'of two' })
    expect((await get(other)).status).toBe(404)
    expect((await get()).json).toMatchObject(sample)
  })

  test('a token that is bound to other steps is refused', async () => {
    const { text } = await face.pack.tokens.create('default', { name: 'Bound', steps: ['work-board/get-card'] })
    for (const reply of [
      await get(text),
      await put(sample, text),
      await face.ask(url, { method: 'DELETE', token: text }),
    ])
      expect(reply).toMatchObject({ status: 403, json: { code: 'not_allowed' } })
    const { text: core } = await face.pack.tokens.create('default', { name: 'Core', toolSet: 'core', scopes: ['read'] })
    expect((await get(core, '/v1/steps/work-board/get-card/sample')).status).toBe(404)
  })

  test('encrypted in the store, also after the master key has changed', async () => {
    await put(sample)
    const before = (await store.samples.get('default', 'work-board/create-list'))!
    expect(Buffer.from(before.content).toString('latin1')).not.toContain('Ada Example')
    await face.pack.keys.rotate({ tenant: 'default' })
    const after = (await store.samples.get('default', 'work-board/create-list'))!
    expect(after.secrets).not.toEqual(before.secrets)
    expect((await get()).json).toMatchObject(sample)
    await store.samples.put({ ...after, content: after.content.map((byte, index) => (index === 20 ? byte ^ 1 : byte)) })
    expect(await get()).toMatchObject({ status: 503, json: { detail: expect.stringContaining('damaged') as string } })
  })

  test('gone 90 days after it was saved', async () => {
    await put(sample)
    later = 90 * day
    expect((await get()).status).toBe(404)
    const now = clock.now()
    const gone = await store.prune({
      now,
      payloads: 0,
      starts: 0,
      deleted: 0,
      runs: 0,
      ownWrites: 0,
      audit: 0,
      gaps: 0,
      limit: 100,
    })
    expect(gone.samples).toBeGreaterThan(0)
    expect(await store.samples.get('default', 'work-board/create-list')).toBeUndefined()
    later = 0
  })
})
