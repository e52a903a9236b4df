import { defineStep, flag, path, readRow, z } from '#kit'
import type { Query } from '#kit'
import * as specs from '../field-specs.ts'
import { fields } from '../inputs.ts'
import { cardFields as cardAgentFields, cardWithParts } from '../records.ts'
import { cardFields, cardInput, checkCard } from '../scoped-card.ts'

/** Our input switches, with the query and the name by which the board returns each part. */
const parts = {
  members: { query: { members: true }, list: 'members' },
  checklists: { query: { checklists: 'all' }, list: 'checklists' },
  attachments: { query: { attachments: true }, list: 'attachments' },
  comments: { query: { actions: 'commentCard' }, list: 'actions' },
  customFieldItems: { query: { customFieldItems: true }, list: 'customFieldItems' },
  board: { query: { board: true }, list: undefined },
  list: { query: { list: true }, list: undefined },
} satisfies Record<string, { query: Query; list: string | undefined }>
const partNames = Object.keys(parts) as (keyof typeof parts)[]

type Row = Record<string, unknown>

/** Cuts the lists inside a record to `limit` entries and counts how many were left out of each. */
const cutLists = (row: Row, names: string[], limit: number): { cut: Row; omitted: Record<string, number> } => {
  const cut = { ...row }
  const omitted: Record<string, number> = {}
  for (const name of names) {
    const entries = cut[name]
    if (!Array.isArray(entries)) continue
    const items = entries.slice(0, limit).map((entry: unknown) => {
      const inner = (entry as Row | null)?.checkItems
      if (!Array.isArray(inner) || inner.length <= limit) return entry
      omitted.checkItems = (omitted.checkItems ?? 0) + inner.length - limit
      return { ...(entry as Row), checkItems: inner.slice(0, limit) }
    })
    if (entries.length > limit) omitted[name] = entries.length - limit
    cut[name] = items
  }
  return { cut, omitted }
}

export default defineStep({
  id: 'get-card',
  title: 'Get Card',
  group: 'Cards',
  purpose: 'Returns a card, with its members, checklists, attachments, comments, board or list if requested.',
  keywords: ['read card', 'card details', 'task', 'show'],
  icon: 'card',
  oauthScopes: ['read'],
  effect: 'read',
  input: () =>
    z.strictObject({
      ...cardInput(),
      fields: fields('card', 'name,due,idList').optional(),
      members: flag('Members', 'Whether to include its members.').optional(),
      checklists: flag('Checklists', 'Whether to include its checklists with their items.').optional(),
      attachments: flag('Attachments', 'Whether to include its attachments.').optional(),
      comments: flag('Comments', 'Whether to include its latest comments, at most 50.')
        .meta({ agentDescription: 'Whether to include its latest comments, at most 50, as "actions".' })
        .optional(),
      customFieldItems: flag('Custom fields', 'Whether to include its custom field values.').optional(),
      board: flag('Board', 'Whether to include its board.').optional(),
      list: flag('List', 'Whether to include its list.').optional(),
      limit: z.int().min(1).max(1000).optional().meta({
        title: 'Limit',
        description: 'Maximum number of entries in each included list; all by default.',
      }),
    }),
  output: cardWithParts,
  agentFields: [
    ...cardAgentFields.filter((name) => name !== 'idLabels'),
    ...['id', 'name', 'color'].map((name) => `labels.${name}`),
    ...['id', 'fullName', 'username'].map((name) => `members.${name}`),
    ...[
      'id',
      'name',
      'checkItems.id',
      'checkItems.name',
      'checkItems.state',
      'checkItems.due',
      'checkItems.idMember',
    ].map((name) => `checklists.${name}`),
    ...['id', 'name', 'url', 'mimeType', 'bytes', 'date'].map((name) => `attachments.${name}`),
    ...['id', 'date', 'data.text', 'memberCreator.id', 'memberCreator.fullName'].map((name) => `actions.${name}`),
    ...['idCustomField', 'idValue', 'value'].map((name) => `customFieldItems.${name}`),
    ...['id', 'name', 'url'].map((name) => `board.${name}`),
    ...['id', 'name', 'closed'].map((name) => `list.${name}`),
    'omitted',
  ],
  fields: { ...cardFields, fields: specs.cardFieldNames, limit: { placeholder: '50', rare: true } },
  async run(ctx, input) {
    await checkCard(ctx, input)
    const requestedParts = partNames.filter((name) => input[name] === true).map((name) => parts[name])
    const query: Query = Object.assign(
      {},
      input.fields === undefined ? {} : { fields: input.fields },
      ...requestedParts.map((part) => part.query),
    )
    const row = readRow(await ctx.send({ method: 'GET', path: path`/1/cards/${input.idCard}`, query }), 'a card')
    if (input.limit === undefined) return row
    const { cut, omitted } = cutLists(
      row,
      requestedParts.flatMap((part) => part.list ?? []),
      input.limit,
    )
    return Object.keys(omitted).length === 0 ? cut : { ...cut, omitted }
  },
})
