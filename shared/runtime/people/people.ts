import { LRUCache } from 'lru-cache'
import { describeDefect, fail } from '#kit'
import type { Budget } from '../../api/resources/budget.ts'
import type { Connection as ConnectionView } from '../../api/resources/connection.ts'
import type { Person as PersonView } from '../../api/resources/person.ts'
import type { Caller, Clock, Listed, Log, Page, Person, Store, UsageRow } from '../ports/index.ts'
import { isBoundToPerson } from './act-for.ts'

export type { PersonView }

export type People = {
  /** Adds to a caller that is bound to a person the connections that this person may use. */
  withUsable(caller: Caller): Promise<Caller>
  /** Remembers that a person exists; returns at once, and says nothing when that fails. */
  note(tenant: string, person: string): void
  /** The same for a person whom a call has named. A tenant has only so many of them, since nothing else bounds them. */
  noteNamed(tenant: string, person: string): void
  isKnown(tenant: string, person: string): Promise<boolean>
}

const maxNamed = 100_000

/** Bounded by `maxSize`, because a cache bounded by `max` allocates room for all entries at once. */
const bounded = { maxSize: 10_000, sizeCalculation: () => 1 }

type PeopleDependencies = { store: Pick<Store, 'connections' | 'people'>; clock: Pick<Clock, 'now'>; log: Log }

export const createPeople = ({ store, clock, log }: PeopleDependencies): People => {
  /** `named`: handed to the store, which may have had no room. */
  const known = new LRUCache<string, 'stored' | 'named'>(bounded)
  const nameOf = (tenant: string, person: string) => `${tenant}\n${person}`
  const add = async (tenant: string, person: string, max: number | undefined) => {
    // With a bound, adding counts all that there are.
    if (max !== undefined && (await store.people.get(tenant, person))) return
    await store.people.add({ tenant, id: person, createdAt: clock.now() }, max)
  }
  const note = (tenant: string, person: string, max?: number) => {
    const name = nameOf(tenant, person)
    const former = known.get(name)
    if (former === 'stored' || (former === 'named' && max !== undefined)) return
    known.set(name, max === undefined ? 'stored' : 'named')
    add(tenant, person, max).catch((error: unknown) => {
      known.delete(name)
      log('warn', 'person.not_noted', describeDefect(error))
    })
  }
  return {
    async withUsable(caller) {
      if (!isBoundToPerson(caller)) return caller
      return { ...caller, usable: await store.connections.usableBy(caller.tenant, caller.person!) }
    },
    note,
    noteNamed: (tenant, person) => note(tenant, person, maxNamed),
    async isKnown(tenant, person) {
      const name = nameOf(tenant, person)
      if (known.get(name) === 'stored') return true
      if (!(await store.people.get(tenant, person))) return false
      known.set(name, 'stored')
      return true
    },
  }
}

export type PeopleList = {
  /** Newest first. A caller that is bound to a person sees that person alone. */
  list(caller: Caller, page: Page): Promise<Listed<PersonView>>
  /** @throws Failure `not_found` */
  get(caller: Caller, id: string): Promise<PersonView>
}

type PeopleListDependencies = {
  store: Pick<Store, 'people'>
  connections(caller: Caller, filter: { person?: string }): Promise<ConnectionView[]>
  budgets(caller: Caller): Promise<{ items: Budget[] }>
  usage(caller: Caller, days: number, people: string[]): Promise<Map<string, UsageRow[]>>
}

const usedDays = 30

const sumOf = (rows: UsageRow[]) => {
  const sum = { days: usedDays, runs: 0, failed: 0, calls: 0, credits: 0 }
  for (const { runs, failed, calls, credits } of rows) {
    sum.runs += runs
    sum.failed += failed
    sum.calls += calls
    sum.credits += credits
  }
  return sum
}

const connectionOf = ({ id, integration, name, state, isDefault }: ConnectionView) => ({
  id,
  integration,
  name,
  state,
  isDefault,
})

/** People with their connections, limits and use. */
export const createPeopleList = ({ store, connections, budgets, usage }: PeopleListDependencies): PeopleList => {
  /** What there is is read once for all of a page. */
  const views = async (caller: Caller, people: Person[]): Promise<PersonView[]> => {
    if (people.length === 0) return []
    const ids = people.map(({ id }) => id)
    const [rows, { items }, used] = await Promise.all([
      connections(caller, ids.length === 1 ? { person: ids[0]! } : {}),
      budgets(caller),
      usage(caller, usedDays, ids),
    ])
    const connectionsOf = Map.groupBy(rows, ({ person }) => person)
    const budgetsOf = Map.groupBy(
      items.filter(({ scope }) => scope === 'person'),
      ({ subject }) => subject,
    )
    return people.map(({ id, createdAt }) => ({
      id,
      connections: (connectionsOf.get(id) ?? []).map(connectionOf),
      budgets: budgetsOf.get(id) ?? [],
      usage: sumOf(used.get(id) ?? []),
      createdAt: new Date(createdAt).toISOString(),
    }))
  }
  const find = async (caller: Caller, id: string): Promise<Person | undefined> =>
    isBoundToPerson(caller) && caller.person !== id ? undefined : store.people.get(caller.tenant, id)

  return {
    async list(caller, page) {
      if (isBoundToPerson(caller)) {
        const person = await find(caller, caller.person!)
        return { items: await views(caller, person ? [person] : []) }
      }
      const { items, next } = await store.people.list(caller.tenant, page)
      return { items: await views(caller, items), ...(next === undefined ? {} : { next }) }
    },
    async get(caller, id) {
      const person = await find(caller, id)
      if (!person) throw fail('not_found', `There is no person "${id.slice(0, 60)}".`)
      return (await views(caller, [person]))[0]!
    },
  }
}
