import { defineStep, path, readRow, readRows, textOf, z } from '#kit'
import type { Row } from '#kit'
import { cardFields, cardInput, checkCard } from '../scoped-card.ts'

const rowsIn = (value: unknown): Row[] => (Array.isArray(value) ? (value as Row[]) : [])

/**
 * The value in its type: text, a number, a boolean, a date as text, or the name of an option; null when the card has
 * none.
 */
const valueOf = (field: Row, item: Row | undefined): string | number | boolean | null => {
  if (!item) return null
  if (typeof item.idValue === 'string') {
    const chosen = rowsIn(field.options).find((option) => option.id === item.idValue)
    return chosen ? textOf((chosen.value ?? {}) as Row, 'text') : null
  }
  const { text, number, checked, date } = (item.value ?? {}) as Record<string, unknown>
  if (typeof number === 'string') return Number(number)
  if (typeof checked === 'string') return checked === 'true'
  return typeof text === 'string' ? text : typeof date === 'string' ? date : null
}

export default defineStep({
  id: 'get-card-custom-fields',
  title: 'Get Card Custom Fields',
  group: 'Cards',
  purpose: 'Returns the custom fields of a card by name, each with its value or null.',
  keywords: ['custom field values', 'properties of a card'],
  icon: 'fields',
  oauthScopes: ['read'],
  effect: 'read',
  input: () => z.strictObject(cardInput()),
  output: () =>
    z.object({
      id: z.string().meta({ description: 'Id of the card.' }),
      customFields: z
        .array(
          z.object({
            id: z.string().meta({ description: 'Id of the custom field.' }),
            name: z.string().meta({ description: 'Name of the custom field.' }),
            type: z.string().meta({ description: 'text, number, date, checkbox or list.' }),
            value: z.unknown().meta({
              description:
                'Text, number, true or false, a date, or the name of an option; null: the card has no value.',
            }),
          }),
        )
        .meta({ description: 'All custom fields that the board defines.' }),
    }),
  fields: cardFields,
  async run(ctx, input) {
    await checkCard(ctx, input)
    const query = { fields: 'idBoard', customFieldItems: true }
    const card = readRow(await ctx.send({ method: 'GET', path: path`/1/cards/${input.idCard}`, query }), 'a card')
    const board = textOf(card, 'idBoard')
    const fields = readRows(
      await ctx.send({ method: 'GET', path: path`/1/boards/${board}/customFields` }),
      'custom fields',
    )
    const items = rowsIn(card.customFieldItems)
    return {
      id: card.id,
      customFields: fields.map((field) => ({
        id: field.id,
        name: textOf(field, 'name'),
        type: textOf(field, 'type'),
        value: valueOf(
          field,
          items.find((item) => item.idCustomField === field.id),
        ),
      })),
    }
  },
})
