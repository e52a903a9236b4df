import { defineStep, failField, path, readRow, textOf, z } from '#kit'
import { deletionOutput } from '../outputs.ts'
import { boardRef, text } from '../inputs.ts'
import { boards } from '../options.ts'

export default defineStep({
  id: 'delete-board',
  title: 'Delete Board',
  group: 'Boards and lists',
  purpose:
    'Destructive: deletes a board for good, with all its lists, cards and files. Close Board can be undone, this cannot.',
  keywords: ['remove board', 'destroy', 'erase project'],
  icon: 'archive',
  oauthScopes: ['read', 'write'],
  effect: 'delete',
  input: () =>
    z.strictObject({
      idBoard: boardRef('The board to delete.'),
      confirmName: text('Name to confirm', 'The exact name of the board, as a confirmation.', 1),
    }),
  output: deletionOutput('board'),
  fields: {
    idBoard: { options: boards, names: 'board', accepts: 'id-or-url' },
    confirmName: { placeholder: 'Website launch' },
  },
  async run(ctx, { idBoard, confirmName }) {
    const row = readRow(
      await ctx.send({ method: 'GET', path: path`/1/boards/${idBoard}`, query: { fields: 'name' } }),
      'a board',
    )
    // The name is not quoted: whoever deletes a board should know it from elsewhere.
    if (textOf(row, 'name') !== confirmName)
      throw failField('confirmName', 'The board has another name, so nothing was deleted. Give its exact name.')
    await ctx.send({ method: 'DELETE', path: path`/1/boards/${row.id}` })
    return { id: row.id, deleted: true }
  },
})
