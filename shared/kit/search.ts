import * as z from 'zod'
import type { StepContext } from './step.ts'

/** Input fields of a search; `searchOutput` describes its pages. */
export const pageLimit = () =>
  z.int().min(1).max(1000).optional().meta({
    title: 'Limit',
    description: 'Maximum number of results. Where the provider has no pages, the rest of its answer is dropped.',
  })
export const pageCursor = () =>
  z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .meta({ title: 'Cursor', description: '"next" of the previous result; leave the other fields unchanged.' })

type SearchQuery = { limit?: number | undefined; cursor?: string | undefined; [filter: string]: unknown }

/**
 * One page of a profile endpoint in the form of `searchOutput`. Every field besides `limit` and `cursor` is a filter.
 */
export const searchPage = async (
  ctx: Pick<StepContext, 'search'>,
  endpoint: string,
  { limit, cursor, ...filters }: SearchQuery,
) => {
  const page = await ctx.search(endpoint, filters, {
    ...(limit === undefined ? {} : { limit }),
    ...(cursor === undefined ? {} : { cursor }),
  })
  return {
    results: page.records,
    count: page.records.length,
    ...(page.total === undefined ? {} : { total: page.total }),
    ...(page.next === undefined ? {} : { next: page.next }),
    ...(page.searchId === undefined ? {} : { searchId: page.searchId }),
  }
}
