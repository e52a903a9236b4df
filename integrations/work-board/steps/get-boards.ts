import { defineStep, failField, path, readRows, z } from '#kit'
import * as specs from '../field-specs.ts'
import { fields, cursorOf } from '../inputs.ts'
import { boards as boardList } from '../records.ts'

/** Fields returned by default: a whole record is about 5 kB, most of it settings. */
const usual = 'name,desc,closed,idOrganization,url,shortLink,dateLastActivity'

export default defineStep({
  id: 'get-boards',
  title: 'Get Boards',
  group: 'Boards and lists',
  purpose: 'Returns the boards of the account, with their lists if requested.',
  keywords: ['list boards', 'projects', 'workspaces', 'board ids', 'lists', 'my boards', 'kanban boards'],
  icon: 'board',
  oauthScopes: ['read'],
  effect: 'read',
  input: () =>
    z.strictObject({
      filter: z.enum(['open', 'closed', 'all', 'members', 'organization', 'public', 'starred']).default('open').meta({
        title: 'Filter',
        description: 'Which boards.',
      }),
      fields: fields('board', 'name,url', { fallback: usual }),
      lists: z
        .enum(['none', 'open', 'closed', 'all'])
        .default('none')
        .meta({ title: 'Lists', description: 'Which lists of each board to include.' }),
      limit: z.int().min(1).max(1000).default(100).meta({ title: 'Limit', description: 'Maximum number of boards.' }),
      cursor: cursorOf('board').optional(),
    }),
  output: () =>
    z.object({
      boards: boardList('The boards in the order of the provider.'),
      count: z.int().meta({ description: 'How many boards are in this answer.' }),
      more: z.boolean().meta({ description: 'Whether there are more boards than in this answer and those before it.' }),
      next: z.string().optional().meta({
        description: 'Give it as cursor, with the same other fields, to get the boards that follow. Absent at the end.',
      }),
    }),
  agentFields: [
    ...['id', 'name', 'closed', 'url', 'lists.id', 'lists.name', 'lists.closed'].map((name) => `boards.${name}`),
    'count',
    'more',
    'next',
  ],
  fields: { filter: { labels: specs.whichBoards }, fields: specs.boardFieldNames, lists: { labels: specs.whichLists } },
  async run(ctx, { filter, fields: requestedFields, lists, limit, cursor }) {
    const query = { filter, fields: requestedFields, ...(lists === 'none' ? {} : { lists }) }
    // The provider has no paging here: it returns all boards, from which the requested page is cut.
    const all = readRows(await ctx.send({ method: 'GET', path: path`/1/members/me/boards`, query }), 'boards')
    const from = cursor === undefined ? 0 : all.findIndex((row) => row.id === cursor) + 1
    if (cursor !== undefined && from === 0)
      throw failField(
        'cursor',
        `The board ${cursor} is no longer among these boards, so there is no place to continue. Start again without cursor.`,
      )
    const boards = all.slice(from, from + limit)
    const more = from + boards.length < all.length
    const last = boards.at(-1)
    return { boards, count: boards.length, more, ...(more && last ? { next: last.id } : {}) }
  },
})
