import { defineStep, flag, given, path, z } from '#kit'
import { idOf, text } from '../inputs.ts'
import { workspaces } from '../options.ts'
import { board } from '../records.ts'

export default defineStep({
  id: 'create-board',
  title: 'Create Board',
  group: 'Boards and lists',
  purpose: 'Creates a board and returns it.',
  keywords: ['new project', 'new board'],
  icon: 'board-add',
  oauthScopes: ['read', 'write'],
  effect: 'create',
  input: () =>
    z.strictObject({
      name: text('Name', 'Name of the board.', 1),
      desc: text('Description', 'Description in Markdown.').optional(),
      idOrganization: idOf(
        'workspace',
        'Workspace',
        'Id of the workspace it belongs to.',
        'The workspace that it belongs to.',
      ).optional(),
      prefs_permissionLevel: z.enum(['private', 'org', 'public']).default('private').meta({
        title: 'Visibility',
        description: 'Who sees it: its members (private), its workspace (org), or everybody (public).',
      }),
      defaultLists: flag('Usual lists', 'Whether to begin with the lists To Do, Doing and Done.').default(true),
      defaultLabels: flag('Usual labels', 'Whether to begin with the default labels, one of each colour.').default(
        true,
      ),
    }),
  output: board,
  agentFields: ['id', 'name', 'url', 'closed'],
  fields: {
    name: { placeholder: 'Website launch' },
    desc: { long: true, placeholder: 'What this board is for' },
    idOrganization: { options: workspaces, names: 'organization' },
    prefs_permissionLevel: { labels: { private: 'Its members', org: 'The workspace', public: 'Everybody' } },
    defaultLists: { rare: true },
    defaultLabels: { rare: true },
  },
  async run(ctx, input) {
    return await ctx.send({ method: 'POST', path: path`/1/boards`, body: given(input) })
  },
})
