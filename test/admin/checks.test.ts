import { afterEach, expect, it } from 'vitest'
import { fail } from '#kit'
import type { Check } from '../../shared/runtime/checks.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import { openHttpWorld } from '../support/http-world.ts'
import type { HttpWorld } from '../support/http-world.ts'
import { hook, start, subscription } from '../store/make.ts'

const opened: HttpWorld[] = []
afterEach(async () => void (await Promise.all(opened.splice(0).map((face) => face.close()))))
const openOn = async (options: Parameters<typeof openHttpWorld>[0] = {}) => {
  const store = createMemoryStore()
  const face = await openHttpWorld({ store, ...options })
  opened.push(face)
  const ask = async (): Promise<Check[]> => (await face.ask('/v1/admin/checks')).json.items
  return { face, store, ask }
}
const bad = (checks: Check[]) =>
  checks.filter(({ level }) => level !== 'ok').filter(({ id }) => !id.startsWith('wire.'))

it('says what is in order, what is not set and what is assumed', async () => {
  const { ask } = await openOn()
  const checks = await ask()
  expect(bad(checks)).toEqual([])
  const ids = checks.map(({ id }) => id)
  expect(ids).toEqual(
    expect.arrayContaining([
      'store',
      'keys',
      'connections',
      'hooks',
      'subscriptions',
      'starts',
      'undecodable',
      'audit',
      'quotas',
      'assumed.work-board',
    ]),
  )
  expect(new Set(ids).size).toBe(ids.length)
  for (const { title, detail, level, remedy } of checks) {
    expect([title, detail]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w/)])
    expect(remedy === null).toBe(level === 'ok')
  }
})

it('finds connections, hooks, starts and deliveries of every tenant that need somebody', async () => {
  const { face, store, ask } = await openOn()
  await face.pack.tenants.create({ id: 'north', name: 'North' })
  const [board] = await face.pack.connections.list({ tenant: 'default' })
  face.sandbox.board.control.fault({ match: {}, times: 9, answer: { status: 401, body: 'invalid token' } })
  await face.pack.connections.test({ tenant: 'default' }, board!.id)
  await store.hooks.attach(
    hook('default', 'h1', { state: 'broken', stateReason: 'The provider gave it up after 30 failures.' }),
    's1',
  )
  await store.hooks.attach(hook('north', 'h2', { state: 'wanted', stateReason: null }), 's2')
  await store.hooks.attach(
    hook('north', 'h3', { state: 'active', model: 'other', refused: 3, refusedReason: 'The signature is wrong.' }),
    's2',
  )
  await store.subscriptions.add(subscription('north', 's2'))
  const refused = 'The agent answered 401. Check the secret.'
  await store.subscriptions.add(subscription('north', 's3', { state: 'failing', stateReason: refused }))
  await store.subscriptions.add(
    subscription('default', 's4', { state: 'paused_agent', stateReason: 'The agent has accepted no start.' }),
  )
  await store.subscriptions.add(
    subscription('default', 's5', { state: 'paused', stateReason: 'It was paused by hand.' }),
  )
  await store.ingest({
    starts: [
      start('north', 'dead-1', { subscription: 's2', state: 'dead' }),
      start('north', 'fine', { subscription: 's2', state: 'done' }),
    ],
  })
  await store.undecodable.add({
    tenant: 'north',
    id: 'd1',
    integration: 'work-board',
    connection: 'c1',
    hook: 'h2',
    receivedAt: 1,
    reason: 'It is no JSON.',
    raw: null,
  })
  const badChecks = bad(await ask())
  expect(badChecks.map(({ id, level }) => [id, level])).toEqual([
    // The subscription above is sealed under a key that is not here.
    ['keys.k', 'problem'],
    [`connection.${board!.id}`, 'problem'],
    ['hook.h1', 'problem'],
    ['hook.h2', 'warning'],
    ['hook.h3', 'problem'],
    ['subscription.s4', 'problem'],
    ['subscription.s3', 'problem'],
    ['starts', 'warning'],
    ['undecodable.north', 'warning'],
  ])
  expect(badChecks[1]).toMatchObject({
    title: 'connection "Board"',
    detail: expect.stringMatching(/^This account of work-board has to be reconnected\. ./),
    remedy: expect.stringContaining('reconnect it'),
    about: { kind: 'connection', tenant: 'default', id: board!.id },
  })
  expect(badChecks.map(({ detail }) => detail).join('\n')).toMatch(
    /gave it up after 30 failures.*\n.*of the tenant north: not registered yet\n.*signature is wrong[^]*of the tenant north: its agent did not take the last start\. The agent answered 401\. Check the secret\.\n[^]*: 1\.\n1 verified of the tenant north .*no JSON/,
  )
})

it('warns before the limits of a tenant are used up', async () => {
  const { face, ask } = await openOn()
  await face.pack.policies.put('default', { limits: { connections: 1 } }, { tenant: 'default' })
  expect(bad(await ask())).toMatchObject([
    {
      id: 'quota.default.connections',
      level: 'warning',
      detail: '1 of 1 are used.',
      remedy: expect.stringContaining('"connections"'),
    },
  ])
})

it('goes on where one check cannot be made, and names no secret', async () => {
  const { face, store, ask } = await openOn()
  Object.assign(store, { check: () => Promise.reject(fail('unavailable', 'The disk is full.')) })
  const checks = await ask()
  expect(checks.find(({ id }) => id === 'store')).toMatchObject({ level: 'problem', detail: 'The disk is full.' })
  expect(checks.map(({ id }) => id)).toContain('quotas')
  const { key, token } = face.sandbox.board.credentials
  for (const secret of [key, token, face.token]) expect(JSON.stringify(checks)).not.toContain(secret)
})
