import { defineStep, path, z } from '#kit'
import { deletionOutput } from '../outputs.ts'
import { resolveId } from '../refs.ts'
import { cardFields, cardInput, checkCard } from '../scoped-card.ts'

export default defineStep({
  id: 'delete-card',
  title: 'Delete Card',
  group: 'Cards',
  purpose: 'Deletes a card for good, with its comments and attachments. Archive Card can be undone, this cannot.',
  keywords: ['remove card', 'destroy'],
  icon: 'card-edit',
  oauthScopes: ['read', 'write'],
  effect: 'delete',
  input: () => z.strictObject(cardInput()),
  output: deletionOutput('card'),
  fields: cardFields,
  async run(ctx, input) {
    const id = (await checkCard(ctx, input)) ?? (await resolveId(ctx, 'card', input.idCard))
    await ctx.send({ method: 'DELETE', path: path`/1/cards/${id}` })
    return { id, deleted: true }
  },
})
