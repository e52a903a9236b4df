import { defineTrigger, z } from '#kit'
import type { BoardEvent, BoardFacts } from '../event.ts'
import { onCard, cardEventData } from '../event-schemas.ts'
import { boardsField, listsField } from '../watch-fields.ts'
import { boardsConfig, isWatched, listsConfig, needsList, resolveWatched, watchBoards } from '../event-filters.ts'

export default defineTrigger({
  id: 'card-archived',
  title: 'Card Archived',
  purpose: 'Starts when a card on a watched board is archived.',
  keywords: ['closed', 'done', 'removed'],
  icon: 'archive',
  oauthScopes: ['read', 'write'],
  config: () => z.strictObject({ boards: boardsConfig(), lists: listsConfig('Only cards in these lists, by id; none for every list.') }),
  data: () => z.object(onCard()),
  fields: { boards: boardsField, lists: listsField },
  recoverable: 'all',
  caveat: 'Archiving a whole list archives none of its cards. A deleted card is not an archived one.',
  resolve: resolveWatched,
  webhook: {
    watch: watchBoards,
    types: () => ['updateCard'],
    needs: needsList,
    match(event: BoardEvent, config, facts: BoardFacts) {
      if (event.type !== 'updateCard' || event.before?.closed !== false || event.after?.closed !== true || !isWatched(event, config, facts)) return undefined
      return cardEventData(event, facts)
    },
  },
})
