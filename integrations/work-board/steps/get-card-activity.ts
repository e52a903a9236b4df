import { defineStep, moment, path, readRows, z } from '#kit'
import { idOf } from '../inputs.ts'
import { actions } from '../records.ts'
import { cardFields, cardInput, checkCard } from '../scoped-card.ts'
import { typesField } from '../watch-fields.ts'

export default defineStep({
  id: 'get-card-activity',
  title: 'Get Card Activity',
  group: 'Cards',
  purpose: 'Returns what happened to a card, newest first: who changed what and when.',
  keywords: ['history', 'audit', 'changes', 'log', 'what happened', 'who changed'],
  icon: 'activity',
  oauthScopes: ['read'],
  effect: 'read',
  input: () =>
    z.strictObject({
      ...cardInput(),
      types: z
        .array(z.string().regex(/^[A-Za-z]+(:[A-Za-z]+)?$/))
        .min(1)
        .max(50)
        .optional()
        .meta({
          title: 'Types',
          description: 'Kinds of actions, such as commentCard or updateCard:idList (moves); all by default.',
        }),
      since: moment('Since', 'Only what happened after this.').optional(),
      limit: z.int().min(1).max(1000).default(50).meta({ title: 'Limit', description: 'Maximum number of actions.' }),
      cursor: idOf('action', 'Cursor', '"next" of the previous result.').optional(),
    }),
  output: () =>
    z.object({
      actions: actions(
        'The actions, newest first. Changes of labels and checklist items are not among them: the board keeps no history of these.',
      ),
      count: z.int().meta({ description: 'How many are in this answer.' }),
      next: z.string().optional().meta({ description: 'Give it as cursor to get those before. Absent at the end.' }),
    }),
  agentFields: [
    ...['id', 'type', 'date', 'data', 'memberCreator.id', 'memberCreator.fullName'].map((name) => `actions.${name}`),
    'count',
    'next',
  ],
  fields: { ...cardFields, since: { placeholder: '2026-03-01T00:00:00Z' }, types: { ...typesField, rare: true } },
  async run(ctx, { types, since, limit, cursor, ...card }) {
    await checkCard(ctx, card)
    const query = {
      filter: types?.join(',') ?? 'all',
      limit,
      ...(since === undefined ? {} : { since }),
      ...(cursor === undefined ? {} : { before: cursor }),
    }
    const rows = readRows(
      await ctx.send({ method: 'GET', path: path`/1/cards/${card.idCard}/actions`, query }),
      'actions',
    )
    const last = rows.at(-1)
    // A full page may be followed by another; the board does not say.
    return { actions: rows, count: rows.length, ...(rows.length === limit && last ? { next: last.id } : {}) }
  },
})
