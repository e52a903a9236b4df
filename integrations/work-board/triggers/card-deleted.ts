import { defineTrigger, z } from '#kit'
import type { BoardEvent, BoardFacts } from '../event.ts'
import { onCard, cardEventData } from '../event-schemas.ts'
import { boardsField, listsField } from '../watch-fields.ts'
import { boardsConfig, isWatched, listsConfig, needsList, resolveWatched, watchBoards } from '../event-filters.ts'

export default defineTrigger({
  id: 'card-deleted',
  title: 'Card Deleted',
  purpose: 'Starts when a card of a watched board is deleted for good.',
  keywords: ['removed', 'destroyed', 'card gone'],
  icon: 'card-edit',
  oauthScopes: ['read', 'write'],
  config: () =>
    z.strictObject({
      boards: boardsConfig(),
      lists: listsConfig('Only cards in these lists, by id; none for every list.'),
    }),
  data: () => z.object(onCard()),
  fields: { boards: boardsField, lists: listsField },
  recoverable: 'all',
  caveat: 'The board names a deleted card by its id and short link only: its name, text and files are gone.',
  resolve: resolveWatched,
  webhook: {
    watch: watchBoards,
    types: () => ['deleteCard'],
    needs: needsList,
    match(event: BoardEvent, config, facts: BoardFacts) {
      if (event.type !== 'deleteCard' || !isWatched(event, config, facts)) return undefined
      return cardEventData(event, facts)
    },
  },
})
