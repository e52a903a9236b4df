import { defineStep, path, z } from '#kit'
import { boardOrDefault, text } from '../inputs.ts'
import { colour, colourBody } from '../colours.ts'
import { boards } from '../options.ts'
import { label } from '../records.ts'
import { resolveId } from '../refs.ts'

export default defineStep({
  id: 'create-label',
  title: 'Create Label',
  group: 'Labels',
  purpose: 'Creates a label on a board and returns it.',
  keywords: ['new tag', 'category'],
  icon: 'label-add',
  oauthScopes: ['read', 'write'],
  effect: 'create',
  input: () =>
    z.strictObject({
      idBoard: boardOrDefault(),
      name: text('Name', 'Name of the label.').meta({ agentDescription: 'Name of the label; may be "".' }),
      color: colour('Colour of the label.').default('none'),
    }),
  output: label,
  agentFields: ['id', 'name', 'color', 'idBoard'],
  container: 'idBoard',
  fields: { idBoard: { options: boards, names: 'board', accepts: 'id-or-url' }, name: { placeholder: 'Urgent' } },
  async run(ctx, { idBoard, name, color }) {
    return await ctx.send({
      method: 'POST',
      path: path`/1/labels`,
      body: { name, color: colourBody(color), idBoard: await resolveId(ctx, 'board', idBoard) },
    })
  },
})
