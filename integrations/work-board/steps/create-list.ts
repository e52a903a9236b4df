import { defineStep, given, path, z } from '#kit'
import * as specs from '../field-specs.ts'
import { boardOrDefault, listId, position, positionValue, text } from '../inputs.ts'
import { boards, lists } from '../options.ts'
import { list } from '../records.ts'
import { resolveId } from '../refs.ts'

export default defineStep({
  id: 'create-list',
  title: 'Create List',
  group: 'Boards and lists',
  purpose: 'Creates a list on a board, empty or as a copy of another list with its cards, and returns it.',
  keywords: ['column', 'stage', 'add list', 'copy list'],
  icon: 'list-add',
  oauthScopes: ['read', 'write'],
  effect: 'create',
  input: () =>
    z.strictObject({
      idBoard: boardOrDefault(),
      name: text('Name', 'Name of the list.', 1),
      pos: position('Place on the board; first by default.').optional(),
      idListSource: listId(
        'Id of a list to copy, cards included.',
        'Copy from list',
        'A list to copy, with its cards.',
      ).optional(),
    }),
  output: list,
  agentFields: ['id', 'name', 'idBoard', 'closed'],
  container: 'idBoard',
  fields: {
    idBoard: { options: boards, names: 'board', accepts: 'id-or-url' },
    idListSource: { options: lists({ boards: ['idBoard'] }), names: 'list', dependsOn: ['idBoard'] },
    name: { placeholder: 'In review' },
    pos: specs.position,
  },
  async run(ctx, { idBoard, pos, ...listFields }) {
    const body = given({ ...listFields, idBoard: await resolveId(ctx, 'board', idBoard), pos: positionValue(pos) })
    return await ctx.send({ method: 'POST', path: path`/1/lists`, body })
  },
})
