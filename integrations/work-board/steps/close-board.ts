import { defineStep, path, z } from '#kit'
import { boardRef } from '../inputs.ts'
import { boards } from '../options.ts'
import { board } from '../records.ts'

export default defineStep({
  id: 'close-board',
  title: 'Close Board',
  group: 'Boards and lists',
  purpose: 'Closes a board, which hides it from its members, and returns it. Update Board (closed: false) reopens it.',
  keywords: ['archive board', 'end project'],
  icon: 'archive',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  input: () => z.strictObject({ idBoard: boardRef('The board.') }),
  output: board,
  agentFields: ['id', 'name', 'url', 'closed'],
  fields: { idBoard: { options: boards, names: 'board', accepts: 'id-or-url' } },
  async run(ctx, { idBoard }) {
    return await ctx.send({ method: 'PUT', path: path`/1/boards/${idBoard}`, body: { closed: true } })
  },
})
