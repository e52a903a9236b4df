import { defineStep, fail, path, z } from '#kit'
import { boardRef, listId } from '../inputs.ts'
import { boards, boardScope, lists } from '../options.ts'
import { checkScopes, resolveId } from '../refs.ts'

export default defineStep({
  id: 'move-all-cards',
  title: 'Move All Cards',
  group: 'Boards and lists',
  purpose: 'Moves all open cards of a list to another list, on the same board or another one.',
  keywords: ['empty list', 'transfer cards', 'next sprint'],
  icon: 'card-move',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  input: () =>
    z.strictObject({
      fromBoard: boardRef('Board of the list; only narrows the choice of lists.', 'On board').optional(),
      fromList: listId(
        'Id of the list whose cards are moved; Get Lists returns it.',
        'From list',
        'The list whose cards are moved.',
      ),
      idBoard: boardRef('Board of the list to move to.', 'To board'),
      idList: listId('Id of the list to move the cards to.', 'To list', 'Where the cards go.'),
    }),
  output: () =>
    z.object({
      idList: z.string().meta({ description: 'Id of the list that has the cards now.' }),
      moved: z.boolean().meta({ description: 'Always true: the board has moved what was there.' }),
    }),
  fields: {
    fromBoard: boardScope,
    fromList: { options: lists({ boards: ['fromBoard'] }), names: 'list', dependsOn: ['fromBoard'] },
    idBoard: { options: boards, names: 'board', accepts: 'id-or-url' },
    idList: { options: lists({ boards: ['idBoard'] }, 'fromList'), names: 'list', dependsOn: ['idBoard', 'fromList'] },
  },
  async run(ctx, { fromBoard, fromList, idBoard, idList }) {
    if (fromList === idList) throw fail('invalid_input', 'fromList and idList are the same list. Give two lists.')
    await checkScopes(ctx, { kind: 'list', ref: fromList }, [{ field: 'fromBoard', names: 'board', ref: fromBoard }])
    const body = { idBoard: await resolveId(ctx, 'board', idBoard), idList }
    await ctx.send({ method: 'POST', path: path`/1/lists/${fromList}/moveAllCards`, body })
    return { idList, moved: true }
  },
})
