import { path, readRow, readRows, textOf, z } from '#kit'
import type { OptionContext, Row } from '#kit'

/** The values that a card has in the custom fields of its board. */

const rowsIn = (value: unknown): Row[] => (Array.isArray(value) ? (value as Row[]) : [])

export const cardCustomFields = () =>
  z.array(
    z.object({
      id: z.string().meta({ description: 'Id of the custom field.' }),
      name: z.string().meta({ description: 'Name of the custom field.' }),
      type: z.string().meta({ description: 'text, number, date, checkbox or list.' }),
      value: z.unknown().meta({
        description: 'Text, number, true or false, a date, or the name of an option; null: the card has no value.',
      }),
    }),
  )
type CardCustomFields = z.output<ReturnType<typeof cardCustomFields>>

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

/** Reads all custom fields that the card's board defines, with the values of the card. Takes two requests. */
export const readCardCustomFields = async (
  ctx: Pick<OptionContext, 'send'>,
  idCard: string,
): Promise<{ id: string; customFields: CardCustomFields }> => {
  const query = { fields: 'idBoard', customFieldItems: true }
  const card = readRow(await ctx.send({ method: 'GET', path: path`/1/cards/${idCard}`, query }), 'a card')
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
}
