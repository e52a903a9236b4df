import { defineStep, z } from '#kit'
import { ownId } from '../account.ts'
import { changeSet, setOutput } from '../card-set.ts'
import { cardFields, cardInput } from '../scoped-card.ts'

export default defineStep({
  id: 'add-vote',
  title: 'Add Vote',
  group: 'Cards',
  purpose: 'Votes on a card for the connected account, where the board lets its members vote.',
  keywords: ['upvote', 'like', 'support', 'poll'],
  icon: 'check-item',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  input: () => z.strictObject(cardInput()),
  output: setOutput('idMembersVoted', 'voters'),
  fields: cardFields,
  run: async (ctx, card) => changeSet(ctx, card, 'idMembersVoted', await ownId(ctx), true),
})
