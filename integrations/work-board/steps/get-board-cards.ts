import { defineStep, path, z } from '#kit'
import { cardRows } from '../card-people.ts'
import * as specs from '../field-specs.ts'
import { boardOrDefault, fields, cursorOf } from '../inputs.ts'
import { readCards } from '../listing.ts'
import { boards } from '../options.ts'
import { cards } from '../records.ts'

const usual =
  'name,desc,due,start,dueComplete,closed,pos,idBoard,idList,idLabels,idMembers,idChecklists,shortLink,url,dateLastActivity'

export default defineStep({
  id: 'get-board-cards',
  title: 'Get Board Cards',
  group: 'Boards and lists',
  purpose: 'Returns the cards of a board, the newest first.',
  keywords: ['all tasks', 'all cards', 'project tasks'],
  icon: 'list',
  oauthScopes: ['read'],
  effect: 'read',
  listSource: { rows: cardRows },
  input: () =>
    z.strictObject({
      idBoard: boardOrDefault(),
      fields: fields('card', 'name,due,idLabels', { fallback: usual }),
      filter: z.enum(['visible', 'open', 'closed', 'all']).default('visible').meta({
        title: 'Filter',
        description: 'Which cards: open ones in open lists (visible), open, closed (archived) or all.',
      }),
      limit: z.int().min(1).max(5000).default(200).meta({ title: 'Limit', description: 'Maximum number of cards.' }),
      cursor: cursorOf('card').optional(),
    }),
  output: () =>
    z.object({
      cards: cards('The cards, the newest created first.'),
      count: z.int().meta({ description: 'How many cards are in this answer.' }),
      more: z.boolean().meta({ description: 'Whether the board has more cards than this answer and those before it.' }),
      next: z.string().optional().meta({
        description: 'Give it as cursor, with the same other fields, to get the cards that follow. Absent at the end.',
      }),
    }),
  agentFields: [
    ...['id', 'name', 'desc', 'due', 'dueComplete', 'idList', 'idLabels', 'idMembers', 'url'].map(
      (name) => `cards.${name}`,
    ),
    'count',
    'more',
    'next',
  ],
  container: 'idBoard',
  fields: {
    idBoard: { options: boards, names: 'board', accepts: 'id-or-url' },
    fields: specs.cardFieldNames,
    filter: { labels: specs.whichCards },
  },
  async run(ctx, { idBoard, limit, cursor, filter, fields: requestedFields }) {
    const page = await readCards(ctx, path`/1/boards/${idBoard}/cards`, {
      limit,
      cursor,
      query: { filter, fields: requestedFields },
      onPage: (done) => ctx.progress(done),
    })
    page.cards.sort((a, b) => (a.id < b.id ? 1 : -1))
    return {
      cards: page.cards,
      count: page.cards.length,
      more: page.more,
      ...(page.next === undefined ? {} : { next: page.next }),
    }
  },
})
