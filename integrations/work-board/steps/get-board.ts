import { defineStep, flag, path, readRow, readRows, z } from '#kit'
import * as specs from '../field-specs.ts'
import { boardOrDefault, fields } from '../inputs.ts'
import { boards } from '../options.ts'
import { board } from '../records.ts'

/** Fields returned by default: a whole record is about 5 kB, most of it settings. */
const usual = 'name,desc,closed,idOrganization,url,shortLink,dateLastActivity'

export default defineStep({
  id: 'get-board',
  title: 'Get Board',
  group: 'Boards and lists',
  purpose: 'Returns a board, with its lists, labels, members or custom fields if requested.',
  keywords: ['board details', 'project'],
  icon: 'board',
  oauthScopes: ['read'],
  effect: 'read',
  input: () =>
    z.strictObject({
      idBoard: boardOrDefault(),
      fields: fields('board', 'name,url', { fallback: usual }),
      lists: z
        .enum(['none', 'open', 'closed', 'all'])
        .default('none')
        .meta({ title: 'Lists', description: 'Which of its lists to include.' }),
      labels: flag('Labels', 'Whether to include its labels.').optional(),
      members: flag('Members', 'Whether to include its members.').optional(),
      customFields: flag('Custom fields', 'Whether to include its custom fields.').optional(),
    }),
  output: board,
  agentFields: [
    'id',
    'name',
    'desc',
    'closed',
    'url',
    ...['id', 'name', 'closed'].map((name) => `lists.${name}`),
    ...['id', 'name', 'color'].map((name) => `labels.${name}`),
    ...['id', 'fullName', 'username'].map((name) => `members.${name}`),
    ...['id', 'name', 'type', 'options.id', 'options.value.text'].map((name) => `customFields.${name}`),
  ],
  container: 'idBoard',
  fields: {
    idBoard: { options: boards, names: 'board', accepts: 'id-or-url' },
    fields: specs.boardFieldNames,
    lists: { labels: specs.whichLists },
  },
  async run(ctx, { idBoard, fields: requestedFields, lists, labels, members, customFields }) {
    const query = {
      fields: requestedFields,
      lists,
      ...(members ? { members: 'all' } : {}),
      ...(customFields ? { customFields: true } : {}),
    }
    const row = readRow(await ctx.send({ method: 'GET', path: path`/1/boards/${idBoard}`, query }), 'a board')
    if (!labels) return row
    // The response for the board itself includes at most 50 labels, so they are read separately.
    return {
      ...row,
      labels: readRows(
        await ctx.send({ method: 'GET', path: path`/1/boards/${idBoard}/labels`, query: { limit: 1000 } }),
        'labels',
      ),
    }
  },
})
