import { defineStep, path, z } from '#kit'
import { deletionOutput } from '../outputs.ts'
import { boardRef, idOf } from '../inputs.ts'
import { boardScope, customFields } from '../options.ts'
import { checkScopes } from '../refs.ts'

export default defineStep({
  id: 'delete-custom-field',
  title: 'Delete Custom Field',
  group: 'Boards and lists',
  purpose: 'Destructive: deletes a custom field of a board for good, with its values on all cards.',
  keywords: ['remove field', 'property', 'drop column'],
  icon: 'fields',
  oauthScopes: ['read', 'write'],
  effect: 'delete',
  input: () =>
    z.strictObject({
      idBoard: boardRef('Board of the field; only narrows the choice of fields.').optional(),
      idCustomField: idOf(
        'custom field',
        'Custom field',
        'Id of the custom field; Get Custom Fields returns it.',
        'The field of the board.',
      ),
    }),
  output: deletionOutput('custom field'),
  fields: {
    idBoard: boardScope,
    idCustomField: { options: customFields({ boards: ['idBoard'] }), names: 'customField', dependsOn: ['idBoard'] },
  },
  async run(ctx, { idBoard, idCustomField }) {
    await checkScopes(ctx, { kind: 'custom field', ref: idCustomField }, [
      { field: 'idBoard', names: 'board', ref: idBoard },
    ])
    await ctx.send({ method: 'DELETE', path: path`/1/customFields/${idCustomField}` })
    return { id: idCustomField, deleted: true }
  },
})
