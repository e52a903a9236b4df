import { defineStep, failField, path, readRows, textOf, z } from '#kit'
import * as specs from '../field-specs.ts'
import { boardRef, idOf, role } from '../inputs.ts'
import { boards, members } from '../options.ts'

export default defineStep({
  id: 'set-member-role',
  title: 'Set Member Role',
  group: 'Members',
  purpose: 'Changes what a member may do on a board; somebody who is not a member is not added.',
  keywords: ['permission', 'admin', 'observer', 'promote', 'demote', 'rights'],
  icon: 'person-add',
  oauthScopes: ['read', 'write', 'members'],
  effect: 'update',
  input: () =>
    z.strictObject({
      idBoard: boardRef('The board.'),
      idMember: idOf('member', 'Member', 'Id of the member; Get Members returns it.', 'The member of the board.'),
      type: role(),
    }),
  output: () =>
    z.object({
      idMember: z.string().meta({ description: 'Id of the member.' }),
      type: z.string().meta({ description: 'The role they have now.' }),
      before: z.string().meta({ description: 'The role they had.' }),
      changed: z
        .boolean()
        .meta({ description: 'Whether anything was written; false where they had the role already.' }),
    }),
  fields: {
    idBoard: { options: boards, names: 'board', accepts: 'id-or-url' },
    idMember: { options: members({ boards: ['idBoard'] }), names: 'member', dependsOn: ['idBoard'] },
    type: specs.role,
  },
  async run(ctx, { idBoard, idMember, type }) {
    const memberships = readRows(
      await ctx.send({ method: 'GET', path: path`/1/boards/${idBoard}/memberships` }),
      'memberships',
    )
    const membership = memberships.find((row) => row.idMember === idMember)
    if (membership === undefined)
      throw failField('idMember', `${idMember} is not a member of the board. Add them with Add Member to Board.`)
    const before = textOf(membership, 'memberType')
    if (before === type) return { idMember, type, before, changed: false }
    const at = path`/1/boards/${idBoard}/memberships/${membership.id}`
    await ctx.send({ method: 'PUT', path: at, body: { type } })
    return { idMember, type, before, changed: true }
  },
})
