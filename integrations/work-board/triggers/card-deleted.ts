import { z } from '#kit'
import { boardTrigger } from '../board-trigger.ts'
import type { BoardFacts } from '../event.ts'
import { onCard, cardEventData } from '../event-schemas.ts'
import { boardsField, listsField } from '../watch-fields.ts'
import { boardsConfig, listsConfig } from '../event-filters.ts'

export default boardTrigger({
  id: 'card-deleted',
  title: 'Card Deleted',
  purpose: 'Starts when a card of a watched board is deleted for good.',
  keywords: ['removed', 'destroyed', 'card gone'],
  icon: 'card-edit',
  config: () =>
    z.strictObject({
      boards: boardsConfig(),
      lists: listsConfig('Only cards in these lists, by id; none for every list.'),
    }),
  data: () => z.object(onCard()),
  fields: { boards: boardsField, lists: listsField },
  caveat: 'The board names a deleted card by its id and short link only: its name, text and files are gone.',
  on: ['deleteCard'],
  match: (event, _config, facts: BoardFacts) => cardEventData(event, facts),
})
