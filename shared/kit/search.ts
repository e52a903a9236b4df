import * as z from 'zod'
import { atRows, joinRows } from './filter-rows.ts'
import type { FilterFields, FilterRow } from './filter-rows.ts'
import type { NextLookups } from './lookup.ts'
import type { StepContext } from './step.ts'

/** Input fields of a search; `searchOutput` describes its pages. */
export const pageLimit = () =>
  z.int().min(1).max(1000).optional().meta({
    title: 'Limit',
    description: 'Maximum number of results. Where the provider has no pages, the rest of its answer is dropped.',
  })
export const pageCursor = () =>
  z.string().min(1).max(2000).optional().meta({
    title: 'Cursor',
    description: 'Where the next page begins; “Next page” fills it in.',
    agentDescription: '"next" of the previous result; leave the other fields unchanged.',
  })

type SearchQuery = {
  limit?: number | undefined
  cursor?: string | undefined
  filters?: FilterRow[] | undefined
  [filter: string]: unknown
}

/**
 * One page of a profile endpoint in the form of `searchOutput`. Every field besides `limit`, `cursor` and `filters`,
 * which holds rows, is a filter. `fields`: those that rows may name. `followedBy`: lookups of what is found.
 */
export const searchPage = async (
  ctx: Pick<StepContext, 'search'>,
  endpoint: string,
  { limit, cursor, filters = [], ...others }: SearchQuery,
  fields: FilterFields = {},
  followedBy?: NextLookups,
) => {
  const { values, places } = joinRows(fields, filters, others)
  const page = await ctx
    .search(endpoint, values, {
      ...(limit === undefined ? {} : { limit }),
      ...(cursor === undefined ? {} : { cursor }),
      ...(followedBy === undefined ? {} : { followedBy }),
    })
    .catch((thrown: unknown) => {
      throw atRows(thrown, places)
    })
  return {
    results: page.records,
    count: page.records.length,
    ...(page.total === undefined ? {} : { total: page.total }),
    ...(page.next === undefined ? {} : { next: page.next }),
    ...(page.searchId === undefined ? {} : { searchId: page.searchId }),
  }
}
