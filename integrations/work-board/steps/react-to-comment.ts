import { boundedText, defineStep, path, z } from '#kit'
import { idOf } from '../inputs.ts'
import { commentsOfCard } from '../options.ts'
import { cardFields, cardInput, checkCard } from '../scoped-card.ts'

export default defineStep({
  id: 'react-to-comment',
  title: 'React to Comment',
  group: 'Comments',
  purpose: 'Adds an emoji to a comment as the connected account.',
  keywords: ['emoji', 'thumbs up', 'like', 'acknowledge'],
  icon: 'comment',
  oauthScopes: ['read', 'write'],
  effect: 'create',
  input: () =>
    z.strictObject({
      ...cardInput(),
      idComment: idOf('comment', 'Comment', 'Id of the comment; Get Comments returns it.', 'The comment on the card.'),
      emoji: boundedText('Emoji', 'Short name of the emoji without colons, such as thumbsup, heart or tada.', {
        min: 1,
        max: 100,
        by: 'the board',
      }),
    }),
  output: () =>
    z.looseObject({
      id: z.string().meta({ description: 'Id of the reaction.' }),
      emoji: z.unknown().meta({ description: 'The emoji, with its short name and as text.' }),
    }),
  agentFields: ['id', 'emoji.shortName', 'emoji.native'],
  fields: {
    ...cardFields,
    idComment: { options: commentsOfCard('idCard'), dependsOn: ['idCard'] },
    emoji: { placeholder: 'thumbsup' },
  },
  async run(ctx, { idComment, emoji, ...card }) {
    await checkCard(ctx, card)
    return await ctx.send({ method: 'POST', path: path`/1/actions/${idComment}/reactions`, body: { shortName: emoji } })
  },
})
