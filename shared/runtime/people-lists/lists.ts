import { fail } from '#kit'
import { isOwn } from '../bounds.ts'
import { isBoundToPerson, isForPerson } from '../people/act-for.ts'
import type { Caller, Listed, Page, StoredPeopleList } from '../ports/index.ts'
import type { NewList, PeopleList as PeopleListView, PeopleListRows } from '../../api/resources/people-list.ts'
import { createMakeList } from './make-list.ts'
import type { NewListCall } from './make-list.ts'
import { idPrefix } from './parts.ts'
import type { ListDependencies } from './parts.ts'
import { createRowSeal } from './sealed-rows.ts'
import { withoutSuppressed } from './visible-rows.ts'

export type { NewList, PeopleListRows, PeopleListView }
export type ListRow = PeopleListRows['items'][number]

export type PeopleLists = {
  /**
   * Stores a list; people on the suppression list are left out. A repeat with the same idempotency key returns the same
   * list. @throws Failure `invalid_input`, `too_large`, `not_found`, `not_allowed` (too many lists), `conflict` (its name
   * is taken, or its key belongs to another request); nothing is stored then
   */
  create(caller: Caller, newList: NewListCall): Promise<PeopleListView & { suppressed: number }>
  list(caller: Caller, page: Page, filter?: { person?: string }): Promise<Listed<PeopleListView>>
  /** A list, by its id or name, and a page of its rows. @throws Failure `not_found`; `conflict` for several of a name */
  get(caller: Caller, list: string, page?: Partial<Page>): Promise<PeopleListRows>
  remove(caller: Caller, list: string): Promise<void>
}

export const viewList = (list: StoredPeopleList, rows: number): PeopleListView => ({
  id: list.id,
  name: list.name,
  kind: list.kind,
  columns: list.columnNames,
  rows,
  source: list.source,
  person: list.person,
  createdAt: new Date(list.createdAt).toISOString(),
  expiresAt: new Date(list.expiresAt).toISOString(),
})

/** @throws Failure `not_found`; `conflict` where several lists that the caller sees have the name */
export const createFindList =
  ({ store, clock }: Pick<ListDependencies, 'store' | 'clock'>) =>
  async (caller: Caller, idOrName: string): Promise<StoredPeopleList> => {
    const { tenant } = caller
    const byId = idOrName.startsWith(idPrefix) ? await store.peopleLists.get(tenant, idOrName, clock.now()) : undefined
    const candidates = byId ? [byId] : await store.peopleLists.byName(tenant, idOrName.trim(), clock.now())
    const [list, ...duplicates] = candidates.filter((candidate) => isOwn(caller, candidate))
    if (!list)
      throw fail(
        'not_found',
        `There is no list "${idOrName.slice(0, 100)}", or it has expired. GET /v1/people-lists shows the lists.`,
      )
    if (duplicates.length > 0)
      throw fail(
        'conflict',
        `Several lists are named "${list.name}". Give the id of one: ${[list, ...duplicates].map(({ id }) => id).join(', ')}.`,
      )
    return list
  }

const readCursor = (cursor: string | undefined): number | undefined => {
  if (cursor === undefined) return undefined
  if (!/^\d{1,6}$/.test(cursor))
    throw fail('invalid_input', 'cursor is not one that this list returned; omit it to start at the first row.')
  return Number(cursor)
}

export const createPeopleLists = (parts: ListDependencies): PeopleLists => {
  const { store, vault, clock } = parts
  const find = createFindList(parts)
  const make = createMakeList(parts)
  const view = async (list: StoredPeopleList) => viewList(list, await store.peopleLists.count(list.tenant, list.id))

  return {
    async create(requestedBy, newList) {
      const list = await make(requestedBy, newList)
      return { ...(await view(list)), suppressed: list.leftOut ?? 0 }
    },
    async list(caller, page, { person } = {}) {
      if (person !== undefined && !isForPerson(caller, { person })) return { items: [] }
      const own = isBoundToPerson(caller) ? caller.person : person
      const { items, ...paging } = await store.peopleLists.list(caller.tenant, page, clock.now(), own)
      return { items: await Promise.all(items.filter((list) => isOwn(caller, list)).map(view)), ...paging }
    },
    async get(caller, idOrName, { limit = 50, cursor } = {}) {
      const list = await find(caller, idOrName)
      const { tenant, id } = list
      const stored = await store.peopleLists.rows(tenant, id, limit + 1, { after: readCursor(cursor) })
      const seal = createRowSeal(vault, list)
      const items = stored.slice(0, limit).map((row): ListRow => ({
        row: row.at + 1,
        values: seal.open(row),
        checkedAt: row.checkedAt === null ? null : new Date(row.checkedAt).toISOString(),
      }))
      const more = stored.length > limit ? { next: String(stored[limit - 1]!.at) } : {}
      // Somebody may have been suppressed since.
      return { ...(await view(list)), items: await withoutSuppressed(parts, list, items), ...more }
    },
    async remove(caller, idOrName) {
      const { tenant, id } = await find(caller, idOrName)
      await store.peopleLists.remove(tenant, id)
    },
  }
}
