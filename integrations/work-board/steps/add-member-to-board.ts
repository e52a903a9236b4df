import { defineStep, path, readRow, z } from '#kit'
import * as specs from '../field-specs.ts'
import { boardRef, idOf, role } from '../inputs.ts'
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
      idMember: idOf('member', 'Member', 'Id of the person; Search Members finds it.', 'The person to add.'),
      type: role().default('normal'),
    }),
  output: () =>
    z.object({
      id: z.string().meta({ description: 'Id of the board.' }),
      idMember: z.string().meta({ description: 'Id of the member.' }),
      type: z.string().meta({ description: 'The role they have now.' }),
    }),
  fields: {
    idBoard: { options: boards, names: 'board', accepts: 'id-or-url' },
    idMember: { options: people('idBoard'), names: 'member', dependsOn: ['idBoard'] },
    type: specs.role,
  },
  async run(ctx, { idBoard, idMember, type }) {
    const row = readRow(
      await ctx.send({ method: 'PUT', path: path`/1/boards/${idBoard}/members/${idMember}`, body: { type } }),
      'a board',
    )
    return { id: row.id, idMember, type }
  },
})
