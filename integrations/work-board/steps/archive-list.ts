import { defineStep, path, z } from '#kit'
import { boardRef, listId } from '../inputs.ts'
import { boardScope, lists } from '../options.ts'
import { list } from '../records.ts'
import { checkScopes } from '../refs.ts'

export default defineStep({
  id: 'archive-list',
  title: 'Archive List',
  group: 'Boards and lists',
  purpose: 'Archives a list, which hides it with its cards, and returns it. Update List (closed: false) restores it.',
  keywords: ['close list', 'hide column', 'remove column', 'get rid of a list'],
  icon: 'archive',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  input: () =>
    z.strictObject({
      idBoard: boardRef('Board of the list; only narrows the choice of lists.').optional(),
      idList: listId('Id of the list; Get Lists returns it.', 'List', 'The list of the board.'),
    }),
  output: list,
  agentFields: ['id', 'name', 'idBoard', 'closed'],
  fields: {
    idBoard: boardScope,
    idList: { options: lists({ boards: ['idBoard'] }), names: 'list' },
  },
  async run(ctx, { idBoard, idList }) {
    await checkScopes(ctx, { kind: 'list', ref: idList }, [{ field: 'idBoard', names: 'board', ref: idBoard }])
    return await ctx.send({ method: 'PUT', path: path`/1/lists/${idList}`, body: { closed: true } })
  },
})
