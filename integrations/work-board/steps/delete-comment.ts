import { defineStep, path, z } from '#kit'
import { deletionOutput } from '../outputs.ts'
import { idOf } from '../inputs.ts'
import { commentsOfCard } from '../options.ts'
import { cardFields, cardInput, checkCard } from '../scoped-card.ts'

export default defineStep({
  id: 'delete-comment',
  title: 'Delete Comment',
  group: 'Comments',
  purpose: 'Deletes a comment of a card for good.',
  keywords: ['remove comment', 'withdraw'],
  icon: 'comment',
  oauthScopes: ['read', 'write'],
  effect: 'delete',
  input: () =>
    z.strictObject({
      ...cardInput(),
      idComment: idOf('comment', 'Comment', 'Id of the comment; Get Comments returns it.', 'The comment on the card.'),
    }),
  output: deletionOutput('comment'),
  fields: { ...cardFields, idComment: { options: commentsOfCard('idCard'), dependsOn: ['idCard'] } },
  async run(ctx, { idComment, ...card }) {
    await checkCard(ctx, card)
    await ctx.send({ method: 'DELETE', path: path`/1/cards/${card.idCard}/actions/${idComment}/comments` })
    return { id: idComment, deleted: true }
  },
})
