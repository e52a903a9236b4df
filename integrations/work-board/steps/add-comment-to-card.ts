import { defineStep, path, z } from '#kit'
import * as specs from '../field-specs.ts'
import { text } from '../inputs.ts'
import { comment } from '../records.ts'
import { cardFields, cardInput, checkCard } from '../scoped-card.ts'

export default defineStep({
  id: 'add-comment-to-card',
  title: 'Add Comment to Card',
  group: 'Comments',
  purpose: 'Posts a comment to a card as the connected account and returns it.',
  keywords: ['note', 'reply', 'mention', 'message'],
  icon: 'comment',
  oauthScopes: ['read', 'write'],
  effect: 'create',
  input: () =>
    z.strictObject({
      ...cardInput(),
      text: text('Comment', 'The comment in Markdown; @username notifies a member.', 1),
    }),
  output: comment,
  agentFields: ['id', 'date', 'data.text', 'data.card.id', 'data.card.name'],
  fields: { ...cardFields, text: specs.comment },
  async run(ctx, input) {
    await checkCard(ctx, input)
    return await ctx.send({
      method: 'POST',
      path: path`/1/cards/${input.idCard}/actions/comments`,
      body: { text: input.text },
    })
  },
})
