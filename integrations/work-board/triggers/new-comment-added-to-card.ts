import { z } from '#kit'
import { boardTrigger } from '../board-trigger.ts'
import type { BoardFacts } from '../event.ts'
import { onCard, cardEventData } from '../event-schemas.ts'
import { boardsField, cardsField, listsField } from '../watch-fields.ts'
import { boardsConfig, cardsConfig, listsConfig } from '../event-filters.ts'

export default boardTrigger({
  id: 'new-comment-added-to-card',
  title: 'New Comment Added to Card',
  purpose: 'Starts when somebody comments on a card of a watched board.',
  keywords: ['note', 'reply', 'mention', 'message'],
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
      commentId: z.string().meta({ description: 'Id of the comment, needed to edit or delete it.' }),
      text: z.string().meta({ description: 'The comment as written.' }),
    }),
  fields: { boards: boardsField, lists: listsField, cards: cardsField },
  caveat:
    'Edits of a comment, and comments copied with a card, start nothing. A comment deleted before an outage ended is not recovered.',
  on: ['commentCard'],
  match(event, _config, facts: BoardFacts) {
    // A comment and its action share one id.
    return { ...cardEventData(event, facts), commentId: event.id, text: event.text ?? '' }
  },
})
