import { defineStep, given, normaliseEmail, normalisedText, path, readRow, z } from '#kit'
import * as specs from '../field-specs.ts'
import { boardRef, role, text } from '../inputs.ts'
import { boards } from '../options.ts'

export default defineStep({
  id: 'invite-to-board',
  title: 'Invite to Board',
  group: 'Members',
  purpose:
    'Invites a person to a board by e-mail address, also one without an account at the provider, who gets an e-mail.',
  keywords: ['share board', 'email', 'guest', 'colleague', 'teammate'],
  icon: 'person-add',
  oauthScopes: ['read', 'write', 'members'],
  // The board may send the e-mail again when an invitation is repeated.
  effect: 'create',
  input: () =>
    z.strictObject({
      idBoard: boardRef('The board.'),
      email: normalisedText(normaliseEmail).meta({ title: 'E-mail', description: 'E-mail address of the person.' }),
      fullName: text('Name', 'Name of the person, for somebody without an account.', 1).optional(),
      type: role().default('normal'),
    }),
  output: () =>
    z.object({
      id: z.string().meta({ description: 'Id of the board.' }),
      email: z.string().meta({ description: 'The address that was invited.' }),
      type: z.string().meta({ description: 'The role they were invited with.' }),
    }),
  fields: {
    idBoard: { options: boards, names: 'board', accepts: 'id-or-url' },
    email: { placeholder: 'ada@example.com' },
    fullName: { placeholder: 'Ada Marsh', rare: true },
    type: specs.role,
  },
  async run(ctx, { idBoard, email, fullName, type }) {
    // The board refuses a name with spaces around it.
    const body = given({ email, type, fullName: fullName?.trim() || undefined })
    const row = readRow(await ctx.send({ method: 'PUT', path: path`/1/boards/${idBoard}/members`, body }), 'a board')
    return { id: row.id, email, type }
  },
})
