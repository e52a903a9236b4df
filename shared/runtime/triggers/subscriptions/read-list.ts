import { failField, watchedList } from '#kit'
import type { Json, Trigger } from '#kit'
import type { WatchLists } from '../../people-lists/watch-lists.ts'
import type { Caller } from '../../ports/index.ts'
import { modelName } from '../match-index.ts'

/** `watched`: the models to watch, where they are read from a stored list. */
export type PreparedConfig = { config: Record<string, Json>; watched: string[] | null }

/** Reads the stored list that a config names. @throws Failure that names the field */
export const createReadList =
  (watchLists: WatchLists) =>
  async (caller: Caller, { within }: Trigger, config: Record<string, Json>): Promise<PreparedConfig> => {
    const named = watchedList(within, config)
    if (named === undefined) return { config, watched: null }
    const { kind, list } = within!
    const { field, columns } = list!
    const stored = await watchLists.resolve(caller, field, named, kind)
    const read = await watchLists.ids(caller.tenant, stored, columns)
    if (!read || read.ids.length === 0)
      throw failField(
        `/config/${field}`,
        `No row of the list "${named}" has the provider's id in the column ${columns.join(' or ')}. Make the list from a search, or look up its rows with a job that writes the id.`,
      )
    return { config: { ...config, [field]: stored }, watched: read.ids.map((id) => modelName({ kind, id })) }
  }
