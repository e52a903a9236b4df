import { boundedText, defineStep, fail, given, path, z } from '#kit'
import * as specs from '../field-specs.ts'
import { boardRef } from '../inputs.ts'
import { boards as boardChoices } from '../options.ts'
import { boards, cards, members } from '../records.ts'
import { resolveId } from '../refs.ts'

const kinds = ['cards', 'boards', 'members'] as const
const requestedCardFields = 'name,desc,due,dueComplete,closed,idBoard,idList,idLabels,idMembers,url'
const spans = ['day', 'week', 'month'] as const

/**
 * The value of a search operator, quoted if it contains spaces. Quotes inside the value would end it, so they are
 * removed.
 */
const quoted = (value: string) => (/\s/.test(value) ? `"${value.replaceAll('"', '')}"` : value.replaceAll('"', ''))
const operator = (name: string, value: string | undefined) => (value === undefined ? [] : [`${name}:${quoted(value)}`])

const span = (title: string, description: string) => z.enum(spans).optional().meta({ title, description })
const short = (title: string, description: string) =>
  boundedText(title, description, { min: 1, max: 300, by: 'the board' })

export default defineStep({
  id: 'search',
  title: 'Search',
  group: 'Search',
  purpose:
    'Searches cards, boards and members by words and properties. New cards may be missing for some seconds; Find Card sees them at once.',
  keywords: [
    'find card',
    'find task',
    'look for',
    'full text',
    'overdue cards',
    'overdue',
    'due this week',
    'due soon',
    'my cards',
    'my tasks',
    'assigned to me',
  ],
  icon: 'card',
  oauthScopes: ['read'],
  effect: 'read',
  input: () =>
    z.strictObject({
      query: boundedText('Words', "Words to search for; the board's search operators work too.", {
        min: 1,
        max: 10_000,
        by: 'the board',
      }).optional(),
      kinds: z
        .array(z.enum(kinds))
        .min(1)
        .max(3)
        .default(['cards'])
        .meta({ title: 'Kinds', description: 'What to search.' }),
      idBoard: boardRef('Only this board.').optional(),
      list: short('List', 'Name of the list of the cards.').optional(),
      label: short('Label', 'Name or colour of a label of the cards.').optional(),
      member: short('Member', 'Username of a member of the cards, or "me".').optional(),
      state: z
        .enum(['open', 'archived'])
        .optional()
        .meta({ title: 'State', description: 'Only open or only archived cards; both by default.' }),
      due: z
        .enum([...spans, 'overdue'])
        .optional()
        .meta({ title: 'Due', description: 'Due within a day, week or month, or overdue.' }),
      created: span('Created', 'Created within the last day, week or month.'),
      edited: span('Edited', 'Changed within the last day, week or month.'),
      has: z
        .array(z.enum(['attachments', 'cover', 'description', 'members', 'stickers']))
        .max(5)
        .optional()
        .meta({ title: 'Has', description: 'Parts that the cards must have.' }),
      sort: z
        .enum(['created', 'edited', 'due'])
        .optional()
        .meta({ title: 'Order', description: 'Order of the cards; the best match first by default.' }),
      partial: z.boolean().default(true).meta({
        title: 'Beginnings of words',
        description: 'Whether a word also finds longer words that begin with it.',
      }),
      limit: z
        .int()
        .min(1)
        .max(1000)
        .default(20)
        .meta({ title: 'Limit', description: 'Maximum number of results of each kind.' }),
      page: z.int().min(0).max(100).default(0).meta({ title: 'Page', description: 'Page of the cards, from 0.' }),
    }),
  output: () =>
    z.object({
      cards: cards('Cards found.').optional(),
      boards: boards('Boards found.').optional(),
      members: members('Members found.').optional(),
      more: z.boolean().meta({ description: 'Whether the next page may have more cards.' }),
    }),
  agentFields: [
    ...['id', 'name', 'due', 'closed', 'idBoard', 'idList', 'url'].map((name) => `cards.${name}`),
    ...['id', 'name', 'url', 'closed'].map((name) => `boards.${name}`),
    ...['id', 'fullName', 'username'].map((name) => `members.${name}`),
    'more',
  ],
  fields: {
    query: { placeholder: 'printer proof' },
    kinds: { labels: { cards: 'Cards', boards: 'Boards', members: 'Members' } },
    idBoard: { options: boardChoices, names: 'board', accepts: 'id-or-url' },
    list: { placeholder: 'In progress' },
    label: { placeholder: 'Urgent' },
    member: { placeholder: 'me' },
    state: { labels: { open: 'Open', archived: 'Archived' } },
    due: { labels: { ...specs.spans, overdue: 'Overdue' } },
    created: { labels: specs.spans },
    edited: { labels: specs.spans },
    has: {
      labels: {
        attachments: 'Attachments',
        cover: 'Cover',
        description: 'Description',
        members: 'Members',
        stickers: 'Stickers',
      },
    },
    sort: { labels: { created: 'Created', edited: 'Changed', due: 'Due date' }, rare: true },
    partial: { rare: true },
    page: { rare: true },
  },
  async run(
    ctx,
    {
      query,
      kinds: requestedKinds,
      idBoard,
      list,
      label,
      member,
      state,
      due,
      created,
      edited,
      has = [],
      sort,
      partial,
      limit,
      page,
    },
  ) {
    const words = [
      ...(query === undefined ? [] : [query]),
      ...operator('list', list),
      ...operator('label', label),
      ...(member === undefined ? [] : [`@${quoted(member.replace(/^@/, ''))}`]),
      ...operator('is', state),
      ...operator('due', due),
      ...operator('created', created),
      ...operator('edited', edited),
      ...has.flatMap((property) => operator('has', property)),
      ...operator('sort', sort),
    ].join(' ')
    if (words === '')
      throw fail(
        'invalid_input',
        'Nothing to search for is given. Give query, or a property such as label, member or due.',
      )
    const asks = (kind: (typeof kinds)[number]) => requestedKinds.includes(kind)
    const answer = (await ctx.send({
      method: 'GET',
      path: path`/1/search`,
      query: given({
        query: words,
        modelTypes: requestedKinds.join(','),
        partial,
        idBoards: idBoard === undefined ? undefined : await resolveId(ctx, 'board', idBoard),
        ...(asks('cards') ? { card_fields: requestedCardFields, cards_limit: limit, cards_page: page } : {}),
        ...(asks('boards') ? { board_fields: 'name,desc,closed,url,shortLink', boards_limit: limit } : {}),
        ...(asks('members') ? { member_fields: 'fullName,username', members_limit: limit } : {}),
      }),
    })) as { [kind: string]: unknown } | null
    const results = Object.fromEntries(requestedKinds.map((kind) => [kind, answer?.[kind] ?? []]))
    const cardRows = results['cards']
    return { ...results, more: Array.isArray(cardRows) && cardRows.length === limit }
  },
})
