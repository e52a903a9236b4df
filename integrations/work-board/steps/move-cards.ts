import { defineStep, path, readRow, readRows, textOf, z } from '#kit'
import { boardRef, listId } from '../inputs.ts'
import { changeMany, manyAgentFields, manyOutput, whichCards, whichCardsFields } from '../many-cards.ts'
import { boards, lists } from '../options.ts'

export default defineStep({
  id: 'move-cards',
  title: 'Move Cards',
  group: 'Many cards',
  purpose:
    'Moves up to 200 cards to a list in one run, chosen one by one or by a search, and reports the result of each.',
  keywords: ['bulk move', 'many cards', 'batch', 'next stage'],
  icon: 'card-move',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  resumes: true,
  input: () =>
    z.strictObject({
      ...whichCards(),
      toBoard: boardRef('Board of the list to move to; only narrows the choice of lists.', 'To board').optional(),
      idList: listId('Id of the list to move the cards to.', 'To list', 'Where the cards go.'),
    }),
  output: manyOutput,
  agentFields: manyAgentFields,
  fields: {
    ...whichCardsFields,
    toBoard: { options: boards, names: 'board', accepts: 'id-or-url', scope: true },
    idList: { options: lists({ boards: ['toBoard', 'idBoard'] }), names: 'list', dependsOn: ['toBoard'] },
  },
  async run(ctx, { toBoard: _, idList, ...which }) {
    const list = readRow(
      await ctx.send({ method: 'GET', path: path`/1/lists/${idList}`, query: { fields: 'idBoard' } }),
      'a list',
    )
    const query = { fields: 'shortLink', limit: 1000 }
    const there = readRows(await ctx.send({ method: 'GET', path: path`/1/lists/${idList}/cards`, query }), 'cards')
    const presentIds = new Set(there.flatMap((card) => [card.id, textOf(card, 'shortLink')]))
    return await changeMany(ctx, which, async (card) => {
      if (presentIds.has(card)) return false
      await ctx.send({
        method: 'PUT',
        path: path`/1/cards/${card}`,
        body: { idList, idBoard: textOf(list, 'idBoard') },
      })
      return true
    })
  },
})
