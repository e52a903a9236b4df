import { defineStep, given, path, z } from '#kit'
import * as specs from '../field-specs.ts'
import { boardRef, cardRef, listId, position, positionValue } from '../inputs.ts'
import { boards, boardScope, cardChoice, listScope, lists } from '../options.ts'
import { card } from '../records.ts'
import { checkScopes, resolveId } from '../refs.ts'

export default defineStep({
  id: 'move-card',
  title: 'Move Card',
  group: 'Cards',
  purpose:
    'Moves a card and changes nothing else: to another list, on its board or another one, or to another place in its list. Returns the card.',
  keywords: ['change list', 'transfer', 'next stage', 'drag'],
  icon: 'card-move',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  input: () =>
    z.strictObject({
      fromBoard: boardRef('Board the card is on now; only narrows the choice of cards.', 'On board').optional(),
      fromList: listId(
        'Id of the list the card is in now; only narrows the choice of cards.',
        'In list',
        'Narrows the choice of cards.',
      ).optional(),
      idCard: cardRef('The card to move.'),
      idBoard: boardRef('Board of that list, if it is not the board the card is on.', 'To board').optional(),
      idList: listId('Id of the list to move the card to.', 'To list', 'Where the card goes.'),
      pos: position('Place in the list; by default the board decides.').optional(),
    }),
  output: card,
  agentFields: ['id', 'name', 'idBoard', 'idList', 'url'],
  fields: {
    fromBoard: boardScope,
    fromList: listScope('fromBoard'),
    idCard: cardChoice('fromBoard', 'fromList'),
    idBoard: { options: boards, names: 'board', accepts: 'id-or-url' },
    idList: {
      options: lists({ boards: ['idBoard', 'fromBoard'], card: 'idCard' }),
      names: 'list',
      dependsOn: ['idCard'],
    },
    pos: specs.position,
  },
  async run(ctx, { fromBoard, fromList, idCard, idBoard, idList, pos }) {
    await checkScopes(ctx, { kind: 'card', ref: idCard }, [
      { field: 'fromBoard', names: 'board', ref: fromBoard },
      { field: 'fromList', names: 'list', ref: fromList },
    ])
    const board = idBoard === undefined ? undefined : await resolveId(ctx, 'board', idBoard)
    return await ctx.send({
      method: 'PUT',
      path: path`/1/cards/${idCard}`,
      body: given({ idList, idBoard: board, pos: positionValue(pos) }),
    })
  },
})
