import { defineStep, fail, flag, given, path, z } from '#kit'
import { boardRef, idOf, text } from '../inputs.ts'
import { boards, workspaces } from '../options.ts'
import { board } from '../records.ts'

export default defineStep({
  id: 'update-board',
  title: 'Update Board',
  group: 'Boards and lists',
  purpose: 'Changes the given properties of a board, or reopens a closed one, and returns it.',
  keywords: ['rename board', 'reopen board', 'visibility'],
  icon: 'board',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  input: () =>
    z.strictObject({
      idBoard: boardRef('The board.'),
      name: text('Name', 'New name.', 1).optional(),
      desc: text('Description', 'New description in Markdown.')
        .meta({ agentDescription: 'New description in Markdown; "" empties it.' })
        .optional(),
      closed: flag('Closed', 'Whether the board is closed; “No” reopens it.')
        .meta({ agentDescription: 'Whether the board is closed; false reopens it.' })
        .optional(),
      permissionLevel: z.enum(['private', 'org', 'public']).optional().meta({
        title: 'Visibility',
        description: 'Who sees it: its members (private), its workspace (org), or everybody (public).',
      }),
      idOrganization: idOf(
        'workspace',
        'Workspace',
        'Id of the workspace to move it to.',
        'The workspace to move it to.',
      ).optional(),
    }),
  output: board,
  agentFields: ['id', 'name', 'desc', 'url', 'closed'],
  fields: {
    idBoard: { options: boards, names: 'board', accepts: 'id-or-url' },
    name: { placeholder: 'Website launch' },
    desc: { long: true, placeholder: 'What this board is for' },
    permissionLevel: { labels: { private: 'Its members', org: 'The workspace', public: 'Everybody' } },
    idOrganization: { options: workspaces, names: 'organization', rare: true },
  },
  async run(ctx, { idBoard, permissionLevel, ...changedFields }) {
    const body = given({ ...changedFields, 'prefs/permissionLevel': permissionLevel })
    if (Object.keys(body).length === 0)
      throw fail('invalid_input', 'No change is given. Give name, desc, closed, permissionLevel or idOrganization.')
    return await ctx.send({ method: 'PUT', path: path`/1/boards/${idBoard}`, body })
  },
})
