import { z } from '#kit'
import { boardTrigger } from '../board-trigger.ts'
import * as specs from '../field-specs.ts'
import type { BoardFacts } from '../event.ts'
import { activity, activityData } from '../event-schemas.ts'
import { boardsField, cardsField, listsField, typesField } from '../watch-fields.ts'
import {
  boardsConfig,
  cardsConfig,
  isSelected,
  kindsConfig,
  listsConfig,
  selectedTypes,
  typesConfig,
  needsList,
} from '../event-filters.ts'

export default boardTrigger({
  id: 'custom-webhook-events',
  title: 'Custom Webhook Events',
  purpose:
    'Starts when an event matches all chosen filters together: boards, kinds or types of event, lists and cards.',
  keywords: ['filter', 'any event', 'advanced', 'raw'],
  icon: 'webhook',
  config: () =>
    z.strictObject({
      boards: boardsConfig(),
      kinds: kindsConfig(),
      types: typesConfig(),
      lists: listsConfig(),
      cards: cardsConfig(),
    }),
  data: () =>
    z.object({
      ...activity(),
      action: z
        .record(z.string(), z.unknown())
        .meta({ description: 'The action as the board gave it, without private records of members.' }),
    }),
  fields: {
    boards: boardsField,
    kinds: { labels: specs.kinds },
    types: typesField,
    lists: listsField,
    cards: cardsField,
  },
  caveat:
    'Labels, checklist items, edited and deleted comments, votes and custom fields are webhook only. When an event does not include the list of its card, the list is read; for a card deleted meanwhile the last known list counts.',
  on: ['*'],
  types: selectedTypes,
  needs: (event, config) => (isSelected(event, config) ? needsList(event, config) : []),
  match(event, config, facts: BoardFacts) {
    if (!isSelected(event, config)) return undefined
    return { ...activityData(event, facts), action: event.raw as Record<string, unknown> }
  },
})
