import type { StepContext } from '#kit'

type Given = { limit?: number | undefined; cursor?: string | undefined; [filter: string]: unknown }

/** One page of a search in the form of its output. */
export const searchPage = async (ctx: StepContext, endpoint: string, { limit, cursor, ...filters }: Given) => {
  const page = await ctx.search(endpoint, filters, { ...(limit === undefined ? {} : { limit }), ...(cursor === undefined ? {} : { cursor }) })
  return {
    results: page.records,
    count: page.records.length,
    ...(page.total === undefined ? {} : { total: page.total }),
    ...(page.next === undefined ? {} : { next: page.next }),
  }
}
