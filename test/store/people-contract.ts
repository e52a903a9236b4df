import { describe, expect, test } from 'vitest'
import type { LedgerRow, Store } from '../../shared/runtime/ports/index.ts'
import { connection, file, run, subscription, t0 } from './make.ts'

const day = 86_400_000
const page = { limit: 9 }
const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id)

/** Whom rows are of or for: each list is narrowed to one person, and a tenant sees its own. */
export const peopleContract = (store: () => Store): void => {
  describe('people', () => {
    test('each is listed once, newest first, by their own tenant, and stays as first named', async () => {
      const { people } = store()
      for (const [id, createdAt] of [
        ['ann', t0],
        ['bea', t0 + 1],
        ['cem', t0 + 1],
        ['ann', t0 + 9],
      ] as const)
        await people.add({ tenant: 'who', id, createdAt })
      await people.add({ tenant: 'who-other', id: 'ann', createdAt: t0 + 5 })
      expect(await people.get('who', 'ann')).toEqual({ tenant: 'who', id: 'ann', createdAt: t0 })
      expect(await people.get('who', 'dov')).toBeUndefined()
      const first = await people.list('who', { limit: 2 })
      expect(idsOf(first)).toEqual(['cem', 'bea'])
      expect(idsOf(await people.list('who', { limit: 2, cursor: first.next! }))).toEqual(['ann'])
      expect(idsOf(await people.list('who-other', page))).toEqual(['ann'])
    })

    test('those whom calls alone have named are at most so many', async () => {
      const { people } = store()
      for (const id of ['a', 'b', 'c', 'a']) await people.add({ tenant: 'many', id, createdAt: t0 }, 2)
      expect(idsOf(await people.list('many', page)).toSorted()).toEqual(['a', 'b'])
      await people.add({ tenant: 'many', id: 'owner', createdAt: t0 })
      expect(await people.get('many', 'owner')).toBeDefined()
    })

    test('lists of connections, subscriptions, runs and files are narrowed to one person', async () => {
      const { connections, subscriptions, runs, files } = store()
      for (const [n, person] of ['ann', 'bea', null].entries()) {
        await connections.add(connection('of', `c${n}`, { person }))
        await subscriptions.add(subscription('of', `s${n}`, { person }))
        await runs.record(run('of', `r${n}`, { person, state: n === 0 ? 'failed' : 'done' }))
        await files.add(file('of', `f${n}`, { person, expiresAt: t0 + day }))
        await files.finish('of', `f${n}`, { mediaType: 'text/plain', sha256: 'ab', expiresAt: t0 + day })
      }
      for (const [person, n] of [
        ['ann', [0]],
        ['bea', [1]],
        ['cem', []],
      ] as const) {
        const withLetter = (letter: string) => n.map((number) => `${letter}${number}`)
        expect((await connections.list('of', { person })).map(({ id }) => id)).toEqual(withLetter('c'))
        expect(idsOf(await subscriptions.list('of', page, { person }))).toEqual(withLetter('s'))
        expect(idsOf(await runs.list('of', page, { person }))).toEqual(withLetter('r'))
        expect(idsOf(await files.list('of', page, t0, person))).toEqual(withLetter('f'))
        expect(await connections.list('of-other', { person })).toEqual([])
        expect((await connections.usableBy('of', person)).toSorted()).toEqual([...withLetter('c'), 'c2'])
        expect(await connections.usableBy('of-other', person)).toEqual([])
        expect(idsOf(await runs.list('of-other', page, { person }))).toEqual([])
      }
      expect(idsOf(await runs.list('of', page, { person: 'ann', state: 'failed' }))).toEqual(['r0'])
      expect(idsOf(await runs.list('of', page, { person: 'bea', state: 'failed' }))).toEqual([])
      expect((await connections.get('of', 'c2'))!.person).toBeNull()
    })

    test('what was attached for a person is known to be theirs after it was removed', async () => {
      const { subscriptions } = store()
      for (const [id, person] of [
        ['s1', 'ann'],
        ['s2', 'bea'],
        ['s3', null],
      ] as const)
        await subscriptions.add(subscription('att', id, { person }))
      await subscriptions.patch('att', 's1', { deletedAt: t0 })
      const attached = [{ id: 's1', connection: subscription('att', 's1').connection }]
      expect(await subscriptions.attachedFor('att', 'ann')).toEqual(attached)
      expect(await subscriptions.attachedFor('att', 'ann', 's1')).toEqual(attached)
      expect(await subscriptions.attachedFor('att', 'ann', 's2')).toEqual([])
      expect(await subscriptions.attachedFor('att-other', 'ann')).toEqual([])
    })

    test('each person, and the workspace, has a default connection of its own', async () => {
      const { connections } = store()
      const defaults = async () =>
        (await connections.list('def'))
          .filter(({ isDefault }) => isDefault)
          .map(({ id }) => id)
          .toSorted()
      for (const [id, person] of [
        ['a1', 'ann'],
        ['b1', 'bea'],
        ['w1', null],
      ] as const)
        await connections.add(connection('def', id, { person, isDefault: true }))
      expect(await defaults()).toEqual(['a1', 'b1', 'w1'])
      await connections.add(connection('def', 'a2', { person: 'ann', isDefault: true }))
      await connections.add(connection('def', 'w2', { person: null }))
      await connections.patch('def', 'w2', { isDefault: true })
      expect(await defaults()).toEqual(['a2', 'b1', 'w2'])
    })

    test('usage and credits of one person are theirs alone', async () => {
      const { runs, credits } = store()
      for (const [n, person] of ['ann', 'ann', 'bea', null].entries()) {
        const [id, at] = [`r${n}`, n === 1 ? t0 - day : t0]
        await runs.record(run('use-of-people', id, { person, createdAt: at, credits: n + 1, creditsEstimated: false }))
        const entry = {
          tenant: 'use-of-people',
          entry: id,
          entryAt: at,
          job: null,
          connection: 'c1',
          integration: 'work-board',
          step: 'create-card',
          token: null,
          person,
        }
        const reserved: LedgerRow = { ...entry, part: 1, kind: 'reserved', credits: 5, estimated: true, at }
        await credits.reserve(reserved)
        await credits.settle({ ...entry, at, charged: n + 1, estimated: 0, unknown: 0 })
      }
      const spentBy = async (person?: string) =>
        (await credits.spent('use-of-people', t0 - 2 * day, person)).map(({ spent, reserved }) => [spent, reserved])
      expect(await spentBy('ann')).toEqual([
        [1, 0],
        [2, 0],
      ])
      expect(await spentBy('bea')).toEqual([[3, 0]])
      expect(await spentBy('cem')).toEqual([])
      expect((await spentBy()).flat().reduce((sum, spent) => sum + spent, 0)).toBe(10)
      const usedBy = async (person?: string) =>
        (person === undefined
          ? await runs.usage('use-of-people', t0 - 2 * day)
          : (await runs.usageOfPeople('use-of-people', t0 - 2 * day, ['ann', 'bea'])).get(person)!
        ).map((row) => [row.runs, row.credits])
      expect(await usedBy('ann')).toEqual([
        [1, 1],
        [1, 2],
      ])
      expect(await usedBy('bea')).toEqual([[1, 3]])
      expect(await usedBy()).toEqual([
        [3, 8],
        [1, 2],
      ])
      const rows = await credits.list('use-of-people', { limit: 50 }, { person: 'bea' })
      expect([...new Set(rows.items.map(({ entry }) => entry))]).toEqual(['r2'])
    })

    test('a budget of a person counts what they spent before it, and refuses theirs alone', async () => {
      const { budgets, credits } = store()
      const entryOf = (entry: string, person: string | null) => ({
        tenant: 'bud',
        entry,
        entryAt: t0,
        job: null,
        connection: 'c1',
        integration: 'work-board',
        step: 'create-card',
        token: null,
        person,
      })
      const reserve = async (entry: string, person: string | null) => {
        const row: LedgerRow = {
          ...entryOf(entry, person),
          part: 1,
          kind: 'reserved',
          credits: 4,
          estimated: true,
          at: t0,
        }
        return (await credits.reserve(row)).fits
      }
      await reserve('r1', 'ann')
      await credits.settle({ ...entryOf('r1', 'ann'), at: t0, charged: 3, estimated: 0, unknown: 0 })
      const budget = {
        tenant: 'bud',
        id: 'b',
        scope: 'person' as const,
        subject: 'ann',
        integration: null,
        credits: 8,
        period: 'day' as const,
        timeZone: 'UTC',
        warnAt: null,
        createdAt: t0,
        updatedAt: t0,
      }
      await budgets.put(budget)
      await budgets.open(budget, { startsAt: t0 - day / 2, endsAt: t0 + day / 2 })
      expect(await budgets.periods('bud', t0)).toMatchObject([{ spent: 3, reserved: 0 }])
      expect([await reserve('r2', 'ann'), await reserve('r3', 'ann')]).toEqual([true, false])
      expect([await reserve('r4', 'bea'), await reserve('r5', null)]).toEqual([true, true])
      expect(await budgets.periods('bud', t0)).toMatchObject([{ spent: 3, reserved: 4 }])
    })
  })
}
