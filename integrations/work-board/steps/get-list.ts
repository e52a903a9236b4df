import { defineStep, path, z } from '#kit'
import { boardRef, listId } from '../inputs.ts'
import { allLists, boardScope } from '../options.ts'
import { list } from '../records.ts'
import { checkScopes } from '../refs.ts'

export default defineStep({
  id: 'get-list',
  title: 'Get List',
  group: 'Boards and lists',
  purpose: 'Returns a list without its cards: its name, its board, its place and whether it is archived.',
  keywords: ['column', 'stage', 'list details'],
  icon: 'list',
  oauthScopes: ['read'],
  effect: 'read',
  input: () =>
    z.strictObject({
      idBoard: boardRef('Board of the list; only narrows the choice of lists.').optional(),
      idList: listId('Id of the list, as cards name it.', 'List', 'The list of the board.'),
    }),
  output: list,
  agentFields: ['id', 'name', 'idBoard', 'closed', 'pos'],
  fields: {
    idBoard: boardScope,
    idList: { options: allLists({ boards: ['idBoard'] }), names: 'list', dependsOn: ['idBoard'] },
  },
  async run(ctx, { idBoard, idList }) {
    await checkScopes(ctx, { kind: 'list', ref: idList }, [{ field: 'idBoard', names: 'board', ref: idBoard }])
    return await ctx.send({ method: 'GET', path: path`/1/lists/${idList}` })
  },
})
