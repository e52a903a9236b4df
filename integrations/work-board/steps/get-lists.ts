import { defineStep, path, readRows, z } from '#kit'
import { listOutput } from '../outputs.ts'
import * as specs from '../field-specs.ts'
import { boardOrDefault } from '../inputs.ts'
import { boards } from '../options.ts'
import { lists } from '../records.ts'

export default defineStep({
  id: 'get-lists',
  title: 'Get Lists',
  group: 'Boards and lists',
  purpose: 'Returns the lists of a board in their order.',
  keywords: ['columns', 'stages', 'list ids'],
  icon: 'list',
  oauthScopes: ['read'],
  effect: 'read',
  input: () =>
    z.strictObject({
      idBoard: boardOrDefault(),
      filter: z
        .enum(['open', 'closed', 'all'])
        .default('open')
        .meta({ title: 'Filter', description: 'Which lists: open, closed (archived) or all.' }),
    }),
  output: () => listOutput('lists', lists('The lists of the board.')),
  agentFields: [...['id', 'name', 'closed'].map((name) => `lists.${name}`), 'count'],
  container: 'idBoard',
  fields: { idBoard: { options: boards, names: 'board', accepts: 'id-or-url' }, filter: { labels: specs.filters } },
  async run(ctx, { idBoard, filter }) {
    const rows = readRows(
      await ctx.send({ method: 'GET', path: path`/1/boards/${idBoard}/lists`, query: { filter } }),
      'lists',
    )
    return { lists: rows, count: rows.length }
  },
})
