import { defineStep, path, z } from '#kit'
import { card } from '../records.ts'
import { cardFields, cardInput, checkCard } from '../scoped-card.ts'

export default defineStep({
  id: 'archive-card',
  title: 'Archive Card',
  group: 'Cards',
  purpose:
    'Archives a card and changes nothing else: it leaves its list. Returns the card, which Update Card (closed: false) restores.',
  keywords: ['archive this card', 'close', 'remove', 'hide', 'done'],
  icon: 'archive',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  input: () => z.strictObject(cardInput()),
  output: card,
  agentFields: ['id', 'name', 'closed', 'idBoard', 'idList', 'url'],
  fields: cardFields,
  async run(ctx, input) {
    await checkCard(ctx, input)
    return await ctx.send({ method: 'PUT', path: path`/1/cards/${input.idCard}`, body: { closed: true } })
  },
})
