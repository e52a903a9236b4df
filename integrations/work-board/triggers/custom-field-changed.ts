import { z } from '#kit'
import { boardTrigger } from '../board-trigger.ts'
import type { BoardFacts } from '../event.ts'
import { aboutOf, name, onCard, thing, cardEventData } from '../event-schemas.ts'
import { idsOf } from '../inputs.ts'
import { boardsField, cardsField, customFieldsField, listsField } from '../watch-fields.ts'
import { boardsConfig, cardsConfig, listsConfig } from '../event-filters.ts'

export default boardTrigger({
  id: 'custom-field-changed',
  title: 'Custom Field Changed',
  purpose: 'Starts when the value of a custom field of a card on a watched board is set, changed or cleared.',
  keywords: ['field value', 'property changed', 'custom field set'],
  icon: 'fields',
  config: () =>
    z.strictObject({
      boards: boardsConfig(),
      lists: listsConfig('Only cards in these lists, by id; none for every list.'),
      cards: cardsConfig(),
      customFields: idsOf(
        'custom field',
        'Custom fields',
        'Only these custom fields, by id; none for every one.',
        'Only these custom fields; leave empty for every one.',
      ).optional(),
    }),
  data: () =>
    z.object({
      ...onCard(),
      customField: thing('The custom field: id, name and type.', { name: name() }),
      value: z.unknown().meta({
        description:
          'The value as the board gives it: { text }, { number }, { checked } or { date }, each as text; null: none, or an option (see idOption).',
      }),
      idOption: z
        .string()
        .optional()
        .meta({ description: 'Of a field of type list: id of the chosen option; Get Custom Fields names them.' }),
      valueBefore: z.unknown().optional().meta({ description: 'The value before, where the board says it.' }),
    }),
  fields: { boards: boardsField, lists: listsField, cards: cardsField, customFields: customFieldsField },
  caveat: 'Webhook only: values changed while the server could not be reached are not recovered.',
  on: ['updateCustomFieldItem'],
  match(event, config, facts: BoardFacts) {
    const customField = aboutOf(event, 'customField')
    if (customField === undefined) return undefined
    if (config.customFields?.length && !config.customFields.includes(customField.id)) return undefined
    const { value = null, idValue } = event.about['customFieldItem'] ?? {}
    const before = event.before?.value
    return {
      ...cardEventData(event, facts),
      customField,
      value,
      ...(typeof idValue === 'string' ? { idOption: idValue } : {}),
      ...(before === undefined ? {} : { valueBefore: before }),
    }
  },
})
