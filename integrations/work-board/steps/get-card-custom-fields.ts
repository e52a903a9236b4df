import { defineStep, z } from '#kit'
import { cardCustomFields, readCardCustomFields } from '../card-custom-fields.ts'
import { cardFields, cardInput, checkCard } from '../scoped-card.ts'

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
      customFields: cardCustomFields().meta({ description: 'All custom fields that the board defines.' }),
    }),
  fields: cardFields,
  async run(ctx, input) {
    await checkCard(ctx, input)
    return await readCardCustomFields(ctx, input.idCard)
  },
})
