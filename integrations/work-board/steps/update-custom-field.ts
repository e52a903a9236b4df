import { defineStep, fail, flag, given, z } from '#kit'
import { changeCustomField } from '../custom-field-changes.ts'
import * as specs from '../field-specs.ts'
import { boardRef, idOf, idsOf, optionNames, position, positionValue, text } from '../inputs.ts'
import { boardScope, customFields, optionsOfField } from '../options.ts'
import { customField } from '../records.ts'
import { checkScopes } from '../refs.ts'

export default defineStep({
  id: 'update-custom-field',
  title: 'Update Custom Field',
  group: 'Boards and lists',
  purpose:
    'Renames or moves a custom field of a board, or adds and removes options of a list. The text of an option cannot be changed: remove it and add another.',
  keywords: ['rename field', 'dropdown', 'add option', 'property', 'choices'],
  icon: 'fields',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  input: () =>
    z.strictObject({
      idBoard: boardRef('Board of the field; only narrows the choice of fields.').optional(),
      idCustomField: idOf(
        'custom field',
        'Custom field',
        'Id of the custom field; Get Custom Fields returns it.',
        'The field of the board.',
      ),
      name: text('Name', 'New name.', 1).optional(),
      pos: position('Place among the fields of the board.').optional(),
      showOnFront: flag('Shown on the front', 'Whether the front of cards shows the value.').optional(),
      addOptions: optionNames('Add options', 'Options to add to a list; existing options stay as they are.').optional(),
      removeOptions: idsOf(
        'option',
        'Remove options',
        'Ids of options to remove; cards that have one lose the value.',
        'Options to remove; cards that have one lose the value.',
      ).optional(),
    }),
  output: customField,
  agentFields: ['id', 'name', 'type', 'options.id', 'options.value.text'],
  fields: {
    idBoard: boardScope,
    idCustomField: { options: customFields({ boards: ['idBoard'] }), names: 'customField', dependsOn: ['idBoard'] },
    name: { placeholder: 'Priority' },
    pos: { ...specs.position, rare: true },
    showOnFront: { rare: true },
    addOptions: { placeholder: 'Urgent' },
    removeOptions: { options: optionsOfField('idCustomField'), names: 'option', dependsOn: ['idCustomField'] },
  },
  async run(ctx, { idBoard, idCustomField, name, pos, showOnFront, addOptions = [], removeOptions = [] }) {
    const properties = given({ name, pos: positionValue(pos), 'display/cardFront': showOnFront })
    if (Object.keys(properties).length + addOptions.length + removeOptions.length === 0)
      throw fail('invalid_input', 'No change is given. Give name, pos, showOnFront, addOptions or removeOptions.')
    await checkScopes(ctx, { kind: 'custom field', ref: idCustomField }, [
      { field: 'idBoard', names: 'board', ref: idBoard },
    ])
    return await changeCustomField(ctx, idCustomField, properties, { add: addOptions, remove: removeOptions })
  },
})
