import { defineStep, flag, given, path, z } from '#kit'
import { boardRef, idOf, text } from '../inputs.ts'
import { boards, workspaces } from '../options.ts'
import { board } from '../records.ts'
import { resolveId } from '../refs.ts'

export default defineStep({
  id: 'copy-board',
  title: 'Copy Board',
  group: 'Boards and lists',
  purpose: 'Copies a board with its lists and labels, and its cards if requested, and returns the copy.',
  keywords: ['duplicate board', 'template', 'clone project'],
  icon: 'board-add',
  oauthScopes: ['read', 'write'],
  effect: 'create',
  input: () =>
    z.strictObject({
      idBoard: boardRef('The board to copy.'),
      name: text('Name', 'Name of the copy.', 1),
      cards: flag('Cards', 'Whether to copy its cards.').default(false),
      idOrganization: idOf(
        'workspace',
        'Workspace',
        'Id of the workspace the copy belongs to.',
        'The workspace that the copy belongs to.',
      ).optional(),
    }),
  output: board,
  agentFields: ['id', 'name', 'url', 'closed'],
  fields: {
    idBoard: { options: boards, names: 'board', accepts: 'id-or-url' },
    name: { placeholder: 'Website launch' },
    idOrganization: { options: workspaces, names: 'organization' },
  },
  async run(ctx, { idBoard, cards, ...boardFields }) {
    const source = await resolveId(ctx, 'board', idBoard)
    const body = given({
      ...boardFields,
      idBoardSource: source,
      keepFromSource: cards ? 'cards' : 'none',
      defaultLists: false,
      defaultLabels: false,
    })
    return await ctx.send({ method: 'POST', path: path`/1/boards`, body })
  },
})
