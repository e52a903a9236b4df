import * as z from 'zod'
import type { StepContext } from './step.ts'

/** Inputs of a search, beside what `searchOutput` says of a page. */
export const pageLimit = () =>
  z.int().min(1).max(1000).optional().meta({
    title: 'Limit',
    description: 'At most so many results; the rest of what the provider answers is left out where it has no pages.',
  })
export const pageCursor = () =>
  z.string().min(1).max(2000).optional().meta({ title: 'Cursor', description: 'The "next" of an earlier answer; give the same other fields.' })

type Asked = { limit?: number | undefined; cursor?: string | undefined; [filter: string]: unknown }

/** One page of a profile endpoint in the form of `searchOutput`: everything asked for besides `limit` and `cursor` is a filter. */
export const searchPage = async (ctx: Pick<StepContext, 'search'>, endpoint: string, { limit, cursor, ...filters }: Asked) => {
  const page = await ctx.search(endpoint, filters, { ...(limit === undefined ? {} : { limit }), ...(cursor === undefined ? {} : { cursor }) })
  return {
    results: page.records,
    count: page.records.length,
    ...(page.total === undefined ? {} : { total: page.total }),
    ...(page.next === undefined ? {} : { next: page.next }),
    ...(page.searchId === undefined ? {} : { searchId: page.searchId }),
  }
}
