import { defineStep, fail, flag, given, path, z } from '#kit'
import * as specs from '../field-specs.ts'
import { boardRef, listId, position, positionValue, text } from '../inputs.ts'
import { allLists, boards, boardScope } from '../options.ts'
import { list } from '../records.ts'
import { checkScopes, resolveId } from '../refs.ts'

export default defineStep({
  id: 'update-list',
  title: 'Update List',
  group: 'Boards and lists',
  purpose: 'Renames a list, moves it on its board or to another board, or restores it, and returns it.',
  keywords: ['rename list', 'move list', 'column', 'reorder', 'unarchive list'],
  icon: 'list',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  input: () =>
    z.strictObject({
      fromBoard: boardRef('Board the list is on now; only narrows the choice of lists.', 'On board').optional(),
      idList: listId('Id of the list; Get Lists returns it.', 'List', 'The list of the board.'),
      name: text('Name', 'New name.', 1).optional(),
      pos: position('Place on the board.').optional(),
      idBoard: boardRef('Board to move the list to, with its cards.', 'Move to board').optional(),
      closed: flag('Archived', 'Whether the list is archived; “No” restores it.')
        .meta({ agentDescription: 'Whether the list is archived; false restores it.' })
        .optional(),
      subscribed: flag('Watched', 'Whether the connected account watches the list.').optional(),
    }),
  output: list,
  agentFields: ['id', 'name', 'idBoard', 'closed'],
  fields: {
    fromBoard: boardScope,
    idList: { options: allLists({ boards: ['fromBoard'] }), names: 'list', dependsOn: ['fromBoard'] },
    name: { placeholder: 'In review' },
    pos: specs.position,
    idBoard: { options: boards, names: 'board', accepts: 'id-or-url' },
    subscribed: { rare: true },
  },
  async run(ctx, { fromBoard, idList, idBoard, pos, ...changedFields }) {
    const changes = given({ ...changedFields, pos: positionValue(pos) })
    if (Object.keys(changes).length === 0 && idBoard === undefined)
      throw fail('invalid_input', 'No change is given. Give name, pos, idBoard, closed or subscribed.')
    await checkScopes(ctx, { kind: 'list', ref: idList }, [{ field: 'fromBoard', names: 'board', ref: fromBoard }])
    const body = idBoard === undefined ? changes : { ...changes, idBoard: await resolveId(ctx, 'board', idBoard) }
    return await ctx.send({ method: 'PUT', path: path`/1/lists/${idList}`, body })
  },
})
