/** What happened, in words, from the delivery to the agent and to every list. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { createRetention } from '../../shared/runtime/admin/retention.ts'
import { createLearnedNames } from '../../shared/runtime/sentences/learned-names.ts'
import type { LearnedNames } from '../../shared/runtime/sentences/learned-names.ts'
import type { Store } from '../../shared/runtime/ports/index.ts'
import { createMemoryStore, createVault } from '../../shared/store/index.ts'
import { handClock, openTriggerWorld, caller, settle, someoneElse, tenant } from '../triggers/world.ts'
import type { TriggerWorld } from '../triggers/world.ts'
import { boardWithWords } from './words.ts'

const page = { limit: 10 }
let store: Store
let names: LearnedNames
let world: TriggerWorld
let board: string
let list: string

beforeEach(async () => {
  store = createMemoryStore()
  const clock = handClock()
  names = createLearnedNames({
    registry: createRegistry([boardWithWords]),
    store,
    vault: createVault({ masterKey: Buffer.alloc(32, 7) }),
    privacy: { suppressed: async (_, values) => values.map(() => false) },
    clock,
    log: () => {},
  })
  world = await openTriggerWorld({ store, clock, names, integrations: [boardWithWords] })
  board = world.board.addBoard('Kitchen refit')
  list = world.board.addList('To order')
})
afterEach(() => world.close())

const attach = () =>
  world.triggers.subscriptions.create(caller, {
    integration: 'work-board',
    trigger: 'new-card',
    connection: 'con_1',
    config: { boards: [board] },
    agent: { url: 'https://agent.example/start' },
  })

describe('a sentence', () => {
  test('is computed once, stored with the event, and reaches the agent as untrusted text', async () => {
    await attach()
    world.board.addCard(board, list, 'Order tiles', { member: someoneElse })
    await settle(world)
    const [row] = (await store.events.list(tenant, page)).items
    const [start] = (await store.starts.list(tenant, page)).items
    expect(JSON.parse(row!.summary!)).toContainEqual(expect.objectContaining({ text: 'Order tiles', role: 'what' }))
    expect(start!.summary).toBe(row!.summary)
    expect(world.called[0]!.data.summary).toMatch(/touched Order tiles$/)
    expect(world.called[0]!.data.untrusted).toEqual(['/event', '/summary'])
  })

  test('is answered with its parts, and with the names of what it is about', async () => {
    await attach()
    world.board.addCard(board, list, 'Order tiles', { member: someoneElse })
    await settle(world)
    const [event] = (await world.triggers.events.list(caller, page)).items
    const [start] = (await world.triggers.starts.list(caller, page)).items
    expect(event).toMatchObject({ subjectName: 'Order tiles', containerName: 'Kitchen refit' })
    expect(event!.summary!.text).toMatch(/touched Order tiles$/)
    expect(event!.summary!.parts.find(({ role }) => role === 'what')!.ref).toEqual({ kind: 'card', id: event!.subject })
    expect(start!.summary).toEqual(event!.summary)
    expect(await world.triggers.starts.get(caller, start!.id)).toMatchObject({ summary: event!.summary })
    const detail = await world.triggers.events.get(caller, event!.id)
    expect([detail.summary, detail.starts[0]!.summary]).toEqual([event!.summary, event!.summary])
  })

  test('gets a name that is learned later', async () => {
    await attach()
    world.board.addCard(board, list, 'unknown', { member: someoneElse })
    await settle(world)
    const read = async () => (await world.triggers.events.list(caller, page)).items[0]!
    const before = await read()
    expect(before.summary!.text).toMatch(/touched a card$/)
    expect(before.summary!.parts.at(-1)).toMatchObject({ text: 'a card', unnamed: true })
    expect(before.subjectName).toBeNull()
    names.note({ tenant, integration: 'work-board', connection: 'con_1' }, [
      { kind: 'card', id: before.subject!, name: 'Order <b>tiles</b>' },
    ])
    await names.flush()
    const after = await read()
    expect(after.summary!.text).toMatch(/touched Order <b>tiles<\/b>$/)
    expect(after.summary!.parts.at(-1)).not.toHaveProperty('unnamed')
    expect(after.subjectName).toBe('Order <b>tiles</b>')
    expect((await store.events.list(tenant, page)).items[0]!.summary).not.toContain('tiles')
  })

  test('of a subscription says what it waits for, with the name of the board once it was seen', async () => {
    const made = await attach()
    expect(made.summary!.text).toBe('a new card on a board')
    world.board.addCard(board, list, 'Order tiles', { member: someoneElse })
    await settle(world)
    await names.flush()
    expect((await world.triggers.subscriptions.get(caller, made.id)).summary!.text).toBe('a new card on Kitchen refit')
    const { items } = await world.triggers.subscriptions.list(caller, page)
    expect(items.map(({ summary }) => summary!.text)).toEqual(['a new card on Kitchen refit'])
  })

  test('goes with the payload of the event and with the data of the start', async () => {
    await attach()
    world.board.addCard(board, list, 'Order tiles', { member: someoneElse })
    await settle(world)
    await names.flush()
    world.clock.advance(91 * 86_400_000)
    const retention = createRetention({ store, clock: world.clock, log: () => {} })
    world.clock.advance(60_000)
    retention.touch()
    await retention.stop()
    expect((await store.events.list(tenant, page)).items).toMatchObject([{ raw: null, summary: null }])
    expect((await world.triggers.events.list(caller, page)).items[0]!.summary).toBeNull()
    const [event] = (await store.events.list(tenant, page)).items
    const [of] = await store.starts.ofEvents(tenant, [event!.id], 5)
    expect(of).toBeUndefined()
    expect(JSON.stringify(await store.personal.rows(tenant, 'start', 10))).not.toContain('tiles')
    // Thirty days after they were seen, names are gone too.
    expect(await store.names.list(tenant, 'con_1', 10)).toEqual([])
  })

  test('is missing where the words have a defect, and the event starts its agent all the same', async () => {
    boardWithWords.words = {
      ...boardWithWords.words!,
      describe: () => {
        throw new Error('A defect.')
      },
    }
    try {
      await attach()
      world.board.addCard(board, list, 'Order tiles', { member: someoneElse })
      await settle(world)
    } finally {
      boardWithWords.words = (await import('./words.ts')).words
    }
    expect(world.called[0]!.data.summary).toBeNull()
    expect(world.logged.map(({ event }) => event)).toContain('words.defect')
  })
})

test('a test start has the sentence of the example', async () => {
  const made = await attach()
  const { start } = await world.triggers.subscriptions.sample(caller, made.id)
  expect(start.data).toHaveProperty('summary')
})
