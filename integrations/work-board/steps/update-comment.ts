import { defineStep, path, z } from '#kit'
import * as specs from '../field-specs.ts'
import { idOf, text } from '../inputs.ts'
import { commentsOfCard } from '../options.ts'
import { comment } from '../records.ts'
import { cardFields, cardInput, checkCard } from '../scoped-card.ts'

export default defineStep({
  id: 'update-comment',
  title: 'Update Comment',
  group: 'Comments',
  purpose: 'Replaces the text of a comment that the connected account wrote, and returns it.',
  keywords: ['edit comment', 'correct'],
  icon: 'comment',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  input: () =>
    z.strictObject({
      ...cardInput(),
      idComment: idOf('comment', 'Comment', 'Id of the comment; Get Comments returns it.', 'The comment on the card.'),
      text: text('Text', 'The new text in Markdown.', 1),
    }),
  output: comment,
  agentFields: ['id', 'date', 'data.text', 'data.card.id'],
  fields: {
    ...cardFields,
    idComment: { options: commentsOfCard('idCard'), dependsOn: ['idCard'] },
    text: specs.comment,
  },
  async run(ctx, { idComment, text: newText, ...card }) {
    await checkCard(ctx, card)
    return await ctx.send({
      method: 'PUT',
      path: path`/1/cards/${card.idCard}/actions/${idComment}/comments`,
      body: { text: newText },
    })
  },
})
