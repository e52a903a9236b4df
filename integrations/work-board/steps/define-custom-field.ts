import { defineStep, failField, flag, given, path, z } from '#kit'
import { optionBody } from '../custom-field-changes.ts'
import * as specs from '../field-specs.ts'
import { boardOrDefault, optionNames, position, positionValue, text } from '../inputs.ts'
import { boards } from '../options.ts'
import { customField } from '../records.ts'
import { resolveId } from '../refs.ts'

export default defineStep({
  id: 'define-custom-field',
  title: 'Define Custom Field',
  group: 'Boards and lists',
  purpose: 'Defines a custom field on a board, for all its cards, and returns the field.',
  keywords: ['new field', 'property', 'dropdown', 'create custom field'],
  icon: 'fields',
  oauthScopes: ['read', 'write'],
  effect: 'create',
  input: () =>
    z.strictObject({
      idBoard: boardOrDefault(),
      name: text('Name', 'Name of the field.', 1),
      type: z.enum(['text', 'number', 'date', 'checkbox', 'list']).meta({
        title: 'Type',
        description: 'Type of the values; for a list, a value is one of its options.',
      }),
      listOptions: optionNames('Options', 'The options of a list, in their order.').optional(),
      pos: position('Place among the fields of the board; last by default.').optional(),
      showOnFront: flag('Shown on the front', 'Whether the front of cards shows the value; “Yes” by default.')
        .meta({ agentDescription: 'Whether the front of cards shows the value; true by default.' })
        .optional(),
    }),
  output: customField,
  agentFields: ['id', 'name', 'type', 'options.id', 'options.value.text'],
  container: 'idBoard',
  fields: {
    idBoard: { options: boards, names: 'board', accepts: 'id-or-url' },
    name: { placeholder: 'Priority' },
    type: specs.customFieldType,
    listOptions: { placeholder: 'High', showWhen: { field: 'type', is: ['list'] } },
    pos: { ...specs.position, rare: true },
    showOnFront: { rare: true },
  },
  async run(ctx, { idBoard, name, type, listOptions, pos = 'bottom', showOnFront }) {
    if (listOptions !== undefined && type !== 'list')
      throw failField(
        'listOptions',
        'Only a field of the type list has options. Leave listOptions out, or set type to list.',
      )
    return await ctx.send({
      method: 'POST',
      path: path`/1/customFields`,
      body: given({
        idModel: await resolveId(ctx, 'board', idBoard),
        modelType: 'board',
        name,
        type,
        pos: positionValue(pos),
        options: listOptions?.map(optionBody),
        display_cardFront: showOnFront,
      }),
    })
  },
})
