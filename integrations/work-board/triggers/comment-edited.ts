import { z } from '#kit'
import { boardTrigger } from '../board-trigger.ts'
import type { BoardFacts } from '../event.ts'
import { aboutOf, onCard, cardEventData } from '../event-schemas.ts'
import { boardsField, cardsField, listsField } from '../watch-fields.ts'
import { boardsConfig, cardsConfig, listsConfig } from '../event-filters.ts'

export default boardTrigger({
  id: 'comment-edited',
  title: 'Comment Edited',
  purpose: 'Starts when the text of a comment on a watched board is changed.',
  keywords: ['comment changed', 'comment updated', 'corrected'],
  icon: 'comment',
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
  caveat: 'Webhook only: comments edited while the server could not be reached are not recovered.',
  on: ['updateComment'],
  match(event, _config, facts: BoardFacts) {
    const comment = aboutOf(event, 'comment')
    if (comment === undefined) return undefined
    const before = event.before?.text
    return {
      ...cardEventData(event, facts),
      commentId: comment.id,
      text: event.text ?? '',
      ...(typeof before === 'string' ? { textBefore: before } : {}),
    }
  },
})
