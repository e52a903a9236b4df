import { defineStep, z } from '#kit'
import { customFieldsOf, setCustomFields, shownValue } from '../custom-fields.ts'
import * as specs from '../field-specs.ts'
import { boardRef, cardRef } from '../inputs.ts'
import { boardScope, cards } from '../options.ts'
import { checkScopes } from '../refs.ts'

export default defineStep({
  id: 'set-custom-fields',
  title: 'Set Custom Fields',
  group: 'Cards',
  purpose: 'Sets or empties custom fields of a card, the fields that its board defines.',
  effect: 'update',
  keywords: ['custom field', 'property', 'points', 'priority'],
  icon: 'fields',
  oauthScopes: ['read', 'write'],
  input: () =>
    z.strictObject({
      idBoard: boardRef('Board the card is on; only decides which custom fields and cards are shown.').optional(),
      idCard: cardRef('The card.'),
      customFields: z.looseObject({}).meta({
        title: 'Custom fields',
        description: 'Fields that stay empty keep their values.',
        agentDescription:
          'Values by custom field, named by its name or id: text, a number, true or false, a date with time and zone, or the name or id of an option of a list; null empties it. Fields that are left out keep their values.',
      }),
    }),
  output: () =>
    z.looseObject({
      idCard: z.string().meta({ description: 'The card: its id, or its short link where that was given.' }),
      customFields: z
        .array(
          z.looseObject({
            id: z.string().meta({ description: 'Id of the custom field.' }),
            name: z.string().meta({ description: 'Name of the custom field.' }),
            value: z.unknown().meta({
              description: 'The value it was set to, of a list the name of the option; null: it was emptied.',
            }),
          }),
        )
        .meta({ description: 'The custom fields that were set.' }),
    }),
  fields: {
    idBoard: boardScope,
    idCard: { options: cards('idBoard'), names: 'card', dependsOn: ['idBoard'], accepts: 'id-or-url' },
    customFields: specs.customFields,
  },
  accountFields: customFieldsOf('idBoard', { boards: ['idBoard'], card: 'idCard' }),
  async run(ctx, { idBoard, idCard }, values) {
    const id = await checkScopes(ctx, { kind: 'card', ref: idCard }, [
      { field: 'idBoard', names: 'board', ref: idBoard },
    ])
    await setCustomFields(ctx, idCard, values)
    return {
      idCard: id ?? idCard,
      customFields: values.map((accountValue) => ({
        id: accountValue.field.id,
        name: accountValue.field.title,
        value: shownValue(accountValue),
      })),
    }
  },
})
