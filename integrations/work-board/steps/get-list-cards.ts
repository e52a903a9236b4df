import { defineStep, path, z } from '#kit'
import { cardRows } from '../card-people.ts'
import * as specs from '../field-specs.ts'
import { boardRef, fields, cursorOf, listId } from '../inputs.ts'
import { readCards } from '../listing.ts'
import { boardScope, lists } from '../options.ts'
import { cards } from '../records.ts'
import { checkScopes } from '../refs.ts'

/** The fields an agent usually needs of a card: about a fifth of the whole record. */
const usual =
  'name,desc,due,start,dueComplete,closed,pos,idBoard,idList,idLabels,idMembers,idChecklists,shortLink,url,dateLastActivity'

type Row = { id: string; [field: string]: unknown }

// The board pages by creation time, so the list's own order, which people see and the description promises, is restored
// here.
const byPlace = (a: Row, b: Row) => Number(a.pos) - Number(b.pos)
const byCreation = (a: Row, b: Row) => (a.id < b.id ? 1 : -1)

const withPos = (fields: string) =>
  fields.split(',').some((name) => name === 'pos' || name === 'all') ? fields : `${fields},pos`

export default defineStep({
  id: 'get-list-cards',
  title: 'Get List Cards',
  group: 'Boards and lists',
  purpose: 'Returns the cards of a list.',
  keywords: ['tasks of a list', 'column', 'backlog', 'list cards'],
  icon: 'list',
  oauthScopes: ['read'],
  effect: 'read',
  listSource: { rows: cardRows },
  input: () =>
    z.strictObject({
      idBoard: boardRef('Board of the list; only narrows the choice of lists.').optional(),
      idList: listId('Id of the list; Get Boards with lists "open" returns it.', 'List', 'The list of the cards.'),
      fields: fields('card', 'name,due,idLabels', { fallback: usual, always: 'id, pos' }),
      filter: z.enum(['open', 'closed', 'all', 'visible']).optional().meta({
        title: 'Filter',
        description: 'Which cards: open, closed (archived), visible (open cards in open lists; the default) or all.',
      }),
      limit: z.int().min(1).max(5000).default(1000).meta({ title: 'Limit', description: 'Maximum number of cards.' }),
      cursor: cursorOf('card').optional(),
    }),
  output: () =>
    z.object({
      cards: cards(
        'The cards: in the order of the list where the answer holds the whole list, else the newest created first.',
      ),
      count: z.int().meta({ description: 'How many cards are in this answer.' }),
      more: z.boolean().meta({ description: 'Whether the list has more cards than this answer and those before it.' }),
      next: z.string().optional().meta({
        description: 'Give it as cursor, with the same other fields, to get the cards that follow. Absent at the end.',
      }),
    }),
  agentFields: [
    ...['id', 'name', 'desc', 'due', 'dueComplete', 'idLabels', 'idMembers', 'url'].map((name) => `cards.${name}`),
    'count',
    'more',
    'next',
  ],
  fields: {
    idBoard: boardScope,
    idList: { options: lists({ boards: ['idBoard'] }), names: 'list' },
    fields: specs.cardFieldNames,
    filter: { labels: specs.whichCards },
  },
  async run(ctx, { idBoard, idList, limit, cursor, ...query }) {
    await checkScopes(ctx, { kind: 'list', ref: idList }, [{ field: 'idBoard', names: 'board', ref: idBoard }])
    const cardQuery = { fields: withPos(query.fields), ...(query.filter === undefined ? {} : { filter: query.filter }) }
    const page = await readCards(ctx, path`/1/lists/${idList}/cards`, {
      limit,
      cursor,
      query: cardQuery,
      onPage: (done) => ctx.progress(done),
    })
    const whole = cursor === undefined && !page.more
    page.cards.sort(whole ? byPlace : byCreation)
    return {
      cards: page.cards,
      count: page.cards.length,
      more: page.more,
      ...(page.next === undefined ? {} : { next: page.next }),
    }
  },
})
