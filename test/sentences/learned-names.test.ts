import { expect, test } from 'vitest'
import type { Event, NamedRef } from '#kit'
import { sealedOwner } from '../../shared/pack/keyring.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { createLearnedNames } from '../../shared/runtime/sentences/learned-names.ts'
import { createMemoryStore, createVault, resealAll } from '../../shared/store/index.ts'
import { connection as connectionRow } from '../store/make.ts'
import { boardWithWords } from './words.ts'

const masterKey = Buffer.alloc(32, 7)
const board = { tenant: 't1', integration: 'work-board', connection: 'c1' }
const start0 = Date.parse('2026-03-02T12:00:00.000Z')
const thing = (id: string, kind = 'card', connection = 'c1') => ({ connection, kind, id })

const open = async (suppressed: (values: readonly unknown[]) => boolean[] = (values) => values.map(() => false)) => {
  const store = createMemoryStore()
  const vault = createVault({ masterKey })
  const clock = { now: () => clock.at, monotonic: () => clock.at, sleep: async () => {}, at: start0 }
  const logged: string[] = []
  const dependencies = {
    registry: createRegistry([boardWithWords]),
    store,
    vault,
    privacy: { suppressed: async (_: string, values: readonly unknown[]) => suppressed(values) },
    clock,
    log: (_: string, event: string) => void logged.push(event),
  }
  for (const [tenant, id] of [
    ['t1', 'c1'],
    ['t1', 'c2'],
    ['t2', 'c1'],
  ] as const)
    await store.connections.add(connectionRow(tenant, id))
  return {
    store,
    vault,
    clock,
    logged,
    names: createLearnedNames(dependencies),
    another: () => createLearnedNames(dependencies),
  }
}
const nameOf = async (
  { names }: Pick<Awaited<ReturnType<typeof open>>, 'names'>,
  id: string,
  tenant = 't1',
  connection = 'c1',
) => (await names.find(tenant, [thing(id, 'card', connection)]))(thing(id, 'card', connection))
const card = (id: string, name: string, url?: string): NamedRef => ({
  kind: 'card',
  id,
  name,
  ...(url === undefined ? {} : { url }),
})
const eventOf = (at: number, name: string): Event => ({
  id: `e${at}`,
  type: 'renamed',
  at: new Date(at).toISOString(),
  actor: { id: 'p1', name: 'Odette Quill' },
  model: { kind: 'board', id: 'b1' },
  models: [],
  subject: { kind: 'card', id: 'k1', name },
  objects: [],
  via: 'webhook',
  causedByUs: false,
  raw: { name },
})

test('what an event names is known at once here, and by other processes once it is stored', async () => {
  const world = await open()
  world.names.noteEvent(board, eventOf(start0, 'Call Bob'))
  expect(await nameOf(world, 'k1')).toBe('Call Bob')
  expect(await nameOf({ names: world.another() }, 'k1')).toBe('Call Bob')
  expect(await world.names.search({ tenant: 't1', connection: 'c1' }, { kind: 'person', limit: 5 })).toEqual([
    { kind: 'person', id: 'p1', name: 'Odette Quill' },
  ])
  expect(world.logged).toEqual([])
})

test('tenants and connections know nothing of one another', async () => {
  const world = await open()
  world.names.note(board, [card('k1', 'Call Bob')])
  expect(await nameOf(world, 'k1')).toBe('Call Bob')
  expect(await nameOf(world, 'k1', 't2')).toBeUndefined()
  expect(await nameOf(world, 'k1', 't1', 'c2')).toBeUndefined()
  expect(await world.names.search({ tenant: 't2', connection: 'c1' }, { limit: 5 })).toEqual([])
  expect(await world.names.search({ tenant: 't1', connection: 'c2' }, { limit: 5 })).toEqual([])
})

test('names and links are sealed, each bound to its thing', async () => {
  const { names, store, vault } = await open()
  names.note(board, [card('k1', 'Call Bob', 'https://board.example/k1/call-bob'), card('k2', 'Other')])
  await names.flush()
  const [row] = await store.names.find('t1', 'c1', 'card', ['k1'])
  expect(JSON.stringify(row)).not.toMatch(/bob/i)
  expect(row!.sealedUnder).toBe(vault.keyId)
  const moved = { ...row!, id: 'k2' }
  await store.names.put([moved])
  expect(await names.search({ tenant: 't1', connection: 'c1' }, { limit: 5 })).toEqual([
    { kind: 'card', id: 'k1', name: 'Call Bob', url: 'https://board.example/k1/call-bob' },
  ])
})

test('of many runs at once not all are read, and the next ones are read again', async () => {
  const { names } = await open()
  let reads = 0
  const run = (id: string) => () => {
    reads += 1
    return Array.from({ length: 50 }, (_, row) => card(`${id}-${row}`, `Card ${row}`))
  }
  for (let at = 0; at < 500; at += 1) names.noteRun(board, run(`k${at}`))
  expect(reads).toBe(20)
  const nameIn = async (id: string) => (await names.find('t1', [thing(id)]))(thing(id))
  expect([await nameIn('k19-49'), await nameIn('k20-0')]).toEqual(['Card 49', undefined])
  names.noteRun(board, run('later'))
  expect([reads, await nameIn('later-0')]).toEqual([21, 'Card 0'])
})

test('an older event does not bring an older name back', async () => {
  const world = await open()
  world.clock.at = start0 + 60_000
  world.names.noteEvent(board, eventOf(start0 + 60_000, 'New name'))
  await world.names.flush()
  world.names.noteEvent(board, eventOf(start0, 'Old name'))
  await world.names.flush()
  expect(await nameOf(world, 'k1')).toBe('New name')
  // A process that has not seen the newer one.
  const other = world.another()
  other.noteEvent(board, eventOf(start0, 'Old name'))
  await other.flush()
  expect(await nameOf({ names: world.another() }, 'k1')).toBe('New name')
})

test('a connection has at most 10,000 names: the oldest go', async () => {
  const world = await open()
  world.names.note({ ...board, connection: 'c2' }, [card('apart', 'Of another connection')])
  await world.names.flush()
  for (let from = 0; from < 10_100; from += 100) {
    world.clock.at += 1
    world.names.note(
      board,
      Array.from({ length: 100 }, (_, n) => card(`k${from + n}`, `Card ${from + n}`)),
    )
    await world.names.flush()
    // The store in memory writes rows when somebody reads.
    await world.store.names.list('t1', 'c1', 1)
  }
  const all = await world.store.names.list('t1', 'c1', 20_000)
  expect(all).toHaveLength(10_000)
  expect(all.some(({ id }) => id === 'k99')).toBe(false)
  expect(all.some(({ id }) => id === 'k100')).toBe(true)
  expect(await world.store.names.list('t1', 'c2', 10)).toHaveLength(1)
  expect(await world.names.search({ tenant: 't1', connection: 'c1' }, { query: 'card 100', limit: 1000 })).toHaveLength(
    11 + 100,
  )
}, 60_000)

test('texts are one line, visible and short; links are addresses of pages', async () => {
  const { names } = await open()
  names.note(board, [
    card('k1', '<img src=x onerror=alert(1)>\n\u202eevil', 'javascript:alert(1)'),
    card('k2', 'x'.repeat(5_000)),
    card('k3', ' \u200b '),
    card('x'.repeat(400), 'Too long an id'),
  ])
  const found = await names.search({ tenant: 't1', connection: 'c1' }, { limit: 10 })
  expect(found).toHaveLength(2)
  expect(found).toContainEqual({ kind: 'card', id: 'k1', name: '<img src=x onerror=alert(1)> evil' })
  expect(found.find(({ id }) => id === 'k2')!.name).toHaveLength(200)
})

test('of a name that fills a whole reply the beginning is learned, beside the names of others', async () => {
  const house = await open()
  house.names.note(board, [card('k1', 'a '.repeat(5_000_000)), card('k2', `${' '.repeat(5_000_000)}b`)])
  house.names.note({ ...board, tenant: 't2' }, [card('k1', 'Press kit')])
  expect(await nameOf(house, 'k1')).toBe(`${'a '.repeat(100).slice(0, 199)}…`)
  expect(await nameOf(house, 'k2')).toBeUndefined()
  expect(await nameOf(house, 'k1', 't2')).toBe('Press kit')
  expect(house.logged).toEqual([])
})

test('nothing is learned of a suppressed person', async () => {
  const world = await open((values) => values.map((value) => JSON.stringify(value).includes('mai@example.com')))
  world.names.noteEvent(board, { ...eventOf(start0, 'Call Mai'), raw: { note: 'mai@example.com' } })
  world.names.note(board, [card('k2', 'mai@example.com'), card('k3', 'Call Bob')])
  expect(await world.names.search({ tenant: 't1', connection: 'c1' }, { limit: 10 })).toEqual([card('k3', 'Call Bob')])
})

test('names are sealed anew under a new master key, and go with the key that is lost', async () => {
  const { names, store, another } = await open()
  names.note(
    board,
    Array.from({ length: 450 }, (_, n) => card(`k${n}`, `Card ${n}`)),
  )
  await names.flush()
  const present = createVault({
    masterKey: Buffer.alloc(32, 8),
    previous: [{ id: createVault({ masterKey }).keyId, key: masterKey }],
  })
  const { resealed, failed } = await resealAll(store, present, sealedOwner)
  // The secrets of the connections are made up.
  expect([resealed, failed.filter(({ kind }) => kind === 'name')]).toEqual([450, []])
  expect(await store.sealed.paged('name', present.keyId, 1)).toEqual([])
  const [row] = await store.names.find('t1', 'c1', 'card', ['k7'])
  expect(present.open({ tenant: 't1', owner: 'name:["c1","card","k7"]' }, row!.secrets)).toEqual({ name: 'Card 7' })
  // This process still has the former key alone.
  expect(await another().search({ tenant: 't1', connection: 'c1' }, { limit: 5 })).toEqual([])
})

test('names go with their connection, also those that are on their way', async () => {
  const world = await open()
  world.names.note(board, [card('k1', 'Call Bob')])
  await world.names.flush()
  await world.store.connections.remove('t1', 'c1')
  world.names.note(board, [card('k2', 'Late')])
  await world.names.forgetConnection('t1', 'c1')
  world.names.note(board, [card('k3', 'Later')])
  await world.names.flush()
  expect(await world.store.names.list('t1', 'c1', 10)).toEqual([])
})

test('what the words of an integration throw is logged, and nothing else is lost', async () => {
  const { names, logged } = await open()
  const { subject: _, ...broken } = eventOf(start0, '')
  names.noteEvent(board, {
    ...broken,
    get subject(): never {
      throw new Error('no subject')
    },
  } as unknown as Event)
  names.note(board, [card('k1', 'Call Bob')])
  expect(await names.search({ tenant: 't1', connection: 'c1' }, { limit: 5 })).toHaveLength(1)
  expect(logged).toEqual(['words.defect'])
})
