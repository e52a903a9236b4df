import { defineTrigger, z } from '#kit'
import type { BoardEvent, BoardFacts } from '../event.ts'
import { onCard, cardEventData } from '../event-schemas.ts'
import { boardsField, listsField } from '../watch-fields.ts'
import { boardsConfig, isWatched, listsConfig, needsList, resolveWatched, watchBoards } from '../event-filters.ts'

export default defineTrigger({
  id: 'card-unarchived',
  title: 'Card Unarchived',
  purpose: 'Starts when an archived card on a watched board is restored.',
  keywords: ['reopened', 'restored', 'sent back to board'],
  icon: 'archive',
  oauthScopes: ['read', 'write'],
  config: () => z.strictObject({ boards: boardsConfig(), lists: listsConfig('Only cards in these lists, by id; none for every list.') }),
  data: () => z.object(onCard()),
  fields: { boards: boardsField, lists: listsField },
  recoverable: 'all',
  caveat: 'Restoring a whole list restores none of its cards: they were never archived themselves.',
  resolve: resolveWatched,
  webhook: {
    watch: watchBoards,
    types: () => ['updateCard'],
    needs: needsList,
    match(event: BoardEvent, config, facts: BoardFacts) {
      if (event.type !== 'updateCard' || event.before?.closed !== true || event.after?.closed !== false || !isWatched(event, config, facts)) return undefined
      return cardEventData(event, facts)
    },
  },
})
