import { defineStep, path, z } from '#kit'
import { boardRef, listId } from '../inputs.ts'
import { boardScope, lists } from '../options.ts'
import { checkScopes } from '../refs.ts'

export default defineStep({
  id: 'archive-all-cards',
  title: 'Archive All Cards',
  group: 'Boards and lists',
  purpose: 'Archives all open cards of a list and leaves the list. Update Card (closed: false) restores a card.',
  keywords: ['empty list', 'clear column', 'clean up'],
  icon: 'archive',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  input: () =>
    z.strictObject({
      idBoard: boardRef('Board of the list; only narrows the choice of lists.').optional(),
      idList: listId('Id of the list; Get Lists returns it.', 'List', 'The list of the board.'),
    }),
  output: () =>
    z.object({
      idList: z.string().meta({ description: 'Id of the list.' }),
      archived: z.boolean().meta({ description: 'Always true: the board has archived what was there.' }),
    }),
  fields: {
    idBoard: boardScope,
    idList: { options: lists({ boards: ['idBoard'] }), names: 'list' },
  },
  async run(ctx, { idBoard, idList }) {
    await checkScopes(ctx, { kind: 'list', ref: idList }, [{ field: 'idBoard', names: 'board', ref: idBoard }])
    await ctx.send({ method: 'POST', path: path`/1/lists/${idList}/archiveAllCards` })
    return { idList, archived: true }
  },
})
