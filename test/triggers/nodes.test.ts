/** Two nodes, each with a trigger runtime, on one database and one board. */
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Triggers } from '../../shared/runtime/triggers/index.ts'
import { openPostgresStore } from '../../shared/store/postgres/store.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'
import { handClock, openTriggerWorld, subscribe, tenant } from './world.ts'
import type { TestClock, TriggerWorld } from './world.ts'
import type { Row } from './model/board.ts'

const minute = 60_000

describe.skipIf(postgresIsMissing())('two nodes', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  let ending: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    server = await startPostgres()
  }, 60_000)
  afterEach(async () => {
    for (const end of ending.splice(0).toReversed()) await end()
  })
  afterAll(() => server.close())

  const handMoved = (): TestClock => ({ ...handClock(), sleep: (ms, signal) => wait(ms, undefined, { signal }) })
  /** The polls of one board go through `ask`, which gives how the answer is held up. */
  const open = async (ask: (n: number) => Promise<unknown> = async () => undefined) => {
    const clock = handMoved()
    const url = await server.createDatabase()
    const stores = [
      await openPostgresStore({ url, clock, log: () => {} }),
      await openPostgresStore({ url, clock, log: () => {} }),
    ] as const
    const world = await openTriggerWorld({ store: stores[0], clock })
    ending.push(async () => Promise.all(stores.map((store) => store.close())))
    const board = world.board.addBoard('Launch plan')
    const cards: Row[] = []
    let [pollCount, requests] = [0, 0]
    const { answer } = world.board
    world.board.answer = async (request) => {
      requests += 1
      const path = request.path.split('/').slice(2)
      if (path[0] !== 'boards' || path[2] !== 'cards') return answer(request)
      pollCount += 1
      const cardRows = cards.map((card) => ({ ...card }))
      await ask(pollCount)
      return { status: 200, body: cardRows }
    }
    const addCard = (name: string, due: number) => {
      cards.push({
        id: world.board.newId(),
        name,
        due: new Date(due).toISOString(),
        dueComplete: false,
        closed: false,
        idBoard: board,
        idList: 'e'.repeat(24),
        shortLink: 'Ab12Cd34',
      })
    }
    const remind = () => subscribe(world, 'card-due-date-reminder', { boards: [board], leadMinutes: 60 })
    const second = async (): Promise<Triggers> => {
      const triggers = world.beside(() => stores[1])
      await triggers.ticks.ready()
      stores[1].cluster.follow((changes) => triggers.follow(changes))
      return triggers
    }
    return {
      world,
      clock,
      stores,
      board,
      addCard,
      remind,
      second,
      countPolls: () => pollCount,
      requests: () => requests,
    }
  }
  const starts = async ({ store }: TriggerWorld) => (await store.starts.list(tenant, { limit: 100 })).items

  test('a poll is done by one of them; the other does not repeat it, and takes over when it is due again', async () => {
    const { world, clock, remind, addCard, second, countPolls } = await open()
    addCard('Press kit', clock.now() + 30 * minute)
    await remind()
    const other = await second()
    await world.triggers.ticks.scans()
    expect(countPolls()).toBe(1)
    clock.advance(10_000)
    await Promise.all([world.triggers.ticks.scans(), other.ticks.scans()])
    expect(countPolls()).toBe(1)
    clock.advance(2 * minute)
    await Promise.all([world.triggers.ticks.scans(), other.ticks.scans()])
    expect(countPolls()).toBe(2)
    clock.advance(2 * minute)
    await other.ticks.scans()
    await world.triggers.ticks.scans()
    expect(countPolls()).toBe(3)
    expect(await starts(world)).toHaveLength(1)
  })

  test('a node that was paused over a poll writes nothing of it, and asks the provider nothing more', async () => {
    let pause = async () => {}
    const { world, clock, stores, remind, addCard, second, countPolls } = await open(async (n) =>
      n === 1 ? pause() : undefined,
    )
    await remind()
    const other = await second()
    addCard('Press kit', clock.now() + 30 * minute)
    pause = async () => {
      // The other one holds it for dead.
      await stores[1].cluster.forget([stores[0].cluster.node])
      clock.advance(10 * minute)
      await other.ticks.scans()
      expect(countPolls()).toBe(2)
    }
    await world.triggers.ticks.scans()
    expect(world.logged.map(({ event }) => event)).toContain('poll.lease_lost')
    const [poll] = await stores[1].polls.all()
    expect(poll!.scannedAt).toBe(clock.now())
    expect(await starts(world)).toHaveLength(1)
  })

  test('a node that begins beside another one does not look for what was missed', async () => {
    const { world, board, clock, second, requests } = await open()
    await subscribe(world, 'new-comment-added-to-card', { boards: [board] })
    await world.triggers.ticks.returnFrom()
    clock.advance(10 * minute)
    const other = await second()
    const before = requests()
    await other.ticks.returnFrom()
    await other.ticks.upkeep()
    expect(requests()).toBe(before)
  })
})
