import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from '#kit'
import type { Event, Trigger } from '#kit'
import { matchAll } from '../../shared/runtime/triggers/match.ts'
import { createMatchIndex, readModel } from '../../shared/runtime/triggers/match-index.ts'
import type { ActiveSubscription } from '../../shared/runtime/triggers/match-index.ts'
import { subscription } from '../store/make.ts'
import { growth } from '../support/growth.ts'

const watcher = (
  tenant: string,
  id: string,
  connection: string,
  boards: string[],
  types: string[],
): ActiveSubscription => ({
  subscription: subscription(tenant, id, { connection }),
  trigger: {} as Trigger,
  config: {},
  models: boards.map((board) => `board:${board}`),
  types,
})
const board = (id: string) => ({ kind: 'board', id })
const ids = (subscriptions: readonly ActiveSubscription[]) => subscriptions.map(({ subscription: { id } }) => id).sort()

describe('the index', () => {
  test('holds no secrets, and equal values of several subscriptions once', () => {
    const index = createMatchIndex()
    const buildSubscription = (id: string, connection: string) => ({
      ...watcher('t', id, connection, ['b1'], ['x', '*']),
      subscription: subscription('t', id, { connection, options: {}, stateReason: '{}' }),
      config: { boards: ['b1'] },
    })
    for (const id of ['1', '2']) index.put(buildSubscription(id, '{}'))
    const [firstSubscription, two] = [index.get('t', '1')!, index.get('t', '2')!]
    expect(JSON.stringify(firstSubscription)).not.toContain('secret')
    const { id, connection, stateReason, options } = firstSubscription.subscription
    expect({ id, connection, stateReason, options }).toEqual({
      id: '1',
      connection: '{}',
      stateReason: '{}',
      options: {},
    })
    expect([firstSubscription.config, firstSubscription.models, firstSubscription.types]).toEqual([
      { boards: ['b1'] },
      ['board:b1'],
      ['*'],
    ])
    expect([
      firstSubscription.config === two.config,
      firstSubscription.models === two.models,
      firstSubscription.types === two.types,
    ]).toEqual([true, true, true])
  })

  test('says which connections have subscriptions, and whether anything changed', () => {
    const index = createMatchIndex()
    const versions = [index.version()]
    for (const [tenant, id, connection] of [
      ['t', '1', 'c'],
      ['t', '2', 'd'],
      ['u', '1', 'c'],
    ] as const) {
      index.put(watcher(tenant, id, connection, ['b1'], ['x']))
      versions.push(index.version())
    }
    index.drop('t', '2')
    index.drop('u', '1')
    versions.push(index.version())
    expect([...index.connections()]).toEqual([{ tenant: 't', connection: 'c' }])
    expect(new Set(versions).size).toBe(versions.length)
    index.drop('t', '9')
    expect(index.version()).toBe(versions.at(-1))
  })

  test('shares nothing whose JSON does not say all of it', () => {
    const index = createMatchIndex()
    const configs = [{ since: new Map([[1, 2]]) }, { since: new Map([[3, 4]]) }, { since: undefined }, {}]
    for (const [n, config] of configs.entries()) index.put({ ...watcher('t', `${n}`, 'c', ['b1'], ['x']), config })
    for (const [n, config] of configs.entries()) expect(index.get('t', `${n}`)!.config).toStrictEqual(config)
  })

  test('gives what a look through all subscriptions would give', () => {
    const subscriptionArbitrary = fc.record({
      id: fc.integer({ min: 0, max: 8 }),
      connection: fc.constantFrom('c1', 'c2'),
      models: fc.uniqueArray(fc.constantFrom('board:b1', 'board:b2', 'card:b1', 'card:a:b'), { minLength: 1 }),
      types: fc.uniqueArray(fc.constantFrom('x', 'y', '*'), { minLength: 1 }),
      drop: fc.boolean(),
    })
    const eventArbitrary = fc.record({
      connection: fc.constantFrom('c1', 'c2'),
      models: fc.uniqueArray(fc.constantFrom('board:b1', 'board:b2', 'card:b1', 'card:a:b', 'card:b9'), {
        minLength: 1,
      }),
      type: fc.constantFrom('x', 'y', 'z'),
    })
    fc.assert(
      fc.property(
        fc.array(subscriptionArbitrary, { maxLength: 16 }),
        fc.array(eventArbitrary, { maxLength: 6 }),
        (changes, questions) => {
          const index = createMatchIndex()
          const plain = new Map<string, ActiveSubscription>()
          for (const { id, connection, models, types, drop } of changes) {
            const name = `s${id}`
            if (drop) {
              index.drop('t', name)
              plain.delete(name)
              continue
            }
            const made = { ...watcher('t', name, connection, [], types), models }
            index.put(made)
            plain.set(name, made)
          }
          for (const { connection, models, type } of questions) {
            const watching = (names: string[]) =>
              [...plain.values()].filter(
                (kept) =>
                  kept.subscription.connection === connection && kept.models.some((model) => names.includes(model)),
              )
            const expected = watching(models).filter(({ types }) => types.includes('*') || types.includes(type))
            expect(ids(index.concerned('t', connection, models.map(readModel), type))).toEqual(ids(expected))
            expect(index.concerned('other', connection, models.map(readModel), type)).toEqual([])
            expect(ids(index.watching('t', connection, models[0]!))).toEqual(ids(watching([models[0]!])))
          }
          expect(index.size()).toBe(plain.size)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('what was answered stays as it is when subscriptions go away', () => {
    const index = createMatchIndex()
    for (const id of ['1', '2', '3']) index.put(watcher('t', id, 'c', ['b1'], ['x']))
    const concerned = index.concerned('t', 'c', [board('b1')], 'x')
    for (const id of ['1', '2', '3']) {
      index.drop('t', id)
      expect(ids(concerned)).toEqual(['1', '2', '3'])
    }
    expect(index.concerned('t', 'c', [board('b1')], 'x')).toEqual([])
    expect([...index.connections()]).toEqual([])
  })

  test('10,000 boards in one subscription: each is found without a look at the others', async () => {
    const boards = (count: number) => Array.from({ length: count }, (_, n) => `b${n}`)
    const indexes = new Map(
      [2_500, 10_000].map((count) => {
        const wideIndex = createMatchIndex()
        wideIndex.put(watcher('t', 'wide', 'c1', boards(count), ['*']))
        return [count, wideIndex]
      }),
    )
    // As many searches in both: only the size of the subscription differs.
    const all = (count: number) => {
      for (let n = 0; n < 10_000; n += 1)
        indexes.get(count)!.concerned('t', 'c1', [board(`b${n % count}`)], 'updateCard')
    }
    expect(await growth(10_000, all, 2)).toBeLessThan(3)
    const index = indexes.get(10_000)!
    expect(index.concerned('t', 'c1', [board('b9999')], 'x')).toHaveLength(1)
    index.drop('t', 'wide')
    expect(index.concerned('t', 'c1', [board('b9999')], 'x')).toHaveLength(0)
  })
})

test('what a trigger makes of an event is made once for subscriptions that share their config', () => {
  const asked: unknown[] = []
  const trigger = {
    data: z.object({ board: z.string() }),
    webhook: {
      match: (_event: Event, config: { boards: string[] }) => {
        asked.push(config.boards)
        if (config.boards[0] === 'broken') throw new Error('broken on purpose')
        return { board: config.boards[0] }
      },
    },
  } as unknown as Trigger
  const configs = [{ boards: ['b1'] }, { boards: ['broken'] }, { boards: ['b2'] }]
  const at = '2026-01-01T00:00:00.000Z'
  const event = { id: 'e1', type: 'x', at, models: [], via: 'webhook', causedByUs: false } as unknown as Event
  const actives = [0, 0, 1, 1, 0, 2, 2].map((n, id) => ({
    ...watcher('t', `${id}`, 'c', ['b1'], ['x']),
    subscription: subscription('t', `${id}`, { connection: 'c', state: 'active', startMark: 0 }),
    trigger,
    config: configs[n]!,
  }))
  const observed = {
    tenant: 't',
    integration: 'i',
    connection: 'c',
    hook: null,
    event,
    runId: null,
    depth: 0,
    summary: null,
  }
  const logged: unknown[] = []
  const log = (_level: string, _event: string, details?: object) => void logged.push(details)
  const { starts, failed } = matchAll(actives, observed, { facts: {}, checkedNeeds: new Set() }, 5, log)
  expect(starts.map(({ subscription: id, data }) => [id, data])).toEqual([
    ['0', { board: 'b1' }],
    ['1', { board: 'b1' }],
    ['4', { board: 'b1' }],
    ['5', { board: 'b2' }],
    ['6', { board: 'b2' }],
  ])
  expect(new Set(starts.map(({ id }) => id)).size).toBe(5)
  // A defect is reported for each subscription that it concerns.
  expect([failed, logged.length, asked.length]).toEqual([true, 2, 5])
})
