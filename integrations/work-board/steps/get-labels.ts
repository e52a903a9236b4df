import { defineStep, path, readRows, z } from '#kit'
import { listOutput } from '../outputs.ts'
import { boardOrDefault } from '../inputs.ts'
import { boards } from '../options.ts'
import { labels } from '../records.ts'

export default defineStep({
  id: 'get-labels',
  title: 'Get Labels',
  group: 'Labels',
  purpose: 'Returns the labels of a board.',
  keywords: ['tags', 'list labels', 'label ids'],
  icon: 'label',
  oauthScopes: ['read'],
  effect: 'read',
  // Boards have at most 1000 labels, which fit into one response. Without a limit, the board returns 50 and does not
  // say that there are more.
  input: () => z.strictObject({ idBoard: boardOrDefault() }),
  output: () => listOutput('labels', labels('The labels of the board.')),
  agentFields: [...['id', 'name', 'color'].map((name) => `labels.${name}`), 'count'],
  container: 'idBoard',
  fields: { idBoard: { options: boards, names: 'board', accepts: 'id-or-url' } },
  async run(ctx, { idBoard }) {
    const rows = readRows(
      await ctx.send({ method: 'GET', path: path`/1/boards/${idBoard}/labels`, query: { limit: 1000 } }),
      'labels',
    )
    return { labels: rows, count: rows.length }
  },
})
