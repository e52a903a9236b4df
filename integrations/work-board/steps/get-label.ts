import { defineStep, path, z } from '#kit'
import { boardRef, idOf } from '../inputs.ts'
import { boardScope, labels } from '../options.ts'
import { label } from '../records.ts'
import { checkScopes } from '../refs.ts'

export default defineStep({
  id: 'get-label',
  title: 'Get Label',
  group: 'Labels',
  purpose: 'Returns a label: its name, its colour and its board.',
  keywords: ['tag', 'category', 'label details'],
  icon: 'label',
  oauthScopes: ['read'],
  effect: 'read',
  input: () =>
    z.strictObject({
      idBoard: boardRef('Board of the label; only narrows the choice of labels.').optional(),
      idLabel: idOf('label', 'Label', 'Id of the label, as cards name it.', 'The label of the board.'),
    }),
  output: label,
  agentFields: ['id', 'name', 'color', 'idBoard'],
  fields: {
    idBoard: boardScope,
    idLabel: { options: labels({ boards: ['idBoard'] }), names: 'label', dependsOn: ['idBoard'] },
  },
  async run(ctx, { idBoard, idLabel }) {
    await checkScopes(ctx, { kind: 'label', ref: idLabel }, [{ field: 'idBoard', names: 'board', ref: idBoard }])
    return await ctx.send({ method: 'GET', path: path`/1/labels/${idLabel}` })
  },
})
