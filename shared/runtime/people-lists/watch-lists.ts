import { failField } from '#kit'
import type { Caller } from '../ports/index.ts'
import { createFindList } from './lists.ts'
import { idPrefix } from './parts.ts'
import type { ListDependencies } from './parts.ts'
import { rowsIn } from './visible-rows.ts'

/** Stored lists as subscriptions watch them. */
export type WatchLists = {
  /**
   * What a subscription stores for a list that its caller names: the name, so that a later list of the same name
   * replaces it, or the id if the list is not for everybody. @throws Failure `not_found`, `conflict`; `invalid_input` at
   * `/config/<field>` for a list of another kind
   */
  resolve(caller: Caller, field: string, idOrName: string, kind: string): Promise<string>
  /** The id of each row, from the first of the columns that has a value; undefined when the list no longer exists. */
  ids(tenant: string, stored: string, columns: readonly string[]): Promise<{ ids: string[]; rows: number } | undefined>
}

const maxIdLength = 255

export const createWatchLists = (
  parts: Pick<ListDependencies, 'store' | 'vault' | 'clock' | 'suppressed'>,
): WatchLists => {
  const { store, clock } = parts
  const find = createFindList(parts)

  const findStored = async (tenant: string, stored: string) => {
    if (stored.startsWith(idPrefix)) return store.peopleLists.get(tenant, stored, clock.now())
    return (await store.peopleLists.byName(tenant, stored, clock.now())).find(({ owner }) => owner === '')
  }

  return {
    async resolve(caller, field, idOrName, kind) {
      const list = await find(caller, idOrName)
      if (list.kind !== kind)
        throw failField(
          `/config/${field}`,
          `The list "${list.name}" has the kind ${list.kind}. Name a list of the kind ${kind}.`,
        )
      return list.owner === '' && !idOrName.startsWith(idPrefix) ? list.name : list.id
    },
    async ids(tenant, stored, columns) {
      const list = await findStored(tenant, stored)
      if (!list) return undefined
      const ids = new Set<string>()
      let rows = 0
      for await (const { values } of rowsIn(parts, list)) {
        rows += 1
        const id = columns.map((column) => values[column]?.trim()).find((value) => value)
        if (id !== undefined && id.length <= maxIdLength) ids.add(id)
      }
      return { ids: [...ids], rows }
    },
  }
}
