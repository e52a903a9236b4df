import { defineStep, path, z } from '#kit'
import { boardRef, idOf } from '../inputs.ts'
import { boards, members } from '../options.ts'
import { resolveId } from '../refs.ts'

export default defineStep({
  id: 'remove-member-from-board',
  title: 'Remove Member from Board',
  group: 'Members',
  purpose: 'Removes a person from a board, or withdraws an invitation that they have not accepted yet.',
  keywords: ['revoke access', 'kick', 'unshare', 'offboard'],
  icon: 'person-add',
  oauthScopes: ['read', 'write', 'members'],
  effect: 'delete',
  input: () =>
    z.strictObject({
      idBoard: boardRef('The board.'),
      idMember: idOf('member', 'Member', 'Id of the member; Get Members returns it.', 'The member to remove.'),
    }),
  output: () =>
    z.object({
      id: z.string().meta({ description: 'Id of the board.' }),
      idMember: z.string().meta({ description: 'Id of the person who is no longer a member.' }),
      removed: z.literal(true),
    }),
  fields: {
    idBoard: { options: boards, names: 'board', accepts: 'id-or-url' },
    idMember: { options: members({ boards: ['idBoard'] }), names: 'member', dependsOn: ['idBoard'] },
  },
  async run(ctx, { idBoard, idMember }) {
    // The answer to a repeated removal has no id, so the id of the board is read first.
    const id = await resolveId(ctx, 'board', idBoard)
    await ctx.send({ method: 'DELETE', path: path`/1/boards/${idBoard}/members/${idMember}` })
    return { id, idMember, removed: true as const }
  },
})
