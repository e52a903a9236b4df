import { defineStep, path, readRows, z } from '#kit'
import { listOutput } from '../outputs.ts'
import { boardOrDefault } from '../inputs.ts'
import { boards } from '../options.ts'
import { customFieldList } from '../records.ts'

export default defineStep({
  id: 'get-custom-fields',
  title: 'Get Custom Fields',
  group: 'Boards and lists',
  purpose: 'Returns the custom fields that a board defines, with the options of its lists of choices.',
  keywords: ['properties', 'field definitions', 'options'],
  icon: 'fields',
  oauthScopes: ['read'],
  effect: 'read',
  input: () => z.strictObject({ idBoard: boardOrDefault() }),
  output: () => listOutput('customFields', customFieldList('The custom fields of the board.')),
  agentFields: [
    ...['id', 'name', 'type', 'options.id', 'options.value.text'].map((name) => `customFields.${name}`),
    'count',
  ],
  container: 'idBoard',
  fields: { idBoard: { options: boards, names: 'board', accepts: 'id-or-url' } },
  async run(ctx, { idBoard }) {
    const rows = readRows(
      await ctx.send({ method: 'GET', path: path`/1/boards/${idBoard}/customFields` }),
      'custom fields',
    )
    return { customFields: rows, count: rows.length }
  },
})
