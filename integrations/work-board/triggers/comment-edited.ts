import { defineTrigger, z } from '#kit'
import type { BoardEvent, BoardFacts } from '../event.ts'
import { onlyByWebhook } from '../action-types.ts'
import { aboutOf, onCard, cardEventData } from '../event-schemas.ts'
import { boardsField, cardsField, listsField } from '../watch-fields.ts'
import {
  boardsConfig,
  cardsConfig,
  isWatched,
  listsConfig,
  needsList,
  resolveWatched,
  watchBoards,
} from '../event-filters.ts'

const types = ['updateComment']

export default defineTrigger({
  id: 'comment-edited',
  title: 'Comment Edited',
  purpose: 'Starts when the text of a comment on a watched board is changed.',
  keywords: ['comment changed', 'comment updated', 'corrected'],
  icon: 'comment',
  oauthScopes: ['read', 'write'],
  config: () =>
    z.strictObject({
      boards: boardsConfig(),
      lists: listsConfig('Only cards in these lists, by id; none for every list.'),
      cards: cardsConfig(),
    }),
  data: () =>
    z.object({
      ...onCard(),
      commentId: z.string().meta({ description: 'Id of the comment.' }),
      text: z.string().meta({ description: 'The comment as it is now.' }),
      textBefore: z
        .string()
        .optional()
        .meta({ description: 'The comment as it was before; absent when the board does not say.' }),
    }),
  fields: { boards: boardsField, lists: listsField, cards: cardsField },
  recoverable: 'none',
  webhookOnly: onlyByWebhook(types),
  caveat: 'Webhook only: comments edited while the server could not be reached are not recovered.',
  resolve: resolveWatched,
  webhook: {
    watch: watchBoards,
    types: () => types,
    needs: needsList,
    match(event: BoardEvent, config, facts: BoardFacts) {
      const comment = aboutOf(event, 'comment')
      if (event.type !== 'updateComment' || comment === undefined || !isWatched(event, config, facts)) return undefined
      const before = event.before?.text
      return {
        ...cardEventData(event, facts),
        commentId: comment.id,
        text: event.text ?? '',
        ...(typeof before === 'string' ? { textBefore: before } : {}),
      }
    },
  },
})
