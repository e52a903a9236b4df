import { boundedText, defineStep, given, path, readRows, z } from '#kit'
import { listOutput } from '../outputs.ts'
import { boardRef } from '../inputs.ts'
import { boards } from '../options.ts'
import { members } from '../records.ts'
import { resolveId } from '../refs.ts'

export default defineStep({
  id: 'search-members',
  title: 'Search Members',
  group: 'Members',
  purpose: 'Finds people with an account at the provider by name, username or e-mail address.',
  keywords: ['find person', 'find user', 'member id', 'who is'],
  icon: 'person-search',
  oauthScopes: ['read'],
  effect: 'read',
  input: () =>
    z.strictObject({
      query: boundedText('Search for', 'Name, username or e-mail address.', { min: 1, max: 1000, by: 'the board' }),
      idBoard: boardRef('Only members of this board.').optional(),
      limit: z
        .int()
        .min(1)
        .max(20)
        .default(8)
        .meta({ title: 'Limit', description: 'Maximum number of people; the board gives at most 20.' }),
    }),
  output: () => listOutput('members', members('The people found, the best match first.')),
  agentFields: [...['id', 'fullName', 'username'].map((name) => `members.${name}`), 'count'],
  fields: { query: { placeholder: 'Mara Quill' }, idBoard: { options: boards, names: 'board', accepts: 'id-or-url' } },
  async run(ctx, { query, idBoard, limit }) {
    const memberQuery = given({
      query,
      limit,
      idBoard: idBoard === undefined ? undefined : await resolveId(ctx, 'board', idBoard),
    })
    const rows = readRows(
      await ctx.send({ method: 'GET', path: path`/1/search/members`, query: memberQuery }),
      'members',
    )
    return { members: rows, count: rows.length }
  },
})
