import { path, readRow } from '#kit'
import type { StepContext } from '#kit'

/** The id of the connected account. The board takes no `me` where a request names who votes. */
export const ownId = async (ctx: StepContext): Promise<string> =>
  readRow(await ctx.send({ method: 'GET', path: path`/1/members/me`, query: { fields: 'id' } }), 'a member').id
