import { defineStep, path, z } from '#kit'
import { deletionOutput } from '../outputs.ts'
import { boardRef, idOf } from '../inputs.ts'
import { boardScope, labels } from '../options.ts'
import { checkScopes } from '../refs.ts'

export default defineStep({
  id: 'delete-label',
  title: 'Delete Label',
  group: 'Labels',
  purpose: 'Deletes a label of a board for good and takes it off every card.',
  keywords: ['remove tag', 'category'],
  icon: 'label',
  oauthScopes: ['read', 'write'],
  effect: 'delete',
  input: () =>
    z.strictObject({
      idBoard: boardRef('Board of the label; only narrows the choice of labels.').optional(),
      idLabel: idOf('label', 'Label', 'Id of the label; Get Labels returns it.', 'The label of the board.'),
    }),
  output: deletionOutput('label'),
  fields: {
    idBoard: boardScope,
    idLabel: { options: labels({ boards: ['idBoard'] }), names: 'label', dependsOn: ['idBoard'] },
  },
  async run(ctx, { idBoard, idLabel }) {
    await checkScopes(ctx, { kind: 'label', ref: idLabel }, [{ field: 'idBoard', names: 'board', ref: idBoard }])
    await ctx.send({ method: 'DELETE', path: path`/1/labels/${idLabel}` })
    return { id: idLabel, deleted: true }
  },
})
