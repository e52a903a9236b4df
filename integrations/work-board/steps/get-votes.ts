import { defineStep, path, readRows, z } from '#kit'
import { listOutput } from '../outputs.ts'
import { members } from '../records.ts'
import { cardFields, cardInput, checkCard } from '../scoped-card.ts'

export default defineStep({
  id: 'get-votes',
  title: 'Get Votes',
  group: 'Cards',
  purpose: 'Returns the people who voted on a card, and their number.',
  keywords: ['voters', 'upvotes', 'who voted', 'poll'],
  icon: 'person-find',
  oauthScopes: ['read'],
  effect: 'read',
  input: () => z.strictObject(cardInput()),
  output: () => listOutput('members', members('The people who voted on the card.')),
  agentFields: [...['id', 'fullName', 'username'].map((name) => `members.${name}`), 'count'],
  fields: cardFields,
  async run(ctx, card) {
    await checkCard(ctx, card)
    const query = { fields: 'fullName,username' }
    const rows = readRows(
      await ctx.send({ method: 'GET', path: path`/1/cards/${card.idCard}/membersVoted`, query }),
      'members',
    )
    return { members: rows, count: rows.length }
  },
})
