import { defineStep, path, readRows, z } from '#kit'
import { cursorOf } from '../inputs.ts'
import { comments } from '../records.ts'
import { cardFields, cardInput, checkCard } from '../scoped-card.ts'

export default defineStep({
  id: 'get-comments',
  title: 'Get Comments',
  group: 'Comments',
  purpose: 'Returns the comments of a card, newest first.',
  keywords: ['discussion', 'notes', 'replies', 'read comments'],
  icon: 'comment',
  oauthScopes: ['read'],
  effect: 'read',
  input: () =>
    z.strictObject({
      ...cardInput(),
      limit: z.int().min(1).max(1000).default(50).meta({ title: 'Limit', description: 'Maximum number of comments.' }),
      cursor: cursorOf('comment').optional(),
    }),
  output: () =>
    z.object({
      comments: comments('The comments, newest first.'),
      count: z.int().meta({ description: 'How many comments are in this answer.' }),
      next: z.string().optional().meta({ description: 'Give it as cursor to get those before. Absent at the end.' }),
    }),
  agentFields: [
    ...['id', 'date', 'data.text', 'memberCreator.id', 'memberCreator.fullName'].map((name) => `comments.${name}`),
    'count',
    'next',
  ],
  fields: cardFields,
  async run(ctx, { limit, cursor, ...card }) {
    await checkCard(ctx, card)
    const query = { filter: 'commentCard', limit, ...(cursor === undefined ? {} : { before: cursor }) }
    const rows = readRows(
      await ctx.send({ method: 'GET', path: path`/1/cards/${card.idCard}/actions`, query }),
      'comments',
    )
    const last = rows.at(-1)
    // A full page may be followed by another; the board does not say.
    return { comments: rows, count: rows.length, ...(rows.length === limit && last ? { next: last.id } : {}) }
  },
})
