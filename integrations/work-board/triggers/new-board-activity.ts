import { z } from '#kit'
import { boardTrigger } from '../board-trigger.ts'
import * as specs from '../field-specs.ts'
import type { BoardFacts } from '../event.ts'
import { activity, activityData } from '../event-schemas.ts'
import { boardsField, typesField } from '../watch-fields.ts'
import { boardsConfig, isSelected, kindsConfig, selectedTypes, typesConfig } from '../event-filters.ts'

export default boardTrigger({
  id: 'new-board-activity',
  title: 'New Board Activity',
  purpose: 'Starts when there is activity on a watched board: any, or of the kinds and types chosen.',
  keywords: ['anything on a board', 'action', 'audit', 'history'],
  icon: 'activity',
  config: () => z.strictObject({ boards: boardsConfig(), kinds: kindsConfig(), types: typesConfig() }),
  data: () => z.object(activity()),
  fields: { boards: boardsField, kinds: { labels: specs.kinds }, types: typesField },
  caveat:
    'Labels, checklist items, edited and deleted comments, votes and custom fields are webhook only. Adding or removing a label counts once, as an update of the card.',
  on: ['*'],
  types: selectedTypes,
  match(event, config, facts: BoardFacts) {
    if (!isSelected(event, config)) return undefined
    return activityData(event, facts)
  },
})
