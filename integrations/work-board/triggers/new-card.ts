import { z } from '#kit'
import { cardTrigger } from '../card-trigger.ts'
import * as specs from '../field-specs.ts'
import type { BoardEvent, BoardFacts } from '../event.ts'
import { aboutOf, cardPlace, name, onCard, place, thing, cardEventData } from '../event-schemas.ts'
import { boardsField, listsField } from '../watch-fields.ts'
import { boardsConfig, listsConfig } from '../event-filters.ts'

const ways = {
  createCard: 'created',
  copyCard: 'copied',
  emailCard: 'emailed',
  convertToCardFromCheckItem: 'converted',
  moveCardToBoard: 'moved',
} as const
type Way = (typeof ways)[keyof typeof ways]
const wayNames = Object.values(ways) as [Way, ...Way[]]

const wayOf = (event: BoardEvent): Way | undefined =>
  Object.hasOwn(ways, event.type) ? ways[event.type as keyof typeof ways] : undefined

export default cardTrigger({
  id: 'new-card',
  title: 'New Card',
  purpose:
    'Starts when a card appears on a watched board: created, copied, sent by e-mail, converted from a checklist item or moved in from another board.',
  keywords: ['card created', 'task', 'ticket', 'card copied'],
  icon: 'card-add',
  config: () =>
    z.strictObject({
      boards: boardsConfig(),
      lists: listsConfig('Only cards that appear in these lists, by id; none for every list.'),
      ways: z.array(z.enum(wayNames)).max(wayNames.length).optional().meta({
        title: 'Ways',
        description:
          'Only cards that came to be in these ways: created, copied, emailed, converted (from a checklist item), moved (in from another board). None for all.',
      }),
    }),
  data: () =>
    z.object({
      ...onCard(),
      way: z.enum(wayNames).meta({ description: 'How the card came to be on the board.' }),
      source: cardPlace()
        .optional()
        .meta({ description: 'The card it was copied from, or whose checklist item it was.' }),
      checklist: thing('The checklist whose item it was.', { name: name() }).optional(),
      from: place().optional().meta({ description: 'Of a moved card: the board it came from.' }),
    }),
  fields: { boards: boardsField, lists: listsField, ways: { labels: specs.ways } },
  caveat:
    "The event contains only the card's name, not its description, dates, labels or members: read the card for them. When a whole list is moved in from another board, its cards produce no events.",
  on: Object.keys(ways),
  types: ({ ways: watchedWays = [] }) =>
    Object.entries(ways).flatMap(([type, way]) =>
      watchedWays.length === 0 || watchedWays.includes(way) ? [type] : [],
    ),
  match(event, config, facts: BoardFacts) {
    const way = wayOf(event)
    if (way === undefined || (config.ways?.length && !config.ways.includes(way))) return undefined
    const source = aboutOf(event, 'cardSource')
    const checklist = aboutOf(event, 'checklist')
    return {
      ...cardEventData(event, facts),
      way,
      ...(source ? { source } : {}),
      ...(checklist ? { checklist } : {}),
      ...(event.from ? { from: event.from } : {}),
    }
  },
})
