import { defineStep, z } from '#kit'
import { ownId } from '../account.ts'
import { changeSet, setOutput } from '../card-set.ts'
import { cardFields, cardInput } from '../scoped-card.ts'

export default defineStep({
  id: 'remove-vote',
  title: 'Remove Vote',
  group: 'Cards',
  purpose: 'Takes back the vote of the connected account on a card.',
  keywords: ['unvote', 'upvote', 'withdraw vote'],
  icon: 'check-item',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  input: () => z.strictObject(cardInput()),
  output: setOutput('idMembersVoted', 'voters'),
  fields: cardFields,
  run: async (ctx, card) => changeSet(ctx, card, 'idMembersVoted', await ownId(ctx), false),
})
