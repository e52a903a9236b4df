import { defineStep, path, readRow, z } from '#kit'
import { boardRef, idOf } from '../inputs.ts'
import { boards, people } from '../options.ts'

export default defineStep({
  id: 'add-member-to-board',
  title: 'Add Member to Board',
  group: 'Members',
  purpose: 'Adds a person with an account at the provider to a board, or changes what they may do there.',
  keywords: ['invite', 'share board', 'role', 'colleague', 'teammate'],
  icon: 'person-add',
  oauthScopes: ['read', 'write', 'members'],
  effect: 'update',
  input: () =>
    z.strictObject({
      idBoard: boardRef('The board.'),
      idMember: idOf('member', 'Member', 'Id of the person; Search Members finds it.'),
      type: z.enum(['normal', 'admin', 'observer']).default('normal').meta({
        title: 'Role',
        description:
          'What they may do: change cards (normal), also settings and members (admin), or only look (observer).',
      }),
    }),
  output: () =>
    z.object({
      id: z.string().meta({ description: 'Id of the board.' }),
      idMember: z.string().meta({ description: 'Id of the member.' }),
      type: z.string().meta({ description: 'The role they have now.' }),
    }),
  fields: {
    idBoard: { options: boards, accepts: 'id-or-url' },
    idMember: { options: people('idBoard'), dependsOn: ['idBoard'] },
    type: { labels: { normal: 'Normal', admin: 'Admin', observer: 'Observer' } },
  },
  async run(ctx, { idBoard, idMember, type }) {
    const row = readRow(
      await ctx.send({ method: 'PUT', path: path`/1/boards/${idBoard}/members/${idMember}`, body: { type } }),
      'a board',
    )
    return { id: row.id, idMember, type }
  },
})
