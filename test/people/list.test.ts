import { expect, it } from 'vitest'
import { createPeopleList } from '../../shared/runtime/people/people.ts'

it('a page of people reads connections, budgets and usage once each', async () => {
  const asked: string[] = []
  const noted = (what: string, value: unknown) => {
    asked.push(what)
    return value as never
  }
  const rowOf = (person: string | null, name: string) => ({ id: name, integration: 'i', name, person })
  const people = createPeopleList({
    store: {
      people: {
        list: async () => ({ items: ['ann', 'bea', 'cem'].map((id) => ({ tenant: 't', id, createdAt: 0 })) }),
      } as never,
    },
    connections: async () => noted('connections', [rowOf('bea', 'b'), rowOf(null, 'shared'), rowOf('ann', 'a')]),
    budgets: async () =>
      noted('budgets', {
        items: [
          { id: 'b1', scope: 'person', subject: 'ann' },
          { id: 'b2', scope: 'token', subject: 'bea' },
        ],
      }),
    usage: async (_caller, _days, ids) => {
      expect(ids).toEqual(['ann', 'bea', 'cem'])
      return noted('usage', new Map([['cem', [{ runs: 2, failed: 1, calls: 3, credits: 4 }]]]))
    },
  })
  const { items } = await people.list({ tenant: 't' }, { limit: 50 })
  expect(asked.toSorted()).toEqual(['budgets', 'connections', 'usage'])
  expect(
    items.map(({ id, connections, budgets, usage }) => [id, connections.length, budgets.length, usage.runs]),
  ).toEqual([
    ['ann', 1, 1, 0],
    ['bea', 1, 0, 0],
    ['cem', 0, 0, 2],
  ])
  expect(items[0]!.connections[0]!.name).toBe('a')
})
