import { defineStep, path, readRow, z } from '#kit'
import { changeMany, manyAgentFields, manyOutput, whichCards, whichCardsFields } from '../many-cards.ts'

export default defineStep({
  id: 'archive-cards',
  title: 'Archive Cards',
  group: 'Many cards',
  purpose: 'Archives up to 200 cards in one run, chosen one by one or by a search, and reports the result of each.',
  keywords: ['bulk archive', 'many cards', 'clean up', 'batch'],
  icon: 'archive',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  resumes: true,
  input: () => z.strictObject(whichCards()),
  output: manyOutput,
  agentFields: manyAgentFields,
  fields: whichCardsFields,
  run: (ctx, which) =>
    changeMany(ctx, which, async (card) => {
      const { closed } = readRow(
        await ctx.send({ method: 'GET', path: path`/1/cards/${card}`, query: { fields: 'closed' } }),
        'a card',
      )
      if (closed === true) return false
      await ctx.send({ method: 'PUT', path: path`/1/cards/${card}`, body: { closed: true } })
      return true
    }),
})
