import { defineStep, fail, given, path, z } from '#kit'
import { colour, colourBody } from '../colours.ts'
import { boardRef, idOf, text } from '../inputs.ts'
import { boardScope, labels } from '../options.ts'
import { label } from '../records.ts'
import { checkScopes } from '../refs.ts'

export default defineStep({
  id: 'update-label',
  title: 'Update Label',
  group: 'Labels',
  purpose: 'Changes the name or colour of a label, on every card that has it, and returns it.',
  keywords: ['rename label', 'recolour', 'edit tag'],
  icon: 'label',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  input: () =>
    z.strictObject({
      idBoard: boardRef('Board of the label; only narrows the choice of labels.').optional(),
      idLabel: idOf('label', 'Label', 'Id of the label; Get Labels returns it.', 'The label of the board.'),
      name: text('Name', 'New name.').meta({ agentDescription: 'New name; "" empties it.' }).optional(),
      color: colour('New colour.').optional(),
    }),
  output: label,
  agentFields: ['id', 'name', 'color', 'idBoard'],
  fields: {
    idBoard: boardScope,
    idLabel: { options: labels({ boards: ['idBoard'] }), names: 'label', dependsOn: ['idBoard'] },
    name: { placeholder: 'Urgent' },
  },
  async run(ctx, { idBoard, idLabel, name, color }) {
    if (name === undefined && color === undefined)
      throw fail('invalid_input', 'No change is given. Give name, color or both.')
    await checkScopes(ctx, { kind: 'label', ref: idLabel }, [{ field: 'idBoard', names: 'board', ref: idBoard }])
    const body = { ...given({ name }), ...(color === undefined ? {} : { color: colourBody(color) }) }
    return await ctx.send({ method: 'PUT', path: path`/1/labels/${idLabel}`, body })
  },
})
