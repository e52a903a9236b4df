import { defineTrigger, z } from '#kit'
import type { BoardEvent, BoardFacts } from '../event.ts'
import { onCard, cardEventData } from '../event-schemas.ts'
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

export default defineTrigger({
  id: 'new-comment-added-to-card',
  title: 'New Comment Added to Card',
  purpose: 'Starts when somebody comments on a card of a watched board.',
  keywords: ['note', 'reply', 'mention', 'message'],
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
      commentId: z.string().meta({ description: 'Id of the comment, needed to edit or delete it.' }),
      text: z.string().meta({ description: 'The comment as written.' }),
    }),
  fields: { boards: boardsField, lists: listsField, cards: cardsField },
  recoverable: 'all',
  caveat:
    'Edits of a comment, and comments copied with a card, start nothing. A comment deleted before an outage ended is not recovered.',
  resolve: resolveWatched,
  webhook: {
    watch: watchBoards,
    types: () => ['commentCard'],
    needs: needsList,
    match(event: BoardEvent, config, facts: BoardFacts) {
      if (event.type !== 'commentCard' || !isWatched(event, config, facts)) return undefined
      // A comment and its action share one id.
      return { ...cardEventData(event, facts), commentId: event.id, text: event.text ?? '' }
    },
  },
})
