import { defineTrigger, z } from '#kit'
import * as specs from '../field-specs.ts'
import type { BoardEvent, BoardFacts } from '../event.ts'
import { webhookOnly } from '../action-types.ts'
import { activity, activityData } from '../event-schemas.ts'
import { boardsField, typesField } from '../watch-fields.ts'
import {
  boardsConfig,
  isSelected,
  isWatched,
  kindsConfig,
  resolveWatched,
  selectedTypes,
  typesConfig,
  watchBoards,
} from '../event-filters.ts'

export default defineTrigger({
  id: 'new-board-activity',
  title: 'New Board Activity',
  purpose: 'Starts on any activity on a watched board, or on activity of the kinds and types chosen.',
  keywords: ['anything on a board', 'action', 'audit', 'history'],
  icon: 'activity',
  oauthScopes: ['read', 'write'],
  config: () => z.strictObject({ boards: boardsConfig(), kinds: kindsConfig(), types: typesConfig() }),
  data: () => z.object(activity()),
  fields: { boards: boardsField, kinds: { labels: specs.kinds }, types: typesField },
  recoverable: 'some',
  webhookOnly,
  caveat:
    'Labels, checklist items, edited and deleted comments, votes and custom fields are webhook only. Adding or removing a label counts once, as an update of the card.',
  resolve: resolveWatched,
  webhook: {
    watch: watchBoards,
    types: selectedTypes,
    match(event: BoardEvent, config, facts: BoardFacts) {
      if (!isWatched(event, config, facts) || !isSelected(event, config)) return undefined
      return activityData(event, facts)
    },
  },
})
